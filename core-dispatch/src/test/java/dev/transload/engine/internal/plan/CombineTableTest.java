/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.typesafe.config.ConfigFactory;
import dev.transload.engine.EngineConfig;
import dev.transload.engine.World;
import dev.transload.engine.internal.world.Geometry;
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
    private CombineTable sums = new CombineTable(geometry("auto"));

    private static Geometry geometry(final String memory)
    {
        return new Geometry(new World(1, 2, 0), EngineConfig.from(ConfigFactory.parseString(
            "transload { ranks-per-node = 2, channels = 1, table-memory = " + memory + " }")));
    }

    @AfterEach
    void close()
    {
        kernels.close();
    }

    private RowTable open(final int tokens, final boolean areParts)
    {
        sums.open(tokens, 2, areParts, kernels);
        return sums.table(0);
    }

    private void write(final int tokens)
    {
        for (int i = 0; i < tokens; i++)
        {
            final RowTable table = sums.writing();
            table.beginRow(sums.written());
            table.add(0, i);
            sums.wrote(1);
        }
    }

    @Test
    void shouldKeepWhatWasWritten()
    {
        final RowTable table = open(5, true);
        write(3);
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
        write(5);
        assertTrue(sums.isMade());
        sums.clear();
        assertFalse(sums.isMade());
        assertEquals(0, sums.written());
        assertSame(table, open(4, true), "its memory is large enough");
        write(1);
        assertEquals(1, table.rows());
    }

    @Test
    void shouldWriteAnewWhereNodesAreToBePartsOfASum()
    {
        final RowTable table = open(5, false);
        write(5);
        assertSame(table, open(5, true));
        assertEquals(0, sums.written());
        write(5);
        assertEquals(5, table.rows());
        open(5, true);
        assertEquals(5, sums.written());
        open(5, false);
        assertEquals(0, sums.written());
    }

    @Test
    void shouldTakeMoreMemoryForMoreTokensOrRows()
    {
        final RowTable table = open(5, true);
        write(5);
        final RowTable larger = open(6, true);
        assertNotSame(table, larger);
        assertEquals(0, sums.written());
        assertTrue(larger.rowCapacity() >= 6 && larger.entryCapacity() >= 12);
        sums.open(6, 3, true, kernels);
        assertNotSame(larger, sums.table(0));
    }

    /** Four parts of two tokens: what is written over was read, and row kernels are done with it. */
    @Test
    void shouldWriteALongTablePartByPart()
    {
        sums = new CombineTable(geometry("512 B"));
        final RowTable first = open(11, false);
        write(8);
        final RowTable last = sums.table(7);
        assertEquals(2, first.rows());
        assertEquals(2, sums.end(1));
        assertFalse(sums.isFree(9), "nothing is read");
        sums.read(1, 7);
        assertFalse(sums.isFree(9), "half of the first part is read");
        sums.read(2, 8);
        assertFalse(sums.isFree(7), "row kernels are reading it");
        assertTrue(sums.isFree(8));
        write(1);
        assertSame(first, sums.table(8));
        assertEquals(0, sums.row(8));
        assertEquals(8, first.row(0));
        assertEquals(1, first.rows());
        assertTrue(sums.isFree(0), "within a part");
        assertSame(last, sums.table(7));
        open(11, false);
        assertEquals(0, sums.written(), "what is gone is written anew");
        assertTrue(sums.isFree(0));
    }

    @Test
    void shouldClearBeforeItWasEverOpened()
    {
        sums.clear();
        assertEquals(0, sums.written());
    }
}
