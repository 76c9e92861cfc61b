/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.loopback;

import dev.transload.spi.Availability;
import dev.transload.spi.Capabilities;
import dev.transload.spi.Capability;
import dev.transload.spi.ConfigOption;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.SpiVersion;
import dev.transload.spi.Transport;
import dev.transload.spi.TransportConfig;
import dev.transload.spi.TransportProvider;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Provider of the ranks of one network, which keeps what they export. Its device memory is host memory by another name.
 */
public final class LoopbackNetwork implements TransportProvider
{
    /** Name of the transport. */
    public static final String NAME = "loopback";

    /** Memory of the device that this is not. */
    public static final MemoryKind DEVICE = new MemoryKind("LOOPBACK_DEVICE");

    private static final int MAX_WORKERS = 64;

    private final Map<Long, Object> exports = new ConcurrentHashMap<>();
    private final AtomicLong nextId = new AtomicLong(1);
    private final AtomicLong bytesCopied = new AtomicLong();
    private final AtomicLong bytesAllocated = new AtomicLong();
    private final Capabilities capabilities;
    private final int refusalInterval;

    /**
     * A network.
     *
     * @param refusalInterval of about so many operations of a channel one is refused; 0 for never.
     */
    public LoopbackNetwork(final int refusalInterval)
    {
        this(NAME, Set.of(MemoryKind.HOST), refusalInterval);
    }

    /**
     * A network of a name.
     *
     * @param name            of the transport.
     * @param kinds           that it moves: HOST, {@link #DEVICE} or both.
     * @param refusalInterval of about so many operations of a channel one is refused; 0 for never.
     */
    public LoopbackNetwork(final String name, final Set<MemoryKind> kinds, final int refusalInterval)
    {
        this.capabilities = Capabilities.builder(name, "loopback within a JVM", Integer.MAX_VALUE)
            .kinds(kinds.toArray(new MemoryKind[0]))
            .registerRemote(kinds.toArray(new MemoryKind[0]))
            .with(Capability.AUTONOMOUS_TARGET, Capability.WINDOWS)
            .maxWorkers(MAX_WORKERS)
            .build();
        this.refusalInterval = refusalInterval;
    }

    /**
     * What operations of all ranks have copied; each byte is read and written once.
     *
     * @return bytes.
     */
    public long bytesCopied()
    {
        return bytesCopied.get();
    }

    /**
     * What all ranks have asked for: memory, signals and lists.
     *
     * @return bytes.
     */
    public long bytesAllocated()
    {
        return bytesAllocated.get();
    }

    void allocated(final long bytes)
    {
        bytesAllocated.addAndGet(bytes);
    }

    void copied(final long bytes)
    {
        bytesCopied.addAndGet(bytes);
    }

    @Override
    public String name()
    {
        return capabilities.transport();
    }

    @Override
    public int spiVersion()
    {
        return SpiVersion.CURRENT;
    }

    @Override
    public List<ConfigOption> options()
    {
        return List.of();
    }

    @Override
    public Availability probe(final TransportConfig config)
    {
        return new Availability.Available(capabilities);
    }

    @Override
    public Transport open(final TransportConfig config)
    {
        config.refuseUnknownOptions(name(), options());
        return new LoopbackTransport(this, config.rank());
    }

    Capabilities capabilities()
    {
        return capabilities;
    }

    int refusalInterval()
    {
        return refusalInterval;
    }

    ByteBuffer export(final Object exported)
    {
        final long id = nextId.getAndIncrement();
        exports.put(id, exported);
        return ByteBuffer.allocate(Long.BYTES).putLong(0, id).asReadOnlyBuffer();
    }

    Object imported(final ByteBuffer descriptor)
    {
        return exports.get(descriptor.getLong(descriptor.position()));
    }
}
