# Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0
"""Engines of a Buffer, which open when the first call tells their sizes, and calls under way."""

import atexit
import ctypes
import os
import struct
import threading
import warnings
from typing import Any, Callable, Dict, List, Mapping, Optional, Set, Tuple

from . import _library
from ._arrays import Arguments
from .group import World, lines

# How long a wait keeps Python from looking after signals, such as that of Ctrl-C.
_SLICE_MS = 50

_pointer = ctypes.c_void_p.from_address

_open: Dict[int, "Runtime"] = {}


class Call:
    """A call of the normal mode under way. What it reads and writes is kept until it ends."""

    def __init__(self, library: Any, pointer: int, kept: Tuple[Any, ...]) -> None:
        self._library = library
        self.pointer: Optional[int] = pointer
        self._kept: Optional[Tuple[Any, ...]] = kept
        self._failure: Optional[Exception] = None

    def keep(self, *more: Any) -> None:
        self._kept = (self._kept or ()) + more

    def poll(self) -> bool:
        """Whether it has ended. Waiting for it raises its failure."""
        if self.pointer is None:
            return True
        status = self._library.call_wait(self.pointer, 0)
        if status < 0:
            self._failure = self._library.failure(status)
            self.close()
        elif status == _library.OK:
            self.close()
        return self.pointer is None

    def await_end(self) -> None:
        """Wait until it has ended well. Signals are heard meanwhile; the call goes on then."""
        wait, pointer = self._library.call_wait, self.pointer
        if pointer is not None:
            status = wait(pointer, _SLICE_MS)
            while status == _library.PENDING:
                status = wait(pointer, _SLICE_MS)
            if status < 0:
                self._failure = self._library.failure(status)
                self.close()
        if self._failure is not None:
            raise self._failure

    def close(self) -> None:
        pointer, self.pointer = self.pointer, None
        if pointer is not None:
            self._library.call_close(pointer)
        self._kept = None


class Kind:
    """Dispatch or combine, as calls that are waited for."""

    __slots__ = ("run", "result", "call_offset", "answer_offset", "answer", "tensors")

    def __init__(
            self, run: Callable[..., int], result: Callable[..., int], request_bytes: int, answer: struct.Struct,
            tensors: int) -> None:
        """
        :param run: function of the library that makes the call and waits.
        :param result: asks for the result of a call that was waited for.
        :param request_bytes: of the request, behind which lie the pointer of its call and its answer.
        :param answer: layout of the result, whose first fields are tensors, then for a dispatch the handle.
        """
        self.run = run
        self.result = result
        self.call_offset = request_bytes
        self.answer_offset = request_bytes + ctypes.sizeof(ctypes.c_void_p)
        self.answer = answer
        self.tensors = tensors


class Routing:
    """The native handle of a dispatch, closed with its last user."""

    __slots__ = ("_close", "engine", "pointer", "tokens")

    def __init__(self, library: Any, engine: int, pointer: int, tokens: int) -> None:
        self._close = library.handle_close
        self.engine = engine
        self.pointer = pointer
        self.tokens = tokens

    def __del__(self) -> None:
        self._close(self.pointer)


class LowLatencyOutput:
    """Tensors that dispatches fill."""

    def __init__(self, pointer: int, tensors: Any, arrays: Any) -> None:
        self.pointer = pointer
        self.x = arrays.take(tensors.x, True)
        self.x_scales = arrays.take(tensors.x_scales) if tensors.x_scales else None
        self.count = arrays.take(tensors.count)
        self.src_info = arrays.take(tensors.src_info)
        self.layout_range = arrays.take(tensors.layout_range)


class LowLatencyCall:
    """A low-latency dispatch, which is alive until it is combined or its place is needed."""

    __slots__ = ("_library", "pointer", "is_combined", "_kept")

    def __init__(self, library: Any, pointer: int) -> None:
        self._library = library
        self.pointer: Optional[int] = pointer
        self.is_combined = False
        self._kept: Optional[Tuple[Any, ...]] = None

    def keep(self, *more: Any) -> None:
        self._kept = (self._kept or ()) + more

    def close(self) -> None:
        self._end(self._library.low_latency_call_close)

    def detach(self) -> None:
        """Release it without waiting: what comes later comes behind it on its stream."""
        self._end(self._library.low_latency_call_detach)

    def _end(self, function: Callable[[int], int]) -> None:
        pointer, self.pointer = self.pointer, None
        if pointer is not None:
            status = function(pointer)
            self._kept = None
            self._library.check(status)


class LowLatency:
    """An engine of the low-latency mode for calls of one number of tokens, and its tensors."""

    def __init__(
            self, library: Any, world: World, sizes: Tuple[int, int, int, int], settings: Mapping[str, Any],
            device: Optional[int]) -> None:
        self._library = library
        self.sizes = sizes
        self.device = device
        tokens, hidden, topk, experts = sizes
        values = dict(settings)
        values.update({
            "low-latency.max-tokens": tokens, "max-hidden": hidden, "max-topk": topk, "max-experts": experts})
        pointer = ctypes.c_void_p()
        library.check(library.low_latency_open(world.pointer, lines(values), ctypes.byref(pointer)))
        self.pointer = pointer.value
        self.alive: List[Optional[LowLatencyCall]] = [None, None]
        self.calls = 0
        self._outputs: Dict[Tuple[Any, ...], LowLatencyOutput] = {}
        self._answers: Dict[Tuple[Any, ...], Any] = {}
        # Of BF16 outputs and of answers: combines take rows from there as they are.
        self.own_rows: Set[int] = set()
        self._call = ctypes.c_void_p()
        self._call_at = ctypes.byref(self._call)

    def output(
            self, experts: int, hidden: int, scales: int, arrays: Any, is_unread: bool = False) -> LowLatencyOutput:
        """That of the next dispatch: two take turns, as two may be alive. Unread: apart from what callers have."""
        key = (experts, hidden, scales, arrays.name, self.calls % 2, is_unread)
        found = self._outputs.get(key)
        if found is None:
            arrays.require_no_capture(
                "The first low_latency_dispatch of its sizes and kind, which allocates its output,")
            pointer = ctypes.c_void_p()
            tensors = _library.LowLatencyTensors()
            self._library.check(self._library.low_latency_output_open(
                self.pointer, experts, hidden, scales, arrays.raw_types, ctypes.byref(pointer), ctypes.byref(tensors)))
            found = self._outputs[key] = LowLatencyOutput(pointer.value or 0, tensors, arrays)
            if found.x_scales is None:
                self.own_rows.add(arrays.address(found.x))
        return found

    def answers(self, experts: int, hidden: int, lane: int, arrays: Any) -> Any:
        key = (experts, hidden, arrays.name, lane)
        found = self._answers.get(key)
        if found is None:
            arrays.require_no_capture("The first low_latency_combine of its sizes, which allocates its answers,")
            pointer = ctypes.c_void_p()
            self._library.check(self._library.low_latency_answers(
                self.pointer, experts, hidden, arrays.raw_types, ctypes.byref(pointer)))
            found = self._answers[key] = arrays.take(pointer.value)
            self.own_rows.add(arrays.address(found))
        return found

    def dispatch(self, request: int) -> LowLatencyCall:
        """Send. The dispatch before the last one is released: its tensors are used again."""
        lane = self.calls & 1
        older = self.alive[lane]
        if older is not None and older.pointer is not None:
            if self.device is None:
                older.close()
            else:
                older.detach()
        library = self._library
        status = library.low_latency_dispatch(self.pointer, request, self._call_at)
        if status < 0:
            raise library.failure(status)
        self.calls += 1
        call = self.alive[lane] = LowLatencyCall(library, self._call.value or 0)
        return call

    def close(self) -> None:
        pointer, self.pointer = self.pointer, None
        if pointer is not None:
            for output in self._outputs.values():
                self._library.low_latency_output_close(output.pointer)
            self._outputs.clear()
            self._answers.clear()
            status = self._library.low_latency_close(pointer)
            for call in self.alive:
                if call is not None:
                    call.close()
            self._library.check(status)


class Runtime:
    """The world of a Buffer and its engines."""

    # What the engine's settings allow unless more is asked for.
    _DEFAULTS = (7168, 16, 512)

    def __init__(self, world: World, is_own: bool, settings: Mapping[str, Any]) -> None:
        self.library = _library.start()
        self.world = world
        self._is_own = is_own
        self._settings = dict(settings)
        self._engines: List[Tuple[Optional[int], Tuple[int, int, int], int]] = []
        self._low_latency: List[LowLatency] = []
        self._pending: List[Call] = []
        # How many low-latency engines were opened.
        self.opened = 0
        # Arrays by the device that they lie on.
        self.on_devices: Dict[int, Any] = {}
        self.lock = threading.RLock()
        library = self.library
        self.dispatches = Kind(
            library.dispatch, library.dispatch_result, _library.DISPATCH_BYTES, _library.DISPATCHED, 5)
        self.combines = Kind(library.combine, library.combine_result, _library.COMBINE_BYTES, _library.COMBINED, 2)
        self.is_closed = False
        _open[id(self)] = self

    def _settings_of(self, device: Optional[int], values: Mapping[str, Any]) -> Dict[str, Any]:
        """Tensors on a GPU travel over nvlink unless a setting names another transport."""
        chosen = dict(values)
        if device is not None:
            if "TRANSLOAD_SCALE_UP_TRANSPORT" not in os.environ:
                chosen["scale-up.transport"] = "nvlink"
            chosen["nvlink.device"] = device
        chosen.update(self._settings)
        return chosen

    def engine(self, hidden: int, topk: int, experts: int, device: Optional[int] = None) -> int:
        """
        The normal engine for tensors on a device, or in host memory. All ranks ask for the same sizes, in the same
        order: where they are greater than before, another engine opens, and handles of the earlier one keep theirs.
        """
        self.require_open()
        for place, sizes, pointer in reversed(self._engines):
            if place == device and hidden <= sizes[0] and topk <= sizes[1] and experts <= sizes[2]:
                return pointer
        wanted = (max(-(-hidden // 8) * 8, self._DEFAULTS[0]), max(topk, self._DEFAULTS[1]),
                  max(experts, self._DEFAULTS[2]))
        values = self._settings_of(device, dict(zip(("max-hidden", "max-topk", "max-experts"), wanted)))
        pointer = ctypes.c_void_p()
        self.library.check(self.library.engine_open(self.world.pointer, lines(values), ctypes.byref(pointer)))
        self._engines.append((device, wanted, pointer.value or 0))
        return pointer.value or 0

    def low_latency(self, tokens: int, hidden: int, topk: int, experts: int, arrays: Any) -> LowLatency:
        """The engine for calls of so many tokens; opened anew where other sizes grow."""
        self.require_open()
        device = arrays.device
        for engine in self._low_latency:
            most, widest, most_topk, most_experts = engine.sizes
            if engine.device == device and most == tokens and hidden <= widest and topk <= most_topk and \
                    experts <= most_experts:
                return engine
        arrays.require_no_capture("The first low-latency call of its sizes, which opens the mode,")
        opened = LowLatency(self.library, self.world, (tokens, hidden, topk, experts),
                            self._settings_of(device, {}), device)
        self._low_latency.insert(0, opened)
        self.opened += 1
        return opened

    def newest_low_latency(self) -> LowLatency:
        self.require_open()
        if not self._low_latency:
            raise RuntimeError("there is no low-latency call yet, which opens the mode: make one first")
        return self._low_latency[0]

    def run(
            self, kind: Kind, engine: int, request: int, arguments: Arguments,
            kept: Tuple[Any, ...]) -> Tuple[int, ...]:
        """Make a call and wait for its result. Signals are heard meanwhile; a call that they leave goes on."""
        if self._pending:
            self._pending = [call for call in self._pending if not call.poll()]
        status = _library.OK
        try:
            status = kind.run(engine, request, _SLICE_MS, request + kind.call_offset, request + kind.answer_offset)
            if status != _library.OK:
                self._wait(kind, request, status)
        except BaseException:
            if status >= 0:
                self._abandon(kind, request, arguments, kept)
            raise
        return kind.answer.unpack_from(arguments.room, arguments.request_offset + kind.answer_offset)

    def _wait(self, kind: Kind, request: int, status: int) -> None:
        """For a call that takes longer."""
        library, pointer = self.library, _pointer(request + kind.call_offset)
        while status == _library.PENDING:
            status = library.call_wait(pointer.value, _SLICE_MS)
        if status == _library.OK:
            status = kind.result(pointer.value, request + kind.answer_offset)
        failure = library.failure(status) if status < 0 else None
        # Closed once, whatever interrupts this.
        closed, pointer.value = pointer.value, None
        library.call_close(closed)
        if failure is not None:
            raise failure

    def _abandon(self, kind: Kind, request: int, arguments: Arguments, kept: Tuple[Any, ...]) -> None:
        """Nobody takes what the call may have brought already."""
        answer = kind.answer.unpack_from(arguments.room, arguments.request_offset + kind.answer_offset)
        for tensor in answer[:kind.tensors]:
            if tensor:
                _library.delete_tensor(tensor)
        if kind is self.dispatches:
            self.library.handle_close(answer[kind.tensors])
        call = _pointer(request + kind.call_offset).value
        if call:
            self.leave(Call(self.library, call, kept))

    def submit(self, function: Callable[..., int], engine: int, request: int, kept: Tuple[Any, ...]) -> Call:
        """Call a function with the address of a request."""
        if self._pending:
            self._pending = [call for call in self._pending if not call.poll()]
        pointer = ctypes.c_void_p()
        status = function(engine, request, ctypes.byref(pointer))
        if status < 0:
            raise self.library.failure(status)
        return Call(self.library, pointer.value or 0, kept)

    def leave(self, call: Call) -> None:
        """It goes on without anybody who waits."""
        if call.pointer is not None:
            self._pending.append(call)

    def tensors(self) -> int:
        count, total = ctypes.c_int64(), 0
        for arrays in self.on_devices.values():
            arrays.flush()
        for _, _, pointer in self._engines:
            if self.library.engine_tensors(pointer, ctypes.byref(count)) == _library.OK:
                total += count.value
        return total

    def require_open(self) -> None:
        if self.is_closed:
            raise RuntimeError("the Buffer is destroyed")

    def destroy(self) -> None:
        """Close, unless tensors are in use, whose memory would be gone: then the end of the process closes."""
        left = self.tensors()
        if left > 0:
            self.is_closed = True
            warnings.warn(
                f"{left} tensors of a destroyed Buffer are still in use: its memory is kept until the process ends; "
                "clone what is to outlive a Buffer", ResourceWarning, stacklevel=3)
        else:
            self.close()

    def close(self) -> None:
        self.is_closed = True
        if id(self) not in _open:
            return
        del _open[id(self)]
        for engine in self._low_latency:
            engine.close()
        for _, _, pointer in self._engines:
            self.library.check(self.library.engine_close(pointer))
        self._engines.clear()
        for call in self._pending:
            call.close()
        if self._is_own:
            self.world.close()


def close_quietly(runtime: Runtime) -> None:
    """Called by the garbage collector, where nobody can catch an exception."""
    try:
        if runtime.tensors() == 0:
            runtime.close()
    except _library.TransloadError:
        pass


@atexit.register
def _close_all() -> None:
    for runtime in list(_open.values()):
        try:
            runtime.close()
        except _library.TransloadError:
            pass
