"""`list FILE`, `cut FILE number out` (an event as a recording), `info FILE`"""

from pathlib import Path

from quake.bulletin import bulletin, picture
from quake.filters import thin
from quake.recording import Recording, RecordingError, write_recording
from quake.run import Run


def main(argv, out):
    command, path, *rest = argv
    with Path(path).open("rb") as stream:
        try:
            recording = Recording(stream)
            if command == "list":
                out += bulletin(Run(recording))
            elif command == "cut":
                number, target = int(rest[0]), Path(rest[1])
                event = list(Run(recording))[number - 1]
                with target.open("wb") as written:
                    write_recording(written, recording.head.rate, event.samples())
                out.append(f"{len(event.samples())} samples from {recording.head.seconds(event.start):.2f} s")
            elif command == "info":
                samples = [sample for _, block in recording.blocks(100) for sample in block]
                seconds = recording.head.seconds(recording.head.count)
                out.append(f"{recording.head.rate} Hz, {seconds:.1f} s |{picture(list(thin(samples, 2)))}|")
            else:
                out.append(f"unknown command {command}")
                return 2
        except (RecordingError, IndexError) as problem:
            out.append(str(problem))
            return 1
    return 0
