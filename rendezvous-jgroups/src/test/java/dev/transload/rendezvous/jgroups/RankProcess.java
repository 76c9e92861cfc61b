/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.rendezvous.jgroups;

import dev.transload.rendezvous.Loss;
import dev.transload.rendezvous.Member;
import dev.transload.rendezvous.RendezvousException;
import dev.transload.rendezvous.RendezvousListener;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.stream.Collectors;

/**
 * One rank as a process of its own: {@code rank worldSize address}. It reports on standard output, a line each:
 * {@code FORMED ms-since-start}, {@code GATHERED text}, {@code LOST rank reason}, {@code RETURNED rank},
 * {@code FAILED reason sentence}, {@code CPU ms}; it obeys standard input: {@code gather topic}, {@code cpu},
 * {@code close}.
 */
public final class RankProcess
{
    private static final Duration TIMEOUT = Duration.ofSeconds(100);

    private RankProcess()
    {
    }

    public static void main(final String[] args) throws IOException
    {
        try (JGroupsRendezvous rendezvous = JGroupsRendezvous.join(JGroupsRendezvousConfig.builder()
            .rank(Integer.parseInt(args[0])).worldSize(Integer.parseInt(args[1])).address(args[2])
            .timeout(TIMEOUT).build()))
        {
            say("FORMED " + (System.currentTimeMillis() -
                ProcessHandle.current().info().startInstant().orElseThrow().toEpochMilli()));
            rendezvous.listen(new LossPrinter());
            obey(rendezvous);
        }
        catch (final RendezvousException ex)
        {
            say("FAILED " + ex.reason() + " " + ex.getMessage());
        }
        say("CLOSED");
    }

    private static void obey(final JGroupsRendezvous rendezvous) throws IOException
    {
        final BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); null != line && !line.equals("close"); line = in.readLine())
        {
            if (line.equals("cpu"))
            {
                say("CPU " + ProcessHandle.current().info().totalCpuDuration().orElseThrow().toMillis());
            }
            else
            {
                final ByteBuffer mine = StandardCharsets.UTF_8.encode("from" + rendezvous.rank());
                say("GATHERED " + rendezvous.allGather(line, mine, TIMEOUT).stream()
                    .map(bytes -> StandardCharsets.UTF_8.decode(bytes).toString()).collect(Collectors.joining(",")));
            }
        }
    }

    private static synchronized void say(final String line)
    {
        System.out.println(line);
        System.out.flush();
    }

    /** Prints losses. */
    private static final class LossPrinter implements RendezvousListener
    {
        @Override
        public void onMemberLost(final Member member, final Loss loss, final String reason)
        {
            say("LOST " + member.rank() + " " + reason);
        }

        @Override
        public void onMemberReturned(final Member member)
        {
            say("RETURNED " + member.rank());
        }

        @Override
        public void onAnnouncement(final int rank, final ByteBuffer message)
        {
            say("ANNOUNCED " + rank);
        }
    }
}
