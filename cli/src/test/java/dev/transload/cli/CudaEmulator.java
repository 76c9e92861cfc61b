/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli;

import dev.transload.cli.outcome.CommandException;
import dev.transload.cli.outcome.ExitCodes;
import dev.transload.cli.settings.Emulation;
import dev.transload.cli.settings.Settings;
import dev.transload.spi.TransportRegistry;
import java.util.Map;
import java.util.Set;

/** The emulated CUDA driver of this build. */
final class CudaEmulator
{
    static final String NAME = "nvlink";

    private CudaEmulator()
    {
    }

    /** Leaves a test out where the emulator is not built, as without a C compiler. */
    static void require()
    {
        try
        {
            over(Settings.load(null, Map.of(), Map.of(), Map.of()));
        }
        catch (final CommandException ex)
        {
            if (ExitCodes.UNAVAILABLE != ex.exitCode())
            {
                throw ex;
            }

            LoudSkip.because(ex.getMessage());
        }
    }

    /** Settings that have the transport use it. */
    static Settings over(final Settings settings)
    {
        return Emulation.apply(settings, TransportRegistry.discover().providers(), Set.of(NAME));
    }
}
