/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */

/*
 * A kernel that stays on the device and carries out commands, which the CPU writes into a queue of page-locked memory.
 * Block 0 reads the queue, and copies it to the device for the other blocks: reads of one slot beyond the bus wait for
 * each other, about a microsecond each. A wide command is done by all blocks, any other by block 0 alone; a command
 * that needs others to be complete says which. Commands complete in the order of their numbers, which count from 1.
 *
 * It leaves when it is told to, has had nothing to do for a while, or has stayed for long. Block 0 decides that, and the
 * word `admitted` tells the others what is still to be done: a block that takes up a wide command raises it, block 0
 * marks it, and no number beyond a marked one is taken up. The next launch goes on behind it.
 */

#ifndef TL_PROXY_CUH
#define TL_PROXY_CUH

#include "tl_copy.cuh"
#include "tl_wait.cuh"

/*
 * A command is four quads of 16 bytes, each of which ends with the low half of its number u32. In front of that:
 * 0 source u64, what u32; 1 target u64, count u32; 2 more u64, row length u32; 3 behind u64, unused u32. The CPU writes
 * the number last, and one access reads the whole quad.
 */
enum
{
    TL_COMMANDS = 128,
    TL_COMMAND_BYTES = 64,
    TL_MOST_PROXY_BLOCKS = 32,
    TL_QUADS = 4,
    TL_COMMAND_PUT = 0,
    TL_COMMAND_ROWS = 1,
    TL_COMMAND_ADD = 2,
    TL_COMMAND_KIND = 0xFF,
    TL_COMMAND_WIDE = 0x100
};

/* What a step of a block came to. */
enum
{
    TL_WAIT,
    TL_SKIP,
    TL_ACT,
    TL_LEAVE
};

#define TL_MARK_BIT (1ull << 63)

/* The kernel leaves when `leave` has reached completion.value; `word` is the last command that is complete. */
struct tl_proxy_arguments
{
    struct tl_completion completion;
    uint64_t queue;
    uint64_t leave;
    uint64_t word;
    uint64_t state;
    uint64_t idle_ns;
    uint64_t residency_ns;
};

TL_ASSERT_BYTES(struct tl_proxy_arguments, 72);

/*
 * In memory of the device, zeroed before the first launch. Launches take turns with the words of a pair: a block that
 * begins when block 0 has left already finds what its launch began with.
 */
struct tl_proxy_state
{
    uint64_t complete;
    uint64_t unused;
    uint64_t last[2];
    uint64_t admitted[2];
    uint32_t arrived[TL_COMMANDS];
    struct tl_vector copy[TL_COMMANDS][TL_QUADS];
};

TL_ASSERT_BYTES(struct tl_proxy_state, 48 + 4 * TL_COMMANDS + TL_COMMANDS * TL_COMMAND_BYTES);

/* Of one block, from step to step. */
struct tl_proxy_shared
{
    struct tl_vector quad[TL_QUADS];
    uint64_t notice;
    uint64_t next;
    uint64_t copied;
    uint64_t limit;
    uint64_t complete;
    uint64_t begun_ns;
    uint64_t acted_ns;
    uint32_t verdict;
};

#ifdef __CUDA_ARCH__

TL_FN struct tl_vector tl_poll16(const struct tl_place *, const uint64_t address)
{
    struct tl_vector v;
    asm volatile("ld.acquire.sys.global.v4.u32 {%0, %1, %2, %3}, [%4];"
        : "=r"(v.word[0]), "=r"(v.word[1]), "=r"(v.word[2]), "=r"(v.word[3]) : "l"(address) : "memory");
    return v;
}

/* Strong stores, which a fence before them makes a release. */
TL_FN void tl_publish8(const struct tl_place *, const uint64_t address, const uint64_t value)
{
    asm volatile("st.relaxed.sys.global.u64 [%0], %1;" :: "l"(address), "l"(value) : "memory");
}

/* For the other blocks; what this thread has polled before is theirs, too. */
TL_FN void tl_release16(const struct tl_place *, const uint64_t address, const struct tl_vector v)
{
    asm volatile("fence.acq_rel.gpu; st.relaxed.gpu.global.v4.u32 [%0], {%1, %2, %3, %4};"
        :: "l"(address), "r"(v.word[0]), "r"(v.word[1]), "r"(v.word[2]), "r"(v.word[3]) : "memory");
}

TL_FN uint64_t tl_raise8(const struct tl_place *, const uint64_t address, const uint64_t value)
{
    return atomicMax((unsigned long long *)address, (unsigned long long)value);
}

TL_FN uint64_t tl_mark8(const struct tl_place *, const uint64_t address)
{
    return atomicOr((unsigned long long *)address, TL_MARK_BIT);
}

/* Whether all blocks have arrived; the counter is 0 again then. */
TL_FN int tl_arrive4(const struct tl_place *, const uint64_t address, const uint32_t blocks)
{
    return atomicInc((unsigned *)address, blocks - 1) == blocks - 1;
}

TL_FN void tl_fence(void)
{
    __threadfence_system();
}

#else

/* The half with the number first: what the CPU wrote before it is seen then. */
TL_FN struct tl_vector tl_poll16(const struct tl_place *place, const uint64_t address)
{
    const uint64_t *const half = (const uint64_t *)tl_at(place->memory, address, 16, 16);
    const uint64_t high = __atomic_load_n(half + 1, __ATOMIC_ACQUIRE);
    const uint64_t low = __atomic_load_n(half, __ATOMIC_ACQUIRE);
    const struct tl_vector v = {{(uint32_t)low, (uint32_t)(low >> 32), (uint32_t)high, (uint32_t)(high >> 32)}};
    return v;
}

TL_FN void tl_publish8(const struct tl_place *place, const uint64_t address, const uint64_t value)
{
    __atomic_store_n((uint64_t *)tl_at(place->memory, address, 8, 8), value, __ATOMIC_RELEASE);
}

/* Blocks of a twin run in turn, on one thread. */
TL_FN void tl_release16(const struct tl_place *place, const uint64_t address, const struct tl_vector v)
{
    tl_store16(place, address, v);
}

TL_FN uint64_t tl_raise8(const struct tl_place *place, const uint64_t address, const uint64_t value)
{
    uint64_t *const word = (uint64_t *)tl_at(place->memory, address, 8, 8);
    const uint64_t before = *word;
    *word = before < value ? value : before;
    return before;
}

TL_FN uint64_t tl_mark8(const struct tl_place *place, const uint64_t address)
{
    uint64_t *const word = (uint64_t *)tl_at(place->memory, address, 8, 8);
    const uint64_t before = *word;
    *word = before | TL_MARK_BIT;
    return before;
}

TL_FN int tl_arrive4(const struct tl_place *place, const uint64_t address, const uint32_t blocks)
{
    uint32_t *const counter = (uint32_t *)tl_at(place->memory, address, 4, 4);
    *counter = (*counter + 1) % blocks;
    return 0 == *counter;
}

TL_FN void tl_fence(void)
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

#endif

TL_FN uint64_t tl_proxy_admitted(const struct tl_proxy_arguments *arguments)
{
    return arguments->state + offsetof(struct tl_proxy_state, admitted) + arguments->completion.value % 2 * 8;
}

TL_FN uint64_t tl_proxy_slot(const struct tl_proxy_shared *shared)
{
    return shared->next % TL_COMMANDS;
}

/* A phase: before the first step. */
TL_FN void tl_proxy_begin(
    struct tl_place *place, struct tl_proxy_shared *shared, const struct tl_proxy_arguments *arguments)
{
    TL_EACH_THREAD(place)
    {
        if (0 == place->thread)
        {
            shared->next = tl_load8(place, arguments->state + offsetof(struct tl_proxy_state, last) +
                arguments->completion.value % 2 * 8) + 1;
            shared->copied = 0;
            shared->limit = ~0ull;
            shared->complete = 0;
            shared->begun_ns = tl_now_ns();
            shared->acted_ns = shared->begun_ns;
        }
    }

    TL_MEET();
}

/* A phase: the slot of the next command, and a word of another line by another warp, so that neither awaits the other. */
TL_FN void tl_proxy_poll(
    const struct tl_place *place, struct tl_proxy_shared *shared, const struct tl_proxy_arguments *arguments)
{
    if (place->thread < TL_QUADS)
    {
        const uint64_t quad = tl_proxy_slot(shared) * TL_COMMAND_BYTES + place->thread * 16;
        const uint64_t copy = arguments->state + offsetof(struct tl_proxy_state, copy) + quad;
        const struct tl_vector seen = tl_poll16(place, 0 == place->block ? arguments->queue + quad : copy);
        shared->quad[place->thread] = seen;
        if (0 == place->block && place->blocks > 1 && shared->copied < shared->next &&
            (uint32_t)shared->next == seen.word[3])
        {
            tl_release16(place, copy, seen);
        }
    }
    else if (TL_WARP == place->thread)
    {
        shared->notice = tl_poll8(place, 0 == place->block ? arguments->leave : tl_proxy_admitted(arguments));
    }
}

TL_FN int tl_proxy_is_there(const struct tl_proxy_shared *shared)
{
    const uint32_t number = (uint32_t)shared->next;
    return number == shared->quad[0].word[3] && number == shared->quad[1].word[3] &&
        number == shared->quad[2].word[3] && number == shared->quad[3].word[3];
}

TL_FN int tl_proxy_is_wide(const struct tl_proxy_shared *shared)
{
    return 0 != (shared->quad[0].word[2] & TL_COMMAND_WIDE);
}

/* Whether what the command is behind is complete; the word is read only when that is not known. */
TL_FN int tl_proxy_may_begin(
    const struct tl_place *place, struct tl_proxy_shared *shared, const struct tl_proxy_arguments *arguments)
{
    const uint64_t behind = tl_low8(shared->quad[3]);
    if (shared->complete < behind)
    {
        shared->complete = tl_poll8(place, arguments->state + offsetof(struct tl_proxy_state, complete));
    }

    return shared->complete >= behind;
}

/* Of block 0, by one thread. */
TL_FN uint32_t tl_proxy_decide(
    const struct tl_place *place, struct tl_proxy_shared *shared, const struct tl_proxy_arguments *arguments)
{
    const uint64_t now_ns = tl_now_ns();
    const int is_there = tl_proxy_is_there(shared);
    shared->copied = is_there ? shared->next : shared->copied;
    if (~0ull == shared->limit && (shared->notice >= arguments->completion.value ||
        now_ns - shared->begun_ns >= arguments->residency_ns ||
        (!is_there && now_ns - shared->acted_ns >= arguments->idle_ns)))
    {
        tl_raise8(place, tl_proxy_admitted(arguments), shared->next - 1);
        shared->limit = tl_mark8(place, tl_proxy_admitted(arguments));
    }

    if (shared->next > shared->limit)
    {
        return TL_LEAVE;
    }

    return is_there && tl_proxy_may_begin(place, shared, arguments) ? TL_ACT : TL_WAIT;
}

/* Of the other blocks, by one thread. */
TL_FN uint32_t tl_proxy_follow(
    const struct tl_place *place, struct tl_proxy_shared *shared, const struct tl_proxy_arguments *arguments)
{
    if (0 != (shared->notice & TL_MARK_BIT) && shared->next > (shared->notice & ~TL_MARK_BIT))
    {
        return TL_LEAVE;
    }

    /* A slot is written again only when its command is complete: then this block had no part in it. */
    if ((int32_t)(shared->quad[0].word[3] - (uint32_t)shared->next) > 0)
    {
        return TL_SKIP;
    }

    if (!tl_proxy_is_there(shared))
    {
        return TL_WAIT;
    }

    if (!tl_proxy_is_wide(shared))
    {
        return TL_SKIP;
    }

    if (!tl_proxy_may_begin(place, shared, arguments))
    {
        return TL_WAIT;
    }

    const uint64_t before = tl_raise8(place, tl_proxy_admitted(arguments), shared->next);
    return 0 != (before & TL_MARK_BIT) && shared->next > (before & ~TL_MARK_BIT) ? TL_LEAVE : TL_ACT;
}

/* All threads of the blocks that have a part in the command. Sources may have changed while the kernel stays. */
TL_FN void tl_proxy_act(
    struct tl_place *place, struct tl_rows_shared *rows, const struct tl_proxy_shared *shared)
{
    const uint64_t source = tl_low8(shared->quad[0]);
    const uint64_t target = tl_low8(shared->quad[1]);
    const uint64_t more = tl_low8(shared->quad[2]);
    const uint32_t count = shared->quad[1].word[2];
    const uint32_t row_length = shared->quad[2].word[2];
    const uint32_t kind = shared->quad[0].word[2] & TL_COMMAND_KIND;
    if (TL_COMMAND_PUT == kind)
    {
        tl_put_bytes(place, target, source, count);
    }
    else if (TL_COMMAND_ROWS == kind)
    {
        tl_rows_block(place, rows, more, count, row_length, source, target, TL_COPY);
    }
    else
    {
        TL_EACH_THREAD(place)
        {
            if (0 == place->thread)
            {
                tl_add8(place, target, more);
            }
        }
    }
}

/* By one thread of each such block, when all of its threads are done. */
TL_FN void tl_proxy_complete(
    const struct tl_place *place, struct tl_proxy_shared *shared, const struct tl_proxy_arguments *arguments)
{
    tl_fence();
    if (place->blocks > 1)
    {
        const uint64_t arrived =
            arguments->state + offsetof(struct tl_proxy_state, arrived) + tl_proxy_slot(shared) * 4;
        if (!tl_arrive4(place, arrived, place->blocks))
        {
            return;
        }

        tl_fence();
    }

    shared->complete = shared->next;
    tl_publish8(place, arguments->word, shared->next);
    tl_publish8(place, arguments->state + offsetof(struct tl_proxy_state, complete), shared->next);
}

/* By one thread of block 0: the next launch begins behind the last command, with a word that nobody reads now. */
TL_FN void tl_proxy_end(
    const struct tl_place *place, const struct tl_proxy_shared *shared, const struct tl_proxy_arguments *arguments)
{
    tl_store8(place, arguments->state + offsetof(struct tl_proxy_state, last) +
        (arguments->completion.value + 1) % 2 * 8, shared->limit);
    tl_store8(place, arguments->state + offsetof(struct tl_proxy_state, admitted) +
        (arguments->completion.value + 1) % 2 * 8, 0);
}

/* One look at the queue, and what follows from it: 0 when the block has left. */
TL_FN int tl_proxy_step(struct tl_place *place, struct tl_rows_shared *rows, struct tl_proxy_shared *shared,
    const struct tl_proxy_arguments *arguments)
{
    TL_EACH_THREAD(place)
    {
        tl_proxy_poll(place, shared, arguments);
    }

    TL_MEET();
    TL_EACH_THREAD(place)
    {
        if (0 == place->thread)
        {
            shared->verdict = 0 == place->block ? tl_proxy_decide(place, shared, arguments) :
                tl_proxy_follow(place, shared, arguments);
        }
    }

    TL_MEET();
    const uint32_t verdict = shared->verdict;
    if (TL_ACT == verdict)
    {
        struct tl_place part = *place;
        part.blocks = tl_proxy_is_wide(shared) ? place->blocks : 1;
        tl_proxy_act(&part, rows, shared);
        TL_MEET();
        TL_EACH_THREAD(&part)
        {
            if (0 == part.thread)
            {
                tl_proxy_complete(&part, shared, arguments);
                shared->acted_ns = tl_now_ns();
            }
        }
    }

    TL_EACH_THREAD(place)
    {
        if (0 == place->thread)
        {
            shared->next += TL_ACT == verdict || TL_SKIP == verdict ? 1 : 0;
            if (TL_LEAVE == verdict && 0 == place->block)
            {
                tl_proxy_end(place, shared, arguments);
            }
        }
    }

    TL_MEET();
    return TL_LEAVE != verdict;
}

#endif
