/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */

/* Streams and events. */

#define _GNU_SOURCE

#include <pthread.h>
#include <sched.h>

#include "rules.h"

enum
{
    NON_BLOCKING = 1,
    NO_TIMING = 2,
    /* More than a stream's queue takes. */
    MANY = 1500,
    THREADS = 4,
    ROUNDS = 50
};

static void a_stream_keeps_its_order(void)
{
    use_device(0);
    struct gate gate = gate_create();
    CUstream stream = stream_of(NON_BLOCKING);
    CUfunction function = probe_function("tl_probe");
    const CUdeviceptr address = device_memory(64);
    gate_hold(&gate, stream);
    for (uint64_t i = 1; i <= 100; i++)
    {
        OK(store(function, stream, address, i));
    }
    OK(cuMemcpyDtoDAsync_v2(address + 8, address, 8, stream));
    OK(store(function, stream, address, 999));
    let_time_pass();
    EXPECT(CUDA_ERROR_NOT_READY, cuStreamQuery(stream));
    gate_open(&gate);
    OK(cuStreamSynchronize(stream));
    OK(cuStreamQuery(stream));
    HOLDS(device_word(address + 8) == 100 && device_word(address) == 999);
}

static void streams_do_not_wait_for_each_other(void)
{
    use_device(0);
    struct gate gate = gate_create();
    CUstream held = stream_of(NON_BLOCKING);
    CUstream other = NULL;
    OK(cuStreamCreateWithPriority(&other, NON_BLOCKING, -1));
    CUfunction function = probe_function("tl_probe");
    const CUdeviceptr address = device_memory(64);
    gate_hold(&gate, held);
    OK(store(function, other, address, 3));
    OK(cuStreamSynchronize(other));
    HOLDS(device_word(address) == 3);
    EXPECT(CUDA_ERROR_NOT_READY, cuStreamQuery(held));
    OK(cuStreamQuery(NULL));
    gate_open(&gate);
    OK(cuStreamSynchronize(held));
}

/* Work on the legacy default stream stands between that before and that after it on blocking streams. */
static void the_default_stream_is_a_barrier(void)
{
    use_device(0);
    struct gate gate = gate_create();
    CUstream before = stream_of(0);
    CUstream after = stream_of(0);
    CUstream apart = stream_of(NON_BLOCKING);
    CUfunction function = probe_function("tl_probe");
    const CUdeviceptr address = device_memory(64);
    gate_hold(&gate, before);
    OK(store(function, before, address, 0x0101));
    OK(cuMemsetD8_v2(address, 5, 8));
    OK(cuMemcpyAsync(address + 8, address, 8, after));
    OK(store(function, apart, address + 16, 6));
    OK(cuStreamSynchronize(apart));
    let_time_pass();
    EXPECT(CUDA_ERROR_NOT_READY, cuStreamQuery(NULL));
    EXPECT(CUDA_ERROR_NOT_READY, cuStreamQuery(after));
    gate_open(&gate);
    HOLDS(device_word(address + 8) == 0x0505050505050505);
    HOLDS(device_word(address + 16) == 6);
    OK(cuStreamSynchronize(NULL));
    OK(cuStreamQuery(after));
}

static void events_order_streams(void)
{
    use_device(0);
    struct gate gate = gate_create();
    CUstream first = stream_of(NON_BLOCKING);
    CUstream second = stream_of(NON_BLOCKING);
    CUfunction function = probe_function("tl_probe");
    const CUdeviceptr address = device_memory(64);
    CUevent event = NULL;
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuEventCreate(&event, 4));
    OK(cuEventCreate(&event, NO_TIMING));
    OK(cuEventQuery(event));
    OK(cuStreamWaitEvent(second, event, 0));
    OK(cuStreamSynchronize(second));
    gate_hold(&gate, first);
    OK(store(function, first, address, 21));
    OK(cuEventRecord(event, first));
    OK(cuStreamWaitEvent(second, event, 0));
    OK(cuMemcpyDtoDAsync_v2(address + 8, address, 8, second));
    let_time_pass();
    EXPECT(CUDA_ERROR_NOT_READY, cuEventQuery(event));
    EXPECT(CUDA_ERROR_NOT_READY, cuStreamQuery(second));
    /* The wait holds, whatever becomes of the event. */
    OK(cuEventDestroy_v2(event));
    gate_open(&gate);
    OK(cuStreamSynchronize(second));
    HOLDS(device_word(address + 8) == 21);
}

/* A wait is for what was recorded when it was asked for; a query for what was recorded last. */
static void an_event_is_recorded_again(void)
{
    use_device(0);
    struct gate gate = gate_create();
    CUstream free_stream = stream_of(NON_BLOCKING);
    CUstream held = stream_of(NON_BLOCKING);
    CUstream waiting = stream_of(NON_BLOCKING);
    CUevent event = NULL;
    OK(cuEventCreate(&event, NO_TIMING));
    OK(cuEventRecord(event, free_stream));
    OK(cuStreamWaitEvent(waiting, event, 0));
    gate_hold(&gate, held);
    OK(cuEventRecord(event, held));
    OK(cuStreamSynchronize(waiting));
    EXPECT(CUDA_ERROR_NOT_READY, cuEventQuery(event));
    gate_open(&gate);
    OK(cuStreamSynchronize(held));
    OK(cuEventQuery(event));
    OK(cuEventDestroy_v2(event));
}

static void events_order_devices(void)
{
    CUcontext other = use_device(1);
    CUstream there = stream_of(NON_BLOCKING);
    CUcontext own = use_device(0);
    struct gate gate = gate_create();
    CUstream here = stream_of(NON_BLOCKING);
    CUevent event = NULL;
    OK(cuEventCreate(&event, NO_TIMING));
    gate_hold(&gate, here);
    OK(cuEventRecord(event, here));
    EXPECT(CUDA_ERROR_INVALID_HANDLE, cuEventRecord(event, there));
    OK(cuCtxSetCurrent(other));
    OK(cuStreamWaitEvent(there, event, 0));
    let_time_pass();
    EXPECT(CUDA_ERROR_NOT_READY, cuStreamQuery(there));
    gate_open(&gate);
    OK(cuStreamSynchronize(there));
    OK(cuCtxSetCurrent(own));
    OK(cuEventQuery(event));
}

static void a_stream_is_of_its_context(void)
{
    CUcontext other = use_device(1);
    CUstream there = stream_of(NON_BLOCKING);
    CUevent event = NULL;
    OK(cuEventCreate(&event, NO_TIMING));
    use_device(0);
    CUfunction function = probe_function("tl_probe");
    const CUdeviceptr address = device_memory(64);
    EXPECT(CUDA_ERROR_INVALID_HANDLE, store(function, there, address, 1));
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuMemsetD8Async(address, 0, 8, there));
    EXPECT(CUDA_ERROR_INVALID_HANDLE, cuEventRecord(event, NULL));
    OK(cuCtxSetCurrent(other));
    EXPECT(CUDA_ERROR_INVALID_HANDLE, store(function, there, address, 1));
}

static void a_destroyed_handle_is_none(void)
{
    use_device(0);
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuStreamCreate(&(CUstream){NULL}, 2));
    CUstream stream = stream_of(NON_BLOCKING);
    CUevent event = NULL;
    OK(cuEventCreate(&event, NO_TIMING));
    OK(cuStreamDestroy_v2(stream));
    OK(cuEventDestroy_v2(event));
    EXPECT(CUDA_ERROR_INVALID_HANDLE, cuStreamQuery(stream));
    EXPECT(CUDA_ERROR_INVALID_HANDLE, cuStreamSynchronize(stream));
    EXPECT(CUDA_ERROR_INVALID_HANDLE, cuStreamDestroy_v2(stream));
    EXPECT(CUDA_ERROR_INVALID_HANDLE, cuEventQuery(event));
    EXPECT(CUDA_ERROR_INVALID_HANDLE, cuEventRecord(event, NULL));
    EXPECT(CUDA_ERROR_INVALID_HANDLE, cuEventDestroy_v2(event));
    CUstream next = stream_of(NON_BLOCKING);
    HOLDS(next != stream);
    EXPECT(CUDA_ERROR_INVALID_HANDLE, cuStreamQuery(stream));
    EXPECT(CUDA_ERROR_INVALID_HANDLE, cuEventQuery(next));
    EXPECT(CUDA_ERROR_INVALID_HANDLE, cuStreamQuery(&event));
    EXPECT(CUDA_ERROR_INVALID_HANDLE, cuStreamDestroy_v2(NULL));
}

static void a_destroyed_stream_ends_its_work(void)
{
    use_device(0);
    struct gate gate = gate_create();
    CUstream stream = stream_of(NON_BLOCKING);
    CUfunction function = probe_function("tl_probe");
    const CUdeviceptr address = device_memory(64);
    gate_hold(&gate, stream);
    OK(store(function, stream, address, 17));
    OK(cuStreamDestroy_v2(stream));
    gate_open(&gate);
    OK(cuCtxSynchronize());
    HOLDS(device_word(address) == 17);
}

struct flood
{
    CUcontext context;
    CUfunction function;
    CUstream stream;
    CUdeviceptr address;
    uint64_t submitted;
};

static void *submit_many(void *argument)
{
    struct flood *flood = argument;
    OK(cuCtxSetCurrent(flood->context));
    for (uint64_t i = 1; i <= MANY; i++)
    {
        OK(store(flood->function, flood->stream, flood->address, i));
        __atomic_store_n(&flood->submitted, i, __ATOMIC_RELEASE);
    }
    return NULL;
}

/* Behind 1,024 tasks, the held one included, a launch waits. */
static void a_stream_takes_1024_tasks(void)
{
    pthread_t thread;
    CUcontext context = use_device(0);
    struct gate gate = gate_create();
    CUstream stream = stream_of(NON_BLOCKING);
    struct flood flood = {context, probe_function("tl_probe"), stream, device_memory(8), 0};
    gate_hold(&gate, stream);
    HOLDS(pthread_create(&thread, NULL, submit_many, &flood) == 0);
    while (__atomic_load_n(&flood.submitted, __ATOMIC_ACQUIRE) < 1023)
    {
        sched_yield();
    }
    EXPECT(CUDA_ERROR_NOT_READY, cuStreamQuery(stream));
    HOLDS(__atomic_load_n(&flood.submitted, __ATOMIC_ACQUIRE) == 1023);
    gate_open(&gate);
    HOLDS(pthread_join(thread, NULL) == 0);
    OK(cuStreamSynchronize(stream));
    HOLDS(device_word(flood.address) == MANY);
}

struct crowd
{
    CUcontext context;
    CUevent shared;
};

static void *work_in_a_crowd(void *argument)
{
    struct crowd *crowd = argument;
    OK(cuCtxSetCurrent(crowd->context));
    CUfunction function = probe_function("tl_probe");
    CUstream stream = stream_of(NON_BLOCKING);
    for (uint64_t i = 1; i <= ROUNDS; i++)
    {
        CUevent event = NULL;
        const CUdeviceptr address = device_memory(4096);
        OK(cuEventCreate(&event, NO_TIMING));
        OK(store(function, stream, address, i));
        OK(cuEventRecord(event, stream));
        OK(cuStreamWaitEvent(stream, crowd->shared, 0));
        OK(cuMemcpyDtoDAsync_v2(address + 8, address, 8, stream));
        OK(cuEventRecord(crowd->shared, stream));
        OK(cuStreamSynchronize(stream));
        OK(cuEventQuery(event));
        HOLDS(device_word(address + 8) == i);
        OK(cuEventDestroy_v2(event));
        OK(cuMemFree_v2(address));
    }
    OK(cuStreamDestroy_v2(stream));
    return NULL;
}

static void threads_work_side_by_side(void)
{
    pthread_t threads[THREADS];
    struct crowd crowd[THREADS];
    CUevent shared = NULL;
    CUcontext context = use_device(0);
    OK(cuEventCreate(&shared, NO_TIMING));
    for (int i = 0; i < THREADS; i++)
    {
        crowd[i] = (struct crowd){context, shared};
        HOLDS(pthread_create(&threads[i], NULL, work_in_a_crowd, &crowd[i]) == 0);
    }
    for (int i = 0; i < THREADS; i++)
    {
        HOLDS(pthread_join(threads[i], NULL) == 0);
    }
    OK(cuCtxSynchronize());
    OK(cuEventQuery(shared));
}

static void default_streams_by_number_abort(void)
{
    use_device(0);
    cuStreamSynchronize((CUstream)2);
}

const struct rule stream_rules[] = {
    {"a_stream_keeps_its_order", a_stream_keeps_its_order, NULL, 1, 0},
    {"streams_do_not_wait_for_each_other", streams_do_not_wait_for_each_other, NULL, 1, 0},
    {"the_default_stream_is_a_barrier", the_default_stream_is_a_barrier, NULL, 1, 0},
    {"events_order_streams", events_order_streams, NULL, 1, 0},
    {"an_event_is_recorded_again", an_event_is_recorded_again, NULL, 1, 0},
    {"events_order_devices", events_order_devices, NULL, 2, 0},
    {"a_stream_is_of_its_context", a_stream_is_of_its_context, NULL, 2, 0},
    {"a_destroyed_handle_is_none", a_destroyed_handle_is_none, NULL, 0, 0},
    {"a_destroyed_stream_ends_its_work", a_destroyed_stream_ends_its_work, NULL, 1, 0},
    {"a_stream_takes_1024_tasks", a_stream_takes_1024_tasks, "DELAY_US=0", 0, 0},
    {"threads_work_side_by_side", threads_work_side_by_side, "DELAY_US=50", 1, 0},
    {"default_streams_by_number_abort", default_streams_by_number_abort, NULL, 0, ABORTS},
    {NULL, NULL, NULL, 0, 0}
};
