/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.tck.stepping;

import dev.transload.spi.TransportException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * What a channel has accepted, executed piece by piece. Only fences and signals make order: the pieces between two
 * fences run in any order, and those behind a fence wait until all before it are done. A signal waits for all before
 * it, and nothing waits for a signal.
 */
final class OperationQueue
{
    private static final int PICKS = 3;
    private static final int MAX_PIECES = 4;
    private static final int INBOUND_ODDS = 16;
    private static final long LAST_REPORTED = 300;

    private final SteppingFabric fabric;
    private final Connection connection;
    private final SteppingChannel channel;
    private final ArrayDeque<Operation> waiting = new ArrayDeque<>();
    private final List<Piece> ready = new ArrayList<>();
    private final ArrayDeque<Operation> unreleased = new ArrayDeque<>();
    private final ArrayDeque<Operation> undelivered = new ArrayDeque<>();
    private final boolean isEager;
    private long released;
    private long delivered;
    private long flushed;
    private long drainsUntil;
    private boolean wasFull;

    OperationQueue(final SteppingFabric fabric, final Connection connection, final SteppingChannel channel)
    {
        this.connection = connection;
        this.fabric = fabric;
        this.channel = channel;
        this.isEager = !fabric.mischief(1.0);
    }

    boolean isEmpty()
    {
        return ready.isEmpty() && waiting.isEmpty();
    }

    /** Whether an operation is the first that is not done. */
    boolean isNextToDeliver(final Operation operation)
    {
        settle();
        return undelivered.peek() == operation;
    }

    boolean waitsForKernels()
    {
        return undelivered.stream().anyMatch((operation) -> !operation.isDelivered() && !operation.areGatesOpen());
    }

    /** Room for operations; 0 also at random, as a transport may refuse them. */
    int room()
    {
        settle();
        if (undelivered.size() >= fabric.options().queueCapacity())
        {
            wasFull = true;
        }

        if (wasFull && fabric.has(Fault.POS_6) || delivered < drainsUntil || fabric.mischief(0.25))
        {
            return 0;
        }

        return fabric.options().queueCapacity() - undelivered.size();
    }

    void add(final Operation operation)
    {
        if (operation.readsLocal())
        {
            operation.unread = 1;
        }

        if (Operation.Type.FLUSH == operation.type)
        {
            operation.undone = 0;
        }

        if (Operation.Type.FENCE == operation.type && fabric.mischief(0.5))
        {
            drainsUntil = operation.position;
        }

        if (null != operation.local)
        {
            operation.local.enter();
        }

        waiting.add(operation);
        unreleased.add(operation);
        undelivered.add(operation);
    }

    /** All up to here was read. */
    long released()
    {
        settle();
        return released;
    }

    /** All up to here is visible at the peer and may be told: for sure only what was flushed. */
    long delivered()
    {
        settle();
        if (fabric.has(Fault.POS_3))
        {
            return Math.min(flushed, LAST_REPORTED);
        }

        return fabric.has(Fault.POS_4) ? released : isEager ? delivered : flushed;
    }

    /** One small step; inbound when the target itself asks for it. */
    void step(final boolean inbound)
    {
        openEpoch();
        for (int pick = 0; pick < PICKS && !ready.isEmpty(); pick++)
        {
            final int index = fabric.chance().below(ready.size());
            final Piece piece = ready.get(index);
            if (piece.notBefore <= fabric.schedule().now() && mayRun(piece, inbound))
            {
                if (run(piece))
                {
                    ready.set(index, ready.get(ready.size() - 1));
                    ready.remove(ready.size() - 1);
                }

                return;
            }
        }
    }

    /** Forget all that is not done. */
    void discard()
    {
        for (final Operation operation : undelivered)
        {
            if (null != operation.local && operation.usesLocal())
            {
                operation.local.leave();
            }
        }

        waiting.clear();
        ready.clear();
        unreleased.clear();
        undelivered.clear();
    }

    private void settle()
    {
        while (!unreleased.isEmpty() && (unreleased.peek().isReleased() || isReleasedEarly(unreleased.peek())))
        {
            released = unreleased.remove().position;
        }

        while (!undelivered.isEmpty() && (undelivered.peek().isDelivered() ||
            fabric.has(Fault.LOAD_1) && Operation.Type.LOAD == undelivered.peek().type))
        {
            final Operation operation = undelivered.remove();
            delivered = operation.position;
            if (Operation.Type.FLUSH == operation.type)
            {
                flushed = delivered;
            }
        }
    }

    private void openEpoch()
    {
        while (!waiting.isEmpty())
        {
            if (Operation.Type.FENCE == waiting.peek().type)
            {
                if (!isDrained() && !isPassedByHostMemory() || !waiting.peek().areGatesOpen())
                {
                    return;
                }

                waiting.remove().undone = 0;
            }
            else
            {
                split(waiting.remove());
            }
        }
    }

    private boolean isReleasedEarly(final Operation operation)
    {
        return fabric.has(Fault.PUT_3) && Operation.Type.PUT == operation.type ||
            fabric.has(Fault.ROW_3) && Operation.Type.ROW == operation.type;
    }

    private boolean isDrained()
    {
        for (int i = 0; i < ready.size(); i++)
        {
            final boolean isPut = ready.get(i).operation.readsLocal();
            if (!(isPut ? fabric.has(Fault.ORD_2) : fabric.has(Fault.ORD_4)))
            {
                return false;
            }
        }

        return true;
    }

    /** Of {@link Fault#ORD_9}: whether what is behind the fence is of the host, and all that it waits for is not. */
    private boolean isPassedByHostMemory()
    {
        final Operation next = waiting.stream().skip(1).findFirst().orElse(null);
        return fabric.has(Fault.ORD_9) && null != next && next.readsLocal() && next.local.kind().isHost() &&
            ready.stream().allMatch(
                (piece) -> piece.operation.readsLocal() && !piece.operation.local.kind().isHost());
    }

    private void split(final Operation operation)
    {
        if (Operation.Type.FLUSH == operation.type)
        {
            return;
        }

        // Words of a load are read whole, and a put of a word is written whole, whatever else is torn.
        final boolean isLoad = Operation.Type.LOAD == operation.type;
        final int length = isLoad || operation.readsLocal() ? (int)operation.length : 0;
        final boolean isWhole = isWordPut(operation) && !fabric.has(Fault.PUT_4);
        final List<Integer> cuts = new ArrayList<>();
        for (int i = 1; i < MAX_PIECES && length > 1 && !isWhole && fabric.mischief(0.3); i++)
        {
            final int cut = fabric.chance().below(length);
            final int within = (int)((operation.remoteOffset + cut) & (Long.BYTES - 1));
            cuts.add(isLoad && !fabric.has(Fault.LOAD_2) ? Math.max(0, cut - within) : cut);
        }

        cuts.add(length);
        cuts.sort(null);
        operation.undone = cuts.size();
        operation.unread = operation.readsLocal() ? cuts.size() : 0;
        int from = 0;
        for (final int cut : cuts)
        {
            ready.add(new Piece(operation, from, cut - from, fabric.notBefore()));
            from = cut;
        }
    }

    private static boolean isWordPut(final Operation operation)
    {
        return Operation.Type.PUT == operation.type && Long.BYTES == operation.length &&
            0 == (operation.remoteOffset & (Long.BYTES - 1)) && operation.local.kind().isHost();
    }

    private boolean mayRun(final Piece piece, final boolean inbound)
    {
        final Operation operation = piece.operation;
        if (null == piece.carried && operation.readsLocal())
        {
            return operation.areGatesOpen();
        }

        if (Operation.Type.RELEASE_ADD == operation.type && !mayBePublished(operation))
        {
            return false;
        }

        return inbound || connection.isToSelf() || !fabric.has(Fault.THR_3) &&
            (fabric.options().autonomousTarget() || 0 == fabric.chance().below(INBOUND_ODDS));
    }

    private boolean mayBePublished(final Operation operation)
    {
        return (fabric.has(Fault.ORD_8) || channel.isNextToDeliver(operation)) &&
            (fabric.has(Fault.WIN_4_SIGNAL) || operation.areGatesOpen());
    }

    /** Returns true when the piece is done. */
    private boolean run(final Piece piece)
    {
        final SteppingTransport peer = connection.livingPeer();
        if (null == peer)
        {
            return false;
        }

        final Operation operation = piece.operation;
        switch (operation.type)
        {
            case PUT:
            case ROW:
                if (null == piece.carried)
                {
                    return read(piece);
                }

                write(piece, target(peer, operation));
                break;

            case LOAD:
                if (null == piece.carried)
                {
                    return load(piece, target(peer, operation));
                }

                operation.local.writeLocal(operation.localOffset + piece.from, piece.carried);
                break;

            case WORD_ADD:
                if (fabric.has(Fault.ORD_6))
                {
                    return addInTwoSteps(piece, target(peer, operation));
                }

                if (operation.delta >= 0 || !fabric.has(Fault.ADD_1))
                {
                    target(peer, operation).addWire(operation.remoteOffset, operation.delta);
                }

                break;

            default:
                final SteppingSignals signals = peer.signals(operation.remote.id());
                if (null == signals)
                {
                    throw gone(operation);
                }

                if (fabric.hasAtomics())
                {
                    signals.add((int)operation.remoteOffset, operation.delta);
                }
                else
                {
                    signals.put((int)operation.remoteOffset, operation.total);
                }

                break;
        }

        finish(operation);
        return true;
    }

    private void write(final Piece piece, final SteppingRegion target)
    {
        final Operation operation = piece.operation;
        if (fabric.has(Fault.MEM_8) && !operation.local.kind().equals(target.kind()))
        {
            return;
        }

        target.writeWire(operation.remoteOffset + piece.from, piece.carried);
        if (fabric.has(Fault.PUT_1) && 1 == (operation.length & 1))
        {
            target.writeWire(operation.remoteOffset + operation.length, new byte[] {1});
        }
    }

    private boolean addInTwoSteps(final Piece piece, final SteppingRegion target)
    {
        final Operation operation = piece.operation;
        if (null == piece.carried)
        {
            piece.carried = new byte[Long.BYTES];
            target.readWire(operation.remoteOffset, piece.carried);
            return false;
        }

        final ByteBuffer word = ByteBuffer.wrap(piece.carried).order(ByteOrder.nativeOrder());
        word.putLong(0, word.getLong(0) + operation.delta);
        target.writeWire(operation.remoteOffset, piece.carried);
        finish(operation);
        return true;
    }

    private boolean read(final Piece piece)
    {
        final Operation operation = piece.operation;
        if (!fabric.has(Fault.ROW_3))
        {
            operation.checkRow();
        }

        piece.carried = new byte[piece.length];
        final boolean isMixedUp = fabric.has(Fault.ROW_1) && Operation.Type.ROW == operation.type;
        final long offset = (isMixedUp ? operation.remoteOffset : operation.localOffset) + piece.from;
        operation.local.readLocal(offset, piece.carried, operation.submission);
        operation.unread--;
        if (operation.isReleased())
        {
            operation.local.leave();
        }

        piece.notBefore = fabric.notBefore();
        return false;
    }

    private boolean load(final Piece piece, final SteppingRegion source)
    {
        final Operation operation = piece.operation;
        final byte[] garbage = new byte[piece.length];
        fabric.chance().garbage(garbage);
        operation.local.writeLocal(operation.localOffset + piece.from, garbage);
        piece.carried = new byte[piece.length];
        source.readWire(operation.remoteOffset + piece.from, piece.carried);
        piece.notBefore = fabric.notBefore();
        return false;
    }

    private void finish(final Operation operation)
    {
        operation.undone--;
        if (operation.isDelivered() && Operation.Type.LOAD == operation.type)
        {
            operation.local.leave();
        }
    }

    private SteppingRegion target(final SteppingTransport peer, final Operation operation)
    {
        final SteppingRegion region = peer.region(operation.remote.id());
        if (null == region)
        {
            throw gone(operation);
        }

        return region;
    }

    private TransportException gone(final Operation operation)
    {
        return new TransportException("operation " + operation.position + " of " + channel +
            " found that the peer had closed the memory that it goes to", TransportException.NO_STATUS, null);
    }
}
