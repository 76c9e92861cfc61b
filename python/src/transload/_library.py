# Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0
"""The C library: its functions, its structures, and its errors as exceptions. transload.h documents both."""

import ctypes
import os
import struct
import threading
from ctypes import POINTER, c_char_p, c_int32, c_int64, c_size_t, c_uint8, c_uint16, c_uint64, c_void_p
from pathlib import Path
from typing import Dict, Optional

API_VERSION = 1
OK = 0
PENDING = 1
BAD_INPUT = -1
PEER_FAILED = -5

RAW_FP8 = 1
RAW_BF16 = 2

STATUS_NAMES = {
    -1: "bad input", -2: "configuration", -3: "unavailable", -4: "rendezvous", -5: "peer failed", -6: "deadline",
    -7: "mismatch", -8: "aborted by peer", -9: "retired", -10: "internal", -11: "no JVM", -12: "forked",
}


class TransloadError(RuntimeError):
    """A call failed. ``reason`` is one of STATUS_NAMES, ``peer`` the rank that it is about, or None."""

    def __init__(self, status: int, sentence: str, peer: int) -> None:
        super().__init__(sentence)
        self.status = status
        self.reason = STATUS_NAMES.get(status, str(status))
        self.peer: Optional[int] = peer if peer >= 0 else None


class BadInputError(TransloadError, ValueError):
    """An argument is not allowed; nothing was sent."""


class PeerFailedError(TransloadError):
    """A rank is dead or unreachable: ``peer``."""


class DLDevice(ctypes.Structure):
    _fields_ = [("device_type", c_int32), ("device_id", c_int32)]


class DLDataType(ctypes.Structure):
    _fields_ = [("code", c_uint8), ("bits", c_uint8), ("lanes", c_uint16)]


class DLTensor(ctypes.Structure):
    _fields_ = [
        ("data", c_void_p), ("device", DLDevice), ("ndim", c_int32), ("dtype", DLDataType),
        ("shape", POINTER(c_int64)), ("strides", POINTER(c_int64)), ("byte_offset", c_uint64)]


class DLManagedTensor(ctypes.Structure):
    _fields_ = [("dl_tensor", DLTensor), ("manager_ctx", c_void_p), ("deleter", ctypes.CFUNCTYPE(None, c_void_p))]


class Sized(ctypes.Structure):
    """A structure that begins with its size, which is set."""

    def __init__(self, **fields: object) -> None:
        super().__init__(**fields)
        self.size = ctypes.sizeof(self)


class Jvm(Sized):
    _fields_ = [
        ("size", c_size_t), ("libjvm", c_char_p), ("java_home", c_char_p), ("jars", c_char_p), ("flags", c_char_p)]


class WorldOptions(Sized):
    _fields_ = [
        ("size", c_size_t), ("rank", c_int32), ("ranks", c_int32), ("ranks_of_nodes", c_char_p),
        ("address", c_char_p), ("config_file", c_char_p), ("settings", c_char_p), ("timeout_ms", c_int64)]


class DispatchRequest(Sized):
    _fields_ = [
        ("size", c_size_t), ("x", c_void_p), ("x_scales", c_void_p), ("topk_idx", c_void_p),
        ("topk_weights", c_void_p), ("cached", c_void_p), ("experts", c_int32), ("expert_alignment", c_int32),
        ("layout", c_int32), ("raw_types", c_int32), ("worst_rows", c_int64), ("timeout_ms", c_int64),
        ("wait_event", c_void_p), ("record_event", c_void_p)]


class CombineRequest(Sized):
    _fields_ = [
        ("size", c_size_t), ("handle", c_void_p), ("x", c_void_p), ("topk_weights", c_void_p), ("bias0", c_void_p),
        ("bias1", c_void_p), ("out", c_void_p), ("raw_types", c_int32), ("timeout_ms", c_int64),
        ("wait_event", c_void_p), ("record_event", c_void_p)]


class CombineResult(Sized):
    _fields_ = [
        ("size", c_size_t), ("x", c_void_p), ("topk_weights", c_void_p), ("engine_ns", c_int64), ("x_data", c_void_p),
        ("topk_weights_data", c_void_p)]


class LowLatencyTensors(Sized):
    _fields_ = [
        ("size", c_size_t), ("x", c_void_p), ("x_scales", c_void_p), ("count", c_void_p), ("src_info", c_void_p),
        ("layout_range", c_void_p)]


# What calls ask and answer as one pack each, which is faster than fields of a structure one by one. Behind a request
# that is waited for lie the pointer of its call and its answer, cleared but for its size, the last field.
DISPATCH = struct.Struct("=QQQQQQiiiiqqQQ8xQ120x")
DISPATCHED = struct.Struct("=8xQQQQQQQ8xiiqQQQQQ")
COMBINE = struct.Struct("=QQQQQQQi4xqQQ8xQ40x")
COMBINED = struct.Struct("=8xQQqQQ")
LOW_LATENCY_DISPATCH = struct.Struct("=QQQQiii4xqQ")
LOW_LATENCY_COMBINE = struct.Struct("=QQQQqQi4x")
# Which words of them are the streams.
DISPATCH_STREAM, COMBINE_STREAM = 7, 5
DISPATCH_BYTES, COMBINE_BYTES = ctypes.sizeof(DispatchRequest), ctypes.sizeof(CombineRequest)

# Functions that return a status, with their arguments.
_FUNCTIONS: Dict[str, list] = {
    "start": [c_void_p],
    "world_open": [c_void_p, c_void_p],
    "world_place": [c_void_p, c_void_p, c_void_p, c_void_p],
    "world_all_gather": [c_void_p, c_char_p, c_char_p, c_int64, c_int64, c_void_p, c_void_p],
    "world_close": [c_void_p],
    "ring_bytes": [c_char_p, c_void_p],
    "low_latency_bytes": [c_int32, c_int32, c_int32, c_int32, c_int32, c_void_p],
    "layout": [c_void_p, c_int32, c_int32, c_void_p, c_int32, c_void_p, c_void_p, c_void_p, c_void_p],
    "engine_open": [c_void_p, c_char_p, c_void_p],
    "engine_tensors": [c_void_p, c_void_p],
    "engine_close": [c_void_p],
    "engine_allocate": [c_void_p, DLDataType, c_int64, c_int64, c_void_p],
    "dispatch_start": [c_void_p, c_void_p, c_void_p],
    "combine_start": [c_void_p, c_void_p, c_void_p],
    "call_wait": [c_void_p, c_int64],
    "dispatch": [c_void_p, c_void_p, c_int64, c_void_p, c_void_p],
    "combine": [c_void_p, c_void_p, c_int64, c_void_p, c_void_p],
    "dispatch_result": [c_void_p, c_void_p],
    "combine_result": [c_void_p, c_void_p],
    "call_close": [c_void_p],
    "handle_close": [c_void_p],
    "low_latency_open": [c_void_p, c_char_p, c_void_p],
    "low_latency_close": [c_void_p],
    "low_latency_output_open": [c_void_p, c_int32, c_int32, c_int32, c_int32, c_void_p, c_void_p],
    "low_latency_output_close": [c_void_p],
    "low_latency_answers": [c_void_p, c_int32, c_int32, c_int32, c_void_p],
    "low_latency_dispatch": [c_void_p, c_void_p, c_void_p],
    "low_latency_receive": [c_void_p],
    "low_latency_combine": [c_void_p, c_void_p],
    "low_latency_combine_receive": [c_void_p, c_void_p],
    "low_latency_call_detach": [c_void_p],
    "low_latency_call_close": [c_void_p],
    "low_latency_mask": [c_void_p, c_int32],
    "low_latency_clear": [c_void_p, c_int32, c_int32],
    "low_latency_active": [c_void_p, c_void_p],
    "low_latency_engine_ns": [c_void_p, c_void_p],
}

_QUICK = ("handle_close",)

# Of DLManagedTensor.
_DELETER_OFFSET = 56

_lock = threading.Lock()
_loaded: Optional["Library"] = None


class Library:
    """The functions, by their names without ``transload_``."""

    def __init__(self, path: Path) -> None:
        self._library = ctypes.CDLL(str(path))
        if self._library.transload_version() != API_VERSION:
            raise ImportError(f"{path} has version {self._library.transload_version()} of its interface: must have "
                              f"{API_VERSION}, that of this package")
        self._library.transload_last_error.restype = c_char_p
        self.free = self._library.transload_free
        self.free.argtypes = [c_void_p]
        self.free.restype = None
        # What never waits keeps the lock of the interpreter, which takes less.
        quick = ctypes.PyDLL(str(path))
        for name, arguments in _FUNCTIONS.items():
            function = getattr(quick if name in _QUICK else self._library, "transload_" + name)
            function.argtypes = arguments
            function.restype = ctypes.c_int
            setattr(self, name, function)

    def failure(self, status: int) -> TransloadError:
        sentence = self._library.transload_last_error().decode("utf-8", "replace")
        kind = BadInputError if status == BAD_INPUT else PeerFailedError if status == PEER_FAILED else TransloadError
        return kind(status, sentence, self._library.transload_last_peer())

    def check(self, status: int) -> None:
        if status < 0:
            raise self.failure(status)


def delete_tensor(address: int) -> None:
    """One that nobody has taken."""
    ctypes.CFUNCTYPE(None, c_void_p)(c_void_p.from_address(address + _DELETER_OFFSET).value or 0)(address)


def _path() -> Path:
    named = os.environ.get("TRANSLOAD_LIBRARY")
    if named:
        return Path(named)
    bundled = Path(__file__).parent / "lib" / "libtransload.so"
    if not bundled.exists():
        raise ImportError("this package has no libtransload.so: install the wheel that scripts/python-wheel builds, or "
                          "set TRANSLOAD_LIBRARY to the file")
    return bundled


def load() -> Library:
    """The library; nothing of Java yet."""
    global _loaded
    with _lock:
        if _loaded is None:
            _loaded = Library(_path())
        return _loaded


def start() -> Library:
    """The library, with the JVM of this process."""
    library = load()
    library.check(library.start(None))
    return library
