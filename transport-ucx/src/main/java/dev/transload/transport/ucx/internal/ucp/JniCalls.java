/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.ucx.internal.ucp;

import dev.transload.natives.BundledLibrary;
import java.io.IOException;

/** Calls through our own shim, {@code transload_ucx.c}, which travels in this module's jar. */
final class JniCalls implements LoadableCalls
{
    /** As in {@code lib<name>.so}. */
    static final String LIBRARY = "transload-ucx";

    private JniCalls()
    {
    }

    /**
     * Load the shim.
     *
     * @return the calls.
     * @throws IOException          if the jar has no shim for this machine, or it can't be copied.
     * @throws UnsatisfiedLinkError if it can't be loaded.
     */
    static JniCalls load() throws IOException
    {
        BundledLibrary.load(JniCalls.class, LIBRARY, path -> System.load(path));
        return new JniCalls();
    }

    @Override
    public String name()
    {
        return "JNI";
    }

    @Override
    public boolean hasNativeRows()
    {
        return true;
    }

    @Override
    public void setEnvironment(final String variable, final String value)
    {
        if (0 != setenv(variable, value))
        {
            throw new IllegalArgumentException("variable=" + variable + ": is no name of an environment variable");
        }
    }

    @Override
    public String open(final String library)
    {
        return ucpOpen(library);
    }

    @Override
    public int version()
    {
        return ucpVersion();
    }

    @Override
    public String statusText(final int status)
    {
        return ucsStatusString(status);
    }

    @Override
    public int put(
        final long endpoint,
        final long src,
        final long length,
        final long dst,
        final long remoteKey,
        final long memoryHandle,
        final int memoryType)
    {
        Handles.check(endpoint, remoteKey);
        Handles.checkMemory(src, length, dst);
        return ucpPut(endpoint, src, length, dst, remoteKey, memoryHandle, memoryType);
    }

    @Override
    public int putRows(
        final long endpoint,
        final long srcBase,
        final long dstBase,
        final long rows,
        final int from,
        final int count,
        final long rowLength,
        final long remoteKey,
        final long memoryHandle,
        final int memoryType)
    {
        Handles.check(endpoint, remoteKey);
        Handles.checkRows(rows, from, count, rowLength);
        Handles.checkMemory(srcBase, rowLength, dstBase);
        return ucpPutRows(
            endpoint, srcBase, dstBase, rows, from, count, rowLength, remoteKey, memoryHandle, memoryType);
    }

    @Override
    public int get(
        final long endpoint,
        final long dst,
        final long length,
        final long src,
        final long remoteKey,
        final long memoryHandle,
        final int memoryType)
    {
        Handles.check(endpoint, remoteKey);
        Handles.checkMemory(dst, length, src);
        return ucpGet(endpoint, dst, length, src, remoteKey, memoryHandle, memoryType);
    }

    @Override
    public int atomicAdd(final long endpoint, final long delta, final long dst, final long remoteKey)
    {
        Handles.check(endpoint, remoteKey);
        Handles.checkWord(dst);
        return ucpAtomicAdd(endpoint, delta, dst, remoteKey);
    }

    @Override
    public int progress(final long worker)
    {
        Handles.check(worker, "worker");
        return ucpProgress(worker);
    }

    @Override
    public long flush(final long endpoint)
    {
        Handles.check(endpoint, "endpoint");
        return ucpFlush(endpoint);
    }

    @Override
    public long closeEndpoint(final long endpoint, final boolean isForced)
    {
        Handles.check(endpoint, "endpoint");
        return ucpClose(endpoint, isForced);
    }

    @Override
    public int requestStatus(final long request)
    {
        Handles.check(request, "request");
        return ucpRequestStatus(request);
    }

    @Override
    public void requestFree(final long request)
    {
        Handles.check(request, "request");
        ucpRequestFree(request);
    }

    @Override
    public long remotePointer(final long remoteKey, final long address)
    {
        Handles.check(remoteKey, "remoteKey");
        return ucpRemotePointer(remoteKey, address);
    }

    private static native int setenv(String variable, String value);

    private static native String ucpOpen(String library);

    private static native int ucpVersion();

    private static native String ucsStatusString(int status);

    private static native int ucpPut(
        long endpoint, long src, long length, long dst, long remoteKey, long memoryHandle, int memoryType);

    private static native int ucpPutRows(
        long endpoint,
        long srcBase,
        long dstBase,
        long rows,
        int from,
        int count,
        long rowLength,
        long remoteKey,
        long memoryHandle,
        int memoryType);

    private static native int ucpGet(
        long endpoint, long dst, long length, long src, long remoteKey, long memoryHandle, int memoryType);

    private static native int ucpAtomicAdd(long endpoint, long delta, long dst, long remoteKey);

    private static native int ucpProgress(long worker);

    private static native long ucpFlush(long endpoint);

    private static native long ucpClose(long endpoint, boolean isForced);

    private static native int ucpRequestStatus(long request);

    private static native void ucpRequestFree(long request);

    private static native long ucpRemotePointer(long remoteKey, long address);
}
