"""Fair rules against linear programs that share no code with the solver.

A random model is cut off after STEPS steps. Its strategies, mixed and history-dependent ones included, are the flows
x(t, s, a) >= 0 with x(0, ., .) = 1 at the start and x(t + 1, u, .) = sum of P(u | s, a) x(t, s, a); payoffs are linear in x.
Every piecewise linear rule is then one linear program (HiGHS).

HiGHS computes to a tolerance, so nothing that it returns is compared as it is. Both sides of a bound are proven here:

  from below   its flow, made a strategy by dividing at every decision, and evaluated step by step; where it misses a floor,
               mixed with a flow that has slack there
  from above   its multipliers, made feasible, are weights w: no strategy has a weighted sum above h(w), which a backward
               induction over the steps computes; weak duality does the rest

Numbers are integers times 2^-FRACTION here, rounded towards the safe side. What is left is the tail: the steps after the
cut-off change the payoff of a principal by at most discount^STEPS * greatest |reward| / (1 - discount).

An answer of the program is false if its value is outside these bounds by more than the tails, if its lottery, evaluated here, has
other payoffs than it states, misses a floor, or has another value than it states, or if its own weights do not prove its value.
Every proven answer also has a certificate, and the checker in Python must accept it: that decides, in fractions, what these bounds
cannot (leximin below the first level, and floors without slack).
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

STEPS = 64
FRACTION = 120
ONE = 1 << FRACTION
# Bounds from HiGHS that are further apart than this decide little: that is a failure too.
WIDE = 1e-6


class Model:
    """A random model, and the flows through its first steps."""

    def __init__(self, seed):
        rng = random.Random(seed)
        self.n = rng.choice([2, 2, 3, 4])
        self.states = rng.randint(2, 4)
        discounts = [Fraction(2, 3), Fraction(1, 2), Fraction(3, 5), Fraction(1, 3), Fraction(1, 4), Fraction(0)]
        self.discounts = [rng.choice(discounts) for _ in range(self.n)]
        self.weights = [Fraction(rng.choice([1, 1, 1, 2, Fraction(1, 2)])) for _ in range(self.n)]
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
        self.of_state = [[c for c, own in enumerate(self.choices) if own[0] == state] for state in range(self.states)]
        # discount^step, rounded down.
        self.powers = [[int(ONE * d**step) if step < STEPS else 0 for step in range(STEPS)] for d in self.discounts]
        greatest = [max(abs(own[2][p]) for own in self.choices) for p in range(self.n)]
        self.tails = [d**STEPS * r / (1 - d) + Fraction(1, 2**60) for d, r in zip(self.discounts, greatest)]

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

    def most(self, weights):
        """No strategy has a greater weighted sum of payoffs: backward induction, rounded up, and the tails."""
        weights = [Fraction(w) for w in weights]
        scaled = [[int(ONE * w * own[2][p]) + 1 for p, w in enumerate(weights)] for own in self.choices]
        later = [0] * self.states
        for step in reversed(range(STEPS)):
            powers = [self.powers[p][step] for p in range(self.n)]
            now = []
            for own in range(self.states):
                worths = []
                for choice in self.of_state[own]:
                    # Each product is rounded up; the power may be one unit too small.
                    worth = sum(-(-(x * f) >> FRACTION) + abs(x) // ONE + 2 for x, f in zip(scaled[choice], powers))
                    row = self.choices[choice][3]
                    worth += sum(-(-(q.numerator * later[t]) // q.denominator) for t, q in row.items())
                    worths.append(worth)
                now.append(max(worths))
            later = now
        return Fraction(later[0], ONE) + sum(abs(w) * tail for w, tail in zip(weights, self.tails))

    def payoffs(self, shares):
        """The payoffs of a strategy, each to within its tail; shares(step, state) gives a probability to each choice."""
        here = [0] * self.states
        here[0] = ONE
        total = [0] * self.n
        for step in range(STEPS):
            following = [0] * self.states
            for state in range(self.states):
                if here[state] == 0:
                    continue
                for choice, share in shares(step, state):
                    amount = here[state] * share.numerator // share.denominator
                    _, _, rewards, row = self.choices[choice]
                    for p in range(self.n):
                        total[p] += (amount * self.powers[p][step] >> FRACTION) * rewards[p]
                    for target, q in row.items():
                        following[target] += amount * q.numerator // q.denominator
            here = following
        return [Fraction(own, ONE) for own in total]

    def payoffs_of_flow(self, flow):
        """The same for a flow of HiGHS: what it does at each decision, divided by the whole."""
        k = len(self.choices)

        def shares(step, state):
            own = [(choice, Fraction(max(float(flow[step * k + choice]), 0.0))) for choice in self.of_state[state]]
            whole = sum(amount for _, amount in own)
            if whole == 0:
                return [(self.of_state[state][0], Fraction(1))]
            shares = [(choice, Fraction(int(2**60 * amount / whole), 2**60)) for choice, amount in own]
            rest = 1 - sum(share for _, share in shares)
            return [(shares[0][0], shares[0][1] + rest)] + shares[1:]

        return self.payoffs(shares)

    def payoffs_of_lottery(self, mix):
        total = [Fraction(0)] * self.n
        for own in mix:
            decisions = [own["decisions"][f"s{state}"] for state in range(self.states)]
            choice_of = {(self.choices[c][0], self.choices[c][1]): c for c in range(len(self.choices))}

            def shares(step, state):
                action = [change["action"] for change in decisions[state] if int(change["from"]) <= step][-1]
                return [(choice_of[state, action], Fraction(1))]

            total = [sum + Fraction(own["probability"]) * x for sum, x in zip(total, self.payoffs(shares))]
        return total


class NoAnswer(Exception):
    """The program has no answer where it must have one."""


class Unsure(Exception):
    """HiGHS has no answer, by any of its methods."""


class Programs:
    """Linear programs over the flows of one model, with extra free variables z."""

    def __init__(self, model):
        self.model = model
        self.equations, self.right, self.flow_payoffs = model.flows()
        self.n, self.size = self.flow_payoffs.shape

    def solve(self, objective, extras=(), rows=(), free=None):
        """max objective . payoffs + extras . z under rows (payoff coefficients, extra coefficients, at least).
        Returns the payoffs of its flow as a strategy, and the multipliers of the rows."""
        extras = list(extras)
        cost = -np.concatenate([np.asarray([float(c) for c in objective]) @ self.flow_payoffs, extras])
        equations = hstack([self.equations, coo_matrix((self.equations.shape[0], len(extras)))]) if extras else self.equations
        above, bounds = [], []
        for own, more, least in rows:
            more = list(more) + [0.0] * (len(extras) - len(more))
            above.append(-np.concatenate([np.asarray(own, float) @ self.flow_payoffs, np.asarray(more, float)]))
            bounds.append(-float(least))
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
        multipliers = [max(Fraction(0), -Fraction(float(m))) for m in found.ineqlin.marginals] if rows else []
        return self.model.payoffs_of_flow(found.x[: self.size]), multipliers

    def unit(self, p, sign=1):
        return [Fraction(sign if q == p else 0) for q in range(self.n)]

    def own_ends(self, p):
        """The most and the least that any strategy gives a principal."""
        return self.model.most(self.unit(p)), -self.model.most(self.unit(p, -1))


def combined(n, rows, multipliers):
    """Sum of multipliers times rows: weights, and the right side."""
    weights = [sum((m * row[0][p] for row, m in zip(rows, multipliers)), Fraction(0)) for p in range(n)]
    return weights, sum((m * Fraction(row[2]) for row, m in zip(rows, multipliers)), Fraction(0))


def least_bounds(programs, over, scale, among, floors, slack):
    """Bounds on the greatest t with x_p >= over_p + scale_p t."""
    model, n = programs.model, programs.n
    own = [(programs.unit(p), [-float(scale[p])], over[p]) for p in among]
    got, multipliers = programs.solve([0] * n, [1.0], own + [(r[0], [0.0], r[2]) for r in floors])
    of_own, of_floors = multipliers[: len(own)], multipliers[len(own) :]
    total = sum((m * scale[p] for m, p in zip(of_own, among)), Fraction(0))
    if total == 0:
        upper = None
    else:
        weights, right = combined(n, own + floors, of_own + of_floors)
        upper = (model.most(weights) - right) / total
    got = with_floors(model, got, floors, slack)
    lower = None if got is None else min((got[p] - model.tails[p] - over[p]) / scale[p] for p in among)
    return lower, upper


def with_floors(model, got, floors, slack):
    """A point that meets the floors for certain: mixed with one that has slack, as little as it takes."""

    def spare(point, row):
        return sum(a * x for a, x in zip(row[0], point)) - Fraction(row[2]) - sum(abs(a) * t for a, t in zip(row[0], model.tails))

    share = Fraction(0)
    for row in floors:
        missing = -spare(got, row)
        if missing > 0:
            if slack is None or spare(slack, row) <= 0:
                return None
            share = max(share, missing / (missing + spare(slack, row)))
    return got if share == 0 else [(1 - share) * x + share * y for x, y in zip(got, slack)]


def sum_bounds(programs, counted, floors, slack):
    """Bounds on a weighted sum under floors."""
    model = programs.model
    got, multipliers = programs.solve(counted, [], floors)
    weights, right = combined(programs.n, floors, multipliers)
    upper = model.most([c + w for c, w in zip(counted, weights)]) - right
    got = with_floors(model, got, floors, slack)
    lower = None if got is None else sum(c * (x - t) for c, x, t in zip(counted, got, model.tails))
    return lower, upper


def gini_value(weights, gains):
    return sum(w * x for w, x in zip(weights, sorted(gains)))


def gini_bounds(programs, weights):
    model, n = programs.model, programs.n
    extras, free, own = [], [], []
    for k in range(1, n + 1):
        factor = weights[k - 1] - (weights[k] if k < n else 0)
        level = len(extras)
        extras.append(float(factor * k)), free.append(True)
        for p in range(n):
            extras.append(-float(factor)), free.append(False)
            more = [0.0] * (level + n + 1)
            more[level] = -1.0
            more[level + 1 + p] = 1.0
            own.append((programs.unit(p), more, Fraction(0)))
    got, multipliers = programs.solve([0] * n, extras, own, free)
    raw, _ = combined(n, own, multipliers)
    # Weights that a mix of orders of `weights` makes bound the rule; nearly such weights are mixed with equal ones.
    total = sum(weights)
    raw = [w * total / sum(raw) for w in raw] if sum(raw) else [total / n] * n
    share = Fraction(0)
    for k in range(1, n):
        ours, allowed, even = sum(sorted(raw, reverse=True)[:k]), sum(weights[:k]), total * k / n
        if ours > allowed:
            share = max(share, (ours - allowed) / (ours - even))
    upper = model.most([(1 - share) * w + share * total / n for w in raw])
    lower = gini_value(weights, [x - t for x, t in zip(got, model.tails)])
    return lower, upper


class Counter:
    def __init__(self):
        self.done, self.refused, self.unsure, self.wide, self.failures = {}, 0, [], [], []
        self.widest = Fraction(0)

    def check(self, kind, seed, holds, *details):
        self.done[kind] = self.done.get(kind, 0) + 1
        if not holds:
            self.failures.append((kind, seed, *details))


class Asked:
    """Questions to the program about one model, and what must hold of every answer."""

    def __init__(self, program, folder, seed, model, counter):
        self.program, self.folder, self.seed, self.model, self.counter = program, folder, seed, model, counter
        self.name = f"m{seed}.yaml"
        (Path(folder) / self.name).write_text(model.yaml())
        self.form = Path(folder) / (self.name + ".principals")
        subprocess.run([program, "convert", self.name, self.form, "--quiet"], cwd=folder, check=True, capture_output=True)

    def ask(self, kind, *options, may_refuse=False):
        certificate = Path(self.folder) / "certificate"
        certificate.unlink(missing_ok=True)
        command = [self.program, "fair", self.name, "--json", "--quiet", "--certificate", certificate, *options]
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True)
        if done.returncode not in (0, 1):
            if not (may_refuse and done.returncode == 2):
                self.counter.check(kind, self.seed, False, options, done.returncode, done.stderr + done.stdout)
                raise NoAnswer
            return done.returncode, done.stderr
        answer = json.loads(done.stdout)
        if "there is nothing to prove" not in done.stderr:
            verdict = "accepted"
            try:
                with open(certificate, "rb") as stream:
                    check.check(self.form.read_bytes(), stream)
            except (OSError, check.Refused, check.Unreadable) as error:
                verdict = repr(error)
            self.counter.check("certificate", self.seed, verdict == "accepted", kind, options, verdict)
        # The lottery has the payoffs that are stated, to within the tails.
        got = self.model.payoffs_of_lottery(answer["mix"])
        near = [abs(x - y) <= t for x, y, t in zip(got, payoffs(answer), self.model.tails)]
        self.counter.check("payoffs of the lottery", self.seed, all(near), kind, options, [float(x) for x in got], answer["payoffs"])
        return done.returncode, answer

    def compare(self, kind, code, answer, attained, bounds, slack=Fraction(0)):
        """The value stated is attained, to within `slack`, and inside the bounds that HiGHS led to."""
        if code != 0:
            self.counter.check(kind, self.seed, False, code, answer)
            return
        value, (lower, upper) = exact(answer["value"]), bounds
        ends = [None if x is None else float(x) for x in (lower, upper)]
        holds = answer["status"] == "optimal" and abs(attained - value) <= slack
        holds &= lower is None or lower <= value
        holds &= upper is None or value <= upper
        self.counter.check(kind, self.seed, holds, float(value), float(attained), ends, answer["weights"])
        if lower is None or upper is None or upper - lower > WIDE * max(1, abs(value)):
            self.counter.wide.append((kind, self.seed, ends, float(value)))
        else:
            self.counter.widest = max(self.counter.widest, upper - lower)

    def proven(self, kind, answer, value, right, total):
        """The first weights stated prove the value: total * value >= h(w) - right, to within the tails."""
        weights = [Fraction(text) for text in answer["weights"].values()]
        tails = 2 * sum(abs(w) * t for w, t in zip(weights, self.model.tails)) + Fraction(1, 2**50)
        holds = self.model.most(weights) - right(weights) <= total(weights) * value + tails
        self.counter.check(kind + ", by its own weights", self.seed, holds, answer["weights"])


def exact(number):
    return Fraction(number["exact"]) if number["exact"] is not None else Fraction(number["lower"]) / 2 + Fraction(number["upper"]) / 2


def payoffs(answer):
    return [exact(number) for number in answer["payoffs"].values()]


def test(program, folder, seed, counter):
    model = Model(seed)
    rng = random.Random(seed + 10**6)
    asked = Asked(program, folder, seed, model, counter)
    programs = Programs(model)
    n, tails = model.n, model.tails
    everybody, zero, one = range(n), [Fraction(0)] * n, [Fraction(1)] * n
    ends = [programs.own_ends(p) for p in everybody]

    def dot(a, b):
        return sum((x * y for x, y in zip(a, b)), Fraction(0))

    code, answer = asked.ask("welfare", "--rule", "welfare")
    asked.compare("welfare", code, answer, dot(model.weights, payoffs(answer)), sum_bounds(programs, model.weights, [], None))

    code, answer = asked.ask("max-min", "--rule", "max-min")
    lower, upper = least_bounds(programs, zero, one, everybody, [], None)
    asked.compare("max-min", code, answer, min(payoffs(answer)), (lower, upper))
    asked.proven("max-min", answer, exact(answer["value"]), lambda w: 0, sum)

    # No leximin answer is worse than a flow of HiGHS.
    code, answer = asked.ask("leximin", "--rule", "leximin")
    lower, upper = least_bounds(programs, zero, one, everybody, [], None)
    asked.compare("leximin, the first level", code, answer, min(payoffs(answer)), (lower, upper))
    try:
        best = leximin_flow(programs)
        worst_case = sorted(x - t for x, t in zip(best, tails))
        holds = sorted(payoffs(answer)) >= worst_case
        counter.check("leximin against a flow", seed, holds, payoffs(answer), [float(x) for x in best])
    except Unsure as error:
        # Levels fixed to a tolerance may be infeasible for HiGHS. The certificate has decided it.
        counter.unsure.append((seed, str(error)))

    code, answer = asked.ask("kalai-smorodinsky", "--rule", "kalai-smorodinsky")
    over = [Fraction(text) for text in answer["over"].values()]
    own_best = [best for best, _ in ends]
    counter.check("own worst", seed, all(abs(o - w) <= 2 * t for o, (_, w), t in zip(over, ends, tails)), answer["over"])
    ranges = [b - o for b, o in zip(own_best, over)]
    among = [p for p in everybody if ranges[p] > 4 * tails[p]]
    if among:
        # The own best is known to within the tails, and a share is at most 1.
        lower, upper = least_bounds(programs, over, ranges, among, [], None)
        unsure = max(4 * tails[p] / ranges[p] for p in among)
        attained = min((payoffs(answer)[p] - over[p]) / ranges[p] for p in among)
        asked.compare("kalai-smorodinsky", code, answer, attained, (lower - unsure, upper + unsure), unsure)

    raw = sorted((rng.randint(1, 6) for _ in everybody), reverse=True)
    weights = [Fraction(x, sum(raw)) for x in raw]
    code, answer = asked.ask("gini", "--rule", "gini:" + ",".join(map(str, weights)))
    asked.compare("gini", code, answer, gini_value(weights, payoffs(answer)), gini_bounds(programs, weights))
    asked.proven("gini", answer, exact(answer["value"]), lambda w: 0, lambda w: 1)

    # Floors and ceilings inside the possible range, and beyond.
    options, floors, bounds = [], [], []
    for p in everybody:
        kind = rng.choice(["floor", "ceiling", "none", "none"])
        best, worst = ends[p]
        at = Fraction(float(worst) + rng.uniform(-0.1, 1.05) * float(best - worst)).limit_denominator(64)
        if kind == "floor":
            options += ["--at-least", f"p{p}={at}"]
            floors.append((programs.unit(p), [], at))
        elif kind == "ceiling":
            options += ["--at-most", f"p{p}={at}"]
            floors.append((programs.unit(p, -1), [], -at))
    if floors:
        slack, multipliers = programs.solve([0] * n, [1.0], [(r[0], [-1.0], r[2]) for r in floors])
        weights, right = combined(n, floors, multipliers)
        most_spare = (model.most(weights) - right) / sum(multipliers) if sum(multipliers) else None
        spare = min(dot(row[0], slack) - row[2] - dot(map(abs, row[0]), tails) for row in floors)
        code, answer = asked.ask("floors", "--rule", "welfare", *options)
        if code == 1:
            missing = exact(answer["infeasible_by"])
            holds = answer["status"] == "infeasible" and spare <= -missing and (most_spare is None or -missing <= most_spare)
            short = [row[2] - dot(row[0], payoffs(answer)) for row in floors]
            holds &= missing > 0 and max(short) <= missing
            counter.check("infeasible", seed, holds, float(missing), float(spare), most_spare and float(most_spare), options)
        else:
            holds = code == 0 and (most_spare is None or most_spare >= 0)
            holds = holds and all(dot(row[0], payoffs(answer)) >= row[2] for row in floors)
            counter.check("floors are met", seed, holds, options, answer)
            if spare > 0:
                both = sum_bounds(programs, model.weights, floors, slack)
                asked.compare("welfare with floors", code, answer, dot(model.weights, payoffs(answer)), both)
            code, answer = asked.ask("max-min with floors", "--rule", "max-min", *options)
            holds = code == 0 and all(dot(row[0], payoffs(answer)) >= row[2] for row in floors)
            counter.check("floors are met by max-min", seed, holds, options, answer)
            if spare > 0:
                lower, upper = least_bounds(programs, zero, one, everybody, floors, slack)
                asked.compare("max-min with floors", code, answer, min(payoffs(answer)), (lower, upper))

    for rule, power in [("nash", 1), ("alpha:2", 2), ("alpha:1/2", 0.5)]:
        code, answer = asked.ask(rule, "--rule", rule, "--over", "own-worst", may_refuse=True)
        if code == 2:
            # Nobody gains, or not all together: no flow has gains for all who can gain at all.
            counts = [p for p in everybody if ends[p][0] - ends[p][1] > 4 * tails[p]]
            upper = least_bounds(programs, [w for _, w in ends], one, counts, [], None)[1] if counts else Fraction(0)
            counter.check(rule + " refused", seed, upper is not None and upper <= WIDE, upper and float(upper), answer)
            counter.refused += 1
            continue
        over = [Fraction(text) for text in answer["over"].values()]
        counts = [p for p in everybody if ends[p][0] - over[p] > 4 * tails[p]]
        # The weights w prove it: the sum of f(u) is at most h(w) - w.over + sum of max f(u) - w u.
        slope = [Fraction(text) for text in answer["weights"].values()]
        if power == 1:
            curve, above = math.log, lambda s: -1.0 - math.log(s)
        else:
            curve = lambda u: u ** (1 - power) / (1 - power)
            above = lambda s: power / (1 - power) * s ** ((power - 1) / power)
        attained = sum(curve(float(payoffs(answer)[p] - over[p])) for p in counts)
        most = float(model.most(slope) - dot(slope, over)) + sum(above(float(slope[p])) for p in counts)
        # The gap of the rule, the tails, and what doubles lose here.
        allowed = 1e-9 * max(1.0, abs(attained)) + 4 * float(dot(slope, tails)) + 1e-12 * (abs(most) + abs(attained) + len(counts))
        counter.check(rule, seed, 0 <= most - attained + 1e-12 * max(1.0, abs(most)) and most - attained <= allowed, most - attained, answer)


def leximin_flow(programs):
    """A flow that is good by leximin: each level raised while the others keep theirs, to a tolerance."""
    n = programs.n
    fixed = {}
    while len(fixed) < n:
        keep = [(programs.unit(p), [0.0], float(level) - 1e-8) for p, level in fixed.items()]
        among = [p for p in range(n) if p not in fixed]
        own = [(programs.unit(p), [-1.0], 0.0) for p in among]
        got, _ = programs.solve([0] * n, [1.0], own + keep)
        level = min(got[p] for p in among)
        stuck = []
        for p in among:
            others = [(programs.unit(q), [], float(level) - 1e-8) for q in among if q != p]
            best, _ = programs.solve(programs.unit(p), [], [(row, [], least) for row, _, least in keep] + others)
            if best[p] <= level + Fraction(1, 10**5):
                stuck.append(p)
        for p in stuck or among:
            fixed[p] = level
    return got


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--commonweal", required=True)
    parser.add_argument("--models", type=int, default=300)
    parser.add_argument("--first", type=int, default=0)
    args = parser.parse_args()
    program = str(Path(args.commonweal).resolve())
    counter = Counter()
    done = 0
    with tempfile.TemporaryDirectory() as folder:
        try:
            for seed in range(args.first, args.first + args.models):
                try:
                    test(program, folder, seed, counter)
                except NoAnswer:
                    pass
                done += 1
        except KeyboardInterrupt:
            print(f"interrupted after {done} models")
    for kind, count in counter.done.items():
        print(f"{kind}: {count} checked")
    print(f"smooth rules without a gain for everybody: {counter.refused}")
    print(f"models for which HiGHS has no leximin flow to compare with: {counter.unsure}")
    print(f"bounds from HiGHS are at most {float(counter.widest):.1e} apart, but for {len(counter.wide)}:")
    for wide in counter.wide:
        print("  ", *wide)
    for failure in counter.failures[:10]:
        print("FALSE", *failure)
    print(f"{len(counter.failures)} of {sum(counter.done.values())} checks on {done} models are false")
    sys.exit(1 if counter.failures or counter.wide else 0)


if __name__ == "__main__":
    main()
