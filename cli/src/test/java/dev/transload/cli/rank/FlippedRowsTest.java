/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.rank;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.transload.cli.input.InputOptions;
import dev.transload.cli.launch.LocalThreads;
import dev.transload.cli.launch.Progress;
import dev.transload.cli.launch.RanksResult;
import dev.transload.cli.outcome.ExitCodes;
import dev.transload.cli.settings.Settings;
import dev.transload.cli.verify.Outputs;
import dev.transload.engine.Tensor;
import dev.transload.spi.TransportProvider;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Four ranks over mapped rings, in which a row is spoiled on its way: whatever reaches an output must be found.
 * That something did is told by comparing the outputs with those of the same rank in iterations before the first one,
 * byte by byte, which shares nothing with verification.
 */
class FlippedRowsTest
{
    private static final int RANKS = 4;
    private static final int HIDDEN = 128;
    private static final int ROW_BYTES = HIDDEN * Short.BYTES;
    private static final int ITERATIONS = 64;

    /** By then both signs of the input were delivered once, and the rows that ranks put are counted. */
    private static final int CLEAN = 4;
    private static final int LEAST_EFFECTS = 20;
    private static final long SEED = 7;
    private static final int EVERY = -1;
    private static final int NONE = -2;

    /** What happens to a row on its way. */
    private enum How
    {
        FLIP,
        LOSE
    }

    private final ClassLoader before = Thread.currentThread().getContextClassLoader();
    private final Random random = new Random(SEED);
    private final Map<Integer, byte[]> clean = new ConcurrentHashMap<>();
    private final long[] rowsPut = new long[RANKS];
    private final Set<Integer> differing = new ConcurrentSkipListSet<>();
    private final Set<Integer> found = new ConcurrentSkipListSet<>();

    @TempDir
    private Path folder;

    private URLClassLoader loader;
    private How how = How.FLIP;
    private int nodes = 2;

    @BeforeEach
    void findTheTransportThatFlips() throws IOException
    {
        final Path services = Files.createDirectories(folder.resolve("META-INF/services"));
        Files.writeString(services.resolve(TransportProvider.class.getName()), FlippingProvider.class.getName());
        loader = new URLClassLoader(new URL[]{ folder.toUri().toURL() }, before);
        Thread.currentThread().setContextClassLoader(loader);
    }

    @AfterEach
    void forgetIt() throws IOException
    {
        Thread.currentThread().setContextClassLoader(before);
        loader.close();
    }

    @ParameterizedTest
    @CsvSource({ "rank-major, distinct", "expert-major, echo" })
    void shouldFindEveryFlipThatReachesAnOutput(final String order, final String answers)
    {
        final String failure = run(order, answers, "ring", EVERY);

        assertTrue(differing.size() >= LEAST_EFFECTS, differing.size() + " flips had an effect, seed " + SEED);
        assertEquals(differing, found);
        assertNotNull(failure);
    }

    /** What goes wrong amid a run, and never again. */
    @Test
    void shouldNotCallARunVerifiedForItsOtherIterations()
    {
        final String failure = run("rank-major", "distinct", "ring", ITERATIONS / 2);

        assertEquals(Set.of(ITERATIONS / 2), differing);
        assertNotNull(failure);
        assertTrue(failure.endsWith(" (iteration " + (ITERATIONS / 2 + 1) + " of " + ITERATIONS + ")"), failure);
    }

    /** An input that is the same in every iteration would have the row of the iteration before pass for this one's. */
    @ParameterizedTest
    @CsvSource({ "1, rank-major, direct", "1, expert-major, direct", "2, rank-major, ring" })
    void shouldFindARowThatStaysAsTheIterationBeforeLeftIt(
        final int nodesOfWorld, final String order, final String placement)
    {
        how = How.LOSE;
        nodes = nodesOfWorld;
        final String failure = run(order, "distinct", placement, ITERATIONS / 2);

        assertEquals(Set.of(ITERATIONS / 2), differing);
        assertEquals(differing, found);
        assertNotNull(failure);
    }

    @Test
    void shouldFindNothingWhereNothingIsFlipped()
    {
        assertNull(run("rank-major", "distinct", "direct", NONE));
        assertEquals(Set.of(), differing);
        assertEquals(Set.of(), found);
    }

    /** The failure of the first rank that has one, null where all are verified. */
    private String run(final String order, final String answers, final String placement, final int spoiled)
    {
        FlippingProvider.count(RANKS, ROW_BYTES);
        final Settings settings = Settings.load(null, Map.of(), Map.of(), Map.of()).withDefaults(Map.ofEntries(
            Map.entry("transload.scale-out.transport", FlippingProvider.NAME),
            Map.entry("transload.scale-up.transport", FlippingProvider.NAME),
            Map.entry("transload.placement", placement), Map.entry("transload.dispatch.output", order),
            Map.entry("transload.nodes", String.valueOf(nodes)),
            Map.entry("transload.ranks-per-node", String.valueOf(RANKS / nodes)),
            Map.entry("transload.max-hidden", String.valueOf(HIDDEN)), Map.entry("transload.max-topk", "3"),
            Map.entry("transload.max-experts", "8"), Map.entry("transload.ring-memory", "4 MiB"),
            Map.entry("transload.kernels.mode", "scalar"), Map.entry("transload.timeouts.call", "60s")));
        final RunTask task = new RunTask(new InputOptions(null, 16, null, 8, 3, HIDDEN, null, 5), ITERATIONS, 0,
            false, false, answers, true, null, null, null);
        final RanksResult result = new LocalThreads(Progress.NONE).run(
            new RunRank((rank, iteration, outputs, difference) ->
                look(rank, iteration, outputs, difference,
                EVERY == spoiled || iteration + 1 == spoiled)),
            new ObjectMapper().valueToTree(task), settings, RANKS);

        assertEquals(ExitCodes.DONE, result.outcome().exitCode(), result.outcome().sentence());
        String failure = null;
        for (final JsonNode report : result.reports())
        {
            assertEquals(ITERATIONS, report.get("verified").asInt());
            failure = null == failure && !report.get("failure").isNull() ? report.get("failure").asText() : failure;
        }

        return failure;
    }

    /** No rank begins the next iteration before all have come here. */
    private void look(
        final int rank, final int iteration, final Outputs outputs, final String difference,
        final boolean isNextSpoiled)
    {
        final byte[] bytes = bytes(outputs);
        final int variant = rank + RANKS * (iteration % 2);
        if (iteration < CLEAN)
        {
            clean.put(variant, bytes);
            assertNull(difference);
        }
        else if (-1 != Arrays.mismatch(clean.get(variant), bytes))
        {
            differing.add(iteration);
            assertNotNull(difference, "rank " + rank + " in iteration " + iteration);
        }
        else
        {
            assertNull(difference);
        }

        if (null != difference)
        {
            found.add(iteration);
        }

        if (0 == rank)
        {
            prepare(iteration + 1, isNextSpoiled);
        }
    }

    private void prepare(final int iteration, final boolean isSpoiled)
    {
        if (iteration < CLEAN)
        {
            Arrays.setAll(rowsPut, FlippingProvider::rowsPut);
        }

        final int victim = iteration % RANKS;
        final long row = (long)(random.nextDouble() * rowsPut[victim]);
        if (!isSpoiled || iteration < CLEAN)
        {
            FlippingProvider.count(RANKS, ROW_BYTES);
        }
        else if (How.LOSE == how)
        {
            FlippingProvider.lose(RANKS, ROW_BYTES, victim, row);
        }
        else
        {
            FlippingProvider.flip(RANKS, ROW_BYTES, victim, row, random.nextInt(ROW_BYTES * Byte.SIZE));
        }
    }

    private static byte[] bytes(final Outputs outputs)
    {
        final ByteBuffer all = ByteBuffer.allocate(1 << 20);
        for (final Tensor tensor : new Tensor[]{ outputs.received().x(), outputs.received().topkIdx(),
            outputs.received().topkWeights(), outputs.received().srcTokenIdx() })
        {
            all.put(tensor.firstRows(outputs.rows()).view());
        }

        all.put(outputs.combined().view()).put(outputs.combinedWeights().view());
        return Arrays.copyOf(all.array(), all.position());
    }
}
