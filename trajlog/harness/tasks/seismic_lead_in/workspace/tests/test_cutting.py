import io

import pytest

from quake.bulletin import bulletin
from quake.cli import main
from quake.filters import smooth, thin, without_offset
from quake.measures import peak
from quake.recording import Recording, RecordingError, write_recording
from quake.run import Run
from quake.stations import Pick, coincidence_line, coincidences, picks


def recording(samples, rate=10):
    stream = io.BytesIO()
    write_recording(stream, rate, samples)
    stream.seek(0)
    return Recording(stream)


def noise(count, height, first=0):
    return [(height + (first + n) % 3) * (1 if n % 2 else -1) for n in range(count)]


QUIET_LOUD_QUIET = noise(40, 5) + noise(10, 300) + noise(30, 4)


def test_time_and_number_of_events():
    run = Run(recording(QUIET_LOUD_QUIET))
    (event,) = run
    assert (event.start, event.trigger, len(event.samples()), run.blocks_done) == (20, 40, 50, 8)


def test_lead_in_is_quiet():
    (event,) = Run(recording(QUIET_LOUD_QUIET))
    assert event.lead_in() == QUIET_LOUD_QUIET[20:40]
    assert peak(event.lead_in()) == 7


def test_steady_noise_is_no_event():
    assert bulletin(Run(recording(noise(75, 20)))) == ["0 events in 8 blocks"]


def test_broken_recordings():
    with pytest.raises(RecordingError, match="not a recording"):
        Recording(io.BytesIO(b"RIFF and more bytes"))
    stream = io.BytesIO()
    write_recording(stream, 10, noise(30, 5))
    cut = Recording(io.BytesIO(stream.getvalue()[:-4]))
    with pytest.raises(RecordingError, match="breaks off after sample 20"):
        list(Run(cut))


def test_filters_and_coincidences():
    assert list(smooth([3, 6, 9, 0])) == [3.0, 4.5, 6.0, 5.0]
    assert (list(thin([1, -5, 2, 4, 0], 2)), without_offset([4, 6, 8])) == ([-5, 4, 0], [-2, 0, 2])
    run = Run(recording(QUIET_LOUD_QUIET))
    found = picks("KIR", run, run.recording.head, len) + [Pick("ABK", 5.25, 80), Pick("ABK", 9.0, 70)]
    assert [coincidence_line(group) for group in coincidences(found)] == ["4.00 s: KIR +0.00, ABK +1.25 (peak 80)"]


def test_command_line(tmp_path):
    path, out = tmp_path / "day.seis", []
    with path.open("wb") as stream:
        write_recording(stream, 10, QUIET_LOUD_QUIET)
    assert (main(["info", str(path)], out), main(["cut", str(path), "2", "x"], out)) == (0, 1)
    assert out == ["10 Hz, 8.0 s |          ###       |", "list index out of range"]
