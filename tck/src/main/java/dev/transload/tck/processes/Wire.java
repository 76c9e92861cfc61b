/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck.processes;

import dev.transload.spi.AtomicScope;
import dev.transload.spi.Capabilities;
import dev.transload.spi.Capability;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.Reachability;
import dev.transload.spi.TransportConfig;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** How the records of the SPI travel: their components in order, collections as an i32 size and their elements. */
final class Wire
{
    private Wire()
    {
    }

    static void write(final DataOutputStream out, final TransportConfig config) throws IOException
    {
        out.writeInt(config.rank());
        out.writeInt(config.worldSize());
        out.writeLong(config.incarnation());
        out.writeLong(config.livenessTimeoutNs());
        out.writeInt(config.options().size());
        for (final Map.Entry<String, String> option : config.options().entrySet())
        {
            out.writeUTF(option.getKey());
            out.writeUTF(option.getValue());
        }
    }

    static TransportConfig config(final DataInputStream in) throws IOException
    {
        final TransportConfig.Builder builder = TransportConfig.builder()
            .rank(in.readInt())
            .worldSize(in.readInt())
            .incarnation(in.readLong())
            .livenessTimeoutNs(in.readLong());
        final Map<String, String> options = new HashMap<>();
        for (int left = in.readInt(); left > 0; left--)
        {
            options.put(in.readUTF(), in.readUTF());
        }

        return builder.options(options).build();
    }

    static byte[] bytes(final Capabilities capabilities) throws IOException
    {
        final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        final DataOutputStream out = new DataOutputStream(bytes);
        out.writeUTF(capabilities.transport());
        out.writeUTF(capabilities.version());
        out.writeInt(capabilities.optional().size());
        for (final Capability capability : capabilities.optional())
        {
            out.writeUTF(capability.name());
        }

        write(out, capabilities.kinds());
        write(out, capabilities.remoteKinds());
        out.writeUTF(capabilities.atomicScope().name());
        out.writeInt(capabilities.maxWorkers());
        out.writeLong(capabilities.maxRegionLength());
        out.writeLong(capabilities.maxPutLength());
        out.writeInt(capabilities.offsetAlignment());
        return bytes.toByteArray();
    }

    static Capabilities capabilities(final byte[] bytes) throws IOException
    {
        final DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes));
        final String transport = in.readUTF();
        final String version = in.readUTF();
        final Set<Capability> optional = EnumSet.noneOf(Capability.class);
        for (int left = in.readInt(); left > 0; left--)
        {
            optional.add(Capability.valueOf(in.readUTF()));
        }

        final Set<MemoryKind> kinds = kinds(in);
        final Set<MemoryKind> remoteKinds = kinds(in);
        return new Capabilities(transport, version, optional, kinds, remoteKinds, AtomicScope.valueOf(in.readUTF()),
            in.readInt(), in.readLong(), in.readLong(), in.readInt());
    }

    private static void write(final DataOutputStream out, final Set<MemoryKind> kinds) throws IOException
    {
        out.writeInt(kinds.size());
        for (final MemoryKind kind : kinds)
        {
            out.writeUTF(kind.name());
        }
    }

    private static Set<MemoryKind> kinds(final DataInputStream in) throws IOException
    {
        final Set<MemoryKind> kinds = new HashSet<>();
        for (int left = in.readInt(); left > 0; left--)
        {
            kinds.add(new MemoryKind(in.readUTF()));
        }

        return kinds;
    }

    static byte[] bytes(final Reachability verdict) throws IOException
    {
        final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        final DataOutputStream out = new DataOutputStream(bytes);
        out.writeBoolean(verdict.reachable());
        out.writeUTF(verdict.reason());
        return bytes.toByteArray();
    }

    static Reachability reachability(final byte[] bytes) throws IOException
    {
        final DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes));
        return new Reachability(in.readBoolean(), in.readUTF());
    }

    static void write(final DataOutputStream out, final ByteBuffer buffer) throws IOException
    {
        final byte[] bytes = new byte[buffer.remaining()];
        buffer.duplicate().get(bytes);
        write(out, bytes);
    }

    static void write(final DataOutputStream out, final byte[] bytes) throws IOException
    {
        out.writeInt(bytes.length);
        out.write(bytes);
    }

    /** Read-only, as what a provider hands out. */
    static ByteBuffer buffer(final DataInputStream in) throws IOException
    {
        return ByteBuffer.wrap(Answer.readBytes(in)).asReadOnlyBuffer();
    }
}
