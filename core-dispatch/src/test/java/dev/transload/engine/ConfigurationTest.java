/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.typesafe.config.ConfigFactory;
import dev.transload.engine.cores.CoreSet;
import dev.transload.engine.cores.HostShare;
import dev.transload.engine.internal.config.HostRule;
import dev.transload.spi.ConfigurationException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Settings are read, tuned and refused with key, value and what is allowed. */
class ConfigurationTest
{
    /** Of the largest row that is configured where nothing is: hidden 7168. */
    private static final long BF16_ROW_BYTES = 14336;

    private static EngineConfig read(final String... lines)
    {
        return EngineConfig.from(ConfigFactory.parseString(String.join("\n", lines)));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "nodes | 0 | a whole number in [1, 65536]",
        "nodes | many | a whole number in [1, 65536]",
        "nodes | 2.5 | a whole number in [1, 65536]",
        "ranks-per-node | -1 | a whole number in [1, 4096], or one for each node, e.g. [8, 8, 4]",
        "ranks-per-node | [8, 0] | a whole number in [1, 4096], or one for each node, e.g. [8, 8, 4]",
        "ranks-per-node | [] | a whole number in [1, 4096], or one for each node, e.g. [8, 8, 4]",
        "ranks-per-node | '\"8,many\"' | a whole number in [1, 4096], or one for each node, e.g. [8, 8, 4]",
        "channels | 257 | auto, or a whole number in [1, 256]",
        "channels | 99999999999 | auto, or a whole number in [1, 256]",
        "channels | null | set, or left out for its default",
        "max-hidden | 100 | a multiple of 8 in [8, 1048576]",
        "max-hidden | 4 | a multiple of 8 in [8, 1048576]",
        "max-topk | 0 | a whole number in [1, 128]",
        "max-experts | 0 | a whole number in [1, 1048576]",
        "ring-memory | lots | auto, or a positive size with its unit, e.g. 32 MiB",
        "payload.ring-memory | 0 | a positive size with its unit, e.g. 32 MiB",
        "ring-memory | 0 | auto, or a positive size with its unit, e.g. 32 MiB",
        "table-memory | 0 | auto, or a positive size with its unit, e.g. 32 MiB",
        "table-memory | some | auto, or a positive size with its unit, e.g. 32 MiB",
        "scale-out.transport | {} | the name of a transport",
        "scale-up.transport | [1] | the name of a transport",
        "scale-out.chunk | 0 | auto, or a whole number in [1, 1048576]",
        "scale-up.credit-batch | 0 | auto, or a whole number in [1, 1048576]",
        "scale-up.ring | x | auto, or a whole number in [1, 16777216]",
        "scale-up.credit | steal | push or pull",
        "dispatch.output | column-major | rank-major or expert-major",
        "dispatch.expert-alignment | 0 | a whole number in [1, 1048576]",
        "combine.wire | f16 | bf16 or f32",
        "payload.kind | Gpu | auto, or a kind of memory in upper case, e.g. HOST or CUDA",
        "payload.device | -1 | auto, or a whole number in [0, 65536]",
        "payload.staging | sometimes | auto, always or never",
        "threads.count | 257 | auto, or a whole number in [0, 256]",
        "threads.idle | sleep | auto, backoff, yield or spin",
        "threads.cores | all | auto, or a list of cores and ranges",
        "threads.cores | [1, 3-] | auto, or a list of cores and ranges",
        "threads.roles | [2, 4, 2] | [], or five positive numbers",
        "threads.roles | [2, 1, 0, 1, 2] | [], or five positive numbers",
        "threads.roles | many | [], or five positive numbers",
        "threads.roles | [99, 99, 99, 1, 1] | at most 256 threads together",
        "timeouts.call | 0 s | a positive duration with its unit, e.g. 30s, 500ms or 2m",
        "timeouts.call | 30 | a positive duration with its unit, e.g. 30s, 500ms or 2m",
        "timeouts.call | soon | a positive duration with its unit, e.g. 30s, 500ms or 2m",
        "timeouts.liveness | long | auto, or a positive duration with its unit, e.g. 30s, 500ms or 2m",
        "timeouts.open | -1 s | a positive duration with its unit, e.g. 30s, 500ms or 2m",
        "scale-out | 3 | a section",
    })
    void shouldNameKeyValueAndWhatIsAllowed(final String key, final String value, final String allowed)
    {
        Messages.assertRefused(ConfigurationException.class, () -> read("transload." + key + " = " + value),
            "transload." + key + " = ", "is not allowed: must be " + allowed);
    }

    @ParameterizedTest
    @ValueSource(strings = {"[8, 8, 4]", "\"8,8,4\"", "\"8, 8, 4\""})
    void shouldTakeTheRanksOfEachNode(final String value)
    {
        final String ranks = "transload.ranks-per-node = " + value;
        final WorldConfig world = read(ranks).world();
        assertEquals(List.of(8, 8, 4), world.ranksOfNodes());
        assertEquals(20, world.size());
        assertEquals("8,8,4", world.ranksPerNode());
        assertEquals("3 nodes x 8,8,4 ranks", world.toString());
        assertEquals(2, world.advisedChannels());
        assertEquals(world, read(ranks, "transload.nodes = 3").world());
        Messages.assertRefused(ConfigurationException.class, () -> read(ranks, "transload.nodes = 2"),
            "transload.ranks-per-node = ", "one for each node, e.g. [8, 8, 4], as many as transload.nodes = 2");
    }

    @Test
    void shouldTakeOneNumberForAllNodes()
    {
        final WorldConfig world = read("transload.nodes = 2", "transload.ranks-per-node = 4").world();
        assertEquals(WorldConfig.of(2, 4), world);
        assertEquals("4", world.ranksPerNode());
        assertEquals(1, world.advisedChannels());
    }

    @ParameterizedTest
    @ValueSource(strings = {"chanels", "scale-out.chunks", "scale-up.rings", "threads.cout", "timeouts.cal"})
    void shouldRefuseUnknownKeysAndListTheKnownOnes(final String key)
    {
        Messages.assertRefused(ConfigurationException.class, () -> read("transload." + key + " = 1"),
            "transload." + key + " is not a key: known here are ", key.contains("scale") ? "credit-batch" : "");
    }

    @ParameterizedTest
    @CsvSource({"dispatch.packing, always, leave it out",
        "dispatch.senders-per-channel, 2, set transload.channels instead",
        "threads.layout, roles, set transload.threads.roles to deal them otherwise"})
    void shouldSayWhatTookOverFromAKeyThatIsGone(final String key, final String value, final String successor)
    {
        Messages.assertRefused(ConfigurationException.class, () -> read("transload." + key + " = " + value),
            "transload." + key + " is gone: ", successor);
    }

    @ParameterizedTest
    @CsvSource({"scale-out, 4, 3, 5, 6", "scale-up, 1, 2, 1, 2", "scale-out, 8, 1, 7, 8"})
    void shouldRefuseRingsThatCouldDeadlock(
        final String stage, final int chunk, final int batch, final int ring, final int least)
    {
        final String section = "transload." + stage;
        Messages.assertRefused(ConfigurationException.class, () -> read(section + ".chunk = " + chunk,
            section + ".credit-batch = " + batch, section + ".ring = " + ring),
            section + ".ring = " + ring + " could deadlock", "= " + least);
        assertEquals(least, ringOf(stage, read(section + ".chunk = " + chunk,
            section + ".credit-batch = " + batch, section + ".ring = " + least)));
    }

    private static int ringOf(final String stage, final EngineConfig config)
    {
        return "scale-out".equals(stage) ? config.scaleOut().ring() : config.scaleUp().ring();
    }

    @Test
    void shouldKeepLivenessWithinAQuarterOfTheDeadline()
    {
        Messages.assertRefused(ConfigurationException.class,
            () -> read("transload.timeouts.call = 8 s", "transload.timeouts.liveness = 2001 ms"),
            "transload.timeouts.liveness = 2001 ms", "at most a quarter of transload.timeouts.call, 2000 ms");
        assertEquals(Duration.ofSeconds(2), read("transload.timeouts.call = 8 s").livenessTimeout());
        assertEquals(Duration.ofSeconds(2),
            read("transload.timeouts.call = 8 s", "transload.timeouts.liveness = 2 s").livenessTimeout());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"[] | []", "[\"0-3\", 6] | [0-3, 6]", "\"0-1,4\" | [0-1, 4]", "3 | [3]"})
    void shouldTakeCoresAsListOrText(final String value, final String wanted)
    {
        assertEquals(wanted, read("transload.threads.cores = " + value).threading().cores().entries().toString());
        assertTrue(read("transload.threads.cores = auto").threading().cores().isAuto());
    }

    @ParameterizedTest
    @ValueSource(strings = {"[2, 1, 4, 1, 3]", "\"2,1,4,1,3\""})
    void shouldTakeThreadsOfEachKindOfRole(final String value)
    {
        final String roles = "transload.threads.roles = " + value;
        final ThreadConfig threads = read(roles).threading();
        assertEquals(List.of(2, 1, 4, 1, 3), threads.roles());
        assertEquals(11, threads.count());
        assertEquals(threads, read(roles, "transload.threads.count = 11").threading());
        Messages.assertRefused(ConfigurationException.class, () -> read(roles, "transload.threads.count = 12"),
            "as many as transload.threads.count where that is set");
    }

    @ParameterizedTest
    @CsvSource({"1, 1, 7168, 32", "2, 2, 7168, 32", "4, 8, 7168, 32", "2, 8, 4096, 64", "8, 8, 16384, 256"})
    void shouldTuneRingsWithinTheMemoryAllowed(
        final int nodes, final int ranksPerNode, final int hidden, final int mebibytes)
    {
        final EngineConfig config = read("transload.nodes = " + nodes, "transload.ranks-per-node = " + ranksPerNode,
            "transload.max-hidden = " + hidden, "transload.ring-memory = " + mebibytes + " MiB");
        for (final StageConfig stage : new StageConfig[]{config.scaleOut(), config.scaleUp()})
        {
            assertTrue(stage.ring() >= stage.chunk() + stage.creditBatch() - 1, stage::toString);
        }

        final boolean isLeast = 1 == config.scaleOut().chunk() && 1 == config.scaleUp().chunk();
        final long allowed = (long)mebibytes << 20;
        // Scales and metadata lie beside the rows.
        assertTrue(isLeast || Engine.ringBytes(config) <= allowed + allowed / 8,
            () -> Engine.ringBytes(config) + " bytes for " + config);
    }

    private static EngineConfig onDevice(final int coresPerRank, final String... lines)
    {
        final List<String> all = new ArrayList<>(List.of(lines));
        all.add("transload.payload.kind = DEVICE");
        return HostRule.settle(read(all.toArray(new String[0])), new HostShare(coresPerRank, 1, 0, CoreSet.EMPTY));
    }

    @ParameterizedTest
    @CsvSource({
        // cores a rank, ranks of the node, hidden, MiB of device memory -> channels, rows of a chunk
        "8, 2, 7168, 2048, 4, 512",
        "16, 2, 7168, 2048, 4, 512",
        "4, 2, 7168, 2048, 4, 512",
        "8, 4, 7168, 2048, 4, 512",
        "8, 8, 7168, 1024, 4, 256",
        "8, 2, 7168, 176, 4, 256",
        "8, 2, 16384, 2048, 4, 256",
        "8, 2, 2048, 2048, 4, 512",
        "3, 2, 7168, 2048, 1, 36",
    })
    void shouldFitDevicePayloadWhereRanksHaveCores(
        final int cores, final int ranks, final int hidden, final int mebibytes, final int channels, final int chunk)
    {
        final EngineConfig config = onDevice(cores, "transload.ranks-per-node = " + ranks,
            "transload.max-hidden = " + hidden, "transload.payload.ring-memory = " + mebibytes + " MiB");
        assertEquals(channels, config.channels());
        assertEquals(chunk, config.scaleUp().chunk());
        assertEquals(cores < 4 ? 4 * chunk : 2 * chunk, config.scaleUp().ring());
        assertEquals(chunk / 2, config.scaleUp().creditBatch());
        assertTrue(Engine.ringBytes(config) <= (long)mebibytes << 20, () -> Engine.ringBytes(config) + " bytes");
        assertTrue(cores < 4 || config.scaleOut().chunk() == chunk, "rows of the own node go on by this chunk");
    }

    @Test
    void shouldTellTheRingsOfEachStage()
    {
        final String[] keys = { "transload.nodes = 2", "transload.ranks-per-node = 4", "transload.channels = 2",
            "transload.scale-up.chunk = 16", "transload.scale-up.ring = 128", "transload.scale-out.chunk = 16",
            "transload.scale-out.ring = 64" };
        final EngineConfig small = read(keys);
        keys[keys.length - 1] = "transload.scale-out.ring = 128";
        final EngineConfig wide = read(keys);
        assertEquals(2 * Engine.scaleOutRingBytes(small), Engine.scaleOutRingBytes(wide));
        assertEquals(Engine.scaleUpRingBytes(small), Engine.scaleUpRingBytes(wide));
        assertTrue(Engine.scaleOutRingBytes(small) > 0);
        assertEquals(Engine.ringBytes(small), Engine.scaleOutRingBytes(small) + Engine.scaleUpRingBytes(small));

        final EngineConfig node =
            read("transload.nodes = 1", "transload.ranks-per-node = 4", "transload.channels = 2");
        assertEquals(0, Engine.scaleOutRingBytes(node));
        assertTrue(Engine.scaleUpRingBytes(node) > 0);
    }

    /** Half of the cores are the engines' there, and a channel without a thread of its own is only more launches. */
    @ParameterizedTest
    @CsvSource({
        "16, 4, auto, 2", "16, 2, auto, 4", "64, 4, auto, 4", "8, 2, auto, 2", "16, 4, 8, 8", "15, 4, auto, 1" })
    void shouldHaveAChannelForEachThreadOfADeviceWhereRanksShareTheHost(
        final int cores, final int sharing, final String configured, final int channels)
    {
        final EngineConfig config = HostRule.settle(read("transload.nodes = 1", "transload.ranks-per-node = " + sharing,
            "transload.payload.kind = DEVICE", "transload.channels = " + configured),
            new HostShare(cores, sharing, 0, CoreSet.EMPTY));
        assertEquals(channels, config.channels());
    }

    @ParameterizedTest
    @CsvSource({
        // cores, ranks that share them, what is configured -> channels, rows of a chunk within the node
        "2, 4, auto, 1, 36",
        "3, 2, auto, 1, 36",
        "7, 2, auto, 2, 36",
        "4, 2, auto, 2, 36",
        "8, 2, auto, 2, 36",
        "2, 4, 2, 2, 36",
        "2, 1, auto, 2, 36",
        "1, 1, auto, 1, 36",
        "8, 1, auto, 2, 36",
    })
    void shouldHaveOneChannelWhereRanksHaveFewCores(
        final int cores, final int sharing, final String configured, final int channels, final int chunk)
    {
        final EngineConfig config = HostRule.settle(read("transload.nodes = 1", "transload.ranks-per-node = " + sharing,
            "transload.ring-memory = 1 GiB", "transload.channels = " + configured),
            new HostShare(cores, sharing, 0, CoreSet.EMPTY));
        assertEquals(channels, config.channels());
        assertEquals(chunk, config.scaleUp().chunk());
        assertEquals(4 * chunk, config.scaleUp().ring());
    }

    @Test
    void shouldKeepStagedRowsAndMetadataWithinTheHostsMemory()
    {
        final EngineConfig staged = staged("32 MiB");
        assertEquals(8, staged.channels());
        assertEquals(512, staged.scaleUp().chunk());
        final long slots = (long)staged.channels() * staged.nodes() * staged.scaleOut().ring();
        assertTrue(slots * 2 * BF16_ROW_BYTES <= 32 << 20, staged::toString);
        assertEquals(128, onDevice(8, "transload.ranks-per-node = 8", "transload.ring-memory = 2304 KiB",
            "transload.max-topk = 8").scaleUp().chunk());
    }

    /** Rings have fewer chunks before chunks get smaller. */
    @ParameterizedTest
    @CsvSource({"1 GiB, 4", "220 MiB, 3", "140 MiB, 2", "auto, 3"})
    void shouldStageTwoMebibytesAtOnceWhereTheyFit(final String ringMemory, final int chunksPerRing)
    {
        final StageConfig stage = staged(ringMemory).scaleOut();
        final long chunk = stage.chunk();
        assertTrue(chunk * BF16_ROW_BYTES >= 2 << 20 && (chunk - 1) * BF16_ROW_BYTES < 2 << 20, "rows: " + chunk);
        assertEquals(chunksPerRing * chunk, stage.ring());
    }

    private static EngineConfig staged(final String ringMemory)
    {
        return onDevice(8, "transload.nodes = 2", "transload.ranks-per-node = 2",
            "transload.scale-out.transport = wire", "transload.scale-up.transport = link",
            "transload.ring-memory = " + ringMemory);
    }

    @Test
    void shouldLeaveSizesThatAreConfigured()
    {
        final EngineConfig config = onDevice(8, "transload.ranks-per-node = 2", "transload.channels = 3",
            "transload.scale-up.chunk = 7", "transload.scale-out.ring = 30");
        assertEquals(3, config.channels());
        assertEquals(new StageConfig(StageConfig.AUTO, 7, 14, 3, CreditMode.PUSH), config.scaleUp());
        assertEquals(new StageConfig(StageConfig.AUTO, 20, 30, 10, CreditMode.PUSH), config.scaleOut());
    }
}
