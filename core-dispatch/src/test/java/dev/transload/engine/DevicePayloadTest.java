/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.transload.engine.internal.config.PayloadRule;
import dev.transload.kernels.host.HostRowKernelsProvider;
import dev.transload.rendezvous.InMemoryRendezvous;
import dev.transload.spi.ConfigurationException;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.TransportException;
import dev.transload.tck.stepping.SteppingFabric;
import dev.transload.tck.stepping.SteppingOptions;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

/** What users of an engine do with payload that the JVM cannot look into: where it lives, how it gets there. */
class DevicePayloadTest
{
    private static final MemoryKind OPAQUE = SteppingOptions.OPAQUE;

    /** More than one block of the copies. */
    private static final int BYTES = (8 << 20) + 4096;

    private static Scenario scenario()
    {
        final Scenario scenario = new Scenario(5);
        scenario.nodes = 1;
        scenario.tokens = new int[]{3, 2};
        scenario.kind = OPAQUE;
        return scenario;
    }

    private static void drive(final SteppingWorld world, final Runnable copy)
    {
        final CompletableFuture<Void> done = CompletableFuture.runAsync(copy);
        world.await("copied", done::isDone, Duration.ofMinutes(1));
        done.join();
    }

    @Test
    void shouldBringBytesToTheDeviceAndBack()
    {
        try (SteppingWorld world = new SteppingWorld(scenario()))
        {
            final byte[] sent = new byte[BYTES];
            new Random(7).nextBytes(sent);
            final TensorMemory memory = world.engines.get(1).allocatePayload(64 + BYTES);
            final ByteBuffer source = ByteBuffer.wrap(sent);
            drive(world, () -> memory.copyFromHost(64, source));
            assertEquals(0, source.remaining());
            assertArrayEquals(sent, world.fabric.peek(memory.scaleUpRegion(), 64, BYTES));

            final ByteBuffer target = ByteBuffer.allocateDirect(BYTES + 4).position(4);
            drive(world, () -> memory.copyToHost(64, target));
            assertEquals(ByteBuffer.wrap(sent), target.position(4));
        }
    }

    @Test
    void shouldCopyRowsOfATensorOfAnyKind()
    {
        try (SteppingWorld world = new SteppingWorld(scenario()))
        {
            final Engine engine = world.engines.get(0);
            for (final TensorMemory memory : List.of(engine.allocatePayload(256), engine.allocateHost(256)))
            {
                final Tensor tensor = new Tensor(memory, 16, DataType.BF16, 3, 8);
                drive(world, () -> tensor.copyFromHost(1, ByteBuffer.wrap(new byte[]{1, 2, 3, 4, 5, 6, 7, 8, 9, 10,
                    11, 12, 13, 14, 15, 16})));
                final byte[] all = new byte[48];
                drive(world, () -> tensor.copyToHost(0, ByteBuffer.wrap(all)));
                assertEquals(0, all[15]);
                assertEquals(1, all[16]);
                assertEquals(16, all[31]);
                assertEquals(0, all[32]);
                assertThrows(
                    IndexOutOfBoundsException.class, () -> tensor.copyFromHost(2, ByteBuffer.allocate(32)));
                assertThrows(
                    IndexOutOfBoundsException.class, () -> memory.copyToHost(252, ByteBuffer.allocate(8)));
            }
        }
    }

    @Test
    void shouldNotWaitForADeviceForEver()
    {
        final Scenario scenario = scenario();
        scenario.more = "transload.timeouts.open = 300 ms";
        try (SteppingWorld world = new SteppingWorld(scenario))
        {
            world.fabric.pause(0);
            final TensorMemory memory = world.engines.get(0).allocatePayload(64);
            final CompletionException failure = assertThrows(CompletionException.class,
                () -> drive(world, () -> memory.copyFromHost(0, ByteBuffer.allocate(64))));
            Messages.assertContains(assertInstanceOf(TransportException.class, failure.getCause()),
                "rank 0", "stepping", "transload.timeouts.open = 300 ms");
            world.fabric.resume(0);
        }
    }

    @Test
    void shouldTakeTheKindWhoseKernelsComeWithTheScaleUpTransport()
    {
        final SteppingFabric fabric = new SteppingFabric(1, 2, SteppingOptions.opaque());
        final KernelRegistry kernels =
            KernelRegistry.of(List.of(new HostRowKernelsProvider(), fabric.kernelsProvider(OPAQUE)));
        final InMemoryRendezvous rendezvous = InMemoryRendezvous.world(2).get(1);
        final EngineConfig auto = auto("stepping");
        assertEquals(new PayloadConfig(OPAQUE, false, 1), PayloadRule.settle(auto, kernels, rendezvous).payload());
        assertEquals(new PayloadConfig(OPAQUE, false, 7), PayloadRule.settle(
            auto("stepping", "transload.stepping.device = 7"), kernels, rendezvous).payload());
        assertEquals(new PayloadConfig(OPAQUE, false, 5), PayloadRule.settle(
            auto.with(new PayloadConfig(OPAQUE, false, 5)), kernels, rendezvous).payload());
        assertEquals(new PayloadConfig(MemoryKind.HOST, false, 0),
            PayloadRule.settle(auto("wire"), kernels, rendezvous).payload());
        assertEquals(new PayloadConfig(MemoryKind.HOST, false, 0), PayloadRule.settle(
            auto.with(new PayloadConfig(MemoryKind.HOST, false, 3)), kernels, rendezvous).payload());
    }

    @Test
    void shouldRefuseToChooseAmongKinds()
    {
        final SteppingFabric fabric = new SteppingFabric(1, 2, SteppingOptions.opaque());
        final KernelRegistry kernels = KernelRegistry.of(
            List.of(fabric.kernelsProvider(OPAQUE), fabric.kernelsProvider(new MemoryKind("OTHER"))));
        Messages.assertContains(assertThrows(ConfigurationException.class, () -> kernels.kindOf("stepping")),
            "transload.payload.kind = auto", "stepping", "[OPAQUE, OTHER]");
    }

    private static EngineConfig auto(final String scaleUp, final String... more)
    {
        final Scenario scenario = scenario();
        scenario.more = String.join("\n", more);
        return scenario.config("wire", scaleUp).with(new PayloadConfig(MemoryKind.HOST, true, PayloadConfig.AUTO));
    }
}
