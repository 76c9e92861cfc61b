# Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0
"""What one rank does and checks, with tensors of either library. Each takes a Buffer of a world of any size."""

from typing import Any, Callable, List

import numpy as np

import transload
from world import HIDDEN, Batch


def layout(buffer: transload.Buffer, tensors: Any, batch: Batch, nodes: List[int]) -> tuple:
    rank = buffer.rank
    per_rank, per_node, per_expert, in_rank, event = \
        buffer.get_dispatch_layout(tensors.of(batch.idx[rank]), batch.experts)
    event.current_stream_wait()
    expected = batch.in_rank(rank)
    np.testing.assert_array_equal(tensors.np(in_rank), expected)
    np.testing.assert_array_equal(tensors.np(per_rank), expected.sum(axis=0))
    np.testing.assert_array_equal(
        tensors.np(per_expert), [np.sum(batch.idx[rank] == expert) for expert in range(batch.experts)])
    if len(nodes) == 1:
        assert per_node is None
    else:
        ends = np.cumsum(nodes)
        np.testing.assert_array_equal(
            tensors.np(per_node), [expected[:, end - count:end].any(axis=1).sum() for end, count in zip(ends, nodes)])
    return per_rank, per_node, in_rank, per_expert


def check_rows(buffer: transload.Buffer, batch: Batch, rows: np.ndarray) -> None:
    sent = batch.delivered(buffer.rank)
    assert rows.shape == (len(sent), HIDDEN), (rows.shape, len(sent))
    np.testing.assert_array_equal(rows, np.array([batch.rows[at] for at in sent]).reshape(-1, HIDDEN))


def check_selections(buffer: transload.Buffer, batch: Batch, idx: np.ndarray, weights: np.ndarray) -> None:
    rank = buffer.rank
    for row, (source, token) in enumerate(batch.delivered(rank)):
        local = batch.local(rank, source, token)
        np.testing.assert_array_equal(idx[row], local)
        np.testing.assert_array_equal(weights[row], np.where(local < 0, 0, batch.weights[source, token]))


def normal(buffer: transload.Buffer, tensors: Any, nodes: List[int]) -> None:
    batch, rank = Batch(buffer.group_size), buffer.rank
    per_rank, per_node, in_rank, per_expert = layout(buffer, tensors, batch, nodes)
    routing = {"num_tokens_per_rank": per_rank, "num_tokens_per_rdma_rank": per_node, "is_token_in_rank": in_rank,
               "num_tokens_per_expert": per_expert}
    selection = {"topk_idx": tensors.of(batch.idx[rank]), "topk_weights": tensors.of(batch.weights[rank])}
    x = tensors.bf16(batch.rows[rank])
    rows, idx, weights, counts, handle, event = buffer.dispatch(
        x, **routing, **selection, expert_alignment=4, previous_event=buffer.capture(), async_finish=True,
        config=transload.Buffer.get_dispatch_config(buffer.group_size))
    event.current_stream_wait()
    check_rows(buffer, batch, tensors.f32(rows))
    check_selections(buffer, batch, tensors.np(idx), tensors.np(weights))
    assert counts == batch.counts(rank, 4), counts
    prefix = [sum(source <= limit for source, _ in batch.delivered(rank)) for limit in range(buffer.group_size)]
    np.testing.assert_array_equal(tensors.np(handle[0])[:, rank], prefix)
    np.testing.assert_array_equal(tensors.np(handle[3]), [token for _, token in batch.delivered(rank)])

    cached(buffer, tensors, batch, handle)
    combine(buffer, tensors, batch, rows, weights, handle)
    by_ranks(buffer, tensors, batch, x, routing)
    worst_case(buffer, tensors, batch, x, routing, selection)
    fp8(buffer, tensors, batch, routing, selection, per_expert)


def cached(buffer: transload.Buffer, tensors: Any, batch: Batch, handle: tuple) -> None:
    other = Batch(buffer.group_size)
    other.rows = other.rows[:, :, ::-1] + 1
    rows, idx, weights, counts, again, event = buffer.dispatch(
        tensors.bf16(np.ascontiguousarray(other.rows[buffer.rank])), handle=handle)
    assert idx is None and weights is None and counts is None and again is None
    check_rows(buffer, other, tensors.f32(rows))


def combine(
        buffer: transload.Buffer, tensors: Any, batch: Batch, rows: Any, weights: Any, handle: tuple) -> None:
    rank = buffer.rank
    copies = batch.in_rank(rank).sum(axis=1)[:, None]
    bias = tensors.bf16(np.ones((batch.tokens, HIDDEN), np.float32))
    for given, added in ((None, 0), (bias, 1), ((bias, bias), 2)):
        sums, sums_of_weights, event = buffer.combine(rows, handle, topk_weights=weights, bias=given)
        event.current_stream_wait()
        np.testing.assert_array_equal(tensors.f32(sums), batch.rows[rank] * copies + added)
        np.testing.assert_array_equal(
            tensors.np(sums_of_weights), np.where(batch.idx[rank] < 0, 0, batch.weights[rank]))
    sums, none, event = buffer.combine(rows, handle, async_finish=True)
    with event:
        assert none is None
    np.testing.assert_array_equal(tensors.f32(sums), batch.rows[rank] * copies)


def by_ranks(buffer: transload.Buffer, tensors: Any, batch: Batch, x: Any, routing: dict) -> None:
    rows, idx, weights, counts, handle, _ = buffer.internode_dispatch(x, **routing, expert_alignment=2)
    assert idx is None and weights is None
    assert counts == batch.counts(buffer.rank, 2), counts
    check_rows(buffer, batch, tensors.f32(rows))
    sums, _, _ = buffer.internode_combine(rows, handle)
    copies = batch.in_rank(buffer.rank).sum(axis=1)[:, None]
    np.testing.assert_array_equal(tensors.f32(sums), batch.rows[buffer.rank] * copies)


def worst_case(
        buffer: transload.Buffer, tensors: Any, batch: Batch, x: Any, routing: dict, selection: dict) -> None:
    most, come = batch.tokens * buffer.group_size, len(batch.delivered(buffer.rank))
    rows, idx, weights, counts, _, _ = buffer.dispatch(x, **routing, **selection, num_worst_tokens=most)
    assert counts == [] and rows.shape[0] == idx.shape[0] == weights.shape[0] == most
    check_rows(buffer, batch, tensors.f32(rows)[:come])
    check_selections(buffer, batch, tensors.np(idx), tensors.np(weights))
    assert (tensors.np(idx)[come:] == -1).all()


def fp8(buffer: transload.Buffer, tensors: Any, batch: Batch, routing: dict, selection: dict, per_expert: Any) -> None:
    rank = buffer.rank
    every = np.random.default_rng(7).integers(0, 120, (buffer.group_size, batch.tokens, HIDDEN)).astype(np.uint8)
    shape = (buffer.group_size, batch.tokens, 2)
    scales = np.arange(np.prod(shape), dtype=np.float32).reshape(shape)
    # Column by column, as DeepEP's callers have scales.
    lying = tensors.of(np.ascontiguousarray(scales[rank].T)).T
    (rows, its_scales), *_ = buffer.dispatch((tensors.fp8_of(every[rank]), lying), **routing, **selection)
    assert rows.dtype == tensors.fp8
    for row, at in enumerate(batch.delivered(rank)):
        np.testing.assert_array_equal(tensors.np(rows)[row], every[at])
        np.testing.assert_array_equal(tensors.np(its_scales)[row], scales[at])


def low_latency(buffer: transload.Buffer, tensors: Any, nodes: List[int]) -> None:
    for seed, (use_fp8, has_hook) in enumerate(((False, False), (False, True), (True, False), (True, True))):
        batch, rank = Batch(buffer.group_size, seed), buffer.rank
        x, idx = tensors.bf16(batch.rows[rank]), tensors.of(batch.idx[rank])
        weights = tensors.of(batch.weights[rank])
        stats = tensors.of(np.zeros(4, np.int32))
        for repetition in range(1 + seed % 2):
            rows, count, handle, event, hook = buffer.low_latency_dispatch(
                x, idx, 40, batch.experts, cumulative_local_expert_recv_stats=stats, use_fp8=use_fp8,
                round_scale=True, return_recv_hook=has_hook)
            assert (hook is not None) == has_hook
            if hook is not None:
                hook()
            event.current_stream_wait()
        answers = received(buffer, tensors, batch, rows, count, handle)
        np.testing.assert_array_equal(tensors.np(stats), tensors.np(count) * (1 + seed % 2))
        expected = batch.rows[rank] * np.where(batch.idx[rank] < 0, 0, batch.weights[rank]).sum(axis=1)[:, None]
        for zero_copy in (False, True):
            if zero_copy:
                buffer.get_next_low_latency_combine_buffer(handle)[...] = answers
            out = tensors.bf16(np.zeros((batch.tokens, HIDDEN), np.float32)) if has_hook else None
            sums, event, hook = buffer.low_latency_combine(
                answers, idx, weights, handle, zero_copy=zero_copy, return_recv_hook=has_hook, out=out)
            if hook is not None:
                hook()
                assert sums is out
            np.testing.assert_array_equal(tensors.f32(sums), expected)
    refusals(buffer, tensors, batch, x, idx, weights, answers, handle)


def received(
        buffer: transload.Buffer, tensors: Any, batch: Batch, rows: Any, count: Any, handle: tuple) -> Any:
    """Check what came; the rows as BF16, with their scales applied."""
    src_info, ranges = tensors.np(handle[0]), tensors.np(handle[1])
    if isinstance(rows, tuple):
        values = e4m3(tensors.np(rows[0])) * np.repeat(tensors.np(rows[1]), 128, axis=2)
    else:
        values = tensors.f32(rows)
    for local in range(4):
        at = 0
        for source in range(buffer.group_size):
            tokens = np.flatnonzero((batch.idx[source] == 4 * buffer.rank + local).any(axis=1))
            assert ranges[local, source] >> 32 == at and ranges[local, source] & 0xFFFFFFFF == len(tokens)
            np.testing.assert_array_equal(src_info[local, at:at + len(tokens)], tokens)
            np.testing.assert_array_equal(values[local, at:at + len(tokens)], batch.rows[source, tokens])
            at += len(tokens)
        assert tensors.np(count)[local] == at
    return tensors.bf16(np.nan_to_num(values))


def e4m3(bits: np.ndarray) -> np.ndarray:
    """Float32 of the bits of FP8 E4M3."""
    exponent, mantissa = (bits >> 3 & 15).astype(np.int32), (bits & 7).astype(np.float32)
    size = np.where(exponent == 0, mantissa / 8 * 2.0 ** -6, (1 + mantissa / 8) * 2.0 ** (exponent - 7.0))
    return np.where(bits & 128, -size, size).astype(np.float32)


def refusals(
        buffer: transload.Buffer, tensors: Any, batch: Batch, x: Any, idx: Any, weights: Any, answers: Any,
        handle: tuple) -> None:
    refused(NotImplementedError, "BF16 only", lambda: buffer.low_latency_combine(
        answers, idx, weights, handle, use_logfmt=True))
    refused(ValueError, "round_scale", lambda: buffer.low_latency_dispatch(x, idx, 40, batch.experts, use_ue8m0=True))
    refused(TypeError, "handle", lambda: buffer.combine(x, (1, 2)))
    if not tensors.is_on_device:
        refused(NotImplementedError, "no stream", buffer.get_comm_stream)
        wrong = batch.idx[buffer.rank].copy()
        wrong[5, 1] = batch.experts
        refused(transload.BadInputError, r"topk_idx[5][1]", lambda: buffer.get_dispatch_layout(
            tensors.of(wrong), batch.experts))
    refused(ValueError, "must be given", lambda: buffer.dispatch(x, topk_idx=idx))


def refused(kind: type, part: str, call: Callable[[], Any]) -> None:
    try:
        call()
    except kind as failure:
        assert part in str(failure), str(failure)
        return
    raise AssertionError(f"not refused: {part}")
