/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */

/* The kernels of device steps, in a module of their own: programs without steps do not compile them. */

#include "tl_launch.cuh"
#include "tl_steps.cuh"

TL_KERNEL(tl_step_dispatch)(const __grid_constant__ struct tl_step_arguments arguments)
{
    __shared__ struct tl_step_shared shared;
    struct tl_place place = tl_here();
    tl_step_dispatch_block(&place, &shared, &arguments, 0, 0);
}

TL_KERNEL(tl_step_dispatch_fp8)(const __grid_constant__ struct tl_step_arguments arguments)
{
    __shared__ struct tl_step_shared shared;
    struct tl_place place = tl_here();
    tl_step_dispatch_block(&place, &shared, &arguments, 1, 0);
}

TL_KERNEL(tl_step_send)(const __grid_constant__ struct tl_step_arguments arguments)
{
    __shared__ struct tl_step_shared shared;
    struct tl_place place = tl_here();
    tl_step_send_block(&place, &shared, &arguments, 0);
}

TL_KERNEL(tl_step_receive)(const __grid_constant__ struct tl_step_arguments arguments)
{
    __shared__ struct tl_step_shared shared;
    struct tl_place place = tl_here();
    tl_step_receive_block(&place, &shared, &arguments, 0);
}

TL_KERNEL(tl_step_combine)(const __grid_constant__ struct tl_step_arguments arguments)
{
    __shared__ struct tl_step_shared shared;
    struct tl_place place = tl_here();
    tl_step_combine_block(&place, &shared, &arguments, 0);
}

/* The same where there are far ranks. */

TL_KERNEL(tl_step_far_dispatch)(const __grid_constant__ struct tl_step_arguments arguments)
{
    __shared__ struct tl_step_shared shared;
    struct tl_place place = tl_here();
    tl_step_dispatch_block(&place, &shared, &arguments, 0 != arguments.call.is_fp8, 1);
}

TL_KERNEL(tl_step_far_send)(const __grid_constant__ struct tl_step_arguments arguments)
{
    __shared__ struct tl_step_shared shared;
    struct tl_place place = tl_here();
    tl_step_send_block(&place, &shared, &arguments, 1);
}

TL_KERNEL(tl_step_far_receive)(const __grid_constant__ struct tl_step_arguments arguments)
{
    __shared__ struct tl_step_shared shared;
    struct tl_place place = tl_here();
    tl_step_receive_block(&place, &shared, &arguments, 1);
}

TL_KERNEL(tl_step_far_combine)(const __grid_constant__ struct tl_step_arguments arguments)
{
    __shared__ struct tl_step_shared shared;
    struct tl_place place = tl_here();
    tl_step_combine_block(&place, &shared, &arguments, 1);
}

TL_KERNEL(tl_step_answer)(const __grid_constant__ struct tl_step_arguments arguments)
{
    __shared__ struct tl_step_shared shared;
    struct tl_place place = tl_here();
    tl_step_answer_block(&place, &shared, &arguments);
}

TL_KERNEL(tl_step_mask)(const __grid_constant__ struct tl_step_mask_arguments arguments)
{
    struct tl_place place = tl_here();
    tl_step_mask_block(&place, &arguments);
}
