#!/usr/bin/env python3
"""A second opinion on certificates of commonweal, written from docs/formats/certificate-v1.md alone.

    check.py [--work N] MODEL CERTIFICATE

MODEL is a model file (read by model_file.py, which refuses unusual YAML) or the canonical form that `commonweal convert MODEL OUT.canonical`
writes, CERTIFICATE a file or - for standard input. Certificates of fair answers (docs/formats/fair-certificate-v1.md, read by fair.py) need
a model file or the form of `convert MODEL OUT.principals`.
--work N allows N operations on machine words as the document counts them [default: 200000000000].
Prints `accepted` (exit code 0) or `refused: ...` with the first claim that does not hold (1); a file that is not what it
should be, or asks for more work than allowed, is exit code 2.
Python 3.9 or later, standard library only.
"""

import copy
import hashlib
import re
import sys
from fractions import Fraction
from math import gcd, inf, isfinite, lcm, nextafter

MAX_LINE, MAX_STEP, MAX_COUNT, MAX_DOUBLES_HORIZON = 1 << 26, 1 << 96, 1 << 32, 1 << 53
MAX_MODEL_BITS, MAX_ROW_BITS, MAX_SUM_BITS, MAX_CUTS, MAX_PERIOD = 1 << 16, 1 << 18, 1 << 20, 10_000, 1000
MAX_WORDS, MAX_MODEL_BYTES, WORK = 1 << 28, 1 << 32, 200_000_000_000


class Refused(Exception):
    """A claim that could not be verified."""


class Unreadable(Exception):
    """A file that is not what the document describes."""


# --- §9: work ---------------------------------------------------------------------------------------------------------


class Work:
    """What is left of the work that is allowed."""

    def __init__(self, limit):
        self.left = limit

    def spend(self, amount):
        self.left -= amount
        if self.left < 0:
            raise Unreadable("checking it would take more work than is allowed")


def words(number):
    return number.bit_length() // 64 + 1


# --- §2: lines and numbers -------------------------------------------------------------------------------------------


class Lines:
    """A file line by line; one line is held."""

    def __init__(self, stream):
        self.stream, self.number, self.ended = stream, 0, False
        self.advance()

    def advance(self):
        if self.ended:
            raise Unreadable("the file ends before the line `end`")
        raw = self.stream.readline(MAX_LINE + 1)
        self.number += 1
        self.ended = not raw
        if raw and not raw.endswith(b"\n"):
            raise self.fault("a line without its end")
        if any(not 32 <= byte <= 126 for byte in raw[:-1]):
            raise self.fault("not printable ASCII")
        self.line = raw[:-1].decode("ascii")

    def fault(self, why):
        return Unreadable(f"line {self.number}: {why}")

    def take(self, read):
        value = read(self.line)
        if value is None:
            raise self.fault(f"not expected: {self.line[:60]}")
        self.advance()
        return value

    def entry(self, keyword, read):
        return self.take(lambda line: read(line[len(keyword) + 1 :]) if line.startswith(keyword + " ") else None)

    def word(self, word):
        self.take(lambda line: True if line == word else None)

    def end(self):
        self.word("end")
        if not self.ended:
            raise self.fault("the file goes on after `end`")


def natural(word, most=MAX_STEP):
    if re.fullmatch(r"0|[1-9][0-9]{0,28}", word) and int(word) <= most:
        return int(word)
    return None


def count(word):
    return natural(word, MAX_COUNT)


def segment_step(word):
    return natural(word, MAX_DOUBLES_HORIZON)


def integer(word):
    negative, digits = word.startswith("-"), word.removeprefix("-")
    if re.fullmatch(r"0x[1-9a-f][0-9a-f]{16,}", digits):
        value = int(digits, 16)
    else:
        value = natural(digits, (1 << 64) - 1)
        if value is None or (negative and value == 0):
            return None
    return -value if negative else value


def fraction_parts(word):
    above, slash, below = word.partition("/")
    above, below = integer(above), integer(below) if slash else 1
    return None if above is None or below is None or below <= 0 else (above, below)


def canonical_fraction(word):
    parts = fraction_parts(word)
    if parts is None or max(abs(parts[0]), parts[1]).bit_length() > MAX_MODEL_BITS or ("/" in word and (parts[1] == 1 or gcd(*parts) != 1)):
        return None
    return Fraction(*parts)


def double(word):
    match = re.fullmatch(r"(-?)0x([01])(?:\.([0-9a-f]{1,13}))?p([+-])(0|[1-9][0-9]{0,3})", word)
    if word == "0x0p+0":
        return 0.0
    if not match:
        return None
    _, leading, digits, sign, power = match.groups()
    exponent = -int(power) if sign == "-" else int(power)
    zero = int(digits or "0", 16) == 0
    if not -1022 <= exponent <= 1023 or (leading == "0" and (exponent != -1022 or sign != "-" or zero)):
        return None
    return float.fromhex(word)


def not_negative(word):
    value = double(word)
    return value if value is not None and value >= 0 else None


def several(line, *readers):
    words = line.split(" ")
    if len(words) != len(readers):
        return None
    read = tuple(reader(word) for reader, word in zip(readers, words))
    return None if None in read else read


# --- §3: the model ---------------------------------------------------------------------------------------------------


class Model:
    """States, choices and rows of a canonical form; choices numbered through. `views` are its segments, each a model with
    discounts and rewards of its own."""

    def __init__(self, data):
        self.hash = hashlib.sha256(data).hexdigest()
        import io

        if len(data) > MAX_MODEL_BYTES:
            raise Unreadable("the model is too large")
        if not data.startswith(b"commonweal-model 1\n"):
            raise Unreadable("the model is not in its canonical form; convert it first: commonweal convert MODEL model.canonical")
        lines = Lines(io.BytesIO(data))
        lines.word("commonweal-model 1")

        def fractions(rest):
            numbers = [canonical_fraction(word) for word in rest.split(" ")]
            return None if None in numbers else numbers

        segments = []
        if lines.line.startswith("discounts "):
            self.discounts = lines.entry("discounts", fractions)
            self.check_discounts(self.discounts)
            self.n = len(self.discounts)
        else:
            self.n = lines.entry("rewards", count)
            while lines.line.startswith("segment "):
                start, origin = lines.entry("segment", lambda rest: several(rest, segment_step, segment_step))
                parts = []
                while lines.line.startswith("part "):
                    parts.append(lines.entry("part", fractions))
                if origin > start or (start <= segments[-1][0] if segments else start > 0):
                    raise Unreadable("the segments do not begin one after the other, from step 0 on")
                if not parts or any(len(part) != self.n + 1 for part in parts):
                    raise Unreadable("a segment has a part, and a part a number for each reward")
                self.check_discounts([part[0] for part in parts])
                if parts[0][0] == 0:
                    raise Unreadable("the first part of a segment has a discount above 0")
                segments.append((start, origin, parts))
            if len(segments) < 2:
                raise Unreadable("there are two segments at least")
            self.discounts = []
        self.read_states(lines, segments)

    def read_states(self, lines, segments=()):
        """States and choices, with one reward for each of `n`."""
        n_states = lines.entry("states", count)
        if n_states == 0:
            raise Unreadable("there is no state")
        self.first, self.rewards, self.rows, self.common = [0], [], [], []
        for _ in range(n_states):
            n_choices = lines.entry("choices", count)
            if n_choices == 0:
                raise Unreadable("a state has no choice")
            for _ in range(n_choices):
                rewards, row, common = lines.take(lambda line: self.choice(line, n_states))
                self.rewards.append(rewards)
                self.rows.append(row)
                self.common.append(common)
            self.first.append(len(self.rows))
        lines.end()
        self.n_states = n_states
        self.measure(segments)

    def measure(self, segments=()):
        self.n_transitions = sum(map(len, self.rows))
        self.start, self.origin = 0, 0
        self.views = [self.view(*segment) for segment in segments] or [self]
        for view in self.views:
            probabilities = [p for row in view.rows for _, p in row]
            numbers = view.discounts + [reward for rewards in view.rewards for reward in rewards] + probabilities
            parts = [part for number in numbers for part in (number.numerator, number.denominator)]
            view.words = max(map(words, parts + view.common))

    def check_discounts(self, discounts):
        falling = all(left > right for left, right in zip(discounts, discounts[1:]))
        if not falling or discounts[0] >= 1 or discounts[-1] < 0:
            raise Unreadable("the discounts do not fall within [0, 1)")

    def view(self, start, origin, parts):
        """The model of one segment."""
        view = copy.copy(self)
        view.start, view.origin, view.n = start, origin, len(parts)
        view.discounts = [part[0] for part in parts]
        mix = lambda rewards, part: sum((c * reward for c, reward in zip(part[1:], rewards)), Fraction(0))
        view.rewards = [[mix(rewards, part) for part in parts] for rewards in self.rewards]
        return view

    def choice(self, line, n_states):
        left, arrow, right = line.partition(" > ")
        rewards = [canonical_fraction(word) for word in left.split(" ")]
        words = right.split(" ")
        if not arrow or len(rewards) != self.n or None in rewards or len(words) % 2:
            return None
        targets = [count(word) for word in words[::2]]
        probabilities = [canonical_fraction(word) for word in words[1::2]]
        if None in targets or None in probabilities or any(p <= 0 for p in probabilities):
            return None
        if targets[-1] >= n_states or any(left >= right for left, right in zip(targets, targets[1:])):
            return None
        common = 1
        for probability in probabilities:
            common = lcm(common, probability.denominator)
            if common.bit_length() > MAX_ROW_BITS:
                return None
        if sum(p.numerator * (common // p.denominator) for p in probabilities) != common:
            return None
        return rewards, list(zip(targets, probabilities)), common

    def choices(self, state):
        return range(self.first[state], self.first[state + 1])

    def same(self, choice, other):
        """Whether two choices have the same rewards and the same row."""
        return self.rewards[choice] == self.rewards[other] and self.rows[choice] == self.rows[other]

    def number(self, state, word):
        """The choice that has this number within its state."""
        choice = count(word)
        if choice is None or self.first[state] + choice >= self.first[state + 1]:
            return None
        return self.first[state] + choice


# --- §5: floats ------------------------------------------------------------------------------------------------------
# A float is a pair (m, e); an enclosure a pair of floats.

ZERO, ONE = (0, 0), (1, 0)
POINT_0, POINT_1 = (ZERO, ZERO), (ONE, ONE)


def sign(x):
    return (x[0] > 0) - (x[0] < 0)


def top(x):
    return x[1] + abs(x[0]).bit_length()


def compare(x, y):
    if sign(x) != sign(y) or x[0] == 0:
        return (sign(x) > sign(y)) - (sign(x) < sign(y))
    if top(x) != top(y):
        return sign(x) * (1 if top(x) > top(y) else -1)
    low = min(x[1], y[1])
    a, b = x[0] << (x[1] - low), y[0] << (y[1] - low)
    return (a > b) - (a < b)


class Floats:
    """Arithmetic of enclosures with a given precision."""

    def __init__(self, bits):
        self.bits = bits

    def round(self, m, e, up):
        excess = abs(m).bit_length() - self.bits
        if excess <= 0:
            return (m, e) if m else ZERO
        return (-((-m) >> excess) if up else m >> excess, e + excess)

    def add(self, x, y, up):
        if not x[0] or not y[0]:
            return x if x[0] else y
        large, small = (x, y) if top(x) >= top(y) else (y, x)
        floor = top(large) - 2 * self.bits
        if top(small) < floor:
            if up != (small[0] > 0):
                return large
            small = (1 if up else -1, floor)
        low = min(large[1], small[1])
        return self.round((large[0] << (large[1] - low)) + (small[0] << (small[1] - low)), low, up)

    def sum(self, x, y):
        return self.add(x[0], y[0], False), self.add(x[1], y[1], True)

    def product(self, x, y):
        products = [(a[0] * b[0], a[1] + b[1]) for a in x for b in y]
        least = greatest = products[0]
        for product in products[1:]:
            least = product if compare(product, least) < 0 else least
            greatest = product if compare(product, greatest) > 0 else greatest
        return self.round(*least, False), self.round(*greatest, True)

    def fraction(self, p, q):
        if p == 0:
            return POINT_0
        e = abs(p).bit_length() - q.bit_length() - self.bits
        above, below = (p, q << e) if e >= 0 else (p << -e, q)
        floor, rest = divmod(above, below)
        return self.round(floor, e, False), self.round(floor + (rest != 0), e, True)

    def power(self, x, t):
        result = POINT_1
        for digit in bin(t)[2:] if t else "":
            result = self.product(result, result)
            if digit == "1":
                result = self.product(result, x)
        return result


def shown(x):
    return f"about {float(Fraction(x[0]) * Fraction(2) ** x[1]):g}" if abs(x[1]) < 900 else f"about 2^{top(x)}"


# --- §4: parts that both kinds have ----------------------------------------------------------------------------------


def read_tail(model, lines):
    lines.word("tail")
    decisions, last = [], None
    while len(decisions) < model.n_states:
        length, number = lines.take(lambda line: several(line, count, count))
        if not 1 <= length <= model.n_states - len(decisions) or number == last:
            raise lines.fault("a run of the tail")
        for state in range(len(decisions), len(decisions) + length):
            choice = model.number(state, str(number))
            if choice is None:
                raise lines.fault("no such choice")
            decisions.append(choice)
        last = number
    return decisions


def steps_after(model, step, lines):
    """How many steps a step is after the origin of a segment that it is not before."""
    if step < model.start:
        raise lines.fault("a step before the last segment")
    return step - model.origin


def earlier_step(model, word, until):
    """A step of the segment before `until`, both counted from its origin."""
    step = natural(word, until + model.origin - 1)
    return None if step is None or step < model.start else step - model.origin


def read_layers(model, lines, start, until, decisions, visit):
    """Goes back from `until` to `start` and calls `visit` at every step. Steps are counted from the segment's origin."""

    def next_change(before):
        if not lines.line.startswith("at "):
            return None
        step = natural(lines.line[3:])
        if step is None or not start <= step - model.origin < before:
            raise lines.fault("a step outside its section")
        return step - model.origin

    upcoming = next_change(until)
    for t in range(until - 1, start - 1, -1):
        if upcoming == t:
            changed = []
            lines.advance()
            while lines.line[:1].isdigit():
                words = lines.line.split(" ")
                state = count(words[0]) if len(words) == 2 else None
                if state is None or state >= model.n_states or (changed and changed[-1] >= state):
                    raise lines.fault("a change")
                choice = model.number(state, words[1])
                if choice is None or choice == decisions[state]:
                    raise lines.fault("a change")
                decisions[state] = choice
                changed.append(state)
                lines.advance()
            if not changed:
                raise lines.fault("no change")
            upcoming = next_change(t)
        visit(t)


def show_stage(model, decisions, start, until, ends_of, passes):
    """Shows that every choice that is not taken passes at all steps from `start` to `until` - 1, on whole intervals: one that
    fails is cut, the later half first."""
    rivals = [(s, c) for s, decision in enumerate(decisions) for c in model.choices(s) if c != decision]
    cuts = [0] * len(rivals)
    pending = [(start, until - 1, range(len(rivals)))]
    while pending:
        u, v, left = pending.pop()
        ends, failed = ends_of(u, v), []
        for k in left:
            state, choice = rivals[k]
            if passes(state, choice, u, v, ends):
                continue
            if u == v or cuts[k] == MAX_CUTS:
                numbers = choice - model.first[state], decisions[state] - model.first[state]
                claim = f"choice {numbers[0]} may beat the stated choice {numbers[1]}"
                place = f"stage {start + model.origin} to {until + model.origin}, step {v + model.origin}, state {state}"
                raise Refused(f"{place}: {claim}; gain, not ≤ what is allowed")
            cuts[k] += 1
            failed.append(k)
        if failed:
            middle = (u + v) // 2
            pending += [(u, middle, failed), (middle + 1, v, failed)]


# --- §6: kind exact --------------------------------------------------------------------------------------------------


class Exact:
    def __init__(self, model, lines, work):
        self.model, self.lines, self.work = model, lines, work
        self.is_exact = lines.entry("numbers", lambda rest: {"exact": 1, "enclosed": 0}.get(rest)) == 1
        bits = lines.entry("precision", lambda rest: (lambda b: b if b is not None and 64 <= b <= 65536 else None)(count(rest)))
        self.floats = Floats(bits)
        self.cost = 100 + (bits // 64 + 1) ** 2
        self.views = model.views
        self.enter(model.views[-1])
        horizon = lines.entry("horizon", lambda rest: natural(rest, MAX_COUNT if self.is_exact else MAX_STEP))
        self.step = steps_after(self.model, horizon, lines)
        self.decisions = read_tail(model, lines)
        self.gain = [POINT_0] * model.n_states
        values = self.read_values()
        self.earned = values if self.is_exact else None  # Y
        self.set_values(values)

    def enter(self, model):
        """Computes with the discounts and rewards of a segment."""
        self.model = model
        self.ratios = [Fraction(1)] + [discount / model.discounts[0] for discount in model.discounts[1:]]
        self.ratio_bits = sum(r.numerator.bit_length() + r.denominator.bit_length() for r in self.ratios[1:])
        enclose = lambda x: self.floats.fraction(x.numerator, x.denominator)
        self.enclosed_ratios = [enclose(ratio) for ratio in self.ratios]
        self.discount = enclose(model.discounts[0])
        self.rows = [[(target, enclose(p)) for target, p in row] for row in model.rows]

    def read_values(self):
        return read_values(self.model, self.lines)

    def set_values(self, values):
        model = self.model
        each = self.floats.bits // 64 + model.words + 5
        self.work.spend((model.n_transitions + len(model.rows)) * each * (value_words(values) + model.n * model.words))
        self.values = values
        self.exact_advantages, self.advantages = [], []
        for state in range(self.model.n_states):
            for choice in self.model.choices(state):
                exact = [self.advantage(i, state, choice) for i in range(self.model.n)]
                self.exact_advantages.append(exact)
                self.advantages.append([self.floats.fraction(*advantage) for advantage in exact])

    def advantage(self, i, state, choice):
        """Δ_i(c), not in lowest terms."""
        return advantage(self.model, self.values[i], i, state, choice)

    def weights(self, t):
        self.work.spend(t.bit_length() * self.model.n * self.cost)
        weights = [POINT_1]
        for ratio, enclosed in zip(self.ratios[1:], self.enclosed_ratios[1:]):
            weights.append(POINT_0 if ratio == 0 and t > 0 else self.floats.power(enclosed, t))
        return weights

    def terms(self, weights, advantages):
        total = POINT_0
        for weight, advantage in zip(weights, advantages):
            total = self.floats.sum(total, self.floats.product(weight, advantage))
        return total

    def sum(self, t, weights, choice, first, last):
        total = self.terms(weights[first:last], self.advantages[choice][first:last])
        is_open = sign(total[0]) <= 0 <= sign(total[1]) and (total[0][0] or total[1][0])
        if is_open and t * self.ratio_bits <= MAX_SUM_BITS:
            exact = self.exact_sum(t, {i: self.exact_advantages[choice][i] for i in range(first, last)})
            total = self.floats.fraction(exact.numerator, exact.denominator)
        return total

    def exact_sum(self, t, numbers):
        """Σ_i ρ_i^t x_i in fractions."""
        long = self.earned if self.is_exact else self.values
        self.work.spend((t * self.ratio_bits // 64 + value_words(long) + self.model.words + 1) ** 2)
        return sum(self.ratios[i] ** t * Fraction(*x) for i, x in numbers.items())

    def values_are_those_of_decisions(self, place):  # (b), and the beginning of (f)
        for state, choice in enumerate(self.decisions):
            for i, (numerator, denominator) in enumerate(self.exact_advantages[choice]):
                if numerator != 0:
                    claim = "the values are not those of its choices"
                    raise Refused(f"{place}, state {state}, principal {i}: {claim}; advantage {numerator / denominator}, not 0")

    def horizon_suffices(self):  # (c)
        weights = self.weights(self.step)
        self.work.spend(len(self.model.rows) * self.model.n**2 * self.cost)
        for state in range(self.model.n_states):
            for choice in self.model.choices(state):
                for k in range(self.model.n):
                    total = self.sum(self.step, weights, choice, 0, k + 1)
                    if sign(total[1]) > 0:
                        number = choice - self.model.first[state]
                        place = f"horizon {self.step + self.model.origin}, state {state}, choice {number}, principals 0 to {k}"
                        raise Refused(f"{place}: the choice may pay at or after the horizon; sum {shown(total[1])}, not ≤ 0")

    def worth(self, t, weights, choice):
        now = self.sum(t, weights, choice, 0, self.model.n)
        later = POINT_0
        for target, probability in self.rows[choice]:
            later = self.floats.sum(later, self.floats.product(probability, self.gain[target]))
        return self.floats.sum(now, self.floats.product(self.discount, later))

    def exact_worth(self, t, choice):
        return self.exact_sum(t, {i: ahead(self.model, self.earned[i], i, choice) for i in range(self.model.n)})

    def layer(self, t):  # (d)
        model = self.model
        weights, gain = self.weights(t), []
        self.work.spend((model.n_transitions + len(model.rows) * (model.n + 1)) * 2 * self.cost)
        for state, decision in enumerate(self.decisions):
            own = self.worth(t, weights, decision)
            for choice in model.choices(state):
                if choice == decision:
                    continue
                other = self.worth(t, weights, choice)
                if compare(other[1], own[0]) <= 0:
                    continue
                if model.same(choice, decision):
                    continue
                found, stated = shown(other[1]), shown(own[0])
                if self.is_exact:
                    found, stated = self.exact_worth(t, choice), self.exact_worth(t, decision)
                    if found <= stated:
                        continue
                numbers = choice - model.first[state], decision - model.first[state]
                claim = f"choice {numbers[0]} may beat the stated choice {numbers[1]}"
                raise Refused(f"step {t + model.origin}, state {state}: {claim}; worth {found} against {stated}")
            gain.append(own)
        self.gain = gain
        if self.is_exact:
            self.earned = [step_back(model, self.work, self.earned[i], i, self.decisions) for i in range(model.n)]
        self.step = t

    def rebase(self):  # (e)
        values, weights = self.read_values(), self.weights(self.step)
        self.work.spend(self.model.n_states * value_words(self.values) * value_words(values))
        for state in range(self.model.n_states):
            for (d, old), (e, new), weight in zip(self.values, values, weights):
                difference = self.floats.fraction(old[state] * e - new[state] * d, d * e)
                self.gain[state] = self.floats.sum(self.gain[state], self.floats.product(weight, difference))
        self.set_values(values)

    def segment(self, view):  # (h)
        old, t, floats = self.model, self.step, self.floats
        u = t + old.origin - view.origin
        first, before = old.discounts[0], view.discounts[0]
        same = first == before and t == u
        weights, values, earned = self.weights(t), self.values, None
        self.work.spend((t.bit_length() + u.bit_length()) * self.cost)
        unit = POINT_1
        if not same:
            inverse = floats.fraction(before.denominator, before.numerator)
            unit = floats.product(floats.power(self.discount, t), floats.power(inverse, u))
        if self.is_exact:
            bits = lambda x: x.numerator.bit_length() + x.denominator.bit_length()
            length = (t * (self.ratio_bits + bits(first)) + u * bits(before)) // 64 + value_words(self.earned) + 1
            if old.n_states * length > MAX_WORDS:
                raise Unreadable("its exact values would not fit in memory")
            self.work.spend(old.n_states * length**2)
            factor = Fraction(1) if same else first**t / before**u
            powers = [factor * ratio**t for ratio in self.ratios]
            of_state = lambda s: sum(power * Fraction(y[s], d) for power, (d, y) in zip(powers, self.earned))
            totals = [of_state(state) for state in range(old.n_states)]
            common = lcm(*(total.denominator for total in totals))
            numerators = [total.numerator * (common // total.denominator) for total in totals]
            earned = [(common, numerators)] + [(1, [0] * old.n_states)] * (view.n - 1)
        self.lines.word("segment")
        self.enter(view)
        self.step = u
        new = self.read_values()
        new_weights = self.weights(u)
        self.work.spend(old.n_states * (value_words(values) + value_words(new)) * self.cost)
        for state in range(old.n_states):
            gain = self.gain[state]
            for weight, (d, v) in zip(weights, values):
                gain = floats.sum(gain, floats.product(weight, floats.fraction(v[state], d)))
            gain = floats.product(unit, gain)
            for weight, (d, v) in zip(new_weights, new):
                gain = floats.sum(gain, floats.product(weight, floats.fraction(-v[state], d)))
            self.gain[state] = gain
        if self.is_exact:
            self.earned = earned
        self.set_values(new)

    def read_harmonic(self):
        """h_0, …, h_{d−1} as one denominator, numerators by phase, and an exponent."""

        def head(rest):
            period, _, exponent = rest.partition(" ")
            period, exponent = count(period), integer(exponent)
            if period is None or exponent is None or not 1 <= period <= MAX_PERIOD or abs(exponent) > MAX_STEP:
                return None
            return period, exponent

        period, exponent = self.lines.entry("harmonic", head)
        denominator = self.lines.entry("denominator", integer)
        if denominator <= 0:
            raise Unreadable("a denominator that is not positive")
        phases = [[self.lines.take(integer) for _ in range(self.model.n_states)] for _ in range(period)]
        return denominator, phases, exponent

    def shifted(self, p, q, exponent):
        """p/q · 2^exponent, enclosed."""
        return tuple((m, e + exponent) if m else (m, e) for m, e in self.floats.fraction(p, q))

    def drifts(self, harmonic, place):
        """P_c h_k − h_{k+1} of every choice and phase; 0 for the decisions."""
        model, (denominator, phases, exponent) = self.model, harmonic
        period = len(phases)
        length = max(map(words, [denominator, *(number for phase in phases for number in phase)]))
        each = (self.floats.bits // 64 + model.words + 5) * (length + model.words)
        self.work.spend(period * (model.n_transitions + len(model.rows)) * each)
        drifts = {}
        for state, decision in enumerate(self.decisions):
            for choice in model.choices(state):
                common, drifts[choice] = model.common[choice], []
                for k, phase in enumerate(phases):
                    dot = sum(p.numerator * (common // p.denominator) * phase[t] for t, p in model.rows[choice])
                    drift = dot - common * phases[(k + 1) % period][state]
                    if choice == decision and drift != 0:
                        claim = "its choice does not keep the harmonic numbers"
                        raise Refused(f"{place}, state {state}, phase {k}: {claim}; drift, not 0")
                    drifts[choice].append(self.shifted(drift, common * denominator, exponent))
        return drifts

    def stage(self, start, harmonic=None):  # (f)
        model, until = self.model, self.step
        place = f"stage {start + model.origin} to {until + model.origin}"
        self.values_are_those_of_decisions(place)
        differ = lambda y, v: any(a * v[0] != b * y[0] for a, b in zip(y[1], v[1]))
        if self.is_exact and any(differ(y, v) for y, v in zip(self.earned, self.values)):
            raise Refused(f"{place}: exact gains cannot be carried over a stage; gains, not 0")
        self.work.spend((model.n_transitions + model.n_states) * 4 * self.cost)
        drifts, value = None, None
        if harmonic:
            drifts = self.drifts(harmonic, place)
            denominator, phases, exponent = harmonic
            value = lambda k, state: self.shifted(phases[k % len(phases)][state], denominator, exponent)
            for state in range(model.n_states):
                (low, low_e), (high, high_e) = value(0, state)
                self.gain[state] = self.floats.sum(self.gain[state], ((-high, high_e), (-low, low_e)))
        lowest, highest = self.hull(0, -1), self.hull(1, 1)
        slack = {}
        for state, decision in enumerate(self.decisions):
            low = extreme([lowest[target] for target, _ in model.rows[decision]], -1)
            for choice in model.choices(state):
                high = extreme([highest[target] for target, _ in model.rows[choice]], 1)
                more = self.floats.add(high, (-low[0], low[1]), True)
                more = ZERO if more[0] < 0 else more
                own = [self.floats.add(drift[1], more, True) for drift in drifts[choice]] if harmonic else [more]
                slack[choice] = own

        def ends(u, v):
            self.work.spend((until - v).bit_length() * self.cost)
            from_last = self.floats.power(self.discount, until - v)
            from_first = from_last
            if harmonic:
                self.work.spend((until - u).bit_length() * self.cost)
                from_first = self.floats.power(self.discount, until - u)
            return self.weights(u), self.weights(v), from_first, from_last

        def greatest(choice, u, v):
            own = slack[choice]
            left = range(until - 1 - v, min(until - u, until - 1 - v + len(own)))
            return extreme([own[k % len(own)] for k in left], 1)

        def passes(state, choice, u, v, ends):
            if model.same(choice, self.decisions[state]):  # It ties at every step, and no enclosure could show that.
                return True
            return self.passes(choice, greatest(choice, u, v), u, v, *ends)

        show_stage(model, self.decisions, start, until, ends, passes)
        length = self.floats.power(self.discount, until - start)
        gains = list(zip(lowest, highest))
        if harmonic:
            gains = [self.floats.sum(gain, value(until - start, state)) for state, gain in enumerate(gains)]
        self.gain = [self.floats.product(length, gain) for gain in gains]
        self.step = start

    def hull(self, end, direction):
        """The extreme of one end of the gains over all that the decisions reach: repeated until nothing changes."""
        hull = [gain[end] for gain in self.gain]
        changing = True
        while changing:
            changing = False
            for state, decision in enumerate(self.decisions):
                best = extreme([hull[state]] + [hull[target] for target, _ in self.model.rows[decision]], direction)
                if compare(best, hull[state]) != 0:
                    hull[state], changing = best, True
        return hull

    def passes(self, choice, z, u, v, first, last, from_first, from_last):
        n = self.model.n
        self.work.spend(n * (n + 2) * self.cost)
        y = self.floats.product(from_first if sign(z) < 0 else from_last, (z, z))[1]
        loses = lambda total, with_y=True: sign(self.floats.add(total[1], y, True) if with_y else total[1]) <= 0
        whole = self.sum(v, last, choice, 0, n)
        if u == v:
            return loses(whole)
        if not (u == 0 and self.model.discounts[-1] == 0) and loses(whole, sign(y) >= 0):
            if all(loses(self.sum(v, last, choice, k, n), False) for k in range(1, n)):
                return True
        if all(loses(self.sum(u, first, choice, 0, k)) for k in range(1, n + 1)):
            return True
        advantages = self.advantages[choice]
        weights = [last[i] if sign(advantages[i][1]) < 0 else first[i] for i in range(n)]
        return loses(self.terms(weights, advantages))

    def welfare(self):  # (g)
        self.lines.word("welfare")
        for state in range(self.model.n_states):
            refused = lambda found, stated: Refused(
                f"welfare, state {state}: not what the strategy earns; found {found}, stated {stated}"
            )
            if self.is_exact and self.lines.line.startswith("exact "):
                above, below = self.lines.entry("exact", fraction_parts)
                length = value_words(self.earned)
                self.work.spend(length * (length + words(above) + words(below)))
                found = sum(Fraction(numerators[state], denominator) for denominator, numerators in self.earned)
                if found != Fraction(above, below):
                    raise refused(found, Fraction(above, below))
                continue
            lower, upper = self.lines.entry("between", lambda rest: several(rest, double, double))
            found = POINT_0
            for denominator, numerators in self.values:
                found = self.floats.sum(found, self.floats.fraction(numerators[state], denominator))
            found = self.floats.sum(found, self.gain[state])
            exactly = lambda x: Floats(2200).fraction(*x.as_integer_ratio())[0]
            if compare(found[0], exactly(lower)) < 0 or compare(found[1], exactly(upper)) > 0:
                raise refused((shown(found[0]), shown(found[1])), (lower, upper))
        self.lines.end()

    def check(self):
        self.values_are_those_of_decisions("tail")
        self.horizon_suffices()
        self.sections()
        for view in reversed(self.views[:-1]):
            self.segment(view)
            self.sections()
        self.welfare()

    def sections(self):
        """Goes back to the first step of the segment."""
        model = self.model
        while self.step > model.start - model.origin:
            keyword = self.lines.line.split(" ")[0]
            earlier = lambda rest: earlier_step(model, rest, self.step)
            if keyword == "layers":
                start = self.lines.entry("layers", earlier)
                read_layers(model, self.lines, start, self.step, self.decisions, self.layer)
            elif keyword == "stage":
                self.stage(self.lines.entry("stage", earlier))
            elif keyword == "harmonic" and not self.is_exact:
                harmonic = self.read_harmonic()
                self.stage(self.lines.entry("stage", earlier), harmonic)
            elif keyword == "values" and not self.is_exact:
                self.rebase()
            else:
                raise self.lines.fault("expected `layers`, `stage`, `harmonic` or `values`")


def read_values(model, lines):
    lines.word("values")
    values = []
    for _ in range(model.n):
        denominator = lines.entry("denominator", integer)
        if denominator <= 0:
            raise Unreadable("a denominator that is not positive")
        values.append((denominator, [lines.take(integer) for _ in range(model.n_states)]))
    return values


def read_doubles(model, lines):
    lines.word("values")
    return [[lines.take(double) for _ in range(model.n_states)] for _ in range(model.n)]


def ahead(model, values, i, choice):
    """What principal i gets by a choice now and these values afterwards: a numerator and a denominator, the latter being that
    of the values times something."""
    (denominator, numerators), reward, discount = values, model.rewards[choice][i], model.discounts[i]
    below = discount.denominator * model.common[choice]
    common = lcm(below, reward.denominator)
    dot = sum(p.numerator * (model.common[choice] // p.denominator) * numerators[t] for t, p in model.rows[choice])
    later = dot * discount.numerator * (common // below)
    now = reward.numerator * (common // reward.denominator) * denominator
    return now + later, common * denominator


def advantage(model, values, i, state, choice):
    """Δ_i(c), not in lowest terms."""
    above, below = ahead(model, values, i, choice)
    denominator, numerators = values
    return above - below // denominator * numerators[state], below


def step_back(model, work, values, i, decisions):
    """What the decisions earn principal i one step earlier: over the denominator of the step after times the least growth
    that all states can do with."""
    denominator, length = values[0], value_words([values])
    work.spend((model.n_transitions + model.n_states) * (model.words + 4) * (length + model.words))
    growth, pairs = 1, []
    for decision in decisions:
        above, below = ahead(model, values, i, decision)
        common = below // denominator
        work.spend(words(growth) * (2 * model.words + 1))
        growth = lcm(growth, common // gcd(above, common))
        pairs.append((above, common))
    total = (length + words(growth)) * model.n_states
    if total > MAX_WORDS:
        raise Unreadable("its exact values would not fit in memory")
    work.spend(total * words(growth))
    return growth * denominator, [above * growth // common for above, common in pairs]


def value_words(values):
    """The words of the longest values of all principals together."""
    return sum(max(map(words, [denominator, *numerators])) for denominator, numerators in values)


def extreme(floats, direction):
    best = floats[0]
    for candidate in floats[1:]:
        if compare(candidate, best) == direction:
            best = candidate
    return best


# --- §7: kind bounds -------------------------------------------------------------------------------------------------


def beyond(place):
    return Refused(f"{place}: a number overflows a double; every result must be finite")


def floor_double(p, q):
    """The greatest double that is not above p/q; None beyond them."""
    if p == 0:
        return 0.0
    e = max(abs(p).bit_length() - q.bit_length() - 53, -1074)
    m = p // (q << e) if e >= 0 else (p << -e) // q
    while abs(m) > 1 << 53:
        m, e = m >> 1, e + 1
    try:
        value = float(Fraction(m) * Fraction(2) ** e)
    except OverflowError:
        return None
    return value if isfinite(value) else None


def interval(p, q, place="model"):
    low, high = floor_double(p, q), floor_double(-p, q)
    if low is None or high is None:
        raise beyond(place)
    return low, -high


def plus(x, y):
    if x == (0, 0) or y == (0, 0):
        return y if x == (0, 0) else x
    return nextafter(x[0] + y[0], -inf), nextafter(x[1] + y[1], inf)


def times(x, factor):
    """x times a factor that is not negative."""
    if x == (0, 0) or factor == (0, 0):
        return 0.0, 0.0
    low = x[0] * (factor[1] if x[0] < 0 else factor[0])
    high = x[1] * (factor[0] if x[1] < 0 else factor[1])
    return nextafter(low, -inf), nextafter(high, inf)


class Bounds:
    def __init__(self, model, lines, work):
        self.lines, self.work, self.floats = lines, work, Floats(128)
        lines.entry("numbers", lambda rest: True if rest == "doubles" else None)
        self.views, self.model = model.views, model.views[-1]
        horizon = lines.entry("horizon", lambda rest: natural(rest, MAX_DOUBLES_HORIZON))
        self.step = steps_after(self.model, horizon, lines)
        self.decisions = read_tail(model, lines)
        values = self.read_values()
        self.enter(self.model)
        self.set_values(values)

    def enter(self, model):
        """Computes with the discounts and rewards of a segment."""
        self.model = model
        ratios = [discount / model.discounts[0] for discount in model.discounts[1:]]
        self.ratios = [self.floats.fraction(r.numerator, r.denominator) for r in ratios]
        of = lambda x: interval(x.numerator, x.denominator)
        self.discounts = [of(discount) for discount in model.discounts]
        self.rows = [[(target, of(p)) for target, p in row] for row in model.rows]
        self.rewards = [[of(reward) for reward in rewards] for rewards in model.rewards]
        self.lifetimes = [1 / (1 - discount) for discount in model.discounts]
        self.discount = self.floats.fraction(model.discounts[0].numerator, model.discounts[0].denominator)

    def read_values(self):
        return read_doubles(self.model, self.lines)

    def read_harmonic(self):
        """h_0, …, h_{d−1}."""
        in_range = lambda rest: period if (period := count(rest)) is not None and 1 <= period <= MAX_PERIOD else None
        period = self.lines.entry("harmonic", in_range)
        return [[self.lines.take(double) for _ in range(self.model.n_states)] for _ in range(period)]

    def set_values(self, values):
        model = self.model
        self.work.spend(model.n * (model.n_transitions + len(model.rows)) * 4)
        self.values, self.advantages = values, []
        for state in range(model.n_states):
            for choice in model.choices(state):
                advantages = []
                for i in range(model.n):
                    later = times(self.expected(choice, self.values[i]), self.discounts[i])
                    own = -self.values[i][state]
                    advantage = plus(plus(later, self.rewards[choice][i]), (own, own))
                    if not all(map(isfinite, advantage)):
                        raise beyond(f"state {state}, choice {choice - model.first[state]}")
                    advantages.append(advantage)
                self.advantages.append(advantages)

    def expected(self, choice, values):
        total = 0.0, 0.0
        for target, probability in self.rows[choice]:
            total = plus(total, times((values[target], values[target]), probability))
        return total

    def weights(self, t):
        self.work.spend(self.model.n * 64 * t.bit_length())
        return [(1.0, 1.0)] + [self.power(ratio, t) for ratio in self.ratios]

    def shrunk(self, t):
        """λ_0^t."""
        self.work.spend(64 * t.bit_length())
        return self.power(self.discount, t)

    def power(self, x, t):
        return (0.0, 0.0) if x == POINT_0 and t > 0 else self.outward(self.floats.power(x, t))

    def outward(self, x):
        """An enclosure in floats, each end moved outward to a double."""
        (a, e), (b, f) = x
        ends = []
        for m, power in ((a, e), (-b, f)):
            if m and power + abs(m).bit_length() < -1100:
                ends.append(-5e-324 if m < 0 else 0.0)
            else:
                ends.append(floor_double(m << power, 1) if power >= 0 else floor_double(m, 1 << -power))
        if None in ends:
            raise beyond("model")
        return ends[0], -ends[1]

    def prefix_sums(self, weights, choice):
        total, sums = (0.0, 0.0), []
        for weight, advantage in zip(weights, self.advantages[choice]):
            total = plus(total, times(advantage, weight))
            sums.append(total)
        return sums

    def after_horizon(self):
        model, weights = self.model, self.weights(self.step)
        self.work.spend(model.n * len(model.rows) * 4)
        gain, loss = [0.0] * model.n, [0.0] * model.n
        for choice in range(len(model.rows)):
            for k, total in enumerate(self.prefix_sums(weights, choice)):
                gain[k] = total[1] if total[1] > gain[k] else gain[k]
        for choice in self.decisions:
            for k, total in enumerate(self.prefix_sums(weights, choice)):
                loss[k] = -total[0] if -total[0] > loss[k] else loss[k]
        factors = [now - later for now, later in zip(self.lifetimes, self.lifetimes[1:])] + self.lifetimes[-1:]
        factors = [interval(factor.numerator, factor.denominator) for factor in factors]

        def total(bounds):
            sum_ = 0.0, 0.0
            for factor, bound in zip(factors, bounds):
                sum_ = plus(sum_, times((bound, bound), factor))
            return sum_[1]

        upper, lower = total(gain), -total(loss)
        if not isfinite(upper) or not isfinite(lower):
            raise beyond(f"horizon {self.step + model.origin}")
        self.upper, self.lower = [upper] * model.n_states, [lower] * model.n_states

    def layer(self, t):
        model, weights = self.model, self.weights(t)
        self.work.spend((2 * model.n_transitions + model.n * len(model.rows)) * 4)

        def worth(choice, bound):
            now = self.prefix_sums(weights, choice)[-1]
            return plus(now, times(self.expected(choice, bound), self.discounts[0]))

        lowers, uppers = [], []
        for state, decision in enumerate(self.decisions):
            lower = worth(decision, self.lower)[0]
            worths = [worth(choice, self.upper)[1] for choice in model.choices(state)]
            if not all(map(isfinite, worths)) or not isfinite(lower):
                raise beyond(f"step {t + model.origin}, state {state}")
            lowers.append(lower)
            uppers.append(max(worths))
        self.lower, self.upper = lowers, uppers

    def rebase(self, step):
        values, weights = self.read_values(), self.weights(step)
        self.work.spend(self.model.n * self.model.n_states * 4)
        for state in range(self.model.n_states):
            found = self.lower[state], self.upper[state]
            for old, new, weight in zip(self.values, values, weights):
                difference = plus((old[state],) * 2, (-new[state],) * 2)
                found = plus(found, times(difference, weight))
            if not all(map(isfinite, found)):
                raise beyond(f"values at step {step + self.model.origin}, state {state}")
            self.lower[state], self.upper[state] = found
        self.set_values(values)

    def stage(self, start, until, allowance, patient, phases):
        model, weights = self.model, self.weights(start)
        self.work.spend(model.n * model.n_states * 4)
        gain = loss = 0.0  # E and E'
        for decision in self.decisions:
            ups = downs = 0.0, 0.0
            for weight, (low, high) in zip(weights, self.advantages[decision]):
                ups = plus(ups, times((max(0.0, high),) * 2, weight))
                downs = plus(downs, times((max(0.0, -low),) * 2, weight))
            gain, loss = max(gain, ups[1]), max(loss, downs[1])
        gain = plus((gain, gain), (patient, patient))[1]
        (up, down), leads = self.leads(phases)

        def passes(_state, choice, u, v, ends):
            self.work.spend(model.n * 4)
            shrunk, first, last, from_first, from_last = ends
            total = 0.0, 0.0
            for i, advantage in enumerate(self.advantages[choice]):
                total = plus(total, times(advantage, last[i] if advantage[1] < 0 else first[i]))
            if phases:
                left = range(until - 1 - v, min(until - u, until - 1 - v + len(phases)))
                z = max(leads[choice][k % len(phases)] for k in left)
                y = times((z, z), from_first if z < 0 else from_last)[1]
                total = plus(total, (y, y))
            most = total[1]
            return most <= gain or times(plus((most, most), (-gain, -gain)), shrunk)[1] <= allowance

        def ends(u, v):
            powers = (self.shrunk(until - u), self.shrunk(until - v)) if phases else (None, None)
            return (self.shrunk(u - start), self.weights(u), self.weights(v)) + powers

        show_stage(model, self.decisions, start, until, ends, passes)
        shrunk, lifetime = self.shrunk(until - start), interval(*self.lifetimes[0].as_integer_ratio())
        forever = lambda drift: times((drift, drift), lifetime)[1]
        length = (float(until - start),) * 2
        given_away = times(plus((allowance,) * 2, times(shrunk, (up, up))), length)
        lost = times(times(shrunk, (-down, -down)), length)
        h = lambda k, state: phases[k % len(phases)][state] if phases else 0.0
        states = range(model.n_states)
        greatest = max(plus((self.upper[s],) * 2, (-h(0, s),) * 2)[1] for s in states)
        least = min(plus((self.lower[s],) * 2, (-h(0, s),) * 2)[0] for s in states)

        def carried(bound, state, drift):
            at_end = plus(plus((bound,) * 2, (h(until - start, state),) * 2), (-drift,) * 2)
            return plus(times(at_end, shrunk), (drift,) * 2)

        upper = [plus(carried(greatest, s, forever(gain)), given_away)[1] for s in states]
        lower = [plus(carried(least, s, -forever(loss)), lost)[0] for s in states]
        if not all(map(isfinite, upper + lower)):
            raise beyond(f"stage {start + model.origin} to {until + model.origin}")
        self.upper, self.lower = upper, lower

    def leads(self, phases):
        """δ and δ', and z_k of every choice."""
        model = self.model
        self.work.spend(len(phases) * (model.n_transitions + len(model.rows)) * 4)
        up = down = 0.0
        leads = {}
        for state, decision in enumerate(self.decisions):
            for choice in model.choices(state):
                leads[choice] = []
                for k, phase in enumerate(phases):
                    after = -phases[(k + 1) % len(phases)][state]
                    drift = plus(self.expected(choice, phase), (after, after))
                    if not all(map(isfinite, drift)):
                        raise beyond(f"harmonic, state {state}, choice {choice - model.first[state]}")
                    if choice == decision:
                        up, down = max(up, drift[1]), max(down, -drift[0])
                    leads[choice].append(drift[1])
        less = lambda drift: plus((drift, drift), (-up, -up))[1]
        return (up, down), {choice: list(map(less, drifts)) for choice, drifts in leads.items()}

    def segment(self, view):
        old, t = self.model, self.step
        u = t + old.origin - view.origin
        first, before = old.discounts[0], view.discounts[0]
        weights, values = self.weights(t), self.values
        self.work.spend((t.bit_length() + u.bit_length()) * 64)
        unit = 1.0, 1.0
        if first != before or t != u:
            inverse = self.floats.fraction(before.denominator, before.numerator)
            unit = self.outward(self.floats.product(self.floats.power(self.discount, t), self.floats.power(inverse, u)))
        self.lines.word("segment")
        self.enter(view)
        self.step = u
        new = self.read_values()
        new_weights = self.weights(u)
        self.work.spend((old.n + view.n) * old.n_states * 4)
        for state in range(old.n_states):
            found = self.lower[state], self.upper[state]
            for vector, weight in zip(values, weights):
                found = plus(found, times((vector[state],) * 2, weight))
            found = times(found, unit)
            for vector, weight in zip(new, new_weights):
                found = plus(found, times((-vector[state],) * 2, weight))
            if not all(map(isfinite, found)):
                raise beyond(f"segment at step {u + view.origin}, state {state}")
            self.lower[state], self.upper[state] = found
        self.set_values(new)

    def sections(self):
        """Goes back to the first step of the segment."""
        model = self.model
        while self.step > model.start - model.origin:
            keyword = self.lines.line.split(" ")[0]
            earlier = lambda word: earlier_step(model, word, self.step)
            if keyword == "layers":
                start = self.lines.entry("layers", earlier)
                read_layers(model, self.lines, start, self.step, self.decisions, self.layer)
                self.step = start
            elif keyword in ("stage", "harmonic"):
                phases = self.read_harmonic() if keyword == "harmonic" else []
                more = lambda rest: rest if rest.count(" ") == 2 else f"{rest} 0x0p+0"
                granted = lambda rest: several(more(rest), earlier, not_negative, not_negative)
                start, allowance, patient = self.lines.entry("stage", granted)
                self.stage(start, self.step, allowance, patient, phases)
                self.step = start
            elif keyword == "values":
                self.rebase(self.step)
            else:
                raise self.lines.fault("expected `layers`, `stage`, `harmonic` or `values`")

    def check(self):
        self.after_horizon()
        self.sections()
        for view in reversed(self.views[:-1]):
            self.segment(view)
            self.sections()
        self.lines.word("welfare")
        for state in range(self.model.n_states):
            lower, upper = self.lines.entry("between", lambda rest: several(rest, double, double))
            base = 0.0, 0.0
            for values in self.values:
                base = plus(base, (values[state], values[state]))
            found = plus(base, (self.lower[state],) * 2)[0], plus(base, (self.upper[state],) * 2)[1]
            if not all(map(isfinite, found)):
                raise beyond(f"welfare, state {state}")
            if not lower <= found[0]:
                claim = "the strategy may earn less than the lower bound"
                raise Refused(f"welfare, state {state}: {claim}; found {found[0]}, stated {lower}")
            if not found[1] <= upper:
                claim = "somebody may earn more than the upper bound"
                raise Refused(f"welfare, state {state}: {claim}; found {found[1]}, stated {upper}")
        self.lines.end()


# --- the verdict -----------------------------------------------------------------------------------------------------


def check(model_bytes, certificate, work=WORK):
    """Raises Refused or Unreadable unless the certificate, a binary stream, is accepted."""
    lines = Lines(certificate)
    if lines.line == "commonweal-fair-certificate 1":
        import fair

        fair.check(form_of(model_bytes, fair=True), lines, Work(work))
    else:
        check_ordinary(Model(form_of(model_bytes)), lines, Work(work))


def form_of(data, fair=False):
    """The form that a certificate is bound to, of a model file or of the form itself."""
    if data.startswith(b"commonweal-"):
        return data
    import model_file

    try:
        file = model_file.File(data)
        return file.by_principals() if fair else file.canonical()
    except model_file.Unread as error:
        raise Unreadable(str(error)) from error


def check_ordinary(model, lines, work):
    lines.word("commonweal-certificate 1")
    is_for(model.hash, lines)
    kind = lines.entry("kind", lambda rest: {"exact": Exact, "bounds": Bounds}.get(rest))
    kind(model, lines, work).check()


def is_for(hash_, lines):
    stated = lines.entry("model", lambda rest: rest if re.fullmatch(r"[0-9a-f]{64}", rest) else None)
    if stated != hash_:
        raise Refused(f"model: the certificate is for another one; stated {stated}, found {hash_}")


def main(arguments):
    work = WORK
    if arguments[:1] == ["--work"]:
        if len(arguments) < 2 or not re.fullmatch(r"[0-9]{1,30}", arguments[1]):
            print("error: --work: expected a number of operations, such as --work 1000000", file=sys.stderr)
            return 2
        work, arguments = int(arguments[1]), arguments[2:]
    if len(arguments) != 2:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    try:
        with open(arguments[0], "rb") as model:
            data = model.read()
        if arguments[1] == "-":
            check(data, sys.stdin.buffer, work)
        else:
            with open(arguments[1], "rb") as certificate:
                check(data, certificate, work)
    except (OSError, Unreadable) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except Refused as refusal:
        print(f"refused: {refusal}")
        return 1
    print("accepted")
    return 0


if __name__ == "__main__":
    # As a module, so that fair.py raises the exceptions that are caught here.
    import check as module

    sys.exit(module.main(sys.argv[1:]))
