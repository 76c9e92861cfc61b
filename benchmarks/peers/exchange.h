/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
/* What is measured: dispatch and combine of one rank, over memory that is there before. */
#ifndef EXCHANGE_H
#define EXCHANGE_H

#include <mpi.h>
#include <stdint.h>
#include <string.h>

enum { MAX_RANKS = 64, MAX_TOPK = 64, GROUP = 128 };

/* A row's companion on the wire: its source token, K experts, K weights, and the scales of an FP8 row. */
struct exchange
{
    int rank, ranks, experts_each, topk, hidden, scales, tokens, first_route;
    size_t row_bytes, note_bytes, sum_bytes;
    MPI_Datatype row, note, sum, weight_list;
    const int32_t *ids;
    const float *weights;
    uint8_t *x;
    float *x_scales;
    uint64_t *masks;
    int send_count[MAX_RANKS], send_at[MAX_RANKS], recv_count[MAX_RANKS], recv_at[MAX_RANKS];
    int wire_send[MAX_RANKS], wire_recv[MAX_RANKS];
    int sent_rows, recv_rows;
    uint8_t *send_x, *send_notes, *recv_notes, *recv_x, *answers;
    float *recv_scales, *recv_weights, *home_weights;
    int64_t *recv_idx;
    int32_t *recv_source;
    uint16_t *combined;
    float *combined_weights;
};

/* From the top-k to counts of rows for each rank, and where they lie in the send buffer. */
void layout(struct exchange *s);

/* From the counts of all ranks to where received rows lie. */
void place_received(struct exchange *s);

/* Bit r: rank r holds one of the chosen experts. */
uint64_t ranks_of(const struct exchange *s, const int32_t *ids);

/* Both are collective; what they need besides the struct was allocated before. */
void dispatch(struct exchange *s);
void combine(struct exchange *s);

static inline float float_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline uint32_t to_bf16(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    const uint32_t rounded = (bits + 0x7FFFu + (bits >> 16 & 1u)) >> 16;
    return (bits & 0x7FFFFFFFu) > 0x7F800000u ? 0x7FC0u : rounded;
}

#endif
