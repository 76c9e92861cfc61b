/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.tune;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.transload.cli.launch.Progress;
import dev.transload.cli.outcome.CommandException;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Keeps the best that a search has found so far, and writes it when the search ends early, by Ctrl-C or a failure. */
final class Interruption implements Progress
{
    private static final Logger LOG = LoggerFactory.getLogger(Interruption.class);
    private static final ObjectMapper JSON = new ObjectMapper();

    private final TunedFile file;
    private final Progress shown;
    private final Thread hook = new Thread(this::onInterrupt, "transload-tune-interrupted");
    private volatile JsonNode best;

    /**
     * From now on the end of this JVM has the best written.
     *
     * @param file    to write.
     * @param shown   told of all steps.
     * @param isOwner whether this process writes the file, and no other rank's.
     */
    Interruption(final TunedFile file, final Progress shown, final boolean isOwner)
    {
        this.file = file;
        this.shown = shown;
        if (isOwner)
        {
            Runtime.getRuntime().addShutdownHook(hook);
        }
    }

    /**
     * The search came to an end.
     *
     * @return false if that was because this JVM is ending.
     */
    boolean disarm()
    {
        try
        {
            Runtime.getRuntime().removeShutdownHook(hook);
            return true;
        }
        catch (final IllegalStateException ex)
        {
            LOG.debug("the JVM is ending, and the hook runs already", ex);
            return false;
        }
    }

    /** The search failed; what it found until then is worth keeping. */
    void keepBest()
    {
        if (null != best)
        {
            say(write());
        }
    }

    private void onInterrupt()
    {
        try
        {
            say(write());
        }
        catch (final CommandException ex)
        {
            say("interrupted; " + ex.getMessage());
        }
    }

    private String write()
    {
        final JsonNode finding = best;
        if (null == finding)
        {
            return nothingFound(file);
        }

        final TuneReport report = parse(finding);
        file.write(TuneText.reasons(report), report.best());
        return found(report, file);
    }

    /** Writes a file that changes nothing, and says so. */
    static String nothingFound(final TunedFile file)
    {
        file.write(List.of("The search ended early, before anything faster than the default was found."), Map.of());
        return noneFaster(file);
    }

    private static String noneFaster(final TunedFile file)
    {
        return "the search ended early, before anything faster than the default was found: " + file.path() +
            " leaves all as it is";
    }

    /** What a file with the best so far is to be told of. */
    static String found(final TuneReport report, final TunedFile file)
    {
        return report.best().isEmpty() ? noneFaster(file) :
            "the search ended early; the best so far, not confirmed against the default, is in " + file.path() +
            ": " + TuneText.settings(report.best());
    }

    private static void say(final String sentence)
    {
        System.err.println("transload: " + sentence);
    }

    private static TuneReport parse(final JsonNode finding)
    {
        try
        {
            return JSON.treeToValue(finding, TuneReport.class);
        }
        catch (final JsonProcessingException ex)
        {
            throw new IllegalStateException("a finding cannot be read", ex);
        }
    }

    @Override
    public void step(final String stage, final long done, final long all)
    {
        shown.step(stage, done, all);
    }

    @Override
    public void found(final JsonNode finding)
    {
        best = finding;
    }
}
