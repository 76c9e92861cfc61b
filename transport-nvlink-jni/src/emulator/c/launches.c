/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */

/* Launches. */

#define _GNU_SOURCE

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "emulator.h"

enum
{
    MOST_THREADS = 1024,
    MOST_ARGUMENT_BYTES = 4096
};

/* The names in the list `extra` of a launch. */
#define PARAM_END ((void *)0)
#define PARAM_BUFFER ((void *)1)
#define PARAM_BYTES ((void *)2)

static CUresult read_arguments(void **extra, const void **arguments, size_t *bytes)
{
    *arguments = NULL;
    *bytes = 0;
    for (int i = 0; extra[i] != PARAM_END; i += 2)
    {
        if (extra[i] == PARAM_BUFFER)
        {
            *arguments = extra[i + 1];
        }
        else if (extra[i] == PARAM_BYTES && extra[i + 1] != NULL)
        {
            *bytes = *(const size_t *)extra[i + 1];
        }
        else
        {
            return CUDA_ERROR_INVALID_VALUE;
        }
    }
    return *arguments != NULL ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

static CUresult launch(struct tl_stream *stream, const struct tl_function *function, unsigned blocks, unsigned threads,
    void **extra)
{
    const void *arguments = NULL;
    size_t bytes = 0;
    const CUresult result = read_arguments(extra, &arguments, &bytes);
    if (result != CUDA_SUCCESS)
    {
        return result;
    }
    if (bytes != function->twin->argument_bytes || bytes > MOST_ARGUMENT_BYTES)
    {
        tl_say("the arguments of %s have %zu bytes, not %zu", function->twin->name, function->twin->argument_bytes,
            bytes);
        return CUDA_ERROR_INVALID_VALUE;
    }
    struct tl_task *task = calloc(1, sizeof *task);
    void *copy = malloc(bytes);
    if (task == NULL || copy == NULL)
    {
        free(task);
        free(copy);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    task->kind = TL_TASK_KERNEL;
    task->twin = function->twin;
    task->arguments = memcpy(copy, arguments, bytes);
    task->blocks = blocks;
    task->threads = threads;
    return tl_stream_submit(stream, task);
}

/* Grids and blocks have one dimension, and arguments come in one buffer: nothing else is in use. */
TL_EXPORT CUresult cuLaunchKernel(CUfunction handle, unsigned blocks, unsigned blocks_y, unsigned blocks_z,
    unsigned threads, unsigned threads_y, unsigned threads_z, unsigned shared_bytes, CUstream stream_handle,
    void **parameters, void **extra)
{
    struct tl_context *context = NULL;
    CUresult result = tl_enter("cuLaunchKernel", &context);
    if (result != CUDA_SUCCESS)
    {
        return tl_leave(result);
    }
    const struct tl_function *function = tl_handle_find(TL_FUNCTION, handle);
    struct tl_stream *stream = tl_stream_find(context, stream_handle);
    if (function == NULL || stream == NULL || function->context != context)
    {
        return tl_leave(CUDA_ERROR_INVALID_HANDLE);
    }
    if (blocks == 0 || threads == 0 || threads > MOST_THREADS || threads > function->most_threads)
    {
        return tl_leave(CUDA_ERROR_INVALID_VALUE);
    }
    if (blocks_y != 1 || blocks_z != 1 || threads_y != 1 || threads_z != 1 || shared_bytes != 0 || parameters != NULL ||
        extra == NULL)
    {
        tl_say("%s: only grids of one dimension, no dynamic shared memory and a buffer of arguments are emulated",
            function->twin->name);
        return tl_leave(CUDA_ERROR_NOT_SUPPORTED);
    }
    return tl_leave(launch(stream, function, blocks, threads, extra));
}
