/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
/* What is exchanged: a trace dealt to ranks, rows that every rank can compute, and the serial computation of both. */
#ifndef WORKLOAD_H
#define WORKLOAD_H

#include "exchange.h"
#include <stddef.h>

struct trace { int experts, topk, routes, room; int32_t *ids; float *weights; };

/* Says what is wrong with which thing, and ends all ranks. */
void fail(const char *what, const char *which);

/* Touched, so that no call pays for a first touch; in huge pages where it is large, which MPI copies between faster. */
void *memory(size_t bytes);

struct trace read_trace(const char *name);

/* Rank r sends routes first_route(r) to first_route(r + 1) - 1. */
int first_route(const struct trace *trace, int rank, int ranks);

void make_inputs(struct exchange *s);

/* Answers are the received rows as they are; of FP8 rows, the BF16 row of the same token. */
void make_answers(struct exchange *s, const struct trace *trace);

/* How many rows, top-k entries and sums differ from the serial computation. */
int wrong_received(const struct exchange *s, const struct trace *trace);
int wrong_combined(const struct exchange *s);

#endif
