/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.nvlink.cuda;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import org.agrona.BufferUtil;

/** One GPU as this process sees it, with its primary context, which is that of CUDA's runtime too. */
public final class CudaDevice
{
    /** CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR. */
    public static final int COMPUTE_CAPABILITY_MAJOR = 75;

    /** CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR. */
    public static final int COMPUTE_CAPABILITY_MINOR = 76;

    /** CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT. */
    public static final int MULTIPROCESSOR_COUNT = 16;

    /** CU_DEVICE_ATTRIBUTE_CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM. */
    public static final int CAN_USE_HOST_POINTER = 91;

    /** CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_FLUSH_WRITES_OPTIONS, whose lowest bit is {@link #FLUSH_BY_HOST}. */
    public static final int FLUSH_OPTIONS = 117;

    /** CU_FLUSH_GPU_DIRECT_RDMA_WRITES_OPTION_HOST. */
    public static final int FLUSH_BY_HOST = 1;

    /** CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WRITES_ORDERING, at least {@link #ORDERED_FOR_OWNER} without a flush. */
    public static final int WRITE_ORDERING = 118;

    /** CU_GPU_DIRECT_RDMA_WRITES_ORDERING_OWNER. */
    public static final int ORDERED_FOR_OWNER = 100;

    /** CU_POINTER_ATTRIBUTE_MEMORY_TYPE, whose value for memory of a device is {@link #MEMORY_TYPE_DEVICE}. */
    public static final int MEMORY_TYPE = 2;

    /** CU_MEMORYTYPE_DEVICE. */
    public static final int MEMORY_TYPE_DEVICE = 2;

    /** CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL. */
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

    /** Number of the device in this process. */
    public int ordinal()
    {
        return ordinal;
    }

    /** Identity of the device on every host and in every process. */
    public UUID uuid()
    {
        return uuid;
    }

    /**
     * What it is and where, for messages.
     *
     * @return such as {@code device 1 (NVIDIA H200, 0000:1b:00.0)}.
     */
    public String describe()
    {
        return "device " + ordinal + " (" + name + ", " + pciBusId + ")";
    }

    /**
     * A property.
     *
     * @param attribute of the driver's numbering, such as {@link #MULTIPROCESSOR_COUNT}.
     * @return value.
     */
    public int attribute(final int attribute)
    {
        return (int)value("cuDeviceGetAttribute", CudaCalls.deviceAttribute(handle, attribute));
    }

    /**
     * The primary context, retained until the process ends. Its lock is its own, and nothing else is locked under it: a
     * device that is locked asks for another one's, while that one may do the same.
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

    /** Make the primary context current in the calling thread; nothing is done where it is. */
    public void makeCurrent()
    {
        check("cuCtxSetCurrent", CudaCalls.makeCurrent(context()));
    }

    /** Writes of network cards that have arrived are visible to work that is submitted from here on. */
    public void flushWrites()
    {
        check("cuFlushGPUDirectRDMAWrites", CudaCalls.flushWrites(context()));
    }

    /**
     * Whether this device addresses the memory of another one in place.
     *
     * @param other of this process.
     * @return true for itself, and for those that it reaches over NVLink or PCIe.
     */
    public boolean reaches(final CudaDevice other)
    {
        return this == other || 1 == value("cuDeviceCanAccessPeer", CudaCalls.canAccessPeer(handle, other.handle));
    }

    /** Let this device's work address the memory of another one, for good. */
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
     * Become the thread of this process that gives the device work. Threads that call the driver at the same time hold
     * each other up: a launch, of 3 microseconds, took 30 with two threads and 100 with eight (two H200s, driver 580).
     *
     * @return false while another thread does, for a few microseconds: try again.
     */
    public boolean tryLaunch()
    {
        return !isLaunching.getPlain() && isLaunching.compareAndSet(false, true);
    }

    /** The work is given. */
    public void launched()
    {
        isLaunching.setRelease(false);
    }

    /**
     * Work of the device does not end. From here on nothing is given back, since that would wait for the work: the end
     * of the process does it.
     */
    public void giveUp()
    {
        isGivenUp = true;
    }

    /**
     * Allocate memory of the device; its content is undefined.
     *
     * @param bytes positive.
     * @return address, aligned to 256 bytes.
     */
    public long allocate(final long bytes)
    {
        return value("cuMemAlloc", CudaCalls.memAlloc(context(), bytes));
    }

    /** Free memory of the device; work that uses it is waited for. */
    public void free(final long address)
    {
        if (!isGivenUp)
        {
            check("cuMemFree", CudaCalls.memFree(context(), address));
        }
    }

    /**
     * Memory that is free now.
     *
     * @return bytes.
     */
    public long availableBytes()
    {
        return value("cuMemGetInfo", CudaCalls.memAvailable(context()));
    }

    /**
     * The allocation that an address is in, made by any code.
     *
     * @param address of memory of this device.
     * @return first byte.
     */
    public long rangeBase(final long address)
    {
        return value("cuMemGetAddressRange", CudaCalls.rangeBase(context(), address));
    }

    /**
     * The allocation that an address is in, made by any code.
     *
     * @param address of memory of this device.
     * @return bytes.
     */
    public long rangeLength(final long address)
    {
        return value("cuMemGetAddressRange", CudaCalls.rangeLength(context(), address));
    }

    /**
     * What the driver knows of an address.
     *
     * @param attribute such as {@link #MEMORY_TYPE}.
     * @param address   of any memory.
     * @return value, or -1 where the driver knows nothing.
     */
    public int pointerAttribute(final int attribute, final long address)
    {
        return (int)Math.max(-1, CudaCalls.pointerAttribute(context(), attribute, address));
    }

    /**
     * Allocate page-locked memory of the host, which all devices address where the CPU does.
     *
     * @param bytes positive.
     * @return address of whole pages, zeroed.
     */
    public PinnedMemory allocatePinned(final long bytes)
    {
        return PinnedMemory.allocate(this, bytes);
    }

    /**
     * Let all devices address memory of the host, where the CPU does.
     *
     * @param address of the first byte.
     * @param bytes   positive.
     * @return null, or the error in words: it is registered already, in part, or cannot be.
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
     * Whether devices address a byte of the host where the CPU does.
     *
     * @param address of the byte.
     * @return true when it was registered, or allocated page-locked.
     */
    public boolean isAddressable(final long address)
    {
        return address == CudaCalls.hostDevicePointer(context(), address);
    }

    /**
     * End what {@link #register} began.
     *
     * @param address of the first byte.
     */
    public void unregister(final long address)
    {
        if (!isGivenUp)
        {
            check("cuMemHostUnregister", CudaCalls.hostUnregister(context(), address));
        }
    }

    /** Memory that other processes share. */
    public CudaIpc ipc()
    {
        return ipc;
    }

    /** A new stream of this device. */
    public CudaStream openStream()
    {
        return new CudaStream(this);
    }

    /**
     * Launch a kernel on any stream of this device, which says by itself when it is done.
     *
     * @param function  from {@link CudaModule#function}.
     * @param stream    handle, of this driver's or another library's.
     * @param blocks    of the grid.
     * @param threads   of a block.
     * @param arguments address of its arguments.
     * @param length    of the arguments in bytes, at most {@link CudaStream#MAX_ARGUMENT_LENGTH}.
     * @return 0, or the error; nothing was launched then.
     */
    public int launch(
        final long function, final long stream, final int blocks, final int threads, final long arguments,
        final int length)
    {
        return CudaCalls.launch(context(), function, stream, blocks, threads, arguments, length);
    }

    /**
     * Whether work that a stream is given goes into a graph instead.
     *
     * @param stream handle.
     * @return true between the begin and the end of a capture.
     */
    public boolean isCapturing(final long stream)
    {
        return 0 != value("cuStreamIsCapturing", CudaCalls.streamIsCapturing(context(), stream));
    }

    /** A module of kernels, loaded once a device. */
    public synchronized CudaModule module(final String resource)
    {
        return modules.computeIfAbsent(resource, (name) -> CudaModule.load(this, name));
    }

    /** Whose it is. */
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
