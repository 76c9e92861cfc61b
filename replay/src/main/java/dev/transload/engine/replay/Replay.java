/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.replay;

import dev.transload.engine.BadInputException;
import dev.transload.engine.NormalReplay;
import dev.transload.engine.lowlatency.LowLatencyReplay;
import dev.transload.engine.recording.LowLatencyRecording;
import dev.transload.engine.recording.NormalRecording;
import dev.transload.engine.recording.Recording;
import dev.transload.spi.ConfigurationException;
import java.util.Optional;
import java.util.concurrent.CompletionException;

/** Runs recorded worlds. */
public final class Replay
{
    private Replay()
    {
    }

    /**
     * Runs a world on the stepping transport. One thread drives all ranks in the order given by the recorded seed.
     *
     * @param recording recording that has been checked.
     * @return error of the world, or empty if the results of all ranks are equal to a brute-force computation.
     * @throws BadInputException if the mode or the engines refuse values of the recording.
     */
    public static Optional<Throwable> run(final Recording recording)
    {
        try
        {
            if (recording instanceof final NormalRecording normal)
            {
                NormalReplay.run(normal);
            }
            else
            {
                LowLatencyReplay.run((LowLatencyRecording)recording);
            }

            return Optional.empty();
        }
        catch (final BadInputException ex)
        {
            throw ex;
        }
        catch (final ConfigurationException ex)
        {
            throw refused(ex);
        }
        catch (final CompletionException ex)
        {
            if (ex.getCause() instanceof final ConfigurationException cause)
            {
                throw refused(cause);
            }

            return Optional.of(null == ex.getCause() ? ex : ex.getCause());
        }
        catch (final RuntimeException | AssertionError ex)
        {
            return Optional.of(ex);
        }
    }

    /** Engines refuse settings while they open. */
    private static BadInputException refused(final ConfigurationException ex)
    {
        return new BadInputException("settings of the recording: " + ex.getMessage());
    }
}
