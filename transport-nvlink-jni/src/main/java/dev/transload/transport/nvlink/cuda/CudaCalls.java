/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.nvlink.cuda;

/**
 * The calls of the shim, one for one those of the CUDA driver of like name. A {@code long} is a value, or the negated
 * error; an {@code int} is the driver's result, 0 for success. Handles and addresses are plain numbers. Calls that take
 * a context work in it, whatever is current in the calling thread, and leave it current.
 */
final class CudaCalls
{
    /** CUDA_SUCCESS. */
    static final int SUCCESS = 0;

    /** CUDA_ERROR_OUT_OF_MEMORY. */
    static final int OUT_OF_MEMORY = 2;

    /** CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED. */
    static final int PEER_ACCESS_ALREADY_ENABLED = 704;

    /** CUDA_ERROR_NOT_READY. */
    static final int NOT_READY = 600;

    /** CU_MEMHOSTALLOC_PORTABLE and _DEVICEMAP, which have the values of CU_MEMHOSTREGISTER_PORTABLE and _DEVICEMAP. */
    static final int HOST_PORTABLE_MAPPED = 1 | 2;

    /** CU_STREAM_NON_BLOCKING. */
    static final int STREAM_NON_BLOCKING = 1;

    /** CU_EVENT_DISABLE_TIMING. */
    static final int EVENT_DISABLE_TIMING = 2;

    /** CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS. */
    static final int IPC_LAZY_ENABLE_PEER_ACCESS = 1;

    private CudaCalls()
    {
    }

    /** Null, or a clause that says why the library cannot be used; the path is that of dlopen. */
    static native String open(String path);

    /** Version of the emulator that was opened, 0 for a driver of NVIDIA's. */
    static native int emulatorVersion();

    /** Such as {@code CUDA_ERROR_OUT_OF_MEMORY}, or null. */
    static native String errorName(int error);

    /** A clause, or null. */
    static native String errorText(int error);

    static native int init();

    /** 1000 · major + 10 · minor of the newest CUDA that the driver knows. */
    static native long driverVersion();

    static native long deviceCount();

    static native long device(int ordinal);

    static native int deviceName(int device, long name, int length);

    /** 16 bytes. */
    static native int deviceUuid(int device, long uuid);

    static native int devicePciBusId(int device, long id, int length);

    static native long deviceAttribute(int device, int attribute);

    static native long deviceTotalMemory(int device);

    /** 1 when the device can address the peer's memory. */
    static native long canAccessPeer(int device, int peer);

    static native long retainPrimaryContext(int device);

    static native int releasePrimaryContext(int device);

    static native int makeCurrent(long context);

    /** What network cards wrote to the context's device is visible to its work. */
    static native int flushWrites(long context);

    static native int enablePeerAccess(long context, long peer);

    static native long memAlloc(long context, long bytes);

    static native int memFree(long context, long pointer);

    static native long memAvailable(long context);

    /** First byte of the allocation that a pointer points into. */
    static native long rangeBase(long context, long pointer);

    /** Bytes of the allocation that a pointer points into. */
    static native long rangeLength(long context, long pointer);

    /** An attribute that is a number. */
    static native long pointerAttribute(long context, int attribute, long pointer);

    static native long hostAlloc(long context, long bytes, int flags);

    static native int hostFree(long context, long pointer);

    static native int hostRegister(long context, long pointer, long bytes, int flags);

    static native int hostUnregister(long context, long pointer);

    static native long hostDevicePointer(long context, long pointer);

    /** Writes the 64 bytes of a handle. */
    static native int ipcGet(long context, long pointer, long handle);

    /** Reads the 64 bytes of a handle. */
    static native long ipcOpen(long context, long handle, int flags);

    static native int ipcClose(long context, long pointer);

    /** Handle of the physical memory that is mapped at a pointer. */
    static native long memRetain(long context, long pointer);

    static native int memRelease(long context, long handle);

    /** An open file of physical memory, which is the caller's to close. */
    static native long memExport(long context, long handle);

    /** Handle of the physical memory behind a file, which stays the caller's. */
    static native long memImport(long context, int file);

    /** Addresses without memory. */
    static native long reserve(long context, long bytes);

    static native int unreserve(long context, long pointer, long bytes);

    static native int map(long context, long pointer, long bytes, long handle);

    static native int unmap(long context, long pointer, long bytes);

    /** Lets a device read and write what is mapped. */
    static native int allow(long context, long pointer, long bytes, int device);

    static native int copyAsync(long context, long target, long source, long bytes, long stream);

    static native int setAsync(long context, long target, int value, long bytes, long stream);

    static native long streamCreate(long context, int flags, int priority);

    static native int streamDestroy(long context, long stream);

    static native int streamSynchronize(long context, long stream);

    static native int streamQuery(long context, long stream);

    /** CUstreamCaptureStatus: 0 when it does not. */
    static native long streamIsCapturing(long context, long stream);

    /** By this thread alone: others' calls of the driver stay allowed. */
    static native int captureBegin(long context, long stream);

    /** The graph of what was captured. */
    static native long captureEnd(long context, long stream);

    /** Made ready to be launched. */
    static native long graphInstantiate(long context, long graph);

    static native int graphLaunch(long context, long exec, long stream);

    static native int graphDestroy(long context, long graph);

    static native int graphExecDestroy(long context, long exec);

    static native int streamWaitEvent(long context, long stream, long event);

    static native long eventCreate(long context, int flags);

    static native int eventRecord(long context, long event, long stream);

    static native int eventQuery(long context, long event);

    static native int eventDestroy(long context, long event);

    /** Of PTX or of a binary; PTX ends with a zero byte. */
    static native long moduleLoad(long context, long image);

    static native int moduleUnload(long context, long module);

    /** The name ends with a zero byte. */
    static native long moduleFunction(long context, long module, long name);

    /** Of one-dimensional blocks; the arguments are copied by the driver before this returns. */
    static native int launch(
        long context, long function, long stream, int blocks, int threads, long arguments, int bytes);
}
