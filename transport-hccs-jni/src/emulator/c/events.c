/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */

/* Events: points in streams, recorded as often as one likes. */

#include <stdlib.h>

#include "emulator.h"

enum
{
    FLAGS = 0xf
};

struct event
{
    struct tl_context *context;
    struct tl_mark *mark;
};

static void destroy(void *handle, struct event *event)
{
    tl_handle_destroy(handle);
    if (event->mark != NULL)
    {
        tl_mark_release(event->mark);
    }
    free(event);
}

static void release(void *handle, void *object, void *cookie)
{
    if (((struct event *)object)->context == cookie)
    {
        destroy(handle, object);
    }
}

void tl_events_release_context(struct tl_context *context)
{
    tl_handle_each(TL_EVENT, release, context);
}

TL_EXPORT aclError aclrtCreateEventExWithFlag(aclrtEvent *handle, uint32_t flags)
{
    struct tl_context *context = NULL;
    aclError result = tl_enter("aclrtCreateEventExWithFlag", &context);
    if (result != ACL_SUCCESS)
    {
        return tl_leave(result);
    }
    if (handle == NULL || flags == 0 || (flags & ~(uint32_t)FLAGS) != 0)
    {
        return tl_leave(tl_refuse(ACL_ERROR_INVALID_PARAM, "flags %u", flags));
    }
    struct event *event = calloc(1, sizeof *event);
    if (event == NULL)
    {
        tl_abort("no memory for an event");
    }
    event->context = context;
    *handle = tl_handle_create(TL_EVENT, event);
    return tl_leave(ACL_SUCCESS);
}

static aclError enter_event(const char *symbol, aclrtEvent handle, struct event **event)
{
    struct tl_context *context = NULL;
    const aclError result = tl_enter(symbol, &context);
    if (result != ACL_SUCCESS)
    {
        return result;
    }
    *event = tl_handle_find(TL_EVENT, handle);
    return *event == NULL ? tl_refuse(ACL_ERROR_RT_PARAM_INVALID, "%p is no event", handle) : ACL_SUCCESS;
}

static aclError submit(aclrtStream handle, enum tl_task_kind kind, struct tl_mark *mark)
{
    struct tl_stream *stream = NULL;
    const aclError result = tl_stream_find(tl_current_context(), handle, &stream);
    if (result != ACL_SUCCESS)
    {
        return result;
    }
    const struct tl_task task = {.kind = kind, .mark = mark};
    mark->references++;
    return tl_stream_submit(stream, &task);
}

static aclError record(struct event *event, aclrtStream stream)
{
    struct tl_mark *mark = calloc(1, sizeof *mark);
    if (mark == NULL)
    {
        tl_abort("no memory for an event");
    }
    mark->references = 1;
    const aclError result = submit(stream, TL_TASK_RECORD, mark);
    if (result != ACL_SUCCESS)
    {
        tl_mark_release(mark);
        return result;
    }
    if (event->mark != NULL)
    {
        tl_mark_release(event->mark);
    }
    event->mark = mark;
    return ACL_SUCCESS;
}

TL_EXPORT aclError aclrtRecordEvent(aclrtEvent handle, aclrtStream stream)
{
    struct event *event = NULL;
    aclError result = enter_event("aclrtRecordEvent", handle, &event);
    if (result == ACL_SUCCESS)
    {
        result = event->context != tl_current_context() ?
            tl_refuse(ACL_ERROR_RT_STREAM_CONTEXT, "the event is of device %d", event->context->device) :
            record(event, stream);
    }
    return tl_leave(result);
}

TL_EXPORT aclError aclrtStreamWaitEvent(aclrtStream stream, aclrtEvent handle)
{
    struct event *event = NULL;
    aclError result = enter_event("aclrtStreamWaitEvent", handle, &event);
    if (result == ACL_SUCCESS)
    {
        result = event->mark == NULL ? tl_refuse(ACL_ERROR_RT_PARAM_INVALID, "the event was never recorded") :
            submit(stream, TL_TASK_WAIT, event->mark);
    }
    return tl_leave(result);
}

TL_EXPORT aclError aclrtQueryEventStatus(aclrtEvent handle, aclrtEventRecordedStatus *status)
{
    struct event *event = NULL;
    aclError result = enter_event("aclrtQueryEventStatus", handle, &event);
    if (result == ACL_SUCCESS)
    {
        *status = event->mark != NULL && event->mark->done ? ACL_EVENT_RECORDED_STATUS_COMPLETE :
            ACL_EVENT_RECORDED_STATUS_NOT_READY;
    }
    return tl_leave(result);
}

TL_EXPORT aclError aclrtDestroyEvent(aclrtEvent handle)
{
    struct tl_context *context = NULL;
    aclError result = tl_enter_to_release("aclrtDestroyEvent", &context);
    if (result == ACL_SUCCESS)
    {
        struct event *event = tl_handle_find(TL_EVENT, handle);
        if (event == NULL)
        {
            return tl_leave(tl_refuse(ACL_ERROR_RT_PARAM_INVALID, "%p is no event", handle));
        }
        destroy(handle, event);
    }
    return tl_leave(result);
}
