/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.base;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.spi.Capabilities;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.RowList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

class ArgumentsTest
{
    private static final long MAX = Long.MAX_VALUE;
    private static final Capabilities CAPABILITIES = Capabilities.builder(Ranks.TRANSPORT, "1", 1 << 20)
        .kinds(MemoryKind.HOST, MemoryKind.CUDA).maxWorkers(4).build();

    private final RowList rows = RequestArguments.rows(4).rowLength(16);

    private static void refuse(final String argument, final Executable call)
    {
        final String message = assertThrows(IllegalArgumentException.class, call).getMessage();
        assertTrue(message.startsWith(argument), message);
    }

    @Test
    void shouldAllowRangesWithinTheRegionOnly()
    {
        OperationArguments.checkRange("src", 0, 64, 64);
        OperationArguments.checkRange("src", 64, 0, 64);
        for (final long[] wrong : new long[][] {{-1, 1}, {0, -1}, {1, 64}, {65, 0}, {MAX, 1}, {1, MAX}, {MAX, MAX}})
        {
            final String message = assertThrows(IndexOutOfBoundsException.class,
                () -> OperationArguments.checkRange("src", wrong[0], wrong[1], 64)).getMessage();
            assertEquals("srcOffset=" + wrong[0] + ", length=" + wrong[1] + ": src has 64 bytes", message);
        }
    }

    @Test
    void shouldAllowAlignedWordsOnly()
    {
        OperationArguments.checkWord(56, 64);
        refuse("dstOffset=4", () -> OperationArguments.checkWord(4, 64));
        assertThrows(IndexOutOfBoundsException.class, () -> OperationArguments.checkWord(64, 64));
    }

    @Test
    void shouldAllowAddsToSignalsThatAreThere()
    {
        OperationArguments.checkAdd("dst", 3, 1, 4);
        refuse("delta=0", () -> OperationArguments.checkAdd("dst", 3, 0, 4));
        assertThrows(IndexOutOfBoundsException.class, () -> OperationArguments.checkAdd("dst", 4, 1, 4));
        assertThrows(IndexOutOfBoundsException.class, () -> OperationArguments.checkAdd("dst", -1, 1, 4));
    }

    @Test
    void shouldCheckAllRowsBeforeTheFirstIsWritten()
    {
        rows.set(0, 0, 0);
        rows.set(1, 48, 16);
        rows.set(2, 0, 17);
        OperationArguments.checkRows(rows, 0, 4);
        OperationArguments.checkRanges(rows, 0, 2, 64, 32);
        final String message = assertThrows(IndexOutOfBoundsException.class,
            () -> OperationArguments.checkRanges(rows, 0, 3, 64, 32)).getMessage();
        assertTrue(message.startsWith("row 2: srcOffset=0, dstOffset=17, rowLength=16"), message);
        assertThrows(IndexOutOfBoundsException.class, () -> OperationArguments.checkRows(rows, 1, 4));
        assertThrows(IndexOutOfBoundsException.class, () -> OperationArguments.checkRows(rows, -1, 1));
        assertThrows(IndexOutOfBoundsException.class,
            () -> OperationArguments.checkRows(rows, Integer.MAX_VALUE, Integer.MAX_VALUE));
    }

    @Test
    void shouldNameWhatIsWrongWithARequest()
    {
        assertDoesNotThrow(
            () -> RequestArguments.checkAllocation(CAPABILITIES, MemoryKind.CUDA, 3, CAPABILITIES.maxRegionLength()));
        refuse("kind=ASCEND: transport carrier has CUDA, HOST memory only",
            () -> RequestArguments.checkMemory(CAPABILITIES, MemoryKind.ASCEND, 0, 1));
        refuse("device=1", () -> RequestArguments.checkMemory(CAPABILITIES, MemoryKind.HOST, 1, 1));
        refuse("device=-1", () -> RequestArguments.checkMemory(CAPABILITIES, MemoryKind.CUDA, -1, 1));
        refuse("length=0", () -> RequestArguments.checkMemory(CAPABILITIES, MemoryKind.HOST, 0, 0));
        refuse("length=1048577: transport carrier allocates at most 1048576 bytes in one region",
            () -> RequestArguments.checkAllocation(CAPABILITIES, MemoryKind.HOST, 0, (1 << 20) + 1));
        refuse("address=0", () -> RequestArguments.checkRegistration(CAPABILITIES, MemoryKind.HOST, 0, 0, 1));
        refuse("count=0: must be in [1, 16384]", () -> RequestArguments.checkSignals(CAPABILITIES, 0, 1));
        refuse("count=16385", () -> RequestArguments.checkSignals(CAPABILITIES, 16385, 1));
        refuse("writers=0", () -> RequestArguments.checkSignals(CAPABILITIES, 1, 0));
        refuse("capacity=-1", () -> RequestArguments.rows(-1));
        refuse("index=4: must be in [0, 4)", () -> RequestArguments.checkWorker(CAPABILITIES, 4));
    }

    @Test
    void shouldLookAtRowsAgainWhereTheyOrTheirMemoryChanged()
    {
        rows.set(0, 0, 0);
        rows.set(1, 48, 16);
        OperationArguments.checkRanges(rows, 0, 2, 64, 32);
        assertTrue(rows.isWithin(0, 2, 64, 32));
        assertTrue(rows.isWithin(1, 1, 65, 33));
        assertThrows(IndexOutOfBoundsException.class, () -> OperationArguments.checkRanges(rows, 0, 2, 63, 32));
        assertThrows(IndexOutOfBoundsException.class, () -> OperationArguments.checkRanges(rows, 0, 2, 64, 31));
        OperationArguments.checkRanges(rows, 0, 2, 64, 32);
        rows.set(1, 49, 16);
        assertThrows(IndexOutOfBoundsException.class, () -> OperationArguments.checkRanges(rows, 0, 2, 64, 32));
        rows.set(1, 48, 16);
        OperationArguments.checkRanges(rows, 0, 2, 64, 32);
        rows.memory().putLong(RowList.STRIDE, 49);
        rows.noteWritten();
        assertThrows(IndexOutOfBoundsException.class, () -> OperationArguments.checkRanges(rows, 0, 2, 64, 32));
        rows.memory().putLong(RowList.STRIDE, 48);
        rows.noteWritten();
        OperationArguments.checkRanges(rows, 0, 2, 64, 32);
        rows.rowLength(17);
        assertThrows(IndexOutOfBoundsException.class, () -> OperationArguments.checkRanges(rows, 0, 2, 64, 32));
        rows.set(2, 1 << 20, 0);
        rows.rowLength(16);
        OperationArguments.checkRanges(rows, 0, 2, 64, 32);
        assertThrows(IndexOutOfBoundsException.class, () -> OperationArguments.checkRanges(rows, 0, 3, 64, 32));
    }
}
