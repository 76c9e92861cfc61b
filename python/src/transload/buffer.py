# Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0
"""Buffer: DeepEP's interface, as of its version 1.2.1, over the engine of Transload."""

import ctypes
import sys
import threading
import weakref
from typing import Any, Callable, Dict, List, Mapping, Optional, Tuple, Union

import numpy as np

from . import _library
from ._arrays import BF16, F32, FP8, I32, I64, Arguments, Libraries
from ._cuda import LEGACY_STREAM, Prepared
from ._runtime import LowLatencyCall, Routing, Runtime, close_quietly
from .config import Config
from .event import HAPPENED, EventHandle, EventOverlap
from .group import Group, MpiGroup, TorchGroup, form_world, is_torch_group

Tensor = Any
Rows = Union[Tensor, Tuple[Tensor, Tensor]]
Hook = Callable[[], None]

_MOST_ARGUMENTS = 5
# Elements of an FP8 row that share a scale.
_SCALE_GROUP = 128
_SCALES_BF16 = -1
_SCALES_COLUMNS = 1
_SCALES_PACKED_COLUMNS = 3


class Handle(tuple):
    """
    What a dispatch leaves for combine and for cached dispatches. Its elements are those of DeepEP's handle within a
    node; the prefix matrix has this rank's column only, others are -1, and what belongs to DeepEP's channels is None.
    """

    routing: Routing


class LowLatencyHandle(tuple):
    """(src_info, layout_range, most tokens, hidden, experts), as DeepEP's, with the call that it belongs to."""

    call: LowLatencyCall
    lane = 0
    # Of a dispatch on a device.
    place: Optional["_Place"] = None


class _Place:
    """Of calls on a device: what the dispatches of one kind and lane give out, and their requests, which are kept."""

    __slots__ = (
        "arrays", "engine", "opened", "lane", "output", "rows", "count", "handle", "answers", "dispatch", "combine",
        "stream", "device")

    def __init__(self, arrays: Any, engine: Any, opened: int, output: Any, handle: Tuple) -> None:
        self.arrays = arrays
        self.engine = engine
        self.opened = opened
        self.lane = engine.calls % 2
        self.output = output
        self.rows = output.x if output.x_scales is None else (output.x, output.x_scales)
        self.count = output.count
        self.answers: Any = None
        self.handle = handle
        self.dispatch: Any = None
        self.combine: Any = None
        # The handle of the current stream, without a call of Python's between.
        self.stream, self.device = arrays.raw_stream, arrays.device


class Buffer:
    """
    Dispatch and combine between the ranks of a group. Every rank makes the same calls in the same order. Tensors are
    PyTorch's, on a GPU or on the CPU, or NumPy's.

    Tensors that calls return lie in memory of the Buffer. A Buffer that is destroyed or collected while they are in use
    stays open until the process ends.
    """

    num_sms: int = 20

    def __init__(
            self, group: Any, num_nvl_bytes: int = 0, num_rdma_bytes: int = 0, low_latency_mode: bool = False,
            num_qps_per_rank: int = 24, allow_nvlink_for_low_latency_mode: bool = True, allow_mnnvl: bool = False,
            explicitly_destroy: bool = False, comm: Any = None, *, use_fabric: bool = False,
            enable_shrink: bool = False, fp8_as_uint8: Optional[bool] = None,
            settings: Optional[Mapping[str, Any]] = None) -> None:
        """
        Collective.

        :param group: of torch.distributed, or a Group.
        :param num_nvl_bytes: bytes of get_local_buffer_tensor; rings have the sizes of the settings.
        :param num_rdma_bytes: likewise, of the other one.
        :param low_latency_mode: kept; both modes are there.
        :param num_qps_per_rank: kept; transload.low-latency.channels says how many.
        :param allow_nvlink_for_low_latency_mode: False: ranks are reached by the scale-out transport.
        :param allow_mnnvl: kept.
        :param explicitly_destroy: destroy() closes; else the end of the object or of the process does.
        :param comm: of mpi4py, in place of the group.
        :param use_fabric: ignored; of later versions of DeepEP.
        :param enable_shrink: ignored; of later versions of DeepEP: ranks can always be masked.
        :param fp8_as_uint8: FP8 comes out as uint8 of the same bits, as where PyTorch has no float8_e4m3fn. With NumPy
            it always does, and BF16 as uint16.
        :param settings: keys of Transload, e.g. {"scale-up.transport": "ucx"}.
        """
        chosen = dict(settings or {})
        if not allow_nvlink_for_low_latency_mode:
            chosen.setdefault("low-latency.near", "never")
        self.group = group if group is not None else comm
        if isinstance(group, Group):
            self.runtime = Runtime(group.world, False, chosen)
        elif group is not None and is_torch_group(group):
            self.runtime = Runtime(form_world(TorchGroup(group), chosen), True, chosen)
        elif comm is not None:
            self.runtime = Runtime(form_world(MpiGroup(comm), chosen), True, chosen)
        else:
            raise ValueError("group is None and comm is None: one must be given, a group of torch.distributed, a "
                             "transload.Group, or a communicator of mpi4py")
        self.rank = self.runtime.world.rank
        self.group_size = self.runtime.world.size
        self.num_nvl_bytes = num_nvl_bytes
        self.num_rdma_bytes = num_rdma_bytes
        self.low_latency_mode = low_latency_mode
        self.explicitly_destroy = explicitly_destroy
        self._libraries = Libraries(fp8_as_uint8, self.runtime.on_devices)
        self._nodes = (ctypes.c_int32 * self.runtime.world.nodes)(*self.runtime.world.ranks_of_nodes)
        self._scratch = threading.local()
        self._raw_buffers: dict = {}
        self._lock = self.runtime.lock
        self._made: Dict[Tuple, _Place] = {}
        # Both lanes of a kind of dispatch, once they are known.
        self._places: Dict[Tuple, Tuple[_Place, _Place]] = {}
        # A matrix of -1.
        self._no_prefix = b"\xff" * (4 * self.group_size * self.group_size)
        self._generations = [0] * self.group_size
        self.last_engine_ns = 0
        self._finalizer = weakref.finalize(self, close_quietly, self.runtime)
        self._finalizer.atexit = False

    # ---- What DeepEP's Buffer has beside its calls ----

    def destroy(self) -> None:
        """Close, collectively. Needs explicitly_destroy."""
        if not self.explicitly_destroy:
            raise RuntimeError("explicitly_destroy is False: it must be True for destroy()")
        self._finalizer.detach()
        self._raw_buffers.clear()
        self.runtime.destroy()

    @staticmethod
    def is_sm90_compiled() -> bool:
        """Whether FP8 can be sent: always."""
        return True

    @staticmethod
    def set_num_sms(new_num_sms: int) -> None:
        """Keep an even number, which changes nothing: the settings of Transload say how many threads work."""
        if new_num_sms % 2 != 0:
            raise ValueError(f"new_num_sms = {new_num_sms} is not allowed: must be even")
        Buffer.num_sms = new_num_sms

    @staticmethod
    def capture() -> EventOverlap:
        """What the current stream has been given; without a GPU, what the host did before, which is done."""
        torch = sys.modules.get("torch")
        if torch is None or not torch.cuda.is_initialized():
            return EventOverlap(EventHandle())
        from ._cuda import captured

        return EventOverlap(captured(torch))

    @staticmethod
    def get_low_latency_rdma_size_hint(
            num_max_dispatch_tokens_per_rank: int, hidden: int, num_ranks: int, num_experts: int) -> int:
        """Bytes that peers write to in a rank, with 8 experts a token, or all where there are fewer."""
        library = _library.start()
        size = ctypes.c_int64()
        library.check(library.low_latency_bytes(
            num_max_dispatch_tokens_per_rank, hidden, num_ranks, num_experts, min(8, num_experts),
            ctypes.byref(size)))
        return size.value

    def get_comm_stream(self) -> Any:
        """That of calls with async_finish, of PyTorch's current GPU."""
        torch = sys.modules.get("torch")
        if torch is None or not torch.cuda.is_available():
            raise NotImplementedError(
                "get_comm_stream: there is no GPU, and calls on host tensors have no stream; threads of the engine do "
                "them")
        arrays = self._libraries.on_device(torch.cuda.current_device())
        return arrays.comm_stream()

    def get_local_buffer_tensor(
            self, dtype: Any, size: Optional[Any] = None, offset: int = 0, use_rdma_buffer: bool = False) -> Tensor:
        """
        Memory of num_nvl_bytes, or num_rdma_bytes, that ranks of the node reach in place. Calls do not use it.
        """
        total = self.num_rdma_bytes if use_rdma_buffer else self.num_nvl_bytes
        if total < 1:
            name = "num_rdma_bytes" if use_rdma_buffer else "num_nvl_bytes"
            raise ValueError(f"the Buffer was made with {name} = 0: there is no such memory")
        arrays = self._libraries.default()
        raw = self._raw_buffers.get(use_rdma_buffer)
        if raw is None:
            library, pointer = self.runtime.library, ctypes.c_void_p()
            library.check(library.engine_allocate(
                self.runtime.engine(8, 1, 1, arrays.device), _library.DLDataType(1, 8, 1), 1, total,
                ctypes.byref(pointer)))
            raw = self._raw_buffers[use_rdma_buffer] = arrays.take(pointer.value).reshape(-1)
        whole = raw.view(dtype) if total % _item_size(dtype) == 0 else \
            raw[:total - total % _item_size(dtype)].view(dtype)
        whole = whole[offset:]
        if size is None:
            return whole
        count = int(np.prod(tuple(size)))
        if count > whole.shape[0]:
            raise ValueError(f"size = {tuple(size)} is not allowed: {whole.shape[0]} elements are behind the offset")
        return whole[:count].reshape(tuple(size))

    @staticmethod
    def get_dispatch_config(num_ranks: int) -> Config:
        """The same for all worlds: see Config."""
        return Config(Buffer.num_sms)

    @staticmethod
    def get_combine_config(num_ranks: int) -> Config:
        """The same for all worlds: see Config."""
        return Config(Buffer.num_sms)

    # ---- Normal mode ----

    def get_dispatch_layout(
            self, topk_idx: Tensor, num_experts: int, previous_event: Optional[EventOverlap] = None,
            async_finish: bool = False, allocate_on_comm_stream: bool = False) -> \
            Tuple[Tensor, Optional[Tensor], Tensor, Tensor, EventOverlap]:
        """
        Where tokens would go; sends nothing.

        :return: tokens for each rank, for each node (None with one node), for each expert, whether each token goes to
            each rank, event.
        """
        arrays = self._libraries.of(topk_idx)
        world = self.runtime.world
        if previous_event is not None:
            previous_event.current_stream_wait()
        if arrays.device is not None:
            counts = arrays.layout(topk_idx, num_experts, world.size, world.ranks_of_nodes)
            return (*counts, EventOverlap(EventHandle(event=arrays.record())) if async_finish else HAPPENED)
        topk_idx = arrays.dense(topk_idx)
        per_rank = arrays.empty((world.size,), arrays.int32)
        per_node = arrays.empty((world.nodes,), arrays.int32) if world.nodes > 1 else None
        per_expert = arrays.empty((num_experts,), arrays.int32)
        in_rank = arrays.empty((topk_idx.shape[0], world.size), arrays.bool)
        library = self.runtime.library
        library.check(library.layout(
            arrays.put(self._arguments(), 0, topk_idx), num_experts, world.size, self._nodes, world.nodes,
            arrays.address(per_rank), None if per_node is None else arrays.address(per_node),
            arrays.address(per_expert), arrays.address(in_rank)))
        return per_rank, per_node, per_expert, in_rank, HAPPENED

    def dispatch(
            self, x: Rows, handle: Optional[Tuple] = None, num_tokens_per_rank: Optional[Tensor] = None,
            num_tokens_per_rdma_rank: Optional[Tensor] = None, is_token_in_rank: Optional[Tensor] = None,
            num_tokens_per_expert: Optional[Tensor] = None, topk_idx: Optional[Tensor] = None,
            topk_weights: Optional[Tensor] = None, expert_alignment: int = 1, num_worst_tokens: int = 0,
            config: Optional[Config] = None, previous_event: Optional[EventOverlap] = None,
            async_finish: bool = False, allocate_on_comm_stream: bool = False) -> \
            Tuple[Rows, Optional[Tensor], Optional[Tensor], Optional[List[int]], Optional[Handle], EventOverlap]:
        """
        Send rows to the ranks of their experts; returns when all rows for this rank have come.

        :param x: [T, hidden] BF16, or a pair of [T, hidden] FP8 and [T, hidden/128] float32.
        :param handle: of an earlier dispatch, whose layout is used again.
        :param num_tokens_per_expert: [E]; with is_token_in_rank from get_dispatch_layout.
        :param topk_idx: [T, K] int64, -1 for no expert. Without it rows go by is_token_in_rank, and the counts of
            experts are exchanged by the group.
        :param expert_alignment: the returned counts are rounded up to it.
        :param num_worst_tokens: rows of the output; those that did not come have expert -1.
        :return: rows, local experts of each or -1, their weights, rows of each local expert ([] with num_worst_tokens),
            handle, event. A dispatch with a handle has rows and event alone.
        """
        with self.runtime.lock:
            rows, scales = x if isinstance(x, tuple) else (x, None)
            arrays = self._libraries.of(rows)
            if handle is not None:
                if topk_idx is not None or topk_weights is not None:
                    raise ValueError("topk_idx or topk_weights is given with a handle: a cached dispatch has those of "
                                     "its handle")
                return self._repeat(
                    arrays, rows, scales, _routing(handle), num_worst_tokens, previous_event, async_finish)
            if num_tokens_per_rank is None or is_token_in_rank is None or num_tokens_per_expert is None:
                raise ValueError("num_tokens_per_rank, is_token_in_rank and num_tokens_per_expert must be given, as "
                                 "get_dispatch_layout returns them, or a handle")
            experts = num_tokens_per_expert.shape[0]
            if topk_idx is None:
                return self._dispatch_by_ranks(
                    arrays, rows, scales, is_token_in_rank, num_tokens_per_expert, expert_alignment, num_worst_tokens,
                    previous_event, async_finish)
            return self._dispatch(
                arrays, rows, scales, topk_idx, topk_weights, experts, expert_alignment, num_worst_tokens,
                is_token_in_rank, previous_event, async_finish)

    def internode_dispatch(
            self, x: Rows, handle: Optional[Tuple] = None, num_tokens_per_rank: Optional[Tensor] = None,
            num_tokens_per_rdma_rank: Optional[Tensor] = None, is_token_in_rank: Optional[Tensor] = None,
            num_tokens_per_expert: Optional[Tensor] = None, topk_idx: Optional[Tensor] = None,
            topk_weights: Optional[Tensor] = None, expert_alignment: int = 1, config: Optional[Config] = None,
            previous_event: Optional[EventOverlap] = None, async_finish: bool = False,
            allocate_on_comm_stream: bool = False) -> \
            Tuple[Rows, Optional[Tensor], Optional[Tensor], Optional[List[int]], Optional[Handle], EventOverlap]:
        """As dispatch, which is for any number of nodes."""
        return self.dispatch(
            x, handle, num_tokens_per_rank, num_tokens_per_rdma_rank, is_token_in_rank, num_tokens_per_expert, topk_idx,
            topk_weights, expert_alignment, 0, config, previous_event, async_finish, allocate_on_comm_stream)

    def _dispatch(
            self, arrays: Any, rows: Tensor, scales: Optional[Tensor], topk_idx: Tensor, weights: Optional[Tensor],
            experts: int, alignment: int, worst: int, is_token_in_rank: Optional[Tensor],
            previous: Optional[EventOverlap], is_async: bool) -> Tuple:
        given = (rows, scales, topk_idx, weights)
        rows, topk_idx = arrays.dense(rows), arrays.dense(topk_idx)
        arguments = self._arguments()
        put = arrays.put
        scales = None if scales is None else arrays.dense(scales)
        weights = None if weights is None else arrays.dense(weights)
        dense = (rows, scales, topk_idx, weights)
        chain = arrays.chain(previous, given, dense)
        engine = self.runtime.engine(rows.shape[1], topk_idx.shape[1], experts, arrays.device)
        request = arguments.request(
            _library.DISPATCH, _library.DISPATCH_BYTES, put(arguments, 0, rows),
            0 if scales is None else put(arguments, 1, scales), put(arguments, 2, topk_idx),
            0 if weights is None else put(arguments, 3, weights), 0, experts, alignment, 1, arrays.raw_types, worst, 0,
            chain.wait, chain.record, _library.DISPATCHED.size)
        hidden, topk = rows.shape[-1], topk_idx.shape[-1]
        (x, x_scales, idx, out_weights, sources, pointer, counts, count, local, self.last_engine_ns, x_at, scales_at,
         idx_at, weights_at, sources_at) = self.runtime.run(
            self.runtime.dispatches, engine, request, arguments, (dense, chain))
        if worst > count:
            count = worst
        take = arrays.take_leased
        out = take(x, x_at, (count, hidden), FP8 if x_scales else BF16)
        if x_scales:
            out = (out, take(x_scales, scales_at, (count, hidden // _SCALE_GROUP), F32))
        size = self.group_size
        numbers = memoryview(ctypes.string_at(counts, 4 * (local + size))).cast("i")
        prefix = bytearray(self._no_prefix)
        memoryview(prefix).cast("i")[self.rank::size] = numbers[local:]
        handle = Handle((
            arrays.of_numpy(np.ndarray((size, size), I32, prefix)), None, None,
            take(sources, sources_at, (count,), I32), is_token_in_rank, None))
        handle.routing = Routing(self.runtime.library, engine, pointer, _matrix(rows)[0])
        return (out, take(idx, idx_at, (count, topk), I64), take(out_weights, weights_at, (count, topk), F32),
                [] if worst > 0 else numbers[:local].tolist(), handle, chain.end(is_async))

    def _repeat(
            self, arrays: Any, rows: Tensor, scales: Optional[Tensor], routing: Routing, worst: int,
            previous: Optional[EventOverlap], is_async: bool) -> Tuple:
        given = (rows, scales)
        rows = arrays.dense(rows)
        arguments = self._arguments()
        scales = None if scales is None else arrays.dense(scales)
        chain = arrays.chain(previous, given, (rows, scales))
        request = arguments.request(
            _library.DISPATCH, _library.DISPATCH_BYTES, arrays.put(arguments, 0, rows),
            0 if scales is None else arrays.put(arguments, 1, scales), 0, 0, routing.pointer, 0, 0, 0,
            arrays.raw_types, worst, 0, chain.wait, chain.record, _library.DISPATCHED.size)
        hidden = rows.shape[-1]
        (x, x_scales, _, _, _, _, _, count, _, self.last_engine_ns, x_at, scales_at, _, _, _) = self.runtime.run(
            self.runtime.dispatches, routing.engine, request, arguments, (rows, scales, routing, chain))
        count = max(count, worst)
        out = arrays.take_leased(x, x_at, (count, hidden), FP8 if x_scales else BF16)
        if x_scales:
            out = (out, arrays.take_leased(x_scales, scales_at, (count, hidden // _SCALE_GROUP), F32))
        return out, None, None, None, None, chain.end(is_async)

    def _dispatch_by_ranks(
            self, arrays: Any, rows: Tensor, scales: Optional[Tensor], is_token_in_rank: Tensor, per_expert: Tensor,
            alignment: int, worst: int, previous: Optional[EventOverlap], is_async: bool) -> Tuple:
        """Without selections a rank stands for an expert, and the counts of experts are exchanged beside."""
        size = self.group_size
        if previous is not None:
            # Selections are made here.
            previous.current_stream_wait()
            previous = None
        in_rank = np.asarray(arrays.numpy(is_token_in_rank), dtype=bool)
        pseudo = np.where(in_rank, np.arange(size, dtype=np.int64), -1)
        out, _, _, _, handle, event = self._dispatch(
            arrays, rows, scales, arrays.of_numpy(pseudo), None, size, 1, worst, is_token_in_rank, previous, is_async)
        mine = np.asarray(arrays.numpy(per_expert), dtype=np.int64)
        total = np.sum(np.stack(self._all_gather_object(mine)), axis=0)
        local = -(-total.shape[0] // size)
        counts = total[self.rank * local:(self.rank + 1) * local]
        aligned = [] if worst > 0 else [int(-(-count // alignment) * alignment) for count in counts]
        return out, None, None, aligned, handle, event

    def _all_gather_object(self, mine: Any) -> List[Any]:
        import pickle

        return [pickle.loads(part) for part in self.runtime.world.all_gather(pickle.dumps(mine))]

    def combine(
            self, x: Tensor, handle: Tuple, topk_weights: Optional[Tensor] = None,
            bias: Union[None, Tensor, Tuple[Tensor, Tensor]] = None, config: Optional[Config] = None,
            previous_event: Optional[EventOverlap] = None, async_finish: bool = False,
            allocate_on_comm_stream: bool = False) -> Tuple[Tensor, Optional[Tensor], EventOverlap]:
        """
        Bring the answers to delivered rows home and sum them, without weights.

        :param x: [rows or more, hidden] BF16, in the order of the dispatch.
        :param handle: of the dispatch.
        :param topk_weights: [rows or more, K] float32, to be summed beside.
        :param bias: one or two of [T, hidden] BF16, added.
        :param async_finish: returns at once; the event must be waited for before the result is read or x is changed.
        :return: sums, sums of weights or None, event.
        """
        with self.runtime.lock:
            self.runtime.require_open()
            routing = _routing(handle)
            arrays = self._libraries.of(x)
            bias0, bias1 = bias if isinstance(bias, tuple) else (bias, None)
            given = (x, topk_weights, bias0, bias1)
            kept = tuple(None if one is None else arrays.dense(one) for one in given)
            arguments = self._arguments()
            addresses = [0 if one is None else arrays.put(arguments, index, one) for index, one in enumerate(kept)]
            chain = arrays.chain(previous_event, given, kept)
            request = arguments.request(
                _library.COMBINE, _library.COMBINE_BYTES, routing.pointer, *addresses, 0, arrays.raw_types, 0,
                chain.wait, chain.record, _library.COMBINED.size)
            shape = (routing.tokens, _matrix(x)[1])
            of_weights = None if topk_weights is None else (routing.tokens, _matrix(topk_weights)[1])
            if async_finish:
                return self._combine_later(arrays, routing, request, kept, chain, shape, of_weights)
            out, weights, self.last_engine_ns, out_at, weights_at = self.runtime.run(
                self.runtime.combines, routing.engine, request, arguments, (kept, routing, chain))
            take = arrays.take_leased
            return (take(out, out_at, shape, BF16),
                    take(weights, weights_at, of_weights, F32) if weights else None, chain.end(False))

    def _combine_later(
            self, arrays: Any, routing: Routing, request: int, kept: Tuple, chain: Any, shape: Tuple[int, int],
            of_weights: Optional[Tuple[int, int]]) -> Tuple[Tensor, Optional[Tensor], EventOverlap]:
        library = self.runtime.library
        call = self.runtime.submit(library.combine_start, routing.engine, request, (*kept, routing, chain))
        result = _library.CombineResult()
        library.check(library.combine_result(call.pointer, ctypes.byref(result)))
        take = arrays.take_leased
        out = take(result.x, result.x_data, shape, BF16)
        weights = take(result.topk_weights, result.topk_weights_data, of_weights, F32) if result.topk_weights else None
        call.keep(out, weights)
        self.runtime.leave(call)
        return out, weights, EventOverlap(EventHandle(*chain.event_behind(lambda: self._finish(call))))

    internode_combine = combine

    def _finish(self, call: Any) -> None:
        try:
            call.await_end()
        except KeyboardInterrupt:
            self.runtime.leave(call)
            raise

    # ---- Low-latency mode ----

    def clean_low_latency_buffer(
            self, num_max_dispatch_tokens_per_rank: int, hidden: int, num_experts: int) -> None:
        """Nothing to do: no memory has to be zero."""

    def low_latency_dispatch(
            self, x: Tensor, topk_idx: Tensor, num_max_dispatch_tokens_per_rank: int, num_experts: int,
            cumulative_local_expert_recv_stats: Optional[Tensor] = None,
            dispatch_wait_recv_cost_stats: Optional[Tensor] = None, use_fp8: bool = True, round_scale: bool = False,
            use_ue8m0: bool = False, async_finish: bool = False, return_recv_hook: bool = False) -> \
            Tuple[Rows, Tensor, LowLatencyHandle, EventOverlap, Optional[Hook]]:
        """
        Send rows of a decode batch to their experts in one hop.

        :param x: [T, hidden] BF16, T at most num_max_dispatch_tokens_per_rank, hidden a multiple of 128.
        :param topk_idx: [T, K] int64, -1 for no expert.
        :param cumulative_local_expert_recv_stats: [L] int32, to which the counts are added.
        :param round_scale: scales are powers of two; use_ue8m0: their exponents, four to an int32.
        :param return_recv_hook: returns when all is sent; the hook receives.
        :return: rows [L, P·M, hidden] or a pair with scales [L, P·M, hidden/128] (columns first), counts [L], handle,
            event, hook or None. Tensors are used again by the dispatch after the next.
        """
        key = (num_max_dispatch_tokens_per_rank, num_experts, use_fp8, round_scale, use_ue8m0)
        lanes = self._places.get(key)
        if lanes is not None and not async_finish and cumulative_local_expert_recv_stats is None and \
                dispatch_wait_recv_cost_stats is None:
            # The usual case on a GPU, before anything else is looked at.
            with self._lock:
                place = lanes[lanes[0].engine.calls & 1]
                if place.opened == self.runtime.opened and \
                        place.dispatch.renew(place.stream(place.device) or LEGACY_STREAM, x, topk_idx):
                    return self._submit(place, return_recv_hook)
        if dispatch_wait_recv_cost_stats is not None:
            raise NotImplementedError("dispatch_wait_recv_cost_stats: calls do not measure waits by rank")
        if use_ue8m0 and not round_scale:
            raise ValueError("use_ue8m0 needs round_scale")
        arrays = self._libraries.of(x)
        if arrays.device is not None:
            return self._low_latency_dispatch_on_device(
                arrays, x, topk_idx, key, cumulative_local_expert_recv_stats, async_finish, return_recv_hook)
        with self.runtime.lock:
            hidden = x.shape[1]
            engine = self.runtime.low_latency(
                num_max_dispatch_tokens_per_rank, hidden, topk_idx.shape[1], num_experts, arrays)
            output = engine.output(num_experts, hidden, _scales(use_fp8, use_ue8m0), arrays)
            lane = engine.calls % 2
            call = self._send(engine, output, arrays, x, topk_idx, num_experts, round_scale, not return_recv_hook)
            handle = LowLatencyHandle(
                (output.src_info, output.layout_range, num_max_dispatch_tokens_per_rank, hidden, num_experts))
            handle.call, handle.lane = call, lane

        def receive() -> None:
            if return_recv_hook:
                with self.runtime.lock:
                    _require_alive(call)
                    self.runtime.library.check(self.runtime.library.low_latency_receive(call.pointer))
            if cumulative_local_expert_recv_stats is not None:
                cumulative_local_expert_recv_stats[:] += output.count

        if not return_recv_hook:
            receive()
        rows = (output.x, output.x_scales) if use_fp8 else output.x
        return rows, output.count, handle, HAPPENED, receive if return_recv_hook else None

    def _low_latency_dispatch_on_device(
            self, arrays: Any, x: Tensor, topk_idx: Tensor, key: Tuple, stats: Optional[Tensor], is_async: bool,
            has_hook: bool) -> Tuple[Rows, Tensor, LowLatencyHandle, EventOverlap, Optional[Hook]]:
        """The device receives by itself, and nobody waits for it here."""
        if not is_async and stats is None:
            with self.runtime.lock:
                return self._submit(self._make_place(arrays, x, topk_idx, key), has_hook)
        most_tokens, experts, *scaling = key
        if is_async:
            with arrays.forked() as event:
                arrays.lend(x, topk_idx)
                rows, count, handle, _, hook = self.low_latency_dispatch(
                    x, topk_idx, most_tokens, experts, stats, None, *scaling, False, has_hook)
            return rows, count, handle, EventOverlap(EventHandle(event=event)), hook
        rows, count, handle, event, hook = self.low_latency_dispatch(
            x, topk_idx, most_tokens, experts, None, None, *scaling, False, has_hook)
        if has_hook:
            return rows, count, handle, event, lambda: arrays.add(stats, count)
        arrays.add(stats, count)
        return rows, count, handle, event, hook

    @staticmethod
    def _submit(place: _Place, has_hook: bool) -> \
            Tuple[Rows, Tensor, LowLatencyHandle, EventOverlap, Optional[Hook]]:
        handle = LowLatencyHandle(place.handle)
        handle.place = place
        handle.call = place.engine.dispatch(place.dispatch.request)
        return place.rows, place.count, handle, HAPPENED, _nothing if has_hook else None

    def _make_place(self, arrays: Any, x: Tensor, topk_idx: Tensor, key: Tuple) -> _Place:
        """That of the next dispatch, with a request for tensors as these."""
        most_tokens, experts, use_fp8, round_scale, use_ue8m0 = key
        x, topk_idx = arrays.dense(x), arrays.dense(topk_idx)
        hidden = x.shape[1]
        engine = self.runtime.low_latency(most_tokens, hidden, topk_idx.shape[1], experts, arrays)
        output = engine.output(experts, hidden, _scales(use_fp8, use_ue8m0), arrays)
        lane = engine.calls % 2
        place = self._made.get((key, lane))
        if place is None or place.output is not output or place.opened != self.runtime.opened:
            place = self._made[key, lane] = _Place(
                arrays, engine, self.runtime.opened, output,
                (output.src_info, output.layout_range, most_tokens, hidden, experts))
        place.dispatch = Prepared(
            arrays, _library.LOW_LATENCY_DISPATCH, _library.DISPATCH_STREAM, (x, topk_idx),
            lambda at: (*at, output.pointer, experts, round_scale, 0, 0, arrays.stream()))
        other = self._made.get((key, 1 - lane))
        if other is not None and other.engine is engine:
            self._places[key] = (other, place) if lane else (place, other)
        return place

    def _send(
            self, engine: Any, output: Any, arrays: Any, x: Tensor, topk_idx: Tensor, experts: int,
            power_of_two: bool, at_once: bool) -> LowLatencyCall:
        x, topk_idx = arrays.dense(x), arrays.dense(topk_idx)
        arguments = self._arguments()
        is_on_device = arrays.device is not None
        request = arguments.request(
            _library.LOW_LATENCY_DISPATCH, _library.LOW_LATENCY_DISPATCH.size, arrays.put(arguments, 0, x),
            arrays.put(arguments, 1, topk_idx), output.pointer, experts, power_of_two, at_once and not is_on_device, 0,
            arrays.stream() if is_on_device else 0)
        call: LowLatencyCall = engine.dispatch(request)
        call.keep(x, topk_idx)
        return call

    def low_latency_combine(
            self, x: Tensor, topk_idx: Tensor, topk_weights: Tensor, handle: Tuple, use_logfmt: bool = False,
            zero_copy: bool = False, async_finish: bool = False, return_recv_hook: bool = False,
            out: Optional[Tensor] = None, combine_wait_recv_cost_stats: Optional[Tensor] = None) -> \
            Tuple[Tensor, EventOverlap, Optional[Hook]]:
        """
        Bring the answers home and sum them, weighted.

        :param x: [L, P·M, hidden] BF16: answers to the rows of the dispatch.
        :param topk_idx: [T, K] as dispatched; needed where the handle was combined before, see docs/python.md.
        :param topk_weights: [T, K] float32.
        :param zero_copy: answers are in get_next_low_latency_combine_buffer(handle), and x is not looked at.
        :param out: [T, hidden] BF16 for the sums; made unless given.
        :return: sums, event, hook or None.
        """
        if out is not None and not (async_finish or use_logfmt) and combine_wait_recv_cost_stats is None and \
                type(handle) is LowLatencyHandle and handle.place is not None:
            with self._lock:
                place, call = handle.place, handle.call
                answers = place.answers if zero_copy else x
                if answers is not None and call.pointer is not None and place.combine is not None and \
                        (zero_copy or x.data_ptr() in place.engine.own_rows) and \
                        place.combine.renew(
                            place.stream(place.device) or LEGACY_STREAM, answers, topk_weights, out):
                    self._submit_combine(place, call)
                    return out, HAPPENED, _nothing if return_recv_hook else None
        if use_logfmt:
            raise NotImplementedError("use_logfmt: answers travel as BF16 only")
        if combine_wait_recv_cost_stats is not None:
            raise NotImplementedError("combine_wait_recv_cost_stats: calls do not measure waits by rank")
        if not isinstance(handle, LowLatencyHandle):
            raise TypeError("handle is not one of low_latency_dispatch: must be, and as it was returned")
        _, _, most_tokens, hidden, experts = handle
        arrays = self._libraries.of(topk_weights)
        if out is None:
            out = arrays.empty((topk_idx.shape[0], hidden), arrays.bfloat16)
        if arrays.device is not None:
            return self._low_latency_combine_on_device(
                arrays, x, topk_idx, topk_weights, handle, zero_copy, out, async_finish, return_recv_hook)
        with self.runtime.lock:
            engine = self.runtime.low_latency(most_tokens, hidden, topk_idx.shape[1], experts, arrays)
            if zero_copy:
                x = engine.answers(experts, hidden, handle.lane, arrays)
            x, weights = arrays.dense(x), arrays.dense(topk_weights)
            if handle.call.pointer is None or handle.call.is_combined:
                self._route_again(engine, arrays, topk_idx, handle, hidden, experts)
            call = handle.call
            arguments = self._arguments()
            request = arguments.request(
                _library.LOW_LATENCY_COMBINE, _library.LOW_LATENCY_COMBINE.size, arrays.put(arguments, 0, x),
                arrays.put(arguments, 1, weights), arrays.put(arguments, 2, out), 0, 0, 0)
            library = self.runtime.library
            library.check(library.low_latency_combine(call.pointer, request))
            call.is_combined = True
            call.keep(x, weights, out)

        def receive() -> None:
            with self.runtime.lock:
                _require_alive(call)
                library.check(library.low_latency_combine_receive(call.pointer, None))
                call.close()

        if not return_recv_hook:
            receive()
        return out, HAPPENED, receive if return_recv_hook else None

    def _low_latency_combine_on_device(
            self, arrays: Any, x: Tensor, topk_idx: Tensor, weights: Tensor, handle: LowLatencyHandle, zero_copy: bool,
            out: Tensor, is_async: bool, has_hook: bool) -> Tuple[Tensor, EventOverlap, Optional[Hook]]:
        """The call is released at once: what comes later comes behind it on its stream."""
        if is_async:
            with arrays.forked() as event:
                arrays.lend(x, topk_idx, weights, out)
                _, _, hook = self._low_latency_combine_on_device(
                    arrays, x, topk_idx, weights, handle, zero_copy, out, False, has_hook)
            return out, EventOverlap(EventHandle(event=event)), hook
        with self.runtime.lock:
            place = handle.place
            assert place is not None
            engine, hidden, experts = place.engine, handle[3], handle[4]
            if zero_copy or arrays.address(x) not in engine.own_rows:
                if place.answers is None:
                    place.answers = engine.answers(experts, hidden, place.lane, arrays)
                if not zero_copy:
                    arrays.copy(place.answers, x)
                x = place.answers
            if handle.call.pointer is None:
                self._route_again(engine, arrays, topk_idx, handle, hidden, experts)
            if place.combine is None or not place.combine.renew(arrays.stream(), x, weights, out):
                place.combine = Prepared(
                    arrays, _library.LOW_LATENCY_COMBINE, _library.COMBINE_STREAM, (x, arrays.dense(weights), out),
                    lambda at: (*at, 0, arrays.stream(), 1), place.answers)
            self._submit_combine(place, handle.call)
        return out, HAPPENED, _nothing if has_hook else None

    def _submit_combine(self, place: _Place, call: LowLatencyCall) -> None:
        library = self.runtime.library
        status = library.low_latency_combine(call.pointer, place.combine.request)
        if status < 0:
            raise library.failure(status)
        call.pointer = None

    def _route_again(
            self, engine: Any, arrays: Any, topk_idx: Tensor, handle: LowLatencyHandle, hidden: int,
            experts: int) -> None:
        """An engine combines a dispatch once: dispatch the same selections, whose rows nobody looks at."""
        nothing = arrays.empty((topk_idx.shape[0], hidden), arrays.bfloat16)
        nothing[:] = 0
        lane = engine.calls % 2
        unread = engine.output(experts, hidden, _SCALES_BF16, arrays, is_unread=True)
        handle.call = self._send(engine, unread, arrays, nothing, topk_idx, experts, False, True)
        handle.lane = lane

    def get_next_low_latency_combine_buffer(self, handle: Tuple) -> Tensor:
        """[L, P·M, hidden] BF16, to be filled and combined with zero_copy=True."""
        if not isinstance(handle, LowLatencyHandle):
            raise TypeError("handle is not one of low_latency_dispatch: must be, and as it was returned")
        src_info, _, most_tokens, hidden, experts = handle
        arrays = self._libraries.of(src_info)
        with self.runtime.lock:
            engine = self.runtime.low_latency(most_tokens, hidden, 1, experts, arrays)
            lane = handle.lane if handle.place is None else handle.place.lane
            return engine.answers(experts, hidden, lane, arrays)

    def low_latency_update_mask_buffer(self, rank_to_mask: int, mask: bool) -> None:
        """
        Leave a rank out of low-latency calls, or take it back: both ranks do so for each other, between the same calls.
        """
        engine, library = self.runtime.newest_low_latency(), self.runtime.library
        if mask:
            library.check(library.low_latency_mask(engine.pointer, rank_to_mask))
            return
        if engine.device is not None:
            self.runtime.on_devices[engine.device].synchronize()
        for call in engine.alive:
            if call is not None:
                call.close()
        self._generations[rank_to_mask] += 1
        library.check(library.low_latency_clear(engine.pointer, rank_to_mask, self._generations[rank_to_mask]))

    def low_latency_query_mask_buffer(self, mask_status: Tensor) -> None:
        """Write 1 for each rank that is left out, else 0; [P] int32."""
        engine, library = self.runtime.newest_low_latency(), self.runtime.library
        active = (ctypes.c_int32 * self.group_size)()
        library.check(library.low_latency_active(engine.pointer, active))
        for rank in range(self.group_size):
            mask_status[rank] = 1 - active[rank]

    def low_latency_clean_mask_buffer(self) -> None:
        """Take all ranks back that are left out."""
        status = [0] * self.group_size
        self.low_latency_query_mask_buffer(status)
        for rank in range(self.group_size):
            if status[rank]:
                self.low_latency_update_mask_buffer(rank, False)

    def _arguments(self) -> Arguments:
        """Of the calling thread; the C library has read them when a function returns."""
        found = getattr(self._scratch, "arguments", None)
        if found is None:
            found = self._scratch.arguments = Arguments(_MOST_ARGUMENTS)
        return found


def _scales(use_fp8: bool, use_ue8m0: bool) -> int:
    return _SCALES_BF16 if not use_fp8 else _SCALES_PACKED_COLUMNS if use_ue8m0 else _SCALES_COLUMNS


def _matrix(tensor: Tensor) -> Tuple[int, int]:
    """Rows and columns that the library sees."""
    shape = tensor.shape
    return (shape[0], shape[1]) if len(shape) == 2 else \
        (shape[0], 1) if len(shape) == 1 else (shape[0] * shape[1], shape[2])


def _nothing() -> None:
    """The hook of a step that the device receives by itself."""


def _routing(handle: Tuple) -> Routing:
    if not isinstance(handle, Handle):
        raise TypeError("handle is not one of dispatch: must be, and as it was returned")
    return handle.routing


def _require_alive(call: LowLatencyCall) -> None:
    if call.pointer is None:
        raise RuntimeError("the low-latency call was released: two may be alive, and each hook is called once")


def _item_size(dtype: Any) -> int:
    if isinstance(dtype, (type, np.dtype)):
        return np.dtype(dtype).itemsize
    import torch

    return int(torch.empty((), dtype=dtype).element_size())
