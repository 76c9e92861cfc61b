# Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0
"""
SGLang's token dispatcher over a transload.Buffer, for rows in host memory, in place of its DeepEPDispatcher.

The names imported from SGLang are those of its commit 71de97b264b04dcd514cf904003028aefe9775c8 (release 0.5.18).
"""

from __future__ import annotations

from typing import Any, Dict, Optional, Tuple, Union

import torch
from sglang.srt.environ import envs
from sglang.srt.layers.dp_attention import get_is_extend_in_batch
from sglang.srt.layers.moe.token_dispatcher import (
    BaseDispatcher,
    CombineInput,
    DeepEPLLDispatchOutput,
    DeepEPNormalDispatchOutput,
    DispatchOutput,
)
from sglang.srt.layers.moe.token_dispatcher.deepep import DeepEPPDispatchHooks
from sglang.srt.layers.moe.topk import TopKOutput
from sglang.srt.layers.moe.utils import DeepEPMode, DispatcherOutputDtype, get_deepep_output_dtype

import transload

_buffers: Dict[Any, transload.Buffer] = {}


def buffer_of(group: Any) -> transload.Buffer:
    """The Buffer that all layers of a process share."""
    if group not in _buffers:
        _buffers[group] = transload.Buffer(group, low_latency_mode=True, explicitly_destroy=True)
    return _buffers[group]


def destroy_buffer(group: Any) -> None:
    """Collective, behind the last call of all layers."""
    _buffers.pop(group).destroy()


def _pair(rows: Any) -> Tuple[torch.Tensor, Optional[torch.Tensor]]:
    return rows if isinstance(rows, tuple) else (rows, None)


class _Normal:
    """A layer's calls of the normal mode. Rows travel as BF16, or as the FP8 pair that the caller has made."""

    def __init__(self, buffer: transload.Buffer, experts: int, is_async: bool) -> None:
        self._buffer, self._experts, self._is_async = buffer, experts, is_async
        self._handle: Any = None

    def set_quant_config(self, quant_config: dict) -> None:
        """Nothing to do: callers quantize."""

    def dispatch_a(
            self, hidden_states: Union[torch.Tensor, Tuple[torch.Tensor, torch.Tensor]],
            topk_output: TopKOutput) -> tuple:
        ids = topk_output.topk_ids.to(torch.int64)
        return hidden_states, ids, topk_output.topk_weights, self._buffer.get_dispatch_layout(ids, self._experts)

    def dispatch_b(
            self, hidden_states: Any, ids: torch.Tensor, weights: torch.Tensor, layout: tuple) -> DispatchOutput:
        per_rank, per_node, per_expert, in_rank, _ = layout
        rows, local_ids, local_weights, counts, self._handle, event = self._buffer.dispatch(
            hidden_states, num_tokens_per_rank=per_rank, num_tokens_per_rdma_rank=per_node, is_token_in_rank=in_rank,
            num_tokens_per_expert=per_expert, topk_idx=ids, topk_weights=weights, async_finish=self._is_async)
        event.current_stream_wait()
        return DeepEPNormalDispatchOutput(*_pair(rows), local_ids, local_weights, counts)

    def combine_a(self, hidden_states: torch.Tensor, topk_ids: torch.Tensor, topk_weights: torch.Tensor) -> tuple:
        """Answers are weighted already, and those of a row's experts added: SGLang's runner does both."""
        sums, _, event = self._buffer.combine(hidden_states, self._handle, async_finish=self._is_async)
        self._handle = None
        return sums, event

    @staticmethod
    def combine_b(sums: torch.Tensor, event: transload.EventOverlap) -> torch.Tensor:
        event.current_stream_wait()
        return sums


class _LowLatency:
    """A layer's calls of the low-latency mode. FP8, unless get_deepep_output_dtype says BF16."""

    dispatch_mode = DeepEPMode.LOW_LATENCY

    def __init__(self, buffer: transload.Buffer, experts: int, has_hooks: bool) -> None:
        self._buffer, self._experts, self._has_hooks = buffer, experts, has_hooks
        self._most_tokens = envs.SGLANG_DEEPEP_NUM_MAX_DISPATCH_TOKENS_PER_RANK.get()
        self._handle: Any = None
        self.set_quant_config({})

    def set_quant_config(self, quant_config: dict) -> None:
        self.quant_config = quant_config
        kind = get_deepep_output_dtype(self)
        if kind not in (DispatcherOutputDtype.BF16, DispatcherOutputDtype.FP8):
            raise NotImplementedError(f"rows as {kind.value}: must be bf16 or fp8")
        self._is_fp8 = kind == DispatcherOutputDtype.FP8

    def dispatch_a(self, hidden_states: torch.Tensor, topk_output: TopKOutput) -> tuple:
        ids = topk_output.topk_ids.to(torch.int64)
        selections = ids.numel() * self._buffer.group_size
        rows, counts, self._handle, event, hook = self._buffer.low_latency_dispatch(
            hidden_states, ids, self._most_tokens, self._experts, use_fp8=self._is_fp8,
            return_recv_hook=self._has_hooks)
        return rows, ids, topk_output.topk_weights, counts, selections // self._experts + 1, event, hook

    @staticmethod
    def dispatch_b(
            rows: Any, ids: torch.Tensor, weights: torch.Tensor, counts: torch.Tensor, expected: int,
            event: transload.EventOverlap, hook: Any) -> DispatchOutput:
        event.current_stream_wait()
        if hook is not None:
            hook()
        return DeepEPLLDispatchOutput(*_pair(rows), ids, weights, counts, expected)

    def combine_a(self, hidden_states: torch.Tensor, topk_ids: torch.Tensor, topk_weights: torch.Tensor) -> tuple:
        result = self._buffer.low_latency_combine(
            hidden_states, topk_ids, topk_weights, self._handle, return_recv_hook=self._has_hooks)
        self._handle = None
        return result

    @staticmethod
    def combine_b(sums: torch.Tensor, event: transload.EventOverlap, hook: Any) -> torch.Tensor:
        event.current_stream_wait()
        if hook is not None:
            hook()
        return sums


class TransloadDispatcher(BaseDispatcher):
    """Prefill batches take the normal mode, decode batches the low-latency one, unless deepep_mode says which."""

    _STEPS = ("dispatch_a", "dispatch_b", "combine_a", "combine_b")

    def __init__(
            self, group: Any, router_topk: int, permute_fusion: bool = False, num_experts: int = None,
            num_local_experts: int = None, hidden_size: int = None, params_dtype: torch.dtype = None,
            deepep_mode: DeepEPMode = DeepEPMode.AUTO, async_finish: bool = False,
            return_recv_hook: bool = False) -> None:
        super().__init__()
        self.deepep_mode = deepep_mode
        buffer = buffer_of(group)
        self._of_mode: Dict[DeepEPMode, Any] = {}
        if deepep_mode.enable_normal():
            self._of_mode[DeepEPMode.NORMAL] = _Normal(buffer, num_experts, async_finish)
        if deepep_mode.enable_low_latency():
            self._of_mode[DeepEPMode.LOW_LATENCY] = _LowLatency(buffer, num_experts, return_recv_hook)
        self._next = 0
        self._between: tuple = ()
        self._dispatch_hooks = DeepEPPDispatchHooks()

    def _step(self, name: str, *arguments: Any) -> Any:
        expected = self._STEPS[self._next]
        if name != expected:
            raise RuntimeError(f"{name} is not allowed here: must be {expected}")
        mode = self._of_mode[self.deepep_mode.resolve(get_is_extend_in_batch())]
        result = getattr(mode, name)(*arguments)
        self._next = (self._next + 1) % len(self._STEPS)
        return result

    def dispatch(self, hidden_states: torch.Tensor, topk_output: TopKOutput) -> DispatchOutput:
        self.dispatch_a(hidden_states, topk_output)
        self._dispatch_hooks(self)
        return self.dispatch_b()

    def dispatch_a(self, hidden_states: torch.Tensor, topk_output: TopKOutput) -> None:
        self._between = self._step("dispatch_a", hidden_states, topk_output)

    def dispatch_b(self) -> DispatchOutput:
        return self._step("dispatch_b", *self._between)

    def combine(self, combine_input: CombineInput) -> torch.Tensor:
        self.combine_a(combine_input)
        return self.combine_b()

    def combine_a(self, combine_input: CombineInput) -> None:
        self._between = self._step("combine_a", *combine_input)

    def combine_b(self) -> torch.Tensor:
        return self._step("combine_b", *self._between)

    def set_quant_config(self, quant_config: dict) -> None:
        super().set_quant_config(quant_config)
        for mode in self._of_mode.values():
            mode.set_quant_config(quant_config)

    def set_overlap_args(self, combine_overlap_args: Any, meta_overlap_args: dict) -> None:
        raise NotImplementedError("overlap of experts and combine: host tensors have no signals of unfinished rows")

    def register_deepep_dispatch_hook(self, hook: Any) -> Any:
        return self._dispatch_hooks.register_hook(hook)
