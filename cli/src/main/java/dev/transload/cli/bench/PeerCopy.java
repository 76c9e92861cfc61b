/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.bench;

/**
 * A whole region of device memory put to the peer at once, which is what a device's copy engine is for. It is the
 * limit of the link, whatever the size of the operations beside it.
 */
record PeerCopy(BenchPair pair, long bytes) implements Limit
{
    @Override
    public String name()
    {
        return "peer_copy";
    }

    @Override
    public double gbps(final int size, final int count)
    {
        final long begin = System.nanoTime();
        pair.submit(() -> pair.channel().put(pair.local(), 0, pair.remoteRegion(), 0, bytes));
        pair.flush();
        return (double)bytes / (System.nanoTime() - begin);
    }
}
