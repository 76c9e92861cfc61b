/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli;

import dev.transload.cli.outcome.CommandException;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Unmatched;

/** Says that it comes later, whatever it is given. */
@Command(name = "tune", description = "Search settings for this world; comes in a later version.")
final class TuneCommand implements Callable<Integer>
{
    @Unmatched
    private List<String> ignored;

    @Override
    public Integer call()
    {
        throw CommandException.badInput("tune is not available yet: it comes in a later version");
    }
}
