/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck.processes;

import dev.transload.spi.Availability;
import dev.transload.spi.Capability;
import dev.transload.spi.ConfigOption;
import dev.transload.spi.ConfigurationException;
import dev.transload.spi.PeerFailedException;
import dev.transload.spi.SpiVersion;
import dev.transload.spi.Transport;
import dev.transload.spi.TransportConfig;
import dev.transload.spi.TransportProvider;
import dev.transload.spi.TransportUnavailableException;
import dev.transload.spi.UnsupportedCapabilityException;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Has trouble when it is opened, of the kind that an option names. */
public final class TroubledProvider implements TransportProvider
{
    static final ConfigOption TROUBLE = new ConfigOption("trouble", "crash", "see the code", "what happens");

    /** Status with which a process crashes. */
    static final int CRASH_STATUS = 86;

    /** For the process that runs it. */
    public TroubledProvider()
    {
    }

    @Override
    public String name()
    {
        return "troubled";
    }

    @Override
    public int spiVersion()
    {
        return SpiVersion.CURRENT;
    }

    @Override
    public List<ConfigOption> options()
    {
        return List.of(TROUBLE);
    }

    @Override
    public Availability probe(final TransportConfig config)
    {
        return new Availability.Unavailable("it is only for trouble", null);
    }

    @Override
    public Transport open(final TransportConfig config)
    {
        if ("crash".equals(config.text(TROUBLE)))
        {
            Runtime.getRuntime().halt(CRASH_STATUS);
        }

        if ("end".equals(config.text(TROUBLE)))
        {
            // As a native library may, which finds at the end of the process that something is left.
            Runtime.getRuntime().addShutdownHook(new Thread(() -> Runtime.getRuntime().halt(CRASH_STATUS)));
            throw new IllegalStateException("it ends badly");
        }

        throw troubles().getOrDefault(config.text(TROUBLE), new Unsendable());
    }

    /** Exceptions by their names, as any process makes them. */
    static Map<String, RuntimeException> troubles()
    {
        return Map.of(
            "argument", new IllegalArgumentException("an argument"),
            "bounds", new IndexOutOfBoundsException("an index"),
            "state", new IllegalStateException("a state"),
            "unsupported", new UnsupportedOperationException("an operation"),
            "capability", new UnsupportedCapabilityException("troubled", Set.of(Capability.NATIVE_ROWS)),
            "peer", new PeerFailedException(3, "rank 3 is gone", -80, new IllegalStateException("a cause")),
            "unavailable", new TransportUnavailableException("no device", null),
            "configuration", new ConfigurationException("a bad value"));
    }

    /** Holds what cannot be serialized. */
    static final class Unsendable extends RuntimeException
    {
        private static final long serialVersionUID = 1L;

        @SuppressWarnings("serial")
        private final Object held = new Object();

        Unsendable()
        {
            super("it holds an object");
        }

        @Override
        public String toString()
        {
            return super.toString() + " of " + held.getClass().getName();
        }
    }
}
