# Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0
"""Tensors of PyTorch on a GPU, and the streams and events of their calls."""

import ctypes
import struct
import threading
from contextlib import contextmanager
from typing import Any, Callable, Iterator, List, Optional, Sequence, Tuple

import numpy as np

from ._arrays import CPU, CUDA, WORDS_OF_TENSOR, Arguments, TorchArrays
from .event import EventHandle, EventOverlap

# CU_STREAM_LEGACY: the C library takes 0 for a stream of the engine.
LEGACY_STREAM = 1
# The engine takes tensors at multiples of 16 bytes.
_ALIGNMENT_MASK = 15
# Of DLManagedTensor.
_DELETER_OFFSET = 56
_DELETER = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class Chain:
    """Between which events a call of the normal mode does its device work."""

    def __init__(
            self, arrays: Any, previous: Optional[EventOverlap], given: Sequence[Any], dense: Sequence[Any]) -> None:
        arrays.require_no_capture("A call of the normal mode, in which the host learns how many rows come,")
        arrays.recycle()
        handle = None if previous is None else previous.event
        event = None if handle is None else handle.host_wait()
        if event is not None and any(one is not other for one, other in zip(given, dense)):
            # The current stream has made dense copies.
            event.wait()
            event = None
        self._waited = arrays.record() if event is None else event
        self._recorded = arrays.new_event()
        self.wait: int = arrays.event_handle(self._waited)
        self.record: int = arrays.event_handle(self._recorded)

    def end(self, is_async: bool) -> EventOverlap:
        """Of a call that has ended: the current stream goes on behind it, at once or when the event is waited for."""
        if not is_async:
            self._recorded.wait()
        return EventOverlap(EventHandle(event=self._recorded))

    def event_behind(self, wait: Callable[[], None]) -> Tuple[Callable[[], None], Any]:
        """Of a call that goes on: what the host waits for, and the event that is recorded then."""
        return wait, self._recorded


class Prepared:
    """
    A request that was made once. Tensors of the same kinds and shapes change nothing of it but addresses, which is much
    faster than to make it anew.
    """

    __slots__ = ("request", "_arguments", "_words", "_stream_at", "_device", "_kinds", "_own", "_own_address")

    def __init__(
            self, arrays: Any, layout: struct.Struct, stream_at: int, tensors: Sequence[Any],
            fields: Callable[[Sequence[int]], Sequence[int]], own: Any = None) -> None:
        """
        :param stream_at: word of the request that is the stream.
        :param fields: of the request, without its size, from the addresses of the tensors.
        :param own: a tensor of the engine, or None: where it is among the tensors it is not looked at again.
        """
        self._arguments = Arguments(len(tensors))
        self._words, first = self._arguments.words()
        self._stream_at = first + stream_at
        self._device = arrays.device
        self._own = own if any(tensor is own for tensor in tensors) else None
        self._own_address = None if self._own is None else arrays.address(own)
        self._kinds = [
            (index * WORDS_OF_TENSOR, tensor.dtype, tensor.shape) for index, tensor in enumerate(tensors)]
        addresses = [arrays.put(self._arguments, index, tensor) for index, tensor in enumerate(tensors)]
        self.request = self._arguments.request(layout, layout.size, *fields(addresses))

    def renew(self, stream: int, *tensors: Any) -> bool:
        """False where a tensor is of another kind or shape, or not dense: the request must be made anew then."""
        words, device, own = self._words, self._device, self._own
        for tensor, (at, dtype, shape) in zip(tensors, self._kinds):
            if tensor is own:
                words[at] = self._own_address
                continue
            if tensor.dtype is not dtype or tensor.shape != shape or tensor.get_device() != device or \
                    not tensor.is_contiguous():
                return False
            words[at] = address = tensor.data_ptr()
            if address & _ALIGNMENT_MASK:
                return False
        words[self._stream_at] = stream
        return True


class Leases:
    """
    Memory of the engine under tensors that the program has: used again when those are dropped, and the stream which was
    the current one at the next call has come so far.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._dropped: List[int] = []
        self._resting: List[Tuple[Any, List[int]]] = []
        self._delete: Any = None
        self._on_drop = _DELETER(self._dropped.append)
        # PyTorch may delete tensors when nothing else of Python is left.
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(self._on_drop))
        self._on_drop_address = ctypes.cast(self._on_drop, ctypes.c_void_p).value

    def record(self) -> Any:
        raise NotImplementedError

    def synchronize(self) -> None:
        raise NotImplementedError

    def adopt(self, address: int) -> None:
        """Be told when a DLManagedTensor is deleted."""
        deleter = ctypes.c_void_p.from_address(address + _DELETER_OFFSET)
        if self._delete is None:
            self._delete = _DELETER(deleter.value or 0)
        deleter.value = self._on_drop_address

    def recycle(self) -> None:
        """Give back what was dropped, behind what the current stream does with it."""
        with self._lock:
            dropped = self._take_dropped()
            if dropped:
                self._resting.append((self.record(), dropped))
            while self._resting and self._resting[0][0].query():
                self._give_back(self._resting.pop(0)[1])

    def flush(self) -> None:
        """The same at once: wait for the device."""
        if self._dropped or self._resting:
            self.synchronize()
            with self._lock:
                for _, dropped in self._resting:
                    self._give_back(dropped)
                self._resting.clear()
                self._give_back(self._take_dropped())

    def _take_dropped(self) -> List[int]:
        dropped = self._dropped[:]
        del self._dropped[:len(dropped)]
        return dropped

    def _give_back(self, addresses: List[int]) -> None:
        for address in addresses:
            self._delete(address)


class CudaArrays(Leases, TorchArrays):
    """
    Tensors on one GPU. Work of a call comes behind that of the current stream, and before what is submitted there
    later.
    """

    def __init__(self, fp8_as_uint8: Optional[bool], device: int) -> None:
        Leases.__init__(self)
        TorchArrays.__init__(self, fp8_as_uint8)
        torch = self._torch
        self.device: Optional[int] = device
        self.name = f"PyTorch cuda:{device}"
        self._on = torch.device("cuda", device)
        self.raw_stream = torch._C._cuda_getCurrentRawStream
        self._own_stream: Any = None

    # ---- Tensors ----

    @staticmethod
    def dense(tensor: Any) -> Any:
        if not tensor.is_contiguous():
            return tensor.contiguous()
        return tensor.clone() if tensor.data_ptr() & _ALIGNMENT_MASK else tensor

    def put(self, arguments: Arguments, index: int, tensor: Any) -> int:
        on = tensor.get_device()
        if on == self.device:
            return self.put_at(arguments, index, tensor, CUDA, on)
        if on >= 0:
            raise ValueError(f"a tensor on {tensor.device} is not allowed beside tensors on {self._on}: must be there, "
                             "too, or on the CPU")
        return self.put_at(arguments, index, tensor, CPU, 0)

    def take_leased(self, address: int, data: int, shape: Tuple[int, ...], dtype: np.dtype) -> Any:
        self.adopt(address)
        return super().take_leased(address, data, shape, dtype)

    def empty(self, shape: Sequence[int], dtype: Any) -> Any:
        return self._torch.empty(tuple(shape), dtype=dtype, device=self._on)

    @staticmethod
    def numpy(tensor: Any) -> np.ndarray:
        return tensor.cpu().numpy()

    def of_numpy(self, array: np.ndarray) -> Any:
        return self._torch.from_numpy(array).to(self._on)

    @staticmethod
    def copy(target: Any, source: Any) -> None:
        target.copy_(source.reshape(target.shape))

    @staticmethod
    def add(target: Any, source: Any) -> None:
        target.add_(source)

    def layout(
            self, topk_idx: Any, experts: int, ranks: int, ranks_of_nodes: Sequence[int]) -> \
            Tuple[Any, Optional[Any], Any, Any]:
        """As get_dispatch_layout, on the device. What is not in [0, experts) counts as no expert; dispatch fails then."""
        torch, tokens = self._torch, topk_idx.shape[0]
        is_chosen = (topk_idx >= 0) & (topk_idx < experts)
        chosen = torch.where(is_chosen, topk_idx, experts)
        hits = torch.zeros((tokens, experts + 1), dtype=torch.int32, device=self._on)
        per_expert = hits.scatter_(1, chosen, 1)[:, :experts].sum(dim=0, dtype=torch.int32)
        owners = torch.where(
            is_chosen, torch.div(topk_idx, -(-experts // ranks), rounding_mode="floor"), ranks)
        goes = torch.zeros((tokens, ranks + 1), dtype=torch.bool, device=self._on)
        in_rank = goes.scatter_(1, owners, True)[:, :ranks].contiguous()
        per_node, first, nodes = None, 0, []
        if len(ranks_of_nodes) > 1:
            for count in ranks_of_nodes:
                nodes.append(in_rank[:, first:first + count].any(dim=1).sum(dtype=torch.int32))
                first += count
            per_node = torch.stack(nodes)
        return in_rank.sum(dim=0, dtype=torch.int32), per_node, per_expert, in_rank

    # ---- Streams ----

    def chain(  # type: ignore[override]
            self, previous: Optional[EventOverlap], given: Sequence[Any], dense: Sequence[Any]) -> Chain:
        return Chain(self, previous, given, dense)

    def stream(self) -> int:
        """Handle of the current one."""
        return self.raw_stream(self.device) or LEGACY_STREAM

    def comm_stream(self) -> Any:
        """What async_finish submits to."""
        if self._own_stream is None:
            self._own_stream = self._torch.cuda.Stream(self._on, priority=-1)
        return self._own_stream

    @contextmanager
    def forked(self) -> Iterator[Any]:
        """The stream of async_finish is the current one, behind what was; the event is recorded at the end."""
        cuda = self._torch.cuda
        own, event = self.comm_stream(), self.new_event()
        own.wait_stream(cuda.current_stream(self._on))
        with cuda.stream(own):
            yield event
            event.record(own)

    def lend(self, *tensors: Any) -> None:
        """The stream of async_finish reads tensors, which the program may drop meanwhile."""
        for tensor in tensors:
            tensor.record_stream(self.comm_stream())

    def record(self) -> Any:
        """An event behind what the current stream has been given."""
        event = self._torch.cuda.Event()
        event.record(self._torch.cuda.current_stream(self._on))
        return event

    def new_event(self) -> Any:
        """An event that somebody else records."""
        return self.record()

    @staticmethod
    def event_handle(event: Any) -> int:
        return event.cuda_event

    def is_capturing(self) -> bool:
        return self._torch.cuda.is_current_stream_capturing()

    def require_no_capture(self, what: str) -> None:  # type: ignore[override]
        if self.is_capturing():
            raise RuntimeError(f"{what} cannot be captured into a CUDA graph")

    def synchronize(self) -> None:
        self._torch.cuda.synchronize(self._on)


def captured(torch: Any) -> EventHandle:
    """What the current stream has been given so far."""
    event = torch.cuda.Event()
    event.record()
    return EventHandle(event=event)
