/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.examples;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.transload.rendezvous.InMemoryRendezvous;
import dev.transload.rendezvous.Rendezvous;
import dev.transload.spi.TransportRegistry;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Both modes of all ranks in this JVM, over transports of each kind. */
@Timeout(120)
class BothModesTest
{
    private static final Path SOURCE = Path.of("src/main/java/dev/transload/examples/BothModes.java");
    private static final Path EMULATOR =
        Path.of("..", "transport-nvlink-jni", "target", "emulator", "libcuda_emulator.so");
    private static final int NODES = 2;
    private static final int LOCALS = 2;
    private static final int RANKS = NODES * LOCALS;
    /** Of three batches. */
    private static final int WORDS = 3 * 16 * 1024;

    @Test
    void shouldBringRowsHomeOverMappedMemory()
    {
        run("scale-out.transport = aeron, scale-up.transport = aeron");
    }

    @Test
    void shouldBringRowsHomeOverEmulatedGpus()
    {
        Assumptions.assumeTrue(Files.exists(EMULATOR), "the emulator was not built: there is no C compiler");
        run("scale-out.transport = aeron, scale-up.transport = nvlink, nvlink.library = \"" +
            EMULATOR.toAbsolutePath().normalize() + "\"");
    }

    private static void run(final String transports)
    {
        final Config config = ConfigFactory.parseString("transload { nodes = " + NODES + ", ranks-per-node = " +
            LOCALS + ", max-hidden = 1024, max-topk = 1, max-experts = 8, low-latency.max-tokens = 16, " +
            "timeouts.open = 60 s, " + transports + " }").withFallback(ConfigFactory.load());
        final TransportRegistry registry = TransportRegistry.discover();
        final ExecutorService executor = Executors.newFixedThreadPool(RANKS);
        try
        {
            final List<CompletableFuture<Void>> ranks = new ArrayList<>();
            for (final Rendezvous own : InMemoryRendezvous.world(RANKS))
            {
                ranks.add(CompletableFuture.runAsync(() -> exchange(config, own, registry), executor));
            }

            CompletableFuture.allOf(ranks.toArray(new CompletableFuture<?>[0])).join();
        }
        finally
        {
            executor.shutdown();
        }
    }

    private static void exchange(final Config config, final Rendezvous own, final TransportRegistry registry)
    {
        final ByteBuffer rows = words();
        for (int i = 0; i < WORDS; i++)
        {
            // Finite and positive, and in no two rows that follow each other the same.
            rows.putShort(2 * i, (short)(0x3F00 + (own.rank() * 1031 + i / 1024 * 7 + i) % 0x2000));
        }

        final ByteBuffer prefilled = words();
        final ByteBuffer decoded = words();
        try (Rendezvous rendezvous = own)
        {
            BothModes.run(config, rendezvous, registry, rows, prefilled, decoded);
        }

        assertEquals(rows, prefilled, "rank " + own.rank() + ", normal mode");
        assertEquals(rows, decoded, "rank " + own.rank() + ", low latency");
    }

    private static ByteBuffer words()
    {
        return ByteBuffer.allocateDirect(WORDS * Short.BYTES).order(ByteOrder.nativeOrder());
    }

    @Test
    void shouldOpenEnginesAsTheDocumentationSays() throws IOException
    {
        final String source = Files.readString(SOURCE);
        final int begin = source.indexOf("        try (TransportContext");
        final String head = source.substring(begin, source.indexOf("        {", begin)).stripTrailing().stripIndent();
        final String page = Files.readString(Path.of("..", "docs", "EMBEDDING.md"));
        assertTrue(page.contains("```java\n" + head + "\n```"), "EMBEDDING.md has another text than " + SOURCE);
        assertTrue(page.contains("](../examples/" + SOURCE + ")"), page);
    }
}
