/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */

/*
 * What the steps of a session share: words by which ranks tell each other (dev.transload.kernels.StepWords), who takes
 * part, what ranks have granted, and how long waits last. A block keeps a view of its own of who takes part: what it
 * has once left out it does not tell of.
 */

#ifndef TL_STEP_STATE_CUH
#define TL_STEP_STATE_CUH

#include "tl_arguments.cuh"
#include "tl_wait.cuh"

enum
{
    TL_STEP_RANKS = 128,
    TL_STEP_EXPERTS = 2048,
    TL_STEP_IDS = 2048,
    TL_STEP_TARGETS = 256,
    TL_STEP_ROWS = 64,
    TL_STEP_SCALES = 1024,
    TL_STEP_TENSORS = 256,
    /* At most threads of a block. */
    TL_STEP_CACHED = 256,
    /* An id that is not allowed. */
    TL_BAD_ID = -2
};

/* Of dev.transload.kernels: StepPlacement, StepOp, reasons of StepStatus, StepShape, StepScales. */
enum
{
    TL_PLACEMENT_SLOTS = 1,
    TL_OP_BUCKET = 0,
    TL_OP_STARTS = 2,
    TL_OP_PLACE = 3,
    TL_OP_AWAIT = 6,
    TL_OP_REDUCE = 8,
    TL_ASKED = 1,
    TL_SILENT = 2,
    TL_LATE = 3,
    TL_OTHER_CALL = 4,
    TL_SIGNS_A_TIMEOUT = 4,
    TL_LONGEST_WAIT = 8,
    TL_ROW_BITS = 24,
    TL_COUNT_BITS = 16,
    TL_CALL_BITS = 20,
    TL_SCALES_BY_COLUMN = 1,
    TL_SCALES_PACKED = 2,
    TL_CHUNKS = 32
};

/* Which part of a program a launch is: the parts of one submission follow each other on its stream. */
enum
{
    TL_PART_WHOLE = 0,
    TL_PART_FIRST = 1,
    TL_PART_MIDDLE = 2,
    TL_PART_LAST = 3
};

/* Kinds of entries, and sizes, of dev.transload.kernels.StepFifo. */
enum
{
    TL_POST_COUNTS = 1,
    TL_POST_HEADERS = 2,
    TL_POST_ROWS = 3,
    TL_POST_ROWS_TOLD = 4,
    TL_POST_ANSWERS = 5,
    TL_POST_ANSWERS_TOLD = 6,
    TL_POST_ALIVE = 7,
    TL_POSTS = 4096
};

/* Offsets in the status line of dev.transload.kernels.StepStatus. */
enum
{
    TL_STATUS_ENDED = 0,
    TL_STATUS_CALL = 8,
    TL_STATUS_BAD_IDS = 16,
    TL_STATUS_LEFT_OUT = 20,
    TL_STATUS_BEGIN = 24,
    TL_STATUS_END = 32,
    TL_STATUS_RANKS = 64
};

/* Offsets in the state of a session, in memory of its device; ranks come behind it. */
enum
{
    TL_STATE_CALL = 0,
    TL_STATE_ENDED = 8,
    TL_STATE_TICKET = 16,
    TL_STATE_LEFT_OUT = 20,
    /* Call that the leases are of. */
    TL_STATE_LEASES = 24,
    TL_STATE_GRANTED_NS = 32,
    TL_STATE_READY_NS = 40,
    TL_STATE_SIGNED_NS = 48,
    TL_STATE_SIGNS = 56,
    /* Call whose starts are told: of others, blocks of this rank wait only behind that. */
    TL_STATE_STARTED = 64,
    TL_STATE_TOKENS = 72,
    TL_STATE_PLACEMENT = 76,
    /* What the status line will tell. */
    TL_STATE_BEGIN = 80,
    TL_STATE_BAD_IDS = 88,
    /* Entries of the FIFO; those that must be released before the next step writes send blocks. */
    TL_STATE_POSTED = 96,
    TL_STATE_OWED = 104,
    /* Call whose rows of far ranks have come. */
    TL_STATE_ARRIVED = 112,
    TL_STATE_RANKS = 128,
    TL_RANK_BYTES = 64,
    /* When the rank was known the last time that it had not granted yet; when a sign renewed its grant. */
    TL_RANK_NOT_GRANTED = 0,
    TL_RANK_RENEWED = 8,
    TL_RANK_HEARD = 16,
    TL_RANK_SEEN = 24,
    TL_RANK_STATE = 32,
    /* Whether it may use places of this rank; whether it may read answers of this rank. */
    TL_RANK_GRANTED = 36,
    TL_RANK_READING = 40,
    /* Slots that it has filled, where they are packed. */
    TL_RANK_SLOTS = 44,
    /* Selections of experts of a far rank, and so answers. */
    TL_RANK_ASKED = 48
};

/* As dev.transload.kernels.StepArguments. */
struct tl_step_call
{
    uint64_t x;
    uint64_t ids;
    uint64_t weights;
    uint64_t combined;
    uint64_t left_out;
    uint64_t tokens_at;
    uint32_t tokens;
    uint32_t topk;
    uint32_t hidden;
    uint32_t experts;
    uint32_t id_bytes;
    uint32_t output;
    uint32_t answers;
    uint32_t is_fp8;
    uint32_t format;
    uint32_t scales;
    uint32_t placement;
    uint32_t unused;
};

/*
 * tl_step_dispatch, tl_step_send, tl_step_receive, tl_step_combine. position is 0 where nobody waits for one; completed
 * is a word like those of the status, page-locked. peers: struct tl_step_peer for each rank. outputs: for each rank and
 * number the addresses of rows and info; answers: those of answers. done to alive and headers are offsets in the words,
 * scales_at in an output's rows, ranges_at and totals_at in its info. selections: u64 for each, see tl_step_select.
 * packs: u32 for each source and local expert. What begins with send, fifo and released is of far ranks: addresses of
 * send blocks, offsets in these by dev.transload.kernels.StepSends, the ring of dev.transload.kernels.StepFifo, and
 * its word of released entries.
 */
struct tl_step_arguments
{
    struct tl_step_call call;
    uint64_t position;
    uint64_t state;
    uint64_t status;
    uint64_t completed;
    uint64_t peers;
    uint64_t outputs;
    uint64_t answers;
    uint64_t selections;
    uint64_t packs;
    uint64_t timeout_ns;
    uint64_t starts;
    uint64_t done;
    uint64_t ready;
    uint64_t read;
    uint64_t alive;
    uint64_t headers;
    uint64_t row_stride;
    uint64_t scales_at;
    uint64_t ranges_at;
    uint64_t totals_at;
    uint32_t ranks;
    uint32_t own;
    uint32_t most_tokens;
    uint32_t most_local;
    uint32_t local;
    uint32_t header_bytes;
    uint32_t check;
    uint32_t part;
    uint64_t send_control;
    uint64_t send_rows;
    uint64_t fifo;
    uint64_t released;
    uint64_t landed;
    uint64_t answered;
    uint64_t answers_at;
    uint64_t answer_stride;
    uint64_t send_landed;
    uint64_t send_answered;
    uint64_t send_alive;
    uint64_t send_headers;
    uint64_t send_answers;
    uint32_t chunk_rows;
    uint32_t chunk_answers;
    uint32_t most_answers;
    uint32_t unused;
};

TL_ASSERT_BYTES(struct tl_step_arguments, 408);

/* tl_step_mask: a rank that is active takes part no more. */
struct tl_step_mask_arguments
{
    struct tl_completion completion;
    uint64_t state;
    uint64_t status;
    uint64_t rank;
};

TL_ASSERT_BYTES(struct tl_step_mask_arguments, 48);

/*
 * Where the memory of a rank is, and by which generation it is told. Of a far rank: own memory that it writes, and its
 * number among far ranks, plus 1.
 */
struct tl_step_peer
{
    uint64_t words;
    uint64_t slots;
    uint64_t generation;
    uint64_t far;
};

struct tl_step_row
{
    uint64_t source;
    uint32_t first;
    uint32_t end;
};

/* One place of a row; row is 0 where it is left out, info where none is written. */
struct tl_step_target
{
    uint64_t row;
    uint64_t info;
    uint64_t scales;
    uint32_t scale_stride;
    uint32_t token;
    uint32_t index;
    /* At the owner, where rows pass through slots. */
    uint32_t slot;
};

/* An answer; address is 0 where it is left out. */
struct tl_step_source
{
    uint64_t address;
    float weight;
    uint32_t rank;
};

struct tl_step_order
{
    /* Rows of this rank by expert, and rows for it by source and local expert. */
    uint32_t count[TL_STEP_EXPERTS];
    uint32_t taken[TL_STEP_EXPERTS];
};

struct tl_step_batch
{
    struct tl_step_row row[TL_STEP_ROWS];
    struct tl_step_target target[TL_STEP_TARGETS];
};

struct tl_step_answers
{
    /* As tl_step_select has stored them. */
    uint64_t selection[TL_STEP_TARGETS];
    struct tl_step_source source[TL_STEP_TARGETS];
};

/* Of one block; what lies in parts is of one phase at a time. */
struct tl_step_shared
{
    union
    {
        struct tl_step_order order;
        struct tl_step_batch batch;
        struct tl_step_answers answers;
    } parts;
    /* By expert: selections ahead of the tokens that the block deals with. */
    uint32_t run[TL_STEP_EXPERTS];
    int32_t ids[TL_STEP_IDS];
    /* By selection of the tokens at hand: its slot among those of its expert. */
    uint32_t slot[TL_STEP_TARGETS];
    float scale[TL_STEP_SCALES];
    struct tl_vector cached[TL_STEP_CACHED];
    uint64_t words[TL_STEP_RANKS];
    uint64_t slots_at[TL_STEP_RANKS];
    uint64_t lease[TL_STEP_RANKS];
    uint64_t answers[TL_STEP_RANKS];
    uint32_t generation[TL_STEP_RANKS];
    /* Not 0: the block leaves the rank out. */
    uint32_t state[TL_STEP_RANKS];
    /* By rank: slots ahead of the tokens that the block deals with, and of all tokens. */
    uint32_t ahead[TL_STEP_RANKS];
    uint32_t slots[TL_STEP_RANKS];
    uint32_t is_read[TL_STEP_RANKS];
    /* Number of a far rank, plus 1; where a program has none of these, nobody looks here. */
    uint8_t far[TL_STEP_RANKS];
    uint32_t bad_ids;
    uint32_t left_out;
    uint32_t is_void;
    uint32_t is_last;
    /* Of the state, for the end of the step. */
    uint32_t state_bad_ids;
    uint32_t state_left_out;
    uint64_t state_begin;
    uint64_t state_ended;
};

/* What all threads of a block know. */
struct tl_step
{
    uint64_t call;
    uint64_t told_ns;
    uint32_t parity;
    uint32_t tokens;
    /* Tokens that the block deals with. */
    uint32_t first;
    uint32_t end;
    /* Tokens whose ids are in shared memory. */
    uint32_t ids_first;
    uint32_t ids_end;
    int is_slots;
    int is_fp8;
    /* Whether there are far ranks: known to the compiler. */
    int has_far;
};

TL_FN uint64_t tl_since(const uint64_t now_ns, const uint64_t then_ns)
{
    return now_ns > then_ns ? now_ns - then_ns : 0;
}

TL_FN uint64_t tl_rank_at(const struct tl_step_arguments *arguments, const uint32_t rank, const uint32_t offset)
{
    return arguments->state + (TL_STATE_RANKS + rank * TL_RANK_BYTES + offset);
}

/* Offset of a word of an array in which each rank has some for each parity. */
TL_FN uint64_t tl_word_at(
    const struct tl_step_arguments *arguments, const uint64_t array, const uint32_t parity, const uint32_t rank,
    const uint32_t words, const uint32_t index)
{
    return array + ((parity * arguments->ranks + rank) * words + index) * 8;
}

TL_FN int tl_is_far(const struct tl_step_shared *shared, const int has_far, const uint32_t rank)
{
    return has_far && 0 != shared->far[rank];
}

/* Where the words, and the headers, are that a rank writes. */
TL_FN uint64_t tl_heard(
    const struct tl_step_shared *shared, const struct tl_step_arguments *arguments, const int has_far,
    const uint32_t rank)
{
    return shared->words[tl_is_far(shared, has_far, rank) ? rank : arguments->own];
}

/* Index in an array of a send block that has some of each far rank for each parity. */
TL_FN uint64_t tl_send_index(
    const struct tl_step_shared *shared, const uint32_t parity, const uint32_t rank, const uint32_t each,
    const uint32_t index)
{
    return ((uint64_t)(shared->far[rank] - 1u) * 2 + parity) * each + index;
}

TL_FN uint64_t tl_word(const uint32_t generation, const uint64_t call, const uint32_t value)
{
    const uint32_t tag = generation << TL_CALL_BITS | ((uint32_t)call & ((1u << TL_CALL_BITS) - 1));
    return (uint64_t)tag << 32 | value;
}

TL_FN int tl_is_of(const uint64_t word, const uint32_t generation, const uint64_t call)
{
    return word >> 32 == tl_word(generation, call, 0) >> 32;
}

TL_FN void tl_tell(
    const struct tl_place *place, const struct tl_step_shared *shared, const uint32_t rank, const uint64_t offset,
    const uint64_t call, const uint32_t value)
{
    tl_tell8(place, shared->words[rank] + offset, tl_word(shared->generation[rank], call, value));
}

/* A word that a post takes to a far rank. */
TL_FN void tl_write_send(
    const struct tl_place *place, const struct tl_step_shared *shared, const struct tl_step_arguments *arguments,
    const uint32_t rank, const uint64_t offset, const uint64_t call, const uint32_t value)
{
    tl_tell8(place, arguments->send_control + offset, tl_word(shared->generation[rank], call, value));
}

/*
 * An entry of the FIFO, behind a fence of this thread (rule STP-10). There is room: a step posts at most half of the
 * ring, and begins when those of the one before are released.
 */
TL_FN void tl_post(
    const struct tl_place *place, const struct tl_step_shared *shared, const struct tl_step_arguments *arguments,
    const uint32_t rank, const uint32_t kind, const uint32_t parity, const uint32_t first, const uint32_t count,
    const uint32_t row_bytes)
{
    const uint64_t posted_at = arguments->state + TL_STATE_POSTED;
    uint64_t posted = tl_look8(place, posted_at);
    while (!tl_claim8(place, posted_at, posted, posted + 1))
    {
        posted = tl_look8(place, posted_at);
    }

    const uint64_t at = arguments->fifo + posted % TL_POSTS * 16;
    const uint32_t sequence = (uint32_t)posted + 1;
    tl_tell8(place, at + 8, (uint64_t)(sequence << 16 | count) << 32 | first);
    const uint32_t what = (row_bytes / 4 - 1) << 16 | parity << 15 | kind << 12 | (shared->far[rank] - 1u);
    tl_tell8(place, at, (uint64_t)what << 32 | sequence);
}

TL_FN int tl_is_active(
    const struct tl_place *place, const struct tl_step_arguments *arguments, const uint32_t rank)
{
    return 0 == tl_load4(place, tl_rank_at(arguments, rank, TL_RANK_STATE));
}

/* Unless it is masked already. */
TL_FN void tl_mask(
    const struct tl_place *place, const struct tl_step_arguments *arguments, const uint32_t rank, const uint32_t why,
    const uint32_t op)
{
    if (tl_claim4(place, tl_rank_at(arguments, rank, TL_RANK_STATE), 0, why))
    {
        if (TL_LATE != why)
        {
            tl_store4(place, tl_rank_at(arguments, rank, TL_RANK_READING), 0);
        }

        tl_tell8(place, arguments->status + TL_STATUS_RANKS + rank * 8, (uint64_t)op << 32 | why);
    }
}

/* Whether what a rank has granted still holds, signs of life taken together with what was known at its time. */
TL_FN int tl_is_lease_valid(
    const struct tl_step_arguments *arguments, const uint64_t now_ns, const uint64_t not_granted_ns,
    const uint64_t renewed_ns)
{
    const uint64_t from_ns = renewed_ns > not_granted_ns ? renewed_ns : not_granted_ns;
    return tl_since(now_ns, from_ns) < arguments->timeout_ns / 2;
}

/* Where the FIFO is not drained, far ranks have to do without. */
TL_FN void tl_give_far_sign(
    const struct tl_place *place, const struct tl_step_shared *shared, const struct tl_step_arguments *arguments,
    const uint32_t rank, const uint32_t sign)
{
    if (tl_look8(place, arguments->state + TL_STATE_POSTED) - tl_look8(place, arguments->released) < TL_POSTS / 2)
    {
        tl_write_send(place, shared, arguments, rank, arguments->send_alive + (shared->far[rank] - 1u) * 8, 0, sign);
        tl_fence_system();
        tl_post(place, shared, arguments, rank, TL_POST_ALIVE, 0, 0, 0, 4);
    }
}

/* A sign of life to all, where the last one is long ago; the grants that this rank uses hold on by it. */
TL_FN void tl_give_signs(
    const struct tl_place *place, const struct tl_step_shared *shared, const struct tl_step_arguments *arguments,
    const int has_far, const uint64_t now_ns)
{
    const uint64_t signed_ns = tl_load8(place, arguments->state + TL_STATE_SIGNED_NS);
    if (!TL_RARELY(tl_since(now_ns, signed_ns) >= arguments->timeout_ns / TL_SIGNS_A_TIMEOUT &&
        tl_claim8(place, arguments->state + TL_STATE_SIGNED_NS, signed_ns, now_ns)))
    {
        return;
    }

    const uint64_t sign = tl_load8(place, arguments->state + TL_STATE_SIGNS) + 1;
    tl_store8(place, arguments->state + TL_STATE_SIGNS, sign);
    TL_NO_UNROLL
    for (uint32_t rank = 0; rank < arguments->ranks; rank++)
    {
        if (tl_is_active(place, arguments, rank))
        {
            const uint64_t renewed = tl_rank_at(arguments, rank, TL_RANK_RENEWED);
            if (tl_is_far(shared, has_far, rank))
            {
                tl_give_far_sign(place, shared, arguments, rank, (uint32_t)sign);
            }
            else
            {
                tl_tell(place, shared, rank, arguments->alive + arguments->own * 8, 0, (uint32_t)sign);
            }

            if (tl_is_lease_valid(arguments, now_ns, tl_load8(place, tl_rank_at(arguments, rank, TL_RANK_NOT_GRANTED)),
                tl_load8(place, renewed)))
            {
                tl_store8(place, renewed, now_ns);
            }
        }
    }
}

/* By one thread, for one rank. */
struct tl_step_wait
{
    uint32_t looks;
    uint64_t begun_ns;
    uint64_t heard_ns;
    uint64_t seen;
    /* When the last look in vain was, or somewhat before. */
    uint64_t vain_ns;
};

enum
{
#ifdef __CUDA_ARCH__
    TL_QUICK_LOOKS = 16
#else
    TL_QUICK_LOOKS = 1
#endif
};

/* A sign of life of a rank that is there now. */
TL_FN uint64_t tl_sign_of(
    const struct tl_place *place, const struct tl_step_shared *shared, const struct tl_step_arguments *arguments,
    const int has_far, const uint32_t rank)
{
    const uint64_t sign = tl_look8(place, tl_heard(shared, arguments, has_far, rank) + arguments->alive + rank * 8);
    return tl_is_of(sign, shared->generation[rank], 0) ? sign : 0;
}

/*
 * After a look in vain: whether there is to be another one. What is waited for in PLACE is granted by a rank that may
 * wait as long as block 0 of this rank, so that its time begins when that has ended.
 */
TL_FN int tl_waits_on(
    const struct tl_place *place, const struct tl_step_shared *shared, const struct tl_step_arguments *arguments,
    const struct tl_step *step, struct tl_step_wait *wait, const uint32_t rank, const uint32_t op)
{
    tl_rest();
    if (!TL_RARELY(0 == ++wait->looks % TL_QUICK_LOOKS))
    {
        return 1;
    }

    if (!tl_is_active(place, arguments, rank))
    {
        return 0;
    }

    const uint64_t now_ns = tl_now_ns();
    tl_give_signs(place, shared, arguments, step->has_far, now_ns);
    wait->vain_ns = now_ns;
    if (0 == wait->begun_ns)
    {
        if (TL_OP_PLACE != op || step->call == tl_acquire8(place, arguments->state + TL_STATE_STARTED))
        {
            wait->begun_ns = now_ns;
            wait->heard_ns = now_ns;
            wait->seen = tl_sign_of(place, shared, arguments, step->has_far, rank);
        }

        return 1;
    }

    if (rank == arguments->own ||
        tl_since(now_ns, wait->begun_ns) < arguments->timeout_ns / TL_SIGNS_A_TIMEOUT)
    {
        return 1;
    }

    const uint64_t sign = tl_sign_of(place, shared, arguments, step->has_far, rank);
    if (sign != wait->seen)
    {
        wait->seen = sign;
        wait->heard_ns = now_ns;
        tl_store8(place, tl_rank_at(arguments, rank, TL_RANK_SEEN), sign);
        tl_store8(place, tl_rank_at(arguments, rank, TL_RANK_HEARD), now_ns);
    }

    if (tl_since(now_ns, wait->heard_ns) >= arguments->timeout_ns ||
        tl_since(now_ns, wait->begun_ns) >= TL_LONGEST_WAIT * arguments->timeout_ns)
    {
        tl_mask(place, arguments, rank, TL_SILENT, op);
        return 0;
    }

    return 1;
}

/*
 * Until a rank has stored a word at this one: 1, and its value. Or 0, and the block leaves the rank out. In AWAIT the
 * word stands for other memory, which may be read then. vain_ns, where it is given, becomes the time of the last look
 * in vain, if there was one.
 */
TL_FN int tl_await(
    const struct tl_place *place, struct tl_step_shared *shared, const struct tl_step_arguments *arguments,
    const struct tl_step *step, const uint32_t rank, const uint64_t offset, const uint32_t op, uint32_t *value,
    uint64_t *vain_ns)
{
    struct tl_step_wait wait;
    wait.looks = 0;
    wait.begun_ns = 0;
    wait.heard_ns = 0;
    wait.seen = 0;
    wait.vain_ns = 0 == vain_ns ? 0 : tl_now_ns();
    for (;;)
    {
        const uint64_t known_ns = wait.vain_ns;
        const uint64_t at = tl_heard(shared, arguments, step->has_far, rank) + offset;
        const uint64_t word = TL_OP_AWAIT == op ? tl_poll8(place, at) : tl_look8(place, at);
        if (tl_is_of(word, shared->generation[rank], step->call))
        {
            *value = (uint32_t)word;
            return 1;
        }

        if (0 != vain_ns && *vain_ns < known_ns)
        {
            *vain_ns = known_ns;
            if (0 == wait.looks % TL_QUICK_LOOKS && 0 != wait.looks)
            {
                tl_store8(place, tl_rank_at(arguments, rank, TL_RANK_NOT_GRANTED), known_ns);
            }
        }

        if (!tl_waits_on(place, shared, arguments, step, &wait, rank, op))
        {
            shared->state[rank] = 1;
            return 0;
        }
    }
}

/*
 * Whether the lease of what a rank has granted is over, by now; it is masked then. not_granted_ns: when this block knew
 * that it was not granted.
 */
TL_FN int tl_is_late(
    const struct tl_place *place, struct tl_step_shared *shared, const struct tl_step_arguments *arguments,
    const struct tl_step *step, const uint32_t rank, const uint64_t not_granted_ns, const uint32_t op)
{
    if (!TL_RARELY(rank != arguments->own && tl_since(tl_now_ns(), not_granted_ns) >= arguments->timeout_ns / 2))
    {
        return 0;
    }

    /* What this block has read may be of the call before. */
    while (step->call != tl_acquire8(place, arguments->state + TL_STATE_LEASES))
    {
        tl_rest();
    }

    const uint64_t stored_ns = tl_load8(place, tl_rank_at(arguments, rank, TL_RANK_NOT_GRANTED));
    const uint64_t known_ns = stored_ns > not_granted_ns ? stored_ns : not_granted_ns;
    const uint64_t renewed_ns = tl_load8(place, tl_rank_at(arguments, rank, TL_RANK_RENEWED));
    const uint64_t now_ns = tl_now_ns();
    if (tl_is_lease_valid(arguments, now_ns, known_ns, renewed_ns) &&
        tl_since(now_ns, known_ns) < (TL_LONGEST_WAIT - 1) * arguments->timeout_ns)
    {
        return 0;
    }

    tl_mask(place, arguments, rank, TL_LATE, op);
    shared->state[rank] = 1;
    return 1;
}

/*
 * Whether a near rank that is masked may still use what it was granted at a time; listens to its signs of life.
 */
TL_FN int tl_is_grant_open(
    const struct tl_place *place, const struct tl_step_shared *shared, const struct tl_step_arguments *arguments,
    const uint32_t rank, const uint64_t granted_ns)
{
    const uint64_t now_ns = tl_now_ns();
    const uint64_t sign = tl_sign_of(place, shared, arguments, 0, rank);
    if (0 != sign && sign != tl_load8(place, tl_rank_at(arguments, rank, TL_RANK_SEEN)))
    {
        tl_store8(place, tl_rank_at(arguments, rank, TL_RANK_SEEN), sign);
        tl_store8(place, tl_rank_at(arguments, rank, TL_RANK_HEARD), now_ns);
    }

    const uint64_t heard_ns = tl_load8(place, tl_rank_at(arguments, rank, TL_RANK_HEARD));
    return tl_since(now_ns, heard_ns > granted_ns ? heard_ns : granted_ns) < arguments->timeout_ns;
}

/* Whether a far rank takes part. */
TL_FN int tl_is_any_far_active(
    const struct tl_place *place, const struct tl_step_shared *shared, const struct tl_step_arguments *arguments)
{
    for (uint32_t rank = 0; rank < arguments->ranks; rank++)
    {
        if (0 != shared->far[rank] && 0 == shared->state[rank] && tl_is_active(place, arguments, rank))
        {
            return 1;
        }
    }

    return 0;
}

/*
 * A phase of a block that writes send blocks: nothing of the step before is read there any more, or no far rank takes
 * part. Where nobody drains the FIFO, far ranks are left out in the end (rule STP-12).
 */
TL_FN void tl_await_posts(
    const struct tl_place *place, struct tl_step_shared *shared, const struct tl_step_arguments *arguments)
{
    const uint64_t owed = tl_load8(place, arguments->state + TL_STATE_OWED);
    const uint64_t begun_ns = tl_now_ns();
    while (tl_poll8(place, arguments->released) < owed)
    {
        const uint64_t now_ns = tl_now_ns();
        const int is_over = tl_since(now_ns, begun_ns) >= TL_LONGEST_WAIT * arguments->timeout_ns;
        if (is_over || !tl_is_any_far_active(place, shared, arguments))
        {
            for (uint32_t rank = 0; rank < arguments->ranks; rank++)
            {
                if (0 != shared->far[rank])
                {
                    tl_mask(place, arguments, rank, TL_SILENT, TL_OP_BUCKET);
                    shared->state[rank] = 1;
                }
            }

            break;
        }

        tl_give_signs(place, shared, arguments, 1, now_ns);
        tl_rest();
    }
}

/*
 * Whether what all blocks have written for a far rank may be posted: no block has left it out. By a thread of the last
 * block.
 */
TL_FN int tl_may_post(
    const struct tl_place *place, const struct tl_step_shared *shared, const struct tl_step_arguments *arguments,
    const uint32_t rank)
{
    return rank < arguments->ranks && 0 != shared->far[rank] && 0 == shared->state[rank] &&
        tl_is_active(place, arguments, rank);
}

/*
 * A phase, by one thread for each far rank: all chunks of it that have come, and what the word of the first one says
 * where it is 0 how many there are.
 */
TL_FN void tl_await_chunks(
    const struct tl_place *place, struct tl_step_shared *shared, const struct tl_step_arguments *arguments,
    const struct tl_step *step, const uint64_t array, const uint32_t each, const uint32_t known)
{
    const uint32_t rank = place->thread;
    uint32_t count = known;
    for (uint32_t chunk = 0; 0 == chunk || (chunk < TL_CHUNKS && chunk * each < count); chunk++)
    {
        uint32_t value;
        if (!tl_await(place, shared, arguments, step, rank,
            tl_word_at(arguments, array, step->parity, rank, TL_CHUNKS, chunk), TL_OP_AWAIT, &value, 0))
        {
            return;
        }

        count = 0 == known ? value : known;
    }

    shared->slots[rank] = count;
}

/* By one thread, behind a fence of its own: whether this block is the last of the step that comes here. */
TL_FN uint32_t tl_take_ticket(const struct tl_place *place, const struct tl_step_arguments *arguments)
{
#ifdef __CUDA_ARCH__
    uint32_t before = 0;
    if (place->blocks > 1)
    {
        asm volatile("atom.acquire.gpu.global.inc.u32 %0, [%1], %2;"
            : "=r"(before) : "l"(arguments->state + TL_STATE_TICKET), "r"(place->blocks - 1) : "memory");
    }

    return before == place->blocks - 1;
#else
    uint32_t *const ticket = (uint32_t *)tl_at(place->memory, arguments->state + TL_STATE_TICKET, 4, 4);
    *ticket = (*ticket + 1) % place->blocks;
    return 0 == *ticket;
#endif
}

#endif
