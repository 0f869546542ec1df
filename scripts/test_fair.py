"""Fair rules against linear programs that share nothing with the solver.

A random model is cut off after T steps. Its strategies, mixed and history-dependent ones included, are the flows
x(t, s, a) >= 0 with x(0, ., .) = 1 at the start and x(t + 1, u, .) = sum of P(u | s, a) x(t, s, a); payoffs are linear in x.
Every piecewise linear rule is then one linear program (HiGHS); a smooth rule is proven by its gradient. The cut-off can change
a payoff by at most its tail, which is far below the tolerance.

Besides, every proven answer has a certificate, and the checker in Python accepts it: that settles, in fractions, what the
tolerances of the programs leave open (leximin, where the front is steep).
"""

import argparse
import json
import math
import random
import subprocess
import sys
import tempfile
from fractions import Fraction
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "checkers" / "python"))

import check
import numpy as np
from scipy.optimize import linprog
from scipy.sparse import coo_matrix, hstack

TOLERANCE = 2e-6
STEPS = 64


class Model:
    """A random model, and the flows through its first steps."""

    def __init__(self, seed):
        rng = random.Random(seed)
        self.n = rng.choice([2, 2, 3, 4])
        self.states = rng.randint(2, 4)
        discounts = [Fraction(2, 3), Fraction(1, 2), Fraction(3, 5), Fraction(1, 3), Fraction(1, 4), Fraction(0)]
        self.discounts = [rng.choice(discounts) for _ in range(self.n)]
        self.weights = [rng.choice([1, 1, 1, 2, Fraction(1, 2)]) for _ in range(self.n)]
        shift = rng.choice([0, 3, 6])
        self.choices = []
        for state in range(self.states):
            for action in range(rng.randint(1, 3)):
                targets = rng.sample(range(self.states), rng.randint(1, 2))
                share = Fraction(rng.randint(1, 3), 4)
                row = {targets[0]: Fraction(1)} if len(targets) == 1 else {targets[0]: share, targets[1]: 1 - share}
                rewards = [rng.randint(-5, 5) + shift for _ in range(self.n)]
                if rng.random() < 0.3:
                    rewards = [rewards[0]] * self.n
                self.choices.append((state, f"a{action}", rewards, row))

    def yaml(self):
        lines = ["principals:"]
        for p in range(self.n):
            lines.append(f"  p{p}: {{discount: {self.discounts[p]}, weight: {self.weights[p]}}}")
        lines.append("states:")
        for state in range(self.states):
            lines.append(f"  s{state}:")
            for own, action, rewards, row in self.choices:
                if own == state:
                    reward = ", ".join(f"p{p}: {r}" for p, r in enumerate(rewards))
                    to = ", ".join(f"s{t}: {q}" for t, q in row.items())
                    lines.append(f"    {action}: {{reward: {{{reward}}}, to: {{{to}}}}}")
        return "\n".join(lines) + "\n"

    def flows(self):
        """Equations of the flows, and each principal's payoff as a row."""
        k = len(self.choices)
        rows, cols, data, right = [], [], [], []
        for step in range(STEPS):
            for state in range(self.states):
                index = step * self.states + state
                right.append(1.0 if step == 0 and state == 0 else 0.0)
                for choice, (own, _, _, row) in enumerate(self.choices):
                    if own == state:
                        rows.append(index), cols.append(step * k + choice), data.append(1.0)
                    if step > 0 and state in row:
                        rows.append(index), cols.append((step - 1) * k + choice), data.append(-float(row[state]))
        equations = coo_matrix((data, (rows, cols)), shape=(STEPS * self.states, STEPS * k)).tocsr()
        payoffs = np.zeros((self.n, STEPS * k))
        for p in range(self.n):
            for step in range(STEPS):
                factor = float(self.discounts[p]) ** step
                for choice, (_, _, rewards, _) in enumerate(self.choices):
                    payoffs[p, step * k + choice] = factor * rewards[p]
        return equations, np.array(right), payoffs


class Unsure(Exception):
    """HiGHS has no answer, by any of its methods."""


class Programs:
    """Linear programs over the flows of one model, with extra free variables z."""

    def __init__(self, model):
        self.equations, self.right, self.payoffs = model.flows()
        self.n, self.size = self.payoffs.shape

    def solve(self, objective, extras=(), rows=(), free=None):
        """max objective . payoffs + extras . z under rows (payoff coefficients, extra coefficients, at least)."""
        extras = list(extras)
        cost = -np.concatenate([np.asarray(objective) @ self.payoffs, extras])
        equations = hstack([self.equations, coo_matrix((self.equations.shape[0], len(extras)))]) if extras else self.equations
        above, bounds = [], []
        for own, more, least in rows:
            above.append(-np.concatenate([np.asarray(own, float) @ self.payoffs, np.asarray(list(more) + [0.0] * (len(extras) - len(more)))]))
            bounds.append(-least)
        limits = [(0, None)] * self.size + [(None, None) if free is None or free[i] else (0, None) for i in range(len(extras))]
        above = np.array(above) if above else None
        # A method of HiGHS may fail numerically; then another one is tried.
        for method, presolve in [("highs", True), ("highs-ds", False), ("highs-ipm", True)]:
            found = linprog(
                cost, A_ub=above, b_ub=bounds or None, A_eq=equations, b_eq=self.right, bounds=limits, method=method,
                options={"presolve": presolve},
            )
            if found.status == 0:
                break
        if found.status != 0:
            raise Unsure(found.message)
        return -found.fun, self.payoffs @ found.x[: self.size]

    def unit(self, p, sign=1.0):
        return [sign if q == p else 0.0 for q in range(self.n)]

    def max_min(self, over, scale, rows=(), among=None):
        among = range(self.n) if among is None else among
        own = [(self.unit(p), [-scale[p]], over[p]) for p in among]
        return self.solve([0.0] * self.n, [1.0], own + [(r[0], [0.0], r[2]) for r in rows])

    def gini(self, weights, over, rows=()):
        n = self.n
        extras, free, own = [], [], []
        for k in range(1, n + 1):
            factor = weights[k - 1] - (weights[k] if k < n else 0.0)
            level = len(extras)
            extras.append(factor * k), free.append(True)
            for p in range(n):
                extras.append(-factor), free.append(False)
                more = [0.0] * (level + n + 1)
                more[level] = -1.0
                more[level + 1 + p] = 1.0
                own.append((self.unit(p), more, over[p]))
        return self.solve([0.0] * n, extras, own + [(r[0], [], r[2]) for r in rows], free)

    def leximin(self, over):
        """The sorted gains: the least first, each as great as those before allow."""
        fixed = {}
        while len(fixed) < self.n:
            rows = [(self.unit(p), [], over[p] + level - 1e-8) for p, level in fixed.items()]
            among = [p for p in range(self.n) if p not in fixed]
            level, _ = self.max_min(over, [1.0] * self.n, rows, among)
            # The principals that cannot gain more while all others keep theirs.
            stuck = []
            for p in among:
                others = [(self.unit(q), [], over[q] + level - 1e-8) for q in among if q != p]
                best, _ = self.solve(self.unit(p), [], rows + others)
                if best - over[p] <= level + 1e-5:
                    stuck.append(p)
            for p in stuck or among:
                fixed[p] = level
        return sorted(fixed.values())


def ask(program, folder, name, counter, *options):
    certificate = Path(folder) / "certificate"
    certificate.unlink(missing_ok=True)
    command = [program, "fair", name, "--json", "--quiet", "--certificate", certificate, *options]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    if "there is nothing to prove" in done.stderr:
        return 0, json.loads(done.stdout)
    if done.returncode not in (0, 1):
        return done.returncode, done.stderr
    form = Path(folder) / (name + ".principals")
    if not form.exists():
        subprocess.run([program, "convert", name, form, "--quiet"], cwd=folder, check=True, capture_output=True)
    verdict = "accepted"
    try:
        with open(certificate, "rb") as stream:
            check.check(form.read_bytes(), stream)
    except (OSError, check.Refused, check.Unreadable) as error:
        verdict = repr(error)
    counter.check("certificate", name, verdict == "accepted", options, verdict)
    return done.returncode, json.loads(done.stdout)


def value(number):
    return float(Fraction(number["exact"])) if number["exact"] is not None else (number["lower"] + number["upper"]) / 2


def payoffs(answer):
    return [value(number) for number in answer["payoffs"].values()]


def near(a, b):
    return abs(a - b) <= TOLERANCE * max(1.0, abs(a), abs(b))


class Counter:
    def __init__(self):
        self.done, self.refused, self.unsure, self.failures = {}, 0, [], []

    def check(self, kind, seed, holds, *details):
        self.done[kind] = self.done.get(kind, 0) + 1
        if not holds:
            self.failures.append((kind, seed, *details))


def supported(programs, answer):
    """The weights of the answer: no flow has a greater weighted sum than the answer's payoffs."""
    weights = [float(Fraction(text)) for text in answer["weights"].values()]
    best, _ = programs.solve(weights)
    return near(best, sum(w * x for w, x in zip(weights, payoffs(answer))))


def test(program, folder, seed, counter):
    model = Model(seed)
    rng = random.Random(seed + 10**6)
    name = f"m{seed}.yaml"
    (Path(folder) / name).write_text(model.yaml())
    programs = Programs(model)
    n = model.n
    zero = [0.0] * n
    weights = [float(w) for w in model.weights]
    best = [programs.solve(programs.unit(p))[0] for p in range(n)]
    worst = [-programs.solve(programs.unit(p, -1.0))[0] for p in range(n)]

    code, answer = ask(program, folder, name, counter, "--rule", "welfare")
    total, _ = programs.solve(weights)
    counter.check("welfare", seed, code == 0 and near(value(answer["value"]), total) and answer["status"] == "optimal", answer)

    code, answer = ask(program, folder, name, counter, "--rule", "max-min")
    least, _ = programs.max_min(zero, [1.0] * n)
    counter.check("max-min", seed, code == 0 and near(value(answer["value"]), least) and supported(programs, answer) and answer["status"] == "optimal", least, answer)

    code, answer = ask(program, folder, name, counter, "--rule", "leximin")
    levels = programs.leximin(zero)
    # The programs allow 1e-8 less at the levels before, and where the front is infinitely steep that is worth much more
    # at the next, at the cost of those after it. So the first level at which they differ may be a little less than the
    # program's, and none before it.
    ours = sorted(payoffs(answer))
    first = next(((a, b) for a, b in zip(ours, levels) if abs(a - b) > 5e-9 * max(1.0, abs(b))), None)
    holds = first is None or 0.0 < first[1] - first[0] <= 1e-2 * max(1.0, abs(first[1]))
    counter.check("leximin", seed, code == 0 and near(ours[0], levels[0]) and holds, ours, levels)

    code, answer = ask(program, folder, name, counter, "--rule", "kalai-smorodinsky")
    ranges = [b - w for b, w in zip(best, worst)]
    among = [p for p in range(n) if ranges[p] > 1e-6]
    share = programs.max_min(worst, ranges, among=among)[0] if among else 0.0
    counter.check("kalai-smorodinsky", seed, code == 0 and near(value(answer["value"]), share) and answer["status"] == "optimal", share, answer)

    raw = sorted((rng.randint(1, 6) for _ in range(n)), reverse=True)
    text = ",".join(str(Fraction(x, sum(raw))) for x in raw)
    code, answer = ask(program, folder, name, counter, "--rule", f"gini:{text}")
    sorted_sum, _ = programs.gini([x / sum(raw) for x in raw], zero)
    counter.check("gini", seed, code == 0 and near(value(answer["value"]), sorted_sum) and supported(programs, answer) and answer["status"] == "optimal", sorted_sum, answer)

    # Floors and ceilings inside the possible range, and beyond.
    options, rows = [], []
    for p in range(n):
        kind = rng.choice(["floor", "ceiling", "none", "none"])
        at = Fraction(worst[p] + rng.uniform(-0.1, 1.05) * (best[p] - worst[p])).limit_denominator(64)
        if kind == "floor":
            options += ["--at-least", f"p{p}={at}"]
            rows.append((programs.unit(p), [], float(at)))
        elif kind == "ceiling":
            options += ["--at-most", f"p{p}={at}"]
            rows.append((programs.unit(p, -1.0), [], -float(at)))
    if rows:
        spared, _ = programs.solve(zero, [1.0], [(r[0], [-1.0], r[2]) for r in rows])
        code, answer = ask(program, folder, name, counter, "--rule", "welfare", *options)
        if spared < -TOLERANCE:
            counter.check("infeasible", seed, code == 1 and near(value(answer["infeasible_by"]), -spared), spared, answer)
        elif spared > TOLERANCE:
            total, _ = programs.solve(weights, [], rows)
            counter.check("floors", seed, code == 0 and near(value(answer["value"]), total) and answer["status"] == "optimal", total, answer)
        if spared > TOLERANCE:
            code, answer = ask(program, folder, name, counter, "--rule", "max-min", *options)
            least, _ = programs.max_min(zero, [1.0] * n, rows)
            counter.check("max-min with floors", seed, code == 0 and near(value(answer["value"]), least), least, answer)

    for rule, power in [("nash", 1), ("alpha:2", 2), ("alpha:1/2", 0.5)]:
        code, answer = ask(program, folder, name, counter, "--rule", rule, "--over", "own-worst")
        counts = [p for p in range(n) if best[p] - worst[p] > 1e-6]
        gains = programs.max_min(worst, [1.0] * n, among=counts)[0] if counts else 0.0
        if gains <= 1e-6:
            counter.refused += 1
            continue
        if code != 0:
            counter.check(rule, seed, False, answer)
            continue
        got = payoffs(answer)
        # The weights w prove it: the sum of f(u) is at most h(w) - w.over + sum of max f(u) - w u.
        slope = [float(Fraction(text)) for text in answer["weights"].values()]
        top, _ = programs.solve(slope)
        if power == 1:
            curve, above = math.log, lambda s: -1.0 - math.log(s)
        else:
            curve = lambda u: u ** (1 - power) / (1 - power)
            above = lambda s: power / (1 - power) * s ** ((power - 1) / power)
        attained = sum(curve(got[p] - worst[p]) for p in counts)
        most = top + sum(above(slope[p]) - slope[p] * worst[p] for p in counts)
        counter.check(rule, seed, most - attained <= TOLERANCE * max(1.0, abs(most)), most - attained, answer)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--commonweal", required=True)
    parser.add_argument("--models", type=int, default=300)
    parser.add_argument("--first", type=int, default=0)
    args = parser.parse_args()
    program = str(Path(args.commonweal).resolve())
    counter = Counter()
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(args.first, args.first + args.models):
            try:
                test(program, folder, seed, counter)
            except Unsure as error:
                counter.unsure.append((seed, str(error)))
    for kind, count in counter.done.items():
        print(f"{kind}: {count} compared")
    print(f"smooth rules without a gain for everybody: {counter.refused}")
    print(f"models on which HiGHS has no answer, so that the rules after it are not compared: {counter.unsure}")
    for failure in counter.failures[:10]:
        print("FAILED", *failure)
    print(f"{len(counter.failures)} of {sum(counter.done.values())} differ")
    sys.exit(1 if counter.failures else 0)


if __name__ == "__main__":
    main()
