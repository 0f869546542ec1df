"""Model files as people write them, turned into the forms that check.py reads.

What is read is listed in docs/formats/models.md: maps in block and flow style, lists of numbers in brackets, plain and quoted scalars on one line,
comments, and every exact entry of a time preference. Whatever readers of YAML may disagree about is refused: a file that is misread
would make a certificate of another model be accepted. Standard library only.
"""

import re
from fractions import Fraction

CONVERT = "convert it first: commonweal convert MODEL model.canonical"
MAX_BYTES, MAX_DEPTH, MAX_KEY, MAX_DIGITS, MAX_WEIGHT_BITS, MAX_RATES = 1 << 30, 6, 1000, 10_000, 33_000, 1_000
MAX_STEP = (1 << 53) - 1
GREEN_BOOK = {"0": "3.5%", "31": "3%", "76": "2.5%", "126": "2%", "201": "1.5%", "301": "1%"}


class Unread(Exception):
    """A file that is not read here."""


# --- maps, lists and scalars ------------------------------------------------------------------------------------------

# What a plain scalar consists of: no indicator of YAML at its beginning, and nowhere a colon or a hash; in braces and brackets nothing that
# could end it either.
FIRST = r"(?:-(?=[0-9.])|[^\s\-?:,\[\]{}#&*!|>'\"%@`])"
PLAIN = re.compile(FIRST + r"(?:[^\s:#]| (?=[^\s:#]))*")
PLAIN_IN_BRACES = re.compile(FIRST + r"(?:[^\s:#,\[\]{}]| (?=[^\s:#,\[\]{}]))*")
SINGLE, DOUBLE = re.compile(r"'((?:[^'\n]|'')*)'"), re.compile(r'"([^"\\\n]*)"')


class Text:
    """The file, and the place reached in it."""

    def __init__(self, text):
        for number, line in enumerate(text.split("\n"), 1):
            if re.match(r"---|\.\.\.|%", line):
                raise Unread(f"line {number}: a document's mark; {CONVERT}")
        if re.search("[^\n -~\u00a0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]", text):
            raise Unread(f"a character that some readers of YAML take for a line's end, or none allows; {CONVERT}")
        self.text, self.at = text, 0

    def fault(self, why):
        line = self.text.count("\n", 0, self.at) + 1
        return Unread(f"line {line}, column {self.column() + 1}: {why}; {CONVERT}")

    def column(self):
        return self.at - (self.text.rfind("\n", 0, self.at) + 1)

    def peek(self):
        return self.text[self.at : self.at + 1]

    def skip(self):
        """Goes past spaces, line ends and comments."""
        while True:
            self.at = re.compile(r"[ \n]*").match(self.text, self.at).end()
            before = self.text[self.at - 1 : self.at]
            if self.peek() != "#" or before not in ("", " ", "\n"):
                return
            end = self.text.find("\n", self.at)
            self.at = len(self.text) if end < 0 else end

    def scalar(self, in_braces):
        """A scalar, and whether it is quoted."""
        for pattern, quoted in ((SINGLE, True), (DOUBLE, True), (PLAIN_IN_BRACES if in_braces else PLAIN, False)):
            match = pattern.match(self.text, self.at)
            if match:
                self.at = match.end()
                return (match[1].replace("''", "'") if pattern is SINGLE else match[1] if quoted else match[0]), quoted
        raise self.fault("neither a map nor a name or number on one line")

    def ends_line(self):
        """Nothing but a comment may follow on this line."""
        if not re.compile(r" *(?:\n|$| #)").match(self.text, self.at):
            raise self.fault("not expected behind a value")


def read(data):
    """The maps, lists and scalars of a file."""
    if len(data) > MAX_BYTES:
        raise Unread(f"larger than {MAX_BYTES} bytes; {CONVERT}")
    try:
        text = Text(data.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise Unread(f"not UTF-8; {CONVERT}") from error
    text.skip()
    root = flow(text, 1) if text.peek() == "{" else block(text, text.column(), 1)
    text.skip()
    if text.at < len(text.text) or not isinstance(root, dict):
        raise text.fault("not part of the model")
    return root


def put(text, into, key, value):
    if key in into or key == "<<":
        raise text.fault(f"the key `{key}` a second time")
    into[key] = value


def key_of(text, in_braces):
    start = text.at
    key, quoted = text.scalar(in_braces)
    if in_braces and not quoted:
        colon = re.compile(r":(?=[ \n])").match(text.text, text.at)
    else:
        colon = re.compile(r":" if in_braces else r":(?=[ \n])").match(text.text, text.at)
    if not colon or text.at - start > MAX_KEY:
        raise text.fault("a key, its colon and a space were expected")
    text.at = colon.end()
    return key


def block(text, indent, depth):
    """A map whose keys begin in this column, each on a line of its own."""
    if depth > MAX_DEPTH:
        raise text.fault("too many maps in each other")
    entries = {}
    while text.at < len(text.text) and text.column() == indent:
        if text.text[text.at - indent : text.at].strip():
            raise text.fault("a key on a line of its own was expected")
        key = key_of(text, False)
        line = text.text.count("\n", 0, text.at)
        text.skip()
        same_line = text.text.count("\n", 0, text.at) == line and text.at < len(text.text)
        if same_line and text.peek() in ("{", "["):
            put(text, entries, key, flow(text, depth + 1))
            text.ends_line()
        elif same_line:
            put(text, entries, key, text.scalar(False)[0])
            text.ends_line()
        elif text.at < len(text.text) and text.column() > indent and text.peek() not in ("{", "["):
            put(text, entries, key, block(text, text.column(), depth + 1))
            continue
        else:
            raise text.fault(f"nothing stands behind `{key}`")
        text.skip()
    if text.at < len(text.text) and text.column() > indent:
        raise text.fault("a line that is indented without a reason")
    return entries


def flow(text, depth):
    """A map in braces, or a list of scalars in brackets."""
    if depth > MAX_DEPTH:
        raise text.fault("too many maps in each other")
    is_map, close = text.peek() == "{", "}" if text.peek() == "{" else "]"
    found = {} if is_map else []
    text.at += 1
    text.skip()
    while text.peek() != close:
        if is_map:
            key = key_of(text, True)
            text.skip()
            value = flow(text, depth + 1) if text.peek() in ("{", "[") else text.scalar(True)[0]
            put(text, found, key, value)
        else:
            found.append(text.scalar(True)[0])
        text.skip()
        if text.peek() == ",":
            text.at += 1
            text.skip()
        elif text.peek() != close:
            raise text.fault("a comma or the end was expected")
    text.at += 1
    return found


# --- numbers and time preferences -------------------------------------------------------------------------------------

DECIMAL = r"-?[0-9]{1,10000}(?:\.[0-9]{1,10000})?(?:[eE][+-]?[0-9]{1,4})?"


def number(word):
    if not isinstance(word, str) or not re.fullmatch(rf"{DECIMAL}(?:/{DECIMAL})?", word):
        raise Unread(f"`{str(word)[:40]}` is not a number; {CONVERT}")
    above, _, below = word.partition("/")
    if below and Fraction(below) == 0:
        raise Unread(f"`{word}` divides by 0")
    value = Fraction(above) / Fraction(below or 1)
    if max(abs(value.numerator), value.denominator) >= 10**MAX_DIGITS:
        raise Unread(f"`{word[:40]}` is too long")
    return value


def discount(word):
    value = number(word)
    if not 0 <= value < 1:
        raise Unread(f"`{word}`: a discount is within [0, 1)")
    return value


def rate(word):
    value = number(word[:-1].rstrip(" ")) / 100 if isinstance(word, str) and word.endswith("%") else number(word)
    if not 0 < value <= 1:
        raise Unread(f"`{word}`: a rate is above 0 and at most 100%; {CONVERT}")
    return value


def step(word):
    value = number(word)
    if value.denominator > 1 or not 0 <= value <= MAX_STEP:
        raise Unread(f"`{word}` is not a step")
    return int(value)


def later(coefficient, factor, steps):
    """What a part counts for some steps later, unless that is too long."""
    bits = lambda x: max(x.numerator.bit_length(), x.denominator.bit_length())
    if steps * bits(factor) + bits(coefficient) > MAX_WEIGHT_BITS:
        raise Unread(f"a weight is too long; {CONVERT}")
    return coefficient * factor**steps


def merged(parts):
    """The parts (c, λ) with equal λ added up."""
    sums = {}
    for coefficient, factor in parts:
        sums[factor] = sums.get(factor, 0) + coefficient
    return [(coefficient, factor) for factor, coefficient in sums.items() if coefficient]


def preference(entry):
    """The segments (from, parts) of a principal's entry, and its weight."""
    if isinstance(entry, str):
        return [(0, [(Fraction(1), discount(entry))])], Fraction(1)
    if not isinstance(entry, dict):
        raise Unread("a principal is a discount or a map")
    entry = dict(entry)
    weight = number(entry.pop("weight", "1"))
    kinds = frozenset(entry)
    one = Fraction(1)
    if kinds <= {"discount", "rate", "until"} and len(kinds - {"until"}) == 1:
        factor = discount(entry["discount"]) if "discount" in entry else 1 / (1 + rate(entry["rate"]))
        segments = [(0, [(one, factor)])]
        if "until" in entry:
            until = step(entry["until"])
            if until == 0:
                raise Unread("`until: 0`: no step counts")
            # The discount 0 counts one step anyway.
            segments += [(until, [])] if factor else []
        return segments, weight
    if kinds == {"beta", "delta"}:
        beta, delta = number(entry["beta"]), discount(entry["delta"])
        if not 0 <= beta <= 1:
            raise Unread("a beta is within [0, 1]")
        return [(0, merged([(beta, delta), (1 - beta, Fraction(0))]))], weight
    if kinds == {"survey"}:
        rates = entry["survey"]
        if not isinstance(rates, list) or not 1 <= len(rates) <= MAX_RATES:
            raise Unread(f"a survey is a list of 1 to {MAX_RATES} rates; {CONVERT}")
        return [(0, merged([(Fraction(1, len(rates)), 1 / (1 + rate(word))) for word in rates]))], weight
    if kinds == {"schedule"}:
        return schedule(entry["schedule"]), weight
    raise Unread(f"a principal has one exact time preference; {CONVERT}")


def schedule(entry):
    """The rate of step k leads from step k − 1 to step k."""
    by_step = GREEN_BOOK if entry == "green-book" else entry
    if not isinstance(by_step, dict):
        raise Unread("a schedule is a map of steps to rates, or green-book")
    rates = [(step(word), rate(value)) for word, value in by_step.items()]
    if not rates or rates[0][0] > 1 or any(left[0] >= right[0] for left, right in zip(rates, rates[1:])):
        raise Unread(f"the steps of a schedule increase, from 0 or 1 on; {CONVERT}")
    segments = []
    for at, value in rates:
        start, factor = max(at - 1, 0), 1 / (1 + value)
        if not segments or segments[-1][0] == start:
            segments = [(0, [(Fraction(1), factor)])]
            continue
        before, [(weight, last)] = segments[-1]
        if factor != last:
            segments.append((start, [(later(weight, last, start - before), factor)]))
    return segments


# --- the forms ---------------------------------------------------------------------------------------------------------


def integer_text(value):
    if abs(value) < 1 << 64:
        return str(value)
    return ("-" if value < 0 else "") + hex(abs(value))


def number_text(value):
    above = integer_text(value.numerator)
    return above if value.denominator == 1 else f"{above}/{integer_text(value.denominator)}"


def texts(values):
    return " ".join(map(number_text, values))


class File:
    """A model file."""

    def __init__(self, data):
        root = read(data)
        unknown = set(root) - {"start", "principals", "states", "name", "description", "step"}
        if unknown or not all(isinstance(root.get(key), dict) and root[key] for key in ("principals", "states")):
            raise Unread("a model has `principals` and `states`, and perhaps `start`, `name`, `description` and `step`")
        self.names = list(root["principals"])
        self.preferences = [preference(entry) for entry in root["principals"].values()]
        self.positions = {name: at for at, name in enumerate(root["states"])}
        start = root.get("start", next(iter(self.positions)))
        if not isinstance(start, str) or start not in self.positions:
            raise Unread("`start` is no state")
        if any(not isinstance(root.get(key, ""), str) for key in ("name", "description", "step")):
            raise Unread("`name`, `description` and `step` are text")
        self.states = [self.choices(choices) for choices in root["states"].values()]

    def choices(self, choices):
        if not isinstance(choices, dict) or not choices:
            raise Unread("a state has actions")
        return [self.choice(choice) for choice in choices.values()]

    def choice(self, choice):
        """The rewards of the principals, and the row."""
        if not isinstance(choice, dict) or not {"to"} <= set(choice) <= {"reward", "to"}:
            raise Unread("an action has `to` and perhaps `reward`")
        reward, to = choice.get("reward", "0"), choice["to"]
        if isinstance(reward, dict):
            if not set(reward) <= set(self.names):
                raise Unread("a reward for somebody who is no principal")
            rewards = [number(reward.get(name, "0")) for name in self.names]
        else:
            rewards = [number(reward)] * len(self.names)
        row = {to: Fraction(1)} if isinstance(to, str) else {name: number(p) for name, p in to.items()} if isinstance(to, dict) else {}
        if not row or any(name not in self.positions for name in row):
            raise Unread("an action leads to states of the model")
        if any(p <= 0 for p in row.values()) or sum(row.values()) != 1:
            raise Unread(f"probabilities are positive and sum to exactly 1; {CONVERT}")
        return rewards, sorted((self.positions[name], p) for name, p in row.items())

    def counted(self):
        """The positions of those who count: of everybody, if nobody does."""
        return [p for p, (_, weight) in enumerate(self.preferences) if weight] or list(range(len(self.names)))

    def body(self, rewards_of):
        lines = [f"states {len(self.states)}"]
        for choices in self.states:
            lines.append(f"choices {len(choices)}")
            for rewards, row in choices:
                ends = " ".join(f"{target} {number_text(p)}" for target, p in row)
                lines.append(f"{texts(rewards_of(rewards))} > {ends}")
        return [*lines, "end", ""]

    def canonical(self):
        """The canonical form."""
        head, begins = ["commonweal-model 1"], sorted({start for segments, _ in self.preferences for start, _ in segments})
        if len(begins) > 1:
            head.append(f"rewards {len(self.names)}")
            before = None
            for start in begins:
                before, lines = self.segment(start, before)
                head += lines
            return "\n".join(head + self.body(lambda rewards: rewards)).encode()
        parts = [(p, c, factor) for p in self.counted() for c, factor in self.preferences[p][0][0][1]]
        discounts = sorted({factor for _, _, factor in parts}, reverse=True)
        weight = [weight for _, weight in self.preferences]

        def by_discount(rewards):
            sums = dict.fromkeys(discounts, Fraction(0))
            for p, c, factor in parts:
                sums[factor] += c * weight[p] * rewards[p]
            return sums.values()

        return "\n".join([*head, f"discounts {texts(discounts)}", *self.body(by_discount)]).encode()

    def segment(self, start, before):
        """The lines of the segment of the model that begins at a step; its origin and first discount, given those of the segment before."""
        own = []
        for p in self.counted():
            began, parts = [segment for segment in self.preferences[p][0] if segment[0] <= start][-1]
            own += [(p, began, c, factor) for c, factor in parts if factor or began == start]
        origin_before, discount_before = before or (start, Fraction(1, 2))
        origin = max((began for _, began, _, _ in own), default=origin_before)
        discounts = sorted({factor for *_, factor in own}, reverse=True)
        if not discounts or discounts[0] == 0:
            discounts.insert(0, discount_before)
        lines = [f"segment {start} {origin}"]
        for factor in discounts:
            counts = [Fraction(0)] * len(self.names)
            for p, began, c, own_factor in own:
                if own_factor == factor:
                    counts[p] = later(c, factor, origin - began) * self.preferences[p][1]
            lines.append(f"part {number_text(factor)} {texts(counts)}")
        return (origin, discounts[0]), lines

    def by_principals(self):
        """The form by principals, for fair certificates."""
        lines = ["commonweal-principals 1", f"principals {len(self.names)}"]
        for segments, _ in self.preferences:
            if len(segments) > 1:
                raise Unread("a fair certificate knows no schedules and no terms")
            terms = sorted(segments[0][1], key=lambda part: -part[1])
            lines.append(" ".join(f"{number_text(c)} {number_text(factor)}" for c, factor in terms))
        return "\n".join(lines + self.body(lambda rewards: rewards)).encode()
