"""Time preferences, as the model file has them: one reader for files and for Python."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from .errors import ModelError
from .labels import check_text
from .numbers import Number, text_of

Preference: TypeAlias = "Number | Mapping[str, Any]"
"""How much later steps count for a principal.

A number is the discount: `0.95`, `Fraction(2, 3)`, `"2/3"`. A text with a percent sign is a rate per step: `"3%"`. A dict is an
entry of the model file, such as `{"rate": "3%", "weight": 2}`.
"""


def entry(name: str, preference: Preference) -> Any:
    """The entry of a principal, ready for JSON."""
    if isinstance(preference, Mapping):
        parts = ((key, _part(f"`{key}` of principal `{name}`", value)) for key, value in preference.items())
        return _by_text(f"the time preference of `{name}`", parts)
    if isinstance(preference, str) and preference.rstrip().endswith("%"):
        return {"rate": preference}
    return text_of(preference, f"the discount of principal `{name}`")


_DEEPEST = 8
"""No entry of the model file is nested deeper."""


def _part(what: str, value: Any, depth: int = 0) -> Any:
    if depth > _DEEPEST:
        raise ModelError(f"{what} is nested deeper than any entry of a model file; write a number, a list or a dict of numbers")
    if isinstance(value, Mapping):
        return _by_text(what, ((key, _part(what, part, depth + 1)) for key, part in value.items()))
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_part(what, part, depth + 1) for part in value]
    return text_of(value, what)


def _by_text(what: str, parts: Iterable[tuple[Any, Any]]) -> dict[str, Any]:
    """A dict for JSON, whose keys are texts: `1` and `"1"` would be one key."""
    made: dict[str, Any] = {}
    for key, part in parts:
        if str(key) in made:
            raise ModelError(f"{what} has `{key}` twice, as a text and as a number; keep one of them")
        made[str(key)] = part
    return made


def check_name(name: object) -> str:
    """The name of a principal: a text, so that `1` and `"1"` are not two principals."""
    if not isinstance(name, str):
        raise ModelError(f"principal {name!r} is a {type(name).__name__}; name principals by texts, such as '{name}'")
    return check_text(name, "the name of a principal")


def entries(preferences: Mapping[str, Preference]) -> str:
    """The JSON of a file's `principals`."""
    if not isinstance(preferences, Mapping):
        raise ModelError("discounts is not a dict; give each principal a time preference by name, such as {'alice': 0.95}")
    if not preferences:
        raise ModelError("there are no principals; give at least one a time preference, such as {'alice': 0.95}")
    return json.dumps({check_name(name): entry(name, preference) for name, preference in preferences.items()})


def weights(preferences: Mapping[str, Preference]) -> dict[str, str]:
    """The weights that entries state."""
    stated = {}
    for name, preference in preferences.items():
        if isinstance(preference, Mapping) and "weight" in preference:
            stated[check_name(name)] = text_of(preference["weight"], f"the weight of `{name}`")
    return stated
