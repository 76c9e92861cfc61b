/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

import dev.transload.spi.MemoryKind;
import dev.transload.spi.TransportProvider;
import java.util.Map;

/**
 * Where token rows live.
 *
 * @param kind    of memory; HOST for the time being where it is settled only when the engine opens.
 * @param isAuto  whether it is: it is then the kind whose row kernels come with the scale-up transport, else HOST.
 * @param device  ordinal, {@link #AUTO} until the engine opens.
 * @param staging whether rows pass through host memory between nodes.
 */
public record PayloadConfig(MemoryKind kind, boolean isAuto, int device, StagingMode staging)
{
    /** The ranks of a host take its devices in turn. */
    public static final int AUTO = -1;

    /** Option of transports that are bound to one device, by which they are told it. */
    public static final String DEVICE_OPTION = "device";

    /** Value of that option in transports that move memory of devices only where they are asked: the payload's. */
    public static final String DEVICE_ASKED = "on";

    /** Default of that option in these transports. */
    public static final String DEVICE_UNASKED = "off";

    /**
     * Staged where that is needed.
     *
     * @param kind   of memory.
     * @param isAuto whether it is settled only when the engine opens.
     * @param device ordinal, or {@link #AUTO}.
     */
    public PayloadConfig(final MemoryKind kind, final boolean isAuto, final int device)
    {
        this(kind, isAuto, device, StagingMode.AUTO);
    }

    /**
     * Tell a transport the payload's device, unless its options name one. A transport that does without one is told
     * only where they ask for it.
     *
     * @param provider of the transport.
     * @param options  of it by key, to which the device is added.
     * @param ordinal  of the device.
     */
    public static void tellDevice(
        final TransportProvider provider, final Map<String, String> options, final int ordinal)
    {
        provider.options().stream().filter((option) -> DEVICE_OPTION.equals(option.key())).forEach((option) ->
        {
            final String said = options.get(DEVICE_OPTION);
            if (DEVICE_ASKED.equals(said) || null == said && !DEVICE_UNASKED.equals(option.defaultValue()))
            {
                options.put(DEVICE_OPTION, String.valueOf(ordinal));
            }
        });
    }

    /**
     * With kind and device settled.
     *
     * @param settled kind of memory.
     * @param ordinal of the device, or {@link #AUTO}.
     * @return copy.
     */
    public PayloadConfig at(final MemoryKind settled, final int ordinal)
    {
        return new PayloadConfig(settled, false, ordinal, staging);
    }
}
