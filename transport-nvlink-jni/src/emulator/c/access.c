/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */

/*
 * What running tasks touch. A range that a task has touched is held until the task ends, so that memory that is freed
 * too early gives an error or stale bytes and never takes the emulator down.
 */

#include <setjmp.h>
#include <string.h>
#include <time.h>

#include "emulator.h"

/* A running kernel; its memory comes first, so that a pointer to that is one to this. */
struct launch
{
    struct tl_memory memory;
    struct tl_context *context;
    struct tl_range *held[TL_MOST_HELD];
    unsigned held_count;
    unsigned next_window;
    CUresult result;
    jmp_buf end;
};

/* By device: whether its kernels stop where they next look at the time, until it is no longer so. */
static int stopped[TL_MOST_DEVICES];

/* The device whose kernel this thread runs. */
static _Thread_local int running = -1;

TL_EXPORT void tlStopKernels(int device, int is_stopped)
{
    __atomic_store_n(&stopped[device], is_stopped, __ATOMIC_SEQ_CST);
}

void tl_stop_point(void)
{
    const struct timespec pause = {0, 100000};
    while (running >= 0 && __atomic_load_n(&stopped[running], __ATOMIC_SEQ_CST))
    {
        nanosleep(&pause, NULL);
    }
}

static void hold(struct launch *launch, struct tl_range *range)
{
    for (unsigned i = 0; i < launch->held_count; i++)
    {
        if (launch->held[i] == range)
        {
            return;
        }
    }
    if (launch->held_count == TL_MOST_HELD)
    {
        tl_abort("a kernel touches more than %d allocations", TL_MOST_HELD);
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
    running = context->device;
    if (setjmp(launch.end) == 0)
    {
        twin->run(arguments, blocks, threads, &launch.memory);
    }
    running = -1;
    pthread_mutex_lock(&tl_lock);
    for (unsigned i = 0; i < launch.held_count; i++)
    {
        tl_range_unpin(launch.held[i]);
    }
    pthread_mutex_unlock(&tl_lock);
    return launch.result;
}

/* The range that holds the first of the bytes, which are then as many fewer; NULL if there is none. */
static struct tl_range *next_piece(uint64_t *address, uint64_t *length)
{
    struct tl_range *range = tl_range_find(*address, 1);
    if (range == NULL)
    {
        return NULL;
    }
    const uint64_t left = range->base + range->length - *address;
    if (left < *length && range->kind != TL_MAPPED)
    {
        return NULL;
    }
    *address += left < *length ? left : *length;
    *length -= left < *length ? left : *length;
    return range;
}

bool tl_span_known(uint64_t address, uint64_t length)
{
    while (length > 0 && next_piece(&address, &length) != NULL)
    {
    }
    return length == 0;
}

bool tl_span_hold(struct tl_span *span, uint64_t address, uint64_t length)
{
    span->count = 0;
    if (!tl_span_known(address, length))
    {
        return false;
    }
    while (length > 0)
    {
        if (span->count == TL_MOST_HELD)
        {
            tl_abort("a copy touches more than %d mappings", TL_MOST_HELD);
        }
        struct tl_range *range = next_piece(&address, &length);
        range->pins++;
        span->held[span->count++] = range;
    }
    return true;
}

void tl_span_release(struct tl_span *span)
{
    for (unsigned i = 0; i < span->count; i++)
    {
        tl_range_unpin(span->held[i]);
    }
}

void *tl_span_view(const struct tl_span *span, uint64_t address)
{
    return (void *)(uintptr_t)(address + span->held[0]->delta);
}

CUresult tl_access_copy(uint64_t target, uint64_t source, size_t length)
{
    struct tl_span to;
    struct tl_span from;
    pthread_mutex_lock(&tl_lock);
    const bool to_known = tl_span_hold(&to, target, length);
    const bool from_known = tl_span_hold(&from, source, length);
    pthread_mutex_unlock(&tl_lock);
    if (to_known && from_known)
    {
        memmove(tl_span_view(&to, target), tl_span_view(&from, source), length);
    }
    pthread_mutex_lock(&tl_lock);
    tl_span_release(&to);
    tl_span_release(&from);
    pthread_mutex_unlock(&tl_lock);
    return to_known && from_known ? CUDA_SUCCESS : CUDA_ERROR_ILLEGAL_ADDRESS;
}

CUresult tl_access_set(uint64_t target, unsigned char value, size_t length)
{
    struct tl_span to;
    pthread_mutex_lock(&tl_lock);
    const bool known = tl_span_hold(&to, target, length);
    pthread_mutex_unlock(&tl_lock);
    if (!known)
    {
        return CUDA_ERROR_ILLEGAL_ADDRESS;
    }
    memset(tl_span_view(&to, target), value, length);
    pthread_mutex_lock(&tl_lock);
    tl_span_release(&to);
    pthread_mutex_unlock(&tl_lock);
    return CUDA_SUCCESS;
}
