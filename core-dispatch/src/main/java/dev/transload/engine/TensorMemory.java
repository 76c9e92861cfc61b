/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

import dev.transload.spi.Access;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.MemoryRegion;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Objects;

/**
 * Memory that the transports of both stages may read and write: allocated by the engine, or the caller's own and
 * registered. Closing it is the owner's duty, once no call uses it; the engine closes what is left.
 */
public final class TensorMemory implements AutoCloseable
{
    /** Copies between the JVM's buffers and memory that the JVM cannot look into. */
    @FunctionalInterface
    public interface HostCopier
    {
        /**
         * Copy all that remains of a buffer; blocks.
         *
         * @param region   registered with the scale-up stage's transport.
         * @param offset   first byte.
         * @param host     to read from its position on, or to write.
         * @param isToHost whether the buffer is written.
         */
        void copy(MemoryRegion region, long offset, ByteBuffer host, boolean isToHost);
    }

    private final long id;
    private final MemoryRegion scaleOut;
    private final MemoryRegion scaleUp;
    private final List<String> transports;
    private final byte[] descriptor;
    private final boolean isReadable;
    private final HostCopier copier;
    private volatile boolean isClosed;

    /**
     * By the engine, from registrations of the same bytes.
     *
     * @param id       positive, ascending in the order in which a rank's memory is made.
     * @param scaleOut with the scale-out stage's transport, or the other one again where that is not needed.
     * @param scaleUp  with the scale-up stage's transport.
     * @param transports names of both, scale-out first.
     * @param isReadable whether peers have windows to it, where that transport has any and it is exposed.
     * @param copier   for kinds that the JVM cannot look into.
     */
    public TensorMemory(
        final long id, final MemoryRegion scaleOut, final MemoryRegion scaleUp, final List<String> transports,
        final boolean isReadable, final HostCopier copier)
    {
        this.transports = transports;
        this.copier = copier;
        this.isReadable = isReadable;
        this.id = id;
        this.scaleOut = scaleOut;
        this.scaleUp = scaleUp;
        this.descriptor = Access.REMOTE == scaleUp.access() ? bytes(scaleUp.descriptor()) : null;
    }

    private static byte[] bytes(final ByteBuffer buffer)
    {
        final byte[] bytes = new byte[buffer.remaining()];
        buffer.get(bytes);
        return bytes;
    }

    /**
     * Which memory of its rank it is.
     *
     * @return positive number.
     */
    public long id()
    {
        return id;
    }

    /**
     * Refuse memory that an engine over other transports gave out; one over the same may use it.
     *
     * @param name   of the tensor.
     * @param config of the engine that is to use it, with both transports settled.
     * @throws BadInputException naming the transports of both.
     */
    public void requireTransportsOf(final String name, final EngineConfig config)
    {
        // Each call checks its tensors, and allocates nothing.
        if (!scaleOutOf(config).equals(transports.get(0)) || !config.scaleUp().transport().equals(transports.get(1)))
        {
            throw new BadInputException(name + " is in memory of an engine over " + String.join(" and ", transports) +
                " (scale-out and scale-up transport): must be of one over " +
                String.join(" and ", transportsOf(config)) + ", as this engine");
        }
    }

    /**
     * Transports of an engine's memory.
     *
     * @param config of the engine, with both transports settled.
     * @return scale-out (the scale-up one in a world of one node), scale-up, named as their providers are.
     */
    public static List<String> transportsOf(final EngineConfig config)
    {
        return List.of(scaleOutOf(config), config.scaleUp().transport());
    }

    private static String scaleOutOf(final EngineConfig config)
    {
        return 1 == config.nodes() ? config.scaleUp().transport() : config.scaleOut().transport();
    }

    /**
     * Whether ranks of the node can reach it, so that rows need not pass their rings.
     *
     * @return true if its descriptor can be imported.
     */
    public boolean isExposed()
    {
        return null != descriptor;
    }

    /**
     * Whether ranks of the node may also read it in place, where their transport has windows: it has them for what a
     * peer allocated, not always for what a peer registered.
     *
     * @return true if it is exposed, and was allocated by the engine or is registered with a transport that promises
     * windows for that too.
     */
    public boolean isReadable()
    {
        return isReadable && isExposed();
    }

    /**
     * What ranks of the node import it by.
     *
     * @return descriptor of the scale-up registration, null unless exposed; not to be changed.
     */
    public byte[] descriptor()
    {
        return descriptor;
    }

    /**
     * Where the bytes live.
     *
     * @return kind.
     */
    public MemoryKind kind()
    {
        return scaleUp.kind();
    }

    /**
     * Device that owns the bytes.
     *
     * @return ordinal, 0 for host memory.
     */
    public int device()
    {
        return scaleUp.device();
    }

    /**
     * Size.
     *
     * @return bytes.
     */
    public long length()
    {
        return scaleUp.length();
    }

    /**
     * Address of the first byte, meaningful to the transport or the row kernels of the kind.
     *
     * @return address.
     */
    public long address()
    {
        return scaleUp.address();
    }

    /**
     * Registration with the transport of the scale-out stage.
     *
     * @return region; the scale-up one where that stage needs no transport, or its transport does not move the kind
     * and rows are staged.
     */
    public MemoryRegion scaleOutRegion()
    {
        return scaleOut;
    }

    /**
     * Registration with the transport of the scale-up stage; row kernels use it too.
     *
     * @return region.
     */
    public MemoryRegion scaleUpRegion()
    {
        return scaleUp;
    }

    /**
     * View for the JVM.
     *
     * @param offset first byte.
     * @param length in bytes.
     * @return direct buffer in native byte order.
     * @throws UnsupportedOperationException for kinds that the JVM cannot look into.
     */
    public ByteBuffer hostView(final long offset, final int length)
    {
        return scaleUp.hostView(offset, length);
    }

    /**
     * Write bytes of the JVM, whatever the kind. Blocks until they are there; no call may use them meanwhile. Made for
     * setting up and looking at results: it is bound by the host's memory, and device memory takes a detour.
     *
     * @param offset first byte to write, a multiple of 4 as is the number of bytes.
     * @param source read from its position to its limit.
     * @throws IndexOutOfBoundsException if the memory is shorter.
     * @throws dev.transload.spi.TransportException if the device fails, or takes longer than transload.timeouts.open.
     */
    public void copyFromHost(final long offset, final ByteBuffer source)
    {
        Objects.checkFromIndexSize(offset, source.remaining(), length());
        if (kind().isHost())
        {
            hostView(offset, source.remaining()).put(source);
        }
        else if (source.hasRemaining())
        {
            copier.copy(scaleUp, offset, source, false);
        }
    }

    /**
     * Read bytes into the JVM, whatever the kind; as {@link #copyFromHost}.
     *
     * @param offset first byte to read, a multiple of 4 as is the number of bytes.
     * @param target written from its position to its limit.
     */
    public void copyToHost(final long offset, final ByteBuffer target)
    {
        Objects.checkFromIndexSize(offset, target.remaining(), length());
        if (kind().isHost())
        {
            target.put(hostView(offset, target.remaining()));
        }
        else if (target.hasRemaining())
        {
            copier.copy(scaleUp, offset, target, true);
        }
    }

    /**
     * Whether it was closed.
     *
     * @return true after {@link #close()}.
     */
    public boolean isClosed()
    {
        return isClosed;
    }

    /**
     * Refuse it to calls as if it were closed, but keep the bytes for ranks that may still write to them.
     *
     * @return closes it when none does.
     */
    public AutoCloseable retire()
    {
        isClosed = true;
        return this::close;
    }

    @Override
    public void close()
    {
        isClosed = true;
        if (scaleOut != scaleUp)
        {
            scaleOut.close();
        }

        scaleUp.close();
    }
}
