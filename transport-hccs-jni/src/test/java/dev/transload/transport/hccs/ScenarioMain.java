/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.hccs;

import dev.transload.kernels.ElementType;
import dev.transload.kernels.Reduction;
import dev.transload.kernels.RowKernels;
import dev.transload.kernels.RowTable;
import dev.transload.spi.Access;
import dev.transload.spi.Availability;
import dev.transload.spi.Channel;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.MemoryRegion;
import dev.transload.spi.RemoteRegion;
import dev.transload.spi.RowList;
import dev.transload.spi.TransportConfig;
import dev.transload.spi.TransportException;
import dev.transload.tck.PlainRegion;
import dev.transload.transport.hccs.internal.acl.AclDevice;
import dev.transload.transport.hccs.internal.acl.AclLibrary;

import java.util.HashMap;
import java.util.Map;

/**
 * What a fresh process sees of the runtime that its environment and options describe. The first argument is
 * {@code probe}; {@code open}: two ranks and a channel; {@code put}: a put of host memory to a device; {@code hand}:
 * one between two devices; {@code rows}: rows at one distance; or {@code sum}: a sum by row kernels. The others are
 * options, {@code key=value}. A line that begins with "it is" says how it went.
 */
final class ScenarioMain
{
    private ScenarioMain()
    {
    }

    /**
     * Run.
     *
     * @param args as said above.
     */
    public static void main(final String[] args)
    {
        final Map<String, String> options = new HashMap<>();
        for (int i = 1; i < args.length; i++)
        {
            final int at = args[i].indexOf('=');
            options.put(args[i].substring(0, at), args[i].substring(at + 1));
        }

        System.out.println("it is " + switch (args[0])
        {
            case "probe" -> probe(options);
            case "put" -> put(options);
            case "hand" -> hand(options);
            case "open" -> open(options);
            case "rows" -> rows(options);
            case "sum" -> sum(options);
            default -> throw new IllegalArgumentException(args[0] + " is no scenario");
        });
    }

    private static String probe(final Map<String, String> options)
    {
        final Availability verdict =
            new HccsTransportProvider().probe(TransportConfig.builder().options(options).build());
        return verdict instanceof Availability.Unavailable ?
            "unavailable: " + ((Availability.Unavailable)verdict).reason() :
            "available: " + ((Availability.Available)verdict).capabilities().version();
    }

    private static String put(final Map<String, String> options)
    {
        try (Pair pair = new Pair(options); Channel channel = pair.connect())
        {
            return outcome(pair, channel, pair.source, pair.remote);
        }
    }

    /** Memory, imports and a channel, which are given back again. */
    private static String open(final Map<String, String> options)
    {
        try (Pair pair = new Pair(options); Channel channel = pair.connect())
        {
            return "open: " + channel.isConnected();
        }
        catch (final TransportException ex)
        {
            return "refused: " + ex.getMessage();
        }
    }

    private static String hand(final Map<String, String> options)
    {
        try (Pair pair = new Pair(options); Channel channel = pair.connect();
            MemoryRegion memory = pair.near.allocate(MemoryKind.ASCEND, 0, Pair.BYTES, Access.LOCAL))
        {
            return outcome(pair, channel, memory, pair.remote);
        }
    }

    private static String rows(final Map<String, String> options)
    {
        try (Pair pair = new Pair(options); Channel channel = pair.connect();
            MemoryRegion memory = pair.near.allocate(MemoryKind.ASCEND, 0, Pair.BYTES, Access.LOCAL))
        {
            final RowList rows = pair.near.allocateRows(8).rowLength(64);
            for (int i = 0; i < rows.capacity(); i++)
            {
                rows.set(i, 256L * i, 128L * i);
            }

            channel.putRows(memory, pair.remote, rows, 0, rows.capacity());
            final long last = channel.flush();
            pair.await(() -> null != channel.failure() || channel.deliveredPosition() >= last);
            return null == channel.failure() ? "delivered" : "failed: " + channel.failure().getMessage();
        }
    }

    private static String sum(final Map<String, String> options)
    {
        final AclDevice device = AclLibrary.open(options.get("library")).device(0);
        final long address = device.allocate(Pair.BYTES, false);
        final MemoryRegion memory =
            new PlainRegion(MemoryKind.ASCEND, 0, Pair.BYTES, address, null, () -> device.free(address));
        try (memory; RowKernels kernels = new AscendRowKernelsProvider().open(0, options))
        {
            final RowTable table = kernels.allocateTable(1, 1).clear();
            table.beginRow(0);
            table.add(0, 1);
            final Reduction reduction = new Reduction().source(0, memory, 0, 1024, ElementType.F32)
                .target(memory, 0, 1024, ElementType.F32).hidden(64);
            kernels.reduceRows(reduction, table, 0, 1);
            while (kernels.completedPosition() < 1)
            {
                kernels.progress();
                Thread.yield();
            }

            return "summed";
        }
        catch (final TransportException ex)
        {
            return "failed: " + ex.getMessage();
        }
    }

    private static String outcome(
        final Pair pair, final Channel channel, final MemoryRegion source, final RemoteRegion target)
    {
        channel.put(source, 0, target, 0, Pair.BYTES);
        final long last = channel.flush();
        pair.await(() -> null != channel.failure() || channel.deliveredPosition() >= last);
        return null == channel.failure() ? "delivered" : "failed: " + channel.failure().getMessage() + "; then " +
            channel.put(source, 0, target, 0, Pair.BYTES);
    }
}
