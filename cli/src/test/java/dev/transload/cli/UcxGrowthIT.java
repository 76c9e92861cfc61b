/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.gate.Thorough;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What the processes of ranks hold after many iterations over UCX, beside what they hold after fewer. */
@Timeout(300)
@Thorough("endurance")
class UcxGrowthIT
{
    /** By then every path was taken, and each heap has touched most of what it may have. */
    private static final int FEW = 200;
    private static final int MORE = 800;
    private static final int RANKS = 4;

    /** Garbage of verifications would touch more and more of a heap that is as large as it likes. */
    private static final String SMALL_HEAP = " -Xmx48m -Xmn16m";

    /** The least that an iteration could leave. */
    private static final long PAGE = 4096;

    /** What the JVM's compilers hold comes and goes. 10 KiB left by each iteration of a rank would be more. */
    private static final long PRIVATE_NOISE_BYTES = 32 << 20;

    private static final String SHARED_MAPPING = ".*(/dev/shm/|/SYSV).*";

    @TempDir
    private Path folder;

    /** What all ranks hold together. */
    record Holdings(long files, long sharedBytes, long privateBytes)
    {
        static Holdings of(final List<ProcessHandle> ranks)
        {
            long files = 0;
            long sharedBytes = 0;
            long privateBytes = 0;
            for (final ProcessHandle rank : ranks)
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
    void shouldNotGrowWithIterations() throws Exception
    {
        final Map<String, String> variables = UcxHost.variables("posix,self");
        variables.merge(UcxHost.JVM_FLAGS, SMALL_HEAP, String::concat);
        final Program program = Program.start(folder, List.of(), variables, "run", "--json", "--verbose",
            "--metrics-port", "0", "--scale-out", UcxHost.NAME, "--scale-up", UcxHost.NAME, "--nodes", "2",
            "--ranks-per-node", "2", "--tokens", "16", "--hidden", "128", "--experts", "16", "--topk", "4",
            "--iterations", "1000000", "--timeout", "120s", "-Dtransload.ring-memory=4 MiB",
            "-Dtransload.kernels.mode=scalar");
        try
        {
            final long first = awaitIterations(program, FEW);
            final Holdings few = Holdings.of(program.ranks());
            final long last = awaitIterations(program, first + MORE);
            final Holdings many = Holdings.of(program.ranks());

            final long more = RANKS * (last - first);
            assertTrue(few.sharedBytes() > 0, few + " must have found shared memory");
            assertTrue(many.files() - few.files() < more / 10, few + " then " + many);
            assertTrue(many.sharedBytes() - few.sharedBytes() < more * PAGE, few + " then " + many);
            assertTrue(many.privateBytes() - few.privateBytes() < PRIVATE_NOISE_BYTES, few + " then " + many);
        }
        finally
        {
            program.process().destroy();
            program.end();
        }
    }

    /** Until rank 0 has done so many, and the others one less at least: how many that are. */
    private long awaitIterations(final Program program, final long count)
    {
        final ServedMetrics served = new ServedMetrics(folder);
        final AtomicLong done = new AtomicLong();
        Waiting.until(count + " iterations are done", () ->
        {
            assertTrue(program.process().isAlive(), "the run must go on");
            final URI address = served.addresses().get(0);
            done.set(null == address ? 0 :
                (long)served.sum(address, "transload_calls_seconds_count", "kind=\"combine\""));
            return done.get() >= count;
        });
        return done.get();
    }
}
