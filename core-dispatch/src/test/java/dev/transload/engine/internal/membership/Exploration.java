/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.internal.membership;

import dev.transload.engine.internal.membership.Membership.Status;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * All states that a world of a few ranks can come to, whatever arrives, fails, is cut or takes long in whichever order,
 * within bounds. Messages between two processes arrive in order; those of a rank that dies, or across links that are
 * cut, may be lost from any one on. Each state is held to the promises of the protocol, and each one in which nothing
 * more happens by itself to what is to become of the world.
 */
final class Exploration
{
    private static final int DEAD = 0;
    private static final int CUT = 1;
    private static final int DEATHS = 2;
    private static final int EARLY = 3;
    private static final int RETURNS = 4;
    private static final int CALLS = 5;
    private static final int QUIET = 6;
    private static final int COUNTS = 7;

    /** Of the number of a message, in the key of an outcome. */
    private static final int MESSAGE_BITS = 20;

    /** Timeouts that may pass while nothing else happens; then the deadline passes. */
    private static final int MOST_QUIET = 6;

    private final int size;
    private final Bounds bounds;
    private final boolean[][] cut;
    private final List<int[]> alarms = new ArrayList<>();
    private final Numbers<Local> locals = new Numbers<>();
    private final Numbers<Message> messages = new Numbers<>();
    private final Numbers<List<Integer>> queues = new Numbers<>();
    private final Map<Long, Outcome> outcomes = new HashMap<>();
    private final Map<State, State> parents = new HashMap<>();
    private final Deque<State> open = new ArrayDeque<>();
    private long transitions;
    private int ends;

    /**
     * How much may happen.
     *
     * @param deaths  of processes, at any time.
     * @param early   false alarms: a rank takes another one for silent, or its timeout passes too soon.
     * @param returns of ranks as new processes.
     * @param calls   that begin, over all ranks.
     * @param isTold  whether ranks learn of deaths across links that are cut, as from a launcher.
     */
    record Bounds(int deaths, int early, int returns, int calls, boolean isTold)
    {
    }

    /**
     * What came of it.
     *
     * @param states      different ones.
     * @param transitions between them.
     * @param ends        states in which nothing more happens by itself.
     */
    record Result(int states, long transitions, int ends)
    {
        Result plus(final Result other)
        {
            return new Result(states + other.states, transitions + other.transitions, ends + other.ends);
        }

        @Override
        public String toString()
        {
            return states + " states, " + transitions + " transitions, " + ends + " ends";
        }
    }

    /** A process: its machine, its incarnation, and the views that it was a member of. */
    private record Local(Membership machine, long life, List<GroupView> installed)
    {
        boolean isRunning()
        {
            return Status.MEMBER == machine.status() || Status.RETURNING == machine.status();
        }

        boolean isMember()
        {
            return Status.MEMBER == machine.status();
        }
    }

    /** What one rank is told. */
    private enum Event
    {
        RECEIVE, SILENT, GONE, TIMEOUT, DEADLINE, BEGAN
    }

    /** Messages by number, each with the rank that it goes to. */
    private record Outcome(int local, int[][] sent)
    {
    }

    /** Small numbers for equal things. */
    private static final class Numbers<T>
    {
        private final Map<T, Integer> numbers = new HashMap<>();
        private final List<T> things = new ArrayList<>();

        int of(final T thing)
        {
            final Integer known = numbers.putIfAbsent(thing, things.size());
            if (null == known)
            {
                things.add(thing);
                return things.size() - 1;
            }

            return known;
        }

        T get(final int number)
        {
            return things.get(number);
        }
    }

    /** Counts, then the numbers of all processes, then those of the messages under way from each rank to each. */
    private static final class State
    {
        private final int[] words;

        State(final int... words)
        {
            this.words = words;
        }

        State copy()
        {
            return new State(words.clone());
        }

        @Override
        public boolean equals(final Object other)
        {
            return other instanceof State && Arrays.equals(words, ((State)other).words);
        }

        @Override
        public int hashCode()
        {
            return Arrays.hashCode(words);
        }
    }

    /**
     * A world whose ranks are all members of the first view.
     *
     * @param cut from which rank to which nothing arrives any more, from any moment on; null for nowhere.
     */
    Exploration(final int size, final boolean[][] cut, final Bounds bounds)
    {
        this.size = size;
        this.cut = cut;
        this.bounds = bounds;
    }

    /** In the beginning, one rank takes another for silent that is not. */
    Exploration alarmed(final int rank, final int other)
    {
        alarms.add(new int[]{ rank, other });
        return this;
    }

    /** Explores all; throws an AssertionError that tells the way to the first state that breaks a promise. */
    Result run()
    {
        State first = new State(new int[COUNTS + size + size * size]);
        for (int rank = 0; rank < size; rank++)
        {
            final Membership machine = Membership.member(rank, size);
            first.words[COUNTS + rank] = locals.of(new Local(machine, 0, List.of(machine.view())));
        }

        Arrays.fill(first.words, COUNTS + size, first.words.length, queues.of(List.of()));
        first.words[DEATHS] = bounds.deaths;
        first.words[EARLY] = bounds.early;
        first.words[RETURNS] = bounds.returns;
        first.words[CALLS] = bounds.calls;
        first.words[QUIET] = MOST_QUIET;
        for (final int[] alarm : alarms)
        {
            first = tell(first, alarm[0], Event.SILENT, alarm[1], 0);
        }

        parents.put(first, first);
        open.add(first);
        while (!open.isEmpty())
        {
            final State state = open.removeLast();
            explore(state, (next) ->
            {
                transitions++;
                if (null == parents.putIfAbsent(next, state))
                {
                    check(next);
                    open.add(next);
                }
            });
        }

        return new Result(parents.size(), transitions, ends);
    }

    private void explore(final State state, final Consumer<State> then)
    {
        final long before = transitions;
        for (int rank = 0; rank < size; rank++)
        {
            if (isRunning(state, rank))
            {
                happen(state, rank, then);
            }
        }

        if (before == transitions)
        {
            timeOutOrEnd(state, then);
            if (before == transitions)
            {
                ends++;
                checkEnd(state);
            }
        }

        choose(state, then);
    }

    /** What happens by itself: messages arrive, failures are noticed. */
    private void happen(final State state, final int rank, final Consumer<State> then)
    {
        final Membership machine = local(state, rank).machine;
        for (int other = 0; other < size; other++)
        {
            final List<Integer> queue = queues.get(state.words[queue(other, rank)]);
            if (!queue.isEmpty())
            {
                final State next = state.copy();
                next.words[queue(other, rank)] = queues.of(List.copyOf(queue.subList(1, queue.size())));
                then.accept(tell(next, rank, Event.RECEIVE, other, queue.get(0)));
            }

            if (Status.MEMBER == machine.status() && other != rank && machine.view().alive().contains(other))
            {
                final boolean isGone = !isRunning(state, other) ||
                    local(state, other).life != machine.view().lives().get(other);
                final boolean isFar = isCut(state, other, rank) || isCut(state, rank, other);
                final Verdict verdict = machine.verdict(other);
                if (isGone && Verdict.DEAD != verdict && (!isFar || bounds.isTold))
                {
                    then.accept(tell(state.copy(), rank, Event.GONE, other, 0));
                }

                if ((isCut(state, other, rank) || isGone && isFar) && Verdict.DEAD != verdict &&
                    Verdict.SUSPECTED != verdict)
                {
                    then.accept(tell(state.copy(), rank, Event.SILENT, other, 0));
                }
            }
        }
    }

    /** Nothing happens by itself: a timeout passes, or in the end the deadline. */
    private void timeOutOrEnd(final State state, final Consumer<State> then)
    {
        final long before = transitions;
        for (int rank = 0; rank < size && state.words[QUIET] > 0; rank++)
        {
            timeOut(state, rank, QUIET, then);
        }

        for (int rank = 0; rank < size && before == transitions; rank++)
        {
            if (isRunning(state, rank) && local(state, rank).machine.isPending())
            {
                then.accept(tell(state.copy(), rank, Event.DEADLINE, rank, 0));
            }
        }
    }

    private void timeOut(final State state, final int rank, final int count, final Consumer<State> then)
    {
        if (isRunning(state, rank) && local(state, rank).machine.isPending())
        {
            final State next = tell(state.copy(), rank, Event.TIMEOUT, rank, 0);
            if (!next.equals(state))
            {
                next.words[count]--;
                then.accept(next);
            }
        }
    }

    /** What may happen at any time. */
    private void choose(final State state, final Consumer<State> then)
    {
        for (int rank = 0; rank < size; rank++)
        {
            if (state.words[EARLY] > 0)
            {
                timeOut(state, rank, EARLY, then);
                suspect(state, rank, then);
            }

            if (isRunning(state, rank) && state.words[DEATHS] > 0)
            {
                final State next = state.copy();
                next.words[DEAD] |= 1 << rank;
                next.words[DEATHS]--;
                dropTo(next, rank);
                then.accept(next);
                final State silent = next.copy();
                for (int other = 0; other < size; other++)
                {
                    silent.words[queue(rank, other)] = queues.of(List.of());
                }

                then.accept(silent);
            }

            if (0 != (state.words[DEAD] & 1 << rank) && state.words[RETURNS] > 0)
            {
                final State next = state.copy();
                next.words[DEAD] &= ~(1 << rank);
                next.words[RETURNS]--;
                final long life = local(state, rank).life + 1;
                next.words[COUNTS + rank] =
                    locals.of(new Local(Membership.returning(rank, size, life), life, List.of()));
                then.accept(tell(next, rank, Event.TIMEOUT, rank, 0));
            }

            if (state.words[CALLS] > 0 && mayBegin(state, rank))
            {
                final State next = tell(state.copy(), rank, Event.BEGAN, rank, 0);
                next.words[CALLS]--;
                then.accept(next);
            }
        }

        if (null != cut && 0 == state.words[CUT])
        {
            final State next = state.copy();
            next.words[CUT] = 1;
            for (int from = 0; from < size; from++)
            {
                for (int to = 0; to < size; to++)
                {
                    if (cut[from][to])
                    {
                        next.words[queue(from, to)] = queues.of(List.of());
                    }
                }
            }

            then.accept(next);
        }
    }

    /** A rank takes another for silent that is not. */
    private void suspect(final State state, final int rank, final Consumer<State> then)
    {
        for (int other = 0; isRunning(state, rank) && local(state, rank).isMember() && other < size; other++)
        {
            if (other != rank && Verdict.ALIVE == local(state, rank).machine.verdict(other))
            {
                final State next = tell(state.copy(), rank, Event.SILENT, other, 0);
                next.words[EARLY]--;
                then.accept(next);
            }
        }
    }

    /** A call needs all members: none of them is two calls ahead of another. */
    private boolean mayBegin(final State state, final int rank)
    {
        if (!isRunning(state, rank) || !local(state, rank).machine.mayBegin())
        {
            return false;
        }

        final Membership machine = local(state, rank).machine;
        return machine.view().alive().stream().allMatch((other) ->
            !isRunning(state, other) || local(state, other).machine.nextCall() >= machine.nextCall());
    }

    private State tell(final State state, final int rank, final Event event, final int about, final int message)
    {
        final int number = state.words[COUNTS + rank];
        final long key = (((long)number << Byte.SIZE | event.ordinal()) << Byte.SIZE | about) << MESSAGE_BITS | message;
        final Outcome outcome =
            outcomes.computeIfAbsent(key, (any) -> outcome(locals.get(number), event, about, message));
        state.words[COUNTS + rank] = outcome.local;
        for (final int[] sent : outcome.sent)
        {
            final int to = sent[0];
            if (isRunning(state, to) && !isCut(state, rank, to))
            {
                final List<Integer> longer = new ArrayList<>(queues.get(state.words[queue(rank, to)]));
                longer.add(sent[1]);
                state.words[queue(rank, to)] = queues.of(longer);
            }
        }

        if (!isRunning(state, rank))
        {
            dropTo(state, rank);
        }

        return state;
    }

    private Outcome outcome(final Local before, final Event event, final int about, final int message)
    {
        final Membership machine = before.machine.copy();
        switch (event)
        {
            case RECEIVE -> machine.receive(about, messages.get(message));
            case SILENT -> machine.silent(about);
            case GONE -> machine.gone(about);
            case TIMEOUT -> machine.timeoutPassed();
            case DEADLINE -> machine.deadlineOver();
            default -> machine.began();
        }

        final int[][] sent = machine.takeMessages().stream()
            .map((envelope) -> new int[]{envelope.to(), messages.of(envelope.message())}).toArray(int[][]::new);
        final List<GroupView> installed = new ArrayList<>(before.installed);
        if (Status.MEMBER == machine.status() && machine.view().epoch() > before.machine.view().epoch())
        {
            installed.add(machine.view());
        }

        return new Outcome(locals.of(new Local(machine, before.life, List.copyOf(installed))), sent);
    }

    /** Promises that hold in each state. */
    private void check(final State state)
    {
        for (int one = 0; one < size; one++)
        {
            final Local local = local(state, one);
            if (isRunning(state, one) && local.isMember())
            {
                final GroupView view = local.machine.view();
                require(view.alive().contains(one), state, "rank " + one + " is no member of its own view");
                require(view.returned().isEmpty() || local.machine.nextCall() >= view.firstCall() ||
                    local.machine.nextCall() + 1 == view.firstCall(), state,
                    "rank " + one + " is two calls behind a view that readmits");
                for (int other = one + 1; other < size; other++)
                {
                    if (isRunning(state, other))
                    {
                        compare(state, local.installed, local(state, other).installed);
                    }
                }
            }
        }
    }

    private void compare(final State state, final List<GroupView> one, final List<GroupView> other)
    {
        for (final GroupView mine : one)
        {
            for (final GroupView theirs : other)
            {
                require(mine.epoch() != theirs.epoch() || mine.equals(theirs), state,
                    "two views of one epoch: " + mine + " and " + theirs);
            }
        }
    }

    /** What has become of the world when nothing more happens by itself. */
    private void checkEnd(final State state)
    {
        GroupView view = null;
        for (int rank = 0; rank < size; rank++)
        {
            if (isRunning(state, rank))
            {
                final Membership machine = local(state, rank).machine;
                require(Status.MEMBER == machine.status() && !machine.isPending(), state, "rank " + rank + " hangs");
                require(null == view || machine.view().equals(view), state, "members of two views are left");
                view = machine.view();
            }
        }

        if (null != view)
        {
            for (int one = 0; one < size; one++)
            {
                for (int other = 0; other < size; other++)
                {
                    require(!view.alive().contains(one) || isRunning(state, one) &&
                        (!view.alive().contains(other) || !isCut(state, one, other)), state,
                        "a member that cannot take part is left in " + view);
                }
            }
        }

        final boolean isCalm = alarms.isEmpty() && state.words[EARLY] == bounds.early && state.words[QUIET] > 0;
        final boolean isOfOneKind = 0 == state.words[CUT] || state.words[DEATHS] == bounds.deaths;
        if (isCalm && isOfOneKind && state.words[RETURNS] == bounds.returns)
        {
            checkSurvivors(state, view);
        }

        if (isCalm && 0 == state.words[CUT] && 0 == state.words[DEAD])
        {
            require(null != view && view.alive().equals(RankSet.all(size)), state, "a rank has not returned: " + view);
        }
    }

    /** Without false alarms, the well connected ones go on, where they can decide, and nobody else. */
    private void checkSurvivors(final State state, final GroupView view)
    {
        final RankSet dead = RankSet.all(size).minus(alive(state));
        Links links = Links.unknown(size);
        for (int rank = 0; rank < size; rank++)
        {
            final int hearer = rank;
            links = links.with(rank, RankSet.of(
                RankSet.all(size).stream().filter((other) -> !isCut(state, other, hearer)).toArray()));
        }

        final RankSet survivors = links.survivors(alive(state));
        final RankSet known = RankSet.of(dead.stream().filter((one) -> survivors.stream().anyMatch(
            (other) -> !isCut(state, one, other) && !isCut(state, other, one))).toArray());
        if (!survivors.isEmpty() && GroupView.first(size).isDecidedBy(survivors, known))
        {
            require(null != view && view.alive().equals(survivors), state,
                "ranks " + survivors + " could go on, and the view is " + view);
        }
    }

    /** Processes that were not killed. */
    private RankSet alive(final State state)
    {
        return RankSet.of(RankSet.all(size).stream().filter((one) -> 0 == (state.words[DEAD] & 1 << one)).toArray());
    }

    private Local local(final State state, final int rank)
    {
        return locals.get(state.words[COUNTS + rank]);
    }

    private boolean isRunning(final State state, final int rank)
    {
        return 0 == (state.words[DEAD] & 1 << rank) && local(state, rank).isRunning();
    }

    private boolean isCut(final State state, final int from, final int to)
    {
        return 1 == state.words[CUT] && cut[from][to];
    }

    private int queue(final int from, final int to)
    {
        return COUNTS + size + from * size + to;
    }

    private void dropTo(final State state, final int rank)
    {
        for (int other = 0; other < size; other++)
        {
            state.words[queue(other, rank)] = queues.of(List.of());
        }
    }

    private void require(final boolean isSo, final State state, final String otherwise)
    {
        if (!isSo)
        {
            throw new AssertionError(otherwise + way(state));
        }
    }

    /** The states on the way to this one, of each what differs from the one before. */
    private String way(final State last)
    {
        final Deque<String> lines = new ArrayDeque<>();
        for (State state = last; !state.equals(parents.get(state)); state = parents.get(state))
        {
            lines.addFirst(difference(parents.get(state), state));
        }

        return ":\n" + String.join("\n", lines);
    }

    private String difference(final State before, final State after)
    {
        final List<String> parts = new ArrayList<>();
        if (before.words[DEAD] != after.words[DEAD])
        {
            parts.add("dead are now " + Integer.toBinaryString(after.words[DEAD]));
        }

        if (before.words[CUT] != after.words[CUT])
        {
            parts.add("links are cut");
        }

        for (int rank = 0; rank < size; rank++)
        {
            if (before.words[COUNTS + rank] != after.words[COUNTS + rank])
            {
                parts.add(local(after, rank).machine.toString());
            }

            for (int to = 0; to < size; to++)
            {
                final List<Integer> has = queues.get(after.words[queue(rank, to)]);
                if (before.words[queue(rank, to)] != after.words[queue(rank, to)])
                {
                    parts.add(rank + " to " + to + ": " + has.stream().map(messages::get).toList());
                }
            }
        }

        return String.join("\n    ", parts);
    }
}
