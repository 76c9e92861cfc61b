/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.kernels.host;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.transload.kernels.ElementType;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

class VectorFormTest
{
    private final RegionView view = new RegionView(ByteBuffer.allocateDirect(1), (buffer) -> buffer);
    private final RegionView otherView = new RegionView(ByteBuffer.allocateDirect(1), (buffer) -> buffer);
    private final SourceRows sources = new SourceRows();

    @Test
    void shouldNameTheOneKernelThatSumsRowsOfOneWindow()
    {
        assertEquals(VectorForm.SUM_OF_WINDOW, formOf(0, view));
        assertEquals(VectorForm.SUM_OF_WINDOW, formOf(7, view));
        assertEquals(VectorForm.SUM_OF_EIGHT, formOf(8, view));
        assertEquals(VectorForm.SUM_OF_MORE, formOf(9, view));
        assertEquals(VectorForm.SUM_OF_MORE, formOf(16, view));
        assertEquals(VectorForm.SUM_OF_WINDOW, formOf(17, view));
    }

    @Test
    void shouldNameTheOneKernelThatSumsRowsOfSeveralWindows()
    {
        assertEquals(VectorForm.SUM_OF_WINDOWS, formOf(2, otherView));
        assertEquals(VectorForm.SUM_OF_WINDOWS, formOf(8, otherView));
        assertEquals(VectorForm.SUM_OF_MORE, formOf(9, otherView));
        assertEquals(VectorForm.SUM_OF_WINDOWS, formOf(17, otherView));
    }

    @Test
    void shouldKnowARowThatIsItsOwnSum()
    {
        assertEquals(VectorForm.SUM_OF_ONE, formOf(1, view));
        assertEquals(VectorForm.SUM_OF_LANES, VectorForm.of(sources, ElementType.F32));

        sources.begin(true);
        sources.addSource(view, ElementType.BF16, 0, 0.5f);
        assertEquals(VectorForm.SUM_OF_WINDOW, VectorForm.of(sources, ElementType.BF16));
    }

    @Test
    void shouldTellPartsAndF32Apart()
    {
        formOf(8, view);
        sources.round();
        assertEquals(VectorForm.SUM_AFTER_PART, VectorForm.of(sources, ElementType.BF16));
        assertEquals(VectorForm.SUM_OF_LANES, VectorForm.of(sources, ElementType.F32));

        formOf(7, view);
        sources.addSource(view, ElementType.F32, 0, 1.0f);
        assertEquals(VectorForm.SUM_OF_LANES, VectorForm.of(sources, ElementType.BF16));
    }

    private VectorForm formOf(final int count, final RegionView viewOfLast)
    {
        sources.begin(false);
        for (int row = 1; row <= count; row++)
        {
            sources.addSource(row == count ? viewOfLast : view, ElementType.BF16, 0, 1.0f);
        }

        return VectorForm.of(sources, ElementType.BF16);
    }
}
