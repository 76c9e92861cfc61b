/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */

/* Streams, and who waits for them. */

#define _GNU_SOURCE

#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "emulator.h"

enum
{
    FLAGS = 0x3,
    MOST_PRIORITY = 7,
    FOR_EVER = -1
};

static uint64_t last_ticket;
static unsigned stream_number;

aclError tl_stream_find(struct tl_context *context, aclrtStream handle, struct tl_stream **stream)
{
    if (handle == NULL)
    {
        return tl_refuse(ACL_ERROR_RT_PARAM_INVALID, "the default stream is not emulated");
    }
    *stream = tl_handle_find(TL_STREAM, handle);
    if (*stream == NULL)
    {
        return tl_refuse(ACL_ERROR_RT_PARAM_INVALID, "%p is no stream", handle);
    }
    return (*stream)->context == context ? ACL_SUCCESS : tl_refuse(ACL_ERROR_RT_STREAM_CONTEXT,
        "stream %u is of device %d, this thread is on device %d", (*stream)->number, (*stream)->context->device,
        context->device);
}

aclError tl_stream_submit(struct tl_stream *stream, const struct tl_task *task)
{
    stream->waiters++;
    while (stream->queued == TL_MOST_QUEUED_TASKS && !stream->closed)
    {
        tl_wait_for_change();
    }
    stream->waiters--;
    struct tl_task *added = malloc(sizeof *added);
    if (stream->closed || added == NULL)
    {
        tl_abort("a stream was destroyed while another thread submitted to it, or there is no memory");
    }
    *added = *task;
    last_ticket++;
    added->ticket = last_ticket;
    added->next = NULL;
    if (stream->head == NULL)
    {
        stream->head = added;
    }
    else
    {
        stream->tail->next = added;
    }
    stream->tail = added;
    stream->queued++;
    pthread_cond_signal(&stream->wake);
    return ACL_SUCCESS;
}

static void drop_tasks(struct tl_stream *stream)
{
    stream->aborted = last_ticket;
    stream->aborts++;
    stream->error = ACL_SUCCESS;
    pthread_cond_signal(&stream->wake);
    pthread_cond_broadcast(&tl_changed);
}

/* Waits until none of the dropped tasks runs. */
static void await_drop(struct tl_stream *stream)
{
    const uint64_t ticket = stream->aborted;
    stream->waiters++;
    while (stream->head != NULL && stream->head->ticket <= ticket)
    {
        tl_wait_for_change();
    }
    stream->waiters--;
    pthread_cond_broadcast(&tl_changed);
}

static void close_stream(struct tl_stream *stream)
{
    tl_handle_destroy(stream->handle);
    stream->closed = true;
    drop_tasks(stream);
}

void tl_streams_release_context(struct tl_context *context)
{
    for (struct tl_stream *stream = context->streams; stream != NULL; stream = stream->next)
    {
        if (!stream->closed)
        {
            close_stream(stream);
        }
    }
    while (context->streams != NULL)
    {
        tl_wait_for_change();
    }
}

/* Priority and flags are wishes here. */
TL_EXPORT aclError aclrtCreateStreamWithConfig(aclrtStream *handle, uint32_t priority, uint32_t flags)
{
    struct tl_context *context = NULL;
    aclError result = tl_enter("aclrtCreateStreamWithConfig", &context);
    if (result != ACL_SUCCESS)
    {
        return tl_leave(result);
    }
    if (handle == NULL || priority > MOST_PRIORITY || (flags & ~(uint32_t)FLAGS) != 0)
    {
        return tl_leave(tl_refuse(ACL_ERROR_INVALID_PARAM, "priority %u, flags %u", priority, flags));
    }
    struct tl_stream *stream = calloc(1, sizeof *stream);
    if (stream == NULL)
    {
        tl_abort("no memory for a stream");
    }
    stream->number = ++stream_number;
    stream->context = context;
    stream->most_delay_us = tl_setting("DELAY_US", 20, 0, 10000000);
    stream->random = tl_random_seed(stream->number);
    pthread_cond_init(&stream->wake, NULL);
    if (!tl_stream_start(stream))
    {
        tl_abort("no thread for a stream");
    }
    stream->next = context->streams;
    context->streams = stream;
    stream->handle = tl_handle_create(TL_STREAM, stream);
    *handle = stream->handle;
    return tl_leave(ACL_SUCCESS);
}

aclError tl_enter_stream(const char *symbol, aclrtStream handle, struct tl_stream **stream)
{
    struct tl_context *context = NULL;
    const aclError result = tl_enter(symbol, &context);
    return result == ACL_SUCCESS ? tl_stream_find(context, handle, stream) : result;
}

/* Work that was not done by then is dropped. */
TL_EXPORT aclError aclrtDestroyStreamForce(aclrtStream handle)
{
    struct tl_context *context = NULL;
    struct tl_stream *stream = NULL;
    aclError result = tl_enter_to_release("aclrtDestroyStreamForce", &context);
    if (result == ACL_SUCCESS)
    {
        result = tl_stream_find(context, handle, &stream);
    }
    if (result == ACL_SUCCESS)
    {
        close_stream(stream);
        await_drop(stream);
    }
    return tl_leave(result);
}

TL_EXPORT aclError aclrtStreamAbort(aclrtStream handle)
{
    struct tl_stream *stream = NULL;
    aclError result = tl_enter_stream("aclrtStreamAbort", handle, &stream);
    if (result == ACL_SUCCESS)
    {
        drop_tasks(stream);
        await_drop(stream);
    }
    return tl_leave(result);
}

TL_EXPORT aclError aclrtSetStreamFailureMode(aclrtStream handle, uint64_t mode)
{
    struct tl_stream *stream = NULL;
    aclError result = tl_enter_stream("aclrtSetStreamFailureMode", handle, &stream);
    if (result == ACL_SUCCESS)
    {
        if (mode > ACL_STOP_ON_FAILURE)
        {
            return tl_leave(tl_refuse(ACL_ERROR_RT_PARAM_INVALID, "mode %llu", (unsigned long long)mode));
        }
        stream->mode = mode;
    }
    return tl_leave(result);
}

/* Whether the stream still has work that was submitted up to the ticket. */
static bool is_behind(const struct tl_stream *stream, uint64_t ticket)
{
    return stream->head != NULL && stream->head->ticket <= ticket;
}

/* An error of a stream that goes on after failures is told once. */
static aclError error_of(struct tl_stream *stream)
{
    const aclError error = stream->error;
    if (stream->mode != ACL_STOP_ON_FAILURE)
    {
        stream->error = ACL_SUCCESS;
    }
    return tl_refuse(error, "a task of stream %u on device %d ended with %d", stream->number, stream->context->device,
        error);
}

static aclError synchronize(struct tl_stream *stream, int32_t timeout_ms)
{
    const uint64_t ticket = last_ticket;
    const unsigned aborts = stream->aborts;
    struct timespec deadline;
    int waited = 0;
    clock_gettime(CLOCK_REALTIME, &deadline);
    deadline.tv_sec += timeout_ms / 1000;
    deadline.tv_nsec += timeout_ms % 1000 * 1000000L;
    deadline.tv_sec += deadline.tv_nsec / 1000000000;
    deadline.tv_nsec %= 1000000000;
    stream->waiters++;
    while (is_behind(stream, ticket) && stream->aborts == aborts && !stream->context->dead && waited != ETIMEDOUT)
    {
        waited = timeout_ms == FOR_EVER ? pthread_cond_wait(&tl_changed, &tl_lock) :
            pthread_cond_timedwait(&tl_changed, &tl_lock, &deadline);
    }
    stream->waiters--;
    pthread_cond_broadcast(&tl_changed);
    if (stream->context->dead)
    {
        return tl_refuse(ACL_ERROR_RT_LOST_HEARTBEAT, "device %d lost its heartbeat", stream->context->device);
    }
    if (stream->aborts != aborts)
    {
        return tl_refuse(ACL_ERROR_RT_STREAM_ABORT, "stream %u was aborted", stream->number);
    }
    if (stream->error != ACL_SUCCESS)
    {
        return error_of(stream);
    }
    return is_behind(stream, ticket) ? tl_refuse(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, "stream %u has work after %d ms",
        stream->number, timeout_ms) : ACL_SUCCESS;
}

TL_EXPORT aclError aclrtSynchronizeStreamWithTimeout(aclrtStream handle, int32_t timeout_ms)
{
    struct tl_stream *stream = NULL;
    aclError result = tl_enter_stream("aclrtSynchronizeStreamWithTimeout", handle, &stream);
    if (result == ACL_SUCCESS)
    {
        result = timeout_ms == 0 || timeout_ms < FOR_EVER ?
            tl_refuse(ACL_ERROR_RT_PARAM_INVALID, "a time-out of %d ms", timeout_ms) : synchronize(stream, timeout_ms);
    }
    return tl_leave(result);
}
