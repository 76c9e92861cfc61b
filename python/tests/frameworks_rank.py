# Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0
"""One rank that runs MoE layers by the examples for vLLM and SGLang, and compares them with the dense computation."""

import sys
from pathlib import Path
from typing import Any, Callable, List, Optional

import numpy as np
import torch
import torch.distributed

import sglang_stand_in as sglang
import transload
import vllm_stand_in as vllm
from scenarios import e4m3, refused
from world import HIDDEN, SETTINGS, Batch

sys.path.insert(0, str(Path(__file__).parent.parent / "examples"))
vllm.install()
sglang.install()
import sglang_dispatcher  # noqa: E402 - behind the stand-ins
from vllm_prepare_finalize import TransloadHTPrepareAndFinalize, TransloadLLPrepareAndFinalize  # noqa: E402

LOCAL, INNER, MOST_TOKENS = 4, 32, 40
FP8_BLOCKS = vllm.FusedMoEQuantConfig(quant_dtype="fp8", block_shape=[128, 128])


class Experts:
    """Two layers with a ReLU between, of each expert; the same on all ranks."""

    def __init__(self, count: int) -> None:
        random = np.random.default_rng(5)
        self._first = random.normal(size=(count, HIDDEN, INNER)).astype(np.float32) / 16
        self._second = random.normal(size=(count, INNER, HIDDEN)).astype(np.float32) / 4

    def apply(self, expert: int, rows: np.ndarray) -> np.ndarray:
        result: np.ndarray = np.maximum(rows @ self._first[expert], 0) @ self._second[expert]
        return result

    def dense(self, rows: np.ndarray, idx: np.ndarray, weights: np.ndarray) -> np.ndarray:
        sums = np.zeros_like(rows)
        for token, slot in zip(*np.nonzero(idx >= 0)):
            sums[token] += weights[token, slot] * self.apply(idx[token, slot], rows[token])
        return sums


def layer_batch(seed: int, is_one_sided: bool = False) -> Batch:
    """Rows that FP8 has exactly. One-sided: rank 0 has all experts that are chosen."""
    batch, random = Batch(2, seed), np.random.default_rng(seed)
    batch.rows = random.choice(np.array([0, 1, 2, 4], np.float32), batch.rows.shape)
    batch.rows[:, :, ::128] = 4
    if is_one_sided:
        batch.idx = np.argsort(random.random((*batch.idx.shape[:2], LOCAL)), axis=2)[:, :, :3].astype(np.int64)
    return batch


def tensors(batch: Batch, rank: int) -> tuple:
    return (torch.from_numpy(batch.rows[rank]).to(torch.bfloat16), torch.from_numpy(batch.weights[rank]),
            torch.from_numpy(batch.idx[rank]))


def scaled(rows: torch.Tensor, scales: Optional[torch.Tensor]) -> np.ndarray:
    """Float32 of rows in BF16, or in FP8 with scales in F32 or as packed exponents."""
    if scales is None:
        return rows.float().numpy()
    factors = np.ascontiguousarray(scales.numpy())
    if factors.dtype == np.int32:
        factors = np.exp2(factors.view(np.uint8).astype(np.float32) - 127)
    return e4m3(rows.numpy()) * np.repeat(factors, 128, axis=-1)[..., :rows.shape[-1]]


def bfloat16(values: np.ndarray) -> torch.Tensor:
    return torch.from_numpy(values).to(torch.bfloat16)


def near(actual: torch.Tensor, expected: np.ndarray) -> None:
    assert np.abs(expected).max() > 1
    np.testing.assert_allclose(actual.float().numpy(), expected, rtol=0, atol=np.abs(expected).max() / 64)


def batched(experts: Experts, rank: int, rows: Any, scales: Any, counts: torch.Tensor) -> torch.Tensor:
    """What experts answer to [L, P·M, hidden]."""
    values = scaled(rows, scales)
    answers = np.full(values.shape, np.nan, np.float32)
    for local, count in enumerate(counts.tolist()):
        answers[local, :count] = experts.apply(LOCAL * rank + local, values[local, :count])
    return bfloat16(answers)


class Vllm:
    """A MoE layer as vLLM's modular kernel runs it."""

    def __init__(self, buffer: transload.Buffer, experts: Experts) -> None:
        self.buffer, self.rank, self.experts = buffer, buffer.rank, experts
        self.expert_map = torch.full((2 * LOCAL,), -1)
        self.expert_map[LOCAL * self.rank:LOCAL * (self.rank + 1)] = torch.arange(LOCAL)

    def standard(self, prepared: tuple) -> torch.Tensor:
        """[rows, K, hidden] without weights; zeros for experts of other ranks."""
        rows, scales, meta, ids, _ = prepared
        values = scaled(rows, scales)
        answers = np.zeros((*ids.shape, HIDDEN), np.float32)
        local = self.expert_map[ids].numpy()
        assert meta.expert_num_tokens.tolist() == [int((local == expert).sum()) for expert in range(LOCAL)]
        for row, slot in zip(*np.nonzero(local >= 0)):
            answers[row, slot] = self.experts.apply(int(ids[row, slot]), values[row])
        return bfloat16(answers)

    def run(self, layer: Any, batches: List[Batch], quantized: Any, is_on_input: bool = False) -> None:
        """Prepare all micro-batches, then run their experts, then finalize them."""
        inputs, waiting, outputs = [tensors(batch, self.rank) for batch in batches], [], []
        for vllm.micro_batch, (x, weights, ids) in enumerate(inputs):
            waiting.append(layer.prepare_async(
                x, weights, ids, 2 * LOCAL, self.expert_map, is_on_input, quantized))
        prepared = [self.wait(one) for one in waiting]
        waiting = []
        for vllm.micro_batch, (x, weights, ids) in enumerate(inputs):
            outputs.append(torch.zeros_like(x))
            waiting.append(self.finalize(layer.finalize_async, outputs[-1], prepared[vllm.micro_batch], weights, ids,
                                         is_on_input))
        for one in waiting:
            self.wait(one)
        vllm.micro_batch = 0
        for batch, output in zip(batches, outputs):
            self.check(batch, output, is_on_input)

    def run_at_once(self, layer: Any, batch: Batch) -> None:
        x, weights, ids = tensors(batch, self.rank)
        output = torch.zeros_like(x)
        prepared = layer.prepare(x, weights, ids, 2 * LOCAL, self.expert_map, False, vllm.FusedMoEQuantConfig())
        self.finalize(layer.finalize, output, prepared, weights, ids, False)
        self.check(batch, output, False)

    def finalize(self, call: Callable, output: torch.Tensor, prepared: tuple, weights: Any, ids: Any, on: bool) -> Any:
        if prepared[3] is None:
            answers = batched(self.experts, self.rank, *prepared[:2], prepared[2].expert_num_tokens)
        else:
            answers, ids, weights = self.standard(prepared), *prepared[3:]
        return call(output, answers, weights, ids, on, vllm.TopKWeightAndReduceDelegate())

    @staticmethod
    def wait(waiting: Any) -> Any:
        if isinstance(waiting, tuple):
            hook, waiting = waiting
            hook()
        return waiting()

    def check(self, batch: Batch, output: torch.Tensor, is_on_input: bool) -> None:
        rows, idx, weights = batch.rows[self.rank], batch.idx[self.rank], batch.weights[self.rank]
        expected = self.experts.dense(rows * weights, idx, np.ones_like(weights)) if is_on_input else \
            self.experts.dense(rows, idx, weights)
        near(output, expected)


def vllm_normal(buffer: transload.Buffer, experts: Experts) -> None:
    layer = TransloadHTPrepareAndFinalize(buffer, 2, 2, LOCAL * buffer.rank)
    runner = Vllm(buffer, experts)
    runner.run_at_once(layer, layer_batch(0))
    runner.run_at_once(layer, layer_batch(1, is_one_sided=True))
    runner.run(layer, [layer_batch(2), layer_batch(3)], vllm.FusedMoEQuantConfig())
    runner.run(layer, [layer_batch(4), layer_batch(5)], FP8_BLOCKS)
    runner.run(layer, [top_one(6)], vllm.FusedMoEQuantConfig(), is_on_input=True)
    x, weights, ids = tensors(layer_batch(7), buffer.rank)
    refused(NotImplementedError, "one expert", lambda: layer.prepare(
        x, weights, ids, 2 * LOCAL, None, True, vllm.FusedMoEQuantConfig()))


def top_one(seed: int) -> Batch:
    batch = layer_batch(seed)
    batch.idx, batch.weights = batch.idx[:, :, :1].copy(), batch.weights[:, :, :1].copy()
    return batch


class PackedExperts:
    @staticmethod
    def supports_packed_ue8m0_act_scales() -> bool:
        return True


def vllm_low_latency(buffer: transload.Buffer, experts: Experts) -> None:
    runner = Vllm(buffer, experts)
    layer = TransloadLLPrepareAndFinalize(buffer, MOST_TOKENS, 2)
    runner.run_at_once(layer, layer_batch(0))
    runner.run_at_once(layer, layer_batch(1, is_one_sided=True))
    runner.run(layer, [layer_batch(2), layer_batch(3)], vllm.FusedMoEQuantConfig())
    runner.run(layer, [top_one(6)], vllm.FusedMoEQuantConfig(), is_on_input=True)
    x, weights, ids = tensors(layer_batch(7), buffer.rank)
    refused(NotImplementedError, "blocks of 128", lambda: layer.prepare(
        x, weights, ids, 2 * LOCAL, None, False, FP8_BLOCKS))
    layer = TransloadLLPrepareAndFinalize(buffer, MOST_TOKENS, 2, use_fp8_dispatch=True)
    runner.run(layer, [layer_batch(4), layer_batch(5)], FP8_BLOCKS)
    layer.post_init_setup(PackedExperts())
    runner.run(layer, [layer_batch(8)], FP8_BLOCKS)
    # Replicas: expert e lies where another one would.
    places = np.random.default_rng(9).permutation(2 * LOCAL)
    layer = TransloadLLPrepareAndFinalize(buffer, MOST_TOKENS, 2, global_to_physical=torch.from_numpy(places))
    moved = Experts(2 * LOCAL)
    moved._first, moved._second = experts._first[np.argsort(places)], experts._second[np.argsort(places)]
    batch = layer_batch(10)
    x, weights, ids = tensors(batch, buffer.rank)
    output = torch.zeros_like(x)
    prepared = layer.prepare(x, weights, ids, 2 * LOCAL, None, False, vllm.FusedMoEQuantConfig())
    Vllm(buffer, moved).finalize(layer.finalize, output, prepared, weights, ids, False)
    near(output, experts.dense(batch.rows[buffer.rank], batch.idx[buffer.rank], batch.weights[buffer.rank]))


class Sglang:
    """A MoE layer as SGLang runs it."""

    def __init__(self, rank: int, experts: Experts) -> None:
        self.rank, self.experts = rank, experts

    def weighted(self, rows: Any, scales: Any, ids: torch.Tensor, weights: torch.Tensor) -> torch.Tensor:
        values, answers = scaled(rows, scales), np.zeros((rows.shape[0], HIDDEN), np.float32)
        for row, slot in zip(*np.nonzero(ids.numpy() >= 0)):
            expert = LOCAL * self.rank + int(ids[row, slot])
            answers[row] += float(weights[row, slot]) * self.experts.apply(expert, values[row])
        return bfloat16(answers)

    def answers(self, dispatched: Any) -> Any:
        rows, scales, ids, weights = dispatched[:4]
        if isinstance(dispatched, sglang.DeepEPNormalDispatchOutput):
            return sglang.DeepEPNormalCombineInput(self.weighted(rows, scales, ids, weights), ids, weights)
        return sglang.DeepEPLLCombineInput(
            batched(self.experts, self.rank, rows, scales, dispatched.masked_m), ids, weights)

    def run(self, dispatcher: Any, batch: Batch, is_prefill: bool, kind: torch.dtype) -> Any:
        sglang.is_prefill = is_prefill
        x, weights, ids = tensors(batch, self.rank)
        dispatched = dispatcher.dispatch(x, sglang.StandardTopKOutput(weights, ids, None))
        assert dispatched.hidden_states.dtype == kind
        sums = dispatcher.combine(self.answers(dispatched))
        near(sums, self.experts.dense(batch.rows[self.rank], batch.idx[self.rank], batch.weights[self.rank]))
        return dispatched


def sglang_layers(group: Any, experts: Experts) -> None:
    rank = group.rank()
    layer = Sglang(rank, experts)
    calls: List[Any] = []
    for place, (is_async, has_hooks) in enumerate(((False, False), (True, True))):
        dispatcher = sglang_dispatcher.TransloadDispatcher(
            group, 3, num_experts=2 * LOCAL, num_local_experts=LOCAL, hidden_size=HIDDEN, params_dtype=torch.bfloat16,
            async_finish=is_async, return_recv_hook=has_hooks)
        dispatcher.register_deepep_dispatch_hook(calls.append)
        batch = layer_batch(20 + place)
        dispatched = layer.run(dispatcher, batch, True, torch.bfloat16)
        assert dispatched.num_recv_tokens_per_expert == batch.counts(rank, 1)
        layer.run(dispatcher, layer_batch(30 + place, is_one_sided=True), True, torch.bfloat16)
        dispatched = layer.run(dispatcher, batch, False, torch.uint8)
        assert dispatched.masked_m.tolist() == batch.counts(rank, 1)
        assert dispatched.expected_m == 37 * 2 * 3 // 8 + 1
        dispatcher.set_quant_config({"low_latency_dispatcher_output_dtype": "bf16"})
        layer.run(dispatcher, layer_batch(40 + place), False, torch.bfloat16)
        assert len(calls) == 4 * (place + 1) and calls[-1] is dispatcher
        refused(RuntimeError, "must be dispatch_a", dispatcher.combine_b)
        refused(NotImplementedError, "nvfp4", lambda: dispatcher.set_quant_config(
            {"low_latency_dispatcher_output_dtype": "nvfp4"}))
        refused(NotImplementedError, "overlap", lambda: dispatcher.set_overlap_args(None, {}))

    sglang.is_prefill = True
    x, weights, ids = tensors(batch, rank)
    pair = vllm.moe_kernel_quantize_input(x, None, "fp8", True, [128, 128])
    dispatched = dispatcher.dispatch(pair, sglang.StandardTopKOutput(weights, ids, None))
    sums = dispatcher.combine(layer.answers(dispatched))
    near(sums, experts.dense(batch.rows[rank], batch.idx[rank], batch.weights[rank]))
    decode_only = sglang_dispatcher.TransloadDispatcher(
        group, 3, num_experts=2 * LOCAL, deepep_mode=sglang.DeepEPMode.LOW_LATENCY)
    layer.run(decode_only, batch, True, torch.uint8)


def main() -> None:
    torch.set_num_threads(1)
    torch.distributed.init_process_group("gloo")
    group = torch.distributed.group.WORLD
    experts = Experts(2 * LOCAL)
    buffer = transload.Buffer(group, low_latency_mode=True, explicitly_destroy=True, settings=SETTINGS)
    vllm_normal(buffer, experts)
    vllm_low_latency(buffer, experts)
    buffer.destroy()
    sglang_layers(group, experts)
    sglang_dispatcher.destroy_buffer(group)
    torch.distributed.barrier()
    print(f"rank {group.rank()}: well")


if __name__ == "__main__":
    main()
