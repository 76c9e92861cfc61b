/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.base;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.transload.spi.Availability;
import dev.transload.spi.Capabilities;
import dev.transload.spi.ConfigOption;
import dev.transload.spi.SpiVersion;
import dev.transload.spi.Transport;
import dev.transload.spi.TransportConfig;
import dev.transload.spi.TransportUnavailableException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

class AbstractTransportProviderTest
{
    private static final TransportConfig CONFIG = TransportConfig.builder().worldSize(2).build();

    private static AbstractTransportProvider provider(final Supplier<Capabilities> found)
    {
        return new AbstractTransportProvider(
            Ranks.TRANSPORT, List.of(new ConfigOption("sail", "white", "white or black", "Colour of the sail.")))
        {
            @Override
            public int spiVersion()
            {
                return SpiVersion.CURRENT;
            }

            @Override
            protected Capabilities promise(final TransportConfig config)
            {
                return found.get();
            }

            @Override
            protected Transport openTransport(final TransportConfig config)
            {
                found.get();
                final PeerIdentity own = Ranks.identity(config.rank());
                return PlainTransport.open(own, new PostOffice().box(own));
            }
        };
    }

    private static Availability.Unavailable unavailable(final RuntimeException cause)
    {
        return assertInstanceOf(Availability.Unavailable.class, provider(() ->
        {
            throw cause;
        }).probe(CONFIG));
    }

    @Test
    void shouldPromiseWhatItFinds()
    {
        final AbstractTransportProvider provider = provider(() -> PlainTransport.CAPABILITIES);
        assertSame(PlainTransport.CAPABILITIES,
            assertInstanceOf(Availability.Available.class, provider.probe(CONFIG)).capabilities());
        assertEquals(Ranks.TRANSPORT, provider.name());
        assertEquals("sail", provider.options().get(0).key());
        try (Transport transport = provider.open(CONFIG))
        {
            assertSame(PlainTransport.CAPABILITIES, transport.capabilities());
        }
    }

    @Test
    void shouldGiveTheReasonsWords()
    {
        final TransportUnavailableException cause = new TransportUnavailableException("no wind: wait for some", null);
        assertEquals("no wind: wait for some", unavailable(cause).reason());
        assertSame(cause, unavailable(cause).cause());
        assertEquals("transport carrier cannot be used: java.lang.IllegalStateException: leak",
            unavailable(new IllegalStateException("leak")).reason());
    }

    @Test
    void shouldBeUnavailableWhereALibraryIsMissing()
    {
        final AbstractTransportProvider provider = provider(() ->
        {
            throw new UnsatisfiedLinkError("no hull");
        });
        assertInstanceOf(Availability.Unavailable.class, provider.probe(CONFIG));
        assertEquals("transport carrier cannot be used: java.lang.UnsatisfiedLinkError: no hull",
            assertThrows(TransportUnavailableException.class, () -> provider.open(CONFIG)).getMessage());
    }

    @Test
    void shouldSayWhichFlagTheJvmLacks() throws IOException
    {
        final Process process = new ProcessBuilder(ProcessHandle.current().info().command().orElseThrow(),
            "-Xshare:auto", "-XX:TieredStopAtLevel=1", "-cp", System.getProperty("java.class.path"),
            WithoutFlags.class.getName()).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        final String sentence =
            "transport carrier needs the JVM flag --add-exports java.base/jdk.internal.misc=ALL-UNNAMED";
        assertEquals(List.of(sentence, sentence),
            new String(process.getInputStream().readAllBytes(), StandardCharsets.US_ASCII).lines().toList());
    }

    /** Probes and opens in a JVM without any flag. */
    static final class WithoutFlags
    {
        private WithoutFlags()
        {
        }

        /**
         * Run.
         *
         * @param args none.
         */
        public static void main(final String[] args)
        {
            final AbstractTransportProvider provider = provider(() -> PlainTransport.CAPABILITIES);
            final Availability verdict = provider.probe(CONFIG);
            System.out.println(
                verdict instanceof final Availability.Unavailable unavailable ? unavailable.reason() : verdict);
            try (Transport transport = provider.open(CONFIG))
            {
                System.out.println(transport);
            }
            catch (final TransportUnavailableException ex)
            {
                System.out.println(ex.getMessage());
            }
        }
    }
}
