"""Real models, solved by both engines and held against a bound that knows nothing of them.

For every model file in a folder: the certified answer with a gap of 1e-9; the exact answer where it is quick; and plain
backward induction over T steps in numpy, on the model as Storm reads it. What comes after step T is worth at most
Σ_i λ_i^T max|R_i| / (1 − λ_i), so the optimum is within that of what the induction finds. All three must agree.
"""

import argparse
import gzip
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import scipy.sparse as sparse
import stormpy

DISCOUNTS = ["0.95", "0.8", "0.65", "0.5", "0.35", "0.2", "0.1"]
EXACT_STATES = 3000


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--commonweal", required=True)
    parser.add_argument("models", type=Path)
    args = parser.parse_args()
    files = sorted(path for path in args.models.iterdir() if path.name.endswith((".drn", ".drn.gz", ".umb")))
    print(f"{'model':34} {'states':>8} {'choices':>9} {'principals':>10} {'gap':>9} {'solve s':>9} {'steps':>6}  agrees with")
    wrong = [path.name for path in files if not agrees(args, path)]
    if wrong:
        sys.exit(f"these do not agree: {', '.join(wrong)}")


def agrees(args, path):
    model = read(path)
    names = sorted(model.reward_models)
    discounts = dict(zip(names, DISCOUNTS))
    certified = solve(args, path, discounts, "--gap", "1e-9")
    answer = certified["states"][certified["start"]]["welfare"]
    lower, upper = answer["lower"], answer["upper"]
    truncated, scale, off, steps = truncate(model, [(reward(model, name), float(discounts[name])) for name in discounts])
    checks = {"truncation": lower <= truncated + off and truncated - off <= upper}
    if model.nr_states <= EXACT_STATES:
        exact = solve(args, path, discounts, "--exact")
        exact = exact["states"][exact["start"]]["welfare"]
        checks["exact"] = lower <= exact["upper"] and exact["lower"] <= upper
    gap = (upper - lower) / max(scale, 1e-300)
    seconds = certified["timings"]["long_term"] + certified["timings"]["unravel"]
    said = ", ".join(what if holds else f"NOT {what}" for what, holds in checks.items())
    print(f"{path.name:34} {model.nr_states:8} {model.nr_choices:9} {len(discounts):10} {gap:9.1e} {seconds:9.3f} {steps:6}  {said}",
          flush=True)
    return all(checks.values())


def read(path):
    if path.suffix == ".gz":
        # Storm reads DRN as plain text only.
        with tempfile.NamedTemporaryFile(suffix=".drn") as plain:
            plain.write(gzip.decompress(path.read_bytes()))
            plain.flush()
            return stormpy.build_model_from_drn(plain.name)
    build = stormpy.build_model_from_umb if path.suffix == ".umb" else stormpy.build_model_from_drn
    return build(str(path))


def solve(args, path, discounts, *engine):
    options = [option for name, value in discounts.items() for option in ("--discount", f"{name}={value}")]
    command = [args.commonweal, "solve", str(path), *options, *engine, "--json", "--timings", "--quiet"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: exit code {done.returncode}\n{done.stderr}{done.stdout[:400]}")
    return json.loads(done.stdout)


def reward(model, name):
    """What each choice brings at once."""
    own = model.reward_models[name]
    groups = np.array([model.transition_matrix.get_row_group_start(s) for s in range(model.nr_states)] + [model.nr_choices])
    total = np.zeros(model.nr_choices)
    if own.has_state_rewards:
        total += np.repeat(np.array(own.state_rewards, dtype=float), np.diff(groups))
    if own.has_state_action_rewards:
        total += np.array(own.state_action_rewards, dtype=float)
    if own.has_transition_rewards:
        sys.exit(f"{name} has rewards of transitions, which this comparison does not know")
    return total


def truncate(model, principals):
    """The welfare of T steps from the start, the greatest from anywhere, what the optimum may differ by, and T."""
    rows = model.transition_matrix
    first = np.array([rows.get_row_group_start(s) for s in range(model.nr_states)])
    entries = [(row, entry.column, float(entry.value)) for row in range(rows.nr_rows) for entry in rows.get_row(row)]
    row, column, value = zip(*entries)
    P = sparse.csr_matrix((value, (row, column)), shape=(rows.nr_rows, model.nr_states))
    left = lambda t: sum(d**t * np.abs(r).max() / (1 - d) for r, d in principals)
    steps = 1
    while left(steps) > 1e-10 * max(left(0), 1e-300) and steps < 4000:
        steps += 1
    value = np.zeros(model.nr_states)
    for t in range(steps - 1, -1, -1):
        now = sum(d**t * r for r, d in principals) + P @ value
        value = np.maximum.reduceat(now, first)
    # The sums of this induction are in doubles too: each step adds a few roundings of what is at stake from it on.
    return value[model.initial_states[0]], np.abs(value).max(), left(steps) + 1e-12 * left(0), steps


if __name__ == "__main__":
    began = time.time()
    main()
    print(f"all agree; {time.time() - began:.0f} s")
