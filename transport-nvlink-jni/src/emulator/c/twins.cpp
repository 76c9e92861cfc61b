/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */

/*
 * The table of the host twins: the kernels' own sources, compiled for the host. The file is compiled as C++, as they
 * are; nothing in it needs the C++ library. Contraction must be off (-ffp-contract=off), as on the device.
 */

#include "twins.h"

#include "../../main/cuda/tl_cast.cuh"
#include "../../main/cuda/tl_copy.cuh"
#include "../../main/cuda/tl_gates.cuh"
#include "../../main/cuda/tl_proxy.cuh"
#include "../../main/cuda/tl_reduce.cuh"
#include "../../main/cuda/tl_scatter.cuh"
#include "../../main/cuda/tl_steps.cuh"

namespace
{

const unsigned MOST_REST_US = 100;
/* A block begins by a chance of one to 2 to the power of 32 less this: some begin when others have left. */
const unsigned LATE_BITS = 28;

/* Shared memory lies on the stack, since a twin owns nothing when an address ends it. */
template<class Arguments, class Shared, void (*Block)(tl_place *, Shared *, const Arguments *)>
void run(const void *arguments, unsigned blocks, unsigned threads, tl_memory *memory)
{
    Shared shared;
    for (unsigned block = 0; block < blocks; block++)
    {
        tl_place place = {memory, block, blocks, 0, threads};
        Block(&place, &shared, static_cast<const Arguments *>(arguments));
    }
}

struct nothing
{
};

void mark(tl_place *place, nothing *, const tl_completion *arguments)
{
    tl_complete(place, arguments);
}

void put_rows(tl_place *place, tl_rows_shared *shared, const tl_put_rows_arguments *arguments)
{
    tl_put_rows_block(place, shared, arguments);
}

void put_rows_parts(tl_place *place, tl_parts_shared *shared, const tl_put_rows_parts_arguments *arguments)
{
    tl_put_rows_parts_block(place, shared, arguments);
}

void gated_rows(tl_place *place, tl_gated_shared *shared, const tl_gated_rows_arguments *arguments)
{
    tl_gated_rows_block(place, shared, arguments);
}

void zero_rows(tl_place *place, tl_rows_shared *shared, const tl_zero_rows_arguments *arguments)
{
    tl_zero_rows_block(place, shared, arguments);
}

void put(tl_place *place, nothing *, const tl_put_arguments *arguments)
{
    tl_put_block(place, arguments);
}

void add64(tl_place *place, nothing *, const tl_add64_arguments *arguments)
{
    tl_add64_block(place, arguments);
}

/* Other threads have something to do meanwhile. */
void rest(unsigned us)
{
    const timespec time = {0, static_cast<long>(us) * 1000};
    nanosleep(&time, nullptr);
}

/*
 * Blocks begin and take steps by chance, so that each gets ahead of the others now and then, or begins when these have
 * left, and all rest for a time by chance.
 * What a launch keeps of memory that it touched would hide that the memory has gone.
 */
void run_proxy(const void *argument_bytes, unsigned blocks, unsigned threads, tl_memory *memory)
{
    const auto *const arguments = static_cast<const tl_proxy_arguments *>(argument_bytes);
    tl_rows_shared rows;
    tl_proxy_shared shared[TL_MOST_PROXY_BLOCKS];
    bool is_begun[TL_MOST_PROXY_BLOCKS] = {};
    bool has_left[TL_MOST_PROXY_BLOCKS] = {};
    uint32_t random = 1 + static_cast<uint32_t>(arguments->completion.value);
    for (unsigned left = 0; left < blocks;)
    {
        bool is_idle = true;
        memory->count = 0;
        for (unsigned block = 0; block < blocks; block++)
        {
            tl_place place = {memory, block, blocks, 0, threads};
            random = random * 1664525 + 1013904223;
            if (!is_begun[block] && random >> LATE_BITS == 0)
            {
                tl_proxy_begin(&place, &shared[block], arguments);
                is_begun[block] = true;
            }
            if (is_begun[block] && !has_left[block] && random >> 31 == 0)
            {
                has_left[block] = tl_proxy_step(&place, &rows, &shared[block], arguments) == 0;
                is_idle = is_idle && shared[block].verdict == TL_WAIT;
                left += has_left[block] ? 1 : 0;
            }
        }
        if (is_idle || random >> 28 == 0)
        {
            rest((random >> 16) % MOST_REST_US);
        }
    }
    for (unsigned block = 0; block < blocks; block++)
    {
        tl_place place = {memory, block, blocks, 0, threads};
        tl_complete(&place, &arguments->completion);
    }
}

template<int What>
void reduce_rows(tl_place *place, tl_reduce_shared *shared, const tl_reduce_rows_arguments *arguments)
{
    tl_reduce_rows_block(place, shared, arguments, What);
}

void scatter_rows(tl_place *place, tl_scatter_shared *shared, const tl_scatter_rows_arguments *arguments)
{
    tl_scatter_rows_block(place, shared, arguments);
}

template<int IsQuantization>
void cast_rows(tl_place *place, tl_cast_shared *shared, const tl_cast_rows_arguments *arguments)
{
    tl_cast_rows_block(place, shared, arguments, IsQuantization);
}

void step_mask(tl_place *place, nothing *, const tl_step_mask_arguments *arguments)
{
    tl_step_mask_block(place, arguments);
}

}

const tl_twin tl_twins[] = {
    {"tl_mark", sizeof(tl_completion), run<tl_completion, nothing, mark>},
    {"tl_put_rows", sizeof(tl_put_rows_arguments), run<tl_put_rows_arguments, tl_rows_shared, put_rows>},
    {"tl_put_rows_parts", sizeof(tl_put_rows_parts_arguments),
        run<tl_put_rows_parts_arguments, tl_parts_shared, put_rows_parts>},
    {"tl_gated_rows", sizeof(tl_gated_rows_arguments), run<tl_gated_rows_arguments, tl_gated_shared, gated_rows>},
    {"tl_zero_rows", sizeof(tl_zero_rows_arguments), run<tl_zero_rows_arguments, tl_rows_shared, zero_rows>},
    {"tl_put", sizeof(tl_put_arguments), run<tl_put_arguments, nothing, put>},
    {"tl_add64", sizeof(tl_add64_arguments), run<tl_add64_arguments, nothing, add64>},
    {"tl_proxy", sizeof(tl_proxy_arguments), run_proxy},
    {"tl_reduce_rows", sizeof(tl_reduce_rows_arguments),
        run<tl_reduce_rows_arguments, tl_reduce_shared, reduce_rows<TL_SUMS_PLAIN>>},
    {"tl_reduce_parted_rows", sizeof(tl_reduce_rows_arguments),
        run<tl_reduce_rows_arguments, tl_reduce_shared, reduce_rows<TL_SUMS_PARTED>>},
    {"tl_reduce_any_rows", sizeof(tl_reduce_rows_arguments),
        run<tl_reduce_rows_arguments, tl_reduce_shared, reduce_rows<TL_SUMS_ANY>>},
    {"tl_scatter_rows", sizeof(tl_scatter_rows_arguments),
        run<tl_scatter_rows_arguments, tl_scatter_shared, scatter_rows>},
    {"tl_quantize_rows", sizeof(tl_cast_rows_arguments), run<tl_cast_rows_arguments, tl_cast_shared, cast_rows<1>>},
    {"tl_dequantize_rows", sizeof(tl_cast_rows_arguments), run<tl_cast_rows_arguments, tl_cast_shared, cast_rows<0>>},
    {"tl_step_dispatch", sizeof(tl_step_arguments), run<tl_step_arguments, tl_step_shared, tl_step_dispatch_block>},
    {"tl_step_send", sizeof(tl_step_arguments), run<tl_step_arguments, tl_step_shared, tl_step_send_block>},
    {"tl_step_receive", sizeof(tl_step_arguments), run<tl_step_arguments, tl_step_shared, tl_step_receive_block>},
    {"tl_step_combine", sizeof(tl_step_arguments), run<tl_step_arguments, tl_step_shared, tl_step_combine_block>},
    {"tl_step_mask", sizeof(tl_step_mask_arguments), run<tl_step_mask_arguments, nothing, step_mask>},
    {nullptr, 0, nullptr}
};
