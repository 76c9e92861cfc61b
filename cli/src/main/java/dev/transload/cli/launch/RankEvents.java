/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.launch;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.transload.cli.outcome.Outcome;
import java.io.PrintStream;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a rank's process tells its launcher: lines of its standard output which hold a mark and a JSON object. Whatever
 * else stands there was written by libraries and is no event.
 */
public final class RankEvents
{
    private static final String MARK = "@transload@";
    private static final Logger LOG = LoggerFactory.getLogger(RankEvents.class);
    private static final ObjectMapper JSON = new ObjectMapper();

    /** One line's event. */
    sealed interface Event
    {
    }

    /** A step was made. */
    record Step(String stage, long done, long all) implements Event
    {
    }

    /** The task is done. */
    record Done(JsonNode report) implements Event
    {
    }

    /** The task failed. */
    record Failed(Outcome outcome) implements Event
    {
    }

    /** Steps that follow faster are not told, but for the last one. */
    private static final long STEP_NS = 50_000_000;

    private final PrintStream out;
    private long toldNs = System.nanoTime() - STEP_NS;

    /**
     * Tell through a stream.
     *
     * @param out the process's standard output, which nothing of ours writes to otherwise.
     */
    public RankEvents(final PrintStream out)
    {
        this.out = out;
    }

    /**
     * Tell of a step.
     *
     * @param stage of the task.
     * @param done  steps.
     * @param all   steps.
     */
    public void step(final String stage, final long done, final long all)
    {
        final long nowNs = System.nanoTime();
        if (nowNs - toldNs >= STEP_NS || done == all)
        {
            toldNs = nowNs;
            write(JSON.createObjectNode().put("stage", stage).put("done", done).put("all", all));
        }
    }

    /**
     * Tell of the end.
     *
     * @param report of the task.
     */
    public void done(final JsonNode report)
    {
        write(JSON.createObjectNode().set("report", report));
    }

    /**
     * Tell of a failure.
     *
     * @param outcome of the rank.
     */
    public void failed(final Outcome outcome)
    {
        write(JSON.createObjectNode().set("outcome", JSON.valueToTree(outcome)));
    }

    static Optional<Event> parse(final String line)
    {
        final int mark = line.indexOf(MARK);
        if (mark < 0)
        {
            return Optional.empty();
        }

        try
        {
            final JsonNode object = JSON.readTree(line.substring(mark + MARK.length()));
            if (object.has("report"))
            {
                return Optional.of(new Done(object.get("report")));
            }

            if (object.has("outcome"))
            {
                return Optional.of(new Failed(JSON.treeToValue(object.get("outcome"), Outcome.class)));
            }

            return object.has("stage") ? Optional.of(new Step(
                object.get("stage").asText(), object.get("done").asLong(), object.get("all").asLong())) :
                Optional.empty();
        }
        catch (final JsonProcessingException ex)
        {
            // A killed process's last line may be cut short.
            LOG.debug("no event, since it cannot be read: {}", line, ex);
            return Optional.empty();
        }
    }

    /** A line of its own, even where a library left one unfinished. */
    private void write(final ObjectNode event)
    {
        synchronized (out)
        {
            out.print("\n" + MARK + event + "\n");
            out.flush();
        }
    }
}
