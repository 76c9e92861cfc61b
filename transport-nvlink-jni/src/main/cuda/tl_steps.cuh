/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */

/*
 * Programs of dev.transload.kernels.StepProgram, each as one kernel; what a primitive does is written at StepOp. Blocks
 * share the tokens of a call, in order. Block 0 alone tells counts and starts; a block waits for block 0 of its own
 * rank and of others, and the last block to tell for all blocks of others (rule STP-8). So a host may run blocks one
 * after the other.
 */

#ifndef TL_STEPS_CUH
#define TL_STEPS_CUH

#include "tl_reduce.cuh"
#include "tl_step_rows.cuh"

/* A selection whose row has a place: expert and place, each plus 1; or its slot among the rows of its source. */
TL_FN void tl_step_select(
    const struct tl_place *place, const struct tl_step_arguments *arguments, const uint32_t at, const int32_t expert,
    const uint32_t where)
{
    tl_store8(place, arguments->selections + (uint64_t)at * 8, (uint64_t)(uint32_t)(expert + 1) << 32 | where);
}

/* ---- beginning and end ---- */

/* Where the output, or the answers, of a number in the cache are. */
TL_FN struct tl_vector tl_load_tensor(
    const struct tl_place *place, const struct tl_step_arguments *arguments, const uint32_t i, const int is_dispatch)
{
    const uint32_t each = TL_STEP_CACHED / arguments->ranks;
    const uint64_t tensor = (uint64_t)(i / each) * TL_STEP_TENSORS + i % each;
    struct tl_vector found = {{0, 0, 0, 0}};
    if (is_dispatch)
    {
        found = tl_load16(place, arguments->outputs + tensor * 16);
    }
    else
    {
        const uint64_t answers = tl_load8(place, arguments->answers + tensor * 8);
        found.word[0] = (uint32_t)answers;
        found.word[1] = (uint32_t)(answers >> 32);
    }

    return found;
}

/* Selections of tokens [first, end) go to shared memory: experts, -1 for none, TL_BAD_ID. */
TL_FN void tl_load_ids(
    const struct tl_place *place, struct tl_step_shared *shared, const struct tl_step_arguments *arguments,
    const uint32_t first, const uint32_t end)
{
    const uint32_t topk = arguments->call.topk;
    for (uint32_t i = place->thread; i < (end - first) * topk; i += place->threads)
    {
        const uint64_t at = (uint64_t)first * topk + i;
        const int64_t id = 8 == arguments->call.id_bytes ?
            (int64_t)tl_load8(place, arguments->call.ids + at * 8) :
            (int64_t)(int32_t)tl_load4(place, arguments->call.ids + at * 4);
        shared->ids[i] = id < 0 ? -1 : id >= (int64_t)arguments->call.experts ? TL_BAD_ID : (int32_t)id;
    }
}

/* Tokens whose ids fit into shared memory. */
TL_FN uint32_t tl_most_ids(const struct tl_step_arguments *arguments)
{
    return TL_STEP_IDS / arguments->call.topk;
}

/*
 * A phase: what the block knows of ranks, where their outputs, or answers, are that are most likely used, and the ids
 * of the first tokens. It loads all of that before it keeps any of it, so that it waits for memory once.
 */
TL_FN void tl_load_step(
    const struct tl_place *place, struct tl_step_shared *shared, const struct tl_step_arguments *arguments,
    const int is_dispatch, const int is_new, const int has_far, const uint64_t now_ns)
{
    const uint32_t rank = place->thread;
    const int is_granting = is_new && 0 == place->block;
    const int is_cached = place->thread < TL_STEP_CACHED / arguments->ranks * arguments->ranks;
    struct tl_vector peer = {{0, 0, 0, 0}};
    struct tl_vector tensor = peer;
    uint64_t generation = 0;
    uint64_t far = 0;
    uint64_t lease = now_ns;
    uint32_t state = 0;
    if (rank < arguments->ranks)
    {
        peer = tl_load16(place, arguments->peers + rank * sizeof(struct tl_step_peer));
        generation = tl_load8(place, arguments->peers + rank * sizeof(struct tl_step_peer) + 16);
        state = tl_load4(place, tl_rank_at(arguments, rank, TL_RANK_STATE));
        if (has_far)
        {
            far = tl_load8(place, arguments->peers + rank * sizeof(struct tl_step_peer) + 24);
        }

        if (!is_granting)
        {
            lease = tl_load8(place, tl_rank_at(arguments, rank, TL_RANK_NOT_GRANTED));
        }
    }

    if (is_cached)
    {
        tensor = tl_load_tensor(place, arguments, place->thread, is_dispatch);
    }

    if (is_new)
    {
        tl_load_ids(place, shared, arguments, 0,
            (uint32_t)tl_least(tl_most_ids(arguments), arguments->call.tokens));
        for (uint32_t i = place->thread; i < arguments->local * arguments->ranks; i += place->threads)
        {
            shared->run[i] = 0;
            shared->parts.order.count[i] = 0;
        }
    }

    if (is_cached)
    {
        shared->cached[place->thread] = tensor;
    }

    if (rank < arguments->ranks)
    {
        shared->words[rank] = tl_low8(peer);
        shared->slots_at[rank] = tl_high8(peer);
        shared->generation[rank] = (uint32_t)generation;
        shared->state[rank] = state;
        shared->far[rank] = (uint8_t)far;
        shared->lease[rank] = lease;
        shared->ahead[rank] = 0;
        shared->slots[rank] = 0;
        shared->is_read[rank] = 0;
        if (is_granting)
        {
            /* No rank has granted anything before it has this rank's counts. */
            tl_store8(place, tl_rank_at(arguments, rank, TL_RANK_NOT_GRANTED), now_ns);
            tl_store8(place, tl_rank_at(arguments, rank, TL_RANK_RENEWED), now_ns);
        }
    }

    if (0 == place->thread)
    {
        shared->bad_ids = 0;
        shared->left_out = 0;
        shared->is_void = 0;
    }
}

/* Addresses of the rows and the info of a rank's output; 0 where this rank was not told of it. */
TL_FN struct tl_vector tl_output(
    const struct tl_place *place, const struct tl_step_shared *shared, const struct tl_step_arguments *arguments,
    const uint32_t rank, const uint32_t number)
{
    const uint32_t each = TL_STEP_CACHED / arguments->ranks;
    return number < each ? shared->cached[rank * each + number] :
        tl_load16(place, arguments->outputs + ((uint64_t)rank * TL_STEP_TENSORS + number) * 16);
}

/* Phases, and what all threads of a block know. is_new: a call begins, whose rows are placed as is_slots says. */
TL_FN struct tl_step tl_begin_step(
    struct tl_place *place, struct tl_step_shared *shared, const struct tl_step_arguments *arguments,
    const int is_dispatch, const int is_new, const int is_slots, const int has_far)
{
    const uint64_t now_ns = tl_now_ns();
    const uint64_t call = tl_load8(place, arguments->state + TL_STATE_CALL);
    int32_t tokens = (int32_t)arguments->call.tokens;
    uint32_t placement = 0;
    if (!is_new)
    {
        tokens = (int32_t)tl_load4(place, arguments->state + TL_STATE_TOKENS);
        placement = tl_load4(place, arguments->state + TL_STATE_PLACEMENT);
    }
    else if (0 != arguments->call.tokens_at)
    {
        tokens = (int32_t)tl_load4(place, arguments->call.tokens_at);
    }

    TL_EACH_THREAD(place)
    {
        if (0 == place->block && 0 == place->thread && (!has_far || arguments->part <= TL_PART_FIRST))
        {
            tl_store8(place, arguments->state + TL_STATE_BEGIN, now_ns);
        }

        tl_load_step(place, shared, arguments, is_dispatch, is_new, has_far, now_ns);
    }

    TL_MEET();
    struct tl_step step;
    step.call = call + (is_new ? 1 : 0);
    step.parity = (uint32_t)(step.call & 1);
    step.told_ns = now_ns;
    step.is_fp8 = 0 != arguments->call.is_fp8;
    step.has_far = has_far;
    step.is_slots = is_new ? is_slots : TL_PLACEMENT_SLOTS == placement;
    step.tokens = tokens < 0 ? 0 : (uint32_t)tokens;
    if (is_new)
    {
        step.tokens = (uint32_t)tl_least(step.tokens, arguments->call.tokens);
    }

    step.first = tl_first_of_few(step.tokens, place->block, place->blocks);
    step.end = tl_first_of_few(step.tokens, place->block + 1, place->blocks);
    step.ids_first = 0;
    step.ids_end = 0;
    return step;
}

/* In a phase of the last block: a thread that has little to do looks up what the end will tell. */
TL_FN void tl_load_end(
    const struct tl_place *place, struct tl_step_shared *shared, const struct tl_step_arguments *arguments)
{
    if (place->threads / 2 == place->thread)
    {
        const uint64_t begin = tl_load8(place, arguments->state + TL_STATE_BEGIN);
        const uint64_t ended = tl_load8(place, arguments->state + TL_STATE_ENDED);
        const uint32_t bad_ids = tl_load4(place, arguments->state + TL_STATE_BAD_IDS);
        const uint32_t left_out = tl_load4(place, arguments->state + TL_STATE_LEFT_OUT);
        shared->state_begin = begin;
        shared->state_ended = ended;
        shared->state_bad_ids = bad_ids;
        shared->state_left_out = left_out;
    }
}

/*
 * A phase of the last block: behind all that the step has done. The status is written here alone, since a fence would
 * wait for what lies beyond the bus.
 */
TL_FN void tl_end_step(
    struct tl_place *place, const struct tl_step_shared *shared, const struct tl_step_arguments *arguments,
    const struct tl_step *step, const int is_combine)
{
    TL_MEET();
    TL_EACH_THREAD(place)
    {
        if (0 == place->thread)
        {
            tl_tell8(place, arguments->status + TL_STATUS_END, tl_now_ns());
            tl_tell8(place, arguments->status + TL_STATUS_BEGIN, shared->state_begin);
            tl_tell8(place, arguments->status + TL_STATUS_CALL, step->call);
            tl_store4(place, arguments->status + TL_STATUS_BAD_IDS, shared->state_bad_ids);
            tl_store8(place, arguments->state + TL_STATE_ENDED, shared->state_ended + 1);
            tl_store8(place, arguments->state + TL_STATE_CALL, step->call);
            if (is_combine)
            {
                tl_store4(place, arguments->status + TL_STATUS_LEFT_OUT, shared->state_left_out);
                tl_store4(place, arguments->state + TL_STATE_LEFT_OUT, 0);
            }

            tl_fence_system();
            tl_tell8(place, arguments->status + TL_STATUS_ENDED, shared->state_ended + 1);
            if (0 != arguments->position)
            {
                tl_tell8(place, arguments->completed, arguments->position);
            }
        }
    }
}

/* ---- BUCKET ---- */

/* By one thread: a selection becomes none where its expert is not there, or its token has it already. Whether it did. */
TL_FN int tl_clean_id(
    struct tl_step_shared *shared, const struct tl_step_arguments *arguments, const uint32_t i)
{
    const int32_t expert = shared->ids[i];
    int is_bad = TL_BAD_ID == expert;
    TL_NO_UNROLL
    for (uint32_t k = i - i % arguments->call.topk; k < i; k++)
    {
        /* The first of equal ones stays, so that it does not matter which of the others has gone by now. */
        is_bad |= expert >= 0 && expert == shared->ids[k];
    }

    if (is_bad)
    {
        shared->ids[i] = -1;
    }

    return is_bad;
}

/* Phases: ids of tokens [first, end), as the experts that they select; -1 for none. */
TL_FN void tl_load_clean_ids(
    struct tl_place *place, struct tl_step_shared *shared, const struct tl_step_arguments *arguments,
    struct tl_step *step, const uint32_t first, const uint32_t end)
{
    step->ids_first = first;
    step->ids_end = end;
    TL_EACH_THREAD(place)
    {
        tl_load_ids(place, shared, arguments, first, end);
    }

    TL_MEET();
    TL_EACH_THREAD(place)
    {
        for (uint32_t i = place->thread; i < (end - first) * arguments->call.topk; i += place->threads)
        {
            tl_clean_id(shared, arguments, i);
        }
    }

    TL_MEET();
}

/* Owner of a selection whose token selects no expert of it before; else as many as there are ranks. */
TL_FN uint32_t tl_first_of_owner(
    const struct tl_step_shared *shared, const struct tl_step_arguments *arguments, const uint32_t i)
{
    if (shared->ids[i] < 0)
    {
        return arguments->ranks;
    }

    const uint32_t owner = (uint32_t)shared->ids[i] / arguments->local;
    for (uint32_t k = i - i % arguments->call.topk; k < i; k++)
    {
        if (shared->ids[k] >= 0 && (uint32_t)shared->ids[k] / arguments->local == owner)
        {
            return arguments->ranks;
        }
    }

    return owner;
}

/* A phase: cleans and counts what is in shared memory. */
TL_FN void tl_count_ids(
    const struct tl_place *place, struct tl_step_shared *shared, const struct tl_step_arguments *arguments,
    const struct tl_step *step)
{
    const uint32_t topk = arguments->call.topk;
    for (uint32_t i = place->thread; i < (step->ids_end - step->ids_first) * topk; i += place->threads)
    {
        const int is_ahead = step->ids_first + i / topk < step->first;
        if (tl_clean_id(shared, arguments, i))
        {
            tl_add_shared(&shared->bad_ids, 1);
        }

        const int32_t expert = shared->ids[i];
        if (expert >= 0 && is_ahead)
        {
            tl_add_shared(&shared->run[expert], 1);
        }

        if (expert >= 0 && 0 == place->block)
        {
            tl_add_shared(&shared->parts.order.count[expert], 1);
        }

        const uint32_t owner = step->is_slots ? tl_first_of_owner(shared, arguments, i) : arguments->ranks;
        if (owner < arguments->ranks)
        {
            tl_add_shared(&shared->slots[owner], 1);
            tl_add_shared(&shared->ahead[owner], is_ahead ? 1 : 0);
        }
    }
}

/* Selections ahead of the block's tokens; of all tokens for block 0, or where slots are filled. */
TL_FN void tl_bucket(
    struct tl_place *place, struct tl_step_shared *shared, const struct tl_step_arguments *arguments,
    struct tl_step *step)
{
    const uint32_t until = 0 == place->block || step->is_slots ? step->tokens : step->end;
    const uint32_t most = tl_most_ids(arguments);
    TL_NO_UNROLL
    for (uint32_t first = 0; first < until; first += most)
    {
        step->ids_first = first;
        step->ids_end = (uint32_t)tl_least(first + most, until);
        if (0 != first)
        {
            TL_EACH_THREAD(place)
            {
                tl_load_ids(place, shared, arguments, first, step->ids_end);
            }

            TL_MEET();
        }

        TL_EACH_THREAD(place)
        {
            tl_count_ids(place, shared, arguments, step);
        }

        TL_MEET();
    }

    TL_EACH_THREAD(place)
    {
        if (0 == place->block && 0 == place->thread)
        {
            tl_store4(place, arguments->state + TL_STATE_TOKENS, step->tokens);
            tl_store4(place, arguments->state + TL_STATE_PLACEMENT, arguments->call.placement);
            tl_store4(place, arguments->state + TL_STATE_BAD_IDS, shared->bad_ids);
        }
    }
}

/* ---- COUNTS and STARTS, by block 0 ---- */

TL_FN void tl_tell_counts(
    struct tl_place *place, struct tl_step_shared *shared, const struct tl_step_arguments *arguments,
    const struct tl_step *step)
{
    TL_EACH_THREAD(place)
    {
        for (uint32_t i = place->thread; i < arguments->ranks * arguments->most_local; i += place->threads)
        {
            const uint32_t owner = i / arguments->most_local;
            const uint32_t local = i % arguments->most_local;
            const uint32_t count = local < arguments->local ?
                shared->parts.order.count[owner * arguments->local + local] : 0;
            if (tl_is_far(shared, step->has_far, owner))
            {
                if (step->is_slots && 0 == shared->state[owner])
                {
                    tl_write_send(place, shared, arguments, owner,
                        tl_send_index(shared, step->parity, owner, arguments->most_local, local) * 8, step->call,
                        arguments->check << TL_COUNT_BITS | count);
                }
            }
            else if (0 == shared->state[owner] && (!step->has_far || TL_PART_FIRST != arguments->part))
            {
                tl_tell(place, shared, owner,
                    tl_word_at(arguments, 0, step->parity, arguments->own, arguments->most_local, local), step->call,
                    arguments->check << TL_COUNT_BITS | count);
            }
        }

        /* By a thread that has no counts to look for afterwards, if there is one. */
        if (place->threads - 1 == place->thread)
        {
            tl_release8(place, arguments->state + TL_STATE_LEASES, step->call);
            tl_give_signs(place, shared, arguments, step->has_far, step->told_ns);
        }
    }
}

/* Phases behind tl_tell_counts: far ranks get their counts ahead of rows, and it is kept how many answers they owe. */
TL_FN void tl_post_counts(
    struct tl_place *place, struct tl_step_shared *shared, const struct tl_step_arguments *arguments,
    const struct tl_step *step)
{
    TL_MEET();
    TL_EACH_THREAD(place)
    {
        const uint32_t rank = place->thread;
        if (rank < arguments->ranks && 0 != shared->far[rank])
        {
            uint32_t asked = 0;
            for (uint32_t local = 0; local < arguments->local; local++)
            {
                asked += shared->parts.order.count[rank * arguments->local + local];
            }

            tl_store4(place, tl_rank_at(arguments, rank, TL_RANK_ASKED), asked);
            if (0 == shared->state[rank])
            {
                tl_fence_system();
                tl_post(place, shared, arguments, rank, TL_POST_COUNTS, step->parity, 0, arguments->most_local,
                    4);
            }
        }
    }
}

/* A phase: a count of a source, and whether it is of a call as this one. */
TL_FN void tl_take_count(
    const struct tl_place *place, struct tl_step_shared *shared, const struct tl_step_arguments *arguments,
    const uint32_t i, const uint32_t value)
{
    const uint32_t count = value & ((1u << TL_COUNT_BITS) - 1);
    if (value >> TL_COUNT_BITS != arguments->check || count > arguments->most_tokens)
    {
        const uint32_t source = i / arguments->most_local;
        tl_mask(place, arguments, source, TL_OTHER_CALL, TL_OP_STARTS);
        shared->state[source] = 1;
    }

    shared->parts.order.taken[i] = count;
}

/* Rows of a source for an expert. */
TL_FN uint32_t tl_rows_of(
    const struct tl_step_shared *shared, const struct tl_step_arguments *arguments, const uint32_t source,
    const uint32_t local)
{
    return 0 == shared->state[source] && local < arguments->local ?
        shared->parts.order.taken[source * arguments->most_local + local] : 0;
}

/*
 * A phase: rows of an expert come by source. Sources are told where theirs begin; the caller sees ranges and counts.
 * packs is 0, or where starts go as well.
 */
TL_FN void tl_tell_starts(
    const struct tl_place *place, const struct tl_step_shared *shared, const struct tl_step_arguments *arguments,
    const struct tl_step *step, const uint64_t packs)
{
    const struct tl_vector output = tl_output(place, shared, arguments, arguments->own, arguments->call.output);
    const uint64_t info = tl_high8(output);
    for (uint32_t i = place->thread; i < arguments->ranks * arguments->most_local; i += place->threads)
    {
        const uint32_t source = i / arguments->most_local;
        const uint32_t local = i % arguments->most_local;
        uint32_t start = 0;
        TL_NO_UNROLL
        for (uint32_t before = 0; before < source; before++)
        {
            start += tl_rows_of(shared, arguments, before, local);
        }

        if (0 == shared->state[source] && !tl_is_far(shared, step->has_far, source))
        {
            tl_tell(place, shared, source,
                tl_word_at(arguments, arguments->starts, step->parity, arguments->own, arguments->most_local, local),
                step->call, arguments->call.output << TL_ROW_BITS | start);
        }

        if (local < arguments->local)
        {
            const uint32_t rows = tl_rows_of(shared, arguments, source, local);
            tl_store8(place, info + arguments->ranges_at + ((uint64_t)local * arguments->ranks + source) * 8,
                (uint64_t)start << 32 | rows);
            if (arguments->ranks - 1 == source)
            {
                tl_store4(place, info + arguments->totals_at + (uint64_t)local * 4, start + rows);
            }
        }

        if (0 != packs)
        {
            tl_store4(place, packs + (uint64_t)i * 4, start);
        }
    }
}

TL_FN void tl_order(
    struct tl_place *place, struct tl_step_shared *shared, const struct tl_step_arguments *arguments,
    const struct tl_step *step)
{
    TL_EACH_THREAD(place)
    {
        for (uint32_t i = place->thread; i < arguments->ranks * arguments->most_local; i += place->threads)
        {
            const uint32_t source = i / arguments->most_local;
            const uint64_t offset = tl_word_at(
                arguments, 0, step->parity, source, arguments->most_local, i % arguments->most_local);
            uint32_t value;
            if (0 == shared->state[source] &&
                tl_await(place, shared, arguments, step, source, offset, TL_OP_STARTS, &value, 0))
            {
                tl_take_count(place, shared, arguments, i, value);
            }
        }
    }

    TL_MEET();
    TL_EACH_THREAD(place)
    {
        const uint32_t rank = place->thread;
        if (TL_RARELY(rank < arguments->ranks && 0 != shared->state[rank] &&
            0 != tl_load4(place, tl_rank_at(arguments, rank, TL_RANK_GRANTED))))
        {
            /* It may still write to the places of an earlier call. */
            while (tl_is_grant_open(
                place, shared, arguments, rank, tl_load8(place, arguments->state + TL_STATE_GRANTED_NS)))
            {
                tl_give_signs(place, shared, arguments, step->has_far, tl_now_ns());
                tl_rest();
            }

            tl_store4(place, tl_rank_at(arguments, rank, TL_RANK_GRANTED), 0);
        }
    }

    TL_MEET();
    TL_EACH_THREAD(place)
    {
        tl_tell_starts(place, shared, arguments, step, step->has_far ? arguments->packs : 0);
        if (place->thread < arguments->ranks && 0 == shared->state[place->thread] &&
            !tl_is_far(shared, step->has_far, place->thread))
        {
            tl_store4(place, tl_rank_at(arguments, place->thread, TL_RANK_GRANTED), 1);
        }
    }

    TL_MEET();
    TL_EACH_THREAD(place)
    {
        if (0 == place->thread)
        {
            /* No data goes with it: other blocks learn from when on their own waits count. */
            tl_store8(place, arguments->state + TL_STATE_STARTED, step->call);
            tl_store8(place, arguments->state + TL_STATE_GRANTED_NS, tl_now_ns());
        }
    }
}

/* ---- PLACE ---- */

/* Tokens that a block deals with at a time. */
TL_FN uint32_t tl_tokens_at_once(const struct tl_step_arguments *arguments, const uint32_t groups)
{
    const uint32_t targets = TL_STEP_TARGETS / arguments->call.topk;
    const uint32_t tokens = (uint32_t)tl_least(targets, TL_STEP_ROWS);
    return 0 == groups ? tokens : (uint32_t)tl_least(tokens, TL_STEP_SCALES / groups);
}

/* Where the rows and scales of a place are. */
TL_FN void tl_point_at(
    const struct tl_step_arguments *arguments, const struct tl_step *step, struct tl_step_target *target,
    const struct tl_vector output, const uint32_t local, const uint32_t row)
{
    const uint32_t hidden = arguments->call.hidden;
    const uint32_t rows = arguments->ranks * arguments->most_tokens;
    const uint64_t place = (uint64_t)local * rows + row;
    const uint32_t groups = hidden / 128;
    const uint32_t words = arguments->call.scales & TL_SCALES_PACKED ? (groups + 3) / 4 : groups;
    const int is_by_column = 0 != (arguments->call.scales & TL_SCALES_BY_COLUMN);
    target->row = tl_low8(output) + place * hidden * (step->is_fp8 ? 1 : 2);
    target->info = tl_high8(output) + place * 4;
    target->scale_stride = is_by_column ? rows * 4 : 4;
    target->scales = tl_low8(output) + arguments->scales_at +
        (is_by_column ? (uint64_t)local * words * rows + row : place * words) * 4;
}

/* By one thread: the final place of a selection, once its owner has said where rows begin. */
TL_FN void tl_find_place(
    const struct tl_place *place, struct tl_step_shared *shared, const struct tl_step_arguments *arguments,
    const struct tl_step *step, struct tl_step_target *target, const uint32_t at, const int32_t expert,
    const uint32_t slot)
{
    const uint32_t owner = (uint32_t)expert / arguments->local;
    const uint32_t local = (uint32_t)expert % arguments->local;
    uint32_t where = 0;
    uint32_t value;
    uint64_t known_ns = shared->lease[owner];
    if (0 == shared->state[owner] && tl_await(place, shared, arguments, step, owner,
        tl_word_at(arguments, arguments->starts, step->parity, owner, arguments->most_local, local), TL_OP_PLACE,
        &value, &known_ns))
    {
        const struct tl_vector output = tl_output(place, shared, arguments, owner, value >> TL_ROW_BITS);
        const uint32_t row = (value & ((1u << TL_ROW_BITS) - 1)) + slot;
        if (0 == tl_low8(output))
        {
            tl_mask(place, arguments, owner, TL_OTHER_CALL, TL_OP_PLACE);
            shared->state[owner] = 1;
        }
        else if (!tl_is_late(place, shared, arguments, step, owner, known_ns, TL_OP_PLACE))
        {
            tl_point_at(arguments, step, target, output, local, row);
            where = local * arguments->ranks * arguments->most_tokens + row + 1;
        }
    }

    tl_step_select(place, arguments, at, expert, where);
}

/* By one thread: the slot at an owner of a token's row, with a header that says which places it has there. */
TL_FN void tl_find_slot(
    const struct tl_step_shared *shared, const struct tl_step_arguments *arguments,
    const struct tl_step *step, struct tl_step_target *target, const uint32_t owner, const uint32_t slot)
{
    const uint64_t index =
        ((uint64_t)step->parity * arguments->ranks + arguments->own) * arguments->most_tokens + slot;
    target->row = tl_is_far(shared, step->has_far, owner) ? arguments->send_rows +
        tl_send_index(shared, step->parity, owner, arguments->most_tokens, slot) * arguments->row_stride :
        shared->slots_at[owner] + index * arguments->row_stride;
    target->slot = slot;
    target->info = 0;
    target->scales = target->row + arguments->call.hidden;
    target->scale_stride = 4;
}

/* A phase: headers of the slots, once the slot of each selection among those of its expert is known. */
TL_FN void tl_write_headers(
    const struct tl_place *place, const struct tl_step_shared *shared, const struct tl_step_arguments *arguments,
    const struct tl_step *step, const uint32_t base, const uint32_t targets)
{
    const uint32_t topk = arguments->call.topk;
    for (uint32_t i = place->thread; i < targets; i += place->threads)
    {
        const struct tl_step_target *const target = &shared->parts.batch.target[i];
        if (0 == target->row)
        {
            continue;
        }

        const uint32_t owner = (uint32_t)shared->ids[base + i] / arguments->local;
        const uint64_t index = ((uint64_t)step->parity * arguments->ranks + arguments->own) * arguments->most_tokens;
        const uint64_t header = tl_is_far(shared, step->has_far, owner) ?
            arguments->send_control + arguments->send_headers + tl_send_index(shared, step->parity, owner,
            arguments->most_tokens, target->slot) * arguments->header_bytes :
            shared->words[owner] + arguments->headers + (index + target->slot) * arguments->header_bytes;
        uint32_t places = 0;
        for (uint32_t k = i - i % topk; k < i - i % topk + topk; k++)
        {
            const int32_t expert = shared->ids[base + k];
            if (expert >= 0 && (uint32_t)expert / arguments->local == owner)
            {
                tl_store4(place, header + 8 + places * 4,
                    (uint32_t)expert % arguments->local << 16 | shared->slot[k]);
                places++;
            }
        }

        tl_store4(place, header, target->token);
        tl_store4(place, header + 4, places);
    }
}

/* A phase: the slot of each of some selections among those of its expert. base: the first one in shared memory. */
TL_FN void tl_find_slots(
    const struct tl_place *place, struct tl_step_shared *shared, const struct tl_step_arguments *arguments,
    const uint32_t base, const uint32_t count)
{
    for (uint32_t i = place->thread; i < count; i += place->threads)
    {
        const int32_t expert = shared->ids[base + i];
        uint32_t slot = expert < 0 ? 0 : shared->run[expert];
        const uint32_t ahead = i - i % arguments->call.topk;
        TL_NO_UNROLL
        for (uint32_t earlier = 0; earlier < ahead; earlier++)
        {
            slot += expert == shared->ids[base + earlier] ? 1 : 0;
        }

        shared->slot[i] = slot;
    }
}

/* By one thread: selections of experts of a far rank ahead of one; their answers come in this order. */
TL_FN uint32_t tl_asked_ahead(
    const struct tl_step_shared *shared, const struct tl_step_arguments *arguments, const uint32_t base,
    const uint32_t i, const uint32_t owner)
{
    uint32_t ahead = 0;
    TL_NO_UNROLL
    for (uint32_t local = 0; local < arguments->local; local++)
    {
        ahead += shared->run[owner * arguments->local + local];
    }

    TL_NO_UNROLL
    for (uint32_t earlier = 0; earlier < i; earlier++)
    {
        const int32_t expert = shared->ids[base + earlier];
        ahead += expert >= 0 && (uint32_t)expert / arguments->local == owner ? 1 : 0;
    }

    return ahead;
}

/* A phase: where each selection of tokens [first, first + count) goes, once the same thread has found its slot. */
TL_FN void tl_find_targets(
    const struct tl_place *place, struct tl_step_shared *shared, const struct tl_step_arguments *arguments,
    const struct tl_step *step, const uint32_t first, const uint32_t count, const uint32_t base)
{
    const uint32_t topk = arguments->call.topk;
    if (place->thread < count)
    {
        shared->parts.batch.row[place->thread].first = place->thread * topk;
        shared->parts.batch.row[place->thread].end = (place->thread + 1) * topk;
    }

    for (uint32_t i = place->thread; i < count * topk; i += place->threads)
    {
        struct tl_step_target *const target = &shared->parts.batch.target[i];
        const int32_t expert = shared->ids[base + i];
        const uint32_t at = first * topk + i;
        target->row = 0;
        target->token = first + i / topk;
        target->index = i / topk;
        if (expert < 0)
        {
            tl_step_select(place, arguments, at, -1, 0);
            continue;
        }

        const int is_far = tl_is_far(shared, step->has_far, (uint32_t)expert / arguments->local);
        if (!step->is_slots)
        {
            if (!is_far)
            {
                tl_find_place(place, shared, arguments, step, target, at, expert, shared->slot[i]);
            }

            continue;
        }

        tl_step_select(place, arguments, at, expert, is_far ?
            tl_asked_ahead(shared, arguments, base, i, (uint32_t)expert / arguments->local) + 1 : shared->slot[i]);
        const uint32_t owner = tl_first_of_owner(shared, arguments, base + i);
        if (owner < arguments->ranks && 0 == shared->state[owner] &&
            (!step->has_far || is_far || TL_PART_FIRST != arguments->part))
        {
            uint32_t filled = shared->ahead[owner];
            for (uint32_t earlier = 0; earlier < i - i % topk; earlier++)
            {
                filled += owner == tl_first_of_owner(shared, arguments, base + earlier) ? 1 : 0;
            }

            tl_find_slot(shared, arguments, step, target, owner, filled);
        }
    }
}

/* A phase: tokens behind these come behind their selections. */
TL_FN void tl_run_ahead(
    const struct tl_place *place, struct tl_step_shared *shared, const struct tl_step_arguments *arguments,
    const struct tl_step *step, const uint32_t base, const uint32_t count)
{
    for (uint32_t i = place->thread; i < count; i += place->threads)
    {
        if (shared->ids[base + i] >= 0)
        {
            tl_add_shared(&shared->run[shared->ids[base + i]], 1);
        }

        const uint32_t owner =
            step->is_slots ? tl_first_of_owner(shared, arguments, base + i) : arguments->ranks;
        if (owner < arguments->ranks)
        {
            tl_add_shared(&shared->ahead[owner], 1);
        }
    }
}

TL_FN struct tl_step_rows tl_rows_of_tokens(
    const struct tl_step_arguments *arguments, const struct tl_step *step, const uint32_t first, const uint32_t count)
{
    const uint32_t hidden = arguments->call.hidden;
    struct tl_step_rows rows;
    rows.stride = (uint64_t)hidden * 2;
    rows.base = arguments->call.x + first * rows.stride;
    rows.count = count;
    rows.is_cast = step->is_fp8;
    rows.units = hidden / (rows.is_cast ? 16 : 8);
    rows.is_power_of_two = 0 != arguments->call.format;
    return rows;
}

/* Rows that a block deals with first. */
TL_FN struct tl_step_rows tl_first_rows(const struct tl_step_arguments *arguments, const struct tl_step *step)
{
    const uint32_t groups = step->is_fp8 ? arguments->call.hidden / 128 : 0;
    return tl_rows_of_tokens(arguments, step, step->first,
        (uint32_t)tl_least(step->end - step->first, tl_tokens_at_once(arguments, groups)));
}

/* A phase ahead of tl_place_rows: what it does first that waits for no other rank. */
TL_FN void tl_begin_rows(
    struct tl_place *place, struct tl_step_shared *shared, const struct tl_step_arguments *arguments,
    const struct tl_step *step, struct tl_step_ahead *ahead)
{
    const struct tl_step_rows rows = tl_first_rows(arguments, step);
    TL_EACH_THREAD(place)
    {
        if (step->first >= step->ids_first && step->first + rows.count <= step->ids_end)
        {
            tl_find_slots(place, shared, arguments, (step->first - step->ids_first) * arguments->call.topk,
                rows.count * arguments->call.topk);
        }

        tl_read_ahead(place, shared, &rows, ahead);
    }
}

/* Rows of all tokens of the block. */
TL_FN void tl_place_rows(
    struct tl_place *place, struct tl_step_shared *shared, const struct tl_step_arguments *arguments,
    struct tl_step *step, const struct tl_step_ahead *ahead, const int is_ahead)
{
    const uint32_t topk = arguments->call.topk;
    const uint32_t groups = step->is_fp8 ? arguments->call.hidden / 128 : 0;
    const uint32_t most = tl_tokens_at_once(arguments, groups);
    const int is_packed = !step->is_slots && 0 != (arguments->call.scales & TL_SCALES_PACKED);
    TL_NO_UNROLL
    for (uint32_t first = step->first; first < step->end; first += most)
    {
        const uint32_t count = (uint32_t)tl_least(most, step->end - first);
        const int is_begun = is_ahead && first == step->first;
        int has_slots = is_begun;
        if (first < step->ids_first || first + count > step->ids_end)
        {
            tl_load_clean_ids(place, shared, arguments, step, first, first + count);
            has_slots = 0;
        }

        const uint32_t base = (first - step->ids_first) * topk;
        const struct tl_step_rows rows = tl_rows_of_tokens(arguments, step, first, count);
        if (!has_slots)
        {
            TL_EACH_THREAD(place)
            {
                tl_find_slots(place, shared, arguments, base, count * topk);
            }
        }

        TL_EACH_THREAD(place)
        {
            tl_find_targets(place, shared, arguments, step, first, count, base);
        }

        TL_MEET();
        if (step->is_slots)
        {
            TL_EACH_THREAD(place)
            {
                tl_write_headers(place, shared, arguments, step, base, count * topk);
            }
        }

        if (first + count < step->end)
        {
            TL_EACH_THREAD(place)
            {
                tl_run_ahead(place, shared, arguments, step, base, count * topk);
            }
        }

        tl_spread_batch(place, shared, &rows, ahead, is_begun, count * topk, groups, is_packed);
    }
}

/* ---- TELL and AWAIT ---- */

/*
 * Phases, once all threads have met: each block tells the ranks that it has not left out. Whether this block is the
 * last one that does.
 */
TL_FN int tl_tell_all(
    struct tl_place *place, struct tl_step_shared *shared, const struct tl_step_arguments *arguments,
    struct tl_step *step, const uint64_t array, const int is_counted)
{
    step->told_ns = tl_now_ns();
    TL_EACH_THREAD(place)
    {
        const uint32_t rank = place->thread;
        if (rank < arguments->ranks)
        {
            tl_fence_system();
            if (0 == shared->state[rank] && !tl_is_far(shared, step->has_far, rank) &&
                (!step->has_far || TL_PART_FIRST != arguments->part))
            {
                tl_tell(place, shared, rank,
                    tl_word_at(arguments, array, step->parity, arguments->own, place->blocks, place->block),
                    step->call, is_counted ? shared->slots[rank] : 0);
            }
        }

        if (0 == rank)
        {
            shared->is_last = tl_take_ticket(place, arguments);
        }
    }

    TL_MEET();
    return 0 != shared->is_last;
}

/* Phases: words of all blocks of all ranks that take part; slots, if need be, of each source. */
TL_FN void tl_await_all(
    struct tl_place *place, struct tl_step_shared *shared, const struct tl_step_arguments *arguments,
    const struct tl_step *step, const uint64_t array)
{
    TL_EACH_THREAD(place)
    {
        /* Those that other blocks have left out, while other threads look for words. */
        const uint32_t masked = place->threads - 1 - place->thread;
        if (masked < arguments->ranks && 0 != tl_load4(place, tl_rank_at(arguments, masked, TL_RANK_STATE)))
        {
            shared->state[masked] = 1;
        }

        for (uint32_t i = place->thread; i < arguments->ranks * place->blocks; i += place->threads)
        {
            const uint32_t rank = i / place->blocks;
            uint32_t value;
            if (0 == shared->state[rank] && !tl_is_far(shared, step->has_far, rank) &&
                tl_await(place, shared, arguments, step, rank,
                tl_word_at(arguments, array, step->parity, rank, place->blocks, i % place->blocks), TL_OP_AWAIT,
                &value, 0))
            {
                shared->slots[rank] = value;
            }
        }
    }

    TL_MEET();
}

/* A phase: who takes part is done with what it was granted; who does not has no rows that anybody may look at. */
TL_FN void tl_end_grants(
    const struct tl_place *place, const struct tl_step_shared *shared, const struct tl_step_arguments *arguments)
{
    const uint32_t rank = place->thread;
    if (rank >= arguments->ranks)
    {
        return;
    }

    if (0 == shared->state[rank])
    {
        tl_store4(place, tl_rank_at(arguments, rank, TL_RANK_GRANTED), 0);
        return;
    }

    const uint64_t ranges =
        tl_high8(tl_output(place, shared, arguments, arguments->own, arguments->call.output)) + arguments->ranges_at;
    for (uint32_t local = 0; local < arguments->local; local++)
    {
        tl_store4(place, ranges + ((uint64_t)local * arguments->ranks + rank) * 8, 0);
    }
}

/* A phase: leases of answers. Nobody grants them before it has the words of all blocks, and so of this one. */
TL_FN void tl_begin_leases(
    const struct tl_place *place, const struct tl_step_arguments *arguments, const struct tl_step *step)
{
    const uint32_t rank = place->thread;
    if (rank < arguments->ranks)
    {
        tl_store8(place, tl_rank_at(arguments, rank, TL_RANK_NOT_GRANTED), step->told_ns);
        tl_store8(place, tl_rank_at(arguments, rank, TL_RANK_RENEWED), step->told_ns);
    }
}

/* ---- programs ---- */

/* is_fp8 is that of the call: where the compiler knows it, it makes half of the code. */
TL_FN void tl_step_dispatch_block(
    struct tl_place *place, struct tl_step_shared *shared, const struct tl_step_arguments *arguments, const int is_fp8,
    const int has_far)
{
    struct tl_step step = tl_begin_step(place, shared, arguments, 1, 1, 0, has_far);
    struct tl_step_ahead ahead;
    step.is_fp8 = is_fp8;
    tl_bucket(place, shared, arguments, &step);
    if (0 == place->block)
    {
        tl_tell_counts(place, shared, arguments, &step);
    }

    tl_begin_rows(place, shared, arguments, &step, &ahead);
    if (0 == place->block)
    {
        tl_order(place, shared, arguments, &step);
    }

    /* Block 0 does this late, since all wait for the starts. */
    TL_EACH_THREAD(place)
    {
        const struct tl_step_rows rows = tl_first_rows(arguments, &step);
        tl_cast_ahead(place, shared, &rows, &ahead);
    }

    tl_place_rows(place, shared, arguments, &step, &ahead, 1);
    if (!tl_tell_all(place, shared, arguments, &step, arguments->done, 0))
    {
        return;
    }

    TL_EACH_THREAD(place)
    {
        tl_begin_leases(place, arguments, &step);
        tl_load_end(place, shared, arguments);
    }

    tl_await_all(place, shared, arguments, &step, arguments->done);
    TL_EACH_THREAD(place)
    {
        tl_end_grants(place, shared, arguments);
    }

    if (has_far)
    {
        /* The launch that packs the rows of far ranks ends the step. */
        TL_EACH_THREAD(place)
        {
            if (0 == place->thread)
            {
                tl_store8(place, arguments->state + TL_STATE_CALL, step.call);
            }
        }

        return;
    }

    tl_end_step(place, shared, arguments, &step, 0);
}

/* ---- SEND_FAR of rows ---- */

/* By one thread of the last block: entries of a far rank's rows, by chunk, each with its word behind. */
TL_FN void tl_post_rows(
    const struct tl_place *place, const struct tl_step_shared *shared, const struct tl_step_arguments *arguments,
    const struct tl_step *step, const uint32_t rank)
{
    const uint32_t each = arguments->chunk_rows;
    const uint32_t rows = shared->slots[rank];
    const uint32_t hidden = arguments->call.hidden;
    const uint32_t row_bytes = 0 != arguments->call.is_fp8 ? hidden + hidden / 32 : hidden * 2;
    for (uint32_t chunk = 0; 0 == chunk || chunk * each < rows; chunk++)
    {
        tl_write_send(place, shared, arguments, rank,
            arguments->send_landed + tl_send_index(shared, step->parity, rank, TL_CHUNKS, chunk) * 8, step->call, rows);
    }

    tl_fence_system();
    for (uint32_t chunk = 0; 0 == chunk || chunk * each < rows; chunk++)
    {
        const uint32_t first = chunk * each;
        if (rows > first)
        {
            const uint32_t count = (uint32_t)tl_least(each, rows - first);
            tl_post(place, shared, arguments, rank, TL_POST_HEADERS, step->parity, first, count, 4);
            tl_post(place, shared, arguments, rank, TL_POST_ROWS, step->parity, first, count, row_bytes);
        }

        tl_post(place, shared, arguments, rank, TL_POST_ROWS_TOLD, step->parity, chunk, 0, 4);
    }
}

/* Phases of the last block, behind its posts. */
TL_FN void tl_end_posts(struct tl_place *place, const struct tl_step_arguments *arguments)
{
    TL_MEET();
    TL_EACH_THREAD(place)
    {
        if (0 == place->thread)
        {
            tl_store8(place, arguments->state + TL_STATE_OWED, tl_look8(place, arguments->state + TL_STATE_POSTED));
        }
    }
}

/* Phases: send blocks may be written. */
TL_FN void tl_begin_posts(
    struct tl_place *place, struct tl_step_shared *shared, const struct tl_step_arguments *arguments)
{
    TL_EACH_THREAD(place)
    {
        if (0 == place->thread)
        {
            tl_await_posts(place, shared, arguments);
        }
    }

    TL_MEET();
}

/* All of a sending half; or, as the first part of a dispatch, what goes to far ranks. */
TL_FN void tl_step_send_block(
    struct tl_place *place, struct tl_step_shared *shared, const struct tl_step_arguments *arguments,
    const int has_far)
{
    const struct tl_step_ahead none = {};
    struct tl_step step = tl_begin_step(place, shared, arguments, 1, 1, 1, has_far);
    if (has_far)
    {
        tl_begin_posts(place, shared, arguments);
    }

    tl_bucket(place, shared, arguments, &step);
    if (0 == place->block)
    {
        tl_tell_counts(place, shared, arguments, &step);
        if (has_far)
        {
            tl_post_counts(place, shared, arguments, &step);
        }

        TL_MEET();
    }

    tl_place_rows(place, shared, arguments, &step, &none, 0);
    if (!tl_tell_all(place, shared, arguments, &step, arguments->done, 1))
    {
        return;
    }

    if (has_far)
    {
        TL_EACH_THREAD(place)
        {
            const uint32_t rank = place->thread;
            if (tl_may_post(place, shared, arguments, rank))
            {
                tl_post_rows(place, shared, arguments, &step, rank);
            }
        }

        tl_end_posts(place, arguments);
        if (TL_PART_FIRST == arguments->part)
        {
            return;
        }
    }

    TL_EACH_THREAD(place)
    {
        tl_begin_leases(place, arguments, &step);
        tl_load_end(place, shared, arguments);
    }

    tl_end_step(place, shared, arguments, &step, 0);
}

/* A phase: how many rows have come from far ranks. */
TL_FN void tl_await_rows(
    const struct tl_place *place, struct tl_step_shared *shared, const struct tl_step_arguments *arguments,
    const struct tl_step *step)
{
    const uint32_t rank = place->thread;
    if (rank < arguments->ranks && 0 != shared->far[rank] && 0 == shared->state[rank])
    {
        tl_await_chunks(place, shared, arguments, step, arguments->landed, arguments->chunk_rows, 0);
    }
}

/* By block 0 in the last part of a dispatch: rows of far ranks, whose starts are known. */
TL_FN void tl_order_far(
    struct tl_place *place, struct tl_step_shared *shared, const struct tl_step_arguments *arguments,
    const struct tl_step *step)
{
    TL_EACH_THREAD(place)
    {
        tl_await_rows(place, shared, arguments, step);
    }

    TL_MEET();
    TL_EACH_THREAD(place)
    {
        const uint32_t rank = place->thread;
        if (rank < arguments->ranks)
        {
            if (0 != shared->far[rank])
            {
                tl_end_grants(place, shared, arguments);
            }

            tl_store4(place, tl_rank_at(arguments, rank, TL_RANK_SLOTS),
                0 != shared->far[rank] && 0 == shared->state[rank] ?
                (uint32_t)tl_least(shared->slots[rank], arguments->most_tokens) : 0);
        }
    }
}

/* By block 0: which rows have come, and where they go, for all blocks. */
TL_FN void tl_order_slots(
    struct tl_place *place, struct tl_step_shared *shared, const struct tl_step_arguments *arguments,
    const struct tl_step *step)
{
    tl_await_all(place, shared, arguments, step, arguments->done);
    if (step->has_far)
    {
        TL_EACH_THREAD(place)
        {
            tl_await_rows(place, shared, arguments, step);
        }

        TL_MEET();
    }

    TL_EACH_THREAD(place)
    {
        for (uint32_t i = place->thread; i < arguments->ranks * arguments->most_local; i += place->threads)
        {
            const uint32_t source = i / arguments->most_local;
            if (0 == shared->state[source])
            {
                const uint64_t word = tl_look8(place, tl_heard(shared, arguments, step->has_far, source) +
                    tl_word_at(arguments, 0, step->parity, source, arguments->most_local, i % arguments->most_local));
                /* Counts were told ahead of rows: where they are not there, another call was made. */
                tl_take_count(place, shared, arguments, i,
                    tl_is_of(word, shared->generation[source], step->call) ? (uint32_t)word : ~arguments->check << 16);
            }
        }
    }

    TL_MEET();
    TL_EACH_THREAD(place)
    {
        tl_tell_starts(place, shared, arguments, step, arguments->packs);
        if (place->thread < arguments->ranks)
        {
            const uint32_t slots = 0 == shared->state[place->thread] ? shared->slots[place->thread] : 0;
            tl_store4(place, tl_rank_at(arguments, place->thread, TL_RANK_SLOTS),
                (uint32_t)tl_least(slots, arguments->most_tokens));
        }
    }
}

/* By one thread: a slot, by its number among those of all sources, as a row of the batch. */
TL_FN void tl_find_row(
    const struct tl_place *place, struct tl_step_shared *shared, const struct tl_step_arguments *arguments,
    const struct tl_step *step, const uint32_t row, const uint32_t number)
{
    const uint32_t topk = arguments->call.topk;
    const struct tl_vector output = tl_output(place, shared, arguments, arguments->own, arguments->call.output);
    uint32_t source = 0;
    uint32_t slot = number;
    while (slot >= shared->slots[source])
    {
        slot -= shared->slots[source];
        source++;
    }

    const uint64_t index = ((uint64_t)step->parity * arguments->ranks + source) * arguments->most_tokens + slot;
    const uint64_t header =
        tl_heard(shared, arguments, step->has_far, source) + arguments->headers + index * arguments->header_bytes;
    const uint32_t token = tl_load4(place, header);
    const uint32_t places = (uint32_t)tl_least(tl_load4(place, header + 4), topk);
    struct tl_step_row *const found = &shared->parts.batch.row[row];
    found->source = index * arguments->row_stride +
        shared->slots_at[tl_is_far(shared, step->has_far, source) ? source : arguments->own];
    found->first = row * topk;
    found->end = row * topk + topk;
    for (uint32_t i = 0; i < topk; i++)
    {
        struct tl_step_target *const target = &shared->parts.batch.target[row * topk + i];
        target->row = 0;
        if (i < places)
        {
            const uint32_t where = tl_load4(place, header + 8 + i * 4);
            const uint32_t local = where >> 16;
            tl_point_at(arguments, step, target, output, local,
                tl_load4(place, arguments->packs + ((uint64_t)source * arguments->most_local + local) * 4) +
                (where & 0xFFFF));
            target->token = token;
            target->index = row;
        }
    }
}

TL_FN void tl_pack(
    struct tl_place *place, struct tl_step_shared *shared, const struct tl_step_arguments *arguments,
    const struct tl_step *step)
{
    const uint32_t topk = arguments->call.topk;
    const uint32_t groups = step->is_fp8 ? arguments->call.hidden / 128 : 0;
    const uint32_t most = tl_tokens_at_once(arguments, groups);
    uint32_t all = 0;
    for (uint32_t rank = 0; rank < arguments->ranks; rank++)
    {
        all += shared->slots[rank];
    }

    const uint32_t last = tl_first_of_few(all, place->block + 1, place->blocks);
    TL_NO_UNROLL
    for (uint32_t first = tl_first_of_few(all, place->block, place->blocks); first < last; first += most)
    {
        const struct tl_step_ahead none = {};
        struct tl_step_rows rows;
        rows.base = 0;
        rows.stride = 0;
        rows.count = (uint32_t)tl_least(most, last - first);
        rows.is_cast = 0;
        rows.is_power_of_two = 0;
        rows.units = arguments->call.hidden / (0 == groups ? 8 : 16);
        TL_EACH_THREAD(place)
        {
            if (place->thread < rows.count)
            {
                tl_find_row(place, shared, arguments, step, place->thread, first + place->thread);
            }
        }

        TL_MEET();
        TL_EACH_THREAD(place)
        {
            for (uint32_t i = place->thread; i < rows.count * groups; i += place->threads)
            {
                shared->scale[i] = tl_f32(tl_load4(place, shared->parts.batch.row[i / groups].source +
                    arguments->call.hidden + (uint64_t)(i % groups) * 4));
            }
        }

        tl_spread_batch(place, shared, &rows, &none, 0, rows.count * topk, groups,
            0 != (arguments->call.scales & TL_SCALES_PACKED));
    }
}

TL_FN void tl_step_receive_block(
    struct tl_place *place, struct tl_step_shared *shared, const struct tl_step_arguments *arguments,
    const int has_far)
{
    struct tl_step step = tl_begin_step(place, shared, arguments, 1, 0, 0, has_far);
    if (0 == place->block)
    {
        if (has_far && TL_PART_LAST == arguments->part)
        {
            tl_order_far(place, shared, arguments, &step);
        }
        else
        {
            tl_order_slots(place, shared, arguments, &step);
        }

        TL_MEET();
        TL_EACH_THREAD(place)
        {
            if (0 == place->thread)
            {
                tl_release8(place, arguments->state + TL_STATE_ARRIVED, step.call);
            }
        }
    }

    TL_EACH_THREAD(place)
    {
        if (0 == place->thread)
        {
            while (step.call != tl_acquire8(place, arguments->state + TL_STATE_ARRIVED))
            {
                tl_rest();
            }
        }
    }

    TL_MEET();
    TL_EACH_THREAD(place)
    {
        if (place->thread < arguments->ranks)
        {
            shared->slots[place->thread] =
                tl_load4(place, tl_rank_at(arguments, place->thread, TL_RANK_SLOTS));
        }
    }

    TL_MEET();
    tl_pack(place, shared, arguments, &step);
    TL_EACH_THREAD(place)
    {
        if (0 == place->thread)
        {
            tl_fence_system();
            shared->is_last = tl_take_ticket(place, arguments);
        }
    }

    TL_MEET();
    if (0 != shared->is_last)
    {
        TL_EACH_THREAD(place)
        {
            tl_load_end(place, shared, arguments);
        }

        tl_end_step(place, shared, arguments, &step, 0);
    }
}

/* A phase: where the answers of each rank are, once it has told so. */
TL_FN void tl_await_answers(
    const struct tl_place *place, struct tl_step_shared *shared, const struct tl_step_arguments *arguments,
    const struct tl_step *step)
{
    const uint32_t rank = place->thread;
    if (rank >= arguments->ranks)
    {
        return;
    }

    if (tl_is_far(shared, step->has_far, rank))
    {
        if (0 == shared->state[rank])
        {
            tl_await_chunks(place, shared, arguments, step, arguments->answered, arguments->chunk_answers,
                tl_load4(place, tl_rank_at(arguments, rank, TL_RANK_ASKED)));
            shared->answers[rank] = shared->slots_at[rank] + arguments->answers_at +
                ((uint64_t)step->parity * arguments->ranks + rank) * arguments->most_answers * arguments->answer_stride;
        }

        return;
    }

    uint32_t number = 0;
    if (0 == shared->state[rank] && tl_await(place, shared, arguments, step, rank,
        tl_word_at(arguments, arguments->ready, step->parity, rank, 1, 0), TL_OP_AWAIT, &number,
        &shared->lease[rank]))
    {
        const uint32_t each = TL_STEP_CACHED / arguments->ranks;
        const uint32_t tensor = number % TL_STEP_TENSORS;
        shared->answers[rank] = tensor < each ? tl_low8(shared->cached[rank * each + tensor]) :
            tl_load8(place, arguments->answers + ((uint64_t)rank * TL_STEP_TENSORS + tensor) * 8);
        if (0 == shared->answers[rank])
        {
            tl_mask(place, arguments, rank, TL_OTHER_CALL, TL_OP_AWAIT);
            shared->state[rank] = 1;
        }
    }
}

/* By one thread: place plus 1 of a selection; owners who pack rows themselves say afterwards where these are. */
TL_FN uint32_t tl_place_of(
    const struct tl_place *place, const struct tl_step_shared *shared, const struct tl_step_arguments *arguments,
    const struct tl_step *step, const uint32_t expert, const uint32_t where)
{
    const uint32_t owner = expert / arguments->local;
    if (!step->is_slots || tl_is_far(shared, step->has_far, owner))
    {
        return where;
    }

    const uint32_t local = expert % arguments->local;
    const uint64_t word = tl_look8(place, shared->words[arguments->own] +
        tl_word_at(arguments, arguments->starts, step->parity, owner, arguments->most_local, local));
    return !tl_is_of(word, shared->generation[owner], step->call) ? 0 :
        local * arguments->ranks * arguments->most_tokens + ((uint32_t)word & ((1u << TL_ROW_BITS) - 1)) + where + 1;
}

/* A phase: what was kept of the selections of tokens [first, first + count), and their weights. */
TL_FN void tl_load_selections(
    const struct tl_place *place, struct tl_step_shared *shared, const struct tl_step_arguments *arguments,
    const uint32_t first, const uint32_t count)
{
    const uint32_t topk = arguments->call.topk;
    for (uint32_t i = place->thread; i < count * topk; i += place->threads)
    {
        const uint64_t at = (uint64_t)first * topk + i;
        const uint64_t selection = tl_load8(place, arguments->selections + at * 8);
        const uint32_t weight = tl_load4(place, arguments->call.weights + at * 4);
        shared->parts.answers.selection[i] = selection;
        shared->parts.answers.source[i].weight = tl_f32(weight);
    }
}

/* A phase: answers to tokens [first, first + count), and which are left out. */
TL_FN void tl_find_sources(
    const struct tl_place *place, struct tl_step_shared *shared, const struct tl_step_arguments *arguments,
    const struct tl_step *step, const uint32_t first, const uint32_t count)
{
    const uint32_t topk = arguments->call.topk;
    for (uint32_t i = place->thread; i < count * topk; i += place->threads)
    {
        const uint64_t at = (uint64_t)first * topk + i;
        const uint64_t selection = shared->parts.answers.selection[i];
        struct tl_step_source *const source = &shared->parts.answers.source[i];
        source->address = 0;
        if (0 != selection >> 32)
        {
            const uint32_t expert = (uint32_t)(selection >> 32) - 1;
            const uint32_t owner = expert / arguments->local;
            const uint32_t where = 0 == shared->state[owner] ?
                tl_place_of(place, shared, arguments, step, expert, (uint32_t)selection) : 0;
            if (0 != where)
            {
                source->address = shared->answers[owner] + (uint64_t)(where - 1) *
                    (tl_is_far(shared, step->has_far, owner) ? arguments->answer_stride : arguments->call.hidden * 2);
                shared->is_read[owner] = 1;
            }
        }

        const int is_left_out = 0 != selection >> 32 && 0 == source->address;
        if (is_left_out)
        {
            tl_add_shared(&shared->left_out, 1);
        }

        if (0 != arguments->call.left_out)
        {
            tl_store1(place, arguments->call.left_out + at, (uint8_t)is_left_out);
        }
    }
}

/* A phase: sums of tokens [first, first + count). */
TL_FN void tl_sum_answers(
    const struct tl_place *place, const struct tl_step_shared *shared, const struct tl_step_arguments *arguments,
    const uint32_t first, const uint32_t count)
{
    const uint32_t topk = arguments->call.topk;
    const uint32_t units = arguments->call.hidden / 8;
    TL_NO_UNROLL
    for (uint32_t i = place->thread; i < count * units; i += place->threads)
    {
        const uint32_t token = i / units;
        const uint32_t unit = i % units;
        const struct tl_step_source *const sources = &shared->parts.answers.source[token * topk];
        float sum[8];
        tl_clear(sum);
        TL_NO_UNROLL
        for (uint32_t from = 0; from < topk; from += TL_PLAIN_SUMMANDS)
        {
            struct tl_vector v[TL_PLAIN_SUMMANDS];
            TL_UNROLL
            for (uint32_t k = 0; k < TL_PLAIN_SUMMANDS; k++)
            {
                if (from + k < topk && 0 != sources[from + k].address)
                {
                    v[k] = tl_load16(place, sources[from + k].address + (uint64_t)unit * 16);
                }
            }

            TL_UNROLL
            for (uint32_t k = 0; k < TL_PLAIN_SUMMANDS; k++)
            {
                if (from + k < topk && 0 != sources[from + k].address)
                {
                    tl_add_bf16(sum, v[k].word, 4, sources[from + k].weight);
                }
            }
        }

        struct tl_vector rounded;
        TL_UNROLL
        for (uint32_t k = 0; k < 4; k++)
        {
            rounded.word[k] = tl_bf16_pair(sum[2 * k], sum[2 * k + 1]);
        }

        tl_store16(place, arguments->call.combined +
            ((uint64_t)(first + token) * units + unit) * 16, rounded);
    }
}

/* Phases, between which nobody looks at what is cleared. */
TL_FN void tl_clear_reading(
    struct tl_place *place, struct tl_step_shared *shared, const struct tl_step_arguments *arguments)
{
    TL_MEET();
    TL_EACH_THREAD(place)
    {
        if (0 == place->thread)
        {
            shared->left_out = 0;
            shared->is_void = 0;
        }

        if (place->thread < arguments->ranks)
        {
            shared->is_read[place->thread] = 0;
        }
    }

    TL_MEET();
}

/*
 * Tokens [first, first + count), whose selections are in shared memory; anew as long as answers have become void that
 * were read.
 */
TL_FN void tl_reduce_tokens(
    struct tl_place *place, struct tl_step_shared *shared, const struct tl_step_arguments *arguments,
    const struct tl_step *step, const uint32_t first, const uint32_t count)
{
    for (;;)
    {
        TL_EACH_THREAD(place)
        {
            tl_find_sources(place, shared, arguments, step, first, count);
        }

        TL_MEET();
        TL_EACH_THREAD(place)
        {
            tl_sum_answers(place, shared, arguments, first, count);
        }

        TL_MEET();
        TL_EACH_THREAD(place)
        {
            const uint32_t rank = place->thread;
            if (rank < arguments->ranks && 0 != shared->is_read[rank] && !tl_is_far(shared, step->has_far, rank) &&
                tl_is_late(place, shared, arguments, step, rank, shared->lease[rank], TL_OP_REDUCE))
            {
                shared->is_void = 1;
            }
        }

        TL_MEET();
        if (0 == shared->is_void)
        {
            break;
        }

        tl_clear_reading(place, shared, arguments);
    }

    TL_EACH_THREAD(place)
    {
        if (0 == place->thread && 0 != shared->left_out)
        {
            tl_count4(place, arguments->state + TL_STATE_LEFT_OUT, shared->left_out);
        }
    }
}

/* A phase: of those that are masked since this rank was late for them, until they have read its answers. */
TL_FN void tl_end_reading(
    const struct tl_place *place, const struct tl_step_shared *shared, const struct tl_step_arguments *arguments,
    const struct tl_step *step)
{
    const uint32_t rank = place->thread;
    if (rank >= arguments->ranks)
    {
        return;
    }

    const uint64_t reading = tl_rank_at(arguments, rank, TL_RANK_READING);
    const uint64_t ready_ns = tl_load8(place, arguments->state + TL_STATE_READY_NS);
    for (uint32_t block = 0; block < place->blocks && 0 != shared->state[rank];)
    {
        const uint64_t word = tl_look8(place, shared->words[arguments->own] +
            tl_word_at(arguments, arguments->read, step->parity, rank, place->blocks, block));
        if (tl_is_of(word, shared->generation[rank], step->call))
        {
            block++;
            continue;
        }

        if (0 == tl_load4(place, reading) || !tl_is_grant_open(place, shared, arguments, rank, ready_ns))
        {
            break;
        }

        tl_give_signs(place, shared, arguments, step->has_far, tl_now_ns());
        tl_rest();
    }

    tl_store4(place, reading, 0);
}

/* Rank that a thread tells of answers, if there is one: the last threads, which load nothing at the beginning. */
TL_FN uint32_t tl_told_by(const struct tl_place *place)
{
    return place->threads - 1 - place->thread;
}

/* Behind a fence of the same threads. */
TL_FN void tl_tell_answers(
    struct tl_place *place, const struct tl_step_shared *shared, const struct tl_step_arguments *arguments,
    const struct tl_step *step)
{
    TL_EACH_THREAD(place)
    {
        const uint32_t rank = tl_told_by(place);
        if (rank < arguments->ranks && 0 == shared->state[rank] && !tl_is_far(shared, step->has_far, rank))
        {
            tl_tell(place, shared, rank,
                tl_word_at(arguments, arguments->ready, step->parity, arguments->own, 1, 0), step->call,
                arguments->call.answers);
            tl_store4(place, tl_rank_at(arguments, rank, TL_RANK_READING), 1);
        }

        if (0 == rank)
        {
            tl_store8(place, arguments->state + TL_STATE_READY_NS, tl_now_ns());
            tl_give_signs(place, shared, arguments, step->has_far, step->told_ns);
        }
    }
}

/* ---- SEND_FAR of answers ---- */

/* By one thread: a slot of a far home by its number among those of all, and its header. */
TL_FN uint64_t tl_find_home(
    const struct tl_step_shared *shared, const struct tl_step_arguments *arguments, const struct tl_step *step,
    const uint32_t number, uint32_t *home)
{
    uint32_t rank = 0;
    uint32_t slot = number;
    while (slot >= shared->slots[rank])
    {
        slot -= shared->slots[rank];
        rank++;
    }

    *home = rank;
    return shared->words[rank] + arguments->headers + (((uint64_t)step->parity * arguments->ranks + rank) *
        arguments->most_tokens + slot) * arguments->header_bytes;
}

TL_FN uint32_t tl_places_of(
    const struct tl_place *place, const struct tl_step_arguments *arguments, const uint64_t header)
{
    return (uint32_t)tl_least(tl_load4(place, header + 4), arguments->call.topk);
}

/* Phases: answers of slots [first, end), by home, are added to those that are known. */
TL_FN void tl_count_answers(
    struct tl_place *place, struct tl_step_shared *shared, const struct tl_step_arguments *arguments,
    const struct tl_step *step, const uint32_t first, const uint32_t end)
{
    TL_EACH_THREAD(place)
    {
        for (uint32_t number = first + place->thread; number < end; number += place->threads)
        {
            uint32_t home;
            const uint64_t header = tl_find_home(shared, arguments, step, number, &home);
            tl_add_shared(&shared->ahead[home], tl_places_of(place, arguments, header));
        }
    }

    TL_MEET();
}

/* A phase: answers of slots [first, first + count), which are known to come behind others; 0 where there is none. */
TL_FN void tl_find_answers(
    const struct tl_place *place, struct tl_step_shared *shared, const struct tl_step_arguments *arguments,
    const struct tl_step *step, const uint64_t answers, const uint32_t first, const uint32_t count)
{
    const uint32_t topk = arguments->call.topk;
    if (place->thread >= count)
    {
        return;
    }

    uint32_t home;
    const uint64_t header = tl_find_home(shared, arguments, step, first + place->thread, &home);
    const uint32_t places = tl_places_of(place, arguments, header);
    uint32_t index = shared->ahead[home];
    TL_NO_UNROLL
    for (uint32_t earlier = 0; earlier < place->thread; earlier++)
    {
        uint32_t other;
        const uint64_t its = tl_find_home(shared, arguments, step, first + earlier, &other);
        index += other == home ? tl_places_of(place, arguments, its) : 0;
    }

    for (uint32_t i = 0; i < topk; i++)
    {
        struct tl_step_target *const target = &shared->parts.batch.target[place->thread * topk + i];
        target->row = 0;
        if (i < places && 0 == shared->state[home])
        {
            const uint32_t where = tl_load4(place, header + 8 + i * 4);
            const uint32_t local = where >> 16;
            const uint64_t row = (uint64_t)local * arguments->ranks * arguments->most_tokens + (where & 0xFFFF) +
                tl_load4(place, arguments->packs + ((uint64_t)home * arguments->most_local + local) * 4);
            target->info = answers + row * arguments->call.hidden * 2;
            target->row = arguments->send_rows + arguments->send_answers +
                tl_send_index(shared, step->parity, home, arguments->most_answers, index + i) *
                arguments->answer_stride;
        }
    }
}

/* A phase. */
TL_FN void tl_copy_answers(
    const struct tl_place *place, const struct tl_step_shared *shared, const struct tl_step_arguments *arguments,
    const uint32_t targets)
{
    const uint32_t units = arguments->call.hidden / 8;
    TL_UNROLL
    for (uint32_t i = place->thread; i < targets * units; i += place->threads)
    {
        const struct tl_step_target *const target = &shared->parts.batch.target[i / units];
        if (0 != target->row)
        {
            const uint64_t at = (uint64_t)(i % units) * 16;
            tl_store16(place, target->row + at, tl_load16(place, target->info + at));
        }
    }
}

/* By one thread of the last block: entries of answers to a far home, by chunk, each with its word behind. */
TL_FN void tl_post_answers(
    const struct tl_place *place, const struct tl_step_shared *shared, const struct tl_step_arguments *arguments,
    const struct tl_step *step, const uint32_t home)
{
    const uint32_t each = arguments->chunk_answers;
    const uint32_t answers = shared->ahead[home];
    for (uint32_t chunk = 0; 0 == chunk || chunk * each < answers; chunk++)
    {
        tl_write_send(place, shared, arguments, home,
            arguments->send_answered + tl_send_index(shared, step->parity, home, TL_CHUNKS, chunk) * 8, step->call, 0);
    }

    tl_fence_system();
    for (uint32_t chunk = 0; 0 == chunk || chunk * each < answers; chunk++)
    {
        const uint32_t first = chunk * each;
        if (answers > first)
        {
            tl_post(place, shared, arguments, home, TL_POST_ANSWERS, step->parity, first,
                (uint32_t)tl_least(each, answers - first), arguments->call.hidden * 2);
        }

        tl_post(place, shared, arguments, home, TL_POST_ANSWERS_TOLD, step->parity, chunk, 0, 4);
    }
}

/* The first part of a combine: answers to far homes, in the order in which these have met their selections. */
TL_FN void tl_step_answer_block(
    struct tl_place *place, struct tl_step_shared *shared, const struct tl_step_arguments *arguments)
{
    const struct tl_step step = tl_begin_step(place, shared, arguments, 0, 0, 0, 1);
    const uint32_t most = TL_STEP_TARGETS / arguments->call.topk;
    const uint64_t answers = tl_load8(place, arguments->answers +
        ((uint64_t)arguments->own * TL_STEP_TENSORS + arguments->call.answers) * 8);
    tl_begin_posts(place, shared, arguments);
    TL_EACH_THREAD(place)
    {
        const uint32_t rank = place->thread;
        if (rank < arguments->ranks)
        {
            /* Also of ranks that are left out by now: blocks share the slots out, and must know of the same ones. */
            shared->slots[rank] =
                0 != shared->far[rank] ? tl_load4(place, tl_rank_at(arguments, rank, TL_RANK_SLOTS)) : 0;
        }
    }

    TL_MEET();
    uint32_t all = 0;
    for (uint32_t rank = 0; rank < arguments->ranks; rank++)
    {
        all += shared->slots[rank];
    }

    uint32_t counted = 0;
    const uint32_t last = tl_first_of_few(all, place->block + 1, place->blocks);
    TL_NO_UNROLL
    for (uint32_t first = tl_first_of_few(all, place->block, place->blocks); first < last; first += most)
    {
        const uint32_t count = (uint32_t)tl_least(most, last - first);
        tl_count_answers(place, shared, arguments, &step, counted, first);
        counted = first;
        TL_EACH_THREAD(place)
        {
            tl_find_answers(place, shared, arguments, &step, answers, first, count);
        }

        TL_MEET();
        TL_EACH_THREAD(place)
        {
            tl_copy_answers(place, shared, arguments, count * arguments->call.topk);
        }

        TL_MEET();
    }

    TL_EACH_THREAD(place)
    {
        if (0 == place->thread)
        {
            tl_fence_system();
            shared->is_last = tl_take_ticket(place, arguments);
        }
    }

    TL_MEET();
    if (0 == shared->is_last)
    {
        return;
    }

    tl_count_answers(place, shared, arguments, &step, counted, all);
    TL_EACH_THREAD(place)
    {
        const uint32_t rank = place->thread;
        if (tl_may_post(place, shared, arguments, rank))
        {
            tl_post_answers(place, shared, arguments, &step, rank);
        }
    }

    tl_end_posts(place, arguments);
}

TL_FN void tl_step_combine_block(
    struct tl_place *place, struct tl_step_shared *shared, const struct tl_step_arguments *arguments,
    const int has_far)
{
    TL_EACH_THREAD(place)
    {
        if (0 == place->block && tl_told_by(place) < arguments->ranks)
        {
            /* Answers are there before the kernel is; other warps load meanwhile. */
            tl_fence_system();
        }
    }

    struct tl_step step = tl_begin_step(place, shared, arguments, 0, 0, 0, has_far);
    const uint32_t most = tl_tokens_at_once(arguments, 0);
    if (0 == place->block)
    {
        tl_tell_answers(place, shared, arguments, &step);
    }

    TL_EACH_THREAD(place)
    {
        tl_load_selections(place, shared, arguments, step.first, (uint32_t)tl_least(most, step.end - step.first));
        tl_await_answers(place, shared, arguments, &step);
    }

    TL_MEET();
    TL_NO_UNROLL
    for (uint32_t first = step.first; first < step.end; first += most)
    {
        const uint32_t count = (uint32_t)tl_least(most, step.end - first);
        if (first != step.first)
        {
            TL_EACH_THREAD(place)
            {
                tl_load_selections(place, shared, arguments, first, count);
            }

            tl_clear_reading(place, shared, arguments);
        }

        tl_reduce_tokens(place, shared, arguments, &step, first, count);
    }

    if (!tl_tell_all(place, shared, arguments, &step, arguments->read, 0))
    {
        return;
    }

    TL_EACH_THREAD(place)
    {
        tl_load_end(place, shared, arguments);
    }

    tl_await_all(place, shared, arguments, &step, arguments->read);
    TL_EACH_THREAD(place)
    {
        tl_end_reading(place, shared, arguments, &step);
    }

    tl_end_step(place, shared, arguments, &step, 1);
}

/* By one thread: has steps wait for a rank no longer. */
TL_FN void tl_step_mask_block(struct tl_place *place, const struct tl_step_mask_arguments *arguments)
{
    struct tl_step_arguments step;
    step.state = arguments->state;
    step.status = arguments->status;
    TL_EACH_THREAD(place)
    {
        if (0 == place->thread)
        {
            tl_mask(place, &step, (uint32_t)arguments->rank, TL_ASKED, TL_OP_BUCKET);
        }
    }

    tl_complete(place, &arguments->completion);
}

#endif
