/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine;

import dev.transload.spi.MemoryKind;

/**
 * Where token rows live.
 *
 * @param kind   of memory; HOST for the time being where it is settled only when the engine opens.
 * @param isAuto whether it is: it is then the kind whose row kernels come with the scale-up transport, else HOST.
 * @param device ordinal, {@link #AUTO} until the engine opens.
 */
public record PayloadConfig(MemoryKind kind, boolean isAuto, int device)
{
    /** The ranks of a host take its devices in turn. */
    public static final int AUTO = -1;

    /** Option of transports that are bound to one device, by which they are told it. */
    public static final String DEVICE_OPTION = "device";
}
