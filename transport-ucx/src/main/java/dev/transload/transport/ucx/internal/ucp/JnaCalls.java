/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.ucx.internal.ucp;

import com.sun.jna.Function;
import com.sun.jna.Native;
import dev.transload.spi.RowList;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.concurrent.atomic.AtomicInteger;
import org.agrona.BufferUtil;
import org.agrona.UnsafeApi;

/** Calls through JNA: no compiler was needed to build them, but each costs several times what it costs through JNI. */
final class JnaCalls implements LoadableCalls
{
    /** Adds that may be in progress at once, in the whole process: as long an operand stays untouched. */
    static final int OPERANDS = 1 << 20;

    private static final int CLOSE_FORCED = 1;
    private static final int ATOMIC_ADD = 0;

    /** The most negative status; a result above it, as an unsigned number, is a status and no request. */
    private static final long LAST_ERROR = -100;

    private final ThreadLocal<RequestParam> params = ThreadLocal.withInitial(RequestParam::new);

    /** UCX may read the operand of an add as late as its completion: a ring of them, never freed. */
    private final ByteBuffer operands =
        ByteBuffer.allocateDirect(OPERANDS * Long.BYTES).order(ByteOrder.nativeOrder());
    private final long operandsAddress = BufferUtil.address(operands);
    private final AtomicInteger nextOperand = new AtomicInteger();

    private JnaCalls()
    {
    }

    /**
     * Load JNA's own library.
     *
     * @return the calls.
     * @throws LinkageError if it can't be loaded.
     */
    static JnaCalls load()
    {
        if (Long.BYTES != Native.POINTER_SIZE)
        {
            throw new UnsatisfiedLinkError("pointers have " + Native.POINTER_SIZE + " bytes, 8 are needed");
        }

        return new JnaCalls();
    }

    @Override
    public String name()
    {
        return "JNA";
    }

    @Override
    public boolean hasNativeRows()
    {
        return false;
    }

    @Override
    public void setEnvironment(final String variable, final String value)
    {
        final Object[] arguments = { variable, value, 0 };
        if (0 != Function.getFunction("c", "setenv").invokeInt(arguments))
        {
            throw new IllegalArgumentException("variable=" + variable + ": is no name of an environment variable");
        }
    }

    @Override
    public String open(final String library)
    {
        try
        {
            UcpFunctions.bind(library);
            return null;
        }
        catch (final UnsatisfiedLinkError ex)
        {
            return ex.getMessage();
        }
    }

    @Override
    public int version()
    {
        final RequestParam param = params.get();
        UcpFunctions.ucpGetVersion(param.resultAddress(0), param.resultAddress(1), param.resultAddress(2));
        return UcxVersions.pack(param.resultInt(0), param.resultInt(1), param.resultInt(2));
    }

    @Override
    public String statusText(final int status)
    {
        return UcpFunctions.ucsStatusString((byte)status);
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
        final long param = params.get().memory(memoryHandle, memoryType);
        return settle(UcpFunctions.ucpPutNbx(endpoint, src, length, dst, remoteKey, param));
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
        final long param = params.get().memory(memoryHandle, memoryType);
        final int end = from + count;
        for (int first = from; first < end;)
        {
            final long src = srcOffset(rows, first);
            final long dst = dstOffset(rows, first);
            long length = rowLength;
            int next = first + 1;
            while (next < end && src + length == srcOffset(rows, next) && dst + length == dstOffset(rows, next))
            {
                length += rowLength;
                next++;
            }

            final int status =
                settle(UcpFunctions.ucpPutNbx(endpoint, srcBase + src, length, dstBase + dst, remoteKey, param));
            if (status < OK)
            {
                return status;
            }

            first = next;
        }

        return count;
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
        final long param = params.get().memory(memoryHandle, memoryType);
        return settle(UcpFunctions.ucpGetNbx(endpoint, dst, length, src, remoteKey, param));
    }

    @Override
    public int atomicAdd(final long endpoint, final long delta, final long dst, final long remoteKey)
    {
        Handles.check(endpoint, remoteKey);
        Handles.checkWord(dst);
        final int offset = (nextOperand.getAndIncrement() & OPERANDS - 1) * Long.BYTES;
        operands.putLong(offset, delta);
        return settle(UcpFunctions.ucpAtomicOpNbx(
            endpoint, ATOMIC_ADD, operandsAddress + offset, 1, dst, remoteKey, params.get().word()));
    }

    @Override
    public int progress(final long worker)
    {
        Handles.check(worker, "worker");
        return UcpFunctions.ucpWorkerProgress(worker);
    }

    @Override
    public long flush(final long endpoint)
    {
        Handles.check(endpoint, "endpoint");
        return UcpFunctions.ucpEpFlushNbx(endpoint, params.get().none());
    }

    @Override
    public long closeEndpoint(final long endpoint, final boolean isForced)
    {
        Handles.check(endpoint, "endpoint");
        return UcpFunctions.ucpEpCloseNbx(endpoint, params.get().flags(isForced ? CLOSE_FORCED : 0));
    }

    @Override
    public int requestStatus(final long request)
    {
        Handles.check(request, "request");
        return UcpFunctions.ucpRequestCheckStatus(request);
    }

    @Override
    public void requestFree(final long request)
    {
        Handles.check(request, "request");
        UcpFunctions.ucpRequestFree(request);
    }

    @Override
    public long remotePointer(final long remoteKey, final long address)
    {
        Handles.check(remoteKey, "remoteKey");
        final RequestParam param = params.get();
        final int status = UcpFunctions.ucpRkeyPtr(remoteKey, address, param.resultAddress(0));
        return OK == status ? param.resultLong(0) : status;
    }

    /** The request of an operation that a flush completes is given back at once. */
    private static int settle(final long result)
    {
        if (0 != result && Long.compareUnsigned(result, LAST_ERROR) < 0)
        {
            UcpFunctions.ucpRequestFree(result);
            return OK;
        }

        return (int)result;
    }

    private static long srcOffset(final long rows, final int index)
    {
        return UnsafeApi.getLong(rows + (long)index * RowList.STRIDE);
    }

    private static long dstOffset(final long rows, final int index)
    {
        return UnsafeApi.getLong(rows + (long)index * RowList.STRIDE + Long.BYTES);
    }
}
