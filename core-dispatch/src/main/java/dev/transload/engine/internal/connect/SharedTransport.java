/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.connect;

import dev.transload.spi.ConfigurationException;
import dev.transload.spi.PeerFailedException;
import dev.transload.spi.Transport;
import dev.transload.spi.TransportConfig;
import dev.transload.spi.TransportException;
import dev.transload.spi.TransportProvider;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.Consumer;

/** A transport that is open for the engines of a context: what it reports goes to all, its workers are dealt out. */
final class SharedTransport implements AutoCloseable
{
    private static final String NOT_SET = "its default";

    private final String name;
    private final Map<String, String> options;
    private final Duration liveness;
    private final BitSet workers = new BitSet();
    private final List<Consumer<TransportException>> listeners = new ArrayList<>();
    /** What engines that open later have to know: ranks that are given up, and what broke. */
    private final List<TransportException> told = new ArrayList<>();
    private final Transport transport;

    SharedTransport(
        final TransportProvider provider, final TransportConfig.Builder config, final Map<String, String> options,
        final Duration liveness)
    {
        this.name = provider.name();
        this.options = options;
        this.liveness = liveness;
        this.transport = provider.open(config.livenessTimeoutNs(liveness.toNanos()).options(options)
            .errorHandler(this::tell).build());
    }

    Transport transport()
    {
        return transport;
    }

    /** A transport has the settings of the engine that opened it. */
    void requireEqual(final Map<String, String> wanted, final Duration wantedLiveness)
    {
        final TreeSet<String> keys = new TreeSet<>(options.keySet());
        keys.addAll(wanted.keySet());
        for (final String key : keys)
        {
            if (!String.valueOf(options.get(key)).equals(String.valueOf(wanted.get(key))))
            {
                throw new ConfigurationException("transload." + name + "." + key + " = " +
                    wanted.getOrDefault(key, NOT_SET) + " is not allowed: an earlier engine of the TransportContext " +
                    "opened the transport with " + options.getOrDefault(key, NOT_SET) +
                    ", engines that share a transport must have equal options");
            }
        }

        if (liveness.compareTo(wantedLiveness) > 0)
        {
            throw new ConfigurationException("transload.timeouts.liveness = " + wantedLiveness.toMillis() +
                " ms is not allowed: an earlier engine of the TransportContext opened transport " + name + " with " +
                liveness.toMillis() + " ms, the engine with the shortest must be opened first");
        }
    }

    private void tell(final TransportException error)
    {
        final List<Consumer<TransportException>> all;
        synchronized (this)
        {
            final boolean isKnown = told.stream().anyMatch((before) ->
                peer(before) == peer(error) && incarnation(before) == incarnation(error));
            if (!isKnown)
            {
                told.add(error);
            }

            all = new ArrayList<>(listeners);
        }

        all.forEach((listener) -> listener.accept(error));
    }

    private static int peer(final TransportException error)
    {
        return error instanceof PeerFailedException ? ((PeerFailedException)error).peer() : -1;
    }

    private static long incarnation(final TransportException error)
    {
        return error instanceof PeerFailedException ? ((PeerFailedException)error).incarnation() : 0;
    }

    /** Tell an engine what the transport reports, and has reported. */
    void subscribe(final Consumer<TransportException> listener)
    {
        final List<TransportException> before;
        synchronized (this)
        {
            listeners.add(listener);
            before = new ArrayList<>(told);
        }

        before.forEach(listener);
    }

    /** A new process has taken a rank's place: what was reported of its predecessor does not concern later engines. */
    synchronized void forget(final int rank)
    {
        told.removeIf((error) -> peer(error) == rank);
    }

    synchronized void unsubscribe(final Consumer<TransportException> listener)
    {
        listeners.remove(listener);
    }

    /** First of so many adjoining worker indices that nobody has from now on; −1 if there are none. */
    synchronized int takeWorkers(final int count)
    {
        int first = workers.nextClearBit(0);
        while (first + count <= transport.capabilities().maxWorkers())
        {
            final int taken = workers.nextSetBit(first);
            if (taken < 0 || taken >= first + count)
            {
                workers.set(first, first + count);
                return first;
            }

            first = workers.nextClearBit(taken);
        }

        return -1;
    }

    synchronized void returnWorkers(final int first, final int count)
    {
        workers.clear(first, first + count);
    }

    /** Worker indices that engines have. */
    synchronized int takenWorkers()
    {
        return workers.cardinality();
    }

    @Override
    public void close()
    {
        transport.close();
    }
}
