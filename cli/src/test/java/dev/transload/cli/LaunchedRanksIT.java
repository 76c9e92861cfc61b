/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.transload.cli.outcome.ExitCodes;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Ranks that another launcher starts, each told its place by the environment. */
@Timeout(300)
class LaunchedRanksIT
{
    private static final List<String> SMALL =
        List.of("--tokens", "16", "--experts", "8", "--topk", "2", "-Dtransload.kernels.mode=scalar",
            "--timeout", "60s");

    @TempDir
    private Path folder;

    @Test
    void shouldReportOnRankZero() throws Exception
    {
        final String address = LocalPort.freeAddress();
        // Only the host of rank 0 has the folder of the report.
        final Path pages = Files.createDirectories(folder.resolve("process-0").resolve("pages"));
        final String[] options = { "--hidden", "128", "--report", "pages/a.html" };
        final Program.End[] ends =
            end(rank(0, place(0, 2, address), options), rank(1, place(1, 2, address), options));

        assertEquals(ExitCodes.DONE, ends[0].exitCode(), ends[0].err());
        assertEquals(ExitCodes.DONE, ends[1].exitCode(), ends[1].err());
        assertEquals(2, ends[0].json().get("ranks").size());
        assertEquals("", ends[1].out());
        assertTrue(Files.readString(pages.resolve("a.html")).contains("Transload run: "));
    }

    @Test
    void shouldNameBothRanksOfCallsThatDiffer() throws Exception
    {
        final String address = LocalPort.freeAddress();
        final Program.End[] ends = end(
            rank(0, place(0, 2, address), "--hidden", "128", "-Dtransload.max-hidden=256"),
            rank(1, place(1, 2, address), "--hidden", "256", "-Dtransload.max-hidden=256"));

        final boolean isNamed = Arrays.stream(ends).anyMatch((end) -> ExitCodes.BAD_INPUT == end.exitCode() &&
            end.err().contains("rank 0") && end.err().contains("rank 1") && end.err().contains("hidden"));
        assertTrue(isNamed, ends[0].err() + ends[1].err());
        assertTrue(Arrays.stream(ends).allMatch((end) -> 0 != end.exitCode() && 1 == end.sentences().size()),
            ends[0].err() + ends[1].err());
    }

    @Test
    void shouldRefuseTwoRanksOfOneNumber() throws Exception
    {
        final String address = LocalPort.freeAddress();
        final Program.End[] ends = end(
            rank(0, place(0, 2, address), "--hidden", "128"), rank(1, place(0, 2, address), "--hidden", "128"));

        assertTrue(Arrays.stream(ends).allMatch((end) -> 0 != end.exitCode()), ends[0].err() + ends[1].err());
        assertTrue(Arrays.stream(ends).anyMatch((end) ->
            (ExitCodes.BAD_INPUT == end.exitCode() || ExitCodes.UNAVAILABLE == end.exitCode()) &&
                end.err().contains("rank 0")), ends[0].err() + ends[1].err());
    }

    @Test
    void shouldRefuseWorldsOfDifferentSize() throws Exception
    {
        final String address = LocalPort.freeAddress();
        final Program.End[] ends = end(
            rank(0, place(0, 2, address), "--hidden", "128"), rank(1, place(1, 3, address), "--hidden", "128"));

        assertTrue(Arrays.stream(ends).allMatch((end) -> 0 != end.exitCode()), ends[0].err() + ends[1].err());
        assertTrue(Arrays.stream(ends).anyMatch((end) -> ExitCodes.BAD_INPUT == end.exitCode() &&
            end.err().contains("2") && end.err().contains("3")), ends[0].err() + ends[1].err());
    }

    @Test
    void shouldRefuseAWorldThatOptionsContradict() throws Exception
    {
        final Program.End end = rank(0, place(0, 2, LocalPort.freeAddress()), "--hidden", "128", "--nodes", "3").end();

        assertEquals(ExitCodes.BAD_INPUT, end.exitCode(), end.err());
        assertTrue(end.err().contains("3 nodes x 2 ranks needs 6 ranks"), end.err());
    }

    @Test
    void shouldNameAPortThatIsInUse() throws Exception
    {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1")))
        {
            final List<String> args = new ArrayList<>(List.of("run"));
            args.addAll(SMALL);
            args.addAll(List.of("-Dtransload.rendezvous.address=127.0.0.1:" + taken.getLocalPort(),
                "-Dtransload.rendezvous.timeout=5s"));
            final Program.End end = Program.startShort(folder, args.toArray(String[]::new)).end();

            assertEquals(ExitCodes.UNAVAILABLE, end.exitCode(), end.err());
            assertEquals(1, end.sentences().size(), end.err());
            assertTrue(end.err().contains(String.valueOf(taken.getLocalPort())), end.err());
        }
    }

    private Program rank(final int process, final Map<String, String> place, final String... options)
        throws Exception
    {
        final List<String> args = new ArrayList<>(List.of("run", "--json"));
        args.addAll(SMALL);
        args.addAll(Arrays.asList(options));
        return Program.start(Files.createDirectories(folder.resolve("process-" + process)), List.of(), place,
            args.toArray(String[]::new));
    }

    private static Program.End[] end(final Program... programs) throws Exception
    {
        final Program.End[] ends = new Program.End[programs.length];
        for (int i = 0; i < programs.length; i++)
        {
            ends[i] = programs[i].end();
        }

        return ends;
    }

    private static Map<String, String> place(final int rank, final int worldSize, final String address)
    {
        final Map<String, String> place = new HashMap<>();
        place.putAll(UcxHost.SHORT_RUN);
        place.put("TRANSLOAD_RANK", String.valueOf(rank));
        place.put("TRANSLOAD_WORLD_SIZE", String.valueOf(worldSize));
        place.put("TRANSLOAD_RENDEZVOUS", address);
        return place;
    }
}
