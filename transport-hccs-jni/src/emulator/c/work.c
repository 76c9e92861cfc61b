/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */

/*
 * What tasks do to memory. What a task touches is held until it ends, so that memory that is freed too early gives an
 * error or stale bytes and never takes the emulator down.
 */

#include <math.h>
#include <string.h>

#include "emulator.h"

/* Whether a task of the context may touch the range; with the lock. */
static aclError check_reach(const struct tl_context *context, const struct tl_range *range)
{
    if (range == NULL)
    {
        return ACL_ERROR_RT_SYS_DMA;
    }
    if (!tl_on_device(range))
    {
        return ACL_SUCCESS;
    }
    const bool is_elsewhere = range->device != context->device;
    if (is_elsewhere && tl_link_is_down)
    {
        return ACL_ERROR_RT_LINK_ERROR;
    }
    if (range->kind == TL_ALLOCATION)
    {
        return !is_elsewhere || (context->peers >> range->device & 1) != 0 ? ACL_SUCCESS :
            ACL_ERROR_RT_SUSPECT_REMOTE_ERROR;
    }
    if (range->context != context || (is_elsewhere && !range->for_all_contexts))
    {
        return ACL_ERROR_RT_SUSPECT_REMOTE_ERROR;
    }
    return tl_import_state(range);
}

/* The range, held; or NULL, with the reason. */
static struct tl_range *hold(const struct tl_context *context, uint64_t address, uint64_t length, aclError *result)
{
    struct tl_range *range = tl_range_find(address, length);
    if (*result == ACL_SUCCESS)
    {
        *result = check_reach(context, range);
    }
    if (*result != ACL_SUCCESS)
    {
        return NULL;
    }
    range->pins++;
    return range;
}

static char *pointer_in(const struct tl_range *range, uint64_t address)
{
    return (char *)(uintptr_t)(address + range->delta);
}

/* A word that is aligned is never seen in part. */
static void copy_line(char *target, const char *source, uint64_t length)
{
    if (length == sizeof(uint64_t) && ((uintptr_t)target | (uintptr_t)source) % sizeof(uint64_t) == 0)
    {
        __atomic_store_n((uint64_t *)(void *)target, __atomic_load_n((const uint64_t *)(const void *)source,
            __ATOMIC_ACQUIRE), __ATOMIC_RELEASE);
        return;
    }
    memmove(target, source, length);
}

static float float_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* To nearest, ties to even. */
static uint16_t bf16_of(float value)
{
    const uint32_t bits = bits_of(value);
    return isnan(value) ? 0x7fc0 : (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

/* Each element is added to atomically. */
static void add_float(uint32_t *target, uint32_t addend)
{
    uint32_t seen = __atomic_load_n(target, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(target, &seen, bits_of(float_of(seen) + float_of(addend)), true,
        __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
    {
    }
}

static void add_bf16(uint16_t *target, uint16_t addend)
{
    const float value = float_of((uint32_t)addend << 16);
    uint16_t seen = __atomic_load_n(target, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(target, &seen, bf16_of(float_of((uint32_t)seen << 16) + value), true,
        __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
    {
    }
}

uint64_t tl_reduce_element(aclDataType type)
{
    switch (type)
    {
        case ACL_FLOAT:
        case ACL_INT32:
            return sizeof(uint32_t);
        case ACL_BF16:
        case ACL_INT16:
            return sizeof(uint16_t);
        case ACL_INT8:
            return sizeof(uint8_t);
        default:
            return 0;
    }
}

static void add_elements(char *target, const char *source, uint64_t length, aclDataType type)
{
    const uint64_t element = tl_reduce_element(type);
    for (uint64_t i = 0; i < length; i += element)
    {
        void *to = target + i;
        const void *from = source + i;
        switch (type)
        {
            case ACL_FLOAT:
                add_float(to, *(const uint32_t *)from);
                break;
            case ACL_INT32:
                __atomic_fetch_add((uint32_t *)to, *(const uint32_t *)from, __ATOMIC_ACQ_REL);
                break;
            case ACL_BF16:
                add_bf16(to, *(const uint16_t *)from);
                break;
            case ACL_INT16:
                __atomic_fetch_add((uint16_t *)to, *(const uint16_t *)from, __ATOMIC_ACQ_REL);
                break;
            default:
                __atomic_fetch_add((uint8_t *)to, *(const uint8_t *)from, __ATOMIC_ACQ_REL);
                break;
        }
    }
}

static bool is_met(uint64_t seen, uint64_t value, int flag)
{
    switch (flag)
    {
        case ACL_VALUE_WAIT_GEQ:
            return (int64_t)(seen - value) >= 0;
        case ACL_VALUE_WAIT_EQ:
            return seen == value;
        case ACL_VALUE_WAIT_AND:
            return (seen & value) != 0;
        default:
            return ~(seen | value) != 0;
    }
}

aclError tl_value_met(struct tl_context *context, const struct tl_task *task, bool *met)
{
    aclError result = ACL_SUCCESS;
    struct tl_range *range = hold(context, task->target, sizeof(uint64_t), &result);
    if (range != NULL)
    {
        *met = is_met(__atomic_load_n((const uint64_t *)(const void *)pointer_in(range, task->target),
            __ATOMIC_ACQUIRE), task->source, task->value);
        tl_range_unpin(range);
    }
    return result;
}

static uint64_t span(const struct tl_task *task, uint64_t pitch)
{
    return (task->height - 1) * pitch + task->length;
}

static void touch(const struct tl_task *task, char *target, const char *source)
{
    switch (task->kind)
    {
        case TL_TASK_SET:
            memset(target, task->value, task->length);
            break;
        case TL_TASK_REDUCE:
            add_elements(target, source, task->length, task->value);
            break;
        default:
            for (uint64_t line = 0; line < task->height; line++)
            {
                copy_line(target + line * task->target_pitch, source + line * task->source_pitch, task->length);
            }
            break;
    }
}

aclError tl_work(struct tl_context *context, const struct tl_task *task)
{
    aclError result = ACL_SUCCESS;
    pthread_mutex_lock(&tl_lock);
    struct tl_range *to = hold(context, task->target, span(task, task->target_pitch), &result);
    struct tl_range *from = task->kind == TL_TASK_SET ? NULL :
        hold(context, task->source, span(task, task->source_pitch), &result);
    pthread_mutex_unlock(&tl_lock);
    if (result == ACL_SUCCESS)
    {
        touch(task, pointer_in(to, task->target), from == NULL ? NULL : pointer_in(from, task->source));
    }
    pthread_mutex_lock(&tl_lock);
    if (to != NULL)
    {
        tl_range_unpin(to);
    }
    if (from != NULL)
    {
        tl_range_unpin(from);
    }
    pthread_mutex_unlock(&tl_lock);
    return result;
}
