/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */

/*
 * A stream's thread: one task after the other, each after a delay of random length, so that what the program did not
 * order comes in any order.
 */

#define _GNU_SOURCE

#include <stdlib.h>

#include "emulator.h"

void tl_mark_release(struct tl_mark *mark)
{
    mark->references--;
    if (mark->references == 0)
    {
        free(mark);
    }
}

/* Whether what the task is ordered behind, outside of its own stream, is done. */
static bool is_ready(const struct tl_stream *stream, const struct tl_task *task)
{
    if (task->kind == TL_TASK_WAIT && !task->mark->done)
    {
        return false;
    }
    const struct tl_stream *legacy = stream->context->legacy;
    if (stream != legacy)
    {
        return !stream->blocking || legacy == NULL || legacy->head == NULL || legacy->head->ticket > task->ticket;
    }
    for (const struct tl_stream *other = stream->context->streams; other != NULL; other = other->next)
    {
        if (other != legacy && other->blocking && other->head != NULL && other->head->ticket < task->ticket)
        {
            return false;
        }
    }
    return true;
}

/* Without the lock. */
static CUresult carry_out(struct tl_context *context, const struct tl_task *task)
{
    switch (task->kind)
    {
        case TL_TASK_KERNEL:
            return tl_access_run_twin(context, task->twin, task->arguments, task->blocks, task->threads);
        case TL_TASK_COPY:
            return tl_access_copy(task->target, task->source, task->length);
        case TL_TASK_SET:
            return tl_access_set(task->target, task->value, task->length);
        case TL_TASK_RECORD:
        case TL_TASK_WAIT:
            break;
    }
    return CUDA_SUCCESS;
}

/* Counts a task that begins; CUDA_SUCCESS, what it must end with, or TL_FAULT_HANG. */
static int fault_of(enum tl_task_kind kind)
{
    const int any = tl_fault("stream");
    int own = CUDA_SUCCESS;
    if (kind == TL_TASK_KERNEL)
    {
        own = tl_fault("launch");
    }
    else if (kind == TL_TASK_COPY || kind == TL_TASK_SET)
    {
        own = tl_fault("copy");
    }
    return own != CUDA_SUCCESS ? own : any;
}

static CUresult run(struct tl_stream *stream, const struct tl_task *task)
{
    struct tl_context *context = stream->context;
    pthread_mutex_unlock(&tl_lock);
    tl_delay(&stream->random, stream->most_delay_us);
    pthread_mutex_lock(&tl_lock);
    while (!is_ready(stream, task) && context->sticky == CUDA_SUCCESS)
    {
        tl_wait_for_change();
    }
    if (context->sticky != CUDA_SUCCESS)
    {
        return context->sticky;
    }
    const int fault = fault_of(task->kind);
    while (fault == TL_FAULT_HANG && context->sticky == CUDA_SUCCESS)
    {
        tl_wait_for_change();
    }
    if (fault != CUDA_SUCCESS)
    {
        return fault == TL_FAULT_HANG ? context->sticky : fault;
    }
    pthread_mutex_unlock(&tl_lock);
    const CUresult result = carry_out(context, task);
    pthread_mutex_lock(&tl_lock);
    return result;
}

/* Ends the first task. Those that a failed context never runs end here too, so that nobody waits for them. */
static void retire(struct tl_stream *stream)
{
    struct tl_task *task = stream->head;
    stream->head = task->next;
    if (stream->head == NULL)
    {
        stream->tail = NULL;
    }
    stream->queued--;
    if (task->mark != NULL)
    {
        task->mark->done |= task->kind == TL_TASK_RECORD;
        tl_mark_release(task->mark);
    }
    free(task->arguments);
    free(task);
    pthread_cond_broadcast(&tl_changed);
}

static void unlink_stream(struct tl_stream *stream)
{
    struct tl_stream **link = &stream->context->streams;
    while (*link != stream)
    {
        link = &(*link)->next;
    }
    *link = stream->next;
    pthread_cond_broadcast(&tl_changed);
}

static void *work(void *argument)
{
    struct tl_stream *stream = argument;
    struct tl_context *context = stream->context;
    pthread_mutex_lock(&tl_lock);
    for (;;)
    {
        while (stream->head == NULL && !stream->closed)
        {
            pthread_cond_wait(&stream->wake, &tl_lock);
        }
        if (stream->head == NULL)
        {
            break;
        }
        if (context->sticky == CUDA_SUCCESS)
        {
            const CUresult result = run(stream, stream->head);
            if (context->sticky == CUDA_SUCCESS)
            {
                context->sticky = result;
            }
        }
        retire(stream);
    }
    while (stream->waiters > 0)
    {
        tl_wait_for_change();
    }
    unlink_stream(stream);
    pthread_cond_destroy(&stream->wake);
    free(stream);
    pthread_mutex_unlock(&tl_lock);
    return NULL;
}

bool tl_stream_start(struct tl_stream *stream)
{
    return tl_thread_start(work, stream);
}
