/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.transload.cli.input.InputOptions;
import dev.transload.cli.launch.LocalThreads;
import dev.transload.cli.launch.Progress;
import dev.transload.cli.launch.RanksResult;
import dev.transload.cli.outcome.ExitCodes;
import dev.transload.cli.rank.RunRank;
import dev.transload.cli.rank.RunTask;
import dev.transload.cli.settings.Settings;
import dev.transload.gate.Thorough;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Many iterations in one process: nothing grows, neither in the JVM nor below it. */
@Timeout(600)
@Thorough("endurance")
class EnduranceIT
{
    private static final int ITERATIONS = 1000;

    /** By then every path was taken, and all memory is there. */
    private static final int WARM = 300;

    private static final int PAGE = 4096;

    /** What the JVM's compilers hold comes and goes. 12 KiB left by each iteration of a rank would be more. */
    private static final long NATIVE_NOISE_BYTES = 32 << 20;

    private static final int MOST_COLLECTIONS = 20;

    private final Map<Long, Holdings> samples = new ConcurrentHashMap<>();

    /** What a process holds. */
    record Holdings(int threads, long files, long offHeapBytes, long nativeBytes)
    {
        /** What is held once garbage is gone: collected again and again until that changes nothing. */
        static Holdings settled()
        {
            Holdings before = now();
            for (int i = 0; i < MOST_COLLECTIONS; i++)
            {
                System.gc();
                final Holdings after = now();
                if (after.offHeapBytes == before.offHeapBytes && after.files == before.files)
                {
                    return after;
                }

                before = after;
            }

            return before;
        }

        private static Holdings now()
        {
            long bytes = 0;
            for (final BufferPoolMXBean pool : ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class))
            {
                bytes += pool.getMemoryUsed();
            }

            try (Stream<Path> files = Files.list(Path.of("/proc/self/fd")))
            {
                return new Holdings(ManagementFactory.getThreadMXBean().getThreadCount(), files.count(), bytes,
                    NativeHeap.bytesInUse());
            }
            catch (final java.io.IOException ex)
            {
                throw new java.io.UncheckedIOException(ex);
            }
        }
    }

    @ParameterizedTest
    @CsvSource({ "aeron, ''", "ucx, 'posix,self'", "ucx, 'tcp,self'" })
    void shouldNotGrowOverAThousandIterations(final String transport, final String waysOfUcx)
    {
        if (UcxHost.NAME.equals(transport))
        {
            UcxHost.require();
        }

        // Vectors are warmed up on a thread of its own, with memory of its own, whenever enough was summed.
        final Settings settings = Settings.load(null, Map.of(), Map.of("transload.ucx.tls", waysOfUcx), Map.of())
            .withDefaults(Map.of(
                "transload.scale-out.transport", transport, "transload.scale-up.transport", transport,
                "transload.nodes", "2", "transload.ranks-per-node", "2", "transload.max-hidden", "128",
                "transload.max-topk", "4", "transload.max-experts", "16", "transload.ring-memory", "4 MiB",
                "transload.kernels.mode", "scalar", "transload.timeouts.call", "120s"));
        final JsonNode task = new ObjectMapper().valueToTree(new RunTask(
            new InputOptions(null, 16, null, 16, 4, 128, null, 3), ITERATIONS, 0, false, false, "distinct", false,
            null, null, null));
        final RanksResult result = new LocalThreads(sampling()).run(new RunRank(), task, settings, 4);

        assertEquals(ExitCodes.DONE, result.outcome().exitCode(), result.outcome().sentence());
        for (final JsonNode report : result.reports())
        {
            assertTrue(report.get("failure").isNull(), report.get("failure").asText());
        }

        final Holdings warm = samples.get((long)WARM);
        final Holdings last = samples.get((long)ITERATIONS);
        assertTrue(last.threads() <= warm.threads(), warm + " then " + last);
        assertTrue(last.files() <= warm.files(), warm + " then " + last);
        // Less than a page: eight bytes left by each iteration would be more.
        assertTrue(last.offHeapBytes() - warm.offHeapBytes() < PAGE, warm + " then " + last);
        assertTrue(last.nativeBytes() - warm.nativeBytes() < NATIVE_NOISE_BYTES, warm + " then " + last);
    }

    /** Taken by whichever rank comes first; the others are in the same iteration or the one before. */
    private Progress sampling()
    {
        return (stage, done, all) ->
        {
            if ("exchanging".equals(stage) && (WARM == done || ITERATIONS == done))
            {
                samples.computeIfAbsent(done, (iteration) -> Holdings.settled());
            }
        };
    }
}
