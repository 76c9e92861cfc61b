/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.loopback;

import dev.transload.kernels.Reduction;
import dev.transload.kernels.RowKernels;
import dev.transload.kernels.RowKernelsProvider;
import dev.transload.kernels.RowScatter;
import dev.transload.kernels.RowTable;
import dev.transload.kernels.host.HostRowKernelsProvider;
import dev.transload.spi.RowList;
import java.lang.reflect.Method;
import java.util.concurrent.atomic.AtomicLong;

/** Row kernels, of host memory unless others are given, which count what they do. */
public final class MeteredKernels extends InterceptedKernels
{
    private final AtomicLong bytes = new AtomicLong();
    private final AtomicLong reductions = new AtomicLong();
    private final AtomicLong reductionsToTheEnd = new AtomicLong();

    /** Of host memory. */
    public MeteredKernels()
    {
        this(new HostRowKernelsProvider());
    }

    /**
     * Of any memory.
     *
     * @param metered whose kernels do the work.
     */
    public MeteredKernels(final RowKernelsProvider metered)
    {
        super(metered);
    }

    /**
     * What the kernels of all ranks have read and written.
     *
     * @return bytes.
     */
    public long bytes()
    {
        return bytes.get();
    }

    /**
     * Sums that were submitted, of any number of rows.
     *
     * @return operations of all ranks.
     */
    public long reductions()
    {
        return reductions.get();
    }

    /**
     * Sums that were submitted up to the end of their table, which so far has no more.
     *
     * @return operations of all ranks.
     */
    public long reductionsToTheEnd()
    {
        return reductionsToTheEnd.get();
    }

    @Override
    protected Object answer(final RowKernels kernels, final Method method, final Object[] arguments) throws Throwable
    {
        switch (method.getName())
        {
            case "copyRows" -> bytes.addAndGet(2L * ((RowList)arguments[2]).rowLength() * (int)arguments[4]);
            case "reduceRows" ->
            {
                final int end = (int)arguments[2] + (int)arguments[3];
                reductions.incrementAndGet();
                reductionsToTheEnd.addAndGet(((RowTable)arguments[1]).rows() == end ? 1 : 0);
                bytes.addAndGet(bytesOf((Reduction)arguments[0], (RowTable)arguments[1],
                    (int)arguments[2], (int)arguments[3]));
            }

            case "scatterRows" -> bytes.addAndGet(bytesOf((RowScatter)arguments[0], (RowTable)arguments[1],
                (int)arguments[2], (int)arguments[3]));

            default -> bytes.addAndGet(0);
        }

        return super.answer(kernels, method, arguments);
    }

    private static long bytesOf(final RowScatter rows, final RowTable table, final int from, final int count)
    {
        final int copies = table.firstEntry(from + count) - table.firstEntry(from);

        return ((long)count + copies) * (rows.rowBytes() + rows.scalesBytes());
    }

    private static long bytesOf(final Reduction sums, final RowTable table, final int from, final int count)
    {
        long elements = (long)count * sums.targetType().bytes();
        for (int group = from; group < from + count; group++)
        {
            elements += null == sums.bias0() ? 0 : Short.BYTES;
            elements += null == sums.bias1() ? 0 : Short.BYTES;
            for (int i = table.firstEntry(group); i < table.firstEntry(group + 1); i++)
            {
                elements += sums.sourceType(table.region(i)).bytes();
            }
        }

        return elements * sums.hidden();
    }
}
