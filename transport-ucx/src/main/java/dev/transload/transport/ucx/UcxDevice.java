/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.ucx;

import dev.transload.spi.ConfigurationException;
import dev.transload.spi.DeviceRuntime;
import dev.transload.spi.MemoryKind;
import dev.transload.spi.RuntimeDevice;
import dev.transload.spi.TransportUnavailableException;
import dev.transload.transport.ucx.internal.ucp.UcpCalls;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

/**
 * The GPU whose memory UCX moves for one transport, or none: allocates that memory, makes the GPU current in threads
 * that call UCX, and says what it takes to see what peers wrote there.
 */
final class UcxDevice
{
    /** Host memory only. */
    static final UcxDevice NONE = new UcxDevice(null, Acquire.NOTHING);

    static final MemoryKind KIND = MemoryKind.CUDA;

    private static final String RELAXED_ORDERING = "IB_PCI_RELAXED_ORDERING";
    private static final Set<String> ON = Set.of("y", "yes", "on", "1", "try");

    private final RuntimeDevice device;
    private final Acquire acquire;
    private final int type;

    /** What {@link dev.transload.spi.Worker#acquire} does for memory of the device. */
    enum Acquire
    {
        /** A card's writes are visible before the word that tells of them is. */
        NOTHING("seen as soon as signalled"),

        /** The driver makes those visible that have arrived. */
        FLUSH("seen after a flush by the driver"),

        /** A read by the card that wrote comes behind its writes. */
        READ_BACK("seen after a read through the card");

        private final String words;

        Acquire(final String words)
        {
            this.words = words;
        }
    }

    private UcxDevice(final RuntimeDevice device, final Acquire acquire)
    {
        this.device = device;
        this.acquire = acquire;
        this.type = null == device || device.isHostAddressable() ?
            UcpCalls.MEMORY_TYPE_HOST : UcpCalls.MEMORY_TYPE_CUDA;
    }

    /**
     * Open the device that the options name, and make it current in the calling thread: UCX looks for it there when a
     * context is made.
     *
     * @param options     of the transport.
     * @param selection   of ways within UCX.
     * @param runtimes    of the class path, looked for where they are needed.
     * @param environment variables.
     * @return the device, {@link #NONE} where the options name none.
     * @throws TransportUnavailableException in one sentence, when there is none that UCX could move memory of.
     * @throws ConfigurationException        when cards may write out of order.
     */
    static UcxDevice open(
        final UcxOptions options,
        final TransportSelection selection,
        final Supplier<List<DeviceRuntime>> runtimes,
        final Map<String, String> environment)
    {
        if (!options.movesDevice())
        {
            return NONE;
        }

        refuseRelaxedOrdering(options, environment);
        final DeviceRuntime runtime = runtimes.get().stream().filter((found) -> KIND.equals(found.kind()))
            .findFirst().orElseThrow(() -> unavailable(options, "no jar of the class path drives " + KIND +
                " devices: add that of the transport nvlink", null));
        final RuntimeDevice device;
        try
        {
            device = runtime.open(options.deviceLibrary(), options.deviceOrdinal());
        }
        catch (final TransportUnavailableException ex)
        {
            throw unavailable(options, ex.getMessage(), ex);
        }

        if (device.isEmulated() && !device.isHostAddressable())
        {
            throw unavailable(options, device.describe() + " is emulated, and UCX knows addresses of hardware only",
                null);
        }

        device.bind();
        return new UcxDevice(device, acquire(options, selection, device));
    }

    /**
     * Refuse an UCX that would take the device's addresses for the host's.
     *
     * @param options     of the transport.
     * @param library     that was found, for messages.
     * @param memoryTypes of a context, a bit for each by UCX's numbers.
     * @throws TransportUnavailableException in one sentence.
     */
    void requireMovedBy(final UcxOptions options, final String library, final long memoryTypes)
    {
        if (isPresent() && 0 == (memoryTypes >> type() & 1))
        {
            throw unavailable(options, library + " moves no " + KIND +
                " memory: it was built without CUDA, or UCX_TLS or transload.ucx.tls leave out cuda_copy", null);
        }
    }

    /** Whether there is one. */
    boolean isPresent()
    {
        return null != device;
    }

    /** Make it current in the calling thread; nothing without a device. */
    void bind()
    {
        if (null != device)
        {
            device.bind();
        }
    }

    /** Calls into UCX that make it current first; the calls themselves without a device. */
    UcpCalls bound(final UcpCalls calls)
    {
        return null == device ? calls : new DeviceCalls(calls, device);
    }

    /** UCX's number of its memory. */
    int type()
    {
        return type;
    }

    Acquire acquire()
    {
        return acquire;
    }

    /** For {@link Acquire#FLUSH}. */
    void flushWrites()
    {
        device.flushWrites();
    }

    /** Zeroed memory; the sentence of a refusal is the driver's. */
    long allocate(final int ordinal, final long length)
    {
        checkOrdinal(ordinal);
        try
        {
            return device.allocate(length);
        }
        catch (final TransportUnavailableException ex)
        {
            throw new TransportUnavailableException("transport ucx: " + ex.getMessage(), ex);
        }
    }

    void free(final long address)
    {
        device.free(address);
    }

    /** Refuse what is no memory of this device. */
    void requireOwn(final int ordinal, final long address, final long length)
    {
        checkOrdinal(ordinal);
        device.requireOwn(address, length);
    }

    int ordinal()
    {
        return device.ordinal();
    }

    /** For messages. */
    String describe()
    {
        return device.describe();
    }

    /** For reports: a clause on how its memory is moved. */
    String way(final TransportSelection selection)
    {
        return "UCX moves that of " + device.describe() + " itself by " + selection.describe() + ", " + acquire.words +
            ": experimental";
    }

    private static Acquire acquire(
        final UcxOptions options, final TransportSelection selection, final RuntimeDevice device)
    {
        return switch (device.writeOrder())
        {
            case ORDERED -> Acquire.NOTHING;
            case FLUSHED -> Acquire.FLUSH;
            case UNKNOWN ->
            {
                if (!selection.hasNetworkOnly())
                {
                    throw unavailable(options, device.describe() + " does not tell when it sees what a card wrote, " +
                        "and a read through the card would show that only if transload.ucx.tls named ways over the " +
                        "network alone, e.g. rc,cuda_copy", null);
                }

                yield Acquire.READ_BACK;
            }
        };
    }

    /** Its writes may pass each other on the bus: what tells of rows would come before them. */
    private static void refuseRelaxedOrdering(final UcxOptions options, final Map<String, String> environment)
    {
        final String value = environment.getOrDefault(UcxOptions.PREFIX + RELAXED_ORDERING,
            options.processSettings().getOrDefault(RELAXED_ORDERING, ""));
        if (ON.contains(value.toLowerCase(Locale.ROOT)))
        {
            throw new ConfigurationException("UCX_" + RELAXED_ORDERING + " = " + value + " is not allowed together " +
                "with transload.ucx.device = " + options.device() + ": set it to no, or the device to off");
        }
    }

    private static TransportUnavailableException unavailable(
        final UcxOptions options, final String why, final Throwable cause)
    {
        return new TransportUnavailableException("transload.ucx.device = " + options.device() +
            " is not possible here: " + why +
            "; without it (off) the engine stages rows of devices through host memory", cause);
    }

    private void checkOrdinal(final int ordinal)
    {
        if (device.ordinal() != ordinal)
        {
            throw new IllegalArgumentException("device=" + ordinal + ": this transport moves memory of " +
                device.describe() + "; transload.ucx.device says which");
        }
    }
}
