#!/usr/bin/env python3
"""Holds check.py against the verdicts of another checker: lines of JSON, [model, certificate, verdict] each.

Two verdicts agree if both accept, both cannot read a file, or both refuse the same claim at the same place; the numbers
after the semicolon are for people.
"""

import io
import json
import sys

from check import Refused, Unreadable, check


def verdict(model, certificate):
    try:
        check(model.encode(), io.BytesIO(certificate.encode()))
    except Refused as refusal:
        return f"refused: {refusal}"
    except Unreadable as error:
        return f"unreadable: {error}"
    return "accepted"


def claim(text):
    return "unreadable" if text.startswith("unreadable") else text.split(";")[0]


def main(path):
    counts = {}
    with open(path, encoding="utf-8") as cases:
        for number, line in enumerate(cases, 1):
            model, certificate, theirs = json.loads(line)
            ours = verdict(model, certificate)
            if claim(ours) != claim(theirs):
                sys.exit(f"case {number}: {ours}\nthe other checker: {theirs}\n{model}{certificate}")
            kind = claim(ours).split(":")[0]
            counts[kind] = counts.get(kind, 0) + 1
    print("agreed on", ", ".join(f"{count} {kind}" for kind, count in sorted(counts.items())))


if __name__ == "__main__":
    main(sys.argv[1])
