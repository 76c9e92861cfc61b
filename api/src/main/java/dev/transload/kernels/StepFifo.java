/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.kernels;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * A queue of entries that say what to send to far ranks. The queue is a ring in host memory, and a device fills it. One
 * thread reads the ring and executes its entries as puts of data, fences and puts of words (rule STP-10). The two
 * sequence numbers of an entry show whether the entry is complete. An entry has 16 bytes in native byte order:
 * <pre>
 *  0  sequence u32, from 1 on: n-th entry of the session, mod 2^32
 *  4  far rank u12 | kind u3 &lt;&lt; 12 | parity of the call u1 &lt;&lt; 15 | row length / 4 − 1 u16 &lt;&lt; 16
 *  8  first u32
 * 12  count u16 | sequence mod 2^16 u16 &lt;&lt; 16
 * </pre>
 * An entry is at index (sequence − 1) mod {@link #CAPACITY} of the ring. Entries refer to parts of the send blocks
 * ({@link StepSends}) instead of addresses. These are the kinds of entries:
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
 * The distance between rows or answers in a send block is the stride of {@link StepSlots}. The row length in an entry
 * is the number of bytes to put for each row or answer. This length includes the scales if rows have scales.
 * <p>
 * An entry is released when no put reads its part of the send blocks any more. The number of released entries, u64, is
 * behind the ring, at {@link #RELEASED_OFFSET}. The entries of one step for data fill at most half of the ring
 * ({@link StepSends#mostFarRanks}), and a step writes send blocks only after all entries of the previous step have been
 * released. A sign of life is posted only if less than half of the ring is in use. So the ring cannot overflow.
 */
public final class StepFifo
{
    /** Number of entries of the ring. */
    public static final int CAPACITY = 4096;

    /** Number of bytes of an entry. */
    public static final int ENTRY_BYTES = 16;

    /** Offset in bytes of the number of released entries. */
    public static final int RELEASED_OFFSET = CAPACITY * ENTRY_BYTES;

    /** Size in bytes of the ring, including the field for the number of released entries. */
    public static final int BYTES = RELEASED_OFFSET + 128;

    /** Kind of entry: count words. */
    public static final int COUNTS = 1;

    /** Kind of entry: headers of slots. */
    public static final int HEADERS = 2;

    /** Kind of entry: rows of slots. */
    public static final int ROWS = 3;

    /** Kind of entry: the word that announces a chunk of rows. */
    public static final int ROWS_TOLD = 4;

    /** Kind of entry: answers. */
    public static final int ANSWERS = 5;

    /** Kind of entry: the word that announces a chunk of answers. */
    public static final int ANSWERS_TOLD = 6;

    /** Kind of entry: a sign of life. */
    public static final int ALIVE = 7;

    /** Largest length, in bytes, of a row or answer to which an entry can refer. */
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
     * Creates a FIFO in memory that a device can write.
     *
     * @param ring direct buffer of {@link #BYTES} bytes, filled with zeros and aligned to {@link #ENTRY_BYTES}.
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
     * Posts an entry. This method is for step kernels that are written in Java. The caller must already have written
     * everything to which the entry refers.
     *
     * @param farRank  number of the far rank, from 0.
     * @param kind     kind of entry, {@link #COUNTS} to {@link #ALIVE}.
     * @param call     number of the call; the entry holds only the parity of this number.
     * @param first    first slot, answer, chunk or expert, depending on the kind.
     * @param count    number of slots, answers or words, depending on the kind.
     * @param rowBytes length of a row or answer in bytes, a multiple of 4 and at most {@link #MAX_ROW_BYTES}; 4 for
     *                 entries of other kinds.
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
     * Returns the number of entries that can be posted now. This method is for step kernels that are written in Java.
     *
     * @return number of entries.
     */
    public int room()
    {
        return CAPACITY - (int)(posted - released());
    }

    /**
     * Returns whether the next entry is complete. This method is for the thread that reads the ring.
     *
     * @return true if the methods that read the next entry, e.g. {@link #farRank()}, may be called.
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
     * Returns the far rank that the next entry is for.
     *
     * @return number of the far rank, from 0.
     */
    public int farRank()
    {
        return ring.getInt(next() + Integer.BYTES) & FAR_MASK;
    }

    /**
     * Returns the kind of the next entry.
     *
     * @return kind, {@link #COUNTS} to {@link #ALIVE}.
     */
    public int kind()
    {
        return ring.getInt(next() + Integer.BYTES) >>> KIND_SHIFT & KIND_MASK;
    }

    /**
     * Returns the parity of the next entry's call.
     *
     * @return 0 or 1, which can be passed as the call number to {@link StepSends}, {@link StepWords} and
     *         {@link StepSlots}.
     */
    public int parity()
    {
        return ring.getInt(next() + Integer.BYTES) >>> PARITY_SHIFT & 1;
    }

    /**
     * Returns the number of bytes to put for each row or answer of the next entry.
     *
     * @return number of bytes.
     */
    public int rowBytes()
    {
        return ((ring.getInt(next() + Integer.BYTES) >>> Short.SIZE) + 1) * Integer.BYTES;
    }

    /**
     * Returns the first slot, answer, chunk or expert of the next entry.
     *
     * @return index, whose meaning depends on the kind of entry.
     */
    public int first()
    {
        return ring.getInt(next() + Long.BYTES);
    }

    /**
     * Returns the number of slots, answers or words of the next entry.
     *
     * @return number, whose meaning depends on the kind of entry.
     */
    public int count()
    {
        return ring.getInt(next() + Long.BYTES + Integer.BYTES) & SHORT_MASK;
    }

    /** Removes the next entry from the ring. */
    public void take()
    {
        taken++;
    }

    /**
     * Returns the number of entries that were removed from the ring.
     *
     * @return number of entries.
     */
    public long taken()
    {
        return taken;
    }

    /**
     * Releases the first entries of the session. The caller must know that no put still reads the parts of the send
     * blocks to which these entries refer.
     *
     * @param entries total number of released entries since the session began.
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
     * Returns whether all posted entries are released. This method is for step kernels that are written in Java.
     *
     * @return true if a step may write the send blocks again.
     */
    public boolean isReleased()
    {
        return released() == posted;
    }
}
