"""From SciPy's arrays to an answer: this package and QuantEcon in one process.

The uniform family: N states, 2 actions, 5 successors uniformly at random, Dirichlet(1) probabilities, rewards uniform in
[-10, 10].
Memory is what the process holds more than before (RSS), and the most it held on the way.
"""

from __future__ import annotations

import argparse
import os
import signal
import threading
import time
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
import scipy.sparse
from quantecon.markov import DiscreteDP

import commonweal as cw

T = TypeVar("T")


def status(key: str) -> float:
    """A figure of the process in MB."""
    with open("/proc/self/status") as lines:
        return next(int(line.split()[1]) for line in lines if line.startswith(key + ":")) / 1024


def measured(what: str, work: Callable[[], T]) -> T:
    """Does some work, and says what it took."""
    with open("/proc/self/clear_refs", "w") as file:
        file.write("5")  # the most so far is what there is now
    before, began = status("VmRSS"), time.perf_counter()
    result = work()
    took, after, most = time.perf_counter() - began, status("VmRSS"), status("VmHWM")
    print(f"{what:44} {took:7.2f} s   holds {after - before:7.0f} MB more   at most {most - before:7.0f} MB more")
    return result


def longest_pause(work: Callable[[], T]) -> tuple[T, float]:
    """What some work returns, and for how long another Python thread stood still meanwhile at most."""
    stop, longest = threading.Event(), 0.0

    def tick() -> None:
        nonlocal longest
        last = time.perf_counter()
        while not stop.wait(0.001):
            now = time.perf_counter()
            longest, last = max(longest, now - last), now

    thread = threading.Thread(target=tick)
    thread.start()
    result = work()
    stop.set()
    thread.join()
    return result, longest


def after_ctrl_c(work: Callable[[], Any], seconds: float) -> tuple[Any, float]:
    """What some work returns if Ctrl-C comes after `seconds`, and how long it took after that."""
    pressed = 0.0

    def press() -> None:
        nonlocal pressed
        time.sleep(seconds)
        pressed = time.perf_counter()
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=press)
    thread.start()
    try:
        result = work()
    except KeyboardInterrupt as interrupt:
        result = interrupt
    took = time.perf_counter() - pressed
    thread.join()
    return result, took


def family(n: int) -> tuple[Any, Any, Any, Any]:
    """The arrays of the model."""
    rng = np.random.default_rng(1)
    states, actions = np.repeat(np.arange(n), 2), np.tile([0, 1], n)
    targets = rng.integers(0, n, size=(2 * n, 5))
    probabilities = rng.standard_exponential((2 * n, 5))
    probabilities /= probabilities.sum(axis=1, keepdims=True)
    shape, starts = (2 * n, n), np.arange(0, 10 * n + 1, 5)
    matrix = scipy.sparse.csr_matrix((probabilities.ravel(), targets.ravel().astype(np.int32), starts), shape=shape)
    matrix.sum_duplicates()
    return matrix, rng.uniform(-10, 10, size=2 * n), states, actions


def main() -> None:
    """Both, one after the other."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--states", type=int, default=1_000_000)
    parser.add_argument("--discount", default="0.99")
    arguments = parser.parse_args()
    P, R, s_indices, a_indices = family(arguments.states)
    bytes_given = P.data.nbytes + P.indices.nbytes + P.indptr.nbytes + R.nbytes + s_indices.nbytes + a_indices.nbytes
    print(f"{arguments.states} states, {P.nnz} transitions, discount {arguments.discount}; arrays {bytes_given / 2**20:.0f} MB")
    # Compilation and loading at the first use are not counted.
    small = family(1000)
    DiscreteDP(small[1], small[0], 0.9, small[2], small[3]).solve(method="modified_policy_iteration")
    cw.Model.from_arrays(small[0], {"p": small[1]}, {"p": 0.9}, s_indices=small[2], a_indices=small[3]).solve(gap=1e-6)
    discounts = {"p": arguments.discount}
    model = measured(
        "commonweal: from_arrays",
        lambda: cw.Model.from_arrays(P, {"p": R}, discounts, s_indices=s_indices, a_indices=a_indices),
    )
    solution = measured("commonweal: solve(gap=1e-6)", lambda: model.solve(gap=1e-6))
    print(f"  {solution.status}: {solution.welfare}, scale {solution.scale}")
    _, pause = longest_pause(lambda: model.solve(gap=1e-6, threads=1))
    print(f"  another Python thread stood still for {1000 * pause:.0f} ms at most while one thread solved it again")
    stopped, took = after_ctrl_c(lambda: model.solve(gap=1e-13, threads=1), 0.3)
    print(f"  Ctrl-C returned {stopped!r} after {took:.2f} s")
    lower, upper = measured("commonweal: bounds of all states", solution.welfare_bounds)
    beta = float(arguments.discount)
    ddp = measured("quantecon: DiscreteDP", lambda: DiscreteDP(R, P, beta, s_indices, a_indices))
    theirs = measured(
        "quantecon: modified policy iteration, 1e-6", lambda: ddp.solve(method="modified_policy_iteration", epsilon=1e-6)
    )
    apart = np.maximum(lower - theirs.v, theirs.v - upper).max()
    print(f"  quantecon's values leave our bounds by at most {max(apart, 0.0):.1e}; widest bounds {np.max(upper - lower):.1e}")


if __name__ == "__main__":
    main()
