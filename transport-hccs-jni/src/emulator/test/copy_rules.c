/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */

/* Copies and sets. */

#include <string.h>

#include "rules.h"

enum
{
    LENGTH = 64
};

static void a_kind_says_where_memory_is(void)
{
    int local[LENGTH / sizeof(int)] = {0};
    use_device(0);
    aclrtStream stream = stream_of(ACL_STOP_ON_FAILURE);
    void *device = device_memory(LENGTH);
    void *pinned = pinned_memory(LENGTH);
    OK(aclrtMemcpyAsync(device, LENGTH, pinned, LENGTH, ACL_MEMCPY_HOST_TO_DEVICE, stream));
    OK(aclrtMemcpyAsync(pinned, LENGTH, device, LENGTH, ACL_MEMCPY_DEVICE_TO_HOST, stream));
    EXPECT(ACL_ERROR_RT_PARAM_INVALID,
        aclrtMemcpyAsync(device, LENGTH, pinned, LENGTH, ACL_MEMCPY_DEVICE_TO_HOST, stream));
    EXPECT(ACL_ERROR_RT_PARAM_INVALID,
        aclrtMemcpyAsync(device, LENGTH, pinned, LENGTH, ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
    EXPECT(ACL_ERROR_RT_PARAM_INVALID,
        aclrtMemcpyAsync(device, LENGTH, local, LENGTH, ACL_MEMCPY_HOST_TO_DEVICE, stream));
    EXPECT(ACL_ERROR_INVALID_PARAM,
        aclrtMemcpyAsync(pinned, LENGTH, pinned, LENGTH, ACL_MEMCPY_HOST_TO_HOST, stream));
    EXPECT(ACL_ERROR_INVALID_PARAM,
        aclrtMemcpyAsync(device, LENGTH, pinned, LENGTH, ACL_MEMCPY_DEFAULT, stream));
    EXPECT(ACL_ERROR_RT_PARAM_INVALID,
        aclrtMemcpyAsync(device, LENGTH, device, LENGTH, ACL_MEMCPY_INTER_DEVICE_TO_DEVICE, stream));
    synchronize(stream);
}

static void a_copy_stays_in_bounds(void)
{
    use_device(0);
    aclrtStream stream = stream_of(ACL_STOP_ON_FAILURE);
    char *device = device_memory(LENGTH);
    void *pinned = pinned_memory(LENGTH);
    EXPECT(ACL_ERROR_INVALID_PARAM,
        aclrtMemcpyAsync(device, LENGTH - 1, pinned, LENGTH, ACL_MEMCPY_HOST_TO_DEVICE, stream));
    EXPECT(ACL_ERROR_INVALID_PARAM,
        aclrtMemcpyAsync(device, LENGTH, pinned, 0, ACL_MEMCPY_HOST_TO_DEVICE, stream));
    EXPECT(ACL_ERROR_RT_PARAM_INVALID,
        aclrtMemcpyAsync(device + 1, LENGTH, pinned, LENGTH, ACL_MEMCPY_HOST_TO_DEVICE, stream));
    EXPECT(ACL_ERROR_RT_PARAM_INVALID, aclrtMemsetAsync(device + 1, LENGTH, 0, LENGTH, stream));
    EXPECT(ACL_ERROR_INVALID_PARAM, aclrtMemsetAsync(device, LENGTH - 1, 0, LENGTH, stream));
}

static void a_set_fills(void)
{
    use_device(0);
    aclrtStream stream = stream_of(ACL_STOP_ON_FAILURE);
    char *memory = device_memory(LENGTH);
    OK(aclrtMemsetAsync(memory, LENGTH, 0x11, 32, stream));
    synchronize(stream);
    HOLDS(load(memory + 24) == 0x1111111111111111);
    HOLDS(load(memory + 32) != 0x1111111111111111);
}

static void lines_are_copied_by_pitches(void)
{
    use_device(0);
    aclrtStream stream = stream_of(ACL_STOP_ON_FAILURE);
    char *source = device_memory(LENGTH);
    char *target = device_memory(LENGTH);
    for (uint64_t i = 0; i < LENGTH / 8; i++)
    {
        store(source + 8 * i, i, stream);
    }
    OK(aclrtMemsetAsync(target, LENGTH, 0xff, LENGTH, stream));
    OK(aclrtMemcpy2dAsync(target, 24, source, 16, 8, 3, ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
    synchronize(stream);
    HOLDS(load(target) == 0 && load(target + 24) == 2 && load(target + 48) == 4);
    HOLDS(load(target + 8) == UINT64_MAX && load(target + 56) == UINT64_MAX);
    EXPECT(ACL_ERROR_INVALID_PARAM,
        aclrtMemcpy2dAsync(target, 4, source, 16, 8, 3, ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
    EXPECT(ACL_ERROR_RT_PARAM_INVALID,
        aclrtMemcpy2dAsync(target, 24, source, 16, 8, 4, ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
}

static void a_peer_is_enabled_first(void)
{
    use_device(1);
    void *far = device_memory(LENGTH);
    use_device(0);
    void *near = device_memory(LENGTH);
    aclrtStream stream = stream_of(ACL_CONTINUE_ON_FAILURE);
    OK(copy(far, near, LENGTH, stream));
    EXPECT(ACL_ERROR_RT_SUSPECT_REMOTE_ERROR, aclrtSynchronizeStreamWithTimeout(stream, LONG_MS));
    OK(aclrtDeviceEnablePeerAccess(1, 0));
    OK(aclrtMemcpyAsync(far, LENGTH, near, LENGTH, ACL_MEMCPY_INTER_DEVICE_TO_DEVICE, stream));
    synchronize(stream);
}

static void peers_share_memory(void)
{
    use_device(1);
    void *far = device_memory(LENGTH);
    use_device(0);
    OK(aclrtDeviceEnablePeerAccess(1, 0));
    aclrtStream stream = stream_of(ACL_STOP_ON_FAILURE);
    void *near = device_memory(LENGTH);
    store(near, 99, stream);
    OK(copy(far, near, 8, stream));
    synchronize(stream);
    use_device(1);
    HOLDS(load(far) == 99);
}

const struct rule copy_rules[] = {
    {"a_kind_says_where_memory_is", a_kind_says_where_memory_is, NULL, 0, 0},
    {"a_copy_stays_in_bounds", a_copy_stays_in_bounds, NULL, 0, 0},
    {"a_set_fills", a_set_fills, NULL, 1, 0},
    {"lines_are_copied_by_pitches", lines_are_copied_by_pitches, NULL, 0, 0},
    {"a_peer_is_enabled_first", a_peer_is_enabled_first, NULL, 0, 0},
    {"peers_share_memory", peers_share_memory, NULL, 2, 0},
    {NULL, NULL, NULL, 0, 0}
};
