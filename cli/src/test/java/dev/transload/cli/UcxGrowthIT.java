/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.transload.cli.input.InputOptions;
import dev.transload.cli.launch.LocalProcesses;
import dev.transload.cli.launch.RankProcess;
import dev.transload.cli.launch.RanksResult;
import dev.transload.cli.outcome.ExitCodes;
import dev.transload.cli.rank.RunRank;
import dev.transload.cli.rank.RunTask;
import dev.transload.cli.settings.Settings;
import dev.transload.gate.Thorough;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What the processes of ranks hold after many iterations over UCX, beside what they hold after fewer. */
@Timeout(300)
@Thorough("endurance")
class UcxGrowthIT
{
    private static final int FEW = 50;
    private static final int MANY = 350;
    private static final int RANKS = 4;

    /** The least that an iteration could leave. Ranks differ by a few connections and by what their heaps touched. */
    private static final long PAGE = 4096;
    private static final long HEAP_TOUCHED_BYTES = 64 << 10;

    private static final String SHARED_MAPPING = ".*(/dev/shm/|/SYSV).*";

    /** What all ranks hold together. */
    record Holdings(long files, long sharedBytes, long privateBytes)
    {
        static Holdings ofChildren()
        {
            long files = 0;
            long sharedBytes = 0;
            long privateBytes = 0;
            for (final ProcessHandle rank : ProcessHandle.current().children().toList())
            {
                final Path process = Path.of("/proc/" + rank.pid());
                try (Stream<Path> open = Files.list(process.resolve("fd")))
                {
                    files += open.count();
                    sharedBytes += sharedBytes(Files.readAllLines(process.resolve("maps")));
                    privateBytes += residentBytes(Files.readAllLines(process.resolve("status")));
                }
                catch (final IOException ex)
                {
                    throw new UncheckedIOException(ex);
                }
            }

            return new Holdings(files, sharedBytes, privateBytes);
        }

        private static long sharedBytes(final List<String> maps)
        {
            return maps.stream().filter((line) -> line.matches(SHARED_MAPPING)).mapToLong((line) ->
            {
                final String[] ends = line.substring(0, line.indexOf(' ')).split("-");
                return Long.parseUnsignedLong(ends[1], 16) - Long.parseUnsignedLong(ends[0], 16);
            }).sum();
        }

        private static long residentBytes(final List<String> status)
        {
            return status.stream().filter((line) -> line.startsWith("RssAnon:"))
                .mapToLong((line) -> Long.parseLong(line.replaceAll("\\D", "")) << 10).sum();
        }
    }

    @BeforeAll
    static void shouldHaveUcx()
    {
        UcxHost.require();
    }

    @Test
    void shouldNotGrowWithIterations()
    {
        final Holdings few = after(FEW);
        final Holdings many = after(MANY);

        final long more = (long)RANKS * (MANY - FEW);
        assertTrue(few.sharedBytes() > 0, few + " must have found shared memory");
        assertTrue(many.files() - few.files() < more / 10, few + " then " + many);
        assertTrue(many.sharedBytes() - few.sharedBytes() < more * PAGE, few + " then " + many);
        assertTrue(many.privateBytes() - few.privateBytes() < more * HEAP_TOUCHED_BYTES, few + " then " + many);
    }

    /** Taken when the last rank tells of its last iteration: the others wait for it. */
    private static Holdings after(final int iterations)
    {
        final Settings settings = Settings.load(null, Map.of(), Map.of("transload.ucx.tls", "posix,self"), Map.of())
            .withDefaults(Map.of(
                "transload.scale-out.transport", UcxHost.NAME, "transload.scale-up.transport", UcxHost.NAME,
                "transload.nodes", "2", "transload.ranks-per-node", "2", "transload.max-hidden", "128",
                "transload.max-topk", "4", "transload.max-experts", "16", "transload.ring-memory", "4 MiB",
                "transload.kernels.mode", "scalar", "transload.timeouts.call", "120s"));
        final JsonNode task = new ObjectMapper().valueToTree(new RunTask(
            new InputOptions(null, 16, null, 16, 4, 128, null, 3), iterations, 0, false, false, "distinct", false,
            null, null));
        final List<String> last = new ArrayList<>();
        final List<Holdings> taken = new ArrayList<>();
        final RanksResult result = new LocalProcesses(RankProcess.class.getName(), (stage, done, all) ->
        {
            if ("exchanging".equals(stage) && done == all)
            {
                last.add(stage);
                if (RANKS == last.size())
                {
                    taken.add(Holdings.ofChildren());
                }
            }
        }, (line) -> {}).run(RunRank.NAME, task, settings, RANKS);

        assertEquals(ExitCodes.DONE, result.outcome().exitCode(), result.outcome().sentence());
        assertEquals(1, taken.size(), "times that all ranks had done their last iteration");
        return taken.get(0);
    }
}
