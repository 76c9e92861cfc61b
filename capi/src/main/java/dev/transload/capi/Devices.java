/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.capi;

import dev.transload.engine.BadInputException;
import dev.transload.spi.MemoryKind;

/** DLPack's numbers of devices. */
final class Devices
{
    private static final int CPU = 1;
    private static final int CUDA = 2;
    private static final int CUDA_HOST = 3;

    private Devices()
    {
    }

    static MemoryKind kind(final int deviceType)
    {
        return switch (deviceType)
        {
            case CPU, CUDA_HOST -> MemoryKind.HOST;
            case CUDA -> MemoryKind.CUDA;
            default -> throw new BadInputException("a tensor on a device of type " + deviceType +
                " (DLPack) is not allowed: must be kDLCPU = " + CPU + " or kDLCUDA = " + CUDA);
        };
    }

    static int type(final MemoryKind kind)
    {
        return kind.isHost() ? CPU : CUDA;
    }
}
