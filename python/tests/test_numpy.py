# Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0
"""Host tensors of NumPy, ranks as threads."""

import gc
import os
import signal
import subprocess
import sys
import unittest
from pathlib import Path

import numpy as np

import scenarios
import transload
from world import Batch, free_address, run_all, run_ranks

HERE = Path(__file__).parent


class NumpyTest(unittest.TestCase):
    def test_should_do_what_brute_force_says_with_two_nodes_of_two_ranks(self) -> None:
        run_all(4, [2, 2])

    def test_should_destroy_and_keep_tensors_in_use(self) -> None:
        def rank(place: int, group: transload.Group) -> None:
            buffer, batch = transload.Buffer(group, explicitly_destroy=True), Batch(2)
            per_rank, _, per_expert, in_rank, _ = buffer.get_dispatch_layout(batch.idx[place], batch.experts)
            rows = buffer.dispatch(
                transload.to_bfloat16(batch.rows[place]), None, per_rank, None, in_rank, per_expert,
                batch.idx[place], batch.weights[place])[0]
            with self.assertWarnsRegex(ResourceWarning, "still in use") if place == 0 else _nothing():
                if place == 1:
                    scenarios.check_rows(buffer, batch, transload.from_bfloat16(rows))
                    del rows
                    gc.collect()
                buffer.destroy()
            if place == 0:
                scenarios.check_rows(buffer, batch, transload.from_bfloat16(rows))
            scenarios.refused(RuntimeError, "destroyed", lambda: buffer.low_latency_dispatch(
                transload.to_bfloat16(batch.rows[place]), batch.idx[place], 40, batch.experts))

        run_ranks(rank, 2)

    def test_should_use_memory_again_that_no_array_views(self) -> None:
        def rank(place: int, group: transload.Group) -> None:
            buffer, batch = transload.Buffer(group), Batch(2)
            x, idx, weights = transload.to_bfloat16(batch.rows[place]), batch.idx[place], batch.weights[place]
            per_rank, _, per_expert, in_rank, _ = buffer.get_dispatch_layout(idx, batch.experts)

            def dispatch() -> tuple:
                return buffer.dispatch(x, None, per_rank, None, in_rank, per_expert, idx, weights)

            kept, kept_idx, _, _, kept_handle, _ = dispatch()
            kept_idx.fill(-5)
            some, sources = kept[3:5], kept_handle[3].copy()
            del kept
            addresses = set()
            for _ in range(300):
                rows, out_idx, out_weights, _, handle, _ = dispatch()
                addresses.add(rows.ctypes.data)
                sums, _, _ = buffer.combine(rows, handle, out_weights)
                addresses.add(sums.ctypes.data)
            scenarios.check_rows(buffer, batch, transload.from_bfloat16(rows))
            scenarios.check_selections(buffer, batch, out_idx, out_weights)
            copies = batch.in_rank(place).sum(axis=1)[:, None]
            np.testing.assert_array_equal(transload.from_bfloat16(sums), batch.rows[place] * copies)
            # Each result is there until the next one replaces it.
            self.assertLessEqual(len(addresses), 6)
            expected = [batch.rows[at] for at in batch.delivered(place)[3:5]]
            np.testing.assert_array_equal(transload.from_bfloat16(some), expected)
            np.testing.assert_array_equal(kept_handle[3], sources)
            self.assertTrue((kept_idx == -5).all())
            self.assertGreater(buffer.runtime.tensors(), 0)
            del rows, out_idx, out_weights, handle, sums, some, kept_idx, kept_handle, _
            gc.collect()
            self.assertEqual(buffer.runtime.tensors(), 0)

        run_ranks(rank, 2)

    def test_should_give_memory_of_the_buffer(self) -> None:
        def rank(place: int, group: transload.Group) -> None:
            buffer = transload.Buffer(group, num_nvl_bytes=4096)
            words = buffer.get_local_buffer_tensor(np.int32, (2, 8), offset=4)
            words[...] = 7
            self.assertEqual(buffer.get_local_buffer_tensor(np.int32)[4:20].tolist(), [7] * 16)
            scenarios.refused(RuntimeError, "explicitly_destroy", buffer.destroy)
            self.assertEqual(buffer.get_local_buffer_tensor(np.int32)[:4].tolist(), [0] * 4)
            scenarios.refused(ValueError, "num_rdma_bytes", lambda: buffer.get_local_buffer_tensor(
                np.int32, use_rdma_buffer=True))

        run_ranks(rank, 1)

    def test_should_tell_sizes(self) -> None:
        config = transload.Buffer.get_dispatch_config(16)
        self.assertGreater(config.get_nvl_buffer_size_hint(2 * 7168, 8), 0)
        self.assertEqual(config.get_rdma_buffer_size_hint(2 * 7168, 8), 0)
        self.assertGreater(config.get_rdma_buffer_size_hint(2 * 7168, 16), 0)
        self.assertGreater(transload.Buffer.get_low_latency_rdma_size_hint(128, 7168, 8, 256), 1 << 20)

    def test_should_mask_a_rank_and_take_it_back(self) -> None:
        def rank(place: int, group: transload.Group) -> None:
            buffer = transload.Buffer(group, low_latency_mode=True, use_fabric=True, enable_shrink=True)
            batch, status = Batch(2), np.full(2, 7, np.int32)
            scenarios.refused(
                RuntimeError, "no low-latency call yet", lambda: buffer.low_latency_query_mask_buffer(status))

            def counts() -> int:
                _, count, _, _, _ = buffer.low_latency_dispatch(
                    transload.to_bfloat16(batch.rows[place]), batch.idx[place], 40, batch.experts)
                return int(count.sum())

            own = int(np.sum(batch.owners()[place] == place))
            everyone = int(np.sum(batch.owners() == place))
            self.assertEqual(counts(), everyone)
            group.barrier()
            buffer.low_latency_update_mask_buffer(1 - place, True)
            buffer.low_latency_query_mask_buffer(status)
            self.assertEqual(status.tolist(), [place, 1 - place])
            self.assertEqual(counts(), own)
            group.barrier()
            buffer.low_latency_clean_mask_buffer()
            buffer.low_latency_query_mask_buffer(status)
            self.assertEqual(status.tolist(), [0, 0])
            group.barrier()
            self.assertEqual(counts(), everyone)

        run_ranks(rank, 2)

    def test_should_leave_nothing_when_a_process_ends(self) -> None:
        program = ("import os, numpy, transload\n"
                   "buffer = transload.Buffer(transload.Group(0, 1))\n"
                   "idx = numpy.zeros((4, 1), numpy.int64)\n"
                   "layout = buffer.get_dispatch_layout(idx, 2)\n"
                   "x = transload.to_bfloat16(numpy.ones((4, 128)))\n"
                   "rows = buffer.dispatch(x, None, layout[0], None, layout[3], layout[2], idx)[0]\n"
                   "files = [name for name in os.listdir('/dev/shm') if f'-{os.getpid()}-' in name]\n"
                   "print(os.getpid(), len(files) > 0)")
        said = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True)
        self.assertEqual(said.stderr, "")
        process, had_files = said.stdout.split()
        self.assertEqual(had_files, "True")
        self.assertEqual([name for name in os.listdir("/dev/shm") if f"-{process}-" in name], [])

    def test_should_name_the_rank_that_was_killed(self) -> None:
        address = free_address()
        ranks = [subprocess.Popen(
            [sys.executable, str(HERE / "killed.py"), str(rank), address], stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True) for rank in range(2)]
        try:
            text = ranks[0].communicate(timeout=60)[0]
            ranks[1].communicate(timeout=10)
            self.assertEqual(ranks[1].returncode, -signal.SIGKILL)
            self.assertRegex(text, r"^peer 1: .*rank 1", text)
            self.assertEqual(ranks[0].returncode, 0, text)
        finally:
            for process in ranks:
                process.kill()

    def test_should_hear_an_interrupt_and_refuse_forks(self) -> None:
        process = subprocess.Popen(
            [sys.executable, str(HERE / "interrupted.py"), free_address()], stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True)
        try:
            self.assertEqual(process.stdout.readline(), "waiting\n")  # type: ignore[union-attr]
            process.send_signal(signal.SIGINT)
            text = process.communicate(timeout=60)[0]
            self.assertEqual(text, "interrupted\nforked: True\n")
            self.assertEqual(process.returncode, 0, text)
        finally:
            process.kill()


class _nothing:
    def __enter__(self) -> None:
        pass

    def __exit__(self, *_: object) -> None:
        pass


if __name__ == "__main__":
    unittest.main()
