/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.hccs.internal.checks;

import dev.transload.tck.DeviceCheck.Shown;
import dev.transload.tck.DeviceSetup;
import dev.transload.transport.hccs.internal.acl.AclCode;
import dev.transload.transport.hccs.internal.acl.AclDevice;
import dev.transload.transport.hccs.internal.acl.AclStream;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Work that hangs, a wait for a value that never comes, is noticed by a time-out and given up by an abort. */
final class HangingCheck
{
    private static final int TIMEOUT_MS = 200;
    private static final int ENOUGH_MS = 30_000;
    private static final long WORD = 8;

    private HangingCheck()
    {
    }

    static Shown run(final DeviceSetup setup)
    {
        final Map<String, Double> figures = new LinkedHashMap<>();
        for (int rank = 0; rank < setup.devices().size(); rank++)
        {
            hang(HccsDeviceChecks.device(setup, rank), figures);
        }

        return new Shown("a wait for a value that never comes, on each device: it times out, an abort ends it, and " +
            "the stream works again", figures);
    }

    private static void hang(final AclDevice device, final Map<String, Double> figures)
    {
        final long memory = device.allocate(2 * WORD, false);
        try (AclStream stream = device.openStream())
        {
            require(stream, stream.zero(memory, 2 * WORD));
            stream.finish(ENOUGH_MS);
            final int code = stream.waitForValue(memory, 1);
            if (AclCode.NOT_SUPPORTED == code)
            {
                throw new UnsupportedOperationException("the runtime has no aclrtValueWait, so nothing can be " +
                    "made to hang");
            }

            require(stream, code);
            require(stream, stream.zero(memory + WORD, WORD));
            long beginNs = System.nanoTime();
            final int waited = stream.await(TIMEOUT_MS);
            if (AclCode.SYNC_TIMEOUT != waited)
            {
                throw new AssertionError("a wait of " + TIMEOUT_MS + " ms for work that hangs on " +
                    device.describe() + " ended with " + AclCode.describe(waited));
            }

            worst(figures, "timed_out_after_ms", beginNs);
            beginNs = System.nanoTime();
            stream.abort();
            worst(figures, "abort_ms", beginNs);
            require(stream, stream.zero(memory, WORD));
            stream.finish(ENOUGH_MS);
        }
        finally
        {
            device.free(memory);
        }
    }

    private static void worst(final Map<String, Double> figures, final String name, final long beginNs)
    {
        final double ms = (System.nanoTime() - beginNs) / (double)TimeUnit.MILLISECONDS.toNanos(1);
        figures.merge(name, ms, Math::max);
    }

    private static void require(final AclStream stream, final int code)
    {
        if (0 != code)
        {
            throw stream.failure(code);
        }
    }
}
