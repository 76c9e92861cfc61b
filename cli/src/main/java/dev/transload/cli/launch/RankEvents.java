/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.launch;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.transload.cli.outcome.Outcome;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a rank's process tells its launcher: lines of its standard output which hold a mark and a JSON object, or a part
 * of one. Whatever else stands there was written by libraries and is no event.
 */
public final class RankEvents implements Progress
{
    /** A line of an event: line end, mark, part of the JSON text, line end. */
    private static final String LAST_PART = "@transload@.";
    private static final String OTHER_PART = "@transload@+";

    /** With mark and line ends below 4096 bytes: a pipe takes no more in one piece, and libraries write to it too. */
    private static final int PART_CHARS = 4000;

    private static final Logger LOG = LoggerFactory.getLogger(RankEvents.class);
    private static final ObjectMapper JSON = JsonMapper.builder()
        .enable(JsonWriteFeature.ESCAPE_NON_ASCII).build();

    /** One line's event. */
    sealed interface Event
    {
    }

    /** A step was made. */
    record Step(String stage, long done, long all) implements Event
    {
    }

    /** Something was found. */
    record Found(JsonNode finding) implements Event
    {
    }

    /** A line for a person. */
    record Note(String line) implements Event
    {
    }

    /** The task is done, in this world. */
    record Done(int world, JsonNode report) implements Event
    {
    }

    /** What there was when the launcher asked for it; null for nothing. */
    record Partial(JsonNode report) implements Event
    {
    }

    /** The world of this number is formed: all ranks are there. */
    record Joined(int world) implements Event
    {
    }

    /**
     * Ranks of this world were lost, and this one waits for the launcher's orders.
     *
     * @param world   number of the world.
     * @param lost    ranks, as far as this one knows.
     * @param outcome of the task.
     */
    record Lost(int world, List<Integer> lost, Outcome outcome) implements Event
    {
    }

    /** The task failed. */
    record Failed(Outcome outcome) implements Event
    {
    }

    /** Steps that follow faster are not told, but for the last one: telling takes time from what is told. */
    private static final long STEP_NS = 250_000_000;

    private final PrintStream out;
    private volatile Supplier<JsonNode> checkpoint;
    private volatile int world;
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

    @Override
    public void step(final String stage, final long done, final long all)
    {
        final long nowNs = System.nanoTime();
        if (nowNs - toldNs >= STEP_NS || done == all)
        {
            toldNs = nowNs;
            write(JSON.createObjectNode().put("stage", stage).put("done", done).put("all", all));
        }
    }

    @Override
    public void found(final JsonNode finding)
    {
        write(JSON.createObjectNode().set("finding", finding));
    }

    @Override
    public void note(final String line)
    {
        write(JSON.createObjectNode().put("note", line));
    }

    @Override
    public void checkpoint(final Supplier<JsonNode> report)
    {
        checkpoint = report;
    }

    /** Tell of the last checkpoint, which the launcher asked for. */
    public void partial()
    {
        final Supplier<JsonNode> last = checkpoint;
        write(JSON.createObjectNode().set("partial", null == last ? null : last.get()));
    }

    /** What is told from now on is of this world. */
    void enter(final int number)
    {
        world = number;
        checkpoint = null;
    }

    /** Tell that this rank has met all others. */
    public void joined()
    {
        write(JSON.createObjectNode().put("joined", world));
    }

    /** Tell of the end. */
    public void done(final JsonNode report)
    {
        final ObjectNode event = JSON.createObjectNode().put("world", world);
        write(event.set("report", report));
    }

    /** Tell that ranks were lost: those that this one knows of, and how its task ended. */
    void lost(final List<Integer> ranks, final Outcome outcome)
    {
        final ObjectNode event = JSON.createObjectNode().put("world", world);
        event.set("lost", JSON.valueToTree(ranks));
        write(event.set("outcome", JSON.valueToTree(outcome)));
    }

    /** Tell of a failure. */
    public void failed(final Outcome outcome)
    {
        write(JSON.createObjectNode().set("outcome", JSON.valueToTree(outcome)));
    }

    /** Lines of their own, even where a library left one unfinished. */
    private void write(final ObjectNode event)
    {
        final String json = text(event);
        synchronized (out)
        {
            int from = 0;
            for (; json.length() - from > PART_CHARS; from += PART_CHARS)
            {
                write(OTHER_PART + json.substring(from, from + PART_CHARS));
            }

            write(LAST_PART + json.substring(from));
            out.flush();
        }
    }

    /** In one piece, hence not by printing. */
    private void write(final String line)
    {
        final byte[] bytes = ("\n" + line + "\n").getBytes(StandardCharsets.US_ASCII);
        out.write(bytes, 0, bytes.length);
    }

    private static String text(final ObjectNode event)
    {
        try
        {
            return JSON.writeValueAsString(event);
        }
        catch (final JsonProcessingException ex)
        {
            throw new IllegalStateException("an event cannot be written", ex);
        }
    }

    /** Finds the events among a process's lines; for one thread. */
    static final class Reader
    {
        private final StringBuilder parts = new StringBuilder();

        /**
         * Whether a line is for {@link #take}.
         *
         * @param line of the process's standard output.
         * @return whether the line is a part of an event.
         */
        static boolean isEvent(final String line)
        {
            return line.startsWith(LAST_PART) || line.startsWith(OTHER_PART);
        }

        /**
         * Take the next line of which {@link #isEvent} is true.
         *
         * @param line of the process's standard output.
         * @return the event that it ends, if it does.
         */
        Optional<Event> take(final String line)
        {
            parts.append(line, LAST_PART.length(), line.length());
            if (!line.startsWith(LAST_PART))
            {
                return Optional.empty();
            }

            final String json = parts.toString();
            parts.setLength(0);
            return parse(json);
        }

        private static Optional<Event> parse(final String json)
        {
            try
            {
                final JsonNode object = JSON.readTree(json);
                if (object.has("report"))
                {
                    return Optional.of(new Done(object.path("world").asInt(), object.get("report")));
                }

                if (object.has("partial"))
                {
                    final JsonNode partial = object.get("partial");
                    return Optional.of(new Partial(partial.isNull() ? null : partial));
                }

                if (object.has("finding"))
                {
                    return Optional.of(new Found(object.get("finding")));
                }

                if (object.has("outcome"))
                {
                    final Outcome outcome = JSON.treeToValue(object.get("outcome"), Outcome.class);
                    return Optional.of(object.has("lost") ? new Lost(object.path("world").asInt(),
                        List.of(JSON.treeToValue(object.get("lost"), Integer[].class)), outcome) :
                        new Failed(outcome));
                }

                if (object.has("joined"))
                {
                    return Optional.of(new Joined(object.get("joined").asInt()));
                }

                if (object.has("note"))
                {
                    return Optional.of(new Note(object.get("note").asText()));
                }

                return object.has("stage") ? Optional.of(new Step(
                    object.get("stage").asText(), object.get("done").asLong(), object.get("all").asLong())) :
                    Optional.empty();
            }
            catch (final JsonProcessingException ex)
            {
                // A killed process's last line may be cut short.
                LOG.debug("no event, since it cannot be read: {}", json, ex);
                return Optional.empty();
            }
        }
    }
}
