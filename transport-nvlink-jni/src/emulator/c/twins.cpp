/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */

/*
 * The table of the host twins: the kernels' own sources, compiled for the host. The file is compiled as C++, as they
 * are; nothing in it needs the C++ library. Contraction must be off (-ffp-contract=off), as on the device.
 */

#include "twins.h"

#include <time.h>

namespace
{

/* Kernels look at the time when they wait, and when they use what was granted; there tests can stop them. */
int tl_stopping_clock(clockid_t clock, timespec *now)
{
    tl_stop_point();
    return clock_gettime(clock, now);
}

int tl_stopping_sleep(const timespec *time, timespec *rest)
{
    tl_stop_point();
    return nanosleep(time, rest);
}

}

#define clock_gettime tl_stopping_clock
#define nanosleep tl_stopping_sleep

#include "../../main/cuda/tl_cast.cuh"
#include "../../main/cuda/tl_copy.cuh"
#include "../../main/cuda/tl_reduce.cuh"
#include "../../main/cuda/tl_scatter.cuh"
#include "../../main/cuda/tl_steps.cuh"

namespace
{

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

template<int IsFp8>
void step_dispatch(tl_place *place, tl_step_shared *shared, const tl_step_arguments *arguments)
{
    tl_step_dispatch_block(place, shared, arguments, IsFp8, 0);
}

void step_far_dispatch(tl_place *place, tl_step_shared *shared, const tl_step_arguments *arguments)
{
    tl_step_dispatch_block(place, shared, arguments, 0 != arguments->call.is_fp8, 1);
}

template<int HasFar>
void step_send(tl_place *place, tl_step_shared *shared, const tl_step_arguments *arguments)
{
    tl_step_send_block(place, shared, arguments, HasFar);
}

template<int HasFar>
void step_receive(tl_place *place, tl_step_shared *shared, const tl_step_arguments *arguments)
{
    tl_step_receive_block(place, shared, arguments, HasFar);
}

template<int HasFar>
void step_combine(tl_place *place, tl_step_shared *shared, const tl_step_arguments *arguments)
{
    tl_step_combine_block(place, shared, arguments, HasFar);
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
    {"tl_zero_rows", sizeof(tl_zero_rows_arguments), run<tl_zero_rows_arguments, tl_rows_shared, zero_rows>},
    {"tl_put", sizeof(tl_put_arguments), run<tl_put_arguments, nothing, put>},
    {"tl_add64", sizeof(tl_add64_arguments), run<tl_add64_arguments, nothing, add64>},
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
    {"tl_step_dispatch", sizeof(tl_step_arguments), run<tl_step_arguments, tl_step_shared, step_dispatch<0>>},
    {"tl_step_dispatch_fp8", sizeof(tl_step_arguments), run<tl_step_arguments, tl_step_shared, step_dispatch<1>>},
    {"tl_step_send", sizeof(tl_step_arguments), run<tl_step_arguments, tl_step_shared, step_send<0>>},
    {"tl_step_receive", sizeof(tl_step_arguments), run<tl_step_arguments, tl_step_shared, step_receive<0>>},
    {"tl_step_combine", sizeof(tl_step_arguments), run<tl_step_arguments, tl_step_shared, step_combine<0>>},
    {"tl_step_far_dispatch", sizeof(tl_step_arguments), run<tl_step_arguments, tl_step_shared, step_far_dispatch>},
    {"tl_step_far_send", sizeof(tl_step_arguments), run<tl_step_arguments, tl_step_shared, step_send<1>>},
    {"tl_step_far_receive", sizeof(tl_step_arguments), run<tl_step_arguments, tl_step_shared, step_receive<1>>},
    {"tl_step_far_combine", sizeof(tl_step_arguments), run<tl_step_arguments, tl_step_shared, step_combine<1>>},
    {"tl_step_answer", sizeof(tl_step_arguments), run<tl_step_arguments, tl_step_shared, tl_step_answer_block>},
    {"tl_step_mask", sizeof(tl_step_mask_arguments), run<tl_step_mask_arguments, nothing, step_mask>},
    {nullptr, 0, nullptr}
};
