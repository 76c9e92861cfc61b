/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.kernels;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Posts of a session for far ranks: a ring in host memory that a device fills and one thread drains into puts, fences
 * and puts of words (rule STP-10). An entry has 16 bytes, native byte order, and shows by itself that it is whole:
 * <pre>
 *  0  sequence u32, from 1 on: n-th entry of the session, mod 2^32
 *  4  far rank u12 | kind u3 &lt;&lt; 12 | parity of the call u1 &lt;&lt; 15 | row length / 4 − 1 u16 &lt;&lt; 16
 *  8  first u32
 * 12  count u16 | sequence mod 2^16 u16 &lt;&lt; 16
 * </pre>
 * It lies at (sequence − 1) mod {@link #CAPACITY}. Entries name parts of the send blocks ({@link StepSends}), never
 * addresses:
 * <pre>
 * kind              what is put to the far rank                                first        count
 * {@link #COUNTS}            its count words [first, first + count), each by a put (PUT-4)   expert       words
 * {@link #HEADERS}            headers of slots [first, first + count)                    slot         slots
 * {@link #ROWS}            rows of slots [first, first + count)                       slot         slots
 * {@link #ROWS_TOLD}            behind a fence: the landed word of a chunk                 chunk        –
 * {@link #ANSWERS}            answers [first, first + count)                             answer       answers
 * {@link #ANSWERS_TOLD}            behind a fence: the answered word of a chunk               chunk        –
 * {@link #ALIVE}            the sign of life                                           –            –
 * </pre>
 * Rows lie apart by the strides of {@link StepSlots}; of each, the row length is to be put: of rows with their scales,
 * where they have some.
 * <p>
 * Behind the ring, at {@link #RELEASED_OFFSET}, lies the number of released entries, u64. A step writes send blocks
 * only when the posts of the one before are released, so the ring cannot overflow.
 */
public final class StepFifo
{
    /** Entries of the ring. */
    public static final int CAPACITY = 4096;

    /** Bytes of an entry. */
    public static final int ENTRY_BYTES = 16;

    /** Where the number of released entries is. */
    public static final int RELEASED_OFFSET = CAPACITY * ENTRY_BYTES;

    /** Bytes of the ring, and of what lies behind. */
    public static final int BYTES = RELEASED_OFFSET + 128;

    /** Kind of entry: count words. */
    public static final int COUNTS = 1;

    /** Kind of entry: headers of slots. */
    public static final int HEADERS = 2;

    /** Kind of entry: rows of slots. */
    public static final int ROWS = 3;

    /** Kind of entry: the word of a chunk of rows. */
    public static final int ROWS_TOLD = 4;

    /** Kind of entry: answers. */
    public static final int ANSWERS = 5;

    /** Kind of entry: the word of a chunk of answers. */
    public static final int ANSWERS_TOLD = 6;

    /** Kind of entry: a sign of life. */
    public static final int ALIVE = 7;

    /** Longest row or answer that an entry tells of, in bytes. */
    public static final int MAX_ROW_BYTES = 1 << Short.SIZE + 2;

    private static final int SHORT_MASK = 0xFFFF;
    private static final int FAR_MASK = 0xFFF;
    private static final int KIND_SHIFT = 12;
    private static final int KIND_MASK = 7;
    private static final int PARITY_SHIFT = 15;
    private static final VarHandle LONGS =
        MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());

    private final ByteBuffer ring;
    private long posted;
    private long taken;

    /**
     * Over memory that a device writes.
     *
     * @param ring direct buffer of {@link #BYTES}, zeroed and aligned to {@link #ENTRY_BYTES}.
     */
    public StepFifo(final ByteBuffer ring)
    {
        if (ring.capacity() < BYTES)
        {
            throw new IllegalArgumentException("ring holds " + ring.capacity() + " bytes: must hold " + BYTES);
        }

        this.ring = ring.duplicate().order(ByteOrder.nativeOrder());
    }

    /**
     * Post an entry, behind all that it names; for implementations in Java.
     *
     * @param farRank  number among far ranks.
     * @param kind     of entry.
     * @param call     number, whose parity is told.
     * @param first    as the kind says.
     * @param count    as the kind says.
     * @param rowBytes of a row or an answer, a multiple of 4, at most {@link #MAX_ROW_BYTES}; 4 in entries of others.
     */
    public void post(
        final int farRank, final int kind, final long call, final int first, final int count, final int rowBytes)
    {
        if (0 == room())
        {
            throw new IllegalStateException("the ring of posts is full: " + CAPACITY);
        }

        final int at = (int)(posted % CAPACITY) * ENTRY_BYTES;
        posted++;
        LONGS.setRelease(ring, at + Long.BYTES,
            (long)((int)posted << Short.SIZE | count) << Integer.SIZE | first & 0xFFFF_FFFFL);
        LONGS.setRelease(ring, at, (long)(rowBytes / Integer.BYTES - 1 << Short.SIZE | (int)(call & 1) << PARITY_SHIFT |
            kind << KIND_SHIFT | farRank) << Integer.SIZE | posted & 0xFFFF_FFFFL);
    }

    /**
     * Room for entries; for implementations in Java.
     *
     * @return entries that can be posted.
     */
    public int room()
    {
        return CAPACITY - (int)(posted - released());
    }

    /**
     * Whether the next entry is there, whole; by the thread that drains the ring.
     *
     * @return true where {@link #farRank()} and so on tell of it.
     */
    public boolean hasNext()
    {
        final int at = next();
        final long head = (long)LONGS.getAcquire(ring, at);
        final long tail = (long)LONGS.getAcquire(ring, at + Long.BYTES);
        return (int)head == (int)(taken + 1) && (tail >>> 48) == (taken + 1 & SHORT_MASK);
    }

    private int next()
    {
        return (int)(taken % CAPACITY) * ENTRY_BYTES;
    }

    /**
     * Destination of the next entry.
     *
     * @return number among far ranks.
     */
    public int farRank()
    {
        return ring.getInt(next() + Integer.BYTES) & FAR_MASK;
    }

    /**
     * Kind of the next entry.
     *
     * @return {@link #COUNTS} to {@link #ALIVE}.
     */
    public int kind()
    {
        return ring.getInt(next() + Integer.BYTES) >>> KIND_SHIFT & KIND_MASK;
    }

    /**
     * Parity of the call that the next entry is of.
     *
     * @return 0 or 1, to be given as the call of {@link StepSends}, {@link StepWords} and {@link StepSlots}.
     */
    public int parity()
    {
        return ring.getInt(next() + Integer.BYTES) >>> PARITY_SHIFT & 1;
    }

    /**
     * What is put of each row or answer that the next entry is of.
     *
     * @return bytes.
     */
    public int rowBytes()
    {
        return ((ring.getInt(next() + Integer.BYTES) >>> Short.SIZE) + 1) * Integer.BYTES;
    }

    /**
     * What the next entry begins with.
     *
     * @return slot, chunk or answer.
     */
    public int first()
    {
        return ring.getInt(next() + Long.BYTES);
    }

    /**
     * How much the next entry is of.
     *
     * @return slots or answers.
     */
    public int count()
    {
        return ring.getInt(next() + Long.BYTES + Integer.BYTES) & SHORT_MASK;
    }

    /** Go on to the entry behind. */
    public void take()
    {
        taken++;
    }

    /**
     * Entries that were taken.
     *
     * @return count.
     */
    public long taken()
    {
        return taken;
    }

    /**
     * Say that nothing is read any more for entries.
     *
     * @param entries first ones of the session.
     */
    public void release(final long entries)
    {
        LONGS.setRelease(ring, RELEASED_OFFSET, entries);
    }

    private long released()
    {
        return (long)LONGS.getAcquire(ring, RELEASED_OFFSET);
    }

    /**
     * Whether nothing of what was posted is still read; for implementations in Java.
     *
     * @return true where a step may write the send blocks again.
     */
    public boolean isReleased()
    {
        return released() == posted;
    }
}
