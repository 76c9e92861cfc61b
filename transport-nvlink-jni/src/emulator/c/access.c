/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */

/*
 * What running tasks touch. A range that a task has touched is held until the task ends, so that memory that is freed
 * too early gives an error or stale bytes and never takes the emulator down.
 */

#include <setjmp.h>
#include <string.h>

#include "emulator.h"

enum
{
    MOST_HELD = 512
};

/* A running kernel; its memory comes first, so that a pointer to that is one to this. */
struct launch
{
    struct tl_memory memory;
    struct tl_context *context;
    struct tl_range *held[MOST_HELD];
    unsigned held_count;
    unsigned next_window;
    CUresult result;
    jmp_buf end;
};

static void hold(struct launch *launch, struct tl_range *range)
{
    for (unsigned i = 0; i < launch->held_count; i++)
    {
        if (launch->held[i] == range)
        {
            return;
        }
    }
    if (launch->held_count == MOST_HELD)
    {
        tl_abort("a kernel touches more than %d allocations", MOST_HELD);
    }
    range->pins++;
    launch->held[launch->held_count++] = range;
}

void *tl_at_slow(struct tl_memory *memory, uint64_t address, size_t length, size_t alignment)
{
    struct launch *launch = (struct launch *)memory;
    if ((address & (alignment - 1)) != 0)
    {
        launch->result = CUDA_ERROR_MISALIGNED_ADDRESS;
        longjmp(launch->end, 1);
    }
    pthread_mutex_lock(&tl_lock);
    struct tl_range *range = tl_range_find(address, length);
    if (range == NULL || !tl_range_accessible(range, launch->context))
    {
        pthread_mutex_unlock(&tl_lock);
        launch->result = CUDA_ERROR_ILLEGAL_ADDRESS;
        longjmp(launch->end, 1);
    }
    hold(launch, range);
    const uint64_t delta = range->delta;
    memory->windows[launch->next_window] = (struct tl_window){range->base, range->length, delta};
    pthread_mutex_unlock(&tl_lock);
    launch->next_window = (launch->next_window + 1) % TL_WINDOWS;
    if (memory->count < TL_WINDOWS)
    {
        memory->count++;
    }
    return (void *)(uintptr_t)(address + delta);
}

CUresult tl_access_run_twin(struct tl_context *context, const struct tl_twin *twin, const void *arguments,
    unsigned blocks, unsigned threads)
{
    struct launch launch;
    launch.memory.count = 0;
    launch.context = context;
    launch.held_count = 0;
    launch.next_window = 0;
    launch.result = CUDA_SUCCESS;
    if (setjmp(launch.end) == 0)
    {
        twin->run(arguments, blocks, threads, &launch.memory);
    }
    pthread_mutex_lock(&tl_lock);
    for (unsigned i = 0; i < launch.held_count; i++)
    {
        tl_range_unpin(launch.held[i]);
    }
    pthread_mutex_unlock(&tl_lock);
    return launch.result;
}

static struct tl_range *hold_for_copy(uint64_t address, size_t length)
{
    struct tl_range *range = tl_range_find(address, length);
    if (range != NULL)
    {
        range->pins++;
    }
    return range;
}

static void *pointer_in(const struct tl_range *range, uint64_t address)
{
    return (void *)(uintptr_t)(address + range->delta);
}

CUresult tl_access_copy(uint64_t target, uint64_t source, size_t length)
{
    pthread_mutex_lock(&tl_lock);
    struct tl_range *to = hold_for_copy(target, length);
    struct tl_range *from = hold_for_copy(source, length);
    pthread_mutex_unlock(&tl_lock);
    if (to != NULL && from != NULL)
    {
        memmove(pointer_in(to, target), pointer_in(from, source), length);
    }
    pthread_mutex_lock(&tl_lock);
    if (to != NULL)
    {
        tl_range_unpin(to);
    }
    if (from != NULL)
    {
        tl_range_unpin(from);
    }
    pthread_mutex_unlock(&tl_lock);
    return to != NULL && from != NULL ? CUDA_SUCCESS : CUDA_ERROR_ILLEGAL_ADDRESS;
}

CUresult tl_access_set(uint64_t target, unsigned char value, size_t length)
{
    pthread_mutex_lock(&tl_lock);
    struct tl_range *to = hold_for_copy(target, length);
    pthread_mutex_unlock(&tl_lock);
    if (to == NULL)
    {
        return CUDA_ERROR_ILLEGAL_ADDRESS;
    }
    memset(pointer_in(to, target), value, length);
    pthread_mutex_lock(&tl_lock);
    tl_range_unpin(to);
    pthread_mutex_unlock(&tl_lock);
    return CUDA_SUCCESS;
}
