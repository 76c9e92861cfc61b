/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */

/* Reductions. */

#include <math.h>
#include <string.h>

#include "rules.h"

static aclError add(void *target, const void *source, uint64_t length, aclDataType type, aclrtStream stream)
{
    return aclrtReduceAsync(target, source, length, ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM, type, stream, NULL);
}

/* The word that two words add up to. */
static uint64_t sum_of(uint64_t one, uint64_t other, aclDataType type)
{
    use_device(0);
    aclrtStream stream = stream_of(ACL_STOP_ON_FAILURE);
    void *target = device_memory(8);
    void *source = device_memory(8);
    store(target, one, stream);
    store(source, other, stream);
    OK(add(target, source, 8, type, stream));
    synchronize(stream);
    return load(target);
}

static uint64_t floats(float low, float high)
{
    const float both[2] = {low, high};
    uint64_t word = 0;
    memcpy(&word, both, sizeof word);
    return word;
}

static void elements_are_added(void)
{
    HOLDS(sum_of(floats(1.5f, -2), floats(2.25f, 3), ACL_FLOAT) == floats(3.75f, 1));
    HOLDS(sum_of(0x00000001ffffffff, 0x0000000200000001, ACL_INT32) == 0x0000000300000000);
}

static void bf16_is_rounded_to_even(void)
{
    /* 1 + 2^-8 lies between 1 and the next number; 1.0078125 + 2^-8 between that and the one after. */
    HOLDS(sum_of(0x3f80, 0x3b80, ACL_BF16) == 0x3f80);
    HOLDS(sum_of(0x3f81, 0x3b80, ACL_BF16) == 0x3f82);
}

static void small_integers_wrap(void)
{
    HOLDS(sum_of(0x0001ffff, 0x00010001, ACL_INT16) == 0x00020000);
    HOLDS(sum_of(0x01ff, 0x0101, ACL_INT8) == 0x0200);
}

static void words_of_64_bits_are_not_added(void)
{
    use_device(0);
    aclrtStream stream = stream_of(ACL_STOP_ON_FAILURE);
    void *memory = device_memory(64);
    EXPECT(ACL_ERROR_INVALID_PARAM, add(memory, memory, 8, ACL_INT64, stream));
}

static void a_reduction_is_a_sum_of_whole_elements(void)
{
    use_device(0);
    aclrtStream stream = stream_of(ACL_STOP_ON_FAILURE);
    void *memory = device_memory(64);
    void *pinned = pinned_memory(64);
    EXPECT(ACL_ERROR_RT_PARAM_INVALID, add(memory, memory, 6, ACL_INT32, stream));
    EXPECT(ACL_ERROR_RT_PARAM_INVALID, add(memory, memory, 0, ACL_INT32, stream));
    EXPECT(ACL_ERROR_RT_PARAM_INVALID, add(memory, pinned, 8, ACL_INT32, stream));
    EXPECT(ACL_ERROR_INVALID_PARAM, aclrtReduceAsync(memory, memory, 8, 11, ACL_INT32, stream, NULL));
    EXPECT(ACL_ERROR_INVALID_PARAM,
        aclrtReduceAsync(memory, memory, 8, ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM, ACL_INT32, stream, memory));
}

static void adds_of_streams_are_not_lost(void)
{
    aclrtStream streams[4];
    use_device(0);
    aclrtStream own = stream_of(ACL_STOP_ON_FAILURE);
    void *target = device_memory(8);
    void *one = device_memory(8);
    store(target, 0, own);
    store(one, 1, own);
    for (int i = 0; i < 4; i++)
    {
        streams[i] = stream_of(ACL_STOP_ON_FAILURE);
    }
    for (int i = 0; i < 400; i++)
    {
        OK(add(target, one, 4, ACL_INT32, streams[i % 4]));
    }
    for (int i = 0; i < 4; i++)
    {
        synchronize(streams[i]);
    }
    HOLDS(load(target) == 400);
}

const struct rule reduce_rules[] = {
    {"elements_are_added", elements_are_added, NULL, 1, 0},
    {"bf16_is_rounded_to_even", bf16_is_rounded_to_even, NULL, 0, 0},
    {"small_integers_wrap", small_integers_wrap, NULL, 0, 0},
    {"words_of_64_bits_are_not_added", words_of_64_bits_are_not_added, NULL, 1, 0},
    {"a_reduction_is_a_sum_of_whole_elements", a_reduction_is_a_sum_of_whole_elements, NULL, 0, 0},
    {"adds_of_streams_are_not_lost", adds_of_streams_are_not_lost, NULL, 1, 0},
    {NULL, NULL, NULL, 0, 0}
};
