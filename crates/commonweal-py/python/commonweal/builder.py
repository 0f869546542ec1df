"""Models built in loops, choice by choice."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, TypeAlias

from . import _core, labels, preferences
from .errors import ModelError
from .model import Model
from .numbers import Number, is_zero, text_of
from .preferences import Preference

Name: TypeAlias = "str | int"
"""The name of a state or an action; a whole number is a name like any other, and means that name in every method."""


class ModelBuilder:
    """Collects choices in any order.

    >>> b = ModelBuilder({"alice": "2/3", "bob": "1/3"})
    >>> b.choice("s0", "a", reward=3, to="s0")
    >>> b.choice("s0", "b", reward={"alice": -1, "bob": -1}, to={"s1": 1})
    >>> b.choice("s1", "b", reward=6, to="s1")
    >>> b.build().solve().welfare
    Value(127/9 ≈ 14.111111)

    Every number is read exactly: a float is the decimal that Python prints for it. Rows of floats that miss 1 by at most 1e-9
    are scaled to 1. The states are in the order in which they are first mentioned, the start being the first one unless
    `start` names another. States and actions are named by texts or whole numbers. Methods of the model take these names: after
    `b.choice(7, …)`, `solution[7]` is that state, wherever it stands.
    """

    def __init__(
        self,
        discounts: Mapping[str, Preference],
        *,
        start: Name | None = None,
        name: str | None = None,
        description: str | None = None,
        step: str | None = None,
    ) -> None:
        preferences.entries(discounts)
        self._principals = {who: preferences.entry(who, what) for who, what in discounts.items()}
        self._about = {"name": name, "description": description, "step": step}
        self._start = start
        self._states: dict[str, dict[str, dict[str, Any]]] = {}
        self._labels: dict[str, Name] = {}
        self._numbered_actions = True

    def state(self, state: Name) -> None:
        """Mentions a state, which fixes its position among the states."""
        self._state(state)

    def choice(
        self,
        state: Name,
        action: Name,
        *,
        to: Mapping[Any, Number] | Name,
        reward: Mapping[str, Number] | Number = 0,
    ) -> None:
        """Adds an action to a state.

        `reward` is one number for every principal, or a number for each principal by name; the others get 0. `to` is a
        state, or a dict of states to probabilities; those that are 0 are left out.
        """
        place = f"state `{state}`, action `{action}`"
        own = self._state(state)
        key = labels.name(action, "an action")
        self._numbered_actions = self._numbered_actions and not isinstance(action, str)
        if key in own:
            raise ModelError(f"{place} is there twice; rename one")
        own[key] = {"reward": self._reward(place, reward), "to": self._targets(place, to)}

    def build(self, *, strict: bool = False) -> Model:
        """The model, if it is one; `strict` refuses rows that would have to be scaled."""
        document: dict[str, Any] = {key: text for key, text in self._about.items() if text is not None}
        if self._start is not None:
            document["start"] = labels.name(self._start, "a state")
        document["principals"] = self._principals
        for state, actions in self._states.items():
            if not actions:
                raise ModelError(f"state `{state}` has no action; give it at least one, such as a self-loop")
        document["states"] = self._states
        core = _core.Model.from_text(json.dumps(document), None, strict)
        shown = labels.listed(list(self._labels.values()), len(self._labels))
        return Model(core, labels.Labels(shown, self._numbered_actions))._doubted()

    def _state(self, state: Name) -> dict[str, dict[str, Any]]:
        key = labels.name(state, "a state")
        self._labels.setdefault(key, state)
        return self._states.setdefault(key, {})

    def _reward(self, place: str, reward: Mapping[str, Number] | Number) -> Any:
        if not isinstance(reward, Mapping):
            return text_of(reward, f"{place}: the reward")
        for who in reward:
            if who not in self._principals:
                names = ", ".join(f"`{name}`" for name in self._principals)
                raise ModelError(f"{place}: there is no principal `{who}`; the principals are {names}")
        return {who: text_of(number, f"{place}: the reward of `{who}`") for who, number in reward.items()}

    def _targets(self, place: str, to: Mapping[Any, Number] | Name) -> Any:
        if not isinstance(to, Mapping):
            self._state(to)
            return labels.name(to, "a state")
        row: dict[str, str] = {}
        for target, probability in to.items():
            text = text_of(probability, f"{place}: the probability of `{target}`")
            if is_zero(text):
                continue
            self._state(target)
            key = labels.name(target, "a state")
            if key in row:
                raise ModelError(f"{place}: `{key}` is there twice in `to`, as a text and as a number; keep one of them")
            row[key] = text
        if not row:
            raise ModelError(f"{place} leads nowhere; give `to` a state or probabilities that sum to 1")
        return row
