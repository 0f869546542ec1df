"""Names and numbers of states and actions: which of them a caller means."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from .errors import ModelError, QuestionError

State: TypeAlias = "str | int"
"""A state: its name, or its number from 0. Whole numbers that were given as names are names."""
Action: TypeAlias = "str | int"
"""An action: its name, or its number. Whole numbers that were given as names are names."""


@dataclass(frozen=True)
class Labels:
    """How the states and actions of a model are called in Python, where the compiled half has texts alone."""

    states: Sequence[State] | None = None
    """What each state is called: a range if by number, a list if some names are numbers; `None` if all names are texts."""
    has_numbered_actions: bool = False
    """Whether every action is a whole number."""
    action_names: list[str] | None = None
    """The names of actions by the numbers that arrays have for them."""
    whole_actions: frozenset[int] | None = None
    """The whole numbers among the names of actions."""
    seen_as: Mapping[Hashable, str] | None = None
    """The names of states by the observations of the environment that the model is of, or by what `state_of` made of it."""
    played: Mapping[str, int] | None = None
    """What the environment calls an action."""
    needs_state_of: bool = False
    """Whether an observation alone does not tell the state."""

    @property
    def states_are_numbered(self) -> bool:
        """Whether states are called 0, 1, 2 and so on, in this order."""
        return isinstance(self.states, range)


def is_whole(number: object) -> bool:
    """Whether this is a whole number, of Python or NumPy; `True`, `1.0` and arrays are not."""
    return hasattr(number, "__index__") and not isinstance(number, (bool, np.ndarray))


def whole(number: Any, what: str, least: int = 0, most: int | None = None, *, cure: str = "") -> int:
    """A whole number of a question, between two bounds."""
    upper = "" if most is None else f" to {most}"
    if not is_whole(number):
        raise QuestionError(f"{what} is {number!r}; it is a whole number from {least}{upper}{cure}")
    exactly = int(number.__index__())
    if exactly < least or (most is not None and exactly > most):
        raise QuestionError(f"{what} is {exactly}; it is a whole number from {least}{upper}{cure}")
    return exactly


def is_text(text: str) -> bool:
    """Whether every character of a text is one: half of a surrogate pair is not, and no file can hold it."""
    return not any("\ud800" <= character <= "\udfff" for character in text)


def check_text(text: str, what: str) -> str:
    """The text, if every character of it is one."""
    if not is_text(text):
        raise ModelError(f"{what} is {text!r}, which holds half of a surrogate pair; write whole characters")
    return text


def name(label: Any, what: str) -> str:
    """The text of a name."""
    if isinstance(label, str):
        return check_text(label, f"the name of {what}")
    if is_whole(label):
        return str(label.__index__())
    raise ModelError(f"{label!r} is not a name of {what}; use a text or a whole number")


def listed(labels: Sequence[State], n: int) -> Sequence[State] | None:
    """What `n` states are called: a range if by number, a list if some names are numbers, `None` if all are texts."""
    if all(isinstance(label, str) for label in labels):
        return None
    plain = [label if isinstance(label, str) else int(label.__index__()) for label in labels]
    return range(n) if plain == list(range(n)) else plain


def names(given: Any, what: str, n: int | None = None) -> list[str]:
    """The texts of a list of names; as many as there are things, and no two the same."""
    if isinstance(given, (str, bytes)) or not hasattr(given, "__iter__"):
        raise ModelError(f"{what}s is {given!r}; give a list of names, or leave it out to number them")
    texts = [name(label, f"{'an' if what[0] in 'aeiou' else 'a'} {what}") for label in given]
    if n is not None and len(texts) != n:
        raise ModelError(f"{len(texts)} names for {n} {what}s; give each one a name, or none")
    seen: set[str] = set()
    for text in texts:
        if text in seen:
            raise ModelError(f"there are two {what}s called `{text}`; rename one")
        seen.add(text)
    return texts


def of_arrays(states: Sequence[State] | None, actions: Sequence[Action] | None, n_states: int, n_actions: int) -> Labels:
    """What the states and actions of arrays are called."""
    if actions is not None:
        given = names(actions, "action")
        if len(given) < n_actions:
            raise ModelError(
                f"{len(given)} names for {n_actions} actions; a_indices or P have an action {n_actions - 1}: give each one a "
                "name, or none"
            )
    shown: Sequence[State] | None = range(n_states)
    if states is not None:
        names(states, "state", n_states)
        shown = listed(list(states), n_states)
    numbered = actions is None or all(is_whole(action) for action in actions)
    if actions is None:
        return Labels(shown, numbered)
    whole_names = frozenset(int(action.__index__()) for action in actions if not isinstance(action, str) and is_whole(action))
    return Labels(shown, numbered, names(actions, "action"), whole_names)


def key_of(observation: Any) -> Hashable:
    """An observation as a key: a number, or a tuple of numbers."""
    if isinstance(observation, np.ndarray):
        return tuple(observation.ravel().tolist())
    if isinstance(observation, (list, tuple)):
        return tuple(key_of(part) for part in observation)
    if isinstance(observation, Mapping):
        return tuple((str(name), key_of(part)) for name, part in sorted(observation.items(), key=lambda pair: str(pair[0])))
    if isinstance(observation, np.generic):
        key: Hashable = observation.item()
        return key
    if not isinstance(observation, Hashable):
        raise ModelError(
            f"an observation is a {type(observation).__name__}, which does not identify a state; give state_of, a function of "
            "the environment"
        )
    return observation


class _First(int):
    """The number 0 where nobody gave a start: the first state, even if another one is named 0."""


FIRST = _First(0)


def _numbers_of_states(n_states: int) -> str:
    return f"the states are 0 to {n_states - 1}, counted from 0" if n_states else "there are no states: P has no columns"


def start_of_arrays(start: State, states: Sequence[State] | None, n_states: int) -> int:
    """The position of the start of arrays, given by name or number."""
    if not isinstance(start, str) and not is_whole(start):
        raise ModelError(f"start is {start!r}; name one of `states`, or give the number of a state from 0")
    given = [] if states is None else list(states)
    if start is FIRST and n_states > 0:
        return 0
    if start in given:
        return given.index(start)
    if isinstance(start, str):
        raise ModelError(f"start: there is no state `{start}`; name one of `states`, or give its number")
    # Numbers that are names are not positions; the default is the first state all the same.
    if given and any(is_whole(name) for name in given) and start != 0:
        raise ModelError(f"start: there is no state {start}; the states are named {', '.join(map(str, given[:8]))}")
    number = int(start.__index__())
    if not 0 <= number < n_states:
        raise ModelError(f"start is {number}; {_numbers_of_states(n_states)}")
    return number
