/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */

/* Copies, sets and reductions: what is checked when they are submitted. */

#include "emulator.h"

/* Which of the two is a device's memory; host memory is pinned, or the runtime would copy before it returns. */
static aclError check_kind(const void *target, uint64_t target_bytes, const void *source, uint64_t source_bytes,
    aclrtMemcpyKind kind)
{
    if (kind != ACL_MEMCPY_HOST_TO_DEVICE && kind != ACL_MEMCPY_DEVICE_TO_HOST && kind != ACL_MEMCPY_DEVICE_TO_DEVICE &&
        kind != ACL_MEMCPY_INTER_DEVICE_TO_DEVICE)
    {
        return tl_refuse(ACL_ERROR_INVALID_PARAM, "copies of kind %d are not emulated", kind);
    }
    const bool to_device = kind != ACL_MEMCPY_DEVICE_TO_HOST;
    const bool from_device = kind != ACL_MEMCPY_HOST_TO_DEVICE;
    const struct tl_range *to = tl_find_memory(to_device, target, target_bytes);
    const struct tl_range *from = tl_find_memory(from_device, source, source_bytes);
    if (to == NULL || from == NULL)
    {
        const bool is_target = to == NULL;
        return tl_refuse(ACL_ERROR_RT_PARAM_INVALID, "a copy of kind %d wants %s memory for its %s at %p", kind,
            (is_target ? to_device : from_device) ? "a device's" : "pinned", is_target ? "target" : "source",
            is_target ? target : source);
    }
    return kind == ACL_MEMCPY_INTER_DEVICE_TO_DEVICE && to->device == from->device ?
        tl_refuse(ACL_ERROR_RT_PARAM_INVALID, "a copy of kind %d within device %d", kind, to->device) : ACL_SUCCESS;
}

TL_EXPORT aclError aclrtMemcpyAsync(void *target, size_t most, const void *source, size_t length, aclrtMemcpyKind kind,
    aclrtStream handle)
{
    struct tl_stream *stream = NULL;
    aclError result = tl_enter_stream("aclrtMemcpyAsync", handle, &stream);
    if (result == ACL_SUCCESS)
    {
        result = length == 0 || most < length ?
            tl_refuse(ACL_ERROR_INVALID_PARAM, "%zu bytes where there is room for %zu", length, most) :
            check_kind(target, length, source, length, kind);
    }
    if (result == ACL_SUCCESS)
    {
        const struct tl_task task = {
            .kind = TL_TASK_COPY,
            .target = (uint64_t)(uintptr_t)target,
            .source = (uint64_t)(uintptr_t)source,
            .length = length,
            .height = 1,
        };
        result = tl_stream_submit(stream, &task);
    }
    return tl_leave(result);
}

TL_EXPORT aclError aclrtMemcpy2dAsync(void *target, size_t target_pitch, const void *source, size_t source_pitch,
    size_t width, size_t height, aclrtMemcpyKind kind, aclrtStream handle)
{
    struct tl_stream *stream = NULL;
    aclError result = tl_enter_stream("aclrtMemcpy2dAsync", handle, &stream);
    if (result == ACL_SUCCESS && (width == 0 || height == 0 || target_pitch < width || source_pitch < width))
    {
        result = tl_refuse(ACL_ERROR_INVALID_PARAM, "%zu lines of %zu bytes, pitches %zu and %zu", height, width,
            target_pitch, source_pitch);
    }
    if (result == ACL_SUCCESS)
    {
        result = check_kind(target, (height - 1) * target_pitch + width, source, (height - 1) * source_pitch + width,
            kind);
    }
    if (result == ACL_SUCCESS)
    {
        const struct tl_task task = {
            .kind = TL_TASK_COPY,
            .target = (uint64_t)(uintptr_t)target,
            .source = (uint64_t)(uintptr_t)source,
            .length = width,
            .height = height,
            .target_pitch = target_pitch,
            .source_pitch = source_pitch,
        };
        result = tl_stream_submit(stream, &task);
    }
    return tl_leave(result);
}

TL_EXPORT aclError aclrtMemsetAsync(void *target, size_t most, int32_t value, size_t length, aclrtStream handle)
{
    struct tl_stream *stream = NULL;
    aclError result = tl_enter_stream("aclrtMemsetAsync", handle, &stream);
    if (result == ACL_SUCCESS && (length == 0 || most < length))
    {
        result = tl_refuse(ACL_ERROR_INVALID_PARAM, "%zu bytes where there is room for %zu", length, most);
    }
    if (result == ACL_SUCCESS && tl_find_memory(true, target, length) == NULL)
    {
        result = tl_refuse(ACL_ERROR_RT_PARAM_INVALID, "%p is no memory of a device", target);
    }
    if (result == ACL_SUCCESS)
    {
        const struct tl_task task = {
            .kind = TL_TASK_SET,
            .target = (uint64_t)(uintptr_t)target,
            .length = length,
            .height = 1,
            .value = value,
        };
        result = tl_stream_submit(stream, &task);
    }
    return tl_leave(result);
}

/* The count is one of bytes. */
TL_EXPORT aclError aclrtReduceAsync(void *target, const void *source, uint64_t length, aclrtReduceKind kind,
    aclDataType type, aclrtStream handle, void *reserve)
{
    struct tl_stream *stream = NULL;
    const uint64_t element = tl_reduce_element(type);
    aclError result = tl_enter_stream("aclrtReduceAsync", handle, &stream);
    if (result == ACL_SUCCESS && (kind != ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM || element == 0 || reserve != NULL))
    {
        result = tl_refuse(ACL_ERROR_INVALID_PARAM, "no reduction of kind %d for type %d", kind, type);
    }
    if (result == ACL_SUCCESS && (length == 0 || length % element != 0))
    {
        result = tl_refuse(ACL_ERROR_RT_PARAM_INVALID, "%llu bytes of type %d", (unsigned long long)length, type);
    }
    if (result == ACL_SUCCESS &&
        (tl_find_memory(true, target, length) == NULL || tl_find_memory(true, source, length) == NULL))
    {
        result = tl_refuse(ACL_ERROR_RT_PARAM_INVALID, "a reduction wants memory of devices at %p and %p", target,
            source);
    }
    if (result == ACL_SUCCESS)
    {
        const struct tl_task task = {
            .kind = TL_TASK_REDUCE,
            .target = (uint64_t)(uintptr_t)target,
            .source = (uint64_t)(uintptr_t)source,
            .length = length,
            .height = 1,
            .value = type,
        };
        result = tl_stream_submit(stream, &task);
    }
    return tl_leave(result);
}

/* Waits on the device, without a bound. */
TL_EXPORT aclError aclrtValueWait(void *address, uint64_t value, uint32_t flag, aclrtStream handle)
{
    struct tl_stream *stream = NULL;
    aclError result = tl_enter_stream("aclrtValueWait", handle, &stream);
    if (result == ACL_SUCCESS && ((uintptr_t)address % sizeof(uint64_t) != 0 || flag > ACL_VALUE_WAIT_NOR ||
        tl_find_memory(true, address, sizeof(uint64_t)) == NULL))
    {
        result = tl_refuse(ACL_ERROR_RT_PARAM_INVALID, "a wait of kind %u for a word at %p", flag, address);
    }
    if (result == ACL_SUCCESS)
    {
        const struct tl_task task = {
            .kind = TL_TASK_VALUE,
            .target = (uint64_t)(uintptr_t)address,
            .source = value,
            .height = 1,
            .value = (int)flag,
        };
        result = tl_stream_submit(stream, &task);
    }
    return tl_leave(result);
}
