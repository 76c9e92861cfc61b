/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.nvlink.cuda;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import org.agrona.BufferUtil;

/** A GPU as this process sees it, with the GPU's primary context. The CUDA runtime uses the same context. */
public final class CudaDevice
{
    /** Driver attribute CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR. */
    public static final int COMPUTE_CAPABILITY_MAJOR = 75;

    /** Driver attribute CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR. */
    public static final int COMPUTE_CAPABILITY_MINOR = 76;

    /** Driver attribute CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT. */
    public static final int MULTIPROCESSOR_COUNT = 16;

    /** Driver attribute CU_DEVICE_ATTRIBUTE_CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM. */
    public static final int CAN_USE_HOST_POINTER = 91;

    /**
     * Driver attribute CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_FLUSH_WRITES_OPTIONS. The lowest bit of its value,
     * {@link #FLUSH_BY_HOST}, is set if the device supports {@link #flushWrites()}.
     */
    public static final int FLUSH_OPTIONS = 117;

    /** Driver constant CU_FLUSH_GPU_DIRECT_RDMA_WRITES_OPTION_HOST. */
    public static final int FLUSH_BY_HOST = 1;

    /**
     * Driver attribute CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WRITES_ORDERING. If its value is at least
     * {@link #ORDERED_FOR_OWNER}, the device sees writes of network cards without {@link #flushWrites()}.
     */
    public static final int WRITE_ORDERING = 118;

    /** Driver constant CU_GPU_DIRECT_RDMA_WRITES_ORDERING_OWNER. */
    public static final int ORDERED_FOR_OWNER = 100;

    /**
     * Driver attribute CU_POINTER_ATTRIBUTE_MEMORY_TYPE. Its value for device memory is {@link #MEMORY_TYPE_DEVICE}.
     */
    public static final int MEMORY_TYPE = 2;

    /** Driver constant CU_MEMORYTYPE_DEVICE. */
    public static final int MEMORY_TYPE_DEVICE = 2;

    /** Driver attribute CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL. */
    public static final int DEVICE_ORDINAL = 9;

    private static final int TEXT_LENGTH = 128;

    private final CudaDriver driver;
    private final int ordinal;
    private final int handle;
    private final String name;
    private final String pciBusId;
    private final UUID uuid;
    private final CudaIpc ipc = new CudaIpc(this);
    private final Map<String, CudaModule> modules = new HashMap<>();
    private final boolean[] isPeerEnabled;
    private final Object contextLock = new Object();
    private final AtomicBoolean isLaunching = new AtomicBoolean();
    private volatile boolean isGivenUp;
    private volatile long context;

    CudaDevice(final CudaDriver driver, final int ordinal)
    {
        this.driver = driver;
        this.ordinal = ordinal;
        this.isPeerEnabled = new boolean[driver.deviceCount()];
        final String where = "device " + ordinal;
        this.handle = (int)CudaException.value("cuDeviceGet", where, CudaCalls.device(ordinal));
        final ByteBuffer text = ByteBuffer.allocateDirect(TEXT_LENGTH);
        final long address = BufferUtil.address(text);
        CudaException.check("cuDeviceGetName", where, CudaCalls.deviceName(handle, address, TEXT_LENGTH));
        this.name = text(text);
        CudaException.check("cuDeviceGetPCIBusId", where, CudaCalls.devicePciBusId(handle, address, TEXT_LENGTH));
        this.pciBusId = text(text);
        CudaException.check("cuDeviceGetUuid", where, CudaCalls.deviceUuid(handle, address));
        this.uuid = new UUID(text.getLong(0), text.getLong(Long.BYTES));
    }

    /** Returns the ordinal of the device in this process. */
    public int ordinal()
    {
        return ordinal;
    }

    /** Returns the UUID of the device, which is the same in every process and differs from that of any other device. */
    public UUID uuid()
    {
        return uuid;
    }

    /**
     * Describes the device and its location, for messages.
     *
     * @return text such as {@code device 1 (NVIDIA H200, 0000:1b:00.0)}.
     */
    public String describe()
    {
        return "device " + ordinal + " (" + name + ", " + pciBusId + ")";
    }

    /**
     * Returns an attribute of the device.
     *
     * @param attribute number of a driver attribute, such as {@link #MULTIPROCESSOR_COUNT}.
     * @return value of the attribute.
     */
    public int attribute(final int attribute)
    {
        return (int)value("cuDeviceGetAttribute", CudaCalls.deviceAttribute(handle, attribute));
    }

    /**
     * Returns the primary context, which stays retained until the process ends. This method uses a lock of its own and
     * takes no other lock while it holds this lock. Otherwise two threads could deadlock when one enables access of
     * device A to device B with {@link #enablePeer} and the other enables access of B to A.
     */
    public long context()
    {
        if (0 == context)
        {
            synchronized (contextLock)
            {
                if (0 == context)
                {
                    context = value("cuDevicePrimaryCtxRetain", CudaCalls.retainPrimaryContext(handle));
                }
            }
        }

        return context;
    }

    /**
     * Makes the primary context current in the calling thread. The call has no effect if this context is already
     * current.
     */
    public void makeCurrent()
    {
        check("cuCtxSetCurrent", CudaCalls.makeCurrent(context()));
    }

    /** Makes earlier writes of network cards visible to work that is submitted after this call. */
    public void flushWrites()
    {
        check("cuFlushGPUDirectRDMAWrites", CudaCalls.flushWrites(context()));
    }

    /**
     * Returns whether this device can access the memory of another device directly.
     *
     * @param other any device of this process.
     * @return true for this device itself and for devices reachable over NVLink or PCIe.
     */
    public boolean reaches(final CudaDevice other)
    {
        return this == other || 1 == value("cuDeviceCanAccessPeer", CudaCalls.canAccessPeer(handle, other.handle));
    }

    /** Enables direct access of this device to the memory of another device. The access stays enabled. */
    public synchronized void enablePeer(final CudaDevice other)
    {
        if (this != other && !isPeerEnabled[other.ordinal])
        {
            final int result = CudaCalls.enablePeerAccess(context(), other.context());
            if (CudaCalls.PEER_ACCESS_ALREADY_ENABLED != result)
            {
                check("cuCtxEnablePeerAccess", result);
            }

            isPeerEnabled[other.ordinal] = true;
        }
    }

    /**
     * Tries to make the calling thread the only thread of this process that submits work to the device. Concurrent
     * calls of the driver slow each other down: a launch that took 3 microseconds with one thread took 30 with two
     * threads and 100 with eight (two H200s, driver 580).
     *
     * @return false if another thread is submitting work. A submission takes a few microseconds, so try again.
     */
    public boolean tryLaunch()
    {
        return !isLaunching.getPlain() && isLaunching.compareAndSet(false, true);
    }

    /** Ends the exclusive right that {@link #tryLaunch} gave to the calling thread. */
    public void launched()
    {
        isLaunching.setRelease(false);
    }

    /**
     * Marks the device as unusable because its work does not end. Afterwards no resources of the device are freed,
     * because freeing would wait for the work. The end of the process frees them.
     */
    public void giveUp()
    {
        isGivenUp = true;
    }

    /**
     * Allocates device memory with undefined content.
     *
     * @param bytes length in bytes, at least 1.
     * @return address, aligned to 256 bytes.
     */
    public long allocate(final long bytes)
    {
        return value("cuMemAlloc", CudaCalls.memAlloc(context(), bytes));
    }

    /** Frees device memory. The call waits for work that uses the memory. */
    public void free(final long address)
    {
        if (!isGivenUp)
        {
            check("cuMemFree", CudaCalls.memFree(context(), address));
        }
    }

    /**
     * Returns the free memory of the device.
     *
     * @return free memory in bytes.
     */
    public long availableBytes()
    {
        return value("cuMemGetInfo", CudaCalls.memAvailable(context()));
    }

    /**
     * Returns the start of the allocation that contains an address. Any code of the process may have made the
     * allocation.
     *
     * @param address address of memory of this device.
     * @return address of the allocation's first byte.
     */
    public long rangeBase(final long address)
    {
        return value("cuMemGetAddressRange", CudaCalls.rangeBase(context(), address));
    }

    /**
     * Returns the length of the allocation that contains an address. Any code of the process may have made the
     * allocation.
     *
     * @param address address of memory of this device.
     * @return length in bytes.
     */
    public long rangeLength(final long address)
    {
        return value("cuMemGetAddressRange", CudaCalls.rangeLength(context(), address));
    }

    /**
     * Returns an attribute of a memory address.
     *
     * @param attribute number of a driver attribute, such as {@link #MEMORY_TYPE}.
     * @param address   address of any memory.
     * @return value of the attribute, or -1 if the driver does not know the address.
     */
    public int pointerAttribute(final int attribute, final long address)
    {
        return (int)Math.max(-1, CudaCalls.pointerAttribute(context(), attribute, address));
    }

    /**
     * Allocates page-locked host memory. All devices access it at the same address as the CPU.
     *
     * @param bytes length in bytes, at least 1.
     * @return zeroed memory of whole pages.
     */
    public PinnedMemory allocatePinned(final long bytes)
    {
        return PinnedMemory.allocate(this, bytes);
    }

    /**
     * Registers host memory so that all devices can access it at the same address as the CPU.
     *
     * @param address address of the first byte.
     * @param bytes   length in bytes, at least 1.
     * @return null if successful, otherwise the error as text, for example that a part of the memory is already
     *         registered.
     */
    public String register(final long address, final long bytes)
    {
        final int result = CudaCalls.hostRegister(context(), address, bytes, CudaCalls.HOST_PORTABLE_MAPPED);
        if (CudaCalls.SUCCESS != result)
        {
            return "cuMemHostRegister: " + CudaException.describe(result);
        }

        if (!isAddressable(address))
        {
            unregister(address);
            return "the device has another address for it";
        }

        return null;
    }

    /**
     * Returns whether devices can access a byte of host memory at the same address as the CPU.
     *
     * @param address address of the byte.
     * @return true if the memory was registered, or was allocated as page-locked memory.
     */
    public boolean isAddressable(final long address)
    {
        return address == CudaCalls.hostDevicePointer(context(), address);
    }

    /**
     * Ends a registration made by {@link #register}.
     *
     * @param address address of the first byte.
     */
    public void unregister(final long address)
    {
        if (!isGivenUp)
        {
            check("cuMemHostUnregister", CudaCalls.hostUnregister(context(), address));
        }
    }

    /** Returns the object by which this device exports memory to other processes and opens theirs. */
    public CudaIpc ipc()
    {
        return ipc;
    }

    /** Creates a stream of this device. */
    public CudaStream openStream()
    {
        return new CudaStream(this);
    }

    /**
     * Launches a kernel on any stream of this device. The kernel itself must report its completion.
     *
     * @param function  kernel handle returned by {@link CudaModule#function}.
     * @param stream    handle of a stream of this driver or of another library.
     * @param blocks    number of blocks of the grid.
     * @param threads   number of threads per block.
     * @param arguments address of the kernel's arguments.
     * @param length    length of the arguments in bytes, at most {@link CudaStream#MAX_ARGUMENT_LENGTH}.
     * @return 0 if the kernel was launched, otherwise the CUDA error.
     */
    public int launch(
        final long function, final long stream, final int blocks, final int threads, final long arguments,
        final int length)
    {
        return CudaCalls.launch(context(), function, stream, blocks, threads, arguments, length);
    }

    /**
     * Returns whether work submitted to a stream is captured into a graph.
     *
     * @param stream handle of the stream.
     * @return true between the beginning and the end of a capture.
     */
    public boolean isCapturing(final long stream)
    {
        return 0 != value("cuStreamIsCapturing", CudaCalls.streamIsCapturing(context(), stream));
    }

    /** Returns a module of kernels. Each module is loaded once per device. */
    public synchronized CudaModule module(final String resource)
    {
        return modules.computeIfAbsent(resource, (name) -> CudaModule.load(this, name));
    }

    /** Returns the driver of this device. */
    public CudaDriver driver()
    {
        return driver;
    }

    int handle()
    {
        return handle;
    }

    boolean isGivenUp()
    {
        return isGivenUp;
    }

    int check(final String call, final int result)
    {
        return CudaCalls.SUCCESS == result ? result : CudaException.check(call, describe(), result);
    }

    long value(final String call, final long result)
    {
        return result >= 0 ? result : CudaException.value(call, describe(), result);
    }

    private static String text(final ByteBuffer buffer)
    {
        int length = 0;
        while (length < TEXT_LENGTH && 0 != buffer.get(length))
        {
            length++;
        }

        final byte[] bytes = new byte[length];
        buffer.get(0, bytes);
        return new String(bytes, StandardCharsets.US_ASCII);
    }
}
