"""Models of other libraries."""

from __future__ import annotations

import itertools
import tempfile
import warnings
from collections.abc import Callable, Container, Hashable, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from .builder import ModelBuilder
from .draws import copied, outcomes, short_fraction
from .errors import ModelError
from .labels import Action, State, key_of
from .model import Model
from .numbers import fraction_of, text_of
from .preferences import Preference

END = "end"
"""The state after an episode's end, in which nothing is earned any more."""


def from_gymnasium(
    env: Any,
    discounts: Mapping[str, Preference] | Preference,
    *,
    rewards: Callable[[int, int, int, float, bool], Mapping[str, float]] | None = None,
    start: int | None = None,
) -> Model:
    """The model of a Gymnasium environment that has its transitions in a table `env.unwrapped.P`.

    States and actions keep their numbers. An episode's end leads to one more state, in which nothing is earned. One time
    preference, or several by name: each principal then gets the environment's reward, unless `rewards(state, action, next
    state, reward, ended)` says what each gets. The start is the likeliest initial state, the first of several.

    Probabilities are those of the table; doubles that are roundings of short fractions with sum 1, such as thirds, are
    taken as these fractions.
    """
    table = getattr(_unwrapped(env, "from_gymnasium"), "P", None)
    if table is None:
        raise ModelError(
            "the environment has no table `env.unwrapped.P`; from_mo_gymnasium enumerates one that is small, and ModelBuilder "
            "takes any"
        )
    _warn_of_time_limit(env)
    named = discounts if isinstance(discounts, Mapping) and not _is_entry(discounts) else {"reward": discounts}
    end = len(table)
    if start is None:
        likely = getattr(env.unwrapped, "initial_state_distrib", None)
        start = 0 if likely is None else int(np.argmax(likely))
    builder = ModelBuilder(named, start=start)
    for state in range(end + 1):
        builder.state(state)
    for state in range(end):
        for action, row in table[state].items():
            to: dict[int, Fraction] = {}
            earned = dict.fromkeys(named, Fraction(0))
            place = f"state {state}, action {action}: "
            for probability, (_, target, reward, ended) in zip(_probabilities(row, place), row, strict=True):
                own = end if ended else int(target)
                to[own] = to.get(own, Fraction(0)) + probability
                parts = None if rewards is None else rewards(state, action, int(target), float(reward), bool(ended))
                _check_parts(parts, named, place)
                for name in named:
                    own_part = reward if parts is None else parts.get(name, 0)
                    earned[name] += probability * Fraction(text_of(own_part, f"{place}the reward of `{name}`"))
            builder.choice(state, int(action), reward=earned, to=to)
    builder.choice(end, 0, to=end)
    return builder.build()


def _unwrapped(env: Any, function: str) -> Any:
    """The environment itself, without its wrappers."""
    if not hasattr(env, "unwrapped"):
        raise ModelError(
            f"{env!r} is not an environment; {function} takes the environment itself, such as gymnasium.make('FrozenLake-v1')"
        )
    return env.unwrapped


def _warn_of_time_limit(env: Any) -> None:
    """Warns of a wrapper that cuts runs, which the environment itself does not know."""
    while hasattr(env, "env"):
        limit = getattr(env, "_max_episode_steps", None)
        if limit is not None:
            warnings.warn(
                f"the environment is wrapped in a TimeLimit that cuts runs after {limit} steps; the model has no such limit. "
                "make(…, max_episode_steps=-1) makes an environment without it",
                UserWarning,
                stacklevel=3,
            )
            return
        env = env.env


def _check_parts(parts: Any, named: Mapping[str, Any], place: str) -> None:
    """Refuses rewards of principals that do not exist, which would count for nobody."""
    if parts is None:
        return
    if not isinstance(parts, Mapping):
        raise ModelError(f"{place}rewards returned {parts!r}; it returns a dict of numbers by principal")
    for name in parts:
        if name not in named:
            there = ", ".join(f"`{own}`" for own in named)
            raise ModelError(f"{place}rewards returned a part for `{name}`, but there is no such principal; they are {there}")


def _probabilities(row: Sequence[Any], place: str) -> list[Fraction]:
    """The probabilities of a row of doubles.

    Where all are roundings of short fractions that sum to 1, they are these fractions: a third that was computed as
    `(1 - 1 / 3) / 2` is one third. Otherwise a row that misses 1 by rounding is scaled to 1.
    """
    doubles = [float(share) for share, *_ in row]
    shares = [Fraction(text_of(double, f"{place}a probability")) for double in doubles]
    short = [near for near in map(short_fraction, doubles) if near is not None]
    if len(short) == len(doubles) and sum(short) == 1:
        return short
    total = sum(shares, Fraction(0))
    near = abs(total - 1) <= Fraction(1, 10**9)
    return [share / total for share in shares] if near else shares


def _is_entry(discounts: Mapping[str, Any]) -> bool:
    """Whether a dict is one entry of the model file, not several by name."""
    keys = {"discount", "rate", "beta", "delta", "until", "schedule", "gamma", "hyperbolic", "survey", "weight"}
    return bool(discounts) and all(key in keys | {"hazard", "error"} for key in discounts)


def from_mo_gymnasium(
    env: Any,
    discounts: Mapping[str, Preference],
    *,
    actions: Sequence[str] | None = None,
    state_of: Callable[[Any], Hashable] | None = None,
    most_states: int = 100_000,
) -> Model:
    """The model of an MO-Gymnasium environment, enumerated from its initial state.

    Each entry of the reward vector is a principal, in the order of `discounts`. States are identified by their observations,
    or by what `state_of(env)` returns, if observations are not sufficient. An episode's end leads to one more state, `end`.
    `model.state_of(observation)` is the state of an observation. Actions keep their numbers, unless `actions` names them.

    Every state is stepped from in a copy of the environment. Its random draws are enumerated: integers and choices by their
    probabilities, uniform numbers by the thresholds with which the environment compares them. A threshold that is a
    rounding of a short fraction is this fraction. Other uses of random numbers, and other generators than `self.np_random`, are
    refused.
    """
    origin = copied(_unwrapped(env, "from_mo_gymnasium"))
    _warn_of_time_limit(env)
    if not isinstance(discounts, Mapping):
        raise ModelError("discounts is not a dict; give each reward a time preference by name, such as {'time': 0.95}")
    named = list(discounts)
    observation, _ = origin.reset(seed=0)
    _warn_of_drawn_start(origin)
    length = len(np.atleast_1d(origin.reward_space.sample())) if hasattr(origin, "reward_space") else len(named)
    if length != len(named):
        raise ModelError(f"{len(named)} time preferences for {length} rewards; give each reward one, in their order")
    names: dict[Hashable, str] = {}
    # No state is called like the end, and no two alike.
    taken = {END}

    def name(environment: Any, seen: Any) -> str:
        key = state_of(environment) if state_of else key_of(seen)
        if key not in names:
            names[key] = _new_name(key, taken)
            taken.add(names[key])
        return names[key]

    builder = ModelBuilder(discounts, start=name(origin, observation))
    waiting = [(name(origin, observation), origin)]
    known = {waiting[0][0]}
    ends = False
    n_actions = int(origin.action_space.n)
    shown: list[Action] = list(range(n_actions)) if actions is None else [str(action) for action in actions]
    if len(shown) != n_actions:
        raise ModelError(f"{len(shown)} names for {n_actions} actions; give each one a name, or none")
    while waiting:
        state, environment = waiting.pop(0)
        for action in range(n_actions):
            to: dict[str, Fraction] = {}
            earned = [Fraction(0)] * len(named)
            for probability, (seen, vector, ended), after in outcomes(environment, action):
                target = END if ended else name(after, seen)
                ends = ends or ended
                to[target] = to.get(target, Fraction(0)) + probability
                for at, part in enumerate(np.atleast_1d(vector)):
                    earned[at] += probability * fraction_of(part, f"state `{state}`, action `{shown[action]}`: a reward")
                if not ended and target not in known:
                    if len(known) >= most_states:
                        raise ModelError(f"the environment has more than {most_states} states; raise most_states")
                    known.add(target)
                    waiting.append((target, after))
            reward = dict(zip(named, earned, strict=True))
            builder.choice(state, shown[action], reward=reward, to=to)
    if ends:
        builder.choice(END, 0 if actions is None else "stay", to=END)
    played = None if actions is None else {str(text): number for number, text in enumerate(shown)}
    return builder.build()._seen_as(names, played, state_of is not None)


def _new_name(key: Hashable, taken: Container[str]) -> str:
    """A name that no other state has."""
    texts = itertools.chain((str(key), repr(key)), (f"{key!r} ({number})" for number in itertools.count(2)))
    return next(text for text in texts if text not in taken)


def _warn_of_drawn_start(environment: Any) -> None:
    """Warns of an initial state that is drawn at random: the model starts in one of them."""
    generator = getattr(environment, "_np_random", None)
    if not isinstance(generator, np.random.Generator):
        return
    fresh = np.random.Generator(np.random.PCG64(np.random.SeedSequence(0)))
    if repr(generator.bit_generator.state) != repr(fresh.bit_generator.state):
        warnings.warn(
            "the environment draws its initial state at random; the model has the one of seed 0, and the states that it leads to",
            UserWarning,
            stacklevel=3,
        )


def from_quantecon(ddp: Any, *, principal: str = "agent", discount: Preference | None = None) -> Model:
    """The model of a `quantecon.markov.DiscreteDP`, in any of its forms, with one principal.

    The time preference is its `beta`, unless another is given.
    """
    if not (hasattr(ddp, "beta") and hasattr(ddp, "to_sa_pair_form")):
        raise ModelError(f"{ddp!r} is not a quantecon.markov.DiscreteDP")
    preference: Preference = float(ddp.beta) if discount is None else discount
    given = np.asarray(ddp.R)
    wrong = np.argwhere(np.isnan(given) | (given == np.inf))
    if len(wrong):
        # The other form leaves these out, like actions that are not allowed.
        at = tuple(int(position) for position in wrong[0])
        raise ModelError(
            f"R[{', '.join(map(str, at))}] of the DiscreteDP is {given[at]}; a reward is a finite number, or -inf for an action "
            "that is not allowed"
        )
    pairs = ddp.to_sa_pair_form() if ddp.s_indices is None else ddp
    # An action that is not allowed earns minus infinity.
    allowed = -np.inf != pairs.R
    P, R, s_indices, a_indices = pairs.Q, pairs.R, pairs.s_indices, pairs.a_indices
    if not allowed.all():
        P, R, s_indices, a_indices = P[allowed], R[allowed], s_indices[allowed], a_indices[allowed]
    return Model.from_arrays(P, {principal: R}, {principal: preference}, s_indices=s_indices, a_indices=a_indices)


def from_stormpy(model: Any, discounts: Mapping[str, Preference], *, start: State | None = None) -> Model:
    """The model of a stormpy object (a sparse MDP or DTMC in doubles or fractions): each reward model is a principal.

    Reward models without a time preference are left out. State rewards and action rewards are added up, as in files.
    """
    if not hasattr(model, "reward_models"):
        raise ModelError(f"{model!r} is not a model of stormpy; build one with stormpy, or read a file with commonweal.load")
    structures = dict(model.reward_models)
    for name in discounts:
        if name not in structures:
            there = ", ".join(f"`{own}`" for own in structures)
            raise ModelError(f"there is no reward model `{name}`; the reward models are {there}")
    initial = list(model.initial_states)
    if start is None and len(initial) != 1:
        raise ModelError(f"{len(initial)} states are initial; name the one to start in with `start`")
    matrix = model.transition_matrix
    exact = bool(getattr(model, "is_exact", False))
    labels = model.choice_labeling if model.has_choice_labeling() else None
    rewards = {name: _storm_rewards(structures[name]) for name in discounts}
    builder = ModelBuilder(discounts, start=initial[0] if start is None else start)
    for state in range(model.nr_states):
        builder.state(state)
    for state in range(model.nr_states):
        first, end = matrix.get_row_group_start(state), matrix.get_row_group_end(state)
        taken: dict[str, int] = {}
        for row in range(first, end):
            label = _label(labels, row)
            taken[label] = taken.get(label, 0) + 1
            action = label if taken[label] == 1 else f"{label}#{taken[label]}"
            reward = {name: rewards[name](state, row) for name in discounts}
            to: dict[int, Any] = {}
            for entry in matrix.get_row(row):
                probability = _storm_number(entry.value() if callable(entry.value) else entry.value, exact)
                to[entry.column] = to[entry.column] + probability if entry.column in to else probability
            builder.choice(state, action, reward=reward, to=to)
    return builder.build()


def _label(labels: Any, row: int) -> str:
    own = sorted(labels.get_labels_of_choice(row)) if labels is not None else []
    return "+".join(own) if own else "unnamed"


def _storm_number(number: Any, exact: bool) -> Any:
    return Fraction(str(number)) if exact else float(number)


def _storm_rewards(structure: Any) -> Callable[[int, int], Fraction]:
    """The reward of a row of a state by a reward model."""
    if structure.has_transition_rewards:
        raise ModelError("rewards of transitions are not read; turn them into rewards of actions first")
    # Each access copies the whole list.
    of_states = list(structure.state_rewards) if structure.has_state_rewards else None
    of_rows = list(structure.state_action_rewards) if structure.has_state_action_rewards else None

    def reward(state: int, row: int) -> Fraction:
        total = Fraction(0) if of_states is None else Fraction(str(of_states[state]))
        return total if of_rows is None else total + Fraction(str(of_rows[row]))

    return reward


def to_stormpy(model: Model) -> Any:
    """The model as a stormpy object, in doubles: each principal is a reward model; time preferences are not stored."""
    import stormpy

    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "model.drn"
        place.write_text(model.to_drn())
        return stormpy.build_model_from_drn(str(place))
