"""The baseline: what the paper describes, in Python with numpy.

Phase 1 is value iteration for one principal after the other, most patient first, each on the actions that the ones before
left over. Phase 2 unravels: it goes forward until all initial sums are at most 0, then back layer by layer. Nothing is
jumped over, nothing is exact. The paper does not say when its value iteration stops or when two actions tie; the choices
made here are PRECISION and `tie`, and `bound` says what they can do to the welfare.

Times are those of the processor, so that other programs on the machine matter little. Models come on standard input: a line of JSON with the sizes, then arrays of eight-byte numbers. An answer is a line of
JSON. Without a line, the program ends.
"""

import json
import sys
import time

import numpy as np

# Value iteration stops when a sweep changes no value by more than this part of the largest reward.
PRECISION = 1e-9


class Model:
    def __init__(self, head, stream):
        def array(kind, count):
            return np.frombuffer(stream.read(8 * count), dtype=kind)

        states, choices, transitions = head["states"], head["choices"], head["transitions"]
        self.start = head["start"]
        self.discounts = head["discounts"]
        self.first_choice = array("<i8", states + 1)
        self.first_transition = array("<i8", choices + 1)
        self.target = array("<i8", transitions)
        self.probability = array("<f8", transitions)
        self.rewards = array("<f8", choices * len(self.discounts)).reshape(choices, -1)
        self.state = np.repeat(np.arange(states), np.diff(self.first_choice))

    def expected(self, values):
        """Σ_t P(t | s, a) values(t), for every choice."""
        return np.add.reduceat(self.probability * values[self.target], self.first_transition[:-1])

    def best(self, numbers):
        """The greatest number of a choice, for every state."""
        return np.maximum.reduceat(numbers, self.first_choice[:-1])


def value_iteration(model, reward, discount):
    """The values of the best strategy, what the last sweep changed, and the number of sweeps."""
    finite = np.abs(reward[np.isfinite(reward)]).max()
    values = np.zeros(len(model.first_choice) - 1)
    sweeps = 0
    while True:
        improved = model.best(reward + discount * model.expected(values))
        change = np.abs(improved - values).max()
        values, sweeps = improved, sweeps + 1
        if change <= PRECISION * finite:
            return values, change, sweeps


def long_term(model):
    """Algorithm 1: values, which choices each principal left over, how far off an advantage may be, and sweeps."""
    allowed = np.ones(len(model.state), dtype=bool)
    values, left, errors, sweeps = [], [], [], 0
    for i, discount in enumerate(model.discounts):
        reward = np.where(allowed, model.rewards[:, i], -np.inf)
        value, change, n = value_iteration(model, reward, discount)
        worth = reward + discount * model.expected(value)
        # The values are off by at most change · λ/(1 − λ); two actions that are nearer than this may be equal.
        tie = 2 * change / (1 - discount)
        allowed = allowed & (worth >= model.best(worth)[model.state] - tie)
        values.append(value)
        left.append(allowed)
        errors.append(tie + change)
        sweeps += n
    return values, left, errors, sweeps


def advantages(model, values, left):
    """Δ_0(s, a, i): 0 for what principal i left over, whatever rounding says."""
    columns = []
    for i, discount in enumerate(model.discounts):
        advantage = model.rewards[:, i] + discount * model.expected(values[i]) - values[i][model.state]
        columns.append(np.where(left[i], 0.0, advantage))
    return np.stack(columns, axis=1)


def unravel(model, advantage):
    """The gain over the long-term strategy from every state, and the number of layers."""
    discounts = np.array(model.discounts)
    layers = 0
    while True:
        # Divided by the greatest weight, which changes no sign and avoids underflow.
        sums = np.cumsum(advantage * (discounts / discounts[0]) ** layers, axis=1)
        if (sums <= 0).all():
            break
        layers += 1
    gain = np.zeros(len(model.first_choice) - 1)
    for step in reversed(range(layers)):
        gain = model.best(advantage @ discounts**step + model.expected(gain))
    return gain, layers


def solve(model):
    began = time.process_time()
    values, left, errors, sweeps = long_term(model)
    between = time.process_time()
    gain, layers = unravel(model, advantages(model, values, left))
    ended = time.process_time()
    # By telescoping, advantages that are off by e_i change the welfare by at most Σ e_i/(1 − λ_i).
    bound = sum(error / (1 - discount) for error, discount in zip(errors, model.discounts))
    return {
        "welfare": float(sum(value[model.start] for value in values) + gain[model.start]),
        "bound": float(bound),
        "layers": layers,
        "sweeps": sweeps,
        "long_term": between - began,
        "unravel": ended - between,
    }


def main():
    stream = sys.stdin.buffer
    print(json.dumps({"python": sys.version.split()[0], "numpy": np.__version__}), flush=True)
    while line := stream.readline():
        head = json.loads(line)
        model = Model(head, stream)
        runs = [solve(model) for _ in range(head["repeat"])]
        answer = dict(runs[0])
        for phase in ("long_term", "unravel"):
            answer[phase] = min(run[phase] for run in runs)
        print(json.dumps(answer), flush=True)


main()
