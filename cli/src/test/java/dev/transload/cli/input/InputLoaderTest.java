/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.input;

import static dev.transload.cli.Refusals.assertRefused;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.transload.cli.outcome.ExitCodes;
import dev.transload.engine.WorldConfig;
import dev.transload.reference.Routing;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class InputLoaderTest
{
    private static final String META = "{\"type\":\"meta\",\"model_id\":\"m\",\"num_experts\":6,\"top_k\":2}";
    private static final String ROUTE = "{\"type\":\"route\",\"layer\":1,\"topk_ids\":[%s],\"topk_weights\":[%s]}";

    @TempDir
    private Path folder;
    private Path file;

    @BeforeEach
    void nameFile()
    {
        file = folder.resolve("router.jsonl");
    }

    @Test
    void shouldDealRoutesInConsecutiveBlocks() throws IOException
    {
        write(META, route("0,1"), route("1,2"), route("2,3"), route("3,4"), route("4,5"));
        try (RunInput input = load(null, null, 3))
        {
            assertEquals(6, input.experts());
            assertEquals(5, input.tokens());
            assertArrayEquals(new long[]{ 0, 1 }, input.world().routing(0).idx());
            assertArrayEquals(new long[]{ 1, 2, 2, 3 }, input.world().routing(1).idx());
            assertArrayEquals(new long[]{ 3, 4, 4, 5 }, input.world().routing(2).idx());
            assertArrayEquals(new float[]{ 0.5f, 0.25f }, input.world().routing(0).weights());
        }
    }

    @Test
    void shouldTakeTheFirstChoicesForASmallerTopk() throws IOException
    {
        write(META, route("0,1"), route("3,2"));
        try (RunInput input = load(null, 1, 1))
        {
            assertArrayEquals(new long[]{ 0, 3 }, input.world().routing(0).idx());
            assertArrayEquals(new float[]{ 0.5f, 0.5f }, input.world().routing(0).weights());
        }

        assertRefused(ExitCodes.BAD_INPUT, () -> load(null, 3, 1), "--topk 3", "2 choices");
    }

    @Test
    void shouldAskForExpertsWhereTheHeadDoesNotSay() throws IOException
    {
        write("{\"type\":\"meta\"}", route("0,1"));

        assertRefused(ExitCodes.BAD_INPUT, () -> load(null, null, 1), "router.jsonl", "--experts");
        try (RunInput input = load(7, null, 4))
        {
            assertEquals(7, input.experts());
            assertEquals(8, input.world().experts());
        }
    }

    @Test
    void shouldNameABrokenLine() throws IOException
    {
        write(META, route("0,1"), "{\"type\":\"route\",\"topk_ids\":[1,");
        assertRefused(ExitCodes.BAD_INPUT, () -> load(null, null, 1), "router.jsonl line 3", "JSON");

        write(META, "", "{\"type\":\"route\",\"topk_ids\":[1,2]}");
        assertRefused(ExitCodes.BAD_INPUT, () -> load(null, null, 1), "line 3", "topk_weights");

        write(META, "{\"type\":\"root\"}");
        assertRefused(ExitCodes.BAD_INPUT, () -> load(null, null, 1), "line 2", "meta", "route");

        write(META, route("0,1,2"));
        assertRefused(ExitCodes.BAD_INPUT, () -> load(null, null, 1), "line 2", "3 topk_ids", "2");

        write(META, route("0,1.5"));
        assertRefused(ExitCodes.BAD_INPUT, () -> load(null, null, 1), "line 2", "topk_ids[1] = 1.5");

        write(META);
        assertRefused(ExitCodes.BAD_INPUT, () -> load(null, null, 1), "no line of type");
    }

    @Test
    void shouldNameAnExpertOutOfRange() throws IOException
    {
        write(META, route("0,1"), route("2,3"), route("4,5"), route("5,6"));
        assertRefused(ExitCodes.BAD_INPUT, () -> load(null, null, 2), "line 5", "rank 1, token 1", "expert 6",
            "[0, 6)");
    }

    @Test
    void shouldNameAnExpertThatIsChosenTwice() throws IOException
    {
        write(META, route("3,3"));
        assertRefused(ExitCodes.BAD_INPUT, () -> load(null, null, 1), "rank 0, token 0", "expert 3", "twice");
    }

    @Test
    void shouldRefuseImpossibleSizes()
    {
        assertRefused(ExitCodes.BAD_INPUT, () -> gated(4, 5, 64, null), "top-5 of 4", "at most 4");
        assertRefused(ExitCodes.BAD_INPUT, () -> gated(4, 0, 64, null), "--topk 0");
        assertRefused(ExitCodes.BAD_INPUT, () -> gated(0, 1, 64, null), "--experts 0");
        assertRefused(ExitCodes.BAD_INPUT, () -> gated(4, 2, 60, null), "hidden = 60", "multiple of 8");
        assertRefused(ExitCodes.BAD_INPUT, () -> gated(4, 2, 192, "fp8"), "hidden = 192", "multiple of 128");
        assertRefused(ExitCodes.BAD_INPUT, () -> gated(4, 2, 0, null), "hidden = 0");
        assertRefused(ExitCodes.BAD_INPUT, () -> gated(4, 2, 64, "fp16"), "--dtype fp16", "bf16 or fp8");
    }

    @Test
    void shouldRefuseTwoSources()
    {
        assertRefused(ExitCodes.BAD_INPUT, () -> InputLoader.load(
            new InputOptions("a", 3, null, null, null, null, null, 1), WorldConfig.of(1, 1)),
            "--trace", "--tokens", "--input");
    }

    @Test
    void shouldRefuseAMissingFile()
    {
        assertRefused(ExitCodes.BAD_INPUT, () -> load(null, null, 1), "router.jsonl", "no such file");
    }

    @Test
    void shouldReadTheShippedTrace()
    {
        try (RunInput input = InputLoader.load(
            new InputOptions(null, null, null, null, null, null, null, 1), WorldConfig.of(2, 2)))
        {
            assertEquals(60, input.experts());
            assertEquals(4, input.topk());
            assertEquals(4357, input.tokens());
            assertEquals(2048, input.hidden());
        }
    }

    @Test
    void shouldGateFromTheSeedAlone()
    {
        final Routing once = gated(16, 4, 64, null).world().routing(1);
        final Routing again = gated(16, 4, 64, null).world().routing(1);

        assertArrayEquals(once.idx(), again.idx());
        assertArrayEquals(once.weights(), again.weights());
    }

    private static RunInput gated(final int experts, final int topk, final int hidden, final String dtype)
    {
        return InputLoader.load(
            new InputOptions(null, 20, null, experts, topk, hidden, dtype, 7), WorldConfig.of(2, 2));
    }

    private RunInput load(final Integer experts, final Integer topk, final int ranks)
    {
        return InputLoader.load(
            new InputOptions(file.toString(), null, null, experts, topk, null, null, 1), WorldConfig.of(1, ranks));
    }

    private void write(final String... lines) throws IOException
    {
        Files.writeString(file, String.join("\n", lines) + "\n");
    }

    private static String route(final String ids)
    {
        final String weights = ids.chars().filter((c) -> ',' == c).count() == 1 ? "0.5,0.25" : "0.5,0.25,0.125";
        return String.format(ROUTE, ids, weights);
    }
}
