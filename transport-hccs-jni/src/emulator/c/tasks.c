/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */

/*
 * A stream's thread: one task after the other, each after a delay of random length, so that what the program did not
 * order comes in any order.
 */

#define _GNU_SOURCE

#include <stdlib.h>
#include <time.h>

#include "emulator.h"

void tl_mark_release(struct tl_mark *mark)
{
    mark->references--;
    if (mark->references == 0)
    {
        free(mark);
    }
}

/* Whether the task is not carried out, or no longer. */
static bool is_dropped(const struct tl_stream *stream, const struct tl_task *task)
{
    return stream->context->dead || task->ticket <= stream->aborted ||
        (stream->error != ACL_SUCCESS && stream->mode == ACL_STOP_ON_FAILURE);
}

/* Counts a task that begins; 0, a code, or a negative action. */
static int fault_of(enum tl_task_kind kind)
{
    const int any = tl_fault("stream");
    const int own = tl_fault(tl_task_names[kind]);
    return own != ACL_SUCCESS ? own : any;
}

/* What a fault does before the task is carried out; the code that it ends with. */
static aclError suffer(struct tl_stream *stream, const struct tl_task *task, int fault)
{
    const unsigned plan = tl_fault_plan();
    switch (fault)
    {
        case TL_FAULT_HANG:
            while (!is_dropped(stream, task) && tl_fault_plan() == plan)
            {
                tl_wait_for_change();
            }
            break;
        case TL_FAULT_LINK_DOWN:
            tl_link_is_down = true;
            break;
        case TL_FAULT_PEER_DEATH:
            tl_peer_is_dead = true;
            break;
        case TL_FAULT_LOST_HEARTBEAT:
            stream->context->dead = true;
            pthread_cond_broadcast(&tl_changed);
            break;
        default:
            return fault;
    }
    return ACL_SUCCESS;
}

/* Looked at again and again: nobody tells that memory has changed. */
static aclError await_value(struct tl_stream *stream, const struct tl_task *task)
{
    for (;;)
    {
        bool met = false;
        const aclError result = tl_value_met(stream->context, task, &met);
        if (result != ACL_SUCCESS || met || is_dropped(stream, task))
        {
            return result;
        }
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += 1000000;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        pthread_cond_timedwait(&tl_changed, &tl_lock, &until);
    }
}

static aclError carry_out(struct tl_stream *stream, const struct tl_task *task)
{
    if (task->kind == TL_TASK_WAIT)
    {
        return ACL_SUCCESS;
    }
    if (task->kind == TL_TASK_VALUE)
    {
        return await_value(stream, task);
    }
    if (task->kind == TL_TASK_RECORD)
    {
        task->mark->done = true;
        return ACL_SUCCESS;
    }
    pthread_mutex_unlock(&tl_lock);
    const aclError result = tl_work(stream->context, task);
    pthread_mutex_lock(&tl_lock);
    return result;
}

static void run(struct tl_stream *stream, const struct tl_task *task)
{
    pthread_mutex_unlock(&tl_lock);
    tl_delay(&stream->random, stream->most_delay_us);
    pthread_mutex_lock(&tl_lock);
    while (task->kind == TL_TASK_WAIT && !task->mark->done && !is_dropped(stream, task))
    {
        tl_wait_for_change();
    }
    if (is_dropped(stream, task))
    {
        return;
    }
    aclError result = suffer(stream, task, fault_of(task->kind));
    if (result == ACL_SUCCESS && !is_dropped(stream, task))
    {
        result = carry_out(stream, task);
    }
    if (result != ACL_SUCCESS && stream->error == ACL_SUCCESS && !is_dropped(stream, task))
    {
        stream->error = result;
    }
}

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
        tl_mark_release(task->mark);
    }
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
        if (!is_dropped(stream, stream->head))
        {
            run(stream, stream->head);
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
