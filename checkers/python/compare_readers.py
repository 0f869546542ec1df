#!/usr/bin/env python3
"""Compares the reader of check.py with another checker's. Each input line is a file in hexadecimal digits and its hash, or - if the file is not a canonical form."""

import sys

from check import Model, Unreadable


def read(data):
    try:
        return Model(data).hash
    except Unreadable:
        return "-"


def main(path):
    counts = {True: 0, False: 0}
    with open(path, encoding="ascii") as cases:
        for number, line in enumerate(cases, 1):
            digits, theirs = line.rstrip("\n").split(" ")
            data = bytes.fromhex(digits)
            ours = read(data)
            if ours != theirs:
                sys.exit(f"case {number}: {ours}\nthe other checker: {theirs}\n{data!r}")
            counts[ours != "-"] += 1
    print(f"both checkers read the same {counts[True]} models and refuse the same {counts[False]} files")


if __name__ == "__main__":
    main(sys.argv[1])
