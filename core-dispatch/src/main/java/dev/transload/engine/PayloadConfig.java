/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

import dev.transload.spi.MemoryKind;
import dev.transload.spi.TransportProvider;
import java.util.Map;

/**
 * Memory kind and device of token rows.
 *
 * @param kind    kind of memory. An automatic kind is HOST until the engine opens.
 * @param isAuto  whether the kind is automatic. If it is, the engine uses the kind whose row kernels come with the
 *                scale-up transport, or HOST if no row kernels come with that transport.
 * @param device  ordinal of the device. An automatic ordinal is {@link #AUTO} until the engine opens.
 * @param staging whether rows are copied through host memory between nodes.
 */
public record PayloadConfig(MemoryKind kind, boolean isAuto, int device, StagingMode staging)
{
    /** Automatic choice of the device: the ranks of a host take the devices of the host in order. */
    public static final int AUTO = -1;

    /** Key of the option that selects the device, in transports that use one device. */
    public static final String DEVICE_OPTION = "device";

    /**
     * With this value of {@link #DEVICE_OPTION}, a transport uses the device of the payload. A transport whose default
     * is {@link #DEVICE_UNASKED} uses a device only with this value or an ordinal.
     */
    public static final String DEVICE_ASKED = "on";

    /** Default value of {@link #DEVICE_OPTION} in transports that work without a device. */
    public static final String DEVICE_UNASKED = "off";

    /**
     * Creates settings in which rows are staged only if the scale-out transport requires it.
     *
     * @param kind   kind of memory.
     * @param isAuto whether the engine chooses the kind when it opens.
     * @param device ordinal of the device, or {@link #AUTO}.
     */
    public PayloadConfig(final MemoryKind kind, final boolean isAuto, final int device)
    {
        this(kind, isAuto, device, StagingMode.AUTO);
    }

    /**
     * Sets the device option of a transport to the payload's device. The method has no effect if the options name a
     * device, or if the transport can work without a device and the options do not ask for one.
     *
     * @param provider provider of the transport.
     * @param options  options of the transport by key. The method sets the device in this map.
     * @param ordinal  ordinal of the device.
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
     * Returns a copy with the kind and device that the engine chose.
     *
     * @param settled kind of memory.
     * @param ordinal ordinal of the device, or {@link #AUTO}.
     * @return copy.
     */
    public PayloadConfig at(final MemoryKind settled, final int ordinal)
    {
        return new PayloadConfig(settled, false, ordinal, staging);
    }
}
