# Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0
"""
vLLM's prepare and finalize of a MoE layer, over a transload.Buffer: DeepEP's two classes for rows in host memory.

The names imported from vLLM are those of its commit 017e9f4448b700e85ee16023287b025693c72b9e (August 2026). There is no
second stream, so micro-batches of vLLM (DBO) get a handle each, and nothing switches between streams.
"""

from __future__ import annotations

from typing import Any, Callable, List, Optional, Tuple

import torch
from vllm.model_executor.layers.fused_moe.config import FusedMoEQuantConfig
from vllm.model_executor.layers.fused_moe.modular_kernel import (
    ExpertTokensMetadata,
    FusedMoEActivationFormat,
    FusedMoEPrepareAndFinalizeModular,
    PrepareResultType,
    ReceiverType,
    TopKWeightAndReduce,
)
from vllm.model_executor.layers.fused_moe.topk_weight_and_reduce import (
    TopKWeightAndReduceContiguous,
    TopKWeightAndReduceDelegate,
)
from vllm.model_executor.layers.fused_moe.utils import moe_kernel_quantize_input
from vllm.v1.worker.ubatching import dbo_current_ubatch_id, dbo_maybe_run_recv_hook

import transload

_FP8_BLOCK = 128
_ROW_ELEMENTS = 8
_MICRO_BATCHES = 2


def _round_up(value: int, step: int) -> int:
    return -(-value // step) * step


def _weighted(a1: torch.Tensor, topk_weights: torch.Tensor) -> torch.Tensor:
    if topk_weights.shape[1] != 1:
        raise NotImplementedError("apply_router_weight_on_input: a token must have one expert, since it is sent once")
    return a1 * topk_weights.to(a1.dtype)


class _PrepareAndFinalize(FusedMoEPrepareAndFinalizeModular):
    """What both modes answer alike."""

    def __init__(self, buffer: transload.Buffer, num_dispatchers: int) -> None:
        super().__init__()
        self.buffer = buffer
        self.num_dispatchers_ = num_dispatchers
        self.handles: List[Any] = [None] * _MICRO_BATCHES

    def num_dispatchers(self) -> int:
        return self.num_dispatchers_

    def output_is_reduced(self) -> bool:
        return True

    def topk_indices_dtype(self) -> Optional[torch.dtype]:
        return torch.int64

    def supports_async(self) -> bool:
        return True


class TransloadHTPrepareAndFinalize(_PrepareAndFinalize):
    """The normal mode: experts get rows without gaps, a rank's each once."""

    @staticmethod
    def maybe_roundup_layer_hidden_size(hidden_size: int, dtype: torch.dtype) -> int:
        return _round_up(hidden_size, _ROW_ELEMENTS)

    def __init__(
            self, buffer: transload.Buffer, num_dispatchers: int, dp_size: int, rank_expert_offset: int) -> None:
        super().__init__(buffer, num_dispatchers)
        self.dp_size = dp_size
        self.rank_expert_offset = rank_expert_offset

    @property
    def activation_format(self) -> FusedMoEActivationFormat:
        return FusedMoEActivationFormat.Standard

    def max_num_tokens_per_rank(self) -> Optional[int]:
        return None

    def prepare_async(
            self, a1: torch.Tensor, topk_weights: torch.Tensor, topk_ids: torch.Tensor, num_experts: int,
            expert_map: Optional[torch.Tensor], apply_router_weight_on_input: bool, quant_config: FusedMoEQuantConfig,
            defer_input_quant: bool = False) -> ReceiverType:
        if apply_router_weight_on_input:
            a1 = _weighted(a1, topk_weights)
        # Scales travel with blocks of a row; every other kind of quantization is done to the rows that came.
        is_sent_quantized = quant_config.is_block_quantized and not defer_input_quant
        rows: Any = a1
        if is_sent_quantized:
            rows = moe_kernel_quantize_input(
                a1, quant_config.a1_scale, quant_config.quant_dtype, quant_config.per_act_token_quant,
                quant_config.block_shape)
        per_rank, per_node, per_expert, in_rank, _ = self.buffer.get_dispatch_layout(topk_ids, num_experts)
        received, local_ids, weights, counts, handle, event = self.buffer.dispatch(
            rows, num_tokens_per_rank=per_rank, num_tokens_per_rdma_rank=per_node, is_token_in_rank=in_rank,
            num_tokens_per_expert=per_expert, topk_idx=topk_ids, topk_weights=topk_weights, async_finish=True)
        self.handles[dbo_current_ubatch_id()] = handle

        def receive() -> PrepareResultType:
            event.current_stream_wait()
            x, scales = received if isinstance(received, tuple) else (received, None)
            if not is_sent_quantized and not defer_input_quant and x.numel() > 0:
                x, scales = moe_kernel_quantize_input(
                    x, quant_config.a1_scale, quant_config.quant_dtype, False, quant_config.block_shape)
            # vLLM's experts take ids of all ranks, without gaps: an unused place gets an expert of another rank, which
            # expert_map leaves out.
            elsewhere = num_experts - 1 if self.rank_expert_offset == 0 else 0
            ids = (local_ids + self.rank_expert_offset).masked_fill(local_ids < 0, elsewhere)
            return x, scales, ExpertTokensMetadata.make_from_list(counts, device=x.device), ids, weights

        return receive

    def prepare(
            self, a1: torch.Tensor, topk_weights: torch.Tensor, topk_ids: torch.Tensor, num_experts: int,
            expert_map: Optional[torch.Tensor], apply_router_weight_on_input: bool, quant_config: FusedMoEQuantConfig,
            defer_input_quant: bool = False) -> PrepareResultType:
        return self.prepare_async(
            a1, topk_weights, topk_ids, num_experts, expert_map, apply_router_weight_on_input, quant_config,
            defer_input_quant)()

    def finalize_async(
            self, output: torch.Tensor, fused_expert_output: torch.Tensor, topk_weights: torch.Tensor,
            topk_ids: torch.Tensor, apply_router_weight_on_input: bool,
            weight_and_reduce_impl: TopKWeightAndReduce) -> Callable[[], None]:
        answers = fused_expert_output
        if answers.numel() > 0:
            # The combine adds what ranks answer; a rank weights and adds what its own experts do.
            reduce = weight_and_reduce_impl
            if isinstance(reduce, TopKWeightAndReduceDelegate):
                reduce = TopKWeightAndReduceContiguous()
            answers = reduce.apply(None, answers, topk_weights, topk_ids, apply_router_weight_on_input)
        sums, _, event = self.buffer.combine(
            answers.view(-1, output.shape[1]), self.handles[dbo_current_ubatch_id()], async_finish=True)

        def receive() -> None:
            event.current_stream_wait()
            output.copy_(sums)

        return receive

    def finalize(
            self, output: torch.Tensor, fused_expert_output: torch.Tensor, topk_weights: torch.Tensor,
            topk_ids: torch.Tensor, apply_router_weight_on_input: bool,
            weight_and_reduce_impl: TopKWeightAndReduce) -> None:
        self.finalize_async(
            output, fused_expert_output, topk_weights, topk_ids, apply_router_weight_on_input,
            weight_and_reduce_impl)()


class TransloadLLPrepareAndFinalize(_PrepareAndFinalize):
    """The low-latency mode: experts get [L, P·M, hidden], a token once for each of its experts."""

    @staticmethod
    def maybe_roundup_layer_hidden_size(hidden_size: int) -> int:
        return _round_up(hidden_size, _FP8_BLOCK)

    def __init__(
            self, buffer: transload.Buffer, max_tokens_per_rank: int, num_dispatchers: int,
            use_fp8_dispatch: bool = False, global_to_physical: Optional[torch.Tensor] = None,
            physical_to_global: Optional[torch.Tensor] = None,
            local_expert_global_ids: Optional[torch.Tensor] = None) -> None:
        super().__init__(buffer, num_dispatchers)
        self.max_tokens_per_rank = max_tokens_per_rank
        self.use_fp8_dispatch = use_fp8_dispatch
        self.use_ue8m0_dispatch = False
        self.global_to_physical, self.physical_to_global, self.local_expert_global_ids = (
            None if ids is None else ids.to(torch.int64)
            for ids in (global_to_physical, physical_to_global, local_expert_global_ids))

    def post_init_setup(self, fused_experts: Any) -> None:
        """Scales as packed exponents, where the experts can read them."""
        self.use_ue8m0_dispatch = self.use_fp8_dispatch and fused_experts.supports_packed_ue8m0_act_scales()

    @property
    def activation_format(self) -> FusedMoEActivationFormat:
        return FusedMoEActivationFormat.BatchedExperts

    def max_num_tokens_per_rank(self) -> Optional[int]:
        return self.max_tokens_per_rank

    def _physical(self, topk_ids: torch.Tensor) -> torch.Tensor:
        if self.global_to_physical is None:
            return topk_ids
        return torch.where(topk_ids < 0, topk_ids, self.global_to_physical[topk_ids])

    def prepare_async(
            self, a1: torch.Tensor, topk_weights: torch.Tensor, topk_ids: torch.Tensor, num_experts: int,
            expert_map: Optional[torch.Tensor], apply_router_weight_on_input: bool, quant_config: FusedMoEQuantConfig,
            defer_input_quant: bool = False) -> Tuple[Callable[[], None], ReceiverType]:
        if defer_input_quant:
            raise NotImplementedError("defer_input_quant: low-latency rows are quantized as they are sent, or not")
        block = quant_config.block_shape
        if quant_config.quant_dtype is not None and (not self.use_fp8_dispatch or block is None or
                                                     block[1] != _FP8_BLOCK):
            raise NotImplementedError(
                f"quant_dtype = {quant_config.quant_dtype} with block_shape = {block}: must be FP8 in blocks of "
                f"{_FP8_BLOCK} elements with use_fp8_dispatch, or none")
        if apply_router_weight_on_input:
            a1 = _weighted(a1, topk_weights)
        is_fp8 = quant_config.quant_dtype is not None
        received, counts, handle, _, hook = self.buffer.low_latency_dispatch(
            a1, self._physical(topk_ids), self.max_tokens_per_rank, num_experts, use_fp8=is_fp8,
            round_scale=self.use_ue8m0_dispatch, use_ue8m0=self.use_ue8m0_dispatch and is_fp8, return_recv_hook=True)
        self.handles[dbo_current_ubatch_id()] = handle

        def receive() -> PrepareResultType:
            x, scales = received if isinstance(received, tuple) else (received, None)
            return x, scales, ExpertTokensMetadata(expert_num_tokens=counts, expert_num_tokens_cpu=counts), None, None

        return hook, receive

    def prepare(
            self, a1: torch.Tensor, topk_weights: torch.Tensor, topk_ids: torch.Tensor, num_experts: int,
            expert_map: Optional[torch.Tensor], apply_router_weight_on_input: bool, quant_config: FusedMoEQuantConfig,
            defer_input_quant: bool = False) -> PrepareResultType:
        hook, receive = self.prepare_async(
            a1, topk_weights, topk_ids, num_experts, expert_map, apply_router_weight_on_input, quant_config,
            defer_input_quant)
        hook()
        return receive()

    def finalize_async(
            self, output: torch.Tensor, fused_expert_output: torch.Tensor, topk_weights: torch.Tensor,
            topk_ids: torch.Tensor, apply_router_weight_on_input: bool,
            weight_and_reduce_impl: TopKWeightAndReduce) -> Tuple[Callable[[], None], Callable[[], None]]:
        if not isinstance(weight_and_reduce_impl, TopKWeightAndReduceDelegate):
            raise TypeError(f"{type(weight_and_reduce_impl).__name__} is not allowed: must be "
                            "TopKWeightAndReduceDelegate, since the combine weights and adds")
        weights = torch.ones_like(topk_weights) if apply_router_weight_on_input else topk_weights
        # The other micro-batch receives before this one sends.
        dbo_maybe_run_recv_hook()
        _, _, hook = self.buffer.low_latency_combine(
            fused_expert_output, self._physical(topk_ids), weights, self.handles[dbo_current_ubatch_id()],
            return_recv_hook=True, out=output)
        return hook, lambda: None

    def finalize(
            self, output: torch.Tensor, fused_expert_output: torch.Tensor, topk_weights: torch.Tensor,
            topk_ids: torch.Tensor, apply_router_weight_on_input: bool,
            weight_and_reduce_impl: TopKWeightAndReduce) -> None:
        hook, receive = self.finalize_async(
            output, fused_expert_output, topk_weights, topk_ids, apply_router_weight_on_input, weight_and_reduce_impl)
        hook()
        receive()
