/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */

/*
 * Rows of several parts, as tl_put_rows_parts copies them, but launched before what they are copied from is there: each
 * part waits until the CPU opens it. Meanwhile all is fetched that can be. So no launch stands between the rows' coming
 * and their copy.
 *
 * The CPU says in a word of page-locked memory which parts are open, and whether the kernel shall leave without the
 * others. Block 0 alone reads that word, and passes it on by a word of the device: reads of one word beyond the bus
 * wait for each other, about a microsecond each. It also leaves by itself, when patience is over. What it passed on
 * last is what all blocks copy; it tells the CPU.
 */

#ifndef TL_GATES_CUH
#define TL_GATES_CUH

#include "tl_copy.cuh"
#include "tl_wait.cuh"

/* Of a word: number of the operation in the high half; below that this, and a bit for each part that is open. */
enum
{
    TL_GATES_LEAVE = 1 << TL_MOST_PARTS
};

/*
 * tl_gated_rows: the CPU opens at gates, block 0 passes that on at relay, on the device, and says at copied, which is
 * page-locked, what was copied. A part may have no rows, but each has a length. At least two blocks.
 */
struct tl_gated_rows_arguments
{
    struct tl_put_rows_parts_arguments rows;
    uint64_t gates;
    uint64_t relay;
    uint64_t copied;
    uint64_t number;
    uint64_t patience_ns;
};

TL_ASSERT_BYTES(struct tl_gated_rows_arguments, 712);

struct tl_gated_shared
{
    struct tl_parts_shared parts;
    uint32_t gates;
};

TL_FN uint32_t tl_all_gates(const struct tl_gated_rows_arguments *arguments)
{
    return (1u << arguments->rows.parts) - 1;
}

/* What a word says of this operation. */
TL_FN uint32_t tl_gates_of(const struct tl_gated_rows_arguments *arguments, const uint64_t word)
{
    return word >> 32 == arguments->number ? (uint32_t)word : 0;
}

/* By one thread of block 0, until nothing more will be opened. */
TL_FN void tl_relay_gates(const struct tl_place *place, const struct tl_gated_rows_arguments *arguments)
{
    const uint32_t all = tl_all_gates(arguments);
    const uint64_t begun_ns = tl_now_ns();
    const uint64_t number = arguments->number << 32;
    uint32_t relayed = 0;
    TL_NO_UNROLL
    while (0 == (relayed & TL_GATES_LEAVE))
    {
        uint32_t gates = tl_gates_of(arguments, tl_poll8(place, arguments->gates));
        if (all == (gates & all) || tl_now_ns() - begun_ns >= arguments->patience_ns)
        {
            gates |= TL_GATES_LEAVE;
        }

        if (gates != relayed)
        {
            relayed = gates;
            tl_release8(place, arguments->relay, number | gates);
        }
        else
        {
            tl_rest();
        }
    }

    tl_store8(place, arguments->copied, number | (relayed & all));
}

/* By one thread of another block: until there is something new. */
TL_FN uint32_t tl_await_gates(
    const struct tl_place *place, const struct tl_gated_rows_arguments *arguments, const uint32_t done)
{
    uint32_t gates;
    do
    {
        gates = tl_gates_of(arguments, tl_acquire8(place, arguments->relay));
    }
    while (0 == (gates & ~done));

    return gates;
}

/* All blocks but the first share the rows. */
TL_FN void tl_gated_rows_worker(
    struct tl_place *place, struct tl_gated_shared *shared, const struct tl_gated_rows_arguments *arguments)
{
    TL_EACH_THREAD(place)
    {
        tl_share_parts(place, &shared->parts, &arguments->rows);
    }

    TL_MEET();
    const uint64_t rows = tl_rows_of_parts(&shared->parts, arguments->rows.parts);
    TL_EACH_THREAD(place)
    {
        if (rows <= TL_ROWS_AT_ONCE)
        {
            tl_fetch_parts(place, &shared->parts, (uint32_t)rows);
        }
    }

    uint32_t done = 0;
    TL_NO_UNROLL
    while (0 == (done & TL_GATES_LEAVE))
    {
        TL_EACH_THREAD(place)
        {
            if (0 == place->thread)
            {
                shared->gates = tl_await_gates(place, arguments, done);
            }
        }

        TL_MEET();
        const uint32_t gates = shared->gates;
        if (rows <= TL_ROWS_AT_ONCE)
        {
            TL_EACH_THREAD(place)
            {
                tl_move_parts(place, &shared->parts, &arguments->rows, gates & ~done, TL_COPY);
            }
        }
        else
        {
            tl_move_parts_in_turn(place, &shared->parts, &arguments->rows, gates & ~done, TL_COPY);
        }

        TL_MEET();
        done |= gates;
    }
}

TL_FN void tl_gated_rows_block(
    struct tl_place *place, struct tl_gated_shared *shared, const struct tl_gated_rows_arguments *arguments)
{
    if (0 == place->block)
    {
        TL_EACH_THREAD(place)
        {
            if (0 == place->thread)
            {
                tl_relay_gates(place, arguments);
            }
        }
    }
    else
    {
        struct tl_place worker = *place;
        worker.block--;
        worker.blocks--;
        tl_gated_rows_worker(&worker, shared, arguments);
    }

    tl_complete(place, &arguments->rows.completion);
}

#endif
