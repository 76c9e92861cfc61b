/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.runtime;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.transload.engine.internal.connect.Admission;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class MaskedReadmissionTest
{
    @Test
    void shouldKeepWhatAllRanksKnow()
    {
        assertEquals(Map.of(5, 70L), known(List.of(
            Map.of(3, 40L, 5, 70L), Map.of(2, 30L, 5, 70L), Map.of(5, 70L))));
        assertEquals(Map.of(), known(List.of(Map.of(3, 40L), Map.of())));
        assertEquals(Map.of(), known(List.of(Map.of(), Map.of(3, 40L))));
    }

    /** A rank may know of a process whose predecessor another rank still knows. */
    @Test
    void shouldTellProcessesOfARankApart()
    {
        assertEquals(Map.of(), known(List.of(Map.of(3, 40L), Map.of(3, 41L))));
    }

    private static Map<Integer, Long> known(final List<Map<Integer, Long>> told)
    {
        return MaskedReadmission.knownToAll(told.stream().map(Admission::encode).toList());
    }
}
