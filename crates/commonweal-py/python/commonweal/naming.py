"""Names and numbers of a model: which state, action or principal a caller means."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from . import _core
from .errors import ModelError, QuestionError
from .labels import Action, Labels, State, is_text, is_whole, key_of
from .numbers import fraction


@dataclass(frozen=True)
class Principal:
    """A principal, with rewards and a time preference of its own."""

    name: str
    """The name."""
    preference: str
    """The time preference in a few words: `2/3`, `rate 3%`, `green-book`."""
    discount: Fraction | None
    """The discount; `None` if the time preference is not plain discounting."""
    weight: Fraction
    """The weight of the payoff in the welfare."""


class Named:
    """States, actions and principals, given by name or by number."""

    _core: _core.Model
    _labels: Labels

    @property
    def n_states(self) -> int:
        """The number of states."""
        return self._core.n_states

    @property
    def principals(self) -> list[Principal]:
        """The principals, in the model's order."""
        return [
            Principal(name, preference, None if discount is None else fraction(discount), fraction(weight))
            for name, preference, discount, weight in self._core.principals
        ]

    def _state(self, state: State) -> int:
        """The position of a state given by name, by number, or by an observation of the environment that the model is of."""
        seen = self._seen(state)
        if seen is not None:
            return self._named_state(seen, f"`{seen}`")
        if isinstance(state, str):
            return self._named_state(state, f"`{state}`")
        if not is_whole(state):
            raise QuestionError(f"{state!r} is not a state; {self._to_pass()}")
        number = int(state.__index__())
        if isinstance(self._labels.states, list):
            found = self._named_state(str(number), str(number))
            if isinstance(self._labels.states[found], str):
                raise QuestionError(f'state {number} is ambiguous: there is a state named "{number}"; write the name as a text')
            return found
        if not 0 <= number < self.n_states:
            raise QuestionError(f"there is no state {number}; the states are 0 to {self.n_states - 1}")
        if not self._labels.states_are_numbered and self._core.find_state(str(number)) not in (None, number):
            raise QuestionError(
                f"state {number} is ambiguous: `{number}` names another state than the one at position {number}, which is "
                f"`{self._core.state_name(number)}`; write the name as a text"
            )
        return number

    def _seen(self, observation: object) -> str | None:
        """The name of the state that was enumerated with this observation."""
        if self._labels.seen_as is None:
            return None
        try:
            return self._labels.seen_as.get(key_of(observation))
        except (ModelError, TypeError):
            return None

    def _to_pass(self) -> str:
        """What a state may be given by."""
        if self._labels.seen_as is None:
            return "name one, or give its number from 0"
        seen = ", ".join(repr(key) for key in itertools.islice(self._labels.seen_as, 4))
        what = "what state_of returned" if self._labels.needs_state_of else "an observation"
        return f"give {what}, such as {seen}, or a name such as {', '.join(self._some_states())}"

    def state_of(self, observation: Any) -> State:
        """The state of an observation of the environment that the model was made from.

        A state by its name or number is itself. Where `from_mo_gymnasium` was given `state_of`, this takes what that returned.
        """
        return self._shown_state(self._state(observation))

    def _named_state(self, name: str, shown: str) -> int:
        found = self._core.find_state(name) if is_text(name) else None
        if found is None:
            some = ", ".join(self._some_states())
            raise QuestionError(f"there is no state {shown}; the states are {some}")
        return found

    def _action_name(self, position: int, action: Action) -> str:
        """The name of an action of a state, given by name or number."""
        names = self._core.actions(position)
        place = f"state `{self._core.state_name(position)}`"
        there = ", ".join(f"`{name}`" for name in names[:8])
        if isinstance(action, str):
            found = action if action in names else None
        elif not is_whole(action):
            raise QuestionError(f"{place}: {action!r} is not an action; name one, or give its number")
        elif self._labels.has_numbered_actions:
            found = str(action.__index__()) if str(action.__index__()) in names else None
        elif self._labels.action_names is not None:
            listed = self._labels.action_names
            number = action.__index__()
            if str(number) in listed and listed.index(str(number)) != number:
                if str(number) in names and self._labels.whole_actions is not None and number in self._labels.whole_actions:
                    return str(number)
                raise QuestionError(f"{place}: action {number} is ambiguous: another action is named `{number}`; write the name")
            found = listed[action.__index__()] if 0 <= action.__index__() < len(listed) else None
            found = found if found in names else None
        else:
            number = action.__index__()
            if str(number) in names and names.index(str(number)) != number:
                raise QuestionError(f"{place}: action {number} is ambiguous: another action is named `{number}`; write the name")
            found = names[number] if 0 <= number < len(names) else None
        if found is None:
            raise QuestionError(f"{place}: there is no action `{action}`; the actions are {there}")
        return found

    def _some_states(self) -> Iterable[str]:
        some = 8
        shown = (self._shown_state(number) for number in range(min(some, self.n_states)))
        yield from (f"`{state}`" if isinstance(state, str) else str(state) for state in shown)
        if self.n_states > some:
            yield "…"

    def _principal(self, name: str) -> int:
        """The number of a principal."""
        names = [principal.name for principal in self.principals]
        if name not in names:
            raise QuestionError(f"there is no principal `{name}`; the principals are {', '.join(names)}")
        return names.index(name)

    def _state_name(self, number: int) -> str:
        return self._core.state_name(number)

    def _shown_state(self, number: int) -> State:
        return self._core.state_name(number) if self._labels.states is None else self._labels.states[number]

    def _shown_action(self, name: str) -> Action:
        return int(name) if self._labels.has_numbered_actions else name
