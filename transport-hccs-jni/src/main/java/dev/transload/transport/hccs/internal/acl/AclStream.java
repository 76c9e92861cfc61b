/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.hccs.internal.acl;

/**
 * A stream of a device: work in order. What submits returns the runtime's code, 0 when the work was accepted; how it
 * ends shows when the stream is waited for. After the first failure nothing behind it is carried out, so that no flag
 * is published whose data was not written. One thread's at a time.
 */
public final class AclStream implements AutoCloseable
{
    /** aclDataType of F32. */
    public static final int FLOAT = 0;

    /** aclDataType of I32. */
    public static final int INT32 = 3;

    /** aclDataType of BF16. */
    public static final int BF16 = 27;

    private final AclDevice device;
    private final long handle;
    private boolean isOpen = true;

    private AclStream(final AclDevice device, final long handle)
    {
        this.device = device;
        this.handle = handle;
    }

    static AclStream open(final AclDevice device)
    {
        final long handle = device.value(AclCalls.streamCreate(device.ordinal(), AclCalls.STREAM_FAST));
        final AclStream stream = new AclStream(device, handle);
        try
        {
            device.check(AclCalls.streamFailureMode(device.ordinal(), handle, AclCalls.STOP_ON_FAILURE));
            return stream;
        }
        catch (final AclException ex)
        {
            stream.closeAfter(ex);
            throw ex;
        }
    }

    /** Whose it is. */
    public AclDevice device()
    {
        return device;
    }

    /**
     * Copy bytes; host memory is page-locked.
     *
     * @param kind   of the copy.
     * @param target address.
     * @param source address.
     * @param bytes  positive.
     * @return code.
     */
    public int copy(final CopyKind kind, final long target, final long source, final long bytes)
    {
        return AclCalls.copyAsync(device.ordinal(), target, source, bytes, kind.code(), handle);
    }

    /**
     * Copy rows, by one call whatever their number: rows that touch become one copy, rows at one distance one copy by
     * pitches.
     *
     * @param kind      of the copies.
     * @param target    address that the destination offsets count from.
     * @param source    address that the source offsets count from.
     * @param rows      address of the first entry of a list of rows.
     * @param count     of entries, positive.
     * @param length    of a row in bytes, positive.
     * @param isStrided whether copies by pitches are allowed.
     * @return code.
     */
    public int copyRows(
        final CopyKind kind,
        final long target,
        final long source,
        final long rows,
        final int count,
        final int length,
        final boolean isStrided)
    {
        return AclCalls.copyRows(
            device.ordinal(), target, source, rows, count, length, kind.code(), handle, isStrided);
    }

    /**
     * Set bytes of a device's memory to 0.
     *
     * @param target address.
     * @param bytes  positive.
     * @return code.
     */
    public int zero(final long target, final long bytes)
    {
        return AclCalls.setAsync(device.ordinal(), target, 0, bytes, handle);
    }

    /**
     * Set rows of a device's memory to 0, by one call whatever their number.
     *
     * @param target address that the destination offsets count from.
     * @param rows   address of the first entry of a list of rows.
     * @param count  of entries, positive.
     * @param length of a row in bytes, positive.
     * @return code.
     */
    public int zeroRows(final long target, final long rows, final int count, final int length)
    {
        return AclCalls.setRows(device.ordinal(), target, rows, count, length, 0, handle);
    }

    /**
     * Add elements to others, each of them atomically.
     *
     * @param element {@link #FLOAT}, {@link #INT32} or {@link #BF16}.
     * @param target  address.
     * @param source  address.
     * @param bytes   positive, of whole elements.
     * @return code; {@link AclCode#NOT_SUPPORTED} where the library has no such function.
     */
    public int add(final int element, final long target, final long source, final long bytes)
    {
        return AclCalls.addAsync(device.ordinal(), target, source, bytes, element, handle);
    }

    /**
     * Add rows to others, by one call whatever their number, in the order of the list.
     *
     * @param element {@link #FLOAT}, {@link #INT32} or {@link #BF16}.
     * @param target  address that the destination offsets count from.
     * @param source  address that the source offsets count from.
     * @param rows    address of the first entry of a list of rows.
     * @param count   of entries, positive.
     * @param length  of a row in bytes, positive, of whole elements.
     * @return code; {@link AclCode#NOT_SUPPORTED} where the library has no such function.
     */
    public int addRows(
        final int element, final long target, final long source, final long rows, final int count, final int length)
    {
        return AclCalls.addRows(device.ordinal(), target, source, rows, count, length, element, handle);
    }

    /** Let an event stand for this point of the stream. */
    public int record(final AclEvent event)
    {
        return AclCalls.eventRecord(device.ordinal(), event.handle(), handle);
    }

    /** Let an event of somebody else's stand for this point of the stream. */
    public int record(final long event)
    {
        return AclCalls.eventRecord(device.ordinal(), event, handle);
    }

    /** Let what is submitted from here on begin after an event of somebody else's, which was recorded before. */
    public int waitFor(final long event)
    {
        return AclCalls.streamWaitEvent(device.ordinal(), handle, event);
    }

    /** Let what is submitted from here on begin after an event, which was recorded before. */
    public int waitFor(final AclEvent event)
    {
        return AclCalls.streamWaitEvent(device.ordinal(), handle, event.handle());
    }

    /**
     * Let what is submitted from here on begin once a word of the device's memory has a value, if ever: the
     * caller has to wait with a time-out, and to {@link #abort()}.
     *
     * @param address of an aligned word of 8 bytes.
     * @param value   to wait for.
     * @return code; {@link AclCode#NOT_SUPPORTED} where the library has no such function.
     */
    public int waitForValue(final long address, final long value)
    {
        return AclCalls.valueWait(device.ordinal(), address, value, AclCalls.WAIT_EQUAL, handle);
    }

    /**
     * Wait until the stream has done what it was given so far.
     *
     * @param timeoutMs positive.
     * @return code; {@link AclCode#SYNC_TIMEOUT} if it has not, or the one that its work failed with.
     */
    public int await(final int timeoutMs)
    {
        return AclCalls.streamSynchronize(device.ordinal(), handle, timeoutMs);
    }

    /**
     * The same, for a caller that cannot go on without.
     *
     * @param timeoutMs positive.
     * @throws AclException if the work failed, or is not done by then.
     */
    public void finish(final int timeoutMs)
    {
        device.check(await(timeoutMs));
    }

    /** Drop what is not done, what hangs included; the stream can be used again. */
    public void abort()
    {
        device.check(AclCalls.streamAbort(device.ordinal(), handle));
    }

    /**
     * The exception of a code that a call on this stream has just returned in this thread.
     *
     * @param code other than 0.
     * @return exception.
     */
    public AclException failure(final int code)
    {
        return AclException.of(device.describe(), code);
    }

    private void closeAfter(final AclException cause)
    {
        try
        {
            close();
        }
        catch (final AclException ex)
        {
            cause.addSuppressed(ex);
        }
    }

    /** Drops what is not done. */
    @Override
    public synchronized void close()
    {
        if (isOpen)
        {
            device.check(AclCalls.streamDestroy(device.ordinal(), handle));
            isOpen = false;
        }
    }
}
