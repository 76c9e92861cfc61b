/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.kernels.RowKernels;
import dev.transload.kernels.RowTable;
import dev.transload.kernels.host.HostRowKernelsProvider;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Sums stay with a handle until its dispatch is another one, or they are to be written otherwise. */
class CombineTableTest
{
    private final RowKernels kernels = new HostRowKernelsProvider().open(0, Map.of("mode", "scalar"));
    private final CombineTable sums = new CombineTable();

    @AfterEach
    void close()
    {
        kernels.close();
    }

    private RowTable open(final int tokens, final boolean areParts)
    {
        return sums.open(tokens, 2 * tokens, areParts, kernels);
    }

    private static void write(final CombineTable sums, final RowTable table, final int tokens)
    {
        for (int token = 0; token < tokens; token++)
        {
            table.beginRow(token);
            table.add(0, token);
        }

        sums.wrote(tokens);
    }

    @Test
    void shouldKeepWhatWasWritten()
    {
        final RowTable table = open(5, true);
        write(sums, table, 3);
        assertSame(table, open(5, true));
        assertEquals(3, sums.written());
        assertEquals(3, table.rows());
        sums.wrote(2);
        assertEquals(5, sums.written());
    }

    @Test
    void shouldWriteAnewForAnotherDispatch()
    {
        final RowTable table = open(5, true);
        write(sums, table, 5);
        sums.clear();
        assertEquals(0, sums.written());
        assertSame(table, open(4, true), "its memory is large enough");
        assertEquals(0, table.rows());
    }

    @Test
    void shouldWriteAnewWhereNodesAreToBePartsOfASum()
    {
        final RowTable table = open(5, false);
        write(sums, table, 5);
        assertSame(table, open(5, true));
        assertEquals(0, sums.written());
        assertEquals(0, table.rows());
        write(sums, table, 5);
        open(5, true);
        assertEquals(5, sums.written());
        open(5, false);
        assertEquals(0, sums.written());
    }

    @Test
    void shouldTakeMoreMemoryForMoreTokensOrRows()
    {
        final RowTable table = open(5, true);
        write(sums, table, 5);
        final RowTable larger = open(6, true);
        assertNotSame(table, larger);
        assertEquals(0, sums.written());
        assertTrue(larger.rowCapacity() >= 6 && larger.entryCapacity() >= 12);
        assertNotSame(larger, sums.open(6, 13, true, kernels));
    }

    @Test
    void shouldClearBeforeItWasEverOpened()
    {
        sums.clear();
        assertEquals(0, sums.written());
    }
}
