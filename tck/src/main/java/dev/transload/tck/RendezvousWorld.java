/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck;

import dev.transload.rendezvous.Member;
import dev.transload.rendezvous.Rendezvous;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.IntFunction;

/** The members of one test, each called by a thread of its own. */
final class RendezvousWorld implements AutoCloseable
{
    private final RendezvousFixture fixture;
    private final ExecutorService threads;
    private final List<Rendezvous> members;

    RendezvousWorld(final RendezvousFixture fixture, final int size)
    {
        this.fixture = fixture;
        this.threads = Executors.newFixedThreadPool(size, (task) ->
        {
            final Thread thread = new Thread(task, "member");
            thread.setDaemon(true);
            return thread;
        });
        this.members = new CopyOnWriteArrayList<>(all(size, (rank) -> fixture.join(rank, size)));
    }

    RendezvousFixture fixture()
    {
        return fixture;
    }

    int size()
    {
        return members.size();
    }

    Rendezvous member(final int rank)
    {
        return members.get(rank);
    }

    /** A new process takes the place of a rank that was killed; false if the rendezvous doesn't have that. */
    boolean rejoin(final int rank)
    {
        // Ends what its predecessor waits for.
        members.get(rank).close();
        final Rendezvous joined = get(threads.submit(() -> fixture.rejoin(rank, members.size())));
        if (null != joined)
        {
            members.set(rank, joined);
        }

        return null != joined;
    }

    /** Calls an all-gather without waiting for its end. */
    Future<List<ByteBuffer>> gather(final int rank, final String topic, final byte[] mine, final long timeoutMs)
    {
        return threads.submit(() -> members.get(rank).allGather(
            topic, ByteBuffer.wrap(mine), Duration.ofMillis(timeoutMs)));
    }

    /** Calls an all-gather of some ranks without waiting for its end. */
    Future<List<ByteBuffer>> gather(
        final int rank, final String topic, final byte[] mine, final List<Member> among)
    {
        return threads.submit(
            () -> members.get(rank).allGather(topic, ByteBuffer.wrap(mine), fixture.timeout(), among));
    }

    /** Lets ranks [0, count) act at the same time, and gives their results. */
    <T> List<T> all(final int count, final IntFunction<T> action)
    {
        final List<Future<T>> pending = new ArrayList<>();
        for (int rank = 0; rank < count; rank++)
        {
            final int own = rank;
            pending.add(CompletableFuture.supplyAsync(() -> action.apply(own), threads));
        }

        final List<T> results = new ArrayList<>();
        pending.forEach((future) -> results.add(get(future)));
        return results;
    }

    <T> T get(final Future<T> future)
    {
        try
        {
            return future.get(fixture.timeout().toNanos(), TimeUnit.NANOSECONDS);
        }
        catch (final ExecutionException ex)
        {
            if (ex.getCause() instanceof RuntimeException cause)
            {
                throw cause;
            }

            throw new AssertionError("a member failed: " + ex.getCause().getMessage(), ex.getCause());
        }
        catch (final TimeoutException ex)
        {
            throw new AssertionError("a member did not return within " + fixture.timeout(), ex);
        }
        catch (final InterruptedException ex)
        {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted while waiting for a member", ex);
        }
    }

    @Override
    public void close()
    {
        try (fixture)
        {
            all(members.size(), (rank) ->
            {
                members.get(rank).close();
                return rank;
            });
        }
        finally
        {
            threads.shutdownNow();
        }
    }
}
