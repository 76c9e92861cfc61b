/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */

/*
 * Virtual memory: physical memory of a device, which is a shared file here, and addresses apart from it. Physical
 * memory lives as long as a handle, a mapping or an open file of it does; the file's name tells who imports it which
 * device has it. Mappings stand side by side in a reservation, and work may run across their borders.
 */

#define _GNU_SOURCE

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "emulator.h"

enum
{
    TYPE_PINNED = 1,
    LOCATION_DEVICE = 1,
    HANDLE_NONE = 0,
    HANDLE_FILE = 1,
    ACCESS_NONE = 0,
    ACCESS_READ_WRITE = 3,
    GRANULARITY = 2 << 20
};

struct tl_physical
{
    int fd;
    uint64_t length;
    int device;
    bool imported;
    bool exportable;
    unsigned references;
    unsigned mappings;
    void *handle;
};

bool tl_physical_exportable(const struct tl_physical *physical)
{
    return physical->exportable;
}

static bool is_granular(uint64_t value)
{
    return value % GRANULARITY == 0;
}

static struct tl_physical *find(CUmemGenericAllocationHandle handle)
{
    return tl_handle_find(TL_PHYSICAL, (void *)(uintptr_t)handle);
}

static CUmemGenericAllocationHandle refer(struct tl_physical *physical)
{
    if (physical->references++ == 0)
    {
        physical->handle = tl_handle_create(TL_PHYSICAL, physical);
    }
    return (CUmemGenericAllocationHandle)(uintptr_t)physical->handle;
}

static void free_if_unused(struct tl_physical *physical)
{
    if (physical->references == 0 && physical->mappings == 0)
    {
        if (!physical->imported)
        {
            tl_contexts[physical->device].used_bytes -= physical->length;
        }
        close(physical->fd);
        free(physical);
    }
}

/* Takes over the file; NULL without memory for it. */
static struct tl_physical *physical_of(int fd, uint64_t length, int device)
{
    struct tl_physical *physical = calloc(1, sizeof *physical);
    if (physical != NULL)
    {
        physical->fd = fd;
        physical->length = length;
        physical->device = device;
    }
    return physical;
}

static bool is_property(const CUmemAllocationProp *property)
{
    return property != NULL && property->type == TYPE_PINNED && property->location.type == LOCATION_DEVICE &&
        property->location.id >= 0 && property->location.id < tl_device_count &&
        (property->requestedHandleTypes == HANDLE_NONE || property->requestedHandleTypes == HANDLE_FILE);
}

TL_EXPORT CUresult cuMemGetAllocationGranularity(size_t *bytes, const CUmemAllocationProp *property, int option)
{
    CUresult result = tl_enter("cuMemGetAllocationGranularity", NULL);
    if (result == CUDA_SUCCESS)
    {
        result = bytes != NULL && is_property(property) && (option == 0 || option == 1) ? CUDA_SUCCESS :
            CUDA_ERROR_INVALID_VALUE;
    }
    if (result == CUDA_SUCCESS)
    {
        *bytes = GRANULARITY;
    }
    return tl_leave(result);
}

static CUresult create(CUmemGenericAllocationHandle *handle, size_t length, const CUmemAllocationProp *property)
{
    struct tl_context *context = &tl_contexts[property->location.id];
    if (length > tl_device_bytes - context->used_bytes)
    {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    uint64_t identity = 0;
    if (getrandom(&identity, sizeof identity, 0) != sizeof identity)
    {
        tl_abort("the system gives no random bytes");
    }
    char name[48];
    snprintf(name, sizeof name, "tl-vmm-%d-%016llx", property->location.id, (unsigned long long)identity);
    const int fd = memfd_create(name, MFD_CLOEXEC);
    struct tl_physical *physical = NULL;
    if (fd >= 0 && ftruncate(fd, (off_t)length) == 0)
    {
        physical = physical_of(fd, length, property->location.id);
    }
    void *view = physical == NULL ? MAP_FAILED : mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (view == MAP_FAILED)
    {
        free(physical);
        if (fd >= 0)
        {
            close(fd);
        }
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    tl_fill_garbage(view, length);
    munmap(view, length);
    context->used_bytes += length;
    physical->exportable = property->requestedHandleTypes == HANDLE_FILE;
    *handle = refer(physical);
    return CUDA_SUCCESS;
}

TL_EXPORT CUresult cuMemCreate(CUmemGenericAllocationHandle *handle, size_t length,
    const CUmemAllocationProp *property, unsigned long long flags)
{
    CUresult result = tl_enter("cuMemCreate", NULL);
    if (result == CUDA_SUCCESS)
    {
        result = handle != NULL && length != 0 && is_granular(length) && is_property(property) && flags == 0 ?
            create(handle, length, property) : CUDA_ERROR_INVALID_VALUE;
    }
    return tl_leave(result);
}

TL_EXPORT CUresult cuMemRelease(CUmemGenericAllocationHandle handle)
{
    CUresult result = tl_enter("cuMemRelease", NULL);
    if (result == CUDA_SUCCESS)
    {
        struct tl_physical *physical = find(handle);
        if (physical == NULL)
        {
            return tl_leave(CUDA_ERROR_INVALID_VALUE);
        }
        if (--physical->references == 0)
        {
            tl_handle_destroy(physical->handle);
        }
        free_if_unused(physical);
    }
    return tl_leave(result);
}

TL_EXPORT CUresult cuMemRetainAllocationHandle(CUmemGenericAllocationHandle *handle, void *address)
{
    CUresult result = tl_enter("cuMemRetainAllocationHandle", NULL);
    if (result == CUDA_SUCCESS)
    {
        const struct tl_range *range = tl_range_find((uint64_t)(uintptr_t)address, 0);
        if (handle == NULL || range == NULL || range->kind != TL_MAPPED)
        {
            return tl_leave(CUDA_ERROR_INVALID_VALUE);
        }
        *handle = refer(range->physical);
    }
    return tl_leave(result);
}

TL_EXPORT CUresult cuMemExportToShareableHandle(void *file, CUmemGenericAllocationHandle handle, int type,
    unsigned long long flags)
{
    CUresult result = tl_enter("cuMemExportToShareableHandle", NULL);
    if (result == CUDA_SUCCESS)
    {
        const struct tl_physical *physical = find(handle);
        if (file == NULL || physical == NULL || !physical->exportable || type != HANDLE_FILE || flags != 0)
        {
            return tl_leave(CUDA_ERROR_INVALID_VALUE);
        }
        const int copy = fcntl(physical->fd, F_DUPFD_CLOEXEC, 0);
        *(int *)file = copy;
        result = copy >= 0 ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
    }
    return tl_leave(result);
}

/* The device that the memory behind a file belongs to, or -1 if the file is none of ours. */
static int device_of(int fd)
{
    char path[32];
    char target[96];
    int device = -1;
    unsigned long long identity = 0;
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    const ssize_t length = readlink(path, target, sizeof target - 1);
    target[length < 0 ? 0 : length] = '\0';
    return sscanf(target, "/memfd:tl-vmm-%d-%16llx", &device, &identity) == 2 && device < tl_device_count ?
        device : -1;
}

/* The file stays the caller's. */
TL_EXPORT CUresult cuMemImportFromShareableHandle(CUmemGenericAllocationHandle *handle, void *file, int type)
{
    CUresult result = tl_enter("cuMemImportFromShareableHandle", NULL);
    if (result == CUDA_SUCCESS)
    {
        struct stat status;
        const int fd = (int)(intptr_t)file;
        const int device = device_of(fd);
        if (handle == NULL || type != HANDLE_FILE || device < 0 || fstat(fd, &status) != 0)
        {
            return tl_leave(CUDA_ERROR_INVALID_VALUE);
        }
        const int copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);
        struct tl_physical *physical = copy < 0 ? NULL : physical_of(copy, (uint64_t)status.st_size, device);
        if (physical == NULL)
        {
            tl_abort("no memory is left to import a file");
        }
        physical->imported = true;
        *handle = refer(physical);
    }
    return tl_leave(result);
}

TL_EXPORT CUresult cuMemAddressReserve(CUdeviceptr *address, size_t length, size_t alignment, CUdeviceptr wanted,
    unsigned long long flags)
{
    CUresult result = tl_enter("cuMemAddressReserve", NULL);
    if (result == CUDA_SUCCESS)
    {
        if (address == NULL || length == 0 || !is_granular(length) || !is_granular(alignment) || flags != 0)
        {
            return tl_leave(CUDA_ERROR_INVALID_VALUE);
        }
        /* A wanted address is a hint, which need not be followed; an alignment above the granularity is not offered. */
        const struct tl_range *range =
            wanted != 0 || alignment > GRANULARITY ? NULL : tl_range_reserve(length);
        result = range == NULL ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_SUCCESS;
        *address = range == NULL ? 0 : range->base;
    }
    return tl_leave(result);
}

/* The reservation that holds all of the range, or NULL. */
static struct tl_range *reservation(uint64_t address, uint64_t length)
{
    for (struct tl_range *range = tl_range_first(); range != NULL; range = range->next)
    {
        const uint64_t offset = address - range->base;
        if (range->kind == TL_RESERVED && offset < range->length && length <= range->length - offset)
        {
            return range;
        }
    }
    return NULL;
}

static bool holds_mapping(uint64_t address, uint64_t length)
{
    for (const struct tl_range *range = tl_range_first(); range != NULL; range = range->next)
    {
        if (range->kind == TL_MAPPED && range->base < address + length && address < range->base + range->length)
        {
            return true;
        }
    }
    return false;
}

TL_EXPORT CUresult cuMemAddressFree(CUdeviceptr address, size_t length)
{
    CUresult result = tl_enter("cuMemAddressFree", NULL);
    if (result == CUDA_SUCCESS)
    {
        struct tl_range *range = reservation(address, length);
        if (range == NULL || range->base != address || range->length != length || holds_mapping(address, length))
        {
            return tl_leave(CUDA_ERROR_INVALID_VALUE);
        }
        tl_range_remove(range);
    }
    return tl_leave(result);
}

TL_EXPORT CUresult cuMemMap(CUdeviceptr address, size_t length, size_t offset, CUmemGenericAllocationHandle handle,
    unsigned long long flags)
{
    CUresult result = tl_enter("cuMemMap", NULL);
    if (result == CUDA_SUCCESS)
    {
        struct tl_physical *physical = find(handle);
        if (physical == NULL || length != physical->length || offset != 0 || flags != 0 || !is_granular(address) ||
            reservation(address, length) == NULL || holds_mapping(address, length))
        {
            return tl_leave(CUDA_ERROR_INVALID_VALUE);
        }
        struct tl_range *range = tl_range_mapped(address, physical->fd, length, physical->device);
        if (range == NULL)
        {
            return tl_leave(CUDA_ERROR_MAP_FAILED);
        }
        range->physical = physical;
        physical->mappings++;
    }
    return tl_leave(result);
}

/* The mapping that begins at the address and ends at the limit or before it, or NULL. */
static struct tl_range *mapping_at(uint64_t address, uint64_t limit)
{
    struct tl_range *range = tl_range_find(address, 0);
    return range != NULL && range->kind == TL_MAPPED && range->base == address && address + range->length <= limit ?
        range : NULL;
}

/* Whether whole mappings fill all of the range. */
static bool is_filled(uint64_t address, uint64_t length)
{
    const uint64_t limit = address + length;
    while (address < limit)
    {
        const struct tl_range *mapping = mapping_at(address, limit);
        if (mapping == NULL)
        {
            return false;
        }
        address += mapping->length;
    }
    return length != 0;
}

/* It waits for all work of the process, which may use the memory. */
TL_EXPORT CUresult cuMemUnmap(CUdeviceptr address, size_t length)
{
    CUresult result = tl_enter("cuMemUnmap", NULL);
    if (result != CUDA_SUCCESS || !is_filled(address, length))
    {
        return tl_leave(result != CUDA_SUCCESS ? result : CUDA_ERROR_INVALID_VALUE);
    }
    for (int device = 0; device < tl_device_count; device++)
    {
        if (tl_contexts[device].references != 0)
        {
            tl_context_wait(&tl_contexts[device]);
        }
    }
    if (!is_filled(address, length))
    {
        tl_abort("two threads unmap the device memory at %#llx", (unsigned long long)address);
    }
    for (const uint64_t limit = address + length; address < limit;)
    {
        struct tl_range *mapping = mapping_at(address, limit);
        struct tl_physical *physical = mapping->physical;
        address += mapping->length;
        tl_range_remove(mapping);
        physical->mappings--;
        free_if_unused(physical);
    }
    return tl_leave(CUDA_SUCCESS);
}

static CUresult set_access(CUdeviceptr address, uint64_t limit, const CUmemAccessDesc *access)
{
    const int device = access->location.id;
    if (access->location.type != LOCATION_DEVICE || device < 0 || device >= tl_device_count ||
        (access->flags != ACCESS_NONE && access->flags != ACCESS_READ_WRITE))
    {
        return CUDA_ERROR_INVALID_VALUE;
    }
    while (address < limit)
    {
        struct tl_range *mapping = mapping_at(address, limit);
        if (device != mapping->device && !tl_can_access_peer(device, mapping->device))
        {
            return CUDA_ERROR_INVALID_DEVICE;
        }
        const uint64_t bit = 1ull << device;
        mapping->access = access->flags == ACCESS_NONE ? mapping->access & ~bit : mapping->access | bit;
        address += mapping->length;
    }
    return CUDA_SUCCESS;
}

TL_EXPORT CUresult cuMemSetAccess(CUdeviceptr address, size_t length, const CUmemAccessDesc *access, size_t count)
{
    CUresult result = tl_enter("cuMemSetAccess", NULL);
    if (result == CUDA_SUCCESS && (access == NULL || count == 0 || !is_filled(address, length)))
    {
        result = CUDA_ERROR_INVALID_VALUE;
    }
    for (size_t i = 0; result == CUDA_SUCCESS && i < count; i++)
    {
        result = set_access(address, address + length, &access[i]);
    }
    return tl_leave(result);
}
