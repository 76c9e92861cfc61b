/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.nvlink;

import dev.transload.kernels.RowKernels;
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
import dev.transload.transport.nvlink.cuda.CudaDevice;
import dev.transload.transport.nvlink.cuda.CudaDriver;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;

/**
 * What a fresh process sees of the driver that its environment and options describe. The first argument is
 * {@code probe}, {@code put}: one put between two ranks, {@code zero}: one operation of row kernels, {@code stale}:
 * memory of a process that has closed it, {@code mapped}: a put across the border of two mapped pieces, which takes
 * {@code natives=} the library of {@link MappedMemory}, or {@code options}: what all options are. The others are
 * options, {@code key=value}.
 */
final class ScenarioMain
{
    private static final int ROW = 4096;

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

        System.out.println(switch (args[0])
        {
            case "probe" -> probe(options);
            case "put" -> put(options);
            case "bus" -> bus(options);
            case "zero" -> zero(options);
            case "stale" -> stale(options);
            case "mapped" -> mapped(options);
            case "options" -> options(options);
            default -> throw new IllegalArgumentException(args[0] + " is no scenario");
        });
    }

    private static String probe(final Map<String, String> options)
    {
        final Availability verdict =
            new NvlinkTransportProvider().probe(TransportConfig.builder().options(options).build());
        return verdict instanceof Availability.Unavailable ?
            "unavailable: " + ((Availability.Unavailable)verdict).reason() :
            "available: " + ((Availability.Available)verdict).capabilities().version();
    }

    private static String put(final Map<String, String> options)
    {
        try (Pair pair = new Pair(options))
        {
            final Channel channel = pair.channel;
            channel.put(pair.source, 0, pair.remote, 0, Pair.BYTES);
            channel.flush();
            pair.await(() -> null != channel.failure() || channel.deliveredPosition() >= 2);
            return null == channel.failure() ? "delivered" : "failed: " + channel.failure().getMessage() + "; then " +
                channel.put(pair.source, 0, pair.remote, 0, Pair.BYTES);
        }
    }

    /** Puts so many bytes from the device to host memory. */
    private static String bus(final Map<String, String> options)
    {
        final int bytes = Integer.parseInt(options.remove("bytes"));
        try (Pair pair = new Pair(options);
            MemoryRegion source = pair.near.allocate(MemoryKind.CUDA, 0, bytes, Access.LOCAL);
            MemoryRegion target = pair.far.allocate(MemoryKind.HOST, 0, bytes, Access.REMOTE);
            RemoteRegion remote = pair.worker.importRegion(1, target.descriptor()))
        {
            final Channel channel = pair.channel;
            channel.put(source, 0, remote, 0, bytes);
            channel.flush();
            pair.await(() -> null != channel.failure() || channel.deliveredPosition() >= 2);
            return null == channel.failure() ? "delivered" : "failed: " + channel.failure().getMessage();
        }
    }

    private static String zero(final Map<String, String> options)
    {
        final CudaDevice device = CudaDriver.open(options.get("library")).device(0);
        final long address = device.allocate(ROW);
        final PlainRegion region = new PlainRegion(MemoryKind.CUDA, 0, ROW, address, null, () -> device.free(address));
        try (RowKernels kernels = new CudaRowKernelsProvider().open(0, options))
        {
            final RowList rows = kernels.allocateRows(1).rowLength(ROW);
            rows.set(0, 0, 0);
            kernels.zeroRows(region, rows, 0, 1);
            while (kernels.completedPosition() < 1)
            {
                kernels.progress();
                Thread.onSpinWait();
            }

            return "completed";
        }
        catch (final TransportException ex)
        {
            return "failed: " + ex.getMessage();
        }
    }

    private static String stale(final Map<String, String> options)
    {
        final StaleHandles seen = StaleHandles.see(options);
        return "a region: " + seen.ofARegion() + "\nthe next: opened " + seen.afterwards() + " bytes\na transport: " +
            seen.ofATransport();
    }

    private static String mapped(final Map<String, String> options)
    {
        final Path natives = Path.of(options.remove("natives"));
        try (Pair pair = new Pair(options);
            MappedMemory memory = new MappedMemory(options.get("library"), natives, 1, 2, true);
            MemoryRegion host = pair.near.allocate(MemoryKind.HOST, 0, Pair.BYTES, Access.LOCAL))
        {
            final long begin = memory.address() + MappedMemory.PIECE - Pair.BYTES / 2;
            final byte[] sent = new byte[Pair.BYTES];
            new Random(1).nextBytes(sent);
            host.hostView(0, Pair.BYTES).put(sent);
            try (MemoryRegion region = pair.far.register(MemoryKind.CUDA, 1, begin, Pair.BYTES, Access.REMOTE);
                RemoteRegion remote = pair.worker.importRegion(1, region.descriptor()))
            {
                pair.channel.put(host, 0, remote, 0, Pair.BYTES);
                pair.flush();
                final byte[] seen =
                    MappedMemory.read(CudaDriver.open(options.get("library")).device(1), begin, Pair.BYTES);
                final int differing = Arrays.mismatch(sent, seen);
                return differing < 0 ? "delivered " + seen.length + " bytes across two pieces" :
                    "failed: byte " + differing + " is " + seen[differing] + ", must be " + sent[differing];
            }
        }
    }

    private static String options(final Map<String, String> options)
    {
        return new NvlinkTransportProvider().options().stream().map((option) -> option.key() + "=" +
            options.getOrDefault(option.key(), option.defaultValue())).collect(Collectors.joining("\n"));
    }
}
