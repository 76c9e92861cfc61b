/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
/*
 * What an MPI program makes of the workload of "transload run": the peer that whole runs are measured against.
 * Same trace, same deal of tokens to ranks, same bytes of a row, same results: rows ordered by source rank and token
 * with their top-k, and sums of a token's rows in F32, ranks ascending, rounded to BF16 (nearest even, NaN canonical).
 *
 * Dispatch: layout from the top-k, counts by MPI_Ialltoall while rows are packed (one memcpy a row, once for each other
 * rank that holds one of its experts), MPI_Alltoallv. Rows lie in the receive buffer as the result wants them, so they
 * are not unpacked; those for the own rank are written there at once. Combine: MPI_Alltoallv back straight from those
 * rows, then one pass that sums. Top-k and scales travel in a second, smaller MPI_Ialltoallv beside the rows. Nothing
 * is allocated in a call. A last iteration, over wiped memory and not timed, is compared with a serial computation.
 *
 * Build: mpicc -O3 -march=native -ffp-contract=off *.c
 * Usage: mpirun ... ./a.out TRACE HIDDEN ITERATIONS [bf16|fp8]; prints JSON. Exit code 1 where a rank is not verified.
 */
#include "workload.h"
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* More than a last-level cache of usual size holds; and see print_wall. */
enum { COPY_BYTES = 1 << 28, COPY_PASSES = 4, PARTS = 10, ITERATIONS_IN_PART = 4 };

static MPI_Datatype bytes_type(size_t bytes)
{
    MPI_Datatype type;
    MPI_Type_contiguous((int)bytes, MPI_BYTE, &type);
    MPI_Type_commit(&type);
    return type;
}

static void prepare(struct exchange *s, const struct trace *trace, int hidden, int is_fp8)
{
    s->topk = trace->topk;
    s->hidden = hidden;
    s->experts_each = (trace->experts + s->ranks - 1) / s->ranks;
    s->scales = is_fp8 ? hidden / GROUP : 0;
    s->first_route = first_route(trace, s->rank, s->ranks);
    s->tokens = first_route(trace, s->rank + 1, s->ranks) - s->first_route;
    s->ids = trace->ids + (size_t)s->first_route * s->topk;
    s->weights = trace->weights + (size_t)s->first_route * s->topk;
    s->row_bytes = (size_t)hidden * (is_fp8 ? 1 : 2);
    s->sum_bytes = 2 * (size_t)hidden;
    s->note_bytes = sizeof(int32_t) * (1 + 2 * s->topk + s->scales);
    s->row = bytes_type(s->row_bytes);
    s->sum = bytes_type(s->sum_bytes);
    s->note = bytes_type(s->note_bytes);
    s->weight_list = bytes_type(sizeof(float) * s->topk);

    s->masks = memory(sizeof(uint64_t) * s->tokens);
    layout(s);
    MPI_Alltoall(s->send_count, 1, MPI_INT, s->recv_count, 1, MPI_INT, MPI_COMM_WORLD);
    place_received(s);
    s->x = memory(s->tokens * s->row_bytes);
    s->x_scales = memory(sizeof(float) * s->tokens * s->scales);
    s->send_x = memory(s->sent_rows * s->sum_bytes);
    s->send_notes = memory(s->sent_rows * s->note_bytes);
    s->home_weights = memory(sizeof(float) * s->sent_rows * s->topk);
    s->recv_x = memory(s->recv_rows * s->row_bytes);
    s->answers = is_fp8 ? memory(s->recv_rows * s->sum_bytes) : s->recv_x;
    s->recv_notes = memory(s->recv_rows * s->note_bytes);
    s->recv_scales = memory(sizeof(float) * s->recv_rows * s->scales);
    s->recv_weights = memory(sizeof(float) * s->recv_rows * s->topk);
    s->recv_idx = memory(sizeof(int64_t) * s->recv_rows * s->topk);
    s->recv_source = memory(sizeof(int32_t) * s->recv_rows);
    s->combined = memory(s->tokens * s->sum_bytes);
    s->combined_weights = memory(sizeof(float) * s->tokens * s->topk);
    make_inputs(s);
}

/* Ranks that wait sleep, so that they take no core from one that measures. */
static void meet_asleep(void)
{
    MPI_Request all;
    int done = 0;
    MPI_Ibarrier(MPI_COMM_WORLD, &all);
    for (MPI_Test(&all, &done, MPI_STATUS_IGNORE); !done; MPI_Test(&all, &done, MPI_STATUS_IGNORE)) { usleep(500); }
}

static double copy_seconds(uint8_t *target, const uint8_t *source, size_t row_bytes)
{
    const double begin = MPI_Wtime();
    for (size_t at = 0; at < COPY_BYTES; at += row_bytes) { memcpy(target + at, source + at, row_bytes); }
    return MPI_Wtime() - begin;
}

/* Rows of 2 * hidden bytes; the best of some passes. */
static void measure_copies(const struct exchange *s, double *one_GBps, double *all_GBps)
{
    uint8_t *const source = memory(COPY_BYTES + s->sum_bytes);
    uint8_t *const target = memory(COPY_BYTES + s->sum_bytes);
    double least_one = 1e9, least_all = 1e9;
    for (int pass = 0; pass < COPY_PASSES; pass++)
    {
        meet_asleep();
        if (s->rank == 0)
        {
            const double seconds = copy_seconds(target, source, s->sum_bytes);
            least_one = seconds < least_one ? seconds : least_one;
        }
        meet_asleep();
        MPI_Barrier(MPI_COMM_WORLD);
        double slowest, begin = MPI_Wtime();
        copy_seconds(target, source, s->sum_bytes);
        double seconds = MPI_Wtime() - begin;
        MPI_Allreduce(&seconds, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        least_all = slowest < least_all ? slowest : least_all;
    }
    *one_GBps = COPY_BYTES / least_one / 1e9;
    *all_GBps = (double)COPY_BYTES * s->ranks / least_all / 1e9;
    free(source);
    free(target);
}

static void print_list(const char *name, const double *list, int count)
{
    printf("  \"%s\": [", name);
    for (int i = 0; i < count; i++) { printf("%s%.1f", i == 0 ? "" : ", ", list[i]); }
    printf("],\n");
}

/*
 * Time of iterations on end, as WallFigures of the command line reckons it: of the second half but the last one; of the
 * slowest rank, from its start of the first to its start of the one after the last, over their number; and so for each
 * of at most ten parts. starts has the start of each iteration and the end of the last, in seconds of the rank's own clock.
 */
static void print_wall(const double *starts, int iterations, int rank)
{
    const int first = iterations / 2, count = iterations - 1 - first > 1 ? iterations - 1 - first : 1;
    const int most = count / ITERATIONS_IN_PART < PARTS ? count / ITERATIONS_IN_PART : PARTS;
    const int parts = most > 1 ? most : 1;
    double own[PARTS + 1], slowest[PARTS + 1], least = 1e9, greatest = 0;
    for (int part = 0; part < parts; part++)
    {
        const int begin = first + part * count / parts, end = first + (part + 1) * count / parts;
        own[part] = (starts[end] - starts[begin]) / (end - begin);
    }
    own[parts] = (starts[first + count] - starts[first]) / count;
    MPI_Reduce(own, slowest, parts + 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank != 0) { return; }
    for (int part = 0; part < parts; part++)
    {
        least = slowest[part] < least ? slowest[part] : least;
        greatest = slowest[part] > greatest ? slowest[part] : greatest;
    }
    printf("  \"dispatch_and_combine\": {\"wall_micros_per_iteration\": {\"iterations\": %d, \"mean\": %.1f, "
        "\"least\": %.1f, \"greatest\": %.1f}},\n", count, slowest[parts] * 1e6, least * 1e6, greatest * 1e6);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    struct exchange state = {0};
    struct exchange *const s = &state;
    MPI_Comm_rank(MPI_COMM_WORLD, &s->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &s->ranks);
    const int hidden = argc < 4 ? 0 : atoi(argv[2]), iterations = argc < 4 ? 0 : atoi(argv[3]);
    const int is_fp8 = argc > 4 && strcmp(argv[4], "fp8") == 0;
    if (hidden < GROUP || hidden % GROUP != 0 || iterations < 1 || s->ranks > MAX_RANKS)
    {
        fail("at most 64 ranks, arguments", "TRACE HIDDEN (a multiple of 128) ITERATIONS [bf16|fp8]");
    }
    const struct trace trace = read_trace(argv[1]);
    prepare(s, &trace, hidden, is_fp8);

    /* Dispatches, then combines. */
    double *const micros = memory(sizeof(double) * 2 * iterations);
    double *const slowest = memory(sizeof(double) * 2 * iterations);
    double *const starts = memory(sizeof(double) * (iterations + 1));
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < iterations; i++)
    {
        starts[i] = MPI_Wtime();
        dispatch(s);
        const double dispatched = MPI_Wtime();
        /* Every iteration receives the same rows. */
        if (i == 0) { make_answers(s, &trace); }
        const double combining = MPI_Wtime();
        combine(s);
        starts[i + 1] = MPI_Wtime();
        micros[i] = (dispatched - starts[i]) * 1e6;
        micros[iterations + i] = (starts[i + 1] - combining) * 1e6;
    }
    MPI_Reduce(micros, slowest, 2 * iterations, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);

    memset(s->recv_x, 0, s->recv_rows * s->row_bytes);
    memset(s->recv_idx, 0, sizeof(int64_t) * s->recv_rows * s->topk);
    memset(s->combined, 0xFF, s->tokens * s->sum_bytes);
    MPI_Barrier(MPI_COMM_WORLD);
    dispatch(s);
    make_answers(s, &trace);
    combine(s);
    int wrong = wrong_received(s, &trace) + wrong_combined(s), wrongs = 0;
    int64_t rows[2] = {s->sent_rows, s->recv_rows}, sums[2];
    MPI_Allreduce(&wrong, &wrongs, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Reduce(rows, sums, 2, MPI_INT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
    double one_GBps, all_GBps;
    measure_copies(s, &one_GBps, &all_GBps);
    if (s->rank == 0)
    {
        char version[MPI_MAX_LIBRARY_VERSION_STRING];
        int length;
        MPI_Get_library_version(version, &length);
        printf("{\n  \"verified\": %s,\n  \"library\": \"%.*s\",\n", wrongs == 0 ? "true" : "false",
            (int)strcspn(version, ","), version);
        printf("  \"ranks\": %d, \"tokens\": %d, \"rows_received\": %lld, \"rows_sent\": %lld,\n", s->ranks,
            trace.routes, (long long)sums[1], (long long)sums[0]);
        printf("  \"hidden\": %d, \"dtype\": \"%s\", \"experts\": %d, \"topk\": %d,\n", hidden, is_fp8 ? "fp8" : "bf16",
            trace.experts, trace.topk);
        print_list("dispatch_micros", slowest, iterations);
        print_list("combine_micros", slowest + iterations, iterations);
    }
    print_wall(starts, iterations, s->rank);
    if (s->rank == 0)
    {
        printf("  \"dispatch_sent_bytes\": %lld, \"combine_sent_bytes\": %lld,\n",
            (long long)(sums[0] * (s->row_bytes + s->note_bytes)),
            (long long)(sums[0] * (s->sum_bytes + sizeof(float) * s->topk)));
        printf("  \"memcpy_one_GBps\": %.3f, \"memcpy_all_GBps\": %.3f\n}\n", one_GBps, all_GBps);
    }
    MPI_Finalize();
    return wrongs == 0 ? 0 : 1;
}
