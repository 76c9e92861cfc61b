/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */

/*
 * One rank of a world in C: dispatches and combines in both modes, and compares all that comes with what brute force
 * says. Rows hold small whole numbers, so that sums are exact in BF16. Arguments: rank, ranks, ranks of nodes, address.
 */

#include "transload.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum
{
    TOKENS = 33,
    HIDDEN = 256,
    TOPK = 3,
    EXPERTS = 12,
    MOST_RANKS = 8,
    GROUPS = HIDDEN / 128
};

static int ranks, own;
static int64_t selected[MOST_RANKS][TOKENS][TOPK];
static float weights[MOST_RANKS][TOKENS][TOPK];
static uint16_t rows[MOST_RANKS][TOKENS][HIDDEN];
static int32_t ranks_of_nodes[MOST_RANKS];
static int nodes;

#define REQUIRE(condition) require((condition), #condition, __LINE__)
#define CHECK(call) check((call), #call, __LINE__)

static void require(const int holds, const char *what, const int line)
{
    if (!holds)
    {
        printf("rank %d, line %d: not so: %s\n", own, line, what);
        exit(1);
    }
}

static void check(const int status, const char *what, const int line)
{
    if (TRANSLOAD_OK != status)
    {
        printf("rank %d, line %d: %s: status %d: %s\n", own, line, what, status, transload_last_error());
        exit(1);
    }
}

static uint16_t bf16(const float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof(bits));
    return (uint16_t)(bits >> 16);
}

static float number(const uint16_t value)
{
    const uint32_t bits = (uint32_t)value << 16;
    float result;
    memcpy(&result, &bits, sizeof(result));
    return result;
}

static int owner(const int64_t expert)
{
    return expert < 0 ? -1 : (int)(expert / ((EXPERTS + ranks - 1) / ranks));
}

static int goes_to(const int source, const int token, const int rank)
{
    for (int k = 0; k < TOPK; k++)
    {
        if (owner(selected[source][token][k]) == rank)
        {
            return 1;
        }
    }

    return 0;
}

static int copies(const int token)
{
    int sum = 0;
    for (int rank = 0; rank < ranks; rank++)
    {
        sum += goes_to(own, token, rank);
    }

    return sum;
}

/* The same on all ranks. */
static void make_inputs(const int shift)
{
    uint32_t state = 1;
    for (int rank = 0; rank < ranks; rank++)
    {
        for (int token = 0; token < TOKENS; token++)
        {
            for (int k = 0; k < TOPK; k++)
            {
                state = state * 1664525u + 1013904223u;
                int64_t expert = (state >> 16) % EXPERTS;
                for (int earlier = 0; earlier < k; earlier++)
                {
                    expert = selected[rank][token][earlier] == expert ? -1 : expert;
                }

                selected[rank][token][k] = expert;
                weights[rank][token][k] = (float)(1 + token % 4) / 4;
            }

            for (int i = 0; i < HIDDEN; i++)
            {
                rows[rank][token][i] = bf16((float)((rank + 3 * token + i + shift) % 8));
            }
        }
    }
}

static DLTensor tensor(void *data, const int code, const int bits, const int64_t *shape)
{
    return (DLTensor){
        .data = data, .device = {kDLCPU, 0}, .ndim = 2, .dtype = {(uint8_t)code, (uint8_t)bits, 1},
        .shape = (int64_t *)(uintptr_t)shape};
}

static const int64_t X[] = {TOKENS, HIDDEN};
static const int64_t K[] = {TOKENS, TOPK};

static void check_layout(const DLTensor *topk)
{
    int32_t of_ranks[MOST_RANKS], of_nodes[MOST_RANKS], of_experts[EXPERTS];
    uint8_t in_rank[TOKENS * MOST_RANKS];
    CHECK(transload_layout(
        topk, EXPERTS, ranks, ranks_of_nodes, nodes, of_ranks, of_nodes, of_experts, in_rank));
    int first = 0;
    for (int node = 0; node < nodes; node++)
    {
        int tokens_of_node = 0;
        for (int token = 0; token < TOKENS; token++)
        {
            int any = 0;
            for (int rank = first; rank < first + ranks_of_nodes[node]; rank++)
            {
                any |= goes_to(own, token, rank);
                REQUIRE(in_rank[token * ranks + rank] == goes_to(own, token, rank));
            }

            tokens_of_node += any;
        }

        first += ranks_of_nodes[node];
        REQUIRE(of_nodes[node] == tokens_of_node);
    }

    for (int expert = 0; expert < EXPERTS; expert++)
    {
        int tokens = 0;
        for (int i = 0; i < TOKENS * TOPK; i++)
        {
            tokens += selected[own][i / TOPK][i % TOPK] == expert;
        }

        REQUIRE(of_experts[expert] == tokens);
    }
}

/* Rows by source rank, then token. */
static void check_rows(const transload_dispatch_result_t *result, const int is_fp8, const int alignment)
{
    const int local_experts = (EXPERTS + ranks - 1) / ranks;
    int counts[EXPERTS] = {0}, row = 0;
    REQUIRE(result->local_experts == local_experts);
    for (int source = 0; source < ranks; source++)
    {
        for (int token = 0; token < TOKENS; token++)
        {
            if (!goes_to(source, token, own))
            {
                continue;
            }

            if (is_fp8)
            {
                const uint8_t *x = (const uint8_t *)result->x->dl_tensor.data + row * HIDDEN;
                const float *scales = (const float *)result->x_scales->dl_tensor.data + row * GROUPS;
                REQUIRE(x[7] == (uint8_t)(source + token) && scales[1] == (float)(token + 1));
            }
            else
            {
                const uint16_t *x = (const uint16_t *)result->x->dl_tensor.data + row * HIDDEN;
                REQUIRE(0 == memcmp(x, rows[source][token], sizeof(rows[0][0])));
            }

            for (int k = 0; NULL != result->topk_idx && k < TOPK; k++)
            {
                const int64_t expert = selected[source][token][k];
                const int is_here = owner(expert) == own;
                const int64_t local = is_here ? expert - (int64_t)own * local_experts : -1;
                REQUIRE(((const int64_t *)result->topk_idx->dl_tensor.data)[row * TOPK + k] == local);
                REQUIRE(((const float *)result->topk_weights->dl_tensor.data)[row * TOPK + k] ==
                    (is_here ? weights[source][token][k] : 0));
                if (is_here)
                {
                    counts[local]++;
                }
            }

            REQUIRE(NULL == result->src_token_idx ||
                ((const int32_t *)result->src_token_idx->dl_tensor.data)[row] == token);
            row++;
        }

        REQUIRE(result->rank_prefix_sum[source] == row);
    }

    REQUIRE(result->rows == row);
    for (int expert = 0; NULL != result->topk_idx && expert < local_experts; expert++)
    {
        REQUIRE(result->rows_per_expert[expert] == (counts[expert] + alignment - 1) / alignment * alignment);
    }
}

static void drop(DLManagedTensor *given)
{
    if (NULL != given)
    {
        given->deleter(given);
    }
}

static void drop_all(transload_dispatch_result_t *result)
{
    drop(result->x);
    drop(result->x_scales);
    drop(result->topk_idx);
    drop(result->topk_weights);
    drop(result->src_token_idx);
}

static void check_gather(transload_world *world, const char *topic)
{
    char mine[MOST_RANKS + 1] = "abcdefgh";
    int64_t lengths[MOST_RANKS];
    void *all;
    CHECK(transload_world_all_gather(world, topic, mine, own + 1, 30000, &all, lengths));
    const char *at = all;
    for (int rank = 0; rank < ranks; rank++)
    {
        REQUIRE(rank + 1 == lengths[rank] && 0 == memcmp(at, mine, (size_t)lengths[rank]));
        at += lengths[rank];
    }

    transload_free(all);
}

/* A call does not end before all ranks have made it. */
static void check_pending(
    transload_world *world, transload_engine *engine, const transload_dispatch_request *request)
{
    transload_call *call;
    if (0 != own)
    {
        check_gather(world, "pending");
    }

    CHECK(transload_dispatch_start(engine, request, &call));
    if (0 == own)
    {
        transload_dispatch_result_t early = {.size = sizeof(early)};
        REQUIRE(TRANSLOAD_PENDING == transload_call_wait(call, 20));
        REQUIRE(TRANSLOAD_BAD_INPUT == transload_dispatch_result(call, &early));
        check_gather(world, "pending");
    }

    CHECK(transload_call_close(call));
}

/* The same in one function: it gives up the wait, and the call goes on. */
static void check_pending_at_once(
    transload_world *world, transload_engine *engine, const transload_dispatch_request *request)
{
    transload_call *call = NULL;
    transload_dispatch_result_t result = {.size = sizeof(result)};
    if (0 != own)
    {
        check_gather(world, "pending at once");
    }

    int status = transload_dispatch(engine, request, 0 == own ? 20 : -1, &call, &result);
    if (0 == own)
    {
        REQUIRE(TRANSLOAD_PENDING == status && NULL != call && NULL == result.x);
        check_gather(world, "pending at once");
        CHECK(transload_call_wait(call, -1));
        status = transload_dispatch_result(call, &result);
        CHECK(transload_call_close(call));
        call = NULL;
    }

    CHECK(status);
    REQUIRE(NULL == call);
    check_rows(&result, 0, 4);
    drop_all(&result);
    CHECK(transload_handle_close(result.handle));
}

/* Dispatch and combine in one function each; what was deleted is used again, and not before. */
static void check_at_once(transload_engine *engine, const transload_dispatch_request *request)
{
    const void *seen[3] = {NULL};
    for (int round = 0; round < 3; round++)
    {
        transload_call *call = NULL;
        transload_dispatch_result_t result = {.size = sizeof(result)}, kept = {.size = sizeof(kept)};
        CHECK(transload_dispatch(engine, request, -1, &call, &result));
        REQUIRE(NULL == call && result.engine_ns > 0);
        REQUIRE(result.x_data == result.x->dl_tensor.data && NULL == result.x_scales_data);
        REQUIRE(result.topk_weights_data == result.topk_weights->dl_tensor.data);
        CHECK(transload_dispatch(engine, request, -1, &call, &kept));
        REQUIRE(kept.x_data != result.x_data);
        check_rows(&result, 0, 4);
        check_rows(&kept, 0, 4);
        drop_all(&kept);
        CHECK(transload_handle_close(kept.handle));
        const transload_combine_request combine = {
            .size = sizeof(combine), .handle = result.handle, .x = &result.x->dl_tensor};
        transload_combine_result_t sums = {.size = sizeof(sums)};
        CHECK(transload_combine(engine, &combine, -1, &call, &sums));
        REQUIRE(NULL == call && sums.engine_ns > 0 && NULL == sums.topk_weights && NULL == sums.topk_weights_data);
        for (int i = 0; i < TOKENS * HIDDEN; i++)
        {
            REQUIRE(number(((const uint16_t *)sums.x_data)[i]) ==
                number(rows[own][i / HIDDEN][i % HIDDEN]) * copies(i / HIDDEN));
        }

        const void *now[] = {result.x_data, kept.x_data, sums.x_data};
        for (int i = 0; i < 3; i++)
        {
            seen[i] = 0 == round ? now[i] : seen[i];
        }

        for (int i = 0; i < 3; i++)
        {
            REQUIRE(now[i] == seen[0] || now[i] == seen[1] || now[i] == seen[2]);
        }

        drop(sums.x);
        drop_all(&result);
        CHECK(transload_handle_close(result.handle));
    }

    transload_call *call = NULL;
    transload_dispatch_result_t none = {.size = sizeof(none)};
    transload_dispatch_request wrong = *request;
    wrong.experts = -1;
    REQUIRE(TRANSLOAD_BAD_INPUT == transload_dispatch(engine, &wrong, -1, &call, &none));
    REQUIRE(NULL == call && NULL == none.x);
    REQUIRE(TRANSLOAD_BAD_INPUT == transload_dispatch(engine, request, -1, &call, NULL));
}

enum
{
    MANY = 200
};

static void *drop_half(void *tensors)
{
    for (int i = 0; i < MANY; i += 2)
    {
        drop(((DLManagedTensor **)tensors)[i]);
    }

    return NULL;
}

/* By two threads at once, before the engine is closed and after it was. */
static void check_deletion(transload_world *world)
{
    static DLManagedTensor *given[MANY];
    transload_engine *engine;
    const DLDataType type = {kDLFloat, 32, 1};
    CHECK(transload_engine_open(world, "transload.max-hidden = 256", &engine));
    for (int is_closed = 0; is_closed < 2; is_closed++)
    {
        int64_t tensors = -1;
        for (int i = 0; i < MANY; i++)
        {
            CHECK(transload_engine_allocate(engine, type, 1, 8, &given[i]));
        }

        CHECK(transload_engine_tensors(engine, &tensors));
        REQUIRE(MANY == tensors);
        if (is_closed)
        {
            CHECK(transload_engine_close(engine));
        }

        pthread_t thread;
        REQUIRE(0 == pthread_create(&thread, NULL, drop_half, given));
        drop_half(given + 1);
        REQUIRE(0 == pthread_join(thread, NULL));
        if (!is_closed)
        {
            CHECK(transload_engine_tensors(engine, &tensors));
            REQUIRE(0 == tensors);
        }
    }
}

static transload_dispatch_result_t finish_dispatch(
    transload_engine *engine, const transload_dispatch_request *request, transload_call **call)
{
    transload_dispatch_result_t result = {.size = sizeof(result)};
    CHECK(transload_dispatch_start(engine, request, call));
    int status = TRANSLOAD_PENDING;
    while (TRANSLOAD_PENDING == status)
    {
        status = transload_call_wait(*call, 100);
    }

    CHECK(status);
    CHECK(transload_dispatch_result(*call, &result));
    REQUIRE(result.engine_ns > 0);
    return result;
}

static void check_combine(
    transload_engine *engine, transload_handle *handle, const transload_dispatch_result_t *delivered)
{
    static uint16_t bias[TOKENS][HIDDEN], out[TOKENS][HIDDEN];
    for (int i = 0; i < TOKENS * HIDDEN; i++)
    {
        bias[i / HIDDEN][i % HIDDEN] = bf16(2);
    }

    const DLTensor bias_tensor = tensor(bias, kDLUInt, 16, X), out_tensor = tensor(out, kDLBfloat, 16, X);
    transload_combine_request request = {
        .size = sizeof(request), .handle = handle, .x = &delivered->x->dl_tensor,
        .topk_weights = &delivered->topk_weights->dl_tensor, .bias0 = &bias_tensor};
    for (int is_given = 0; is_given < 2; is_given++)
    {
        transload_combine_result_t result = {.size = sizeof(result)};
        transload_call *call;
        request.out = is_given ? &out_tensor : NULL;
        CHECK(transload_combine_start(engine, &request, &call));
        CHECK(transload_call_wait(call, -1));
        CHECK(transload_combine_result(call, &result));
        REQUIRE(is_given == (NULL == result.x));
        const uint16_t *sums = is_given ? out[0] : (const uint16_t *)result.x->dl_tensor.data;
        for (int i = 0; i < TOKENS * HIDDEN; i++)
        {
            REQUIRE(number(sums[i]) == number(rows[own][i / HIDDEN][i % HIDDEN]) * copies(i / HIDDEN) + 2);
        }

        for (int i = 0; i < TOKENS * TOPK; i++)
        {
            REQUIRE(((const float *)result.topk_weights->dl_tensor.data)[i] ==
                (selected[own][i / TOPK][i % TOPK] < 0 ? 0 : weights[own][i / TOPK][i % TOPK]));
        }

        drop(result.x);
        drop(result.topk_weights);
        CHECK(transload_call_close(call));
    }
}

static void check_fp8(transload_engine *engine, const DLTensor *topk)
{
    static uint8_t x[TOKENS][HIDDEN];
    static float scales[TOKENS][GROUPS];
    static const int64_t shape[] = {TOKENS, GROUPS};
    for (int token = 0; token < TOKENS; token++)
    {
        memset(x[token], own + token, HIDDEN);
        scales[token][0] = scales[token][1] = (float)(token + 1);
    }

    const DLTensor fp8 = tensor(x, kDLFloat8_e4m3fn, 8, X), its_scales = tensor(scales, kDLFloat, 32, shape);
    const transload_dispatch_request request = {
        .size = sizeof(request), .x = &fp8, .x_scales = &its_scales, .topk_idx = topk, .experts = EXPERTS,
        .raw_types = 1, .worst_rows = ranks * TOKENS};
    transload_call *call;
    transload_dispatch_result_t result = finish_dispatch(engine, &request, &call);
    REQUIRE(kDLUInt == result.x->dl_tensor.dtype.code && ranks * TOKENS == result.x->dl_tensor.shape[0]);
    REQUIRE(NULL != result.topk_weights);
    memset(weights, 0, sizeof(weights));
    check_rows(&result, 1, 1);
    for (int i = result.rows * TOPK; i < ranks * TOKENS * TOPK; i++)
    {
        REQUIRE(-1 == ((const int64_t *)result.topk_idx->dl_tensor.data)[i]);
    }

    drop_all(&result);
    CHECK(transload_handle_close(result.handle));
    CHECK(transload_call_close(call));
    make_inputs(0);
}

static void check_refusals(transload_engine *engine, const DLTensor *x, DLTensor topk)
{
    transload_call *call;
    const transload_dispatch_request request = {.size = sizeof(request), .x = x, .topk_idx = &topk, .experts = EXPERTS};
    static const int64_t strides[] = {2 * TOPK, 1};
    selected[own][5][1] = EXPERTS;
    REQUIRE(TRANSLOAD_BAD_INPUT == transload_dispatch_start(engine, &request, &call));
    REQUIRE(NULL != strstr(transload_last_error(), "topk_idx[5][1] = 12 is not allowed"));
    REQUIRE(-1 == transload_last_peer());
    REQUIRE(TRANSLOAD_BAD_INPUT ==
        transload_layout(&topk, EXPERTS, ranks, ranks_of_nodes, nodes, NULL, NULL, NULL, NULL));
    REQUIRE(NULL != strstr(transload_last_error(), "topk_idx[5][1] = 12 is not allowed"));
    selected[own][5][1] = selected[own][5][0] = 7;
    REQUIRE(TRANSLOAD_BAD_INPUT ==
        transload_layout(&topk, EXPERTS, ranks, ranks_of_nodes, nodes, NULL, NULL, NULL, NULL));
    REQUIRE(NULL != strstr(transload_last_error(), "topk_idx[5] selects expert 7 twice, the second time at 1"));
    make_inputs(0);
    topk.strides = (int64_t *)(uintptr_t)strides;
    REQUIRE(TRANSLOAD_BAD_INPUT == transload_dispatch_start(engine, &request, &call));
    REQUIRE(NULL != strstr(transload_last_error(), "topk_idx is not dense"));
    REQUIRE(TRANSLOAD_BAD_INPUT == transload_dispatch_start(engine, NULL, &call));
}

static void normal(transload_world *world)
{
    transload_engine *engine;
    transload_call *call, *other;
    int64_t tensors = -1;
    const DLTensor x = tensor(rows[own], kDLBfloat, 16, X), topk = tensor(selected[own], kDLInt, 64, K);
    const DLTensor its_weights = tensor(weights[own], kDLFloat, 32, K);
    CHECK(transload_engine_open(world, "transload.max-hidden = 256\ntransload.max-topk = 4", &engine));
    check_layout(&topk);
    const transload_dispatch_request request = {
        .size = sizeof(request), .x = &x, .topk_idx = &topk, .topk_weights = &its_weights, .experts = EXPERTS,
        .expert_alignment = 4};
    check_pending(world, engine, &request);
    check_pending_at_once(world, engine, &request);
    check_at_once(engine, &request);
    transload_dispatch_result_t result = finish_dispatch(engine, &request, &call);
    check_rows(&result, 0, 4);
    check_combine(engine, result.handle, &result);
    make_inputs(5);
    const transload_dispatch_request again = {.size = sizeof(again), .x = &x, .cached = result.handle};
    transload_dispatch_result_t repeated = finish_dispatch(engine, &again, &other);
    REQUIRE(NULL == repeated.topk_idx && NULL == repeated.handle);
    check_rows(&repeated, 0, 4);
    make_inputs(0);
    CHECK(transload_engine_tensors(engine, &tensors));
    REQUIRE(5 == tensors);
    drop_all(&repeated);
    drop_all(&result);
    CHECK(transload_call_close(other));
    CHECK(transload_call_close(call));
    CHECK(transload_handle_close(result.handle));
    check_fp8(engine, &topk);
    check_refusals(engine, &x, topk);
    CHECK(transload_engine_tensors(engine, &tensors));
    REQUIRE(0 == tensors);
    CHECK(transload_engine_close(engine));
}

static void check_output(const transload_low_latency_tensors *tensors)
{
    const int local_experts = (EXPERTS + ranks - 1) / ranks, most = ranks * TOKENS;
    REQUIRE(3 == tensors->x->dl_tensor.ndim && most == tensors->x->dl_tensor.shape[1]);
    for (int local = 0; local < local_experts; local++)
    {
        int row = 0;
        for (int source = 0; source < ranks; source++)
        {
            const int64_t first = row;
            for (int token = 0; token < TOKENS; token++)
            {
                for (int k = 0; k < TOPK; k++)
                {
                    if (selected[source][token][k] == (int64_t)own * local_experts + local)
                    {
                        const int at = local * most + row++;
                        REQUIRE(((const int32_t *)tensors->src_info->dl_tensor.data)[at] == token);
                        REQUIRE(0 == memcmp((const uint16_t *)tensors->x->dl_tensor.data + at * HIDDEN,
                            rows[source][token], sizeof(rows[0][0])));
                    }
                }
            }

            REQUIRE(((const int64_t *)tensors->layout_range->dl_tensor.data)[local * ranks + source] ==
                (first << 32 | (row - first)));
        }

        REQUIRE(((const int32_t *)tensors->count->dl_tensor.data)[local] == row);
    }
}

static void low_latency(transload_world *world)
{
    transload_low_latency *engine;
    transload_low_latency_output *outputs[2];
    transload_low_latency_tensors tensors[2];
    transload_low_latency_call *call;
    DLManagedTensor *answers;
    static uint16_t out[TOKENS][HIDDEN];
    int32_t active[MOST_RANKS], left_out = -1;
    const DLTensor x = tensor(rows[own], kDLBfloat, 16, X), topk = tensor(selected[own], kDLInt, 64, K);
    const DLTensor its_weights = tensor(weights[own], kDLFloat, 32, K), sums = tensor(out, kDLBfloat, 16, X);
    CHECK(transload_low_latency_open(
        world, "transload.low-latency.max-tokens = 33\ntransload.max-hidden = 256\ntransload.max-topk = 3", &engine));
    tensors[0].size = tensors[1].size = sizeof(tensors[0]);
    CHECK(transload_low_latency_output_open(
        engine, EXPERTS, HIDDEN, TRANSLOAD_SCALES_BF16, 1, &outputs[0], &tensors[0]));
    CHECK(transload_low_latency_output_open(
        engine, EXPERTS, HIDDEN, TRANSLOAD_SCALES_PACKED_COLUMNS, 1, &outputs[1], &tensors[1]));
    REQUIRE(1 == tensors[1].x_scales->dl_tensor.shape[2] && 1 == tensors[1].x_scales->dl_tensor.strides[1]);
    CHECK(transload_low_latency_answers(engine, EXPERTS, HIDDEN, 1, &answers));
    for (int round = 0; round < 3; round++)
    {
        make_inputs(round);
        const transload_low_latency_dispatch_request request = {
            .size = sizeof(request), .x = &x, .topk_idx = &topk, .output = outputs[0], .experts = EXPERTS,
            .at_once = 1 == round};
        CHECK(transload_low_latency_dispatch(engine, &request, &call));
        CHECK(transload_low_latency_receive(call));
        check_output(&tensors[0]);
        const DLTensor *rows_of_output = &tensors[0].x->dl_tensor;
        memcpy(answers->dl_tensor.data, rows_of_output->data,
            (size_t)(rows_of_output->shape[0] * rows_of_output->shape[1] * HIDDEN) * sizeof(uint16_t));
        const transload_low_latency_combine_request combine = {
            .size = sizeof(combine), .x = 2 == round ? &answers->dl_tensor : rows_of_output,
            .topk_weights = &its_weights, .out = &sums};
        CHECK(transload_low_latency_combine(call, &combine));
        CHECK(transload_low_latency_combine_receive(call, &left_out));
        CHECK(transload_low_latency_call_close(call));
        REQUIRE(0 == left_out);
        for (int i = 0; i < TOKENS * HIDDEN; i++)
        {
            float sum = 0;
            for (int k = 0; k < TOPK; k++)
            {
                sum += selected[own][i / HIDDEN][k] < 0 ? 0 : weights[own][i / HIDDEN][k];
            }

            REQUIRE(number(out[i / HIDDEN][i % HIDDEN]) == sum * number(rows[own][i / HIDDEN][i % HIDDEN]));
        }
    }

    const transload_low_latency_dispatch_request fp8 = {
        .size = sizeof(fp8), .x = &x, .topk_idx = &topk, .output = outputs[1], .experts = EXPERTS, .power_of_two = 1};
    CHECK(transload_low_latency_dispatch(engine, &fp8, &call));
    CHECK(transload_low_latency_receive(call));
    CHECK(transload_low_latency_call_close(call));
    CHECK(transload_low_latency_active(engine, active));
    for (int rank = 0; rank < ranks; rank++)
    {
        REQUIRE(1 == active[rank]);
    }

    int64_t before, after;
    CHECK(transload_low_latency_engine_ns(engine, &before));
    CHECK(transload_low_latency_dispatch(engine, &fp8, &call));
    CHECK(transload_low_latency_receive(call));
    CHECK(transload_low_latency_call_close(call));
    CHECK(transload_low_latency_engine_ns(engine, &after));
    REQUIRE(0 < before && before < after);
    REQUIRE(TRANSLOAD_BAD_INPUT == transload_low_latency_engine_ns(engine, NULL));
    drop(answers);
    CHECK(transload_low_latency_output_close(outputs[0]));
    CHECK(transload_low_latency_output_close(outputs[1]));
    CHECK(transload_low_latency_close(engine));
}

/* Another thread may call, and is attached and detached by itself. */
static void *ask(void *world)
{
    int64_t bytes = 0;
    CHECK(transload_ring_bytes("transload.nodes = 1\ntransload.ranks-per-node = 4", &bytes));
    REQUIRE(bytes > 0);
    REQUIRE(TRANSLOAD_CONFIGURATION == transload_ring_bytes("transload.max-hiden = 1", &bytes));
    REQUIRE(NULL != strstr(transload_last_error(), "max-hidden"));
    return world;
}

static void check_fork(void)
{
    const pid_t child = fork();
    if (0 == child)
    {
        int64_t bytes;
        _exit(TRANSLOAD_FORKED == transload_ring_bytes(NULL, &bytes) &&
            NULL != strstr(transload_last_error(), "was forked") ? 0 : 1);
    }

    int status = -1;
    REQUIRE(child == waitpid(child, &status, 0) && 0 == status);
}

int main(const int count, char **arguments)
{
    if (5 != count)
    {
        fprintf(stderr, "usage: ranks RANK RANKS RANKS_OF_NODES ADDRESS\n");
        return 2;
    }

    own = atoi(arguments[1]);
    ranks = atoi(arguments[2]);
    for (const char *at = arguments[3]; NULL != at && nodes < MOST_RANKS; at = strchr(at + 1, ','))
    {
        ranks_of_nodes[nodes++] = atoi(',' == *at ? at + 1 : at);
    }

    make_inputs(0);
    int64_t bytes;
    REQUIRE(TRANSLOAD_API_VERSION == transload_version());
    REQUIRE(TRANSLOAD_NO_JVM == transload_ring_bytes(NULL, &bytes));
    const transload_jvm nowhere = {.size = sizeof(nowhere), .libjvm = "/absent/libjvm.so"};
    REQUIRE(TRANSLOAD_NO_JVM == transload_start(&nowhere));
    REQUIRE(NULL != strstr(transload_last_error(), "'/absent/libjvm.so' is not a file"));
    CHECK(transload_start(NULL));
    CHECK(transload_start(NULL));
    transload_world *world;
    const transload_world_options options = {
        .size = sizeof(options), .rank = own, .ranks = ranks, .ranks_of_nodes = arguments[3], .address = arguments[4],
        .settings = "transload.scale-up.transport = aeron\ntransload.scale-out.transport = aeron"};
    CHECK(transload_world_open(&options, &world));
    int32_t place, size, of_nodes;
    CHECK(transload_world_place(world, &place, &size, &of_nodes));
    REQUIRE(own == place && ranks == size && nodes == of_nodes);
    check_gather(world, "names");
    normal(world);
    check_deletion(world);
    low_latency(world);
    pthread_t thread;
    void *returned = NULL;
    REQUIRE(0 == pthread_create(&thread, NULL, ask, world));
    REQUIRE(0 == pthread_join(thread, &returned) && world == returned);
    check_fork();
    CHECK(transload_world_close(world));
    printf("rank %d of %d: all as brute force says\n", own, ranks);
    return 0;
}
