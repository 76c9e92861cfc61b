# Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0
"""
What calls take in Python, and of that beside the engine, in one run, with 128 tokens a rank: medians of 500 calls, of
which the best of ten is told, since other programs run meanwhile. One rank, unless its number, the number of ranks and
the address of rank 0 are given.
"""

import ctypes
import statistics
import sys
import time
from typing import Any, Callable, List, Sequence, Tuple

import numpy as np

import transload

TOKENS, HIDDEN, TOPK, EXPERTS = 128, 2048, 8, 64
WARMUP, WINDOWS, CALLS = 5000, 10, 500


def measure(steps: Sequence[Callable[[], Any]], engine_ns: Callable[[], int]) -> List[Tuple[float, float]]:
    """Of each step, which take turns: microseconds of a call, and those of them that are not the engine's."""
    for _ in range(WARMUP):
        for step in steps:
            step()
    medians: List[List[Tuple[float, float]]] = [[] for _ in steps]
    for _ in range(WINDOWS):
        whole: List[List[int]] = [[] for _ in steps]
        beside: List[List[int]] = [[] for _ in steps]
        engine_ns()
        for _ in range(CALLS):
            for place, step in enumerate(steps):
                begin = time.perf_counter_ns()
                result = step()
                taken = time.perf_counter_ns() - begin
                whole[place].append(taken)
                beside[place].append(taken - engine_ns())
                del result
        for place in range(len(steps)):
            medians[place].append((statistics.median(beside[place]) / 1e3, statistics.median(whole[place]) / 1e3))
    return [(best[1], best[0]) for best in map(min, medians)]


def tell(rank: int, library: str, name: str, figures: Tuple[float, float]) -> None:
    if rank == 0:
        print(f"{library:8} {name:21} {figures[0]:7.1f} us, {figures[1]:5.1f} of them beside the engine", flush=True)


def normal(buffer: transload.Buffer, library: str, x: Any, idx: Any, weights: Any) -> None:
    per_rank, _, per_expert, in_rank, _ = buffer.get_dispatch_layout(idx, EXPERTS)

    def dispatch() -> Any:
        return buffer.dispatch(x, None, per_rank, None, in_rank, per_expert, idx, weights)

    rows, _, out_weights, _, handle, _ = dispatch()
    for name, call in (("dispatch", dispatch), ("combine", lambda: buffer.combine(rows, handle, out_weights))):
        tell(buffer.rank, library, name, measure([call], lambda: buffer.last_engine_ns)[0])


def low_latency(buffer: transload.Buffer, library: str, x: Any, idx: Any, weights: Any) -> None:
    """Rows as BF16. A dispatch is combined once, so both take turns."""
    sent: List[Any] = []

    def dispatch() -> Any:
        sent[:] = buffer.low_latency_dispatch(x, idx, TOKENS, EXPERTS, use_fp8=False)

    def combine() -> Any:
        return buffer.low_latency_combine(sent[0], idx, weights, sent[2])

    dispatch()
    combine()
    engine, library_of_c, total = buffer.runtime.newest_low_latency(), buffer.runtime.library, ctypes.c_int64()

    def engine_ns() -> int:
        before = total.value
        library_of_c.check(library_of_c.low_latency_engine_ns(engine.pointer, ctypes.byref(total)))
        return total.value - before

    for name, figures in zip(("low_latency_dispatch", "low_latency_combine"), measure([dispatch, combine], engine_ns)):
        tell(buffer.rank, library, name, figures)


def tensors(rank: int, library: str) -> Tuple[Any, Any, Any]:
    random = np.random.default_rng(rank)
    x = transload.to_bfloat16(random.random((TOKENS, HIDDEN)))
    idx = np.argsort(random.random((TOKENS, EXPERTS)), axis=1)[:, :TOPK].astype(np.int64)
    weights = random.random((TOKENS, TOPK)).astype(np.float32)
    if library == "NumPy":
        return x, idx, weights
    import torch

    torch.set_num_threads(1)
    return torch.from_numpy(x.view(np.int16)).view(torch.bfloat16), torch.from_numpy(idx), torch.from_numpy(weights)


def main() -> None:
    rank, size = (int(sys.argv[1]), int(sys.argv[2])) if len(sys.argv) > 2 else (0, 1)
    libraries = ["NumPy"]
    try:
        import torch  # noqa: F401

        libraries.append("PyTorch")
    except ImportError:
        pass
    with transload.Group(rank, size, sys.argv[3] if size > 1 else None) as group:
        buffer = transload.Buffer(group)
        for library in libraries:
            inputs = tensors(rank, library)
            normal(buffer, library, *inputs)
            low_latency(buffer, library, *inputs)


if __name__ == "__main__":
    main()
