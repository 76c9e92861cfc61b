/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.hccs.internal.acl;

/**
 * The calls of the shim, one for one those of the ACL runtime. A {@code long} is a value, or the negated code; an
 * {@code int} is the runtime's code, 0 for success. Handles and addresses are plain numbers. Calls that take a device
 * work on it, whatever the calling thread had set, and leave it set.
 */
final class AclCalls
{
    /** ACL_SUCCESS. */
    static final int SUCCESS = 0;

    /** ACL_MEM_MALLOC_HUGE_FIRST. */
    static final int MALLOC_HUGE_FIRST = 0;

    /** ACL_MEM_MALLOC_HUGE_ONLY: whole pages of 2 MiB. */
    static final int MALLOC_HUGE_ONLY = 1;

    /** ACL_STREAM_FAST_LAUNCH and ACL_STREAM_FAST_SYNC. */
    static final int STREAM_FAST = 1 | 2;

    /** ACL_STOP_ON_FAILURE. */
    static final long STOP_ON_FAILURE = 1;

    /** ACL_EVENT_SYNC. */
    static final int EVENT_SYNC = 1;

    /** ACL_EVENT_RECORDED_STATUS_COMPLETE. */
    static final int EVENT_COMPLETE = 1;

    /** ACL_RT_IPC_MEM_IMPORT_FLAG_ENABLE_PEER_ACCESS. */
    static final long IMPORT_PEER_ACCESS = 1;

    /** ACL_VALUE_WAIT_EQ, later ACL_STREAM_WAIT_VALUE_EQ. */
    static final int WAIT_EQUAL = 1;

    private AclCalls()
    {
    }

    /** Null, or a clause that says why the library cannot be used; the path is that of dlopen. */
    static native String open(String path);

    /** Version of the emulator that was opened, 0 for a runtime of Huawei's. */
    static native int emulatorVersion();

    /** Path of the file that was opened, or null. */
    static native String libraryPath();

    /** Whether the opened library has a function. */
    static native boolean has(String symbol);

    /** Name of the runtime's function that failed last in this thread. */
    static native String failedCall();

    /** What the runtime says of this thread's last error, told once; or null. */
    static native String recentText();

    static native int init();

    /** Version of CANN, or null if the library does not tell. */
    static native String cannVersion();

    /** Such as {@code Ascend910B3}, or null. */
    static native String socName();

    static native long deviceCount();

    /** 0 for a device that works. */
    static native long deviceStatus(int device);

    /** 1 when the device can address the peer's memory. */
    static native long canAccessPeer(int device, int peer);

    /** What is between two devices: ACL_RT_DEVS_TOPOLOGY_…, or the negated code. */
    static native long topology(int device, int other);

    /** Number of this process in whitelists. */
    static native long bareProcess(int device);

    static native int enablePeerAccess(int device, int peer);

    static native long malloc(int device, long bytes, int policy);

    static native int free(int device, long address);

    static native long mallocHost(int device, long bytes);

    static native int freeHost(int device, long address);

    static native int copyAsync(int device, long target, long source, long bytes, int kind, long stream);

    /** Copies rows of one length; rows is the address of the first of count entries of a RowList. */
    static native int copyRows(int device, long target, long source, long rows, int count, int length, int kind,
        long stream, boolean isStrided);

    /** Sets the target rows of a RowList to a byte. */
    static native int setRows(int device, long target, long rows, int count, int length, int value, long stream);

    /** Adds rows of one length, in the order of a RowList. */
    static native int addRows(int device, long target, long source, long rows, int count, int length, int element,
        long stream);

    static native int setAsync(int device, long target, int value, long bytes, long stream);

    /** Adds element by element; element is an aclDataType. */
    static native int addAsync(int device, long target, long source, long bytes, int element, long stream);

    static native long streamCreate(int device, int flags);

    static native int streamFailureMode(int device, long stream, long mode);

    static native int streamSynchronize(int device, long stream, int timeoutMs);

    static native int streamAbort(int device, long stream);

    /** Drops what is not done. */
    static native int streamDestroy(int device, long stream);

    /** Lets what is behind it wait until a word of 64 bits of the device's memory is as the flag says. */
    static native int valueWait(int device, long address, long value, int flag, long stream);

    static native long eventCreate(int device, int flags);

    static native int eventRecord(int device, long event, long stream);

    static native int streamWaitEvent(int device, long stream, long event);

    static native long eventStatus(int device, long event);

    static native int eventDestroy(int device, long event);

    /** Writes the 65 bytes of a key, the last of which is 0. */
    static native int ipcExport(int device, long address, long bytes, long key);

    static native int ipcAllow(int device, long key, int process);

    static native long ipcImport(int device, long key, long flags);

    static native int ipcClose(int device, long key);
}
