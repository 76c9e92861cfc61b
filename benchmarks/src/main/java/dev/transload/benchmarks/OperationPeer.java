/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.benchmarks;

import dev.transload.spi.MemoryRegion;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/**
 * Rank 1 of {@link TransportOperations}, a process of its own: drives its worker and looks at the memory that is
 * written to, as the receiver of a peer's benchmark does, until it is told to answer messages or to end.
 */
public final class OperationPeer
{
    /** Told by rank 0 instead of a number of messages that are to be answered, behind which comes their size. */
    static final int END = -1;

    private static final int TURNS = 256;

    private OperationPeer()
    {
    }

    /**
     * Run rank 1.
     *
     * @param args port of rank 0, transport, bytes of the region, most bytes of a message, options as key=value.
     * @throws IOException when rank 0 cannot be reached.
     */
    public static void main(final String[] args) throws IOException
    {
        final Map<String, String> options =
            TransportOperations.options(Arrays.asList(args).subList(4, args.length));
        try (OperationLink link = OperationLink.call(Integer.parseInt(args[0]));
            OperationRank rank = new OperationRank(1, args[1], options, Long.parseLong(args[2])))
        {
            rank.connect(link);
            answer(link, rank, rank.allocate(Integer.parseInt(args[3])));
            link.send(END);
            link.receive();
        }
    }

    /** Starts rank 1 with the Java, the class path and the flags of this process. */
    static Process start(
        final int port, final String transport, final long bytes, final int message, final Map<String, String> options)
        throws IOException
    {
        final List<String> command = new ArrayList<>();
        command.add(ProcessHandle.current().info().command().orElse("java"));
        command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), OperationPeer.class.getName(),
            Integer.toString(port), transport, Long.toString(bytes), Integer.toString(message)));
        options.forEach((key, value) -> command.add(key + "=" + value));
        return new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD).start();
    }

    private static void answer(final OperationLink link, final OperationRank rank, final MemoryRegion source)
    {
        long seen = 0;
        while (true)
        {
            rank.begin();
            for (int i = 0; i < TURNS; i++)
            {
                rank.progress();
                seen += rank.firstWord();
            }

            if (link.isReady())
            {
                final int count = link.receive();
                if (END == count)
                {
                    break;
                }

                rank.pingPong(false, source, link.receive(), count);
            }
        }

        // Used, so that looking is not optimised away.
        link.send((int)seen);
    }
}
