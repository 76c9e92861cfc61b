# Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0
"""Takes a GPU's memory until its standard input ends, by the CUDA driver alone.

Usage: fill_device.py LIBRARY DEVICE LEAVE_MIB. Prints one line, the bytes that are left, when it has all else.
"""
import ctypes
import sys


def main(library, device, leave_mib):
    cuda = ctypes.CDLL(library)

    def call(name, *arguments):
        result = getattr(cuda, name)(*arguments)
        if result != 0:
            sys.exit("%s on device %d: error %d" % (name, device, result))

    handle, context = ctypes.c_int(), ctypes.c_void_p()
    free, total = ctypes.c_size_t(), ctypes.c_size_t()
    call("cuInit", 0)
    call("cuDeviceGet", ctypes.byref(handle), device)
    call("cuDevicePrimaryCtxRetain", ctypes.byref(context), handle)
    call("cuCtxSetCurrent", context)
    size = 1 << 30
    while size >= 1 << 21:
        call("cuMemGetInfo_v2", ctypes.byref(free), ctypes.byref(total))
        address = ctypes.c_uint64()
        if free.value - size < leave_mib << 20 or cuda.cuMemAlloc_v2(ctypes.byref(address), ctypes.c_size_t(size)):
            size >>= 1
    print(free.value, flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
