/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.transload.cli.outcome.ExitCodes;
import dev.transload.gate.Thorough;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The batch script of docs/clusters.md, and a bench, in a real Slurm whose one node is this machine. */
@Timeout(600)
@Thorough("a launcher of its own; LaunchersIT starts ranks by the same variables")
class SlurmIT
{
    @TempDir
    private Path folder;

    @Test
    void shouldRunTheDocumentedBatchScript() throws Exception
    {
        final Path project = Program.scriptFile().getParent();
        final String page = Files.readString(project.resolve("docs/clusters.md"));
        final String chapter = page.substring(page.indexOf("\n## Slurm\n"));
        final int begin = chapter.indexOf("```bash\n") + "```bash\n".length();
        final Path script = Files.writeString(folder.resolve("job.sh"),
            chapter.substring(begin, chapter.indexOf("```\n", begin)));
        run(script);
        final JsonNode json = new ObjectMapper().readTree(read("rank-0.out"));
        assertTrue(json.get("verified").asBoolean());
        assertEquals(1, json.at("/world/nodes").asInt());
        assertEquals(4, json.at("/world/ranks_per_node").asInt());
        for (final String other : List.of("rank-1.out", "rank-2.out", "rank-3.out"))
        {
            assertEquals("", read(other));
        }
    }

    @Test
    void shouldMeasureBetweenTasks() throws Exception
    {
        final Path script = Files.writeString(folder.resolve("bench.sh"), """
            #!/bin/bash
            #SBATCH --ntasks-per-node=2
            ./transload transports >&2
            srun --kill-on-bad-exit=1 --output=rank-%t.out --error=rank-%t.err ./transload bench aeron --json --check \
                --sizes 8,4k --iterations 40 --timeout 120s
            """);
        run(script);
        final JsonNode json = new ObjectMapper().readTree(read("rank-0.out"));
        assertEquals(2, json.get("ranks").size());
        assertEquals(4, json.get("results").size());
        assertTrue(json.get("checked").asBoolean());
        assertEquals("", read("rank-1.out"));
    }

    /** On one node instead of two, with tasks of one processor; the rest is the script's own. */
    private void run(final Path script) throws Exception
    {
        final Path project = Program.scriptFile().getParent();
        Files.createSymbolicLink(folder.resolve("transload"), Program.scriptFile());
        final ProcessBuilder builder = new ProcessBuilder(project.resolve("scripts/with-slurm").toString(), "sbatch",
            "--wait", "--nodes=1", "--cpus-per-task=1", "--output=job.out", script.toString())
            .directory(folder.toFile()).redirectErrorStream(true).redirectOutput(folder.resolve("said").toFile());
        builder.environment().keySet().removeIf(Program::tellsAPlace);
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        final Process slurm = builder.start();
        try
        {
            assertTrue(slurm.waitFor(500, TimeUnit.SECONDS), "it must end by itself");
        }
        finally
        {
            slurm.destroy();
        }

        final String said = Files.readString(folder.resolve("said"));
        if (ExitCodes.UNAVAILABLE == slurm.waitFor() && said.contains("with-slurm: "))
        {
            LoudSkip.because(said.strip());
        }

        assertEquals(0, slurm.waitFor(), said + read("job.out") + read("rank-0.err"));
    }

    private String read(final String name) throws Exception
    {
        final Path file = folder.resolve(name);
        return Files.exists(file) ? Files.readString(file) : name + " is not there\n";
    }
}
