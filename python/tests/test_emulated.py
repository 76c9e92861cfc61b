# Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0
"""Tensors of an emulated GPU, ranks as threads of this process: what is not PyTorch's in calls on CUDA tensors."""

import threading
import unittest

import numpy as np

import scenarios
import transload
from emulated import EMULATOR, EmulatedTensors, buffer_on
from world import HIDDEN, Batch, run_ranks

LAYERS, REPLAYS, RANKS = 5, 3, 2


def both_modes(rank: int, group: transload.Group) -> None:
    buffer, arrays = buffer_on(group, rank)
    tensors = EmulatedTensors(arrays)
    scenarios.normal(buffer, tensors, [RANKS])
    scenarios.low_latency(buffer, tensors, [RANKS])
    buffer._finalizer()


def uncaptured(rank: int, group: transload.Group) -> None:
    """More calls than an engine has places, of which none is waited for, and memory is used again."""
    buffer, arrays = buffer_on(group, rank)
    tensors = EmulatedTensors(arrays)
    batch = Batch(RANKS)
    x, idx = tensors.bf16(batch.rows[rank]), tensors.of(batch.idx[rank])
    weights = tensors.of(batch.weights[rank])
    per_rank, _, per_expert, in_rank, _ = buffer.get_dispatch_layout(idx, batch.experts)
    addresses = set()
    for _ in range(6):
        rows, *_, handle, _ = buffer.dispatch(x, None, per_rank, None, in_rank, per_expert, idx, weights)
        addresses.add(rows.address)
        scenarios.check_rows(buffer, batch, tensors.f32(rows))
        del rows, handle, _
        arrays.synchronize()
    assert len(addresses) < 6, addresses
    sent = [low_latency_pair(buffer, batch, x, idx, weights) for _ in range(10)]
    expected = batch.rows[rank] * np.where(batch.idx[rank] < 0, 0, batch.weights[rank]).sum(axis=1)[:, None]
    for sums in sent:
        np.testing.assert_array_equal(tensors.f32(sums), expected)


def low_latency_pair(buffer: transload.Buffer, batch: Batch, x: object, idx: object, weights: object) -> object:
    rows, _, handle, event, hook = buffer.low_latency_dispatch(
        x, idx, 40, batch.experts, use_fp8=False, return_recv_hook=True)
    hook()
    event.current_stream_wait()
    return buffer.low_latency_combine(rows, idx, weights, handle)[0]


def captured(rank: int, group: transload.Group, meeting: threading.Barrier) -> None:
    buffer, arrays = buffer_on(group, rank)
    driver, tensors = arrays.driver, EmulatedTensors(arrays)
    first = Batch(RANKS)
    x, idx = tensors.bf16(first.rows[rank]), tensors.of(first.idx[rank])
    weights = tensors.of(first.weights[rank])
    arrays.is_captured = True
    scenarios.refused(RuntimeError, "opens the mode, cannot be captured", lambda: low_latency_pair(
        buffer, first, x, idx, weights))
    scenarios.refused(RuntimeError, "normal mode, in which the host", lambda: buffer.dispatch(
        x, None, idx, None, idx, idx, idx, weights))
    arrays.is_captured = False
    # Both places of the engine have their outputs then.
    for _ in range(2):
        low_latency_pair(buffer, first, x, idx, weights)
    arrays.is_captured = True
    scenarios.refused(RuntimeError, "allocates its output, cannot be captured", lambda: buffer.low_latency_dispatch(
        x, idx, 40, first.experts))
    sums = []
    replay = driver.capture(lambda: sums.extend(
        low_latency_pair(buffer, first, x, idx, weights) for _ in range(LAYERS)))
    for seed in range(REPLAYS):
        batch = Batch(RANKS, seed + 1)
        x.put(tensors.bf16(batch.rows[rank]).get())
        idx.put(batch.idx[rank])
        weights.put(batch.weights[rank])
        meeting.wait(60)
        replay()
        expected = batch.rows[rank] * np.where(batch.idx[rank] < 0, 0, batch.weights[rank]).sum(axis=1)[:, None]
        for layer in sums:
            assert layer.shape == (batch.tokens, HIDDEN)
            np.testing.assert_array_equal(tensors.f32(layer), expected)
    assert len({layer.address for layer in sums}) == LAYERS
    arrays.is_captured = False
    np.testing.assert_array_equal(tensors.f32(low_latency_pair(buffer, first, x, idx, weights)), expected)


@unittest.skipUnless(EMULATOR.exists(), "there is no emulator: the build found no C++ compiler")
class EmulatedTest(unittest.TestCase):
    def test_should_do_what_brute_force_says_on_devices(self) -> None:
        run_ranks(both_modes, RANKS)

    def test_should_use_memory_again_behind_the_stream_and_wait_for_no_low_latency_call(self) -> None:
        run_ranks(uncaptured, RANKS)

    def test_should_capture_low_latency_pairs_and_replay_them_with_other_ids_and_tokens(self) -> None:
        meeting = threading.Barrier(RANKS)
        run_ranks(lambda rank, group: captured(rank, group, meeting), RANKS)


if __name__ == "__main__":
    unittest.main()
