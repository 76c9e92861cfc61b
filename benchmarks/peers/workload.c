/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
#include "workload.h"
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { PAGE = 4096, HUGE_PAGE = 2 << 20, LINE = 65536 };

void fail(const char *what, const char *which)
{
    fprintf(stderr, "mpi_peer: %s: %s\n", what, which);
    MPI_Abort(MPI_COMM_WORLD, 2);
    exit(2);
}

void *memory(size_t bytes)
{
    void *block = NULL;
    const size_t unit = bytes >= HUGE_PAGE ? HUGE_PAGE : PAGE;
    bytes = bytes / unit * unit + unit;
    if (posix_memalign(&block, unit, bytes) != 0) { fail("out of memory", "allocation"); }
    /* Where a system has none, small pages do. */
    if (unit == HUGE_PAGE) { madvise(block, bytes, MADV_HUGEPAGE); }
    memset(block, 0x5A, bytes);
    return block;
}

static const char *field(const char *line, const char *name)
{
    const char *at = strstr(line, name);
    return at == NULL ? NULL : strchr(at, ':') + 1;
}

static int numbers(const char *at, double *list)
{
    int count = 0;
    at = at == NULL ? NULL : strchr(at, '[');
    while (at != NULL && *at != ']' && count < MAX_TOPK)
    {
        char *end = NULL;
        list[count] = strtod(at + 1, &end);
        if (end == at + 1) { return count; }
        count++;
        at = end + strspn(end, " ");
    }
    return count;
}

static void take_route(struct trace *trace, const char *line, const char *name)
{
    double ids[MAX_TOPK], weights[MAX_TOPK];
    const int topk = numbers(field(line, "\"topk_ids\""), ids);
    const int weighed = numbers(field(line, "\"topk_weights\""), weights);
    if (topk == 0 || topk != weighed || (trace->topk != 0 && topk != trace->topk))
    {
        fail("a route has no topk_ids and topk_weights of one length", name);
    }
    trace->topk = topk;
    if (trace->routes == trace->room)
    {
        trace->room = trace->room == 0 ? 4096 : 2 * trace->room;
        trace->ids = realloc(trace->ids, sizeof(int32_t) * trace->room * topk);
        trace->weights = realloc(trace->weights, sizeof(float) * trace->room * topk);
        if (trace->ids == NULL || trace->weights == NULL) { fail("out of memory", name); }
    }
    for (int k = 0; k < topk; k++)
    {
        if (ids[k] >= trace->experts) { fail("a route names an expert beyond num_experts", name); }
        trace->ids[(size_t)trace->routes * topk + k] = (int32_t)ids[k];
        trace->weights[(size_t)trace->routes * topk + k] = (float)weights[k];
    }
    trace->routes++;
}

struct trace read_trace(const char *name)
{
    static char line[LINE];
    struct trace trace = {0};
    FILE *const file = fopen(name, "r");
    if (file == NULL) { fail("cannot be read", name); }
    while (fgets(line, sizeof line, file) != NULL)
    {
        const char *const experts = field(line, "\"num_experts\"");
        if (experts != NULL) { trace.experts = atoi(experts); }
        if (strstr(line, "\"route\"") != NULL) { take_route(&trace, line, name); }
    }
    fclose(file);
    if (trace.routes == 0) { fail("has no routes", name); }
    return trace;
}

static uint64_t mixed(uint64_t value)
{
    value = (value ^ value >> 30) * 0xBF58476D1CE4E5B9u;
    value = (value ^ value >> 27) * 0x94D049BB133111EBu;
    return value ^ value >> 31;
}

/* Eight bytes of a row a word; of BF16 numbers between 1/32 and 8, with either sign. */
static void make_row(uint8_t *row, size_t bytes, int route, int is_bf16)
{
    for (size_t at = 0; at < bytes; at += 8)
    {
        uint64_t word = mixed(((uint64_t)route << 32 | at) + 0x9E3779B97F4A7C15u);
        word = is_bf16 ? (word & 0x83FF83FF83FF83FFu) + 0x3D003D003D003D00u : word;
        memcpy(row + at, &word, 8);
    }
}

static float scale_of(int route, int group)
{
    return 1.0f + (float)(route % 97) + (float)group / 1024.0f;
}

void make_inputs(struct exchange *s)
{
    for (int t = 0; t < s->tokens; t++)
    {
        make_row(s->x + t * s->row_bytes, s->row_bytes, s->first_route + t, s->scales == 0);
        float *const scales = s->x_scales + (size_t)t * s->scales;
        for (int g = 0; g < s->scales; g++) { scales[g] = scale_of(s->first_route + t, g); }
    }
}

int first_route(const struct trace *trace, int rank, int ranks)
{
    return (int)((int64_t)rank * trace->routes / ranks);
}

void make_answers(struct exchange *s, const struct trace *trace)
{
    for (int r = 0; s->scales > 0 && r < s->ranks; r++)
    {
        const int first = first_route(trace, r, s->ranks);
        for (int row = s->recv_at[r]; row < s->recv_at[r] + s->recv_count[r]; row++)
        {
            make_row(s->answers + row * s->sum_bytes, s->sum_bytes, first + s->recv_source[row], 1);
        }
    }
}

int wrong_received(const struct exchange *s, const struct trace *trace)
{
    uint8_t *const row = memory(s->row_bytes);
    int at = 0, wrong = 0;
    for (int route = 0, source = 0; route < trace->routes; route++)
    {
        while (route >= first_route(trace, source + 1, s->ranks)) { source++; }
        const int32_t *const ids = trace->ids + (size_t)route * s->topk;
        const float *const weights = trace->weights + (size_t)route * s->topk;
        int is_mine = 0;
        for (int k = 0; k < s->topk; k++) { is_mine |= ids[k] >= 0 && ids[k] / s->experts_each == s->rank; }
        if (!is_mine) { continue; }
        if (at == s->recv_rows) { wrong++; break; }
        make_row(row, s->row_bytes, route, s->scales == 0);
        wrong += memcmp(row, s->recv_x + at * s->row_bytes, s->row_bytes) != 0;
        wrong += s->recv_source[at] != route - first_route(trace, source, s->ranks);
        const float *const scales = s->recv_scales + (size_t)at * s->scales;
        for (int g = 0; g < s->scales; g++) { wrong += scales[g] != scale_of(route, g); }
        for (int k = 0; k < s->topk; k++)
        {
            const int is_here = ids[k] >= 0 && ids[k] / s->experts_each == s->rank;
            wrong += s->recv_idx[(size_t)at * s->topk + k] != (is_here ? ids[k] % s->experts_each : -1);
            wrong += s->recv_weights[(size_t)at * s->topk + k] != (is_here ? weights[k] : 0.0f);
        }
        at++;
    }
    free(row);
    return wrong + (at != s->recv_rows);
}

int wrong_combined(const struct exchange *s)
{
    uint16_t *const row = memory(s->sum_bytes);
    int wrong = 0;
    for (int t = 0; t < s->tokens; t++)
    {
        const int copies = __builtin_popcountll(ranks_of(s, s->ids + (size_t)t * s->topk));
        make_row((uint8_t *)row, s->sum_bytes, s->first_route + t, 1);
        for (int i = 0; i < s->hidden; i++)
        {
            float sum = 0.0f;
            for (int c = 0; c < copies; c++) { sum += float_of((uint32_t)row[i] << 16); }
            wrong += s->combined[(size_t)t * s->hidden + i] != to_bf16(sum);
        }
        for (int k = 0; k < s->topk; k++)
        {
            const size_t at = (size_t)t * s->topk + k;
            wrong += s->combined_weights[at] != (s->ids[at] >= 0 ? s->weights[at] : 0.0f);
        }
    }
    free(row);
    return wrong;
}
