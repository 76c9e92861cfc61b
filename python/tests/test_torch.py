# Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0
"""Tensors of PyTorch on the CPU, ranks as processes with the variables of torchrun."""

import importlib.util
import os
import subprocess
import sys
import unittest
from pathlib import Path

from world import free_address


def run_torch_ranks(test: unittest.TestCase, program: str, ranks: int, nodes: str, *settings: str) -> None:
    """Not by torchrun itself: that of Debian's 1.13 does not start with Python 3.11."""
    host, port = free_address().split(":")
    processes = [subprocess.Popen(
        [sys.executable, str(Path(__file__).parent / program), nodes, *settings], stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True,
        env=dict(os.environ, OMP_NUM_THREADS="1", TRANSLOAD_RANKS_PER_NODE=nodes, RANK=str(rank),
                 LOCAL_RANK=str(rank), WORLD_SIZE=str(ranks), MASTER_ADDR=host, MASTER_PORT=port))
        for rank in range(ranks)]
    try:
        for rank, process in enumerate(processes):
            said = process.communicate(timeout=120)[0]
            test.assertEqual(process.returncode, 0, f"rank {rank}: {said}")
            test.assertIn(f"rank {rank}: well", said)
    finally:
        for process in processes:
            process.kill()
            process.communicate()


@unittest.skipIf(importlib.util.find_spec("torch") is None, "this Python has no PyTorch: install python3-torch")
class TorchTest(unittest.TestCase):
    def run_ranks(self, ranks: int, nodes: str, *settings: str) -> None:
        run_torch_ranks(self, "torch_rank.py", ranks, nodes, *settings)

    def test_should_do_what_brute_force_says_with_two_ranks(self) -> None:
        self.run_ranks(2, "2")

    def test_should_do_what_brute_force_says_with_four_ranks(self) -> None:
        self.run_ranks(4, "4")

    def test_should_do_what_brute_force_says_with_two_nodes_of_two_ranks(self) -> None:
        self.run_ranks(4, "2,2")

    def test_should_do_what_brute_force_says_over_ucx(self) -> None:
        self.run_ranks(4, "2,2", "scale-out.transport=ucx")


if __name__ == "__main__":
    unittest.main()
