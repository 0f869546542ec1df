"""Long solves: they stop, they return bounds, and they leave Python alone meanwhile."""

from __future__ import annotations

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


def slowdown() -> float:
    """How many times longer this thread takes than it would on a machine that does nothing else."""
    began, worked = time.monotonic(), time.thread_time()
    while time.thread_time() - worked < 0.05:
        pass
    return max(1.0, (time.monotonic() - began) / 0.05)


def interrupted(ask: Callable[[], object], after: float) -> tuple[object, float]:
    """What `ask` returns if Ctrl-C comes after so many seconds, and how long it took after that, on a machine of its own."""
    pressed: list[float] = []
    before = slowdown()

    def press() -> None:
        time.sleep(after)
        pressed.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=press)
    thread.start()
    try:
        answer: object = ask()
    except KeyboardInterrupt as stopped:
        answer = stopped
    ended = time.monotonic()
    thread.join()
    assert pressed, "it ended before Ctrl-C came"
    return answer, (ended - pressed[0]) / max(before, slowdown())


def overlap(one: cw.Value, other: cw.Value) -> bool:
    """Bounds that both hold overlap."""
    return one.lower <= other.upper and other.lower <= one.upper


def test_ctrl_c_returns_bounds_within_a_second() -> None:
    model = hard()
    answer, took = interrupted(lambda: model.solve(exact=True), after=0.5)
    assert took < 1.0
    assert isinstance(answer, cw.Solution)
    assert (answer.status, answer.reason) == ("stopped", "interrupted")
    assert answer.welfare.lower < answer.welfare.upper
    assert overlap(answer.welfare, model.solve(gap=1e-3, time_limit=2.0).welfare)


def test_ctrl_c_in_a_certified_solve_of_a_million_states_returns_bounds_within_a_second() -> None:
    """However late the engine is: then the bounds are those that the rewards give."""
    model = ring(1_000_000, {"patient": 0.999, "other": 0.9})
    # Doubles cannot tell this little, so it would go on for long.
    answer, took = interrupted(lambda: model.solve(gap=1e-13), after=1.0)
    assert took < 1.0
    assert isinstance(answer, cw.Solution)
    assert (answer.status, answer.reason) == ("stopped", "interrupted")
    lower, upper = answer.welfare_bounds()
    assert lower.shape == upper.shape == (1_000_000,)
    assert (lower <= upper).all()
    # Nobody earns more than 10 or less than -10 a step.
    most = 10 / (1 - 0.999) + 10 / (1 - 0.9)
    assert -most * 1.001 <= lower.min()
    assert upper.max() <= most * 1.001
    assert answer.strategy.action(5, 0) in (0, 1)
    assert f"between proven bounds from {model.start}" in answer._repr_html_()


def test_the_second_ctrl_c_leaves_a_loop_over_many_solves() -> None:
    model = hard()

    def loop() -> None:
        for _ in range(100):
            model.solve(exact=True)

    def press_again() -> None:
        time.sleep(0.8)
        os.kill(os.getpid(), signal.SIGINT)

    again = threading.Thread(target=press_again)
    again.start()
    answer, _ = interrupted(loop, after=0.5)
    again.join()
    assert isinstance(answer, KeyboardInterrupt)
    # Soon after it, one press is one press again.
    time.sleep(1.1)
    answer, _ = interrupted(lambda: model.solve(exact=True), after=0.3)
    assert isinstance(answer, cw.Solution)


def test_ctrl_c_stops_other_questions_too() -> None:
    model = ring(40, {"patient": 0.99, "other": 0.9, "third": 0.5})
    for ask in (lambda: model.stationary(gap=1e-12), lambda: model.sweep("other", 0.1, 0.98, steps=100_000)):
        answer, took = interrupted(ask, after=0.3)
        assert took < 1.0
        assert isinstance(answer, KeyboardInterrupt) or getattr(answer, "status", None) == "stopped"
        # Two presses within a second would be a wish to leave.
        time.sleep(1.0)


def test_a_time_limit_returns_bounds() -> None:
    model = hard()
    began = time.monotonic()
    solution = model.solve(exact=True, time_limit=0.3)
    assert time.monotonic() - began < 2.0
    assert (solution.status, solution.reason) == ("stopped", "the time limit was reached")
    assert solution.welfare.lower <= solution.welfare.upper
    assert "Stopped" in solution._repr_html_()


def test_other_threads_run_while_a_large_model_is_solved() -> None:
    """A counter in Python goes on: it would stand still if the interpreter were held."""
    model = ring(30_000, {"patient": 0.95, "other": 0.5})
    stop = threading.Event()
    longest = 0.0

    def count() -> None:
        nonlocal longest
        last = time.monotonic()
        while not stop.is_set():
            time.sleep(0.001)
            now = time.monotonic()
            longest = max(longest, now - last)
            last = now

    counter = threading.Thread(target=count)
    counter.start()
    began = time.monotonic()
    solution = model.solve(gap=1e-4, threads=1)
    took = time.monotonic() - began
    stop.set()
    counter.join()
    assert solution.status == "within gap"
    assert longest < max(0.2, took / 3), f"the interpreter was held for {longest:.2f} of {took:.2f} s"


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
