/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.lowlatency;

import dev.transload.cli.launch.SharedMemory;
import dev.transload.cli.outcome.CommandException;
import dev.transload.cli.outcome.ExitCodes;
import dev.transload.engine.lowlatency.LowLatencyEngine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a rank of a low-latency run takes: buffers that peers write to and the rank's tensors, all for M tokens of every
 * rank at once, so that a large M may be more than a machine has.
 *
 * @param maxTokens   M.
 * @param sharedBytes which peers write to.
 * @param ownBytes    of tensors.
 */
public record MemoryNeed(int maxTokens, long sharedBytes, long ownBytes)
{
    private static final Logger LOG = LoggerFactory.getLogger(MemoryNeed.class);
    private static final Path MEMORY = Path.of("/proc/meminfo");
    private static final String AVAILABLE = "MemAvailable:";
    private static final double BYTES_PER_GB = 1e9;
    private static final int BF16_BYTES = 2;

    /**
     * Estimate.
     *
     * @param input      of all ranks.
     * @param isDistinct whether answers differ from the received rows.
     * @return need of one rank.
     */
    public static MemoryNeed of(final CallInput input, final boolean isDistinct)
    {
        final long received = (long)input.expertsPerRank() * input.ranks() * input.maxTokens();
        final long sent = (long)input.calls() * input.maxTokens();
        // Received rows, beside them BF16 answers of FP8 or distinct ones; rows to send of both signs, combined ones.
        final long rows =
            (input.isFp8() ? received + received / 2 : isDistinct ? 2 * received : received) + 2 * sent +
            input.maxTokens();
        return new MemoryNeed(
            input.maxTokens(), LowLatencyEngine.bytes(input.maxTokens(), input.input().hidden(), input.ranks(),
            input.input().experts(), input.input().topk()), rows * input.input().hidden() * BF16_BYTES);
    }

    /**
     * Refuse what this machine hasn't.
     *
     * @param ranks of this machine.
     * @throws CommandException with exit code 3 naming what is needed, what there is, and what would fit.
     */
    public void check(final int ranks)
    {
        check(ranks, SharedMemory.freeBytes(), availableBytes());
    }

    void check(final int ranks, final long freeShared, final long available)
    {
        final double share = Math.min(
            freeShared / (double)(ranks * sharedBytes), available / (double)(ranks * (sharedBytes + ownBytes)));
        if (share < 1.0)
        {
            throw new CommandException(ExitCodes.UNAVAILABLE, String.format(Locale.ROOT,
                "--max-tokens %d needs %.2f GB of shared memory and %.2f GB of other memory for %s on this machine, " +
                "which has %.2f GB free in /dev/shm and %.2f GB in all: at most about %d tokens fit",
                maxTokens, ranks * sharedBytes / BYTES_PER_GB, ranks * ownBytes / BYTES_PER_GB,
                1 == ranks ? "its rank" : "its " + ranks + " ranks", freeShared / BYTES_PER_GB,
                available / BYTES_PER_GB, (int)(maxTokens * share)), null);
        }
    }

    /** What the kernel would give to programs; more than any need where it doesn't say. */
    private static long availableBytes()
    {
        try
        {
            return Files.readAllLines(MEMORY).stream().filter((line) -> line.startsWith(AVAILABLE))
                .mapToLong((line) -> Long.parseLong(line.replaceAll("\\D", "")) << 10).findFirst()
                .orElse(Long.MAX_VALUE);
        }
        catch (final IOException ex)
        {
            LOG.debug("{} cannot be read", MEMORY, ex);
            return Long.MAX_VALUE;
        }
    }
}
