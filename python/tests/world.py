# Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0
"""Ranks as threads of this process, what they send, and what brute force says that comes."""

import socket
import threading
from typing import Any, Callable, List, Optional

import numpy as np

import transload

HIDDEN = 256
TOPK = 3
SETTINGS = {"scale-up.transport": "aeron", "scale-out.transport": "aeron"}


def free_address() -> str:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return f"127.0.0.1:{probe.getsockname()[1]}"


def run_ranks(scenario: Callable[[int, transload.Group], None], size: int, nodes: Optional[List[int]] = None) -> None:
    """Run it on each rank; the first failure is raised."""
    address = free_address()
    failures: List[BaseException] = []

    def run(rank: int) -> None:
        try:
            with transload.Group(rank, size, address, ranks_per_node=nodes, settings=SETTINGS) as group:
                scenario(rank, group)
        except BaseException as failure:  # noqa: B902 - told by the thread that waits
            failures.append(failure)

    threads = [threading.Thread(target=run, args=(rank,), daemon=True) for rank in range(size)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
        if thread.is_alive():
            raise failures[0] if failures else AssertionError("a rank does not end")
    if failures:
        raise failures[0]


class NumpyTensors:
    """Arrays as tests make and read them."""

    fp8 = np.uint8
    is_on_device = False

    @staticmethod
    def bf16(values: np.ndarray) -> Any:
        return transload.to_bfloat16(values)

    @staticmethod
    def f32(tensor: Any) -> np.ndarray:
        return transload.from_bfloat16(tensor)

    @staticmethod
    def of(values: np.ndarray) -> Any:
        return values

    @staticmethod
    def fp8_of(bits: np.ndarray) -> Any:
        return bits

    @staticmethod
    def np(tensor: Any) -> np.ndarray:
        return tensor


class TorchTensors:
    """Tensors of PyTorch on the CPU; FP8 is uint8."""

    is_on_device = False

    def __init__(self) -> None:
        import torch

        self._torch = torch
        self.fp8 = torch.uint8

    def bf16(self, values: np.ndarray) -> Any:
        return self._torch.from_numpy(np.asarray(values, np.float32)).to(self._torch.bfloat16)

    @staticmethod
    def f32(tensor: Any) -> np.ndarray:
        return tensor.float().numpy()

    def of(self, values: np.ndarray) -> Any:
        return self._torch.from_numpy(np.ascontiguousarray(values))

    def fp8_of(self, bits: np.ndarray) -> Any:
        return self.of(bits)

    @staticmethod
    def np(tensor: Any) -> np.ndarray:
        return tensor.numpy()


class CudaTensors:
    """Tensors of PyTorch on the current GPU; FP8 is float8_e4m3fn."""

    is_on_device = True

    def __init__(self) -> None:
        import torch

        self._torch = torch
        self.fp8 = torch.float8_e4m3fn

    def bf16(self, values: np.ndarray) -> Any:
        return self._torch.from_numpy(np.asarray(values, np.float32)).cuda().to(self._torch.bfloat16)

    @staticmethod
    def f32(tensor: Any) -> np.ndarray:
        return tensor.float().cpu().numpy()

    def of(self, values: np.ndarray) -> Any:
        return self._torch.from_numpy(np.ascontiguousarray(values)).cuda()

    def fp8_of(self, bits: np.ndarray) -> Any:
        return self.of(bits).view(self.fp8)

    def np(self, tensor: Any) -> np.ndarray:
        return (tensor.view(self._torch.uint8) if tensor.dtype == self.fp8 else tensor).cpu().numpy()


class Batch:
    """Inputs of all ranks: small whole numbers, so that sums are exact in BF16. The same on all ranks."""

    def __init__(self, size: int, seed: int = 0, tokens: int = 37) -> None:
        random = np.random.default_rng(seed)
        self.size = size
        self.experts = 4 * size
        self.tokens = tokens
        shape = (size, tokens, TOPK)
        self.rows = random.integers(0, 7, (size, tokens, HIDDEN)).astype(np.float32)
        self.idx = np.argsort(random.random((size, tokens, self.experts)), axis=2)[:, :, :TOPK].astype(np.int64)
        self.idx[random.random(shape) < 0.2] = -1
        self.idx[:, 3] = -1
        self.weights = random.integers(1, 5, shape).astype(np.float32) / 4

    def owners(self) -> np.ndarray:
        """[P, T, K]: rank of each selection, or -1."""
        return np.where(self.idx < 0, -1, self.idx // 4)

    def in_rank(self, source: int) -> np.ndarray:
        """[T, P]"""
        return (self.owners()[source][:, :, None] == np.arange(self.size)).any(axis=1)

    def delivered(self, rank: int) -> List[tuple]:
        """(source, token) of each row that comes to a rank."""
        return [(source, token) for source in range(self.size) for token in range(self.tokens)
                if self.in_rank(source)[token, rank]]

    def local(self, rank: int, source: int, token: int) -> np.ndarray:
        chosen = self.idx[source, token]
        return np.where((chosen >= 0) & (chosen // 4 == rank), chosen - 4 * rank, -1)

    def counts(self, rank: int, alignment: int) -> List[int]:
        return [int(-(-np.sum(self.idx == 4 * rank + expert) // alignment) * alignment) for expert in range(4)]


def run_all(size: int, nodes: List[int]) -> None:
    """All scenarios, with NumPy."""
    import scenarios

    def rank(_: int, group: transload.Group) -> None:
        buffer = transload.Buffer(group)
        scenarios.normal(buffer, NumpyTensors(), nodes)
        scenarios.low_latency(buffer, NumpyTensors(), nodes)

    run_ranks(rank, size, nodes)
