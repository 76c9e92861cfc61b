/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.ucx;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Asks the linker whether there is UCX. Loading it would settle the settings of this process, which tests want to do
 * themselves.
 */
final class UcxCondition implements ExecutionCondition
{
    private static final String LIBRARY = "libucp.so.0";
    private static final String RULE = "=".repeat(80);
    private static final String REASON = isThere() ? null : "SKIPPED: the tests of UCX, since this host has no " +
        LIBRARY + ": apt-get install libucx0";

    @Override
    public ConditionEvaluationResult evaluateExecutionCondition(final ExtensionContext context)
    {
        if (null == REASON)
        {
            return ConditionEvaluationResult.enabled(LIBRARY + " is there");
        }

        System.err.println(RULE + "\n" + context.getDisplayName() + " " + REASON + "\n" + RULE);
        return ConditionEvaluationResult.disabled(REASON);
    }

    /** Where the linker does not say what it has, the tests find out. */
    private static boolean isThere()
    {
        final String path = System.getenv("LD_LIBRARY_PATH");
        for (final String folder : null == path ? new String[0] : path.split(File.pathSeparator))
        {
            if (Files.exists(Path.of(folder, LIBRARY)))
            {
                return true;
            }
        }

        try
        {
            final Process linker = new ProcessBuilder("/sbin/ldconfig", "-p").redirectErrorStream(true).start();
            linker.getOutputStream().close();
            final String listed = new String(linker.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            return 0 != linker.waitFor() || listed.contains(LIBRARY);
        }
        catch (final IOException ex)
        {
            return true;
        }
        catch (final InterruptedException ex)
        {
            Thread.currentThread().interrupt();
            return true;
        }
    }
}
