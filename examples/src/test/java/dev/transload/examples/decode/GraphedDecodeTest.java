/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.examples.decode;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A small model of as many layers, on the emulator. */
@Timeout(120)
class GraphedDecodeTest
{
    private static final Path EMULATOR =
        Path.of("..", "transport-nvlink-jni", "target", "emulator", "libcuda_emulator.so");
    private static final int REPLAYS = 4;

    @Test
    void shouldReplayAllLayersWithOtherTokensAndSelections()
    {
        Assumptions.assumeTrue(Files.exists(EMULATOR), "the emulator was not built: there is no C compiler");
        assertEquals(0, GraphedDecode.run(new DecodeModel(2, GraphedDecode.LAYERS, 4, 128, 6, 3, 2),
            EMULATOR.toAbsolutePath().normalize().toString(), REPLAYS), "wrong elements");
    }
}
