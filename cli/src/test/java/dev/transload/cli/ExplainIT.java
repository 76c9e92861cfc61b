/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.transload.cli.outcome.ExitCodes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The way of a token whose places a person can count: twelve tokens, two of four experts each. */
@Timeout(300)
class ExplainIT
{
    private static final int[][] EXPERTS = {
        { 1, 2 }, { 3, 0 }, { -1, -1 }, { 0, 3 }, { 2, 3 }, { 0, 1 },
        { 0, 1 }, { 1, 3 }, { 2, 0 }, { 3, 2 }, { 1, 0 }, { 2, 1 } };

    @TempDir
    private Path folder;

    /** Three tokens and one expert a rank. */
    @Test
    void shouldTellTheWayThroughTwoNodes() throws Exception
    {
        final String text = run("--explain", "1:1", "--nodes", "2", "--ranks-per-node", "2").out();

        assertLines(text,
            "token 1 of rank 1 (node 0), channel 0, experts 2, 3",
            "  node 1: position 1 of 2 in the stream, first hop direct to relay rank 3, slot 1 of ring 0",
            "    rank 2: output row 1 for expert 2, written to its place",
            "    rank 3: output row 2 for expert 3, written to its place",
            "  way back:",
            "    node 1: rank 3 sums rank 2 row 1 + rank 3 row 2, to slot 1 of the ring at rank 1",
            "    rank 1: node 1; top-k weights are summed in the same order");
    }

    @Test
    void shouldTellTheWayOfARepeatedDispatchToBothNodes() throws Exception
    {
        final JsonNode way = run("--json", "--explain", "0:1", "--nodes", "2", "--ranks-per-node", "2", "--cached",
            "--iterations", "3").json().get("explained");

        assertEquals(json("{'rank':0,'token':1,'node':0,'channel':0,'experts':[3,0],'streams':[" +
            "{'node':0,'relay':0,'stream':0,'position':1,'rows':2,'first_hop':'none','slot':null," +
            "'ranks':[{'rank':0,'experts':[0],'rows':[0],'placement':'direct','slot':null}]}," +
            "{'node':1,'relay':2,'stream':0,'position':1,'rows':2,'first_hop':'direct','slot':1," +
            "'ranks':[{'rank':3,'experts':[3],'rows':[0],'placement':'direct','slot':null}]}]," +
            "'sums':[{'node':0,'summed_by':0,'answers':[{'rank':0,'row':0,'slot':null}],'slot':null}," +
            "{'node':1,'summed_by':2,'answers':[{'rank':3,'row':0,'slot':null}],'slot':1}]}"), way);
    }

    /** Six tokens and two experts a rank: both experts of the token are on the other one, and it has a row for each. */
    @Test
    void shouldTellTheWayThroughRingsToEachExpert() throws Exception
    {
        final String[] options = { "--explain", "0:4", "--nodes", "1", "--ranks-per-node", "2",
            "-Dtransload.placement=ring", "-Dtransload.dispatch.output=expert-major" };
        final JsonNode way = run(with(options, "--json")).json().get("explained");

        assertEquals(json("{'rank':0,'token':4,'node':0,'channel':0,'experts':[2,3],'streams':[" +
            "{'node':0,'relay':0,'stream':0,'position':3,'rows':5,'first_hop':'none','slot':null," +
            "'ranks':[{'rank':1,'experts':[2,3],'rows':[1,7],'placement':'ring','slot':3}]}]," +
            "'sums':[{'node':0,'summed_by':0,'answers':[{'rank':1,'row':null,'slot':3}],'slot':null}]}"), way);
        assertLines(run(options).out(),
            "token 4 of rank 0 (node 0), channel 0, experts 2, 3",
            "  node 0: position 3 of 5 in the stream, no first hop: rank 0 reads its tensor",
            "    rank 1: output rows 1, 7 for experts 2, 3, through slot 3 of the ring from rank 0",
            "  way back:",
            "    node 0: rank 0 sums rank 1 rows 1 + 7 by slot 3",
            "    rank 0: node 0; top-k weights are summed in the same order");
    }

    @Test
    void shouldTellThatATokenIsSentNowhere() throws Exception
    {
        assertLines(run("--explain", "0:2", "--nodes", "2", "--ranks-per-node", "2").out(),
            "token 2 of rank 0 (node 0), channel 0, experts none, none",
            "  it selected no expert: it is sent nowhere, and its sum is zero");
    }

    private static void assertLines(final String text, final String... lines)
    {
        final String wanted = String.join(System.lineSeparator(), lines) + System.lineSeparator();
        assertTrue(text.contains(wanted), wanted + "in:" + System.lineSeparator() + text);
    }

    private static JsonNode json(final String text) throws IOException
    {
        return new ObjectMapper().readTree(text.replace('\'', '"'));
    }

    private Program.End run(final String... options) throws Exception
    {
        final StringBuilder trace = new StringBuilder("{\"type\":\"meta\",\"num_experts\":4,\"top_k\":2}\n");
        for (final int[] experts : EXPERTS)
        {
            trace.append("{\"type\":\"route\",\"topk_ids\":").append(Arrays.toString(experts))
                .append(",\"topk_weights\":[0.75,0.25]}\n");
        }

        final Path file = Files.writeString(folder.resolve("trace.jsonl"), trace);
        final Program.End end = SmallRun.end(folder, Map.of(), with(options, "run", "--trace", file.toString(),
            "--hidden", "128", "--channels", "1", "-Dtransload.kernels.mode=scalar", "--timeout", "120s"));
        assertEquals(ExitCodes.DONE, end.exitCode(), end.err());
        return end;
    }

    private static String[] with(final String[] options, final String... before)
    {
        final List<String> all = new ArrayList<>(List.of(before));
        all.addAll(Arrays.asList(options));
        return all.toArray(String[]::new);
    }
}
