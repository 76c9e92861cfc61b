/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.normal;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.kernels.RowKernels;
import dev.transload.kernels.RowTable;
import dev.transload.kernels.host.HostRowKernelsProvider;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A list is kept for combines that repeat, and holds for the places that it was written for. */
class KeptSumsTest
{
    private final RowKernels kernels = new HostRowKernelsProvider().open(0, Map.of("mode", "scalar"));
    private final KeptSums kept = new KeptSums();

    @AfterEach
    void close()
    {
        kernels.close();
    }

    @Test
    void shouldTakeMemoryWhenACombineIsRepeated()
    {
        assertNull(kept.open(1, 10, 2, kernels));
        assertNull(kept.open(2, 10, 2, kernels));
        final RowTable list = kept.open(2, 10, 2, kernels);
        assertNotNull(list);
        assertTrue(list.rowCapacity() >= 10 && list.entryCapacity() >= 20);
        assertSame(list, kept.open(2, 10, 2, kernels));
        assertSame(list, kept.open(3, 7, 2, kernels), "memory that is there is used");
        assertNull(kept.open(4, 11, 2, kernels));
        assertNotSame(list, kept.open(4, 11, 2, kernels));
    }

    @Test
    void shouldKeepNoListOfVeryManyTokens()
    {
        assertNull(kept.open(1, 4097, 1, kernels));
        assertNull(kept.open(1, 4097, 1, kernels));
        assertNotNull(kept.open(1, 4096, 1, kernels));
    }

    @Test
    void shouldHoldForTheSameDispatchAtTheSamePlaces()
    {
        kept.open(1, 10, 2, kernels);
        kept.open(1, 10, 2, kernels);
        assertFalse(kept.hold(new long[]{1, 2}));
        kept.beFilled(new long[]{1, 2});
        kept.open(1, 10, 2, kernels);
        assertTrue(kept.hold(new long[]{1, 2}));
        assertFalse(kept.hold(new long[]{1, 3}));
        kept.open(2, 10, 2, kernels);
        assertFalse(kept.hold(new long[]{1, 2}), "another dispatch has the table");
        kept.beFilled(new long[]{1, 2});
        kept.open(2, 20, 2, kernels);
        assertFalse(kept.hold(new long[]{1, 2}), "the list is a new one");
    }
}
