/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.nvlink;

import java.nio.file.Path;

/** Kernels of an emulated device that stop, as those of a device that others use for long. */
final class StoppedKernels
{
    private StoppedKernels()
    {
    }

    /** By native code that the build makes beside the emulator, after a transport has opened the driver's library. */
    static void set(final String library, final Path natives, final int device, final boolean isStopped)
    {
        System.load(natives.toAbsolutePath().toString());
        if (!stop(library, device, isStopped))
        {
            throw new IllegalStateException(library + " cannot stop kernels");
        }
    }

    private static native boolean stop(String library, int device, boolean isStopped);
}
