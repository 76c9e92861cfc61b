/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import com.typesafe.config.ConfigFactory;
import dev.transload.kernels.ElementType;
import dev.transload.spi.ConfigurationException;
import dev.transload.spi.MemoryKind;
import java.lang.reflect.RecordComponent;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Method calls and keys give the same settings. */
class EngineConfigBuilderTest
{
    private static EngineConfig read(final String... lines)
    {
        return EngineConfig.from(ConfigFactory.parseString(String.join("\n", lines)));
    }

    @Test
    void shouldHaveTheDefaultsOfTheReference()
    {
        assertEquals(read(), EngineConfig.builder().build());
    }

    @Test
    void shouldSetWhatKeysSet() throws ReflectiveOperationException
    {
        final EngineConfig built = EngineConfig.builder().nodes(2).ranksPerNode(4).channels(3).maxHidden(512).maxTopk(5)
            .maxExperts(33).ringMemory(64 << 20).deviceRingMemory(1 << 30).scaleOut("wire").scaleOutSizes(6, 12, 3)
            .scaleOutCredit(CreditMode.PULL).scaleUp("link").scaleUpSizes(4, 9, 2).scaleUpCredit(CreditMode.PULL)
            .placement(Placement.RING).combineWire(ElementType.F32).output(OutputLayout.EXPERT_MAJOR).expertAlignment(7)
            .payload(new MemoryKind("DEVICE")).device(1).threadsOfRoles(1, 2, 3, 1, 1).threads(8).idle(IdleMode.YIELD)
            .cores("0-1", "2").callTimeout(Duration.ofSeconds(20)).openTimeout(Duration.ofSeconds(9))
            .livenessTimeout(Duration.ofMillis(1500)).onPeerFailure(OnPeerFailure.MASK)
            .option("wire", "host", "here").option("kernels", "mode", "scalar").build();
        final EngineConfig read = read("transload.nodes = 2", "transload.ranks-per-node = 4", "transload.channels = 3",
            "transload.max-hidden = 512", "transload.max-topk = 5", "transload.max-experts = 33",
            "transload.ring-memory = 64 MiB", "transload.payload { ring-memory = 1 GiB, kind = DEVICE, device = 1 }",
            "transload.scale-out { transport = wire, chunk = 6, ring = 12, credit-batch = 3, credit = pull }",
            "transload.scale-up { transport = link, chunk = 4, ring = 9, credit-batch = 2, credit = pull }",
            "transload.placement = ring", "transload.combine.wire = f32",
            "transload.dispatch { output = expert-major, expert-alignment = 7 }",
            "transload.threads { count = 8, idle = yield, roles = [1, 2, 3, 1, 1], cores = [\"0-1\", 2] }",
            "transload.timeouts { call = 20 s, open = 9 s, liveness = 1500 ms }", "transload.on-peer-failure = mask",
            "transload.wire.host = here", "transload.kernels.mode = scalar");
        assertEquals(read, built);
        for (final RecordComponent component : EngineConfig.class.getRecordComponents())
        {
            assertNotEquals(component.getAccessor().invoke(EngineConfig.builder().build()),
                component.getAccessor().invoke(built), component.getName() + " cannot be set");
        }
    }

    @Test
    void shouldTakeNodesThatDiffer()
    {
        assertEquals(List.of(8, 8, 4), EngineConfig.builder().ranksPerNode(8, 8, 4).build().world().ranksOfNodes());
    }

    @Test
    void shouldRefuseAsKeysAre()
    {
        final EngineConfigBuilder builder = EngineConfig.builder().scaleUpSizes(8, 7, 8);
        Messages.assertRefused(ConfigurationException.class, builder::build,
            "transload.scale-up.ring = 7 could deadlock");
        Messages.assertRefused(ConfigurationException.class, EngineConfig.builder().nodes(0)::build,
            "transload.nodes = 0 is not allowed: must be a whole number in [1, 65536]");
    }
}
