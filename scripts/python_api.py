"""The names of the Python package with their documentation, as Markdown. A test compares docs/python.md with it."""

from __future__ import annotations

import inspect
import re
import sys
from pathlib import Path
from types import FunctionType
from typing import Any

import commonweal
from commonweal import plots

BEGIN, END = "<!-- made by scripts/python_api.py: begin -->", "<!-- end -->"
GROUPS = {
    "Models": ["load", "Model", "ModelBuilder", "Principal", "Preference", "Number"],
    "From and to other libraries": [
        "from_gymnasium",
        "from_mo_gymnasium",
        "from_quantecon",
        "from_stormpy",
        "to_stormpy",
    ],
    "Answers": ["Solution", "StateSolution", "Value", "check", "Check"],
    "Strategies": [
        "Strategy",
        "CountingStrategy",
        "Stage",
        "Decision",
        "StationaryStrategy",
        "Lottery",
        "Share",
        "StrategyPolicy",
        "Episode",
    ],
    "Other questions": [
        "Search",
        "PositionalSearch",
        "StationarySearch",
        "Evaluation",
        "Simulation",
        "Estimate",
        "Sweep",
        "StrategyMap",
        "Fair",
        "Front",
    ],
    "Errors": ["CommonwealError", "ModelError", "QuestionError", "StrategyError", "CertificateError", "UndecidedError"],
}


def main() -> str:
    """All of it."""
    told = {name for names in GROUPS.values() for name in names}
    missing = set(commonweal.__all__) - told - {"__version__"}
    assert not missing, f"names without a place: {missing}"
    parts = []
    for title, names in GROUPS.items():
        parts.append(f"### {title}\n")
        parts.extend(entry(name, getattr(commonweal, name)) for name in names)
    parts.append("### Pictures: `commonweal.plots`\n")
    drawn = [name for name, of in vars(plots).items() if isinstance(of, FunctionType) and not name.startswith("_")]
    parts.extend(entry(name, getattr(plots, name)) for name in drawn)
    return "\n".join(parts)


def entry(name: str, of: Any) -> str:
    """A function or a class with its public members."""
    if isinstance(of, FunctionType):
        return f"**`{name}{signature(of)}`**\n\n{words(of)}\n"
    if not inspect.isclass(of):
        return f"**`{name}`**\n\n{alias_words(name)}\n"
    heading = name
    if "__init__" in vars(of) and not issubclass(of, Exception) and of.__name__ in ("ModelBuilder", "StrategyPolicy"):
        heading += signature(of.__init__)
    text = f"**class `{heading}`**\n\n{words(of)}\n"
    # Parts of a class that have files of their own belong to it.
    parts = [part for part in of.__mro__ if part is of or part.__name__ in ("Asking", "Named")]
    listed = [(part, member) for part in parts for member in vars(part) if not member.startswith("_")]
    members = [line for part, member in listed for line in member_lines(part, member)]
    attributes = [f"- `{attribute}`: {said}" for attribute, said in attribute_words(of)]
    lines = attributes + members
    return text + ("\n" + "\n".join(lines) + "\n" if lines else "")


def member_lines(of: type, member: str) -> list[str]:
    """A line for a method or a property."""
    raw = vars(of)[member]
    function = raw.__func__ if isinstance(raw, staticmethod) else getattr(raw, "fget", None) or getattr(raw, "func", raw)
    if not isinstance(function, FunctionType):
        return []
    shown = f"`{member}{signature(function)}`" if isinstance(raw, (FunctionType, staticmethod)) else f"`{member}`"
    return [f"- {shown}: {first_sentence(function)}"]


def attribute_words(of: type) -> list[tuple[str, str]]:
    """The attributes that a class documents with a string below each."""
    source = inspect.getsource(of)
    found = re.findall(r'^    (\w+): [^\n=]+(?: = [^\n]+)?\n    """(.*?)"""', source, re.M | re.S)
    return [(name, " ".join(said.split())) for name, said in found if not name.startswith("_")]


def alias_words(name: str) -> str:
    """What the string below a type alias says."""
    source = Path(inspect.getfile(commonweal)).parent
    for file in sorted(source.glob("*.py")):
        found = re.search(rf'^{name}: TypeAlias = .*?\n"""(.*?)"""', file.read_text(), re.M | re.S)
        if found:
            return found.group(1).strip()
    raise AssertionError(f"{name} has no words")


def signature(function: FunctionType) -> str:
    """The parameters with their types, as they are written."""
    shown = inspect.signature(function)
    kept = [parameter for name, parameter in shown.parameters.items() if name != "self"]
    plain = shown.replace(parameters=[unquoted(parameter) for parameter in kept])
    return str(plain).replace("'", "")


def unquoted(parameter: inspect.Parameter) -> inspect.Parameter:
    """The parameter without its type: the words say what it is."""
    return parameter.replace(annotation=inspect.Parameter.empty)


def words(of: Any) -> str:
    """The documentation, examples as code."""
    text = inspect.getdoc(of) or ""
    return re.sub(
        r"((?:^>>> .*\n?(?:^(?!>>>|\n).+\n?)*)+)", lambda m: f"```python\n{m.group(1).rstrip()}\n```\n", text, flags=re.M
    )


def first_sentence(function: FunctionType) -> str:
    """The first paragraph of the documentation."""
    return " ".join((inspect.getdoc(function) or "").split("\n\n")[0].split())


def update(page: str) -> str:
    """The page with this part made anew."""
    before, rest = page.split(BEGIN)
    after = rest.split(END, 1)[1]
    return f"{before}{BEGIN}\n\n{main().rstrip()}\n\n{END}{after}"


if __name__ == "__main__":
    sys.stdout.write(main())
