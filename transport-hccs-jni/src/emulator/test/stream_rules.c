/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */

/* Order, errors, events, abort. */

#include "rules.h"

enum
{
    ROUNDS = 200
};

static void a_stream_is_in_order(void)
{
    use_device(0);
    aclrtStream stream = stream_of(ACL_STOP_ON_FAILURE);
    void *data = device_memory(8);
    uint64_t *words = pinned_memory(8 * ROUNDS);
    for (int i = 0; i < ROUNDS; i++)
    {
        words[i] = (uint64_t)i;
        OK(aclrtMemcpyAsync(data, 8, &words[i], 8, ACL_MEMCPY_HOST_TO_DEVICE, stream));
    }
    synchronize(stream);
    HOLDS(load(data) == ROUNDS - 1);
}

/* Whether, over some rounds, the second stream ever comes before the first one. */
static bool is_overtaken(bool by_event)
{
    bool overtaken = false;
    use_device(0);
    aclrtStream first = stream_of(ACL_STOP_ON_FAILURE);
    aclrtStream second = stream_of(ACL_STOP_ON_FAILURE);
    void *data = device_memory(8);
    uint64_t *words = pinned_memory(24);
    aclrtEvent event = event_of();
    words[1] = 1;
    for (int i = 0; i < ROUNDS; i++)
    {
        words[0] = 0;
        OK(aclrtMemcpyAsync(data, 8, &words[0], 8, ACL_MEMCPY_HOST_TO_DEVICE, first));
        synchronize(first);
        OK(aclrtMemcpyAsync(data, 8, &words[1], 8, ACL_MEMCPY_HOST_TO_DEVICE, first));
        OK(aclrtRecordEvent(event, first));
        if (by_event)
        {
            OK(aclrtStreamWaitEvent(second, event));
        }
        OK(aclrtMemcpyAsync(&words[2], 8, data, 8, ACL_MEMCPY_DEVICE_TO_HOST, second));
        synchronize(second);
        synchronize(first);
        overtaken |= words[2] != 1;
    }
    return overtaken;
}

static void streams_have_no_order(void)
{
    HOLDS(is_overtaken(false));
}

static void events_order_streams(void)
{
    HOLDS(!is_overtaken(true));
}

static void a_call_returns_before_its_work(void)
{
    use_device(0);
    aclrtStream stream = stream_of(ACL_STOP_ON_FAILURE);
    void *data = device_memory(8);
    aclrtEvent event = event_of();
    hold_next_set();
    OK(aclrtMemsetAsync(data, 8, 1, 8, stream));
    OK(aclrtRecordEvent(event, stream));
    HOLDS(!is_complete(event));
    EXPECT(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, aclrtSynchronizeStreamWithTimeout(stream, 1));
    let_go();
    synchronize(stream);
    HOLDS(is_complete(event));
}

static void a_failed_task_stops_its_stream(void)
{
    use_device(0);
    aclrtStream stream = stream_of(ACL_STOP_ON_FAILURE);
    void *data = device_memory(8);
    aclrtEvent event = event_of();
    store(data, 5, stream);
    HOLDS(tl_emulator_set_faults("set:1=507013") == 0);
    OK(aclrtMemsetAsync(data, 8, 1, 8, stream));
    OK(aclrtMemsetAsync(data, 8, 2, 8, stream));
    OK(aclrtRecordEvent(event, stream));
    EXPECT(ACL_ERROR_RT_SYS_DMA, aclrtSynchronizeStreamWithTimeout(stream, LONG_MS));
    EXPECT(ACL_ERROR_RT_SYS_DMA, aclrtSynchronizeStreamWithTimeout(stream, LONG_MS));
    HOLDS(load(data) == 5 && !is_complete(event));
    OK(aclrtMemsetAsync(data, 8, 2, 8, stream));
    EXPECT(ACL_ERROR_RT_SYS_DMA, aclrtSynchronizeStreamWithTimeout(stream, LONG_MS));
    HOLDS(load(data) == 5);
}

static void a_stream_may_go_on_after_a_failure(void)
{
    use_device(0);
    aclrtStream stream = stream_of(ACL_CONTINUE_ON_FAILURE);
    void *data = device_memory(8);
    store(data, 5, stream);
    HOLDS(tl_emulator_set_faults("set:1=507013") == 0);
    OK(aclrtMemsetAsync(data, 8, 1, 8, stream));
    OK(aclrtMemsetAsync(data, 8, 2, 8, stream));
    EXPECT(ACL_ERROR_RT_SYS_DMA, aclrtSynchronizeStreamWithTimeout(stream, LONG_MS));
    synchronize(stream);
    HOLDS(load(data) == 0x0202020202020202);
    EXPECT(ACL_ERROR_RT_PARAM_INVALID, aclrtSetStreamFailureMode(stream, 2));
}

static void an_abort_drops_what_is_left(void)
{
    use_device(0);
    aclrtStream stream = stream_of(ACL_STOP_ON_FAILURE);
    void *data = device_memory(8);
    store(data, 5, stream);
    hold_next_set();
    OK(aclrtMemsetAsync(data, 8, 1, 8, stream));
    OK(aclrtMemsetAsync(data, 8, 2, 8, stream));
    EXPECT(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, aclrtSynchronizeStreamWithTimeout(stream, 20));
    OK(aclrtStreamAbort(stream));
    synchronize(stream);
    HOLDS(load(data) == 5);
    OK(aclrtMemsetAsync(data, 8, 3, 8, stream));
    synchronize(stream);
    HOLDS(load(data) == 0x0303030303030303);
}

static void a_wait_for_a_value_ends_with_it(void)
{
    use_device(0);
    aclrtStream waiting = stream_of(ACL_STOP_ON_FAILURE);
    aclrtStream other = stream_of(ACL_STOP_ON_FAILURE);
    uint64_t *data = device_memory(16);
    store(data, 0, other);
    store(data + 1, 0, other);
    OK(aclrtValueWait(data, 7, ACL_VALUE_WAIT_EQ, waiting));
    OK(aclrtMemsetAsync(data + 1, 8, 1, 8, waiting));
    EXPECT(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, aclrtSynchronizeStreamWithTimeout(waiting, 20));
    store(data, 6, other);
    EXPECT(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, aclrtSynchronizeStreamWithTimeout(waiting, 20));
    store(data, 7, other);
    synchronize(waiting);
    HOLDS(load(data + 1) == 0x0101010101010101);
    OK(aclrtValueWait(data, 6, ACL_VALUE_WAIT_GEQ, waiting));
    OK(aclrtValueWait(data, 4, ACL_VALUE_WAIT_AND, waiting));
    OK(aclrtValueWait(data, 7, ACL_VALUE_WAIT_NOR, waiting));
    synchronize(waiting);
    EXPECT(ACL_ERROR_RT_PARAM_INVALID, aclrtValueWait((char *)data + 4, 7, ACL_VALUE_WAIT_EQ, waiting));
    EXPECT(ACL_ERROR_RT_PARAM_INVALID, aclrtValueWait(data, 7, 4, waiting));
}

static void a_wait_for_a_value_is_aborted(void)
{
    use_device(0);
    aclrtStream stream = stream_of(ACL_STOP_ON_FAILURE);
    void *data = device_memory(8);
    store(data, 0, stream);
    OK(aclrtValueWait(data, 1, ACL_VALUE_WAIT_EQ, stream));
    EXPECT(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, aclrtSynchronizeStreamWithTimeout(stream, 20));
    OK(aclrtStreamAbort(stream));
    store(data, 3, stream);
    HOLDS(load(data) == 3);
}

static void a_stream_is_destroyed_with_its_work(void)
{
    use_device(0);
    aclrtStream stream = stream_of(ACL_STOP_ON_FAILURE);
    void *data = device_memory(8);
    hold_next_set();
    OK(aclrtMemsetAsync(data, 8, 1, 8, stream));
    OK(aclrtDestroyStreamForce(stream));
    EXPECT(ACL_ERROR_RT_PARAM_INVALID, aclrtDestroyStreamForce(stream));
    EXPECT(ACL_ERROR_RT_PARAM_INVALID, aclrtMemsetAsync(data, 8, 1, 8, stream));
}

static void a_stream_is_its_contexts(void)
{
    use_device(0);
    aclrtStream stream = stream_of(ACL_STOP_ON_FAILURE);
    aclrtEvent event = event_of();
    use_device(1);
    void *data = device_memory(8);
    EXPECT(ACL_ERROR_RT_STREAM_CONTEXT, aclrtMemsetAsync(data, 8, 1, 8, stream));
    EXPECT(ACL_ERROR_RT_STREAM_CONTEXT, aclrtSynchronizeStreamWithTimeout(stream, 1));
    EXPECT(ACL_ERROR_RT_STREAM_CONTEXT, aclrtStreamAbort(stream));
    EXPECT(ACL_ERROR_RT_STREAM_CONTEXT, aclrtRecordEvent(event, stream));
}

static void arguments_are_checked(void)
{
    aclrtStream stream = NULL;
    aclrtEvent event = NULL;
    use_device(0);
    EXPECT(ACL_ERROR_INVALID_PARAM, aclrtCreateStreamWithConfig(&stream, 8, 3));
    EXPECT(ACL_ERROR_INVALID_PARAM, aclrtCreateStreamWithConfig(&stream, 0, 4));
    EXPECT(ACL_ERROR_INVALID_PARAM, aclrtCreateEventExWithFlag(&event, 0));
    stream = stream_of(ACL_STOP_ON_FAILURE);
    event = event_of();
    EXPECT(ACL_ERROR_RT_PARAM_INVALID, aclrtSynchronizeStreamWithTimeout(stream, 0));
    EXPECT(ACL_ERROR_RT_PARAM_INVALID, aclrtStreamWaitEvent(stream, event));
    OK(aclrtDestroyEvent(event));
    EXPECT(ACL_ERROR_RT_PARAM_INVALID, aclrtRecordEvent(event, stream));
}

const struct rule stream_rules[] = {
    {"a_stream_is_in_order", a_stream_is_in_order, NULL, 1, 0},
    {"streams_have_no_order", streams_have_no_order, "DELAY_US=200", 0, 0},
    {"events_order_streams", events_order_streams, "DELAY_US=200", 1, 0},
    {"a_call_returns_before_its_work", a_call_returns_before_its_work, NULL, 0, 0},
    {"a_failed_task_stops_its_stream", a_failed_task_stops_its_stream, NULL, 0, 0},
    {"a_stream_may_go_on_after_a_failure", a_stream_may_go_on_after_a_failure, NULL, 0, 0},
    {"an_abort_drops_what_is_left", an_abort_drops_what_is_left, NULL, 0, 0},
    {"a_wait_for_a_value_ends_with_it", a_wait_for_a_value_ends_with_it, NULL, 1, 0},
    {"a_wait_for_a_value_is_aborted", a_wait_for_a_value_is_aborted, NULL, 1, 0},
    {"a_stream_is_destroyed_with_its_work", a_stream_is_destroyed_with_its_work, NULL, 0, 0},
    {"a_stream_is_its_contexts", a_stream_is_its_contexts, NULL, 0, 0},
    {"arguments_are_checked", arguments_are_checked, NULL, 0, 0},
    {NULL, NULL, NULL, 0, 0}
};
