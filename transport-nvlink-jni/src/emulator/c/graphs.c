/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */

/*
 * Graphs that are captured from one stream: launches of kernels, in their order. Whatever else a stream is given while
 * it is captured ends the capture, as what a driver cannot capture does.
 */

#define _GNU_SOURCE

#include <stdlib.h>
#include <string.h>

#include "emulator.h"

enum
{
    CAPTURE_NONE = 0,
    CAPTURE_ACTIVE = 1,
    CAPTURE_INVALIDATED = 2,
    MODES = 3
};

/* Launches; also while they are captured, and made ready to run. */
struct tl_graph
{
    struct tl_context *context;
    struct tl_task *first;
    struct tl_task **end;
    bool is_invalid;
};

static struct tl_graph *create(struct tl_context *context)
{
    struct tl_graph *graph = calloc(1, sizeof *graph);
    if (graph != NULL)
    {
        graph->context = context;
        graph->end = &graph->first;
    }
    return graph;
}

static void destroy(struct tl_graph *graph)
{
    while (graph->first != NULL)
    {
        struct tl_task *task = graph->first;
        graph->first = task->next;
        free(task->arguments);
        free(task);
    }
    free(graph);
}

static void append(struct tl_graph *graph, struct tl_task *task)
{
    task->next = NULL;
    *graph->end = task;
    graph->end = &task->next;
}

static struct tl_task *copy(const struct tl_task *task)
{
    struct tl_task *same = malloc(sizeof *same);
    void *arguments = malloc(task->twin->argument_bytes);
    if (same == NULL || arguments == NULL)
    {
        free(same);
        free(arguments);
        return NULL;
    }
    *same = *task;
    same->next = NULL;
    same->arguments = memcpy(arguments, task->arguments, task->twin->argument_bytes);
    return same;
}

CUresult tl_graph_refuse(struct tl_stream *stream, const char *what)
{
    if (stream->capture == NULL)
    {
        return CUDA_SUCCESS;
    }
    tl_say("%s in a stream that is captured: only launches are emulated there", what);
    stream->capture->is_invalid = true;
    return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
}

CUresult tl_graph_take(struct tl_stream *stream, struct tl_task *task)
{
    if (task->kind == TL_TASK_KERNEL)
    {
        append(stream->capture, task);
        return CUDA_SUCCESS;
    }
    if (task->mark != NULL)
    {
        tl_mark_release(task->mark);
    }
    free(task);
    return tl_graph_refuse(stream, "work that is no launch");
}

void tl_graph_drop(struct tl_stream *stream)
{
    if (stream->capture != NULL)
    {
        destroy(stream->capture);
        stream->capture = NULL;
    }
}

static void destroy_if_of_context(void *handle, void *object, void *context)
{
    struct tl_graph *graph = object;
    if (graph->context == context)
    {
        tl_handle_destroy(handle);
        destroy(graph);
    }
}

void tl_graphs_release_context(struct tl_context *context)
{
    tl_handle_each(TL_GRAPH, destroy_if_of_context, context);
    tl_handle_each(TL_GRAPH_EXEC, destroy_if_of_context, context);
}

/* The stream of a call on captures; the lock is held whatever is returned. */
static CUresult enter(const char *symbol, CUstream handle, struct tl_stream **stream)
{
    struct tl_context *context = NULL;
    const CUresult result = tl_enter(symbol, &context);
    if (result != CUDA_SUCCESS)
    {
        return result;
    }
    *stream = tl_stream_find(context, handle);
    return *stream != NULL ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

/* All modes are as the one of the thread: calls that a capture forbids to others are not emulated. */
TL_EXPORT CUresult cuStreamBeginCapture_v2(CUstream handle, int mode)
{
    struct tl_stream *stream = NULL;
    CUresult result = enter("cuStreamBeginCapture_v2", handle, &stream);
    if (result != CUDA_SUCCESS)
    {
        return tl_leave(result);
    }
    if (mode < 0 || mode >= MODES)
    {
        return tl_leave(CUDA_ERROR_INVALID_VALUE);
    }
    if (handle == NULL || stream->capture != NULL)
    {
        return tl_leave(handle == NULL ? CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED : CUDA_ERROR_ILLEGAL_STATE);
    }
    stream->capture = create(stream->context);
    return tl_leave(stream->capture != NULL ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY);
}

TL_EXPORT CUresult cuStreamIsCapturing(CUstream handle, int *status)
{
    struct tl_stream *stream = NULL;
    CUresult result = enter("cuStreamIsCapturing", handle, &stream);
    if (result == CUDA_SUCCESS && status == NULL)
    {
        result = CUDA_ERROR_INVALID_VALUE;
    }
    if (result == CUDA_SUCCESS)
    {
        *status = stream->capture == NULL ? CAPTURE_NONE :
            stream->capture->is_invalid ? CAPTURE_INVALIDATED : CAPTURE_ACTIVE;
    }
    return tl_leave(result);
}

TL_EXPORT CUresult cuStreamEndCapture(CUstream handle, CUgraph *graph)
{
    struct tl_stream *stream = NULL;
    CUresult result = enter("cuStreamEndCapture", handle, &stream);
    if (result != CUDA_SUCCESS)
    {
        return tl_leave(result);
    }
    if (graph == NULL || stream->capture == NULL)
    {
        return tl_leave(graph == NULL ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_ILLEGAL_STATE);
    }
    *graph = NULL;
    if (stream->capture->is_invalid)
    {
        tl_graph_drop(stream);
        return tl_leave(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    }
    *graph = tl_handle_create(TL_GRAPH, stream->capture);
    stream->capture = NULL;
    return tl_leave(CUDA_SUCCESS);
}

TL_EXPORT CUresult cuGraphInstantiateWithFlags(CUgraphExec *exec, CUgraph handle, unsigned long long flags)
{
    struct tl_context *context = NULL;
    CUresult result = tl_enter("cuGraphInstantiateWithFlags", &context);
    if (result != CUDA_SUCCESS)
    {
        return tl_leave(result);
    }
    const struct tl_graph *graph = tl_handle_find(TL_GRAPH, handle);
    if (exec == NULL || graph == NULL || flags != 0)
    {
        return tl_leave(flags != 0 ? CUDA_ERROR_NOT_SUPPORTED : CUDA_ERROR_INVALID_VALUE);
    }
    struct tl_graph *ready = create(graph->context);
    for (const struct tl_task *task = graph->first; task != NULL && ready != NULL; task = task->next)
    {
        struct tl_task *same = copy(task);
        if (same == NULL)
        {
            destroy(ready);
            ready = NULL;
        }
        else
        {
            append(ready, same);
        }
    }
    if (ready == NULL)
    {
        return tl_leave(CUDA_ERROR_OUT_OF_MEMORY);
    }
    *exec = tl_handle_create(TL_GRAPH_EXEC, ready);
    return tl_leave(CUDA_SUCCESS);
}

/* Copies of the launches, since a stream frees what it has done. */
static CUresult run(const struct tl_graph *graph, struct tl_stream *stream)
{
    for (const struct tl_task *task = graph->first; task != NULL; task = task->next)
    {
        struct tl_task *same = copy(task);
        const CUresult result = same == NULL ? CUDA_ERROR_OUT_OF_MEMORY : tl_stream_submit(stream, same);
        if (result != CUDA_SUCCESS)
        {
            return result;
        }
    }
    return CUDA_SUCCESS;
}

TL_EXPORT CUresult cuGraphLaunch(CUgraphExec handle, CUstream stream_handle)
{
    struct tl_stream *stream = NULL;
    CUresult result = enter("cuGraphLaunch", stream_handle, &stream);
    if (result != CUDA_SUCCESS)
    {
        return tl_leave(result);
    }
    const struct tl_graph *graph = tl_handle_find(TL_GRAPH_EXEC, handle);
    if (graph == NULL || graph->context != stream->context)
    {
        return tl_leave(CUDA_ERROR_INVALID_VALUE);
    }
    result = tl_graph_refuse(stream, "a graph");
    return tl_leave(result != CUDA_SUCCESS ? result : run(graph, stream));
}

static CUresult destroy_of_kind(const char *symbol, int kind, void *handle)
{
    const CUresult result = tl_enter(symbol, NULL);
    if (result != CUDA_SUCCESS)
    {
        return tl_leave(result);
    }
    struct tl_graph *graph = tl_handle_find(kind, handle);
    if (graph == NULL)
    {
        return tl_leave(CUDA_ERROR_INVALID_VALUE);
    }
    tl_handle_destroy(handle);
    destroy(graph);
    return tl_leave(CUDA_SUCCESS);
}

TL_EXPORT CUresult cuGraphDestroy(CUgraph handle)
{
    return destroy_of_kind("cuGraphDestroy", TL_GRAPH, handle);
}

TL_EXPORT CUresult cuGraphExecDestroy(CUgraphExec handle)
{
    return destroy_of_kind("cuGraphExecDestroy", TL_GRAPH_EXEC, handle);
}
