# Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0
"""Host tensors of NumPy, ranks as threads: what takes long."""

import gc
import os
import unittest
from typing import Tuple

import scenarios
import transload
from world import Batch, NumpyTensors, run_all, run_ranks


class LongTest(unittest.TestCase):
    def test_should_do_what_brute_force_says_with_two_ranks(self) -> None:
        run_all(2, [2])

    def test_should_do_what_brute_force_says_with_eight_ranks(self) -> None:
        run_all(8, [8])

    def test_should_keep_memory_threads_and_files_over_a_thousand_calls(self) -> None:
        run_ranks(self._thousand_calls, 2)

    def _thousand_calls(self, rank: int, group: transload.Group) -> None:
        buffer, batch = transload.Buffer(group), Batch(2)
        x, idx, weights = transload.to_bfloat16(batch.rows[rank]), batch.idx[rank], batch.weights[rank]
        per_rank, _, per_expert, in_rank, _ = buffer.get_dispatch_layout(idx, batch.experts)

        def calls(count: int) -> Tuple[int, int, int]:
            for _ in range(count):
                rows, _, out_weights, _, handle, _ = buffer.dispatch(
                    x, None, per_rank, None, in_rank, per_expert, idx, weights)
                buffer.combine(rows, handle, out_weights)
                received, _, low_handle, _, _ = buffer.low_latency_dispatch(x, idx, 40, batch.experts, use_fp8=False)
                buffer.low_latency_combine(received, idx, weights, low_handle)
            gc.collect()
            group.barrier()
            with open("/proc/self/status", encoding="utf-8") as status:
                values = dict(line.split(":", 1) for line in status)
            figures = (int(values["VmRSS"].split()[0]), int(values["Threads"]), len(os.listdir("/proc/self/fd")))
            group.barrier()
            return figures

        before = calls(1000)
        tensors = buffer.runtime.tensors()
        after = calls(1000)
        self.assertEqual(buffer.runtime.tensors(), tensors)
        # Of both ranks: the JVM compiles meanwhile.
        self.assertLess(after[0] - before[0], 30_000, f"KiB of memory: {before[0]}, {after[0]}")
        self.assertLessEqual(after[1], before[1] + 4)
        self.assertLessEqual(after[2], before[2] + 4)

    def test_should_have_several_buffers_in_one_process(self) -> None:
        def rank(place: int, group: transload.Group) -> None:
            one, other = transload.Buffer(group), transload.Buffer(group)
            for buffer in (one, other, one):
                scenarios.normal(buffer, NumpyTensors(), [2])

        run_ranks(rank, 2)


if __name__ == "__main__":
    unittest.main()
