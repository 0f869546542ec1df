"""Certificates of fair answers, written from docs/formats/fair-certificate-v1.md alone; check.py hands them over."""

import hashlib
import io
from fractions import Fraction
from math import gcd, isfinite

from check import (
    MAX_COUNT,
    MAX_MODEL_BYTES,
    Lines,
    Model,
    Refused,
    Unreadable,
    advantage,
    ahead,
    beyond,
    canonical_fraction,
    check_ordinary,
    count,
    double,
    fraction_parts,
    interval,
    is_for,
    natural,
    plus,
    read_doubles,
    read_layers,
    read_tail,
    read_values,
    several,
    step_back,
    times,
    value_words,
)

MAX_BITS = 1 << 20


# --- §2: the form by principals --------------------------------------------------------------------------------------


class Principals(Model):
    """A model with the rewards and the discount of each term, principal by principal."""

    def __init__(self, data):
        self.hash = hashlib.sha256(data).hexdigest()
        if len(data) > MAX_MODEL_BYTES:
            raise Unreadable("the model is too large")
        lines = Lines(io.BytesIO(data))
        if lines.line != "commonweal-principals 1":
            raise Unreadable("a fair certificate needs the form by principals: commonweal convert MODEL model.principals")
        lines.advance()
        self.n = lines.entry("principals", lambda rest: count(rest) or None)
        self.terms = [lines.take(read_terms) for _ in range(self.n)]
        self.discounts = [Fraction(0)] * self.n
        self.read_states(lines)
        self.own_rewards, self.n_principals = self.rewards, self.n
        self.owner = [p for p, terms in enumerate(self.terms) for _ in terms]
        self.coefficients = [c for terms in self.terms for c, _ in terms]
        self.discounts = [discount for terms in self.terms for _, discount in terms]
        self.rewards = [[rewards[p] for p in self.owner] for rewards in self.own_rewards]
        self.n = len(self.discounts)
        self.measure()

    def weighted(self, weights):
        """The canonical form for these weights."""
        nobody = not any(weights)
        counted = [p for p in range(self.n_principals) if nobody or weights[p]]
        discounts = sorted({discount for p in counted for _, discount in self.terms[p]}, reverse=True)
        lines = ["commonweal-model 1", "discounts " + " ".join(map(text, discounts)), f"states {self.n_states}"]
        for state in range(self.n_states):
            lines.append(f"choices {len(self.choices(state))}")
            for choice in self.choices(state):
                merged = dict.fromkeys(discounts, Fraction(0))
                for p in counted:
                    for coefficient, discount in self.terms[p]:
                        merged[discount] += weights[p] * coefficient * self.own_rewards[choice][p]
                row = [f"{target} {text(probability)}" for target, probability in self.rows[choice]]
                lines.append(" ".join([text(merged[discount]) for discount in discounts] + [">"] + row))
        try:
            return Model(("\n".join(lines) + "\nend\n").encode())
        except Unreadable:
            raise Unreadable("its weights make numbers that are too long") from None


def read_terms(line):
    numbers = [canonical_fraction(word) for word in line.split(" ")]
    if None in numbers or len(numbers) % 2:
        return None
    terms = list(zip(numbers[::2], numbers[1::2]))
    falling = all(left[1] > right[1] for left, right in zip(terms, terms[1:]))
    return terms if falling and all(c != 0 and 0 <= discount < 1 for c, discount in terms) else None


def text(number):
    def integer(value):
        return str(value) if abs(value) < 1 << 64 else ("-" if value < 0 else "") + hex(abs(value))

    number = Fraction(number)
    return integer(number.numerator) + ("" if number.denominator == 1 else "/" + integer(number.denominator))


# --- §3: the question and the claim ----------------------------------------------------------------------------------


def fraction(word):
    parts = fraction_parts(word)
    if parts is None or max(abs(parts[0]), parts[1]).bit_length() > MAX_BITS:
        return None
    return Fraction(*parts)


def fractions(rest):
    numbers = [fraction(word) for word in rest.split(" ")]
    return None if None in numbers else numbers


def positive(word):
    value = fraction(word)
    return value if value is not None and value > 0 else None


class Question:
    def __init__(self, model, lines):
        self.n = n = model.n_principals

        def each(rest):
            numbers = fractions(rest)
            return numbers if numbers is not None and len(numbers) == n else None

        def flagged(rest, flag):
            word, _, numbers = rest.partition(" ")
            numbers = each(numbers)
            return (word == flag, numbers) if word in ("given", flag) and numbers is not None else None

        def counted(rest):
            positions = [count(word) for word in rest.split(" ")]
            if None in positions or positions[-1] >= n or any(a >= b for a, b in zip(positions, positions[1:])):
                return None
            return positions

        def rule(rest):
            name, _, numbers = rest.partition(" ")
            self.name, self.numbers, self.own_best, self.counted, self.alpha = name, None, False, None, None
            if name in ("max-min", "leximin"):
                return True if rest == name else None
            if name in ("welfare", "gini"):
                self.numbers = each(numbers)
                if self.numbers is None:
                    return None
                falling = all(a >= b for a, b in zip(self.numbers, self.numbers[1:])) and self.numbers[-1] >= 0
                return True if name == "welfare" or falling else None
            if name == "kalai-smorodinsky":
                found = flagged(numbers, "own-best")
                if found is None or min(found[1]) < 0:
                    return None
                self.own_best, self.numbers = found
                return True
            if name == "nash":
                self.counted = counted(numbers)
                return True if self.counted is not None else None
            if name == "alpha":
                alpha, _, positions = numbers.partition(" ")
                parts = [count(word) for word in alpha.split("/")]
                self.counted = counted(positions)
                if self.counted is None or len(parts) != 2 or None in parts or not all(1 <= part <= 64 for part in parts):
                    return None
                self.alpha = tuple(parts)
                return True if gcd(*parts) == 1 and parts[0] != parts[1] else None
            return None

        self.start = lines.entry("start", lambda rest: natural(rest, model.n_states - 1))
        lines.entry("rule", rule)
        self.own_worst, self.over = lines.entry("over", lambda rest: flagged(rest, "own-worst"))
        self.rows = []  # (principal, sign, bound)
        for word, sign in (("at-least", 1), ("at-most", -1)):
            least = 0
            while lines.line.split(" ")[0] == word:
                p, bound = lines.entry(word, lambda rest: several(rest, count, fraction))
                if not least <= p < n:
                    raise lines.fault("principals out of order, above")
                least = p + 1
                self.rows.append((p, sign, sign * bound))
        self.missing = self.lower = self.upper = None
        if lines.line.startswith("missing"):
            self.missing = lines.entry("missing", positive)
            return
        self.lower, self.upper = lines.entry("value", lambda rest: several(rest, fraction, fraction))
        if self.alpha:

            def all_positive(rest):
                numbers = [positive(word) for word in rest.split(" ")]
                return None if None in numbers or len(numbers) != len(self.counted) else numbers

            self.powers, self.roots = lines.entry("powers", all_positive), lines.entry("roots", all_positive)
        if self.name == "kalai-smorodinsky" and not any(self.numbers):
            raise lines.fault("nobody has a range, above")
        if self.name == "leximin" and self.lower != self.upper:
            raise lines.fault("leximin has one value, above")

    def lottery_is_worth_it(self, payoffs):
        for p, sign, bound in self.rows:
            found = payoffs[p][0] if sign > 0 else -payoffs[p][1]
            if found < bound:
                claim = "less than is demanded" if sign > 0 else "more than is allowed"
                raise Refused(f"lottery: principal {p} may get {claim}; found {found}, asked {bound}")
        gains = [least - over for (least, _), over in zip(payoffs, self.over)]
        for p in self.counted or []:
            if gains[p] <= 0:
                raise Refused(f"lottery: principal {p} may not gain; found {gains[p]}, not above 0")
        if self.name == "welfare":
            ends = [most - over if m < 0 else gain for (_, most), over, gain, m in zip(payoffs, self.over, gains, self.numbers)]
            found = sum(m * end for m, end in zip(self.numbers, ends))
        elif self.name == "gini":
            found = sum(g * gain for g, gain in zip(self.numbers, sorted(gains)))
        elif self.name == "kalai-smorodinsky":
            found = min(gain / r for gain, r in zip(gains, self.numbers) if r)
        elif self.name == "nash":
            found = Fraction(1)
            for p in self.counted:
                found *= gains[p]
        elif self.alpha:
            a, b = self.alpha
            for p, own in zip(self.counted, self.powers):
                left, right = own**b, gains[p] ** (b - a)
                if not (left <= right if a < b else left >= right):
                    raise Refused(f"powers, principal {p}: not on the safe side; stated {own}")
            found = Fraction(b, b - a) * sum(self.powers)
        else:
            found = min(gains)
        if found < self.lower:
            raise Refused(f"value: the lottery may be worth less; found {found}, stated {self.lower}")


# --- §4: the lottery -------------------------------------------------------------------------------------------------


def read_horizon(lines):
    return lines.entry("horizon", lambda rest: natural(rest, MAX_COUNT))


def walk(model, lines, horizon, decisions, visit):
    if horizon:
        lines.entry("layers", lambda rest: True if rest == "0" else None)
        read_layers(model, lines, 0, horizon, decisions, visit)


def is_value_of(model, work, values, i, decisions, place):
    work.spend((model.n_transitions + model.n_states) * (model.words + 4) * (value_words([values]) + model.words))
    for state, decision in enumerate(decisions):
        found = advantage(model, values, i, state, decision)
        if found[0] != 0:
            raise Refused(f"{place(state)}: the values are not those of its choices; advantage {Fraction(*found)}, not 0")


def check_lottery(model, question, lines, work):
    payoffs, total = [[Fraction(0), Fraction(0)] for _ in range(model.n_principals)], Fraction(0)
    for number in range(lines.entry("lottery", lambda rest: count(rest) or None)):
        share = lines.entry("share", positive)
        total += share
        is_exact = lines.entry("numbers", lambda rest: {"exact": 1, "doubles": 0}.get(rest))
        if not is_exact and question.name == "leximin":
            raise lines.fault("the lottery of leximin has exact numbers")
        ends = (in_fractions if is_exact else in_doubles)(model, question.start, number, lines, work)
        for p, coefficient, pair in zip(model.owner, model.coefficients, ends):
            scaled = sorted(coefficient * share * end for end in pair)
            payoffs[p][0] += scaled[0]
            payoffs[p][1] += scaled[1]
    if total != 1:
        raise lines.fault("the shares above do not sum to 1")
    return payoffs


def in_fractions(model, start, number, lines, work):
    horizon = read_horizon(lines)
    decisions = read_tail(model, lines)
    values = read_values(model, lines)
    for i, p in enumerate(model.owner):
        is_value_of(model, work, values[i], i, decisions, lambda state: f"share {number}, state {state}, principal {p}")

    def visit(_t):
        values[:] = [step_back(model, work, values[i], i, decisions) for i in range(model.n)]

    walk(model, lines, horizon, decisions, visit)
    return [(Fraction(numerators[start], denominator),) * 2 for denominator, numerators in values]


def in_doubles(model, start, number, lines, work):
    horizon = read_horizon(lines)
    decisions = read_tail(model, lines)
    values = read_doubles(model, lines)
    amount = 4 * (model.n_transitions + model.n_states)
    walked = []
    for i, p in enumerate(model.owner):
        work.spend(amount)
        walked.append(Walked(model, i, f"share {number}, principal {p}", values[i], decisions))

    def visit(_t):
        for own in walked:
            work.spend(amount)
            own.layer(decisions)

    walk(model, lines, horizon, decisions, visit)
    return [own.worth(start) for own in walked]


class Walked:
    """A term on its way back to the start: values, and the gain over them."""

    def __init__(self, model, i, place, values, decisions):
        of = lambda x: interval(x.numerator, x.denominator, place)
        self.model, self.place, self.values = model, place, values
        self.rewards = [of(rewards[i]) for rewards in model.rewards]
        for rewards in model.rewards:  # every number of the model is asked to be finite
            for reward in rewards:
                of(reward)
        self.rows = [[(target, of(p)) for target, p in row] for row in model.rows]
        self.discount = of(model.discounts[i])
        lifetime = of(1 / (1 - model.discounts[i]))
        most = least = 0.0
        for state, decision in enumerate(decisions):
            low, high = self.advantage(state, decision)
            most, least = max(most, high), max(least, -low)
        after = lambda drift: times((drift, drift), lifetime)[1]
        self.gains = [self.finite((-after(least), after(most)))] * model.n_states

    def finite(self, pair):
        if not all(map(isfinite, pair)):
            raise beyond(self.place)
        return pair

    def expected(self, choice, of):
        total = 0.0, 0.0
        for target, probability in self.rows[choice]:
            total = plus(total, times(of(target), probability))
        return total

    def advantage(self, state, choice):
        later = times(self.expected(choice, lambda target: (self.values[target],) * 2), self.discount)
        own = -self.values[state]
        return self.finite(plus(plus(later, self.rewards[choice]), (own, own)))

    def layer(self, decisions):
        gains = []
        for state, choice in enumerate(decisions):
            later = times(self.expected(choice, lambda target: self.gains[target]), self.discount)
            gains.append(self.finite(plus(self.advantage(state, choice), later)))
        self.gains = gains

    def worth(self, start):
        ends = self.finite(plus((self.values[start],) * 2, self.gains[start]))
        return tuple(map(Fraction, ends))


# --- §5: the steps ---------------------------------------------------------------------------------------------------


class Steps:
    def __init__(self, question, lines):
        self.question = question
        n, n_steps = question.n, lines.entry("steps", lambda rest: count(rest) or None)
        missing, n_rows, n_open = question.missing is not None, len(question.rows), question.n
        leximin = question.name == "leximin" and not missing
        self.steps = []  # (word, t, y, v)
        for k in range(n_steps):
            last = k + 1 == n_steps

            def read(line):
                word, space, rest = line.partition(" ")
                numbers = fractions(rest) if space else []
                if numbers is None:
                    return None
                least = None
                if word == "least" and leximin and numbers:
                    least = numbers.pop(0)
                elif not (word == "tight" and not last) and not (word == "bound" and last and not leximin):
                    return None
                n_gains = 0 if word == "tight" or missing else n
                if len(numbers) != n_rows + n_gains:
                    return None
                return word, least, numbers[:n_rows], numbers[n_rows:]

            step = lines.take(read)
            if step[0] == "least":
                n_rows += n_open
                n_open -= min(n_open, sum(1 for gain in step[3] if gain))
            self.steps.append(step)

    def follow(self, visit):
        rows = [[*row, True] for row in self.question.rows]  # principal, sign, bound, open
        fixed = [False] * self.question.n
        for k, (word, least, y, v) in enumerate(self.steps):
            visit(k, word, least, y, v, rows, fixed)
            for row, multiplier in zip(rows, y):
                row[3] = row[3] and multiplier == 0
            if word == "least":
                for p in [p for p in range(self.question.n) if not fixed[p]]:
                    fixed[p] = v[p] != 0
                    rows.append([p, 1, self.question.over[p] + least, not fixed[p]])
        if self.steps[-1][0] == "least" and not all(fixed):
            raise Refused(f"steps: what principal {fixed.index(False)} can get is not settled")

    def weights(self):
        found = []

        def visit(k, word, _least, y, v, rows, fixed):
            if any(row[3] and multiplier < 0 for row, multiplier in zip(rows, y)):
                raise Refused(f"step {k}: a multiplier of an open row is negative")
            if not self.gains_fit(word, y, v, rows, fixed):
                raise Refused(f"step {k}: the gains do not count as the rule asks")
            weights = list(v) or [Fraction(0)] * self.question.n
            for (p, sign, _, _), multiplier in zip(rows, y):
                weights[p] += sign * multiplier
            found.append(weights)

        self.follow(visit)
        return found

    def gains_fit(self, word, y, v, rows, fixed):
        question = self.question
        if word == "tight":
            return True
        if word == "least":
            return min(v) >= 0 and sum(v) == 1 and not any(gain and done for gain, done in zip(v, fixed))
        if question.missing is not None:
            return sum(multiplier for row, multiplier in zip(rows, y) if row[3]) == 1
        if question.name == "welfare":
            return v == question.numbers
        if question.name == "kalai-smorodinsky":
            idle = any(gain and not r for gain, r in zip(v, question.numbers))
            return min(v) >= 0 and not idle and sum(gain * r for gain, r in zip(v, question.numbers)) == 1
        if question.name == "gini":
            falling, g = sorted(v, reverse=True), question.numbers
            return all(sum(falling[:k]) <= sum(g[:k]) for k in range(1, len(g))) and sum(v) == sum(g)
        if question.counted is not None:
            return all(gain > 0 if p in question.counted else gain == 0 for p, gain in enumerate(v))
        return min(v) >= 0 and sum(v) == 1

    def prove(self, halves, payoffs):
        question, firsts = self.question, []

        def visit(k, word, least, y, v, rows, fixed):
            left = halves[k] - sum(multiplier * row[2] for row, multiplier in zip(rows, y))
            most = left - sum(gain * over for gain, over in zip(v, question.over))
            if word == "tight" and left > 0:
                raise Refused(f"step {k}: the demands may leave room; {left} more than they ask")
            if word == "least":
                if most > least:
                    raise Refused(f"step {k}: the least may be greater; at most {most}, stated {least}")
                for p in range(question.n):
                    if not fixed[p] and payoffs[p][0] - question.over[p] < least:
                        raise Refused(f"step {k}: the lottery gives principal {p} less; stated {least}")
                firsts.append(least)
            if word == "bound":
                self.bound(most, v)

        self.follow(visit)
        if firsts and firsts[0] != question.upper:
            raise Refused(f"value: not the least of the first step; found {firsts[0]}, stated {question.upper}")

    def bound(self, most, v):
        question = self.question
        if question.missing is not None:
            if most + question.missing > 0:
                raise Refused(f"bound: less may be missing; found {-most}, stated {question.missing}")
            return
        found = most
        if question.name == "nash":
            if most < 0:
                raise Refused(f"bound: not all can gain; sum {most}, not ≥ 0")
            found = (most / len(question.counted)) ** len(question.counted)
            for p in question.counted:
                found /= v[p]
        if question.alpha:
            a, b = question.alpha
            for p, root in zip(question.counted, question.roots):
                left, right = root**a, v[p] ** (a - b)
                if not (left >= right if a < b else left <= right):
                    raise Refused(f"roots, principal {p}: not on the safe side; stated {root}")
            found = most + Fraction(a, b - a) * sum(question.roots)
        if found > question.upper:
            raise Refused(f"bound: something may be worth more; at most {found}, stated {question.upper}")


# --- §6: levels ------------------------------------------------------------------------------------------------------


class Levels:
    def __init__(self, model, weights, lines, work):
        self.work = work
        lines.word("levels")
        self.horizon = read_horizon(lines)
        self.decisions = read_tail(model, lines)
        self.models, self.values, self.bits = [], [], []
        for k, own in enumerate(weights):
            weighted = model.weighted(own)
            values = read_values(weighted, lines)
            if self.horizon == 0 and 0 in weighted.discounts:
                raise lines.fault("a discount of 0 needs a horizon of at least 1, above")
            for i in range(weighted.n):
                place = lambda state: f"level {k}, state {state}, discount {i}"
                is_value_of(weighted, work, values[i], i, self.decisions, place)
            self.models.append(weighted)
            self.values.append(values)
            self.bits.append(sum(d.numerator.bit_length() + d.denominator.bit_length() for d in weighted.discounts))
        self.after_horizon()
        walk(model, lines, self.horizon, self.decisions, self.layer)

    def powers(self, t):
        powers = []
        for model, bits in zip(self.models, self.bits):
            self.work.spend((t * bits // 64 + 1) ** 2)
            powers.append([discount**t for discount in model.discounts])
        return powers

    def after_horizon(self):
        t, powers = self.horizon, self.powers(self.horizon)
        for state in range(self.models[0].n_states):
            for number, choice in enumerate(self.models[0].choices(state)):
                for k, (model, values) in enumerate(zip(self.models, self.values)):
                    long = t * self.bits[k] // 64 + value_words(values) + model.n * model.words + 1
                    self.work.spend(model.n * (model.words + 4) * long)
                    lasting = [i for i in range(model.n) if model.discounts[i]]
                    found = [Fraction(*advantage(model, values[i], i, state, choice)) * powers[k][i] for i in lasting]
                    if not any(found):
                        continue
                    sums = [sum(found[: i + 1]) for i in range(len(found))]
                    if max(sums) > 0 or sums[-1] >= 0:
                        place = f"level {k}, horizon {t}, state {state}, choice {number}"
                        raise Refused(f"{place}: the choice may pay at or after the horizon; sum {sums[-1]}")
                    break

    def layer(self, t):
        powers = self.powers(t)
        for state, decision in enumerate(self.decisions):
            own = [None] * len(self.models)
            for choice in self.models[0].choices(state):
                if all(
                    model.rewards[choice] == model.rewards[decision] and model.rows[choice] == model.rows[decision]
                    for model in self.models
                ):
                    continue
                for k, model in enumerate(self.models):
                    if own[k] is None:
                        own[k] = self.worth(t, k, decision, powers[k])
                    found = self.worth(t, k, choice, powers[k])
                    if found > own[k]:
                        first = model.first[state]
                        claim = f"choice {choice - first} may beat the stated choice {decision - first}"
                        raise Refused(f"level {k}, step {t}, state {state}: {claim}; worth {found} against {own[k]}")
                    if found < own[k]:
                        break
        for model, values in zip(self.models, self.values):
            values[:] = [step_back(model, self.work, values[i], i, self.decisions) for i in range(model.n)]

    def worth(self, t, k, choice, powers):
        model, values = self.models[k], self.values[k]
        self.work.spend((t * self.bits[k] // 64 + value_words(values) + model.words + 1) ** 2)
        return sum(Fraction(*ahead(model, values[i], i, choice)) * powers[i] for i in range(model.n))

    def halves(self, start):
        return [sum(Fraction(numerators[start], denominator) for denominator, numerators in values) for values in self.values]


# --- ordinary certificates inside, and the verdict -------------------------------------------------------------------


def ordinary(model, start, weights, lines, work, place):
    """Whether the welfare of the start state is stated exactly, and the number that nothing exceeds."""
    if lines.line != "commonweal-certificate 1":
        raise lines.fault("expected an ordinary certificate")
    embedded, since_welfare, stated = [], None, None
    while True:
        line = lines.line
        if since_welfare == start:
            stated = read_welfare(line)
        since_welfare = since_welfare + 1 if since_welfare is not None else 0 if line == "welfare" else None
        embedded.append(line)
        lines.advance()
        if line == "end":
            break
    try:
        inside = Lines(io.BytesIO(("\n".join(embedded) + "\n").encode()))
        check_ordinary(model.weighted(weights), inside, work)
    except Refused as refusal:
        raise Refused(f"{place}: {refusal}") from None
    if stated is None:
        raise Unreadable(f"{place}: no welfare of the start state")
    return stated


def read_welfare(line):
    if line.startswith("exact "):
        parts = fraction_parts(line[6:])
        return None if parts is None else (True, Fraction(*parts))
    pair = several(line[8:], double, double) if line.startswith("between ") else None
    return None if pair is None else (False, Fraction(pair[1]))


def check(model_bytes, lines, work):
    model = Principals(model_bytes)
    lines.word("commonweal-fair-certificate 1")
    is_for(model.hash, lines)
    question = Question(model, lines)
    payoffs = []
    if question.missing is None:
        payoffs = check_lottery(model, question, lines, work)
        question.lottery_is_worth_it(payoffs)
    steps = Steps(question, lines)
    weights = steps.weights()
    if lines.line == "levels":
        halves = Levels(model, weights, lines, work).halves(question.start)
    else:
        lines.word("certificate")
        if len(weights) != 1:
            raise lines.fault("several steps are proven by levels")
        halves = [ordinary(model, question.start, weights[0], lines, work, "proof")[1]]
    steps.prove(halves, payoffs)
    extremes = [("worst", p) for p in range(question.n)] if question.own_worst else []
    if question.own_best:
        extremes += [("best", p) for p in range(question.n)]
    elif question.counted is not None and question.missing is None:
        extremes += [("best", p) for p in range(question.n) if p not in question.counted]
    for word, p in extremes:
        lines.entry(word, lambda rest: True if count(rest) == p else None)
        own = [Fraction(0)] * question.n
        own[p] = Fraction(-1 if word == "worst" else 1)
        is_exact, found = ordinary(model, question.start, own, lines, work, f"{word} {p}")
        expected = -question.over[p] if word == "worst" else question.over[p] + (question.numbers[p] if question.own_best else 0)
        if not is_exact or found != expected:
            raise Refused(f"{word} {p}: not what the certificate says; found {found}, stated {expected}")
    lines.end()
