/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

import dev.transload.spi.Access;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.MemoryRegion;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Objects;

/**
 * Memory that the transports of both stages may read and write. Either the engine allocated the memory, or the caller
 * owns and registered it. The caller can close the memory when no call uses it. When the engine is closed, it closes
 * all memory that the caller has not closed.
 */
public final class TensorMemory implements AutoCloseable
{
    /** Copies bytes between buffers and memory that the JVM cannot access. */
    @FunctionalInterface
    public interface HostCopier
    {
        /**
         * Copies bytes between a region and a buffer, from the position of the buffer to its limit. This method blocks
         * until the bytes are copied.
         *
         * @param region   memory that is registered with the transport of the scale-up stage.
         * @param offset   offset of the first byte in the region.
         * @param host     buffer in host memory.
         * @param isToHost true to copy into the buffer, false to copy from the buffer.
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
     * Creates the memory from its registrations with both transports; the engine calls this constructor.
     *
     * @param id       positive number of this memory, ascending in the order of creation on a rank.
     * @param scaleOut registration with the transport of the scale-out stage, or {@code scaleUp} again if that stage
     *                 needs no registration.
     * @param scaleUp  registration with the transport of the scale-up stage.
     * @param transports names of both transports, scale-out first.
     * @param isReadable whether peers that import this memory get a window to it, if the scale-up transport has
     *                   windows.
     * @param copier   copier for memory that the JVM cannot access.
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
     * Returns the number of this memory on its rank.
     *
     * @return positive number.
     */
    public long id()
    {
        return id;
    }

    /**
     * Throws an exception if this memory belongs to an engine with other transports. Engines of one
     * {@link TransportContext} that use the same transports may share memory.
     *
     * @param name   name of the tensor, for the message.
     * @param config settings of the engine that is to use the memory, after both transports were chosen.
     * @throws BadInputException if the transports differ; the message names the transports of the memory and of the
     *                           engine.
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
     * Returns the names of the transports that register memory for an engine.
     *
     * @param config settings of the engine, after both transports were chosen.
     * @return names of the scale-out and of the scale-up transport. In a world of one node, the name of the scale-up
     *         transport twice.
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
     * Returns whether ranks of the same node can reach this memory, so that rows need not be sent through rings.
     *
     * @return true if other ranks can import the {@link #descriptor()} of this memory.
     */
    public boolean isExposed()
    {
        return null != descriptor;
    }

    /**
     * Returns whether ranks of the same node can also read this memory in place, through windows of the scale-up
     * transport. The engine relies on a transport with windows to have a window for all memory that a peer allocated,
     * but for memory that a peer registered only if the transport offers {@code REGISTERED_WINDOWS}.
     *
     * @return true if other ranks can import the memory and get a window to it, if the scale-up transport has windows.
     */
    public boolean isReadable()
    {
        return isReadable && isExposed();
    }

    /**
     * Returns the descriptor by which ranks of the same node import this memory.
     *
     * @return descriptor of the scale-up registration, null if other ranks cannot import it. The caller must not change
     *         the array.
     */
    public byte[] descriptor()
    {
        return descriptor;
    }

    /**
     * Returns the kind of this memory.
     *
     * @return kind.
     */
    public MemoryKind kind()
    {
        return scaleUp.kind();
    }

    /**
     * Returns the device that has this memory.
     *
     * @return ordinal of the device, 0 for host memory.
     */
    public int device()
    {
        return scaleUp.device();
    }

    /**
     * Returns the size of this memory.
     *
     * @return number of bytes.
     */
    public long length()
    {
        return scaleUp.length();
    }

    /**
     * Returns the address of the first byte. The transport and the row kernels of this memory kind can use the address.
     *
     * @return address.
     */
    public long address()
    {
        return scaleUp.address();
    }

    /**
     * Returns the registration with the transport of the scale-out stage.
     *
     * @return region. The result is {@link #scaleUpRegion()} if the stage needs no transport, or if rows are staged
     *         because the scale-out transport cannot move memory of this kind.
     */
    public MemoryRegion scaleOutRegion()
    {
        return scaleOut;
    }

    /**
     * Returns the registration with the transport of the scale-up stage, which row kernels also use.
     *
     * @return region.
     */
    public MemoryRegion scaleUpRegion()
    {
        return scaleUp;
    }

    /**
     * Returns a buffer over a part of this memory.
     *
     * @param offset offset of the first byte.
     * @param length number of bytes.
     * @return direct buffer in native byte order.
     * @throws UnsupportedOperationException if the JVM cannot access memory of this kind.
     */
    public ByteBuffer hostView(final long offset, final int length)
    {
        return scaleUp.hostView(offset, length);
    }

    /**
     * Writes bytes from a buffer into this memory, whatever the kind of the memory. This method blocks until the bytes
     * are written; no call may use the bytes meanwhile. This method is meant for setup, not for speed: copies to device
     * memory go through host memory.
     *
     * @param offset offset of the first byte to write. The offset and the number of bytes must be multiples of 4.
     * @param source buffer that is read from its position to its limit.
     * @throws IndexOutOfBoundsException if some of the bytes are outside this memory.
     * @throws dev.transload.spi.TransportException if the device fails, or takes longer than
     *                                              {@code transload.timeouts.open}.
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
     * Reads bytes of this memory into a buffer, whatever the kind of the memory. Like {@link #copyFromHost}, this
     * method blocks. It is meant for inspecting results, not for speed.
     *
     * @param offset offset of the first byte to read. The offset and the number of bytes must be multiples of 4.
     * @param target buffer that is written from its position to its limit.
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
     * Returns whether this memory is closed.
     *
     * @return true after {@link #close()} or {@link #retire()}.
     */
    public boolean isClosed()
    {
        return isClosed;
    }

    /**
     * Makes calls refuse this memory as if it were closed. The bytes stay allocated, since other ranks may still write
     * to them.
     *
     * @return object whose {@code close} method frees the memory. Call {@code close} when other ranks can no longer
     *         write to the memory.
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
