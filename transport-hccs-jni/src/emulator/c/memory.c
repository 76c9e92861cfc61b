/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */

/* Memory of the devices, and pinned memory of the host. */

#define _GNU_SOURCE

#include <sys/mman.h>
#include <unistd.h>

#include "emulator.h"

enum
{
    /* Where an allocation that is not of huge pages begins in its file: not at a page's start. */
    ODD_OFFSET = 512
};

const char TL_FILE_PREFIX[] = "tl-acl";

bool tl_on_device(const struct tl_range *range)
{
    return range->kind == TL_ALLOCATION || range->kind == TL_IMPORT;
}

struct tl_range *tl_find_memory(bool device, const void *address, uint64_t length)
{
    struct tl_range *range = tl_range_find((uint64_t)(uintptr_t)address, length);
    return range != NULL && tl_on_device(range) == device ? range : NULL;
}

static void give_back(struct tl_range *range)
{
    if (range->kind == TL_ALLOCATION)
    {
        range->context->used_bytes -= range->length;
    }
    tl_range_remove(range);
}

void tl_memory_release_context(struct tl_context *context)
{
    struct tl_range *range = tl_range_first();
    while (range != NULL)
    {
        struct tl_range *next = range->next;
        if (range->context == context && !range->removed)
        {
            give_back(range);
        }
        range = next;
    }
}

static bool is_huge(aclrtMemMallocPolicy policy)
{
    return policy == ACL_MEM_MALLOC_HUGE_ONLY || policy == ACL_MEM_MALLOC_HUGE_ONLY_P2P;
}

/* Behind the memory, the file has a page of what its exporter says to importers. */
static aclError allocate(struct tl_context *context, void **address, size_t wanted, aclrtMemMallocPolicy policy)
{
    const size_t unit = is_huge(policy) ? TL_HUGE_PAGE : 32;
    const size_t length = (wanted + unit - 1) / unit * unit;
    if (length < wanted || length > tl_device_bytes - context->used_bytes)
    {
        return tl_refuse(ACL_ERROR_RT_MEMORY_ALLOCATION, "%zu bytes are asked for, %llu are free on device %d", wanted,
            (unsigned long long)(tl_device_bytes - context->used_bytes), context->device);
    }
    uint64_t identity = 0;
    const size_t offset = is_huge(policy) ? 0 : ODD_OFFSET;
    const size_t bytes = (offset + length + TL_PAGE - 1) / TL_PAGE * TL_PAGE;
    const int fd = tl_range_file(TL_FILE_PREFIX, bytes + TL_PAGE, &identity);
    struct tl_range *range =
        fd < 0 ? NULL : tl_range_map(TL_ALLOCATION, context, context->device, fd, length, offset);
    if (range == NULL)
    {
        if (fd >= 0)
        {
            close(fd);
        }
        return tl_refuse(ACL_ERROR_RT_MEMORY_ALLOCATION, "the system has no memory for %zu bytes", wanted);
    }
    range->identity = identity;
    range->flags = (unsigned)policy;
    tl_fill_garbage(range->mapping, range->mapping_bytes);
    context->used_bytes += length;
    *address = (void *)(uintptr_t)range->base;
    return ACL_SUCCESS;
}

TL_EXPORT aclError aclrtMalloc(void **address, size_t length, aclrtMemMallocPolicy policy)
{
    struct tl_context *context = NULL;
    aclError result = tl_enter("aclrtMalloc", &context);
    if (result == ACL_SUCCESS)
    {
        result = address == NULL || length == 0 || policy < 0 || policy > ACL_MEM_MALLOC_NORMAL_ONLY_P2P ?
            tl_refuse(ACL_ERROR_INVALID_PARAM, "%zu bytes by policy %d", length, policy) :
            allocate(context, address, length, policy);
    }
    return tl_leave(result);
}

/* It waits for no task; one that comes to the memory later fails. */
TL_EXPORT aclError aclrtFree(void *address)
{
    struct tl_context *context = NULL;
    aclError result = tl_enter_to_release("aclrtFree", &context);
    if (result != ACL_SUCCESS)
    {
        return tl_leave(result);
    }
    struct tl_range *range = tl_range_at(TL_ALLOCATION, (uint64_t)(uintptr_t)address);
    if (range == NULL)
    {
        return tl_leave(tl_refuse(ACL_ERROR_RT_PARAM_INVALID, "%p is no allocation of a device", address));
    }
    if (tl_is_exported(range))
    {
        return tl_leave(tl_refuse(ACL_ERROR_RT_PARAM_INVALID, "%p is exported: aclrtIpcMemClose comes first", address));
    }
    give_back(range);
    return tl_leave(ACL_SUCCESS);
}

TL_EXPORT aclError aclrtMallocHost(void **address, size_t length)
{
    struct tl_context *context = NULL;
    aclError result = tl_enter("aclrtMallocHost", &context);
    if (result != ACL_SUCCESS)
    {
        return tl_leave(result);
    }
    if (address == NULL || length == 0)
    {
        return tl_leave(tl_refuse(ACL_ERROR_INVALID_PARAM, "%zu bytes", length));
    }
    void *memory = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct tl_range *range =
        memory == MAP_FAILED ? NULL : tl_range_host(TL_PINNED, context, context->device, memory, length);
    if (range == NULL)
    {
        if (memory != MAP_FAILED)
        {
            munmap(memory, length);
        }
        return tl_leave(tl_refuse(ACL_ERROR_RT_MEMORY_ALLOCATION, "the host has no %zu bytes", length));
    }
    tl_fill_garbage(memory, length);
    *address = memory;
    return tl_leave(ACL_SUCCESS);
}

TL_EXPORT aclError aclrtFreeHost(void *address)
{
    struct tl_context *context = NULL;
    aclError result = tl_enter_to_release("aclrtFreeHost", &context);
    if (result == ACL_SUCCESS)
    {
        struct tl_range *range = tl_range_at(TL_PINNED, (uint64_t)(uintptr_t)address);
        if (range == NULL)
        {
            return tl_leave(tl_refuse(ACL_ERROR_RT_PARAM_INVALID, "%p is no pinned memory", address));
        }
        tl_range_remove(range);
    }
    return tl_leave(result);
}
