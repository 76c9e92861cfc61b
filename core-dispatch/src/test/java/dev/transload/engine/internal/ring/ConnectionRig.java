/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.ring;

import dev.transload.engine.internal.connect.Connection;
import dev.transload.engine.internal.connect.PeerDirectory;
import dev.transload.engine.internal.observe.ThreadCounters;
import dev.transload.engine.internal.world.Stage;
import dev.transload.engine.loopback.LoopbackNetwork;
import dev.transload.spi.Access;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.MemoryRegion;
import dev.transload.spi.RemoteRegion;
import dev.transload.spi.SignalRegion;
import dev.transload.spi.Transport;
import dev.transload.spi.TransportConfig;
import dev.transload.spi.TransportProvider;
import dev.transload.spi.Worker;
import java.nio.ByteBuffer;

/** A link from rank 0 to rank 1, on the loopback transport or another one. */
final class ConnectionRig implements PeerDirectory
{
    static final int SIGNALS = 4;

    final MemoryRegion source;
    final MemoryRegion target;
    final SignalRegion signals;
    final Connection link;
    final Worker worker;
    final Worker peerWorker;
    private final Transport own;
    private final Transport peer;

    ConnectionRig(final int refusalInterval, final int bytes)
    {
        this(new LoopbackNetwork(refusalInterval), bytes);
    }

    ConnectionRig(final TransportProvider network, final int bytes)
    {
        own = network.open(TransportConfig.builder().rank(0).worldSize(2).build());
        peer = network.open(TransportConfig.builder().rank(1).worldSize(2).build());
        source = own.allocate(MemoryKind.HOST, 0, bytes, Access.LOCAL);
        target = peer.allocate(MemoryKind.HOST, 0, bytes, Access.REMOTE);
        signals = peer.allocateSignals(SIGNALS, 1);
        worker = own.openWorker(0);
        peerWorker = peer.openWorker(0);
        link = new Connection(Stage.SCALE_UP, 0, 1, Connection.Use.GENERAL, this, new ThreadCounters(2));
        link.open(worker, 0, null);
    }

    RemoteRegion remote()
    {
        return worker.importRegion(1, target.descriptor());
    }

    @Override
    public int rank()
    {
        return 0;
    }

    @Override
    public int arenaCount()
    {
        return 1;
    }

    @Override
    public long incarnation(final int rank)
    {
        return 1;
    }

    @Override
    public ByteBuffer workerAddress(final int rank, final Stage stage, final int workerIndex)
    {
        return peerWorker.address();
    }

    @Override
    public ByteBuffer signals(final int rank, final Stage stage)
    {
        return signals.descriptor();
    }

    @Override
    public boolean exports(final int rank, final Stage stage, final int arena)
    {
        return true;
    }

    @Override
    public ByteBuffer arena(final int rank, final int arena)
    {
        return target.descriptor();
    }

    @Override
    public Transport transport(final Stage stage)
    {
        return own;
    }
}
