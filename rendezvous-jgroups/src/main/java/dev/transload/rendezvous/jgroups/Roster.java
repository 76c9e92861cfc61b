/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.rendezvous.jgroups;

import dev.transload.rendezvous.Loss;
import dev.transload.rendezvous.RendezvousException;
import dev.transload.rendezvous.RendezvousException.Reason;
import dev.transload.rendezvous.WorldBoard;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.jgroups.Address;
import org.jgroups.View;
import org.jgroups.util.Util;

/**
 * Who has which rank of a formed world. All members follow the same views in the same order, so that they agree who
 * takes the place of a lost process. On the wire: id of the last view that was followed (long), number of ranks (int),
 * and for each rank the address of its latest process, whether this has returned (boolean), its state (byte: present,
 * departed, or lost in one of the ways of {@link Loss}), and why it was lost (modified UTF-8). Not thread-safe.
 */
final class Roster
{
    private static final int PRESENT = 0;
    private static final int DEPARTED = 1;
    private static final int LOST = 2;

    private final List<Place> places;
    private final WorldBoard board;
    /** Processes whose places others have taken: what they still say is not heard. */
    private final Set<Address> former = new HashSet<>();
    /** Who is in the group: no other process takes the place of one of these. */
    private Set<Address> here;
    private long viewId;

    /** The latest process of a rank; how and why it was lost, or null. */
    private record Place(Address address, boolean hasReturned, Loss loss, String reason)
    {
        Claim claim()
        {
            return Claim.of(address).orElseThrow();
        }

        int rank()
        {
            return claim().rank();
        }
    }

    private Roster(final int rank, final List<Place> places, final Collection<Address> here, final long viewId)
    {
        this.here = Set.copyOf(here);
        this.places = new ArrayList<>(places);
        this.viewId = viewId;
        board = new WorldBoard(rank, places.stream().map(place -> place.claim().member()).toList());
    }

    /** Of the first view that has each rank. */
    static Roster formedBy(final View view, final int rank)
    {
        return new Roster(rank, view.getMembers().stream().map(member -> new Place(member, false, null, ""))
            .sorted(Comparator.comparingInt(Place::rank)).toList(), view.getMembers(), view.getViewId().getId());
    }

    /** As another member knows it; the board of this rank is told who is lost or has departed. */
    static Roster read(final byte[] bytes, final int rank) throws IOException
    {
        final DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes));
        final long viewId = in.readLong();
        final int[] states = new int[in.readInt()];
        final List<Place> places = new ArrayList<>();
        for (int r = 0; r < states.length; r++)
        {
            final Address address = readAddress(in);
            final boolean hasReturned = in.readBoolean();
            states[r] = in.readUnsignedByte();
            places.add(new Place(address, hasReturned, states[r] < LOST ? null : Loss.values()[states[r] - LOST],
                in.readUTF()));
        }
        final Roster roster = new Roster(rank, places, places.stream().filter(place -> states[place.rank()] == PRESENT)
            .map(Place::address).toList(), viewId);
        for (final Place place : places)
        {
            if (null != place.loss)
            {
                roster.board.lost(place.rank(), place.loss, place.reason);
            }
            else if (states[place.rank()] == DEPARTED)
            {
                roster.board.departed(place.rank());
            }
        }
        return roster;
    }

    private static Address readAddress(final DataInputStream in) throws IOException
    {
        try
        {
            return Util.readAddress(in);
        }
        catch (final ClassNotFoundException ex)
        {
            throw new IOException(ex);
        }
    }

    byte[] toBytes()
    {
        final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes))
        {
            out.writeLong(viewId);
            out.writeInt(places.size());
            for (final Place place : places)
            {
                Util.writeAddress(place.address, out);
                out.writeBoolean(place.hasReturned);
                out.writeByte(null != place.loss ? LOST + place.loss.ordinal() :
                    board.hasDeparted(place.rank()) ? DEPARTED : PRESENT);
                out.writeUTF(place.reason);
            }
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
        return bytes.toByteArray();
    }

    WorldBoard board()
    {
        return board;
    }

    /** The last view that was followed. */
    long viewId()
    {
        return viewId;
    }

    boolean contains(final Address address)
    {
        return places.stream().anyMatch(place -> place.address.equals(address));
    }

    boolean isFormer(final Address address)
    {
        return former.contains(address);
    }

    boolean isLost(final int rank)
    {
        return null != places.get(rank).loss;
    }

    boolean hasReturned(final int rank)
    {
        return places.get(rank).hasReturned;
    }

    /** Members of the world that are in the group. */
    List<Address> present()
    {
        return places.stream().map(Place::address).filter(here::contains).toList();
    }

    /**
     * Follows the next view: who is not in it is lost unless it has departed, and the first new process of a rank that
     * is not in it takes its place. Does nothing for a view that was followed.
     */
    void follow(final View view, final Predicate<Address> wasReset, final long failureTimeoutMs)
    {
        if (view.getViewId().getId() <= viewId)
        {
            return;
        }
        viewId = view.getViewId().getId();
        here = Set.copyOf(view.getMembers());
        places.replaceAll(place -> null != place.loss || view.containsMember(place.address) ||
            board.hasDeparted(place.rank()) ? place : lose(place, wasReset.test(place.address), failureTimeoutMs));
        for (final Address member : view.getMembers())
        {
            if (mayTakeAPlace(member))
            {
                takePlace(member);
            }
        }
    }

    private Place lose(final Place place, final boolean wasReset, final long failureTimeoutMs)
    {
        final Loss loss = wasReset ? Loss.GONE : Loss.SILENT;
        final String reason = wasReset ? "its connection was reset and it did not answer any more" :
            "it sent no sign of life for " + failureTimeoutMs + " ms";
        board.lost(place.rank(), loss, reason);
        return new Place(place.address, place.hasReturned, loss, reason);
    }

    private boolean mayTakeAPlace(final Address member)
    {
        return !contains(member) && Claim.of(member).filter(claim -> claim.worldSize() == places.size() &&
            !here.contains(places.get(claim.rank()).address) && isLater(claim)).isPresent();
    }

    /** By the clocks of two hosts, it may not be. */
    private boolean isLater(final Claim claim)
    {
        return claim.member().incarnation() > places.get(claim.rank()).claim().member().incarnation();
    }

    private void takePlace(final Address member)
    {
        final Claim claim = Claim.of(member).orElseThrow();
        former.add(places.get(claim.rank()).address);
        places.set(claim.rank(), new Place(member, true, null, ""));
        board.returned(claim.member());
    }

    /** Why a process has no place, though it is in the group. */
    RendezvousException refusalOf(final Address stranger)
    {
        final Claim claim = Claim.of(stranger).orElseThrow();
        final RendezvousException conflict = claim.conflictWith(places.stream().map(Place::claim).toList());
        return conflict.reason() == Reason.DUPLICATE_RANK && !here.contains(places.get(claim.rank()).address) ?
            new RendezvousException(Reason.REFUSED, claim.member().describe() + " began before " +
                places.get(claim.rank()).claim().member().describe() + ", whose place it is to take, by their hosts' " +
                "clocks: set the clocks") : conflict;
    }
}
