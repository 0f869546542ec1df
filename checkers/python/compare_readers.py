#!/usr/bin/env python3
"""Holds the readers of the checker in Python against those of the solver and of the checker in Rust.

    compare_readers.py CASES                        a line for each file: its bytes in hexadecimal digits, then its hash, - if nobody reads it,
                                                    or ?HASH if the solver reads it, where we may refuse it and not read another model
    compare_readers.py --entries PROGRAM CHECKER    every kind of time preference, mixed: the form of `PROGRAM convert`, and `CHECKER`'s verdict on bad ones
"""

import itertools
import pathlib
import subprocess
import sys
import tempfile

from check import Model, Unreadable, form_of

GOOD = [
    "2/3", "0", "{discount: 0.5}", "{rate: 3%}", "{rate: 0.014, weight: -2}", "{rate: 100 %}", "{beta: 0.7, delta: 0.95}", "{beta: 1, delta: 0}", "{beta: 0, delta: 1/2}",
    "{discount: 9/10, until: 4}", "{rate: 5%, until: 7, weight: 1/3}", "{discount: 0, until: 3}", "{schedule: {0: 3.5%, 31: 3%, 76: 2.5%}}",
    "{schedule: {0: 4%, 1: 2%, 9: 2%, 12: 1%}}", "{schedule: {1: 4%, 5: 2%}}", "{schedule: green-book}", "{schedule: green-book, weight: 0}",
    "{survey: [1%, 2%, 2%, 3.5%]}", "{survey: [7%]}", "{discount: 1e-3, weight: 0}",
]  # fmt: skip
BAD = [
    "1", "-1/2", "3%", "{rate: 0%}", "{rate: 101%}", "{discount: 1/2, rate: 3%}", "{beta: 1/2}", "{beta: 2, delta: 1/2}", "{discount: 1/2, until: 0}", "{discount: 1/2, until: 1.5}",
    "{schedule: {5: 1%, 2: 2%}}", "{schedule: red-book}", "{schedule: {}}", "{survey: []}", "{survey: 1%}", "{gamma: {mean: 4%, sd: 3%}}",
    "{hyperbolic: 0.1, hazard: 1%}", "{weight: 1}", "{discount: 1/2, patience: 3}", "{schedule: green-book, until: 3}",
]  # fmt: skip
FORM = """commonweal-model 1
rewards 1
segment 0 0
part 1/2 1
part 0 1
segment 3 2
part 2/3 1/8
states 1
choices 1
1 > 0 1
end
"""
DAMAGED = [
    ("segment 3 2", "segment 0 0"), ("segment 0 0", "segment 1 1"), ("segment 0 0", "segment 0 1"), ("segment 3 2", "segment 3 4"), ("segment 3 2", "segment 3"),
    ("segment 3 2\npart 2/3 1/8\n", ""), ("part 1/2 1\npart 0 1", "part 0 1"), ("part 2/3 1/8\n", ""), ("part 2/3 1/8", "part 2/3"), ("part 2/3 1/8", "part 2/3 1/8 1"),
    ("part 2/3 1/8", "part 2/3 2/16"), ("part 1/2 1\npart 0 1", "part 0 1\npart 1/2 1"), ("part 2/3 1/8", "part 1 1/8"), ("rewards 1", "rewards 2"),
]  # fmt: skip
FILE = """principals:
  a: {}  # an entry
  b: {}
states:
  here: {{stay: {{reward: 3, to: here}}, go: {{reward: {{a: -1, b: 1/7}}, to: {{there: 1/2, here: 0.5}}}}}}
  "there": {{rest: {{to: there}}}}
"""


def read(data):
    try:
        return Model(form_of(data)).hash
    except Unreadable:
        return "-"


def cases(path):
    counts = {"read": 0, "refused": 0, "left": 0}
    with open(path, encoding="ascii") as lines:
        for number, line in enumerate(lines, 1):
            digits, theirs = line.rstrip("\n").split(" ")
            data = bytes.fromhex(digits)
            ours = read(data)
            if ours != theirs.removeprefix("?") and not (theirs.startswith("?") and ours == "-"):
                sys.exit(f"case {number}: {ours}\nthe other reader: {theirs}\n{data!r}")
            counts["read" if ours != "-" else "refused" if theirs == "-" else "left"] += 1
    print(f"all readers read the same {counts['read']} models and refuse the same {counts['refused']} files; {counts['left']} are left to `convert`")


def entries(program, checker):
    pairs = [*itertools.product(GOOD, repeat=2)]
    with tempfile.TemporaryDirectory() as folder:
        model, form = pathlib.Path(folder, "m.yaml"), pathlib.Path(folder, "m.canonical")
        for pair in pairs:
            model.write_text(FILE.format(*pair))
            subprocess.run([program, "convert", "--quiet", model, form], check=True, stderr=subprocess.DEVNULL)
            if form_of(model.read_bytes()) != form.read_bytes():
                sys.exit(f"{pair}: another form than `convert` writes")
        (no_certificate := pathlib.Path(folder, "c.cert")).write_text("commonweal-certificate 1\n")
        for entry in BAD:
            model.write_text(FILE.format(entry, "1/2"))
            verdict = subprocess.run([checker, model, no_certificate], capture_output=True, check=False)
            if read(model.read_bytes()) != "-" or verdict.returncode != 2:
                sys.exit(f"{entry}: read by a checker")
        # With no damage only the certificate is wrong.
        for number, (old, new) in enumerate([("", ""), *DAMAGED]):
            form.write_text(FORM.replace(old, new, 1))
            verdict = subprocess.run([checker, form, no_certificate], capture_output=True, check=False, text=True)
            refused = (read(form.read_bytes()) == "-", verdict.stderr.startswith("error: model: "))
            if refused != (number > 0,) * 2 or verdict.returncode != 2:
                sys.exit(f"{old!r} replaced by {new!r}: refused by the checkers in Python and in Rust: {refused}")
    print(f"both checkers refuse {len(DAMAGED)} damaged forms with segments")
    print(f"the checker in Python reads {len(pairs)} models of two entries as `convert` writes them, and no checker reads {len(BAD)} others")


if __name__ == "__main__":
    if sys.argv[1] == "--entries":
        entries(*sys.argv[2:])
    else:
        cases(sys.argv[1])
