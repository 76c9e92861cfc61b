/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
#include "exchange.h"

/* Two elements a word; inlined with a constant count, so that the sum stays in registers and the loop is vectorised. */
static inline __attribute__((always_inline)) void sum_of(
    const int count, const uint32_t *const *rows, uint32_t *restrict target, int words)
{
    for (int i = 0; i < words; i++)
    {
        float even = 0.0f;
        float odd = 0.0f;
        for (int k = 0; k < count; k++)
        {
            even += float_of(rows[k][i] << 16);
            odd += float_of(rows[k][i] & 0xFFFF0000u);
        }
        target[i] = to_bf16(even) | to_bf16(odd) << 16;
    }
}

static void sum_rows(int count, const uint32_t *const *rows, uint32_t *target, int words)
{
    switch (count)
    {
    case 0: memset(target, 0, (size_t)words * 4); break;
    case 1: sum_of(1, rows, target, words); break;
    case 2: sum_of(2, rows, target, words); break;
    case 3: sum_of(3, rows, target, words); break;
    case 4: sum_of(4, rows, target, words); break;
    case 5: sum_of(5, rows, target, words); break;
    case 6: sum_of(6, rows, target, words); break;
    case 7: sum_of(7, rows, target, words); break;
    case 8: sum_of(8, rows, target, words); break;
    default: sum_of(count, rows, target, words); break;
    }
}

uint64_t ranks_of(const struct exchange *s, const int32_t *ids)
{
    uint64_t mask = 0;
    for (int k = 0; k < s->topk; k++)
    {
        if (ids[k] >= 0) { mask |= (uint64_t)1 << (ids[k] / s->experts_each); }
    }
    return mask;
}

/* Rows to send lie by destination, without the own rank; received ones by source, with it. */
void layout(struct exchange *s)
{
    memset(s->send_count, 0, sizeof s->send_count);
    for (int t = 0; t < s->tokens; t++)
    {
        const uint64_t mask = ranks_of(s, s->ids + (size_t)t * s->topk);
        s->masks[t] = mask;
        for (uint64_t left = mask; left != 0; left &= left - 1) { s->send_count[__builtin_ctzll(left)]++; }
    }
    s->sent_rows = 0;
    for (int r = 0; r < s->ranks; r++)
    {
        s->wire_send[r] = r == s->rank ? 0 : s->send_count[r];
        s->send_at[r] = s->sent_rows;
        s->sent_rows += s->wire_send[r];
    }
}

void place_received(struct exchange *s)
{
    s->recv_rows = 0;
    for (int r = 0; r < s->ranks; r++)
    {
        s->recv_at[r] = s->recv_rows;
        s->recv_rows += s->recv_count[r];
        s->wire_recv[r] = r == s->rank ? 0 : s->recv_count[r];
    }
}

static void write_note(const struct exchange *s, int token, uint8_t *note)
{
    const size_t list = sizeof(int32_t) * s->topk;
    memcpy(note, &token, sizeof(int32_t));
    memcpy(note + 4, s->ids + (size_t)token * s->topk, list);
    memcpy(note + 4 + list, s->weights + (size_t)token * s->topk, list);
    memcpy(note + 4 + 2 * list, s->x_scales + (size_t)token * s->scales, sizeof(float) * s->scales);
}

static void read_notes(struct exchange *s)
{
    const int first = s->rank * s->experts_each;
    const size_t list = sizeof(int32_t) * s->topk;
    for (int row = 0; row < s->recv_rows; row++)
    {
        const uint8_t *const note = s->recv_notes + row * s->note_bytes;
        const int32_t *const ids = (const int32_t *)(note + 4);
        const float *const weights = (const float *)(note + 4 + list);
        memcpy(s->recv_source + row, note, sizeof(int32_t));
        for (int k = 0; k < s->topk; k++)
        {
            const int is_here = ids[k] >= first && ids[k] < first + s->experts_each;
            s->recv_idx[(size_t)row * s->topk + k] = is_here ? ids[k] - first : -1;
            s->recv_weights[(size_t)row * s->topk + k] = is_here ? weights[k] : 0.0f;
        }
        memcpy(s->recv_scales + (size_t)row * s->scales, note + 4 + 2 * list, sizeof(float) * s->scales);
    }
}

static void pack(struct exchange *s)
{
    int next[MAX_RANKS];
    memcpy(next, s->send_at, sizeof next);
    const uint64_t others = ~((uint64_t)1 << s->rank);
    for (int t = 0; t < s->tokens; t++)
    {
        for (uint64_t left = s->masks[t] & others; left != 0; left &= left - 1)
        {
            const size_t at = (size_t)next[__builtin_ctzll(left)]++;
            memcpy(s->send_x + at * s->row_bytes, s->x + t * s->row_bytes, s->row_bytes);
            write_note(s, t, s->send_notes + at * s->note_bytes);
        }
    }
}

static void keep_own(struct exchange *s)
{
    size_t at = (size_t)s->recv_at[s->rank];
    for (int t = 0; t < s->tokens; t++)
    {
        if (s->masks[t] >> s->rank & 1)
        {
            memcpy(s->recv_x + at * s->row_bytes, s->x + t * s->row_bytes, s->row_bytes);
            write_note(s, t, s->recv_notes + at++ * s->note_bytes);
        }
    }
}

void dispatch(struct exchange *s)
{
    MPI_Request counts, notes;
    layout(s);
    MPI_Ialltoall(s->send_count, 1, MPI_INT, s->recv_count, 1, MPI_INT, MPI_COMM_WORLD, &counts);
    pack(s);
    MPI_Wait(&counts, MPI_STATUS_IGNORE);
    place_received(s);
    MPI_Ialltoallv(s->send_notes, s->wire_send, s->send_at, s->note, s->recv_notes, s->wire_recv, s->recv_at, s->note,
        MPI_COMM_WORLD, &notes);
    keep_own(s);
    MPI_Alltoallv(s->send_x, s->wire_send, s->send_at, s->row, s->recv_x, s->wire_recv, s->recv_at, s->row,
        MPI_COMM_WORLD);
    MPI_Wait(&notes, MPI_STATUS_IGNORE);
    read_notes(s);
}

void combine(struct exchange *s)
{
    MPI_Request lists;
    MPI_Ialltoallv(s->recv_weights, s->wire_recv, s->recv_at, s->weight_list, s->home_weights, s->wire_send, s->send_at,
        s->weight_list, MPI_COMM_WORLD, &lists);
    MPI_Alltoallv(s->answers, s->wire_recv, s->recv_at, s->sum, s->send_x, s->wire_send, s->send_at, s->sum,
        MPI_COMM_WORLD);
    MPI_Wait(&lists, MPI_STATUS_IGNORE);

    int next[MAX_RANKS];
    memcpy(next, s->send_at, sizeof next);
    next[s->rank] = s->recv_at[s->rank];
    for (int t = 0; t < s->tokens; t++)
    {
        const uint32_t *rows[MAX_RANKS];
        float *const weights = s->combined_weights + (size_t)t * s->topk;
        int count = 0;
        memset(weights, 0, sizeof(float) * s->topk);
        for (uint64_t left = s->masks[t]; left != 0; left &= left - 1)
        {
            const int r = __builtin_ctzll(left);
            const size_t at = (size_t)next[r]++;
            const float *const list = (r == s->rank ? s->recv_weights : s->home_weights) + at * s->topk;
            rows[count++] = (const uint32_t *)((r == s->rank ? s->answers : s->send_x) + at * s->sum_bytes);
            for (int k = 0; k < s->topk; k++) { weights[k] += list[k]; }
        }
        sum_rows(count, rows, (uint32_t *)(s->combined + (size_t)t * s->hidden), s->hidden / 2);
    }
}
