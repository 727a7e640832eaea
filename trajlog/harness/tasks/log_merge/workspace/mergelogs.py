"""Merge log files: mergelogs.py [--level LEVEL] [--contains WORD] [--head N] [--summary] HOST=FILE..."""

import argparse
import sys
from contextlib import ExitStack

from logmerge.filters import at_least, contains
from logmerge.merge import head, merge
from logmerge.parse import LEVELS, BadLine
from logmerge.summary import summarize


def named_file(text):
    host, equals, path = text.partition("=")
    if not (host and equals and path):
        raise argparse.ArgumentTypeError(f"{text!r} is not HOST=FILE")
    return host, path


def conditions(args):
    if args.level:
        yield at_least(args.level)
    if args.contains:
        yield contains(args.contains)


def main(argv, out=sys.stdout):
    parser = argparse.ArgumentParser(prog="mergelogs")
    parser.add_argument("logs", nargs="+", type=named_file, metavar="HOST=FILE")
    parser.add_argument("--level", choices=LEVELS)
    parser.add_argument("--contains")
    parser.add_argument("--head", type=int)
    parser.add_argument("--summary", action="store_true")
    args = parser.parse_args(argv)
    with ExitStack() as stack:
        logs = {host: stack.enter_context(open(path, encoding="utf-8")) for host, path in args.logs}
        stream = merge(logs, *conditions(args))
        if args.head is not None:
            stream = head(stream, args.head)
        try:
            for line in summarize(stream) if args.summary else stream:
                print(line, file=out)
        except BadLine as problem:
            print(f"error: {problem}", file=out)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
