# Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0
"""
What calls of the normal mode take in Python, and of that beside the engine, in one run, with 128 tokens a rank: medians
of 500 calls, of which the best of ten is told, since other programs run meanwhile. One rank, unless its number, the number of ranks and the address of rank 0 are given.
"""

import statistics
import sys
import time
from typing import Any, Callable, List, Tuple

import numpy as np

import transload

TOKENS, HIDDEN, TOPK, EXPERTS = 128, 2048, 8, 64
WARMUP, WINDOWS, CALLS = 5000, 10, 500


def measure(buffer: transload.Buffer, call: Callable[[], Any]) -> Tuple[float, float]:
    """Microseconds of a call, and those of them that are not the engine's."""
    for _ in range(WARMUP):
        call()
    medians: List[Tuple[float, float]] = []
    for _ in range(WINDOWS):
        whole: List[int] = []
        beside: List[int] = []
        for _ in range(CALLS):
            begin = time.perf_counter_ns()
            result = call()
            whole.append(time.perf_counter_ns() - begin)
            beside.append(whole[-1] - buffer.last_engine_ns)
            del result
        medians.append((statistics.median(beside) / 1e3, statistics.median(whole) / 1e3))
    best = min(medians)
    return best[1], best[0]


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
            x, idx, weights = tensors(rank, library)
            per_rank, _, per_expert, in_rank, _ = buffer.get_dispatch_layout(idx, EXPERTS)

            def dispatch() -> Any:
                return buffer.dispatch(x, None, per_rank, None, in_rank, per_expert, idx, weights)

            rows, _, out_weights, _, handle, _ = dispatch()
            for name, call in (("dispatch", dispatch), ("combine", lambda: buffer.combine(rows, handle, out_weights))):
                whole, beside = measure(buffer, call)
                if rank == 0:
                    print(f"{library:8} {name:9} {whole:7.1f} us, {beside:5.1f} of them beside the engine", flush=True)
            del rows, out_weights, handle


if __name__ == "__main__":
    main()
