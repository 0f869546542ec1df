"""The certified engine beside its peers, on the same instances in the same run.

Every figure is the best of a few runs, taken in turns, so that a busy machine is busy for all. Reading a file is timed
apart from solving. Both sides solve several times in one process that has the model in memory; what one run of the program
takes to solve, with memory that the system has yet to hand out, is shown beside it ("alone"). What is compared:

* one principal: quantecon's modified policy iteration to an error of 1e-6, against bounds that are 1e-9 of the scale apart;
* slow mixing: the same on successors within 20 states on a ring, and Storm's discounted rewards;
* one principal at equal accuracy: values within 1e-6, or within 1e-9, on both sides;
* the whole problem, six principals: quantecon for the first phase, numpy for the second, against `solve`; without payoffs of single
  principals, which `solve` always has, and with those from the start, by the same glue, from the distribution of the state;
* reading a file: Storm's builders for the same UMB and DRN files.
"""

import argparse
import io
import json
import subprocess
import sys
import tarfile
import time
from pathlib import Path

import numpy as np
import quantecon.markov as qm
import scipy.sparse as sparse


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--commonweal", required=True)
    parser.add_argument("--bench", required=True, help="the benchmark `certified`, built")
    parser.add_argument("--work", required=True, type=Path)
    parser.add_argument("--largest", type=int, default=1_000_000)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--only", nargs="*", default=["one", "equal", "band", "whole", "read"])
    args = parser.parse_args()
    args.work.mkdir(parents=True, exist_ok=True)
    warm_up()
    sizes = [n for n in (10_000, 100_000, 1_000_000) if n <= args.largest]
    print(f"{'instance':34} {'peer':26} {'peer s':>9} {'ours s':>9} {'ratio':>7}")
    if "one" in args.only:
        for states in sizes:
            model = instance(args, "uniform", states, SIX)
            for discount in ("0.9", "0.99", "0.999"):
                one_principal(args, model, f"uniform {states:,} λ={discount}", discount)
    if "equal" in args.only:
        for states in sizes:
            model = instance(args, "uniform", states, SIX)
            for error in (1e-6, 1e-9):
                one_principal(args, model, f"uniform {states:,} λ=0.99", "0.99", error=error)
    if "band" in args.only:
        model = instance(args, "band", min(100_000, args.largest), ["0.999"])
        one_principal(args, model, f"band {min(100_000, args.largest):,} λ=0.999", "0.999", storm=True)
    if "whole" in args.only:
        for states in sizes:
            whole_problem(args, instance(args, "uniform", states, SIX), f"uniform {states:,}, 6 principals")
    if "read" in args.only:
        reading(args, instance(args, "uniform", sizes[-1], SIX), f"read {sizes[-1]:,} states")


SIX = ["0.95", "0.8", "0.65", "0.5", "0.35", "0.2"]


class Instance:
    """A model that both sides read: the UMB file, and its arrays for numpy."""

    def __init__(self, path):
        self.path = path
        with tarfile.open(path) as archive:
            raw = {member.name: archive.extractfile(member).read() for member in archive if member.isfile()}
        index = json.loads(raw["index.json"])
        system = index["transition-system"]
        self.n_states, self.n_choices = system["#states"], system["#choices"]
        array = lambda name, kind: np.frombuffer(raw[name], dtype=kind)
        first_choice = array("state-to-choices.bin", "<u8")
        first = array("choice-to-branches.bin", "<u8")
        target = array("branch-to-target.bin", "<u8").astype(np.int32)
        probability = array("branch-to-probability.bin", "<f8")
        self.P = sparse.csr_matrix((probability, target, first.astype(np.int32)), shape=(self.n_choices, self.n_states))
        self.state = np.repeat(np.arange(self.n_states), np.diff(first_choice.astype(np.int64)))
        self.action = np.arange(self.n_choices) - first_choice.astype(np.int64)[self.state]
        self.first_choice = first_choice.astype(np.int64)
        rewards = index["annotations"]["rewards"]
        names = {rewards[key].get("alias", key): key for key in rewards}
        self.names = sorted(names)
        self.R = [array(f"annotations/rewards/{names[name]}/choices/values.bin", "<f8") for name in self.names]


def instance(args, family, states, discounts):
    path = args.work / f"{family}-{states}.umb"
    if not path.exists():
        command = [args.commonweal, "generate", family, "--states", str(states), "--discounts", ",".join(discounts)]
        subprocess.run(command + ["--out", str(path)], check=True, stderr=subprocess.DEVNULL)
    return Instance(path)


def ours(args, model, discounts, gap=1e-9):
    """The best of some solves in one process: seconds of both phases, and bounds of the welfare."""
    named = [f"{name}={value}" for name, value in discounts.items()]
    times = "20" if model.n_states <= 100_000 else "3"
    command = [args.bench, "solve", str(model.path), times, repr(gap), "start", *named]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def alone(args, model, discounts):
    """One run of the program: its timings, and peak bytes."""
    options = [option for name, value in discounts.items() for option in ("--discount", f"{name}={value}")]
    command = [args.commonweal, "solve", str(model.path), *options, "--gap", "1e-9", "--json", "--timings", "--quiet"]
    done = subprocess.run(command, capture_output=True, text=True)
    answer = json.loads(done.stdout)
    assert done.returncode == 0, answer.get("reason")
    return answer["timings"], answer["peak_memory_bytes"]


def in_turns(repeat, *runs):
    """The best time of each, taken in turns."""
    best = [float("inf")] * len(runs)
    for _ in range(repeat):
        for i, run in enumerate(runs):
            best[i] = min(best[i], run())
    return best


def timed(run):
    def seconds():
        began = time.perf_counter()
        run()
        return time.perf_counter() - began
    return seconds


def show(what, peer, theirs, own, extra=""):
    print(f"{what:34} {peer:26} {theirs:9.3f} {own:9.3f} {theirs / own:7.1f}  {extra}", flush=True)


def quantecon_mpi(model, reward, discount, choices=slice(None), error=1e-6):
    problem = qm.DiscreteDP(reward[choices], model.P[choices], discount, model.state[choices], model.action[choices])
    return lambda: problem.solve(method="modified_policy_iteration", epsilon=error, max_iter=10**6)


def one_principal(args, model, what, discount, storm=False, error=None):
    """With an `error`, both sides know values within it: quantecon's epsilon is absolute, and a gap is relative to the greatest value."""
    solve = quantecon_mpi(model, model.R[0], float(discount), error=error or 1e-6)
    discounts = {model.names[0]: discount}
    gap = 1e-9 if error is None else float(2 * error / abs(solve().v).max())
    found = {}
    def own():
        found["answer"] = ours(args, model, discounts, gap)
        return found["answer"]["long_term"] + found["answer"]["unravel"]
    theirs, mine = in_turns(args.repeat, timed(solve), own)
    value = solve().v[0]
    assert abs(value - found["answer"]["lower"]) <= 1e-5 * abs(value), (value, found["answer"])
    if error is not None:
        assert found["answer"]["upper"] - found["answer"]["lower"] <= 2 * error, found["answer"]
        show(what, f"quantecon, both {error:g}", theirs, mine)
        return
    timings, memory = alone(args, model, discounts)
    show(what, "quantecon, error 1e-6", theirs, mine, cold(timings, memory))
    if storm:
        storm_discounted(args, model, what, discount, mine)


def cold(timings, memory):
    return f"alone {timings['long_term'] + timings['unravel']:.3f} s, peak {memory / 1e6:.0f} MB"


def storm_discounted(args, model, what, discount, mine):
    try:
        import stormpy
        built = stormpy.build_model_from_umb(str(model.path))
        formula = stormpy.parse_properties(f'R{{"{model.names[0]}"}}max=? [ Cdiscount={discount} ]')[0]
        theirs, = in_turns(1, timed(lambda: stormpy.model_checking(built, formula)))
        show(what, "Storm", theirs, mine)
    except Exception as error:
        print(f"{what:34} Storm could not: {error}", file=sys.stderr)


def whole_problem(args, model, what):
    discounts = [float(text) for text in SIX]
    found = {}
    def peer():
        began = time.perf_counter()
        policy, values = lexicographic(model, discounts)
        found["first"] = time.perf_counter() - began
        found["gain"], found["decisions"] = unravel(model, discounts, policy, values)
        found["welfare"] = sum(values)[0] + found["gain"][0]
        took = time.perf_counter() - began
        found["second"] = took - found["first"]
        found["payoffs"] = payoffs_from_start(model, discounts, policy, values, found["decisions"])
        found["third"] = time.perf_counter() - began - took
        return took
    by_name = dict(zip(model.names, SIX))
    def own():
        found["answer"] = ours(args, model, by_name)
        return found["answer"]["long_term"] + found["answer"]["unravel"]
    theirs, mine = in_turns(args.repeat, peer, own)
    answer = found["answer"]
    assert abs(found["welfare"] - answer["lower"]) <= 1e-5 * abs(answer["lower"]), (found["welfare"], answer)
    timings, memory = alone(args, model, by_name)
    payoffs = sum(found["payoffs"])
    assert abs(payoffs - found["welfare"]) <= 1e-5 * abs(payoffs), (payoffs, found["welfare"])
    show(what, "the same with payoffs", theirs + found["third"], mine, f"payoffs: theirs {found['third']:.3f}")
    show(what, "quantecon + numpy", theirs, mine,
         f"phases: theirs {found['first']:.3f} + {found['second']:.3f}, "
         f"ours {answer['long_term']:.3f} + {answer['unravel']:.3f} (with payoffs); {cold(timings, memory)}")


def lexicographic(model, discounts):
    """Phase 1: the most patient principal's policy by quantecon; it has no ties here, so the others only need values."""
    best = quantecon_mpi(model, model.R[0], discounts[0])()
    policy = model.first_choice[:-1] + best.sigma
    values = [best.v]
    for reward, discount in zip(model.R[1:], discounts[1:]):
        values.append(quantecon_mpi(model, reward, discount, policy)().v)
    return policy, values


def unravel(model, discounts, policy, values):
    """Phase 2: advantages, horizon by the prefix test, one pass of the rows for each layer before it."""
    deltas = [r + l * (model.P @ v) - v[model.state] for r, l, v in zip(model.R, discounts, values)]
    ratios = [l / discounts[0] for l in discounts]
    # Advantages within the error of the values do not count.
    slack = 1e-5
    def passes(step):
        total = np.zeros(model.n_choices)
        for ratio, delta in zip(ratios, deltas):
            total += ratio**step * delta
            if total.max() > slack:
                return False
        return True
    low, high = 0, 1
    while not passes(high):
        low, high = high, high * 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if passes(middle) else (middle, high)
    gain = np.zeros(model.n_states)
    decisions = []
    first = model.first_choice[:-1]
    for step in range(high - 1, -1, -1):
        worth = discounts[0] * (model.P @ gain)
        for ratio, delta in zip(ratios, deltas):
            worth += ratio**step * delta
        gain = np.maximum.reduceat(worth, first)
        # The first choice that attains the gain; there are two in every state here.
        decisions.append(first + (worth[first] < gain))
    return gain, decisions[::-1]


def payoffs_from_start(model, discounts, policy, values, decisions):
    """What each principal gets from the first state: the distribution is followed to the tail, whose values are known."""
    mass = np.zeros(model.n_states)
    mass[0] = 1.0
    payoffs = np.zeros(len(discounts))
    weights = np.ones(len(discounts))
    for choices in decisions:
        payoffs += weights * [mass @ reward[choices] for reward in model.R]
        weights *= discounts
        mass = mass @ model.P[choices]
    return payoffs + weights * [mass @ value for value in values]


def reading(args, model, what):
    drn = model.path.with_suffix(".drn")
    if not drn.exists():
        subprocess.run([args.commonweal, "convert", str(model.path), str(drn)], check=True, stderr=subprocess.DEVNULL)
    try:
        import stormpy
    except ImportError:
        print("stormpy is not installed: reading is not compared", file=sys.stderr)
        return
    for path, build in ((model.path, stormpy.build_model_from_umb), (drn, stormpy.build_model_from_drn)):
        def own():
            command = [args.commonweal, "solve", str(path), "--discount", f"{model.names[0]}=0.5", "--gap", "0.1"]
            done = subprocess.run(command + ["--json", "--timings", "--quiet"], capture_output=True, text=True, check=True)
            return json.loads(done.stdout)["timings"]["read"]
        theirs, mine = in_turns(args.repeat, timed(lambda: build(str(path))), own)
        show(f"{what}, {path.suffix[1:].upper()}", "Storm builds it", theirs, mine)


def warm_up():
    """Compiles what quantecon compiles, outside the measurements."""
    reward = np.array([1.0, 0.0, 0.5, 0.2])
    rows = sparse.csr_matrix(np.full((4, 2), 0.5))
    problem = qm.DiscreteDP(reward, rows, 0.9, np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1]))
    problem.solve(method="modified_policy_iteration", epsilon=1e-6, max_iter=10**6)


if __name__ == "__main__":
    main()
