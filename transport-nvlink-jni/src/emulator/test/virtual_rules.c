/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */

/* Physical memory and addresses apart from it. */

#define _GNU_SOURCE

#include <string.h>
#include <unistd.h>

#include "rules.h"

enum
{
    GRANULE = 2 << 20,
    FILE_HANDLE = 1,
    READ_WRITE = 3
};

static CUmemAllocationProp property(int device, int handles)
{
    return (CUmemAllocationProp){.type = 1, .requestedHandleTypes = handles, .location = {1, device}};
}

static CUmemGenericAllocationHandle physical(int device, int handles, size_t length)
{
    CUmemGenericAllocationHandle handle = 0;
    const CUmemAllocationProp wanted = property(device, handles);
    OK(cuMemCreate(&handle, length, &wanted, 0));
    return handle;
}

static CUdeviceptr reserve(size_t length)
{
    CUdeviceptr address = 0;
    OK(cuMemAddressReserve(&address, length, 0, 0, 0));
    return address;
}

static CUresult allow(CUdeviceptr address, size_t length, int device, int flags)
{
    const CUmemAccessDesc access = {{1, device}, flags};
    return cuMemSetAccess(address, length, &access, 1);
}

/* The mapping keeps the memory, so the handle is given back at once. */
static void map(CUdeviceptr address, CUmemGenericAllocationHandle handle, size_t length)
{
    OK(cuMemMap(address, length, 0, handle, 0));
    OK(cuMemRelease(handle));
}

/* Two mappings side by side, the second one of twice the length. */
static CUdeviceptr two_mappings(int handles)
{
    const CUdeviceptr memory = reserve(3 * GRANULE);
    map(memory, physical(0, handles, GRANULE), GRANULE);
    map(memory + GRANULE, physical(0, handles, 2 * GRANULE), 2 * GRANULE);
    OK(allow(memory, 3 * GRANULE, 0, READ_WRITE));
    return memory;
}

static void work_crosses_borders_of_mappings(void)
{
    size_t length = 0;
    CUdeviceptr base = 0;
    use_device(0);
    const CUdeviceptr memory = two_mappings(0);
    const CUdeviceptr plain = device_memory(GRANULE);
    OK(cuMemsetD8_v2(memory + GRANULE - 512, 7, 1024));
    OK(cuMemcpyAsync(plain, memory + GRANULE - 512, 1024, NULL));
    OK(cuCtxSynchronize());
    HOLDS(device_word(plain) == 0x0707070707070707 && device_word(plain + 1016) == 0x0707070707070707);
    OK(cuMemGetAddressRange_v2(&base, &length, memory + GRANULE + 512));
    HOLDS(base == memory + GRANULE && length == 2 * GRANULE);
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuMemFree_v2(memory));
    OK(cuMemUnmap(memory, 3 * GRANULE));
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuMemcpyDtoH_v2(&length, memory, 8));
    OK(cuMemAddressFree(memory, 3 * GRANULE));
}

static void mapping_is_strict(void)
{
    CUdeviceptr other = 0;
    CUmemGenericAllocationHandle handle = 0;
    const CUmemAllocationProp wanted = property(0, 0);
    use_device(0);
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuMemCreate(&handle, GRANULE + 512, &wanted, 0));
    handle = physical(0, 0, GRANULE);
    const CUdeviceptr memory = reserve(2 * GRANULE);
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuMemAddressReserve(&other, 512, 0, 0, 0));
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuMemMap(memory, 2 * GRANULE, 0, handle, 0));
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuMemMap(memory + 512, GRANULE, 0, handle, 0));
    EXPECT(CUDA_ERROR_INVALID_VALUE, allow(memory, GRANULE, 0, READ_WRITE));
    OK(cuMemMap(memory, GRANULE, 0, handle, 0));
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuMemMap(memory, GRANULE, 0, handle, 0));
    EXPECT(CUDA_ERROR_INVALID_VALUE, allow(memory, 2 * GRANULE, 0, READ_WRITE));
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuMemAddressFree(memory, 2 * GRANULE));
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuMemUnmap(memory, 512));
    OK(cuMemRelease(handle));
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuMemRelease(handle));
    OK(cuMemUnmap(memory, GRANULE));
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuMemAddressFree(memory, GRANULE));
    OK(cuMemAddressFree(memory, 2 * GRANULE));
}

static void a_mapping_is_touched_by_devices_with_access(void)
{
    use_device(1);
    CUfunction function = probe_function("tl_probe");
    const CUdeviceptr memory = reserve(GRANULE);
    map(memory, physical(0, 0, GRANULE), GRANULE);
    OK(allow(memory, GRANULE, 1, READ_WRITE));
    OK(store(function, NULL, memory, 5));
    OK(cuCtxSynchronize());
    HOLDS(device_word(memory) == 5);
    OK(allow(memory, GRANULE, 1, 0));
    OK(store(function, NULL, memory, 6));
    EXPECT(CUDA_ERROR_ILLEGAL_ADDRESS, cuCtxSynchronize());
}

static void access_needs_a_peer(void)
{
    use_device(1);
    const CUdeviceptr memory = reserve(GRANULE);
    map(memory, physical(0, 0, GRANULE), GRANULE);
    EXPECT(CUDA_ERROR_INVALID_DEVICE, allow(memory, GRANULE, 1, READ_WRITE));
}

static int exported(CUdeviceptr address)
{
    int file = -1;
    CUmemGenericAllocationHandle handle = 0;
    OK(cuMemRetainAllocationHandle(&handle, (void *)(uintptr_t)address));
    OK(cuMemExportToShareableHandle(&file, handle, FILE_HANDLE, 0));
    OK(cuMemRelease(handle));
    return file;
}

static void files_bring_memory(void)
{
    int none = -1;
    unsigned long long types = 0;
    CUmemGenericAllocationHandle handle = 0;
    use_device(0);
    const CUdeviceptr memory = two_mappings(FILE_HANDLE);
    OK(cuMemsetD8_v2(memory + GRANULE, 9, 2 * GRANULE));
    OK(cuPointerGetAttribute(&types, 14, memory + GRANULE));
    HOLDS(types == FILE_HANDLE);
    const int file = exported(memory + GRANULE + 512);
    OK(cuMemImportFromShareableHandle(&handle, (void *)(intptr_t)file, FILE_HANDLE));
    HOLDS(close(file) == 0);
    const CUdeviceptr other = reserve(2 * GRANULE);
    OK(cuMemMap(other, 2 * GRANULE, 0, handle, 0));
    OK(allow(other, 2 * GRANULE, 0, READ_WRITE));
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuMemExportToShareableHandle(&none, handle, FILE_HANDLE, 0));
    OK(cuMemRelease(handle));
    OK(cuMemUnmap(memory, 3 * GRANULE));
    HOLDS(device_word(other + 2 * GRANULE - 8) == 0x0909090909090909);
}

static void what_was_not_made_for_it_is_not_exported(void)
{
    int file = -1;
    unsigned long long types = 1;
    CUipcMemHandle ipc;
    CUmemGenericAllocationHandle handle = 0;
    use_device(0);
    const CUdeviceptr memory = two_mappings(0);
    OK(cuPointerGetAttribute(&types, 14, memory));
    HOLDS(types == 0);
    OK(cuMemRetainAllocationHandle(&handle, (void *)(uintptr_t)memory));
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuMemExportToShareableHandle(&file, handle, FILE_HANDLE, 0));
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuIpcGetMemHandle(&ipc, memory));
    EXPECT(CUDA_ERROR_INVALID_VALUE,
        cuMemRetainAllocationHandle(&handle, (void *)(uintptr_t)device_memory(GRANULE)));
}

static void physical_memory_has_an_end(void)
{
    CUmemGenericAllocationHandle handle = 0;
    const CUmemAllocationProp wanted = property(0, 0);
    use_device(0);
    const CUmemGenericAllocationHandle all = physical(0, 0, 2 * GRANULE);
    EXPECT(CUDA_ERROR_OUT_OF_MEMORY, cuMemCreate(&handle, GRANULE, &wanted, 0));
    OK(cuMemRelease(all));
    OK(cuMemRelease(physical(0, 0, GRANULE)));
}

const struct rule virtual_rules[] = {
    {"work_crosses_borders_of_mappings", work_crosses_borders_of_mappings, NULL, 1, 0},
    {"mapping_is_strict", mapping_is_strict, NULL, 0, 0},
    {"a_mapping_is_touched_by_devices_with_access", a_mapping_is_touched_by_devices_with_access, NULL, 2, 0},
    {"access_needs_a_peer", access_needs_a_peer, "NO_PEER=0-1", 0, 0},
    {"files_bring_memory", files_bring_memory, NULL, 1, 0},
    {"what_was_not_made_for_it_is_not_exported", what_was_not_made_for_it_is_not_exported, NULL, 1, 0},
    {"physical_memory_has_an_end", physical_memory_has_an_end, "MEMORY=4194304", 0, 0},
    {NULL, NULL, NULL, 0, 0}
};
