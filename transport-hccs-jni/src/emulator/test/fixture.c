/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */

/* What the cases share. */

#include "rules.h"

void use_device(int device)
{
    const aclError result = aclInit(NULL);
    HOLDS(result == ACL_SUCCESS || result == ACL_ERROR_REPEAT_INITIALIZE);
    OK(aclrtSetDevice(device));
}

aclrtStream stream_of(uint64_t mode)
{
    aclrtStream stream = NULL;
    OK(aclrtCreateStreamWithConfig(&stream, 0, 3));
    OK(aclrtSetStreamFailureMode(stream, mode));
    return stream;
}

void *device_memory(size_t length)
{
    void *address = NULL;
    OK(aclrtMalloc(&address, length, ACL_MEM_MALLOC_HUGE_FIRST));
    return address;
}

void *huge_memory(void)
{
    void *address = NULL;
    OK(aclrtMalloc(&address, TL_HUGE_PAGE, ACL_MEM_MALLOC_HUGE_ONLY));
    return address;
}

uint64_t *pinned_memory(size_t length)
{
    void *address = NULL;
    OK(aclrtMallocHost(&address, length));
    return address;
}

void synchronize(aclrtStream stream)
{
    OK(aclrtSynchronizeStreamWithTimeout(stream, LONG_MS));
}

void store(void *address, uint64_t value, aclrtStream stream)
{
    uint64_t *word = pinned_memory(sizeof *word);
    *word = value;
    OK(aclrtMemcpyAsync(address, sizeof *word, word, sizeof *word, ACL_MEMCPY_HOST_TO_DEVICE, stream));
    synchronize(stream);
    OK(aclrtFreeHost(word));
}

uint64_t load(const void *address)
{
    aclrtStream stream = stream_of(ACL_STOP_ON_FAILURE);
    uint64_t *word = pinned_memory(sizeof *word);
    OK(aclrtMemcpyAsync(word, sizeof *word, address, sizeof *word, ACL_MEMCPY_DEVICE_TO_HOST, stream));
    synchronize(stream);
    const uint64_t value = *word;
    OK(aclrtFreeHost(word));
    OK(aclrtDestroyStreamForce(stream));
    return value;
}

aclError copy(void *target, const void *source, size_t length, aclrtStream stream)
{
    return aclrtMemcpyAsync(target, length, source, length, ACL_MEMCPY_DEVICE_TO_DEVICE, stream);
}

void hold_next_set(void)
{
    HOLDS(tl_emulator_set_faults("set:1=hang") == 0);
}

void let_go(void)
{
    HOLDS(tl_emulator_set_faults("") == 0);
}

aclrtEvent event_of(void)
{
    aclrtEvent event = NULL;
    OK(aclrtCreateEventExWithFlag(&event, EVENT_SYNC));
    return event;
}

bool is_complete(aclrtEvent event)
{
    aclrtEventRecordedStatus status = ACL_EVENT_RECORDED_STATUS_NOT_READY;
    OK(aclrtQueryEventStatus(event, &status));
    return status == ACL_EVENT_RECORDED_STATUS_COMPLETE;
}
