"""Long solves: they stop, they return bounds, and they leave Python alone meanwhile."""

from __future__ import annotations

import contextlib
import ctypes
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable

import numpy as np
import pytest
import scipy.sparse

import commonweal as cw


def ring(n: int, discounts: dict[str, float], seed: int = 1) -> cw.Model:
    """States on a ring, two actions, five successors nearby: slow to mix."""
    rng = np.random.default_rng(seed)
    states = np.repeat(np.arange(n), 2)
    targets = (states[:, None] + rng.integers(-20, 21, size=(2 * n, 5))) % n
    probabilities = rng.dirichlet(np.ones(5), size=2 * n)
    matrix = scipy.sparse.csr_matrix((probabilities.ravel(), targets.ravel(), np.arange(0, 10 * n + 1, 5)), shape=(2 * n, n))
    rewards = {name: rng.uniform(-10, 10, size=2 * n) for name in discounts}
    return cw.Model.from_arrays(matrix, rewards, discounts, s_indices=states, a_indices=np.tile([0, 1], n))


def hard() -> cw.Model:
    """What takes much longer than any test in fractions."""
    return ring(2_000, {"patient": 0.9999, "other": 0.999, "third": 0.99})


# The background jobs of a shell ignore Ctrl-C, and so do the programs that they start.
signal.signal(signal.SIGINT, signal.default_int_handler)

LAST_PRESS = [0.0]
"""When the last Ctrl-C of these tests came."""


def interrupted(ask: Callable[[], object], after: float, again: float | None = None) -> tuple[object, float]:
    """What `ask` returns if Ctrl-C comes after this many seconds, and how long it took after that; `again` is a second one.

    The lesser of the time that passed and of the processor time that this process used. `ask` keeps one thread busy, so on an
    idle machine the two are the same; on a busy one, time in which others ran says nothing about the package.
    """
    pressed: list[tuple[float, float]] = []
    # Two presses within a second would be a wish to leave.
    time.sleep(max(0.0, LAST_PRESS[0] + 1.1 - after - time.monotonic()))

    def press() -> None:
        time.sleep(after)
        pressed.append((time.monotonic(), time.process_time()))
        os.kill(os.getpid(), signal.SIGINT)
        if again is not None:
            time.sleep(again)
            os.kill(os.getpid(), signal.SIGINT)
        LAST_PRESS[0] = time.monotonic()

    thread = threading.Thread(target=press)
    thread.start()
    try:
        answer: object = ask()
    except KeyboardInterrupt as stopped:
        answer = stopped
    ended = (time.monotonic(), time.process_time())
    # A press that comes after the answer must not end the tests.
    early = not pressed
    with contextlib.suppress(KeyboardInterrupt):
        thread.join()
        time.sleep(0.01)
    assert not early, "it ended before Ctrl-C came"
    return answer, min(end - begin for begin, end in zip(pressed[0], ended, strict=True))


def best_of_three(ask: Callable[[], object], after: float, check: Callable[[object], None]) -> float:
    """The shortest time from Ctrl-C to an answer in up to three tries. Every answer is checked; a try within a second ends it.

    One try within a second shows that the answer does not need more.
    """
    times = []
    for _ in range(3):
        answer, took = interrupted(ask, after)
        check(answer)
        times.append(took)
        if took < 1.0:
            break
    return min(times)


def overlap(one: cw.Value, other: cw.Value) -> bool:
    """Bounds that both hold overlap."""
    return one.lower <= other.upper and other.lower <= one.upper


def test_ctrl_c_returns_bounds_within_a_second() -> None:
    model = hard()
    proven = model.solve(gap=1e-6, time_limit=20.0).welfare

    def check(answer: object) -> None:
        assert isinstance(answer, cw.Solution)
        assert (answer.status, answer.reason) == ("stopped", "interrupted")
        assert answer.welfare.lower < answer.welfare.upper
        assert overlap(answer.welfare, proven)
        # The strategy earns what is promised.
        worth = model.evaluate(answer.strategy, gap=1e-6).welfare
        assert answer.welfare.lower <= worth.upper
        assert worth.lower <= answer.welfare.upper

    assert best_of_three(lambda: model.solve(exact=True, threads=1), 0.5, check) < 1.0


def test_an_interrupted_solve_in_fractions_has_better_bounds_than_the_rewards_give() -> None:
    """Fractions know nothing before their end; a short look in doubles does."""
    model = ring(2_000, {"patient": 0.999, "other": 0.9, "third": 0.5})
    answer, _ = interrupted(lambda: model.solve(exact=True, threads=1), 0.3)
    assert isinstance(answer, cw.Solution)
    assert (answer.status, answer.reason) == ("stopped", "interrupted")
    # Nobody earns more than 10 or less than -10 a step.
    of_rewards = 20 * sum(1 / (1 - discount) for discount in (0.999, 0.9, 0.5))
    assert answer.welfare.width < of_rewards / 10
    assert overlap(answer.welfare, model.solve(gap=1e-6).welfare)


def test_ctrl_c_in_a_certified_solve_of_a_million_states_returns_bounds_within_a_second() -> None:
    """However late the engine is: then the bounds are those that the rewards give."""
    model = ring(1_000_000, {"patient": 0.999, "other": 0.9})
    # Nobody earns more than 10 or less than -10 a step.
    most = 10 / (1 - 0.999) + 10 / (1 - 0.9)

    def check(answer: object) -> None:
        assert isinstance(answer, cw.Solution)
        assert (answer.status, answer.reason) == ("stopped", "interrupted")
        lower, upper = answer.welfare_bounds()
        assert lower.shape == upper.shape == (1_000_000,)
        assert (lower <= upper).all()
        assert -most * 1.001 <= lower.min()
        assert upper.max() <= most * 1.001
        assert answer.strategy.action(5, 0) in (0, 1)
        assert f"between proven bounds from {model.start}" in answer._repr_html_()

    # Doubles cannot tell this little, so it would go on for long.
    assert best_of_three(lambda: model.solve(gap=1e-13, threads=1), 1.0, check) < 1.0


def test_the_second_ctrl_c_leaves_a_loop_over_many_solves() -> None:
    model = hard()

    def loop() -> None:
        for _ in range(100):
            model.solve(exact=True)

    answer, _ = interrupted(loop, after=0.5, again=0.3)
    assert isinstance(answer, KeyboardInterrupt)
    # Soon after it, one press is one press again.
    answer, _ = interrupted(lambda: model.solve(exact=True), after=0.3)
    assert isinstance(answer, cw.Solution)


SMALL = {"patient": 0.99, "other": 0.9, "third": 0.5}


@pytest.mark.parametrize(
    "ask",
    [
        lambda model: model.stationary(gap=1e-12, threads=1),
        lambda model: model.positional(threads=1),
        lambda model: model.sweep("other", 0.1, 0.98, steps=100_000, threads=1),
        lambda model: model.map("patient", "other", resolution=32, threads=1),
        lambda model: model.front(exact=True, threads=1),
        lambda model: model.front("patient", "other", exact=True, threads=1),
        lambda model: model.simulate(cw.Strategy.positional(model, dict.fromkeys(range(300), 0)), runs=10**12, threads=1),
    ],
    ids=["stationary", "positional", "sweep", "map", "front of all", "front of two", "simulate"],
)
def test_ctrl_c_returns_what_other_questions_have(ask: Callable[[cw.Model], object]) -> None:
    """Bounds, points, vertices: never an exception, and within a second."""
    model = ring(300, SMALL)

    def check(answer: object) -> None:
        assert not isinstance(answer, KeyboardInterrupt)
        assert (answer.status, answer.reason) == ("stopped", "interrupted")  # type: ignore[attr-defined]
        if isinstance(answer, cw.Search):
            assert answer.welfare.lower <= answer.upper
            # No strategy that does not count earns more than one that does.
            best = model.solve(gap=1e-6).welfare
            assert answer.welfare.lower <= best.upper
            worth = model.evaluate(answer.strategy, gap=1e-6).welfare
            assert answer.welfare.lower <= worth.upper
            assert worth.lower <= answer.upper

    # An earlier press within a second would make this one the second.
    time.sleep(1.1)
    assert best_of_three(lambda: ask(model), 0.4, check) < 1.0


def test_ctrl_c_in_an_evaluation_returns_bounds() -> None:
    model = ring(3_000, {"patient": 0.99999, "other": 0.9999, "third": 0.99})
    strategy = cw.Strategy.positional(model, dict.fromkeys(range(3_000), 0))

    def check(answer: object) -> None:
        assert isinstance(answer, cw.Evaluation)
        assert (answer.status, answer.reason) == ("stopped", "interrupted")
        assert answer.welfare.lower < answer.welfare.upper

    time.sleep(1.1)
    assert best_of_three(lambda: model.evaluate(strategy, exact=True, threads=1), 0.3, check) < 1.0


def test_a_front_that_a_limit_stops_says_so() -> None:
    """In doubles, in fractions, by its vertices, and before there is any."""
    model = ring(3_000, {"patient": 0.999, "other": 0.9, "third": 0.5})
    for axes in ((), ("patient", "other")):
        done = ring(6, SMALL).front(*axes, gap=0.1)
        assert (done.status, done.reason) == ("done", None)
        few = model.front(*axes, vertices=3, gap=1e-9)
        assert (few.status, few.reason, few.complete) == ("stopped", "the limit on vertices was reached", False)
        for seconds in (0.0, 0.01):
            for exact in (True, False):
                found = model.front(*axes, exact=exact, time_limit=seconds)
                assert (found.status, found.reason) == ("stopped", "the time limit was reached"), (axes, seconds, exact)
                assert not found.complete
                assert found.principals == (list(axes) or ["patient", "other", "third"])
                assert len(found.to_pandas()) == len(found.vertices)


def test_coins_that_a_limit_stops_leave_bounds_and_the_lottery() -> None:
    model = ring(3_000, {"patient": 0.999, "other": 0.9, "third": 0.5})
    for seconds in (0.0, 0.01):
        for exact in (True, False):
            found = model.fair("max-min", coin="decision", exact=exact, time_limit=seconds)
            assert (found.status, found.reason) == ("stopped", "the time limit was reached"), (seconds, exact)
            assert found.value is not None
            assert found.value.lower <= found.value.upper


def test_a_time_limit_returns_bounds() -> None:
    model = hard()
    began = time.monotonic()
    solution = model.solve(exact=True, time_limit=0.3)
    assert time.monotonic() - began < 2.0
    assert (solution.status, solution.reason) == ("stopped", "the time limit was reached")
    assert solution.welfare.lower <= solution.welfare.upper
    assert "Stopped" in solution._repr_html_()


@pytest.mark.parametrize("n_states", [5_000, 20_000])
@pytest.mark.parametrize("name", ["positional", "stationary", "sweep"])
def test_searches_and_sweeps_of_thousands_of_states_keep_their_time_limit(name: str, n_states: int) -> None:
    """Within a second after the limit, by the lesser of the time and the processor time of one thread."""
    model = ring(n_states, SMALL)

    def ask() -> cw.Search | cw.Sweep:
        if name == "sweep":
            return model.sweep("other", 0.1, 0.9, steps=20_000, threads=1, time_limit=1.0)
        return getattr(model, name)(threads=1, time_limit=1.0)  # type: ignore[no-any-return]

    began = (time.monotonic(), time.process_time())
    answer = ask()
    took = min(end - begin for begin, end in zip(began, (time.monotonic(), time.process_time()), strict=True))
    assert took < 2.0
    assert (answer.status, answer.reason) == ("stopped", "the time limit was reached")
    # No thread goes on.
    time.sleep(0.2)
    before = time.process_time()
    time.sleep(0.5)
    assert time.process_time() - before < 0.2
    best = model.solve(gap=1e-6).welfare
    if isinstance(answer, cw.Search):
        assert answer.welfare.lower <= best.upper
        worth = model.evaluate(answer.strategy, gap=1e-6).welfare
        assert answer.welfare.lower <= worth.upper
        assert worth.lower <= answer.upper
        # More than the rewards alone say: nobody earns less than -10 or more than 10 a step.
        assert answer.upper - answer.welfare.lower < 20 * (100 + 10 + 2) * 0.95
    else:
        assert all(point.welfare.lower <= point.welfare.upper for point in answer.points)


@pytest.mark.parametrize("name", ["positional", "stationary"])
def test_ctrl_c_in_a_search_of_thousands_of_states_returns_bounds_within_a_second(name: str) -> None:
    model = ring(20_000, SMALL)

    def check(answer: object) -> None:
        assert isinstance(answer, cw.Search)
        assert (answer.status, answer.reason) == ("stopped", "interrupted")
        assert answer.welfare.lower <= answer.upper

    time.sleep(1.1)
    assert best_of_three(lambda: getattr(model, name)(threads=1), 0.4, check) < 1.0


def test_a_time_limit_in_fractions_gives_the_bounds_of_a_short_look_in_doubles() -> None:
    model = ring(2_000, {"patient": 0.999, "other": 0.9, "third": 0.5})
    answer = model.solve(exact=True, time_limit=0.5)
    assert (answer.status, answer.reason) == ("stopped", "the time limit was reached")
    assert answer.welfare.width < 20 * sum(1 / (1 - discount) for discount in (0.999, 0.9, 0.5)) / 10
    assert overlap(answer.welfare, model.solve(gap=1e-6).welfare)


def longest_pause(work: Callable[[], object]) -> tuple[float, float]:
    """For how long another Python thread stood still at most during some work, and how long the work took."""
    stop = threading.Event()
    longest = 0.0

    def count() -> None:
        nonlocal longest
        last = time.monotonic()
        while not stop.is_set():
            time.sleep(0.001)
            now = time.monotonic()
            longest, last = max(longest, now - last), now

    counter = threading.Thread(target=count)
    counter.start()
    began = time.monotonic()
    work()
    took = time.monotonic() - began
    stop.set()
    counter.join()
    return longest, took


def test_other_threads_run_while_a_million_states_are_solved() -> None:
    """A counter in Python goes on: it would stand still for seconds if the interpreter were held."""
    # A call of C that holds the interpreter shows that the measure would notice.
    held, _ = longest_pause(lambda: ctypes.PyDLL(None).usleep(500_000))
    assert held > 0.4
    model = ring(1_000_000, {"patient": 0.98, "other": 0.9})
    solved: list[cw.Solution] = []
    longest, took = longest_pause(lambda: solved.append(model.solve(gap=1e-4, threads=1)))
    assert solved[0].status == "within gap"
    assert took > 2.0, "long enough to notice"
    assert longest < took / 4, f"the interpreter was held for {longest:.2f} of {took:.2f} s"


def test_many_threads_are_refused_and_a_time_limit_holds() -> None:
    model = ring(2_000, {"patient": 0.9999, "other": 0.9})
    began = time.monotonic()
    with pytest.raises(cw.QuestionError, match="threads is 20000"):
        model.solve(gap=1e-6, threads=20_000, time_limit=0.1)
    assert time.monotonic() - began < 1.0
    assert model.solve(gap=1e-6, threads=64).status == "within gap"


def test_two_python_threads_solve_at_once(hotel: cw.Model) -> None:
    found: list[object] = []
    threads = [threading.Thread(target=lambda: found.append(hotel.solve().welfare.exact)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 8
    assert len(set(found)) == 1


def _forked(queue: object) -> None:
    model = ring(3_000, {"patient": 0.9, "other": 0.5})
    queue.put(float(model.solve(gap=1e-6).welfare))  # type: ignore[attr-defined]


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="no fork here")
def test_a_forked_process_solves_too() -> None:
    """A pool of threads that calls shared would be dead there."""
    ring(3_000, {"patient": 0.9, "other": 0.5}).solve(gap=1e-6)
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    process = context.Process(target=_forked, args=(queue,))
    process.start()
    assert np.isfinite(queue.get(timeout=60))
    process.join(timeout=10)
    assert process.exitcode == 0


def test_the_number_of_threads_changes_no_byte() -> None:
    model = ring(3_000, {"patient": 0.99, "other": 0.9})
    texts = {model.solve(gap=1e-6, threads=threads).to_json() for threads in (1, 2, 3)}
    assert len(texts) == 1


def test_nothing_heavy_is_imported_before_it_is_needed() -> None:
    code = "import sys, commonweal; print([m for m in ('scipy', 'pandas', 'polars', 'matplotlib') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout.strip() == "[]", done.stderr


@pytest.fixture(scope="module")
def large() -> cw.Model:
    """A model in doubles whose numbers take seconds to become fractions."""
    return ring(200_000, {"patient": 0.999999, "other": 0.99999})


LARGE_QUESTIONS: dict[
    str, Callable[[cw.Model, float | None], cw.Search | cw.Sweep | cw.Simulation | cw.Fair | cw.StrategyMap]
] = {
    "positional": lambda model, limit: model.positional(threads=1, time_limit=limit),
    "stationary": lambda model, limit: model.stationary(threads=1, time_limit=limit),
    "fair": lambda model, limit: model.fair("max-min", threads=1, time_limit=limit),
    "sweep": lambda model, limit: model.sweep("other", 0.9, 0.99, 3, threads=1, time_limit=limit),
    "map": lambda model, limit: model.map("other", "patient", threads=1, time_limit=limit),
    "simulate": lambda model, limit: model.simulate(model.solve(time_limit=0.0), threads=1, time_limit=limit),
}


@pytest.mark.parametrize("name", list(LARGE_QUESTIONS))
def test_a_large_model_in_doubles_keeps_its_time_limit_before_the_first_fraction(large: cw.Model, name: str) -> None:
    began = time.process_time()
    answer = LARGE_QUESTIONS[name](large, 0.0)
    took = time.process_time() - began
    assert answer.status == "stopped"
    assert answer.reason == "the time limit was reached"
    assert took < 1.5, f"{took:.2f} s of processor time"


@pytest.mark.parametrize("name", list(LARGE_QUESTIONS))
def test_ctrl_c_on_a_large_model_in_doubles_returns_what_is_known_and_ends_the_work(large: cw.Model, name: str) -> None:
    answer, took = interrupted(lambda: LARGE_QUESTIONS[name](large, None), 0.3)
    if isinstance(answer, cw.Simulation):
        rewards = large.solve(time_limit=0.0).welfare
        assert (answer.welfare.lower, answer.welfare.upper) == (rewards.lower, rewards.upper)
    assert getattr(answer, "status", answer) == "stopped"
    assert took < 1.5, f"{took:.2f} s"
    time.sleep(1.0)
    began = time.process_time()
    time.sleep(0.5)
    assert time.process_time() - began < 0.25, "something goes on computing"


def test_ctrl_c_while_a_model_is_written_ends_the_work(large: cw.Model) -> None:
    answer, took = interrupted(lambda: len(large.to_yaml()), 0.3)
    assert isinstance(answer, KeyboardInterrupt)
    assert took < 1.0
    time.sleep(1.0)
    began = time.process_time()
    time.sleep(0.5)
    assert time.process_time() - began < 0.25, "something goes on writing"


def test_what_has_no_bounds_is_interrupted_and_not_kept(large: cw.Model) -> None:
    solution = large.solve(time_limit=0.0)
    for ask in (lambda: solution.own_best, solution.to_json):
        answer, took = interrupted(ask, 0.3)
        assert isinstance(answer, KeyboardInterrupt)
        assert took < 1.0
    assert "own_best" not in vars(solution)
