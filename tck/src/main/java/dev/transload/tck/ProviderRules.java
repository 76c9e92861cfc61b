/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.spi.AtomicScope;
import dev.transload.spi.Availability;
import dev.transload.spi.Capabilities;
import dev.transload.spi.Capability;
import dev.transload.spi.ConfigOption;
import dev.transload.spi.ConfigurationException;
import dev.transload.spi.SpiVersion;
import dev.transload.spi.TransportConfig;
import dev.transload.spi.TransportProvider;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** Rules PRV: what a provider owes before anything is opened. */
interface ProviderRules extends ConformanceCase
{
    /** A key that no transport knows. */
    String UNKNOWN_KEY = "no-such-key-of-any-transport";

    @Rule("PRV-2")
    default void prv2NameIsWellFormedAndConstant()
    {
        withProvider((fixture, provider) ->
        {
            assertTrue(provider.name().matches("[a-z][a-z0-9-]*"), "name '" + provider.name() + "'");
            assertEquals(provider.name(), provider.name(), "the name changes");
        });
    }

    @Rule("PRV-3")
    default void prv3SpiVersionIsTheOneCompiledAgainst()
    {
        withProvider((fixture, provider) -> assertEquals(SpiVersion.CURRENT, provider.spiVersion()));
    }

    @Rule("PRV-4")
    default void prv4OptionsAreDescribedAndOthersRefused()
    {
        withProvider((fixture, provider) ->
        {
            final Set<String> keys = new HashSet<>();
            for (final ConfigOption option : provider.options())
            {
                assertTrue(option.key().matches("[a-z][a-z0-9]*(-[a-z0-9]+)*"), "key '" + option.key() + "'");
                assertTrue(keys.add(option.key()), "key '" + option.key() + "' is listed twice");
                assertFalse(option.description().isBlank(), option.key() + " has no description");
                assertFalse(option.allowed().isBlank(), option.key() + " does not say what is allowed");
                assertNotNull(option.defaultValue(), option.key() + " has no default");
            }

            final ConfigurationException thrown =
                assertThrows(ConfigurationException.class, () -> provider.open(unknownKey(fixture)).close());
            assertTrue(thrown.getMessage().contains(UNKNOWN_KEY), "the key is not named: " + thrown.getMessage());
        });
    }

    @Rule("PRV-5")
    default void prv5ProbeNeverThrows()
    {
        withProvider((fixture, provider) ->
        {
            final Availability.Unavailable verdict =
                assertInstanceOf(Availability.Unavailable.class, provider.probe(unknownKey(fixture)));
            assertFalse(verdict.reason().isBlank(), "no reason given");
        });
    }

    @Rule("PRV-6")
    default void prv6OpenKeepsWhatProbePromised()
    {
        in(1, (world) ->
        {
            final TransportProvider provider = world.fixture().provider();
            final Availability.Available verdict = assertInstanceOf(
                Availability.Available.class, provider.probe(World.config(world.fixture(), 0, 1)));
            assertEquals(verdict.capabilities(), world.transport(0).capabilities());
        });
    }

    @Rule("PRV-7")
    default void prv7CapabilitiesAgreeWithThemselves()
    {
        in(1, (world) ->
        {
            final Capabilities promised = world.transport(0).capabilities();
            assertEquals(world.fixture().provider().name(), promised.transport());
            assertFalse(promised.version().isBlank(), "no version");
            assertFalse(promised.kinds().isEmpty(), "no memory kind");
            assertEquals(promised.has(Capability.REGION_ATOMICS), AtomicScope.NONE != promised.atomicScope(),
                "REGION_ATOMICS and atomicScope contradict each other");
            assertEquals(promised.has(Capability.REGISTER_REMOTE), !promised.remoteKinds().isEmpty(),
                "REGISTER_REMOTE and remoteKinds contradict each other");
            assertTrue(promised.kinds().containsAll(promised.remoteKinds()), "remoteKinds=" + promised.remoteKinds());
            assertTrue(!promised.has(Capability.REGISTERED_WINDOWS) ||
                promised.has(Capability.WINDOWS) && promised.has(Capability.REGISTER_REMOTE),
                "REGISTERED_WINDOWS needs WINDOWS and REGISTER_REMOTE");
            assertTrue(promised.maxWorkers() >= 1, "maxWorkers=" + promised.maxWorkers());
            assertTrue(promised.maxPutLength() >= Lane.BYTES && promised.maxPutLength() <= promised.maxRegionLength(),
                "maxPutLength=" + promised.maxPutLength() + ", maxRegionLength=" + promised.maxRegionLength());
            assertEquals(1, Integer.bitCount(promised.offsetAlignment()),
                "offsetAlignment=" + promised.offsetAlignment() + " is no power of two");
        });
    }

    private void withProvider(final ProviderTest test)
    {
        try (ConformanceFixture fixture = fixture(1))
        {
            test.run(fixture, fixture.provider());
        }
    }

    private static TransportConfig unknownKey(final ConformanceFixture fixture)
    {
        final Map<String, String> options = new HashMap<>(fixture.options(0));
        options.put(UNKNOWN_KEY, "1");
        return TransportConfig.builder().options(options).build();
    }

    /** Body of a test. */
    @FunctionalInterface
    interface ProviderTest
    {
        /**
         * Runs it.
         *
         * @param fixture  of a world of one rank.
         * @param provider under test.
         */
        void run(ConformanceFixture fixture, TransportProvider provider);
    }
}
