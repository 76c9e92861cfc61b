/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */

/* Memory of devices, pinned memory. */

#include <string.h>

#include "rules.h"

static void memory_is_allocated_and_freed(void)
{
    aclrtStream stream = NULL;
    use_device(0);
    stream = stream_of(ACL_STOP_ON_FAILURE);
    void *memory = device_memory(1000);
    store(memory, 42, stream);
    HOLDS(load(memory) == 42);
    OK(aclrtFree(memory));
}

static void new_memory_holds_nothing_of_use(void)
{
    use_device(0);
    HOLDS(load(device_memory(64)) == 0xA5A5A5A5A5A5A5A5);
}

static void a_cpu_does_not_look_into_a_device(void)
{
    use_device(0);
    HOLDS(*(volatile char *)device_memory(64) == 0);
}

static void nothing_has_no_memory(void)
{
    void *address = NULL;
    use_device(0);
    EXPECT(ACL_ERROR_INVALID_PARAM, aclrtMalloc(&address, 0, ACL_MEM_MALLOC_HUGE_FIRST));
    EXPECT(ACL_ERROR_INVALID_PARAM, aclrtMalloc(&address, 64, 9));
    EXPECT(ACL_ERROR_INVALID_PARAM, aclrtMallocHost(&address, 0));
}

static void a_device_has_so_much_memory(void)
{
    void *address = NULL;
    use_device(0);
    void *most = NULL;
    OK(aclrtMalloc(&most, 3u << 20, ACL_MEM_MALLOC_HUGE_ONLY));
    EXPECT(ACL_ERROR_RT_MEMORY_ALLOCATION, aclrtMalloc(&address, 64, ACL_MEM_MALLOC_HUGE_FIRST));
    OK(aclrtFree(most));
    OK(aclrtMalloc(&address, 64, ACL_MEM_MALLOC_HUGE_FIRST));
}

static void only_huge_pages_are_aligned(void)
{
    use_device(0);
    HOLDS((uintptr_t)huge_memory() % TL_HUGE_PAGE == 0);
    HOLDS((uintptr_t)device_memory(8u << 20) % TL_PAGE != 0);
}

static void what_is_freed_was_allocated(void)
{
    use_device(0);
    char *memory = device_memory(4096);
    uint64_t *pinned = pinned_memory(4096);
    EXPECT(ACL_ERROR_RT_PARAM_INVALID, aclrtFree(memory + 512));
    EXPECT(ACL_ERROR_RT_PARAM_INVALID, aclrtFree(pinned));
    EXPECT(ACL_ERROR_RT_PARAM_INVALID, aclrtFreeHost(memory));
    OK(aclrtFree(memory));
    EXPECT(ACL_ERROR_RT_PARAM_INVALID, aclrtFree(memory));
    OK(aclrtFreeHost(pinned));
    EXPECT(ACL_ERROR_RT_PARAM_INVALID, aclrtFreeHost(pinned));
}

static void a_task_comes_too_late_for_freed_memory(void)
{
    use_device(0);
    aclrtStream stream = stream_of(ACL_STOP_ON_FAILURE);
    void *memory = device_memory(64);
    void *other = device_memory(64);
    hold_next_set();
    OK(aclrtMemsetAsync(other, 64, 0, 64, stream));
    OK(copy(other, memory, 64, stream));
    OK(aclrtFree(memory));
    EXPECT(ACL_ERROR_RT_PARAM_INVALID, copy(other, memory, 64, stream));
    let_go();
    EXPECT(ACL_ERROR_RT_SYS_DMA, aclrtSynchronizeStreamWithTimeout(stream, LONG_MS));
}

static void pinned_memory_is_the_cpus_too(void)
{
    use_device(0);
    uint64_t *memory = pinned_memory(10000);
    HOLDS((uintptr_t)memory % TL_PAGE == 0);
    memset(memory, 1, 10000);
    OK(aclrtFreeHost(memory));
}

const struct rule memory_rules[] = {
    {"memory_is_allocated_and_freed", memory_is_allocated_and_freed, NULL, 1, 0},
    {"new_memory_holds_nothing_of_use", new_memory_holds_nothing_of_use, NULL, 0, 0},
    {"a_cpu_does_not_look_into_a_device", a_cpu_does_not_look_into_a_device, NULL, 0, FAULTS},
    {"nothing_has_no_memory", nothing_has_no_memory, NULL, 0, 0},
    {"a_device_has_so_much_memory", a_device_has_so_much_memory, "MEMORY=4194304", 0, 0},
    {"only_huge_pages_are_aligned", only_huge_pages_are_aligned, NULL, 0, 0},
    {"what_is_freed_was_allocated", what_is_freed_was_allocated, NULL, 0, 0},
    {"a_task_comes_too_late_for_freed_memory", a_task_comes_too_late_for_freed_memory, NULL, 0, 0},
    {"pinned_memory_is_the_cpus_too", pinned_memory_is_the_cpus_too, NULL, 1, 0},
    {NULL, NULL, NULL, 0, 0}
};
