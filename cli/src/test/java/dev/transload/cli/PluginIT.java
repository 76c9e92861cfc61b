/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.cli.outcome.ExitCodes;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Ranks that are processes find what the command line was told of. */
@Timeout(300)
class PluginIT
{
    @TempDir
    private Path folder;

    @Test
    void shouldBeInheritedByRanksOfARunAndOfTheKit() throws Exception
    {
        final String jar = MmapJar.in(folder).toString();
        final Program run = Program.startShort(folder, "run", "--json", "--plugin", jar, "--scale-up", "mmap",
            "--nodes", "1", "--ranks-per-node", "2", "--tokens", "8", "--hidden", "64", "--experts", "4", "--topk",
            "2", "--timeout", "120s", "-Dtransload.kernels.mode=scalar");
        final Program.End end = run.end();
        assertEquals(ExitCodes.DONE, end.exitCode(), end.err());
        assertTrue(end.json().get("verified").asBoolean(), end.out());
        assertEquals("mmap", end.json().at("/transports/scale_up/name").asText());
        assertEquals(List.of(), run.left());

        final Program.End kit = Program.startShort(folder, "conformance", "mmap", "--json", "--plugin", jar,
            "--processes", "--rule", "ORD-2").end();
        assertEquals(ExitCodes.DONE, kit.exitCode(), kit.err());
        assertEquals("mmap", kit.json().get("transport").asText());
    }
}
