"""The same results as the program, on every model of the repository."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import commonweal as cw

from .conftest import ROOT, run

MODELS = sorted(path for path in (ROOT / "models").rglob("*.yaml"))


def _id(path: Path) -> str:
    return path.relative_to(ROOT / "models").as_posix()


def test_there_are_models() -> None:
    assert len(MODELS) >= 10


@pytest.mark.parametrize("path", MODELS, ids=_id)
def test_solutions_are_the_programs_bytes(path: Path, program: Path) -> None:
    solution = cw.load(path).solve()
    printed = run(program, "solve", str(path), "--json", "--quiet")
    if json.loads(printed)["checked"]:
        assert solution.check().accepted
    assert solution.to_json() == printed


EXPECTED = [path for path in MODELS if path.with_suffix("").with_suffix(".expected.json").exists()]


@pytest.mark.parametrize("path", EXPECTED, ids=_id)
def test_solutions_are_those_that_the_repository_keeps(path: Path) -> None:
    kept = json.loads(path.with_suffix("").with_suffix(".expected.json").read_text())
    ours = json.loads(cw.load(path).solve().to_json())
    for document in (kept, ours):
        document.pop("checked")
    assert ours == kept


@pytest.mark.parametrize("path", [ROOT / "models/paper/hotel.yaml", ROOT / "models/paper/example-4.yaml"], ids=_id)
def test_other_questions_give_the_programs_documents(path: Path, program: Path, tmp_path: Path) -> None:
    model = cw.load(path)
    first, last = (model.principals[at].name for at in (0, 1))

    def same(ours: str, *arguments: str) -> None:
        theirs: dict[str, Any] = json.loads(run(program, *arguments, "--json", "--quiet"))
        own = json.loads(ours)
        for document in (theirs, own):
            # What the program adds from a second computation.
            document.pop("payoffs", None) if document["format"] == "commonweal-search/1" else None
        assert own == theirs

    file = str(path)
    same(model.positional().to_json(), "positional", file)
    same(model.stationary(gap=1e-4).to_json(), "stationary", file, "--gap", "1e-4")
    swept = model.sweep(first, 0.1, 0.6, steps=5).to_json()
    same(swept, "sweep", file, "--vary", f"{first}=0.1..0.6", "--steps", "5", "--changes")
    same(model.map(first, last, resolution=3).to_json(), "map", file, "--x", first, "--y", last, "--resolution", "3")
    same(model.fair("max-min").to_json(), "fair", file, "--rule", "max-min")
    same(model.fair("nash").to_json(), "fair", file, "--rule", "nash")
    same(model.front(first, last).to_json(), "front", file, "--x", first, "--y", last)
    strategy = model.solve().strategy
    (tmp_path / "strategy.json").write_text(strategy.to_json())
    written = str(tmp_path / "strategy.json")
    same(model.evaluate(strategy, all_states=True).to_json(), "evaluate", file, written)


def test_certificates_are_the_programs_bytes(program: Path, tmp_path: Path) -> None:
    path = ROOT / "models/paper/example-3.yaml"
    place = tmp_path / "certificate"
    run(program, "solve", str(path), "--certificate", str(place), "--quiet")
    assert cw.load(path).solve().certificate() == place.read_bytes()
    assert cw.check(cw.load(path), place.read_bytes()).accepted


@pytest.mark.parametrize("name", ["fishwood-endless.drn", "fruit-tree-d5.drn", "cliffwalking.drn", "wlan.0.drn"])
def test_models_of_other_tools_are_read_alike(name: str, shared_models: Path, program: Path) -> None:
    path = shared_models / name
    with pytest.raises(cw.ModelError) as caught:
        cw.load(path)
    assert "discounts" in str(caught.value)
    structures = [part.strip("`") for part in str(caught.value).split("are ")[-1].splitlines()[0].split(", ")]
    discounts = dict(zip(structures[:2], ["0.9", "0.7"], strict=False))
    arguments = [part for name, value in discounts.items() for part in ("--discount", f"{name}={value}")]
    model = cw.load(path, discounts=discounts)
    assert model.left_out == structures[2:]
    theirs = json.loads(run(program, "solve", str(path), *arguments, "--json", "--quiet"))
    ours = json.loads(model.solve().to_json())
    theirs.pop("checked"), ours.pop("checked")
    assert ours == theirs
