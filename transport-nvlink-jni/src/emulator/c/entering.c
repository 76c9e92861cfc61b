/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */

/* What every exported call begins and ends with, and what the emulator says of itself. */

#define _GNU_SOURCE

#include <string.h>

#include "emulator.h"

const char tl_emulator_name[] = "CUDA emulator";
const char tl_settings_prefix[] = "TRANSLOAD_CUDA_EMULATOR_";
const char tl_function_prefix[] = "cu";
const char *const tl_task_names[] = {"launch", "copy", "stream", NULL};
const struct tl_fault_word tl_task_words[] = {{"hang", TL_FAULT_HANG}, {NULL, 0}};
const struct tl_fault_word tl_function_words[] = {{NULL, 0}};
const char tl_fault_example[] = "cuMemAlloc_v2:3=2;launch:10=719;copy:1=700;stream:5=hang";

CUresult tl_enter(const char *symbol, struct tl_context **context)
{
    pthread_mutex_lock(&tl_lock);
    if (!tl_initialised && strcmp(symbol, "cuInit") != 0)
    {
        return CUDA_ERROR_NOT_INITIALIZED;
    }
    const CUresult fault = tl_fault(symbol);
    if (fault != CUDA_SUCCESS || context == NULL)
    {
        return fault;
    }
    *context = tl_current_context();
    if (*context == NULL)
    {
        return CUDA_ERROR_INVALID_CONTEXT;
    }
    return (*context)->references == 0 ? CUDA_ERROR_CONTEXT_IS_DESTROYED : (*context)->sticky;
}

CUresult tl_leave(CUresult result)
{
    pthread_mutex_unlock(&tl_lock);
    return result;
}
