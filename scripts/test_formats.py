"""Round trips of models through Storm and umbi. Run by test-formats, which installs both.

Every model is compared in one shape, read by three programs: ours (as JSON, by Python's own fractions), Storm and umbi.
"""

import json
import os
import subprocess
import sys
import tempfile
from fractions import Fraction
from importlib.metadata import version
from pathlib import Path

import stormpy
import stormpy.io
import umbi

PROGRAM = os.environ["COMMONWEAL"]
FAILURES = []
# The tolerance for rounding; Storm truncates fractions, and rows are divided by their sums.
ULP = Fraction(1, 2**51)

PRISM = {
    "mdp": """mdp
module M
  x : [0..3] init 0;
  [a] x=0 -> 1/3:(x'=1) + 2/3:(x'=2);
  [] x=0 -> (x'=2);
  [] x=0 -> (x'=3);
  [b] x=1 -> 0.9:(x'=0) + 0.1:(x'=1);
endmodule
label "goal" = x=2;
rewards "gold" x=0 : 2; [a] true : 1/3; endrewards
rewards "time" true : 1; [b] true : -1/7; endrewards
""",
    "chain": """dtmc
module M
  x : [0..6] init 3;
  [] x>0 & x<6 -> 1/3:(x'=x-1) + 1/7:(x'=x) + 11/21:(x'=x+1);
  [] x=0 | x=6 -> true;
endmodule
rewards "time" true : 1/3; endrewards
rewards "gain" x=6 : 5; endrewards
""",
}


def check(what, found, expected, width=0):
    """Notes whether two models are the same, but for numbers that differ by at most `width` of their size."""
    difference = first_difference(found, expected, width)
    print(("FAILED  " if difference else "ok      ") + what)
    if difference:
        FAILURES.append(what)
        print(f"    {difference}")


def first_difference(found, expected, width):
    if found["start"] != expected["start"]:
        return f"start {found['start']}, expected {expected['start']}"
    if len(found["choices"]) != len(expected["choices"]):
        return f"{len(found['choices'])} choices, expected {len(expected['choices'])}"
    for left, right in zip(found["choices"], expected["choices"]):
        (state, row, rewards), (other_state, other_row, other_rewards) = left, right
        same = state == other_state and [target for target, _ in row] == [target for target, _ in other_row]
        pairs = [(p, q) for (_, p), (_, q) in zip(row, other_row)]
        pairs += [(rewards.get(name, 0), other_rewards.get(name, 0)) for name in rewards | other_rewards]
        if not same or any(abs(p - q) > width * max(abs(p), abs(q)) for p, q in pairs):
            return f"{left}, expected {right}"
    return None


def run(*args):
    done = subprocess.run([PROGRAM, *map(str, args)], capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"commonweal {' '.join(map(str, args))}\n{done.stderr}")
    return done.stdout


def shape(start, choices):
    """A model as a list of choices: state, successors with their probabilities, rewards other than 0."""
    return {"start": start, "choices": choices}


def choice(state, transitions, rewards):
    successors = {}
    for target, probability in transitions:
        successors[target] = successors.get(target, 0) + probability
    return (state, sorted(successors.items()), {name: value for name, value in rewards.items() if value != 0})


def ours(path, names):
    """What our program makes of a file: as JSON, where fractions are strings."""
    discounts = [word for name in names for word in ("--discount", f"{name}=1/2")]
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "model.json"
        run("convert", path, out, *(discounts if path.suffix not in (".json", ".yaml") else []))
        model = json.loads(out.read_text())
    number = {state: index for index, state in enumerate(model["states"])}
    choices = []
    for state, actions in model["states"].items():
        for action in actions.values():
            reward = action.get("reward", 0)
            if not isinstance(reward, dict):
                reward = {name: reward for name in model["principals"]}
            to = action["to"] if isinstance(action["to"], dict) else {action["to"]: 1}
            transitions = [(number[target], Fraction(value)) for target, value in to.items()]
            choices.append(choice(number[state], transitions, {name: Fraction(value) for name, value in reward.items()}))
    return shape(number[model["start"]], choices)


def storms(model, exact):
    """The model as Storm has it in memory."""
    value = (lambda number: Fraction(str(number))) if exact else Fraction
    matrix = model.transition_matrix
    choices = []
    for state in range(model.nr_states):
        rows = range(matrix.get_row_group_start(state), matrix.get_row_group_end(state)) if not matrix.has_trivial_row_grouping else [state]
        for row in rows:
            rewards = {}
            for name, structure in model.reward_models.items():
                total = Fraction(0)
                if structure.has_state_rewards:
                    total += value(structure.state_rewards[state])
                if structure.has_state_action_rewards:
                    total += value(structure.state_action_rewards[row])
                rewards[name] = total
            transitions = [(entry.column, value(entry.value)) for entry in matrix.get_row(row)]
            choices.append(choice(state, transitions, rewards))
    [start] = list(model.initial_states)
    return shape(start, choices)


def storm_reads(path, exact):
    if path.suffix == ".umb":
        options = stormpy.io.UmbImportOptions()
        options.build_state_valuations = False
        kinds = stormpy.io.UmbImportValueType
        options.value_type = kinds.RATIONAL if exact else kinds.DOUBLE
        return storms(stormpy.build_model_from_umb(path, options=options), exact)
    build = stormpy.build_model_from_drn
    return storms((build[stormpy.Rational] if exact else build)(path), exact)


def umbis(path):
    """The model as umbi reads its arrays."""
    umb = umbi.umb.read(path)
    system = umb.index.transition_system
    first_choice = umb.state_to_choices or list(range(system.num_states + 1))
    first_branch = umb.choice_to_branches or list(range(system.num_choices + 1))
    rewards = umb.annotations["rewards"]
    names = {name: umb.index.annotations["rewards"][name].alias or name for name in rewards}
    choices = []
    for state in range(system.num_states):
        for row in range(first_choice[state], first_choice[state + 1]):
            branches = range(first_branch[row], first_branch[row + 1])
            transitions = [(umb.branch_to_target[branch], Fraction(umb.branch_to_probability[branch])) for branch in branches]
            values = {}
            for name, parts in rewards.items():
                values[names[name]] = sum(
                    Fraction(parts[kind][index]) for kind, index in (("states", state), ("choices", row)) if kind in parts
                )
            choices.append(choice(state, transitions, values))
    return shape(umb.state_is_initial.index(True), choices)


def others_read_ours(folder, name, source):
    """From a model of ours through both formats to both programs."""
    expected = ours(source, [])
    for suffix in ("drn", "umb"):
        path = folder / f"{name}.{suffix}"
        run("convert", source, path)
        check(f"{name}: Storm reads our .{suffix} exactly", storm_reads(path, True), expected)
        check(f"{name}: Storm reads our .{suffix} in doubles", storm_reads(path, False), expected, ULP)
    check(f"{name}: umbi reads our .umb", umbis(path), expected)
    again = folder / f"{name}.umbi.umb"
    umbi.umb.write(umbi.umb.read(path), again)
    names = sorted({reward for _, _, rewards in expected["choices"] for reward in rewards})
    check(f"{name}: we read what umbi writes of our .umb", ours(again, names), expected)


def we_read_storm(folder, name, program):
    """From Storm's own models through both formats to us."""
    path = folder / f"{name}.prism"
    path.write_text(program)
    parsed = stormpy.parse_prism_program(path)
    for exact in (True, False):
        numbers = "fractions" if exact else "doubles"
        options = stormpy.BuilderOptions(build_full=True)
        options.set_build_choice_origins(False)
        model = stormpy.build_model[stormpy.Rational if exact else float](parsed, options=options)
        expected = storms(model, exact)
        names = list(model.reward_models)
        drn = folder / f"{name}.{numbers}.drn"
        stormpy.io.export_to_drn(model, drn)
        if exact:
            check(f"{name}: we read Storm's .drn in fractions", ours(drn, names), expected)
            continue  # Storm cannot write fractions as UMB.
        check(f"{name}: we read Storm's .drn of ten digits", ours(drn, names), expected, 1e-9)
        digits = stormpy.io.DirectEncodingExporterOptions()
        digits.output_precision = 17
        stormpy.io.export_to_drn(model, drn, options=digits)
        check(f"{name}: we read Storm's .drn of 17 digits", ours(drn, names), expected, ULP)
        for mode in ("NO_COMPRESSION", "GZIP", "XZ"):
            umb = folder / f"{name}.{mode.lower()}.umb"
            options = stormpy.io.UmbExportOptions()
            options.compression = getattr(stormpy.io.CompressionMode, mode)
            stormpy.io.export_to_umb(model, umb, options=options)
            check(f"{name}: we read Storm's .umb, {mode}", ours(umb, names), expected, ULP)
            again = folder / f"{name}.again.umb"
            run("convert", umb, again)
            check(f"{name}: Storm reads our .umb of its .umb, {mode}", storm_reads(again, False), expected, ULP)


def main(files):
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        for seed in range(1, 6):
            source = folder / f"random{seed}.json"
            sizes = ["--states", 3 * seed, "--actions", 1 + seed % 3, "--max-denominator", 10 ** (3 * seed)]
            run("generate", "random", *sizes, "--discounts", "1/2,1/3,1/5", "--seed", seed, "--out", source)
            others_read_ours(folder, f"random{seed}", source)
        for name, program in PRISM.items():
            we_read_storm(folder, name, program)
        for file in map(Path, files):
            names = list(stormpy.build_model_from_drn(file).reward_models)
            check(f"{file.name}: we read it as Storm does", ours(file, names), storm_reads(file, True))
            copy = folder / "copy.umb"
            run("convert", file, copy)
            check(f"{file.name}: Storm reads our .umb of it", storm_reads(copy, True), storm_reads(file, True))
            check(f"{file.name}: umbi reads our .umb of it", umbis(copy), storm_reads(file, True))
    if FAILURES:
        raise SystemExit(f"{len(FAILURES)} checks failed")
    print(f"stormpy {stormpy.__version__}, umbi {version("umbi")}: all the same")


main(sys.argv[1:])
