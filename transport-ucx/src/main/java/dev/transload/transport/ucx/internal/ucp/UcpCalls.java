/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.ucx.internal.ucp;

/**
 * Calls into UCX's protocol layer. Endpoints, workers, remote keys and memory handles are the native handles that jucx
 * objects give out ({@code getNativeId()}); addresses and lengths are in bytes of the address space they belong to.
 * <p>
 * A handle of 0 is refused with {@link IllegalArgumentException}; anything else goes to UCX as it is: a handle of a
 * closed object or an address outside its memory takes the JVM down. A status is 0 for done, positive for in progress
 * and negative for an error of UCX ({@link #statusText(int)}). An operation that returns 0 is accepted; its local
 * memory must stay as it is until a flush of its endpoint, begun afterwards, is done.
 * <p>
 * Calls of one worker and of its endpoints are for one thread at a time; all threads may share the object itself.
 */
public interface UcpCalls
{
    /** Memory type of {@code put}, {@code putRows} and {@code get}: memory of the host. */
    int MEMORY_TYPE_HOST = 0;

    /** As above: memory of a CUDA device. */
    int MEMORY_TYPE_CUDA = 1;

    /** Status of an operation that is done. */
    int OK = 0;

    /** Status of what was cancelled, as UCX does with operations of an endpoint that has failed before. */
    int CANCELED = -16;

    /** Status of a request that is still in progress. */
    int IN_PROGRESS = 1;

    /**
     * Make the calling thread ready for what goes past this interface: jucx's own objects. The calls below need no such
     * preparation.
     */
    default void bind()
    {
        // Nothing, where UCX asks nothing of a thread.
    }

    /**
     * How the calls are made.
     *
     * @return {@code JNI} or {@code JNA}.
     */
    String name();

    /**
     * Whether {@link #putRows} is one call into native code however many rows it has.
     *
     * @return false if every put of it is a call of its own.
     */
    boolean hasNativeRows();

    /**
     * Version of the UCX that is loaded.
     *
     * @return major·65536 + minor·256 + release.
     */
    int version();

    /**
     * UCX's own words for a status.
     *
     * @param status as returned by a call.
     * @return text, never null.
     */
    String statusText(int status);

    /**
     * Write to remote memory.
     *
     * @param endpoint     to the owner of the memory.
     * @param src          address of the bytes here.
     * @param length       in bytes, 0 allowed.
     * @param dst          address there.
     * @param remoteKey    of the memory there, unpacked for this endpoint.
     * @param memoryHandle of the memory here, or 0: UCX then looks it up where it needs one.
     * @param memoryType   of the memory here, as UCX numbers them: {@link #MEMORY_TYPE_HOST} or jucx's constants.
     * @return 0 or a negative status.
     */
    int put(long endpoint, long src, long length, long dst, long remoteKey, long memoryHandle, int memoryType);

    /**
     * Write rows to remote memory; rows that follow each other on both sides are joined into one put.
     *
     * @param endpoint     to the owner of the memory.
     * @param srcBase      address here that source offsets count from.
     * @param dstBase      address there that destination offsets count from.
     * @param rows         address of the memory of a {@link dev.transload.spi.RowList}.
     * @param from         first row, not negative.
     * @param count        of rows, not negative.
     * @param rowLength    in bytes, 0 allowed.
     * @param remoteKey    of the memory there, unpacked for this endpoint.
     * @param memoryHandle of the memory here, or 0.
     * @param memoryType   of the memory here, see {@link #put}.
     * @return count, or the negative status of the first row that was not accepted (rows before it were).
     */
    int putRows(
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

    /**
     * Read remote memory. The bytes are here when a later flush of the endpoint is done.
     *
     * @param endpoint     to the owner of the memory.
     * @param dst          address of the memory here.
     * @param length       in bytes, 0 allowed.
     * @param src          address there.
     * @param remoteKey    of the memory there, unpacked for this endpoint.
     * @param memoryHandle of the memory here, or 0.
     * @param memoryType   of the memory here, see {@link #put}.
     * @return 0 or a negative status.
     */
    int get(long endpoint, long dst, long length, long src, long remoteKey, long memoryHandle, int memoryType);

    /**
     * Add to a remote 64-bit word, atomically among such adds.
     *
     * @param endpoint  to the owner of the word.
     * @param delta     to add.
     * @param dst       address there, divisible by 8.
     * @param remoteKey of the memory there, unpacked for this endpoint.
     * @return 0 or a negative status.
     */
    int atomicAdd(long endpoint, long delta, long dst, long remoteKey);

    /**
     * Let a worker do what there is to do.
     *
     * @param worker to drive.
     * @return count of events, 0 if there was nothing.
     */
    int progress(long worker);

    /**
     * Begin to complete everything that was submitted to an endpoint, here and there.
     *
     * @param endpoint to flush.
     * @return 0 if there was nothing to wait for, a negative status, or else (positive) a request: ask
     * {@link #requestStatus} while driving the worker, then give it to {@link #requestFree}.
     */
    long flush(long endpoint);

    /**
     * Begin to close an endpoint; nothing may be submitted to it from here on.
     *
     * @param endpoint to close.
     * @param isForced whether what is under way is given up; only for endpoints made with error handling.
     * @return 0 if it is closed, a negative status, or else (positive) a request, as for {@link #flush}: one that is
     * given back before its end must be, or UCX aborts the process when the worker is closed.
     */
    long closeEndpoint(long endpoint, boolean isForced);

    /**
     * How a request stands.
     *
     * @param request of {@link #flush}.
     * @return 0 when done, {@link #IN_PROGRESS}, or a negative status when it failed.
     */
    int requestStatus(long request);

    /**
     * Give a request back, done or not.
     *
     * @param request of {@link #flush}; not to be used afterwards.
     */
    void requestFree(long request);

    /**
     * Where remote memory can be read and written directly by this process.
     *
     * @param remoteKey of the memory.
     * @param address   there.
     * @return its address in this process, or a negative status where there is no direct way.
     */
    long remotePointer(long remoteKey, long address);
}
