# Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0
"""
Stands in for vLLM: names and signatures of its commit 017e9f4448b700e85ee16023287b025693c72b9e that a prepare-finalize
class meets, with bodies of our own. ``install`` puts it where ``import vllm…`` looks.
"""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from dataclasses import dataclass
from enum import Enum
from typing import Any, Callable, List, Optional, Tuple

import numpy as np
import torch

from scenarios import e4m3

_MODULES = (
    "vllm.model_executor.layers.fused_moe.config",
    "vllm.model_executor.layers.fused_moe.modular_kernel",
    "vllm.model_executor.layers.fused_moe.topk_weight_and_reduce",
    "vllm.model_executor.layers.fused_moe.utils",
    "vllm.v1.worker.ubatching",
)


micro_batch = 0


def install() -> None:
    for name in _MODULES:
        sys.modules[name] = sys.modules[__name__]


class FusedMoEActivationFormat(Enum):
    Standard = "standard"
    BatchedExperts = "batched_experts"


@dataclass
class ExpertTokensMetadata:
    expert_num_tokens: torch.Tensor
    expert_num_tokens_cpu: Optional[torch.Tensor]

    @staticmethod
    def make_from_list(expert_num_tokens_list: List[int], device: str) -> ExpertTokensMetadata:
        counts = torch.tensor(expert_num_tokens_list, dtype=torch.int32)
        return ExpertTokensMetadata(counts.to(device), counts)


PrepareResultType = Tuple[
    torch.Tensor, Optional[torch.Tensor], Optional[ExpertTokensMetadata], Optional[torch.Tensor],
    Optional[torch.Tensor]]
ReceiverType = Callable[[], PrepareResultType]


@dataclass
class FusedMoEQuantConfig:
    """Of its properties, those that such a class asks for."""

    quant_dtype: Any = None
    block_shape: Optional[List[int]] = None
    a1_scale: Optional[torch.Tensor] = None
    per_act_token_quant: bool = False

    @property
    def is_block_quantized(self) -> bool:
        return self.block_shape is not None


class TopKWeightAndReduce(ABC):
    @abstractmethod
    def apply(
            self, output: Optional[torch.Tensor], fused_expert_output: torch.Tensor, topk_weights: torch.Tensor,
            topk_ids: torch.Tensor, apply_router_weight_on_input: bool) -> torch.Tensor: ...


class TopKWeightAndReduceDelegate(TopKWeightAndReduce):
    def apply(
            self, output: Optional[torch.Tensor], fused_expert_output: torch.Tensor, topk_weights: torch.Tensor,
            topk_ids: torch.Tensor, apply_router_weight_on_input: bool) -> torch.Tensor:
        raise AssertionError("the other side must choose")


class TopKWeightAndReduceContiguous(TopKWeightAndReduce):
    def apply(
            self, output: Optional[torch.Tensor], fused_expert_output: torch.Tensor, topk_weights: torch.Tensor,
            topk_ids: torch.Tensor, apply_router_weight_on_input: bool) -> torch.Tensor:
        assert output is None
        weights = torch.ones_like(topk_weights) if apply_router_weight_on_input else topk_weights
        return (fused_expert_output.float() * weights[:, :, None]).sum(dim=1).to(fused_expert_output.dtype)


def moe_kernel_quantize_input(
        A: torch.Tensor, A_scale: Optional[torch.Tensor], quant_dtype: Any, per_act_token_quant: bool,
        block_shape: Optional[List[int]] = None, is_scale_swizzled: bool = True, ocp_mx_scheme: Optional[str] = None,
        quantization_emulation: bool = False, mx_alignment: int = 0) -> Tuple[torch.Tensor, Optional[torch.Tensor]]:
    """FP8 in blocks of 128, scales of 1/2, for rows that have it exactly; or nothing."""
    if quant_dtype is None:
        return A, A_scale
    assert block_shape == [128, 128]
    bits = np.searchsorted(e4m3(np.arange(127, dtype=np.uint8)), A.float().numpy() * 2).astype(np.uint8)
    return torch.from_numpy(bits), torch.full((A.shape[0], A.shape[1] // 128), 0.5)


def dbo_current_ubatch_id() -> int:
    return micro_batch


def dbo_maybe_run_recv_hook() -> None:
    """There is no other micro-batch that waits."""


class FusedMoEPrepareAndFinalize(ABC):
    def post_init_setup(self, fused_experts: Any) -> None: ...

    @property
    @abstractmethod
    def activation_format(self) -> FusedMoEActivationFormat: ...

    @abstractmethod
    def topk_indices_dtype(self) -> Optional[torch.dtype]: ...

    @abstractmethod
    def max_num_tokens_per_rank(self) -> Optional[int]: ...

    @abstractmethod
    def num_dispatchers(self) -> int: ...

    @abstractmethod
    def output_is_reduced(self) -> bool: ...

    def supports_async(self) -> bool:
        return False

    def on_commit(self) -> None: ...


class FusedMoEPrepareAndFinalizeModular(FusedMoEPrepareAndFinalize):
    @abstractmethod
    def prepare(
            self, a1: torch.Tensor, topk_weights: torch.Tensor, topk_ids: torch.Tensor, num_experts: int,
            expert_map: Optional[torch.Tensor], apply_router_weight_on_input: bool, quant_config: FusedMoEQuantConfig,
            defer_input_quant: bool) -> PrepareResultType: ...

    def prepare_async(
            self, a1: torch.Tensor, topk_weights: torch.Tensor, topk_ids: torch.Tensor, num_experts: int,
            expert_map: Optional[torch.Tensor], apply_router_weight_on_input: bool, quant_config: FusedMoEQuantConfig,
            defer_input_quant: bool) -> Any:
        raise NotImplementedError

    @abstractmethod
    def finalize(
            self, output: torch.Tensor, fused_expert_output: torch.Tensor, topk_weights: torch.Tensor,
            topk_ids: torch.Tensor, apply_router_weight_on_input: bool,
            weight_and_reduce_impl: TopKWeightAndReduce) -> None: ...

    def finalize_async(
            self, output: torch.Tensor, fused_expert_output: torch.Tensor, topk_weights: torch.Tensor,
            topk_ids: torch.Tensor, apply_router_weight_on_input: bool,
            weight_and_reduce_impl: TopKWeightAndReduce) -> Any:
        raise NotImplementedError


class DeepEPHTPrepareAndFinalize(ABC):
    """What vLLM's own class for the normal mode looks like from outside."""

    @staticmethod
    def maybe_roundup_layer_hidden_size(hidden_size: int, dtype: torch.dtype) -> int: ...

    def __init__(self, buffer: Any, num_dispatchers: int, dp_size: int, rank_expert_offset: int) -> None: ...

    def num_dispatchers(self) -> int: ...

    def output_is_reduced(self) -> bool: ...

    @property
    def activation_format(self) -> FusedMoEActivationFormat: ...

    def max_num_tokens_per_rank(self) -> Optional[int]: ...

    def topk_indices_dtype(self) -> Optional[torch.dtype]: ...

    def supports_async(self) -> bool: ...

    def prepare_async(
            self, a1: torch.Tensor, topk_weights: torch.Tensor, topk_ids: torch.Tensor, num_experts: int,
            expert_map: Optional[torch.Tensor], apply_router_weight_on_input: bool, quant_config: FusedMoEQuantConfig,
            defer_input_quant: bool = False) -> ReceiverType: ...

    def prepare(
            self, a1: torch.Tensor, topk_weights: torch.Tensor, topk_ids: torch.Tensor, num_experts: int,
            expert_map: Optional[torch.Tensor], apply_router_weight_on_input: bool, quant_config: FusedMoEQuantConfig,
            defer_input_quant: bool = False) -> PrepareResultType: ...

    def finalize_async(
            self, output: torch.Tensor, fused_expert_output: torch.Tensor, topk_weights: torch.Tensor,
            topk_ids: torch.Tensor, apply_router_weight_on_input: bool,
            weight_and_reduce_impl: TopKWeightAndReduce) -> Callable: ...

    def finalize(
            self, output: torch.Tensor, fused_expert_output: torch.Tensor, topk_weights: torch.Tensor,
            topk_ids: torch.Tensor, apply_router_weight_on_input: bool,
            weight_and_reduce_impl: TopKWeightAndReduce) -> None: ...


class DeepEPLLPrepareAndFinalize(ABC):
    """That for the low-latency mode."""

    @staticmethod
    def maybe_roundup_layer_hidden_size(hidden_size: int) -> int: ...

    def __init__(
            self, buffer: Any, max_tokens_per_rank: int, num_dispatchers: int, use_fp8_dispatch: bool = False,
            global_to_physical: Optional[torch.Tensor] = None, physical_to_global: Optional[torch.Tensor] = None,
            local_expert_global_ids: Optional[torch.Tensor] = None) -> None: ...

    def post_init_setup(self, fused_experts: Any) -> None: ...

    num_dispatchers = DeepEPHTPrepareAndFinalize.num_dispatchers
    output_is_reduced = DeepEPHTPrepareAndFinalize.output_is_reduced
    activation_format = DeepEPHTPrepareAndFinalize.activation_format
    max_num_tokens_per_rank = DeepEPHTPrepareAndFinalize.max_num_tokens_per_rank
    topk_indices_dtype = DeepEPHTPrepareAndFinalize.topk_indices_dtype
    supports_async = DeepEPHTPrepareAndFinalize.supports_async
    prepare_async = DeepEPHTPrepareAndFinalize.prepare_async
    prepare = DeepEPHTPrepareAndFinalize.prepare
    finalize_async = DeepEPHTPrepareAndFinalize.finalize_async
    finalize = DeepEPHTPrepareAndFinalize.finalize
