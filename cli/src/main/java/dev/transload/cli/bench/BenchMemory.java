/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.bench;

import dev.transload.cli.launch.RankPlace;
import dev.transload.cli.settings.DealtDevices;
import dev.transload.engine.KernelRegistry;
import dev.transload.rendezvous.Rendezvous;
import dev.transload.spi.Access;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.MemoryRegion;
import dev.transload.spi.Transport;
import dev.transload.spi.TransportConfig;
import dev.transload.spi.TransportProvider;
import dev.transload.spi.TransportRegistry;
import dev.transload.spi.TransportUnavailableException;
import java.nio.ByteBuffer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Memory of a rank.
 *
 * @param target that the peer addresses.
 * @param local  of the same length, to send from or to load into; null for a rank that does neither.
 */
record BenchMemory(MemoryRegion target, MemoryRegion local)
{
    /** Fewer bytes are not worth a bench. */
    private static final long LEAST_BYTES = 1L << 20;
    private static final Logger LOG = LoggerFactory.getLogger(BenchMemory.class);

    /** As much as there is: where memory is short, half as much is asked for. */
    static BenchMemory of(
        final Transport transport, final MemoryKind kind, final int device, final long most, final boolean hasLocal)
    {
        TransportUnavailableException refusal = null;
        for (long bytes = most; null == refusal || bytes >= LEAST_BYTES; bytes /= 2)
        {
            MemoryRegion target = null;
            try
            {
                target = transport.allocate(kind, device, bytes, Access.REMOTE);
                return new BenchMemory(
                    target, hasLocal ? transport.allocate(kind, device, bytes, Access.LOCAL) : null);
            }
            catch (final TransportUnavailableException ex)
            {
                refusal = ex;
                if (null != target)
                {
                    target.close();
                }
            }
        }

        throw refusal;
    }

    /**
     * Whether every rank's device has so much memory, which is asked of the device and given back; collective. Host
     * memory is known before ranks start.
     */
    static boolean isThere(
        final RankPlace place, final Rendezvous rendezvous, final BenchTask task, final long bytes)
    {
        final MemoryKind kind = KernelRegistry.discover().kindOf(task.transport());
        boolean isThere = true;
        if (!kind.isHost())
        {
            final TransportProvider provider = TransportRegistry.discover().provider(task.transport());
            final DealtDevices devices = new DealtDevices(task.devices(), place.settings().engine());
            try (Transport transport = provider.open(TransportConfig.builder().rank(place.rank())
                .worldSize(rendezvous.worldSize()).incarnation(rendezvous.member(place.rank()).incarnation())
                .options(devices.options(provider, place.rank())).build()))
            {
                transport.allocate(kind, devices.of(kind, place.rank()), bytes, Access.REMOTE).close();
            }
            catch (final TransportUnavailableException ex)
            {
                LOG.debug("no {} bytes on the device of rank {}", bytes, place.rank(), ex);
                isThere = false;
            }
        }

        final ByteBuffer answer = ByteBuffer.allocate(1).put(0, (byte)(isThere ? 1 : 0));
        return rendezvous.allGather("bench.memory", answer, place.settings().engine().openTimeout()).stream()
            .allMatch((other) -> 1 == other.get(other.position()));
    }
}
