# Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0
"""
Stands in for SGLang: names and signatures of its commit 71de97b264b04dcd514cf904003028aefe9775c8 that a token
dispatcher meets, with bodies of our own. ``install`` puts it where ``import sglang…`` looks.
"""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from enum import Enum
from types import SimpleNamespace
from typing import Any, Callable, Dict, List, NamedTuple, Optional

import torch

_MODULES = (
    "sglang.srt.environ",
    "sglang.srt.layers.dp_attention",
    "sglang.srt.layers.moe.token_dispatcher",
    "sglang.srt.layers.moe.token_dispatcher.deepep",
    "sglang.srt.layers.moe.topk",
    "sglang.srt.layers.moe.utils",
)

envs = SimpleNamespace(SGLANG_DEEPEP_NUM_MAX_DISPATCH_TOKENS_PER_RANK=SimpleNamespace(get=lambda: 40))
is_prefill = True


def install() -> None:
    for name in _MODULES:
        sys.modules[name] = sys.modules[__name__]


def get_is_extend_in_batch() -> bool:
    return is_prefill


class DispatchOutputFormat(Enum):
    DEEPEP_NORMAL = "deepep_normal"
    DEEPEP_LL = "deepep_ll"


class CombineInputFormat(Enum):
    DEEPEP_NORMAL = "deepep_normal"
    DEEPEP_LL = "deepep_ll"


class DeepEPNormalDispatchOutput(NamedTuple):
    hidden_states: torch.Tensor
    hidden_states_scale: Optional[torch.Tensor]
    topk_ids: torch.Tensor
    topk_weights: torch.Tensor
    num_recv_tokens_per_expert: List[int]

    @property
    def format(self) -> DispatchOutputFormat:
        return DispatchOutputFormat.DEEPEP_NORMAL


class DeepEPLLDispatchOutput(NamedTuple):
    hidden_states: torch.Tensor
    hidden_states_scale: Optional[torch.Tensor]
    topk_ids: torch.Tensor
    topk_weights: torch.Tensor
    masked_m: torch.Tensor
    expected_m: int

    @property
    def format(self) -> DispatchOutputFormat:
        return DispatchOutputFormat.DEEPEP_LL


class DeepEPNormalCombineInput(NamedTuple):
    hidden_states: torch.Tensor
    topk_ids: torch.Tensor
    topk_weights: torch.Tensor

    @property
    def format(self) -> CombineInputFormat:
        return CombineInputFormat.DEEPEP_NORMAL


class DeepEPLLCombineInput(NamedTuple):
    hidden_states: torch.Tensor
    topk_ids: torch.Tensor
    topk_weights: torch.Tensor

    @property
    def format(self) -> CombineInputFormat:
        return CombineInputFormat.DEEPEP_LL


DispatchOutput = Any
CombineInput = Any


class StandardTopKOutput(NamedTuple):
    topk_weights: torch.Tensor
    topk_ids: torch.Tensor
    router_logits: torch.Tensor


TopKOutput = StandardTopKOutput


class DeepEPMode(Enum):
    NORMAL = "normal"
    LOW_LATENCY = "low_latency"
    AUTO = "auto"

    def enable_normal(self) -> bool:
        return self != DeepEPMode.LOW_LATENCY

    def enable_low_latency(self) -> bool:
        return self != DeepEPMode.NORMAL

    def resolve(self, is_extend_in_batch: bool) -> DeepEPMode:
        if self != DeepEPMode.AUTO:
            return self
        return DeepEPMode.NORMAL if is_extend_in_batch else DeepEPMode.LOW_LATENCY


class DispatcherOutputDtype(Enum):
    BF16 = "bf16"
    FP8 = "fp8"
    INT8 = "int8"
    NVFP4 = "nvfp4"


def get_deepep_output_dtype(self: Any) -> DispatcherOutputDtype:
    chosen = self.quant_config.get(f"{self.dispatch_mode.value}_dispatcher_output_dtype", "fp8")
    return DispatcherOutputDtype(chosen)


class DeepEPPDispatchHooks:
    def __init__(self) -> None:
        self.hook_dict: Dict[int, Callable] = {}

    def register_hook(self, hook_fun: Callable) -> int:
        self.hook_dict[len(self.hook_dict)] = hook_fun
        return len(self.hook_dict) - 1

    def __call__(self, dispatcher: BaseDispatcher) -> None:
        for hook in self.hook_dict.values():
            hook(dispatcher)


class BaseDispatcher(ABC):
    """Without the hooks before and behind each call."""

    def __init__(self) -> None:
        self.quant_config: dict = {}
        self.overlap_args: Any = None
        self.meta_overlap_args: Optional[dict] = None

    @abstractmethod
    def dispatch(self, hidden_states: torch.Tensor, topk_output: TopKOutput) -> DispatchOutput: ...

    @abstractmethod
    def combine(self, combine_input: CombineInput) -> torch.Tensor: ...

    def set_quant_config(self, quant_config: dict) -> None:
        self.quant_config = quant_config

    def set_overlap_args(self, combine_overlap_args: Any, meta_overlap_args: dict) -> None: ...

    def clear_overlap_args(self) -> None: ...


class DeepEPDispatcher(BaseDispatcher):
    """What SGLang's own dispatcher looks like from outside."""

    def __init__(
            self, group: Any, router_topk: int, permute_fusion: bool = False, num_experts: int = None,
            num_local_experts: int = None, hidden_size: int = None, params_dtype: torch.dtype = None,
            deepep_mode: DeepEPMode = DeepEPMode.AUTO, async_finish: bool = False,
            return_recv_hook: bool = False) -> None: ...

    def dispatch(self, hidden_states: torch.Tensor, topk_output: TopKOutput) -> DispatchOutput: ...

    def dispatch_a(self, hidden_states: torch.Tensor, topk_output: TopKOutput) -> None: ...

    def dispatch_b(self) -> DispatchOutput: ...

    def combine(self, combine_input: CombineInput) -> torch.Tensor: ...

    def combine_a(self, combine_input: CombineInput) -> None: ...

    def combine_b(self) -> torch.Tensor: ...

    def set_quant_config(self, quant_config: dict) -> None: ...

    def set_overlap_args(self, combine_overlap_args: Any, meta_overlap_args: dict) -> None: ...

    def clear_overlap_args(self) -> None: ...

    def register_deepep_dispatch_hook(self, hook: Any) -> Any: ...
