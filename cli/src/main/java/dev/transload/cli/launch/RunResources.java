/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.launch;

import dev.transload.cli.outcome.CommandException;
import dev.transload.cli.outcome.ExitCodes;
import dev.transload.transport.base.PrivateDirectory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Processes, folders and ports of one run. They end with it, whether it ends by itself or by a signal at any
 * moment, as between a process's start and the next line. Thread-safe.
 */
final class RunResources implements AutoCloseable
{
    private final List<RankChild> children = new ArrayList<>();
    private final List<PrivateFolder> folders = new ArrayList<>();
    private final List<Ports> ports = new ArrayList<>();
    private final List<Path> swept = new ArrayList<>();
    private boolean isClosed;

    /** Takes a folder over; a closed run has no use for it any more. */
    synchronized PrivateFolder add(final PrivateFolder folder)
    {
        folders.add(folder);
        refuseIfClosed();
        return folder;
    }

    /** Takes ports over; a closed run has no use for them any more. */
    synchronized Ports add(final Ports reserved)
    {
        ports.add(reserved);
        refuseIfClosed();
        return reserved;
    }

    /** Takes a process over; a closed run has no use for it any more. */
    synchronized RankChild add(final RankChild child)
    {
        children.add(child);
        refuseIfClosed();
        return child;
    }

    /** A folder in which ranks make private directories: what they left there goes away with the run. */
    synchronized void sweep(final Path folder)
    {
        swept.add(folder);
    }

    synchronized List<RankChild> children()
    {
        return List.copyOf(children);
    }

    /** Idempotent. */
    @Override
    public synchronized void close()
    {
        isClosed = true;
        children.stream().filter(RankChild::isAlive).forEach(RankChild::kill);
        children.forEach(RankChild::awaitEnd);
        swept.forEach(PrivateDirectory::sweep);
        folders.forEach(PrivateFolder::close);
        ports.forEach(Ports::close);
    }

    private void refuseIfClosed()
    {
        if (isClosed)
        {
            close();
            throw new CommandException(ExitCodes.FAILED, "interrupted while ranks were started", null);
        }
    }
}
