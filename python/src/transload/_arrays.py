# Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0
"""Tensors of PyTorch and arrays of NumPy, as the C library takes and gives them."""

import ctypes
import struct
import sys
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

import numpy as np

from . import _library
from .event import HAPPENED, EventOverlap

CPU = 1
CUDA = 2
_MOST_DIMENSIONS = 3
_TENSOR = struct.Struct("=QiiiBBHQQQqqq")
_SHAPE_OFFSET = 48
WORDS_OF_TENSOR = _TENSOR.size // 8

_NUMPY_TYPES = {"uint16": (4, 16), "uint8": (10, 8), "float32": (2, 32), "int32": (0, 32), "int64": (0, 64)}
_NUMPY_CODES = {np.dtype(name): code for name, code in _NUMPY_TYPES.items()}
# What tensors have in place of BF16 and FP8, and else.
BF16, FP8, F32, I32, I64 = (np.dtype(name) for name in ("<u2", "|u1", "<f4", "<i4", "<i8"))
_TYPES_OF_NUMPY = {(1, 16): BF16, (1, 8): FP8, (2, 32): F32, (0, 32): I32, (0, 64): I64}
# The library's tensors have shape and strides, three of each, right behind DLManagedTensor.
_MANAGED = struct.Struct("=QiiiBBHQQQQQqqqqqq")
_DELETER = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
# Of DLManagedTensor.
_DIMENSIONS_OFFSET, _DELETER_OFFSET = 16, 56
# The library's deleter does not wait, and keeps the lock of the interpreter, which takes less.
_QUICK_DELETER = ctypes.PYFUNCTYPE(None, ctypes.c_void_p)

_dimensions_of = ctypes.c_int32.from_address
_of_buffer, _address_of = ctypes.c_char.from_buffer, ctypes.addressof
_new_capsule = ctypes.pythonapi.PyCapsule_New
_new_capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
_new_capsule.restype = ctypes.py_object


def to_bfloat16(values: Any) -> np.ndarray:
    """Bits of BF16, rounded to nearest even, as uint16: what NumPy has in place of the type. NaN stays NaN."""
    single = np.ascontiguousarray(values, dtype=np.float32)
    bits = single.view(np.uint32)
    rounded = ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)
    return np.where(np.isnan(single), np.uint16(0x7FC0), rounded)


def from_bfloat16(bits: np.ndarray) -> np.ndarray:
    """Float32 of the bits of BF16."""
    return (np.asarray(bits, dtype=np.uint16).astype(np.uint32) << 16).view(np.float32)


class Arguments:
    """
    Room for the tensors of a request, one behind the other: DLTensor and shape of each; for the request, the pointer of
    its call and its answer.
    """

    _REQUEST_BYTES = 256

    def __init__(self, count: int) -> None:
        self.request_offset = _TENSOR.size * count
        self.room = bytearray(self.request_offset + self._REQUEST_BYTES)
        self._base = ctypes.addressof(ctypes.c_char.from_buffer(self.room))
        self._words = memoryview(self.room).cast("Q")
        # Of what dtype, shape, kind and device each tensor is.
        self._kinds: List[Any] = [None] * count

    def words(self) -> Tuple[memoryview, int]:
        """All of it as words of 8 bytes: a tensor's first one is its address. And which is the request's first."""
        return self._words, self.request_offset // 8

    def request(self, layout: struct.Struct, *fields: int) -> int:
        """Write a request; its address."""
        layout.pack_into(self.room, self.request_offset, *fields)
        return self._base + self.request_offset

    def put(
            self, index: int, address: int, dtype: Tuple[int, int], shape: Sequence[int], kind: int = CPU,
            device: int = 0) -> int:
        """Write a tensor; the address of its DLTensor."""
        offset = index * _TENSOR.size
        at = self._base + offset
        kinds = (dtype, shape, kind, device)
        if self._kinds[index] == kinds:
            # As often. A third of the time.
            self._words[offset >> 3] = address
            return at
        dimensions = len(shape)
        _TENSOR.pack_into(
            self.room, offset, address, kind, device, dimensions, dtype[0], dtype[1], 1, at + _SHAPE_OFFSET, 0, 0,
            shape[0], shape[1] if dimensions > 1 else 0, shape[2] if dimensions > 2 else 0)
        self._kinds[index] = kinds
        return at


class _Memory(ctypes.c_char * (1 << 48)):  # type: ignore[misc]
    """
    Memory of a tensor that the C library gave out, for arrays of NumPy, which know their own sizes: deleted with the
    last array that views it.
    """

    __slots__ = ("tensor",)

    _delete: Any = None

    def __del__(self) -> None:
        self._delete(self.tensor)


class HostChain:
    """Of a call on host tensors: it begins when what it waits for has happened."""

    wait = record = 0

    @staticmethod
    def end(is_async: bool) -> EventOverlap:
        return HAPPENED

    @staticmethod
    def event_behind(wait: Callable[[], None]) -> Tuple[Callable[[], None], Any]:
        return wait, None


_HOST_CHAIN = HostChain()


class HostArrays:
    """What arrays in host memory have in common: no device, no streams."""

    device: Optional[int] = None

    @staticmethod
    def chain(previous: Optional[EventOverlap], given: Sequence[Any], dense: Sequence[Any]) -> HostChain:
        """
        :param given: tensors of the call, and as they are dense, which may be copies.
        """
        if previous is not None:
            previous.current_stream_wait()
        return _HOST_CHAIN

    @staticmethod
    def require_no_capture(what: str) -> None:
        """The host captures nothing."""


class NumpyArrays(HostArrays):
    """Arrays of NumPy: BF16 is uint16, FP8 is uint8."""

    name = "NumPy"
    raw_types = _library.RAW_FP8 | _library.RAW_BF16

    def __init__(self) -> None:
        self.int32, self.int64, self.bool, self.float32 = np.int32, np.int64, np.bool_, np.float32
        self.bfloat16 = np.uint16

    @staticmethod
    def dense(array: np.ndarray) -> np.ndarray:
        return array if array.flags.c_contiguous else np.ascontiguousarray(array)

    @staticmethod
    def put(arguments: Arguments, index: int, array: np.ndarray) -> int:
        dtype = _NUMPY_CODES.get(array.dtype)
        if dtype is None or not 1 <= array.ndim <= _MOST_DIMENSIONS:
            raise TypeError(f"an array {array.dtype.name} {list(array.shape)} is not allowed: must be of 1 to 3 "
                            f"dimensions, of {', '.join(_NUMPY_TYPES)}")
        try:
            # A quarter of the time; not for arrays that are empty or cannot be written.
            address = _address_of(_of_buffer(array))
        except (TypeError, ValueError):
            address = array.__array_interface__["data"][0]
        return arguments.put(index, address, dtype, array.shape)

    def take(self, address: int, is_rows: bool = False) -> np.ndarray:
        data, _, _, dimensions, code, bits, _, _, _, offset, _, _, *numbers = \
            _MANAGED.unpack(ctypes.string_at(address, _MANAGED.size))
        dtype = _TYPES_OF_NUMPY[code, bits]
        return self.take_leased(
            address, data + offset, tuple(numbers[:dimensions]), dtype,
            tuple([step * dtype.itemsize for step in numbers[3:3 + dimensions]]))

    @staticmethod
    def take_leased(
            address: int, data: int, shape: Tuple[int, ...], dtype: np.dtype,
            strides: Optional[Tuple[int, ...]] = None) -> np.ndarray:
        """An array in memory which the engine uses again once it is deleted."""
        if _Memory._delete is None:
            _Memory._delete = staticmethod(
                _QUICK_DELETER(ctypes.c_void_p.from_address(address + _DELETER_OFFSET).value or 0))
        memory = _Memory.from_address(data)
        memory.tensor = address
        return np.ndarray(shape, dtype, memory, 0, strides)

    @staticmethod
    def empty(shape: Sequence[int], dtype: Any) -> np.ndarray:
        return np.empty(shape, dtype)

    @staticmethod
    def address(array: np.ndarray) -> int:
        return array.__array_interface__["data"][0]

    @staticmethod
    def numpy(array: np.ndarray) -> np.ndarray:
        return array

    @staticmethod
    def of_numpy(array: np.ndarray) -> np.ndarray:
        return array


class TorchArrays(HostArrays):
    """Tensors of PyTorch on the CPU; FP8 is uint8 where this PyTorch has no float8_e4m3fn, or the Buffer is told so."""

    name = "PyTorch"
    # PyTorch's DLPack knows FP8 since 2.9 only: rows are viewed as such.
    raw_types = _library.RAW_FP8

    def __init__(self, fp8_as_uint8: Optional[bool]) -> None:
        import torch

        self._torch = torch
        self._from_dlpack = torch._C._from_dlpack
        fp8 = getattr(torch, "float8_e4m3fn", None)
        if fp8 is None and fp8_as_uint8 is False:
            raise NotImplementedError(
                f"fp8_as_uint8=False: PyTorch {torch.__version__} has no float8_e4m3fn; 2.1 and newer have")
        self._fp8 = None if fp8_as_uint8 else fp8
        self.int32, self.int64, self.bool, self.float32 = torch.int32, torch.int64, torch.bool, torch.float32
        self.bfloat16 = torch.bfloat16
        self._types = {
            torch.bfloat16: (4, 16), torch.uint8: (10, 8), torch.float32: (2, 32), torch.int32: (0, 32),
            torch.int64: (0, 64)}
        if fp8 is not None:
            self._types[fp8] = (10, 8)

    @staticmethod
    def dense(tensor: Any) -> Any:
        return tensor if tensor.is_contiguous() else tensor.contiguous()

    def put(self, arguments: Arguments, index: int, tensor: Any) -> int:
        if not tensor.is_cpu:
            raise ValueError(
                f"a tensor on {tensor.device} is not allowed beside tensors on the CPU: must be there, too")
        return self.put_at(arguments, index, tensor, CPU, 0)

    def put_at(self, arguments: Arguments, index: int, tensor: Any, kind: int, device: int) -> int:
        dtype = self._types.get(tensor.dtype)
        shape = tensor.shape
        if dtype is None or not 1 <= len(shape) <= _MOST_DIMENSIONS:
            raise TypeError(f"a tensor {tensor.dtype} {list(shape)} is not allowed: must be of 1 to 3 dimensions, of "
                            f"{', '.join(str(known) for known in self._types)}")
        return arguments.put(index, tensor.data_ptr(), dtype, shape, kind, device)

    def take(self, address: int, is_rows: bool = False) -> Any:
        tensor = self._from_dlpack(_new_capsule(address, b"dltensor", None))
        is_fp8 = is_rows and self._fp8 is not None and tensor.dtype == self._torch.uint8
        return tensor.view(self._fp8) if is_fp8 else tensor

    def take_leased(self, address: int, data: int, shape: Tuple[int, ...], dtype: np.dtype) -> Any:
        """A tensor whose memory the engine uses again once it is deleted."""
        if len(shape) == 1:
            # A column, which has one stride: a view of PyTorch's would take as long as all tensors of a dispatch.
            _dimensions_of(address + _DIMENSIONS_OFFSET).value = 1
        tensor = self._from_dlpack(_new_capsule(address, b"dltensor", None))
        return tensor.view(self._fp8) if dtype is FP8 and self._fp8 is not None else tensor

    def empty(self, shape: Sequence[int], dtype: Any) -> Any:
        return self._torch.empty(tuple(shape), dtype=dtype)

    @staticmethod
    def address(tensor: Any) -> int:
        return tensor.data_ptr()

    @staticmethod
    def numpy(tensor: Any) -> np.ndarray:
        return tensor.numpy()

    def of_numpy(self, array: np.ndarray) -> Any:
        # As results are taken: this code is in the caches of the processor.
        return self._from_dlpack(array.__dlpack__())


class Libraries:
    """Which library a tensor belongs to. PyTorch is imported by the program, or not at all."""

    def __init__(self, fp8_as_uint8: Optional[bool], on_devices: Dict[int, Any]) -> None:
        """
        :param on_devices: gets arrays of each device that tensors lie on.
        """
        self._fp8_as_uint8 = fp8_as_uint8
        self._numpy = NumpyArrays()
        self._torch: Optional[TorchArrays] = None
        self._on_devices = on_devices

    def of(self, tensor: Any) -> Any:
        if isinstance(tensor, np.ndarray):
            return self._numpy
        if self._torch is None:
            torch = sys.modules.get("torch")
            if torch is None or not isinstance(tensor, torch.Tensor):
                raise TypeError(f"{type(tensor).__name__} is not allowed: must be a torch.Tensor or a numpy.ndarray")
            self._torch = TorchArrays(self._fp8_as_uint8)
        return self.on_device(tensor.get_device()) if tensor.is_cuda else self._torch

    def on_device(self, device: int) -> Any:
        found = self._on_devices.get(device)
        if found is None:
            from ._cuda import CudaArrays

            found = self._on_devices[device] = CudaArrays(self._fp8_as_uint8, device)
        return found

    def default(self) -> Any:
        """Where no tensor tells: a device that tensors were on, then PyTorch, if the program has imported it."""
        if self._on_devices:
            return next(iter(self._on_devices.values()))
        if self._torch is None and "torch" in sys.modules:
            self._torch = TorchArrays(self._fp8_as_uint8)
        return self._torch if self._torch is not None else self._numpy


def parse_places(places: List[str]) -> List[int]:
    """Numbers of equal neighbours, e.g. [2, 1] of a, a, b. Each place must be in one piece."""
    counts: List[int] = []
    seen: List[str] = []
    for place in places:
        if seen and seen[-1] == place:
            counts[-1] += 1
        elif place in seen:
            raise ValueError(f"ranks of host {place} are not next to each other: ranks must be placed node by node")
        else:
            seen.append(place)
            counts.append(1)
    return counts
