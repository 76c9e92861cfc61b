# Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0
"""
Tensors in the memory of an emulated GPU, with its streams, events and graphs: all that the package does with PyTorch's
on a real one, without either.
"""

import ctypes
from pathlib import Path
from typing import Any, Callable, Optional, Sequence, Tuple

import numpy as np

import transload
from transload import _arrays, _library
from transload._cuda import Chain, Leases
from world import NumpyTensors

EMULATOR = Path(__file__).resolve().parents[2] / "transport-nvlink-jni/target/emulator/libcuda_emulator.so"
_THREAD_LOCAL = 1
_NO_TIMING = 2
_NOT_READY = 600


class Driver:
    """Calls of the driver, on one device, by the thread that made it."""

    def __init__(self, device: int) -> None:
        self.cuda = ctypes.CDLL(str(EMULATOR))
        self.device = device
        context = ctypes.c_void_p()
        self.call("cuInit", 0)
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
        self._context = context
        self.use()
        self.stream = self.made("cuStreamCreate", 1)

    def use(self) -> None:
        self.call("cuCtxSetCurrent", self._context)

    def call(self, name: str, *arguments: Any) -> None:
        code = getattr(self.cuda, name)(*arguments)
        assert code == 0, f"{name}: {code}"

    def made(self, name: str, *arguments: Any) -> ctypes.c_void_p:
        result = ctypes.c_void_p()
        self.call(name, ctypes.byref(result), *arguments)
        return result

    def allocate(self, size: int) -> int:
        return self.made("cuMemAlloc_v2", ctypes.c_size_t(max(size, 1))).value or 0

    def synchronize(self) -> None:
        self.use()
        self.call("cuStreamSynchronize", self.stream)

    def capture(self, work: Callable[[], None]) -> Callable[[], None]:
        """A graph of what the work submits; call it to have it done once more."""
        self.call("cuStreamBeginCapture_v2", self.stream, _THREAD_LOCAL)
        work()
        graph = ctypes.c_void_p()
        self.call("cuStreamEndCapture", self.stream, ctypes.byref(graph))
        executable = self.made("cuGraphInstantiateWithFlags", graph, ctypes.c_ulonglong(0))
        return lambda: self.call("cuGraphLaunch", executable, self.stream)


class Event:
    def __init__(self, driver: Driver) -> None:
        self._driver = driver
        self.handle = driver.made("cuEventCreate", _NO_TIMING)
        driver.call("cuEventRecord", self.handle, driver.stream)

    def wait(self) -> None:
        self._driver.call("cuStreamWaitEvent", self._driver.stream, self.handle, 0)

    def query(self) -> bool:
        code = self._driver.cuda.cuEventQuery(self.handle)
        assert code in (0, _NOT_READY), code
        return code == 0


class EmulatedTensor:
    """Strides are those of elements."""

    def __init__(
            self, driver: Driver, address: int, shape: Sequence[int], dtype: Any,
            strides: Optional[Sequence[int]] = None, deleter: Optional[Callable[[], None]] = None) -> None:
        self.driver, self.address, self.shape, self.dtype = driver, address, tuple(shape), np.dtype(dtype)
        self.strides = tuple(strides) if strides is not None else self._dense_strides()
        self._deleter = deleter
        self._base: Any = None

    def _dense_strides(self) -> Tuple[int, ...]:
        return tuple(int(np.prod(self.shape[place + 1:])) for place in range(len(self.shape)))

    def __del__(self) -> None:
        if self._deleter is not None:
            self._deleter()

    @property
    def is_dense(self) -> bool:
        return self.strides == self._dense_strides()

    # As PyTorch calls them.
    def is_contiguous(self) -> bool:
        return self.is_dense

    def get_device(self) -> int:
        return self.driver.device

    def data_ptr(self) -> int:
        return self.address

    @property
    def T(self) -> "EmulatedTensor":  # noqa: N802 - as PyTorch and NumPy call it
        return self._view(self.shape[::-1], self.strides[::-1])

    def reshape(self, count: int) -> "EmulatedTensor":
        assert count == -1 and self.is_dense
        return self._view((int(np.prod(self.shape)),), None)

    def _view(self, shape: Sequence[int], strides: Optional[Sequence[int]]) -> "EmulatedTensor":
        view = EmulatedTensor(self.driver, self.address, shape, self.dtype, strides)
        view._base = self
        return view

    def __setitem__(self, where: Any, values: Any) -> None:
        assert where is Ellipsis or where == slice(None)
        self.put(values.get() if isinstance(values, EmulatedTensor) else np.broadcast_to(values, self.shape))

    def put(self, values: np.ndarray) -> None:
        assert self.is_dense
        whole = np.ascontiguousarray(values, self.dtype)
        assert whole.shape == self.shape, (whole.shape, self.shape)
        self.driver.synchronize()
        self.driver.call("cuMemcpyHtoD_v2", ctypes.c_uint64(self.address), ctypes.c_void_p(whole.ctypes.data),
                         ctypes.c_size_t(whole.nbytes))

    def get(self) -> np.ndarray:
        count = int(np.prod(self.shape))
        flat = np.empty(count, self.dtype)
        self.driver.synchronize()
        self.driver.call("cuMemcpyDtoH_v2", ctypes.c_void_p(flat.ctypes.data), ctypes.c_uint64(self.address),
                         ctypes.c_size_t(flat.nbytes))
        return np.lib.stride_tricks.as_strided(
            flat, self.shape, [step * self.dtype.itemsize for step in self.strides])


class EmulatedArrays(Leases):
    """As CudaArrays, which it stands for."""

    name = "emulated"
    raw_types = _library.RAW_FP8 | _library.RAW_BF16
    int32, int64, bool, float32, bfloat16 = np.int32, np.int64, np.bool_, np.float32, np.uint16

    def __init__(self, driver: Driver) -> None:
        super().__init__()
        self.driver = driver
        self.device = driver.device
        self.is_captured = False

    def dense(self, tensor: EmulatedTensor) -> EmulatedTensor:
        return tensor if tensor.is_dense else self.of_numpy(tensor.get())

    def put(self, arguments: Any, index: int, tensor: EmulatedTensor) -> int:
        assert tensor.is_dense
        return arguments.put(index, tensor.address, _arrays._NUMPY_CODES[tensor.dtype], tensor.shape, _arrays.CUDA,
                             self.device)

    def take(self, address: int, is_rows: bool = False) -> EmulatedTensor:
        data, kind, device, dimensions, code, bits, _, _, _, offset, _, deleter, *numbers = \
            _arrays._MANAGED.unpack(ctypes.string_at(address, _arrays._MANAGED.size))
        assert (kind, device) == (_arrays.CUDA, self.device)
        return EmulatedTensor(
            self.driver, data + offset, numbers[:dimensions], _arrays._TYPES_OF_NUMPY[code, bits],
            numbers[3:3 + dimensions], lambda: _arrays._DELETER(deleter)(address))

    def take_leased(self, address: int, data: int, shape: Sequence[int], dtype: Any) -> EmulatedTensor:
        self.adopt(address)
        taken = self.take(address)
        if len(shape) == 1:
            taken = taken.reshape(-1)
        assert (taken.address, taken.shape, taken.dtype) == (data, tuple(shape), dtype)
        return taken

    def empty(self, shape: Sequence[int], dtype: Any) -> EmulatedTensor:
        return EmulatedTensor(
            self.driver, self.driver.allocate(int(np.prod(shape)) * np.dtype(dtype).itemsize), shape, dtype)

    @staticmethod
    def address(tensor: EmulatedTensor) -> int:
        return tensor.address

    @staticmethod
    def numpy(tensor: EmulatedTensor) -> np.ndarray:
        return tensor.get()

    def of_numpy(self, array: np.ndarray) -> EmulatedTensor:
        made = self.empty(array.shape, array.dtype)
        made.put(array)
        return made

    @staticmethod
    def copy(target: EmulatedTensor, source: EmulatedTensor) -> None:
        target.put(source.get().reshape(target.shape))

    @staticmethod
    def add(target: EmulatedTensor, source: EmulatedTensor) -> None:
        target.put(target.get() + source.get().reshape(target.shape))

    def layout(self, topk_idx: EmulatedTensor, experts: int, ranks: int, ranks_of_nodes: Sequence[int]) -> tuple:
        chosen = topk_idx.get()
        owners = np.where(chosen < 0, -1, chosen // -(-experts // ranks))
        in_rank = (owners[:, :, None] == np.arange(ranks)).any(axis=1)
        per_expert = (chosen[:, :, None] == np.arange(experts)).sum(axis=(0, 1), dtype=np.int32)
        return (self.of_numpy(in_rank.sum(axis=0, dtype=np.int32)), None, self.of_numpy(per_expert),
                self.of_numpy(in_rank))

    def chain(self, previous: Any, given: Sequence[Any], dense: Sequence[Any]) -> Chain:
        return Chain(self, previous, given, dense)

    def stream(self) -> int:
        return self.driver.stream.value or 0

    def raw_stream(self, device: int) -> int:
        return self.stream()

    def record(self) -> Event:
        return Event(self.driver)

    new_event = record

    @staticmethod
    def event_handle(event: Event) -> int:
        return event.handle.value or 0

    def require_no_capture(self, what: str) -> None:
        if self.is_captured:
            raise RuntimeError(f"{what} cannot be captured into a CUDA graph")

    def synchronize(self) -> None:
        self.driver.synchronize()


class EmulatedLibraries:
    """Each tensor is of the one device."""

    def __init__(self, arrays: EmulatedArrays) -> None:
        self._arrays = arrays

    def of(self, tensor: EmulatedTensor) -> EmulatedArrays:
        assert isinstance(tensor, EmulatedTensor)
        return self._arrays

    def default(self) -> EmulatedArrays:
        return self._arrays


class EmulatedTensors:
    """As tests make and read them."""

    fp8 = np.dtype(np.uint8)
    is_on_device = True

    def __init__(self, arrays: EmulatedArrays) -> None:
        self._arrays = arrays

    def bf16(self, values: np.ndarray) -> EmulatedTensor:
        return self.of(NumpyTensors.bf16(values))

    @staticmethod
    def f32(tensor: EmulatedTensor) -> np.ndarray:
        return NumpyTensors.f32(tensor.get())

    def of(self, values: np.ndarray) -> EmulatedTensor:
        return self._arrays.of_numpy(values)

    fp8_of = of

    @staticmethod
    def np(tensor: EmulatedTensor) -> np.ndarray:
        return tensor.get()


def buffer_on(group: transload.Group, device: int) -> Tuple[transload.Buffer, EmulatedArrays]:
    buffer = transload.Buffer(group, settings={"nvlink.library": EMULATOR})
    arrays = EmulatedArrays(Driver(device))
    buffer._libraries = EmulatedLibraries(arrays)
    buffer.runtime.on_devices[device] = arrays
    return buffer, arrays
