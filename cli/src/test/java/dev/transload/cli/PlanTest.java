/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.transload.cli.outcome.ExitCodes;
import dev.transload.cli.program.StandardStreams;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code plan} says, without running a world, which bytes its ranks count when it runs. */
class PlanTest
{
    private static final ObjectMapper JSON = new ObjectMapper();

    private static String said(final String... line)
    {
        final ByteArrayOutputStream out = new ByteArrayOutputStream();
        StandardStreams.redirect(out);
        assertEquals(ExitCodes.DONE, Main.run(line, false), () -> String.join(" ", line));
        StandardStreams.result().flush();
        return out.toString(StandardCharsets.UTF_8);
    }

    private static JsonNode json(final String command, final String world, final String... more) throws IOException
    {
        final List<String> line = new ArrayList<>(List.of(command, "--json"));
        line.addAll(List.of(world.split(" ")));
        line.addAll(List.of(more));
        return JSON.readTree(said(line.toArray(String[]::new)));
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "--nodes 2 --ranks-per-node 2 --tokens 90 --hidden 128 --experts 20 --topk 4 --channels 2",
        "--nodes 3 --ranks-per-node 1 --tokens 1100 --hidden 128 --experts 6 --topk 3 --channels 1 --dtype fp8",
        "--ranks-per-node 2,1 --tokens 70 --hidden 256 --experts 10 --topk 4 --channels 2",
        "--nodes 2 --ranks-per-node 2 --tokens 60 --hidden 128 --experts 24 --topk 6 --channels 1 " +
            "-Dtransload.dispatch.output=expert-major",
        "--nodes 2 --ranks-per-node 1 --tokens 40 --hidden 128 --channels 2 -Dtransload.combine.wire=f32",
        "--nodes 1 --ranks-per-node 3 --tokens 50 --hidden 128 --channels 1" })
    void shouldTellTheBytesThatARunCounts(final String world) throws IOException
    {
        final JsonNode planned = json("plan", world);
        final JsonNode run = json("run", world, "--in-process", "--timeout", "60s");

        assertTrue(run.get("verified").asBoolean());
        assertEquals(run.get("tokens").asLong(), planned.get("tokens").asLong());
        assertEquals(run.get("world"), planned.get("world"));
        for (final String call : List.of("dispatch", "combine"))
        {
            for (final String bytes : List.of("scale_out_bytes", "scale_up_bytes"))
            {
                assertEquals(run.get(call).get(bytes).asLong(), planned.get(call).get(bytes).asLong(),
                    call + " " + bytes);
            }
        }
    }

    @Test
    void shouldTellTheTimesThatLinksAllow() throws IOException
    {
        final String world = "--nodes 2 --ranks-per-node 2 --tokens 100 --hidden 1024 --experts 16 --topk 4";
        final JsonNode dispatch = json("plan", world, "--link", "1GB/s").get("dispatch");

        assertEquals(dispatch.get("scale_out_bytes_of_rank").get("most").asDouble() / 1e3,
            dispatch.get("limit_micros").asDouble(), 0.01);
        assertEquals(dispatch.get("limit_micros"),
            json("plan", world, "--link", "8Gbit/s", "--scale-up", "9TB/s").get("dispatch").get("limit_micros"));
        assertFalse(json("plan", world).get("dispatch").has("limit_micros"));
    }

    @Test
    void shouldLookAtSomeRanksOfAWorldThatIsTooLarge() throws IOException
    {
        final JsonNode plan = json("plan",
            "--nodes 32 --ranks-per-node 8 --tokens 512 --experts 4096 --topk 8 --hidden 7168 --channels 1");

        final int looked = plan.get("ranks_looked_at").asInt();
        assertTrue(looked >= 8 && looked < 256, () -> String.valueOf(looked));
        assertEquals(256 * 512, plan.get("tokens").asLong());
        assertFalse(plan.get("dispatch").get("scale_out_bytes_of_rank").has("most"));
        // Group-limited gating: four nodes, and seldom the own one among them.
        assertEquals(4, plan.get("nodes_per_token").asDouble(), 0.2);
        assertEquals(256 * plan.get("dispatch").get("scale_out_bytes_of_rank").get("mean").asDouble(),
            plan.get("dispatch").get("scale_out_bytes").asDouble(), 1e3 * 256);
    }

    @Test
    void shouldTellPeople()
    {
        final String text = said("plan", "--nodes", "2", "--ranks-per-node", "2", "--tokens", "64",
            "--hidden", "256", "--link", "50GB/s");

        assertTrue(text.contains("a token goes to") && text.contains("dispatch between nodes") &&
            text.contains("the busiest links need") && text.contains("memory of a rank"), text);
    }
}
