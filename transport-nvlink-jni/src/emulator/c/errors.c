/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */

/* The driver's result codes by name and in words. */

#include "emulator.h"

struct description
{
    CUresult code;
    const char *name;
    const char *text;
};

static const struct description descriptions[] = {
    {0, "CUDA_SUCCESS", "all went well"},
    {1, "CUDA_ERROR_INVALID_VALUE", "an argument is out of its range"},
    {2, "CUDA_ERROR_OUT_OF_MEMORY", "not enough memory is left"},
    {3, "CUDA_ERROR_NOT_INITIALIZED", "cuInit was not called"},
    {4, "CUDA_ERROR_DEINITIALIZED", "the driver is shutting down"},
    {46, "CUDA_ERROR_DEVICE_UNAVAILABLE", "the device is in use by another process"},
    {100, "CUDA_ERROR_NO_DEVICE", "there is no CUDA device"},
    {101, "CUDA_ERROR_INVALID_DEVICE", "there is no such device"},
    {200, "CUDA_ERROR_INVALID_IMAGE", "the module is no code for a device"},
    {201, "CUDA_ERROR_INVALID_CONTEXT", "the thread has no context that fits"},
    {205, "CUDA_ERROR_MAP_FAILED", "mapping memory failed"},
    {208, "CUDA_ERROR_ALREADY_MAPPED", "the memory is mapped already"},
    {214, "CUDA_ERROR_ECC_UNCORRECTABLE", "a memory error could not be corrected"},
    {217, "CUDA_ERROR_PEER_ACCESS_UNSUPPORTED", "the devices do not reach each other"},
    {218, "CUDA_ERROR_INVALID_PTX", "the PTX does not compile"},
    {220, "CUDA_ERROR_NVLINK_UNCORRECTABLE", "an NVLink error could not be corrected"},
    {222, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION", "the PTX is newer than the driver"},
    {304, "CUDA_ERROR_OPERATING_SYSTEM", "a call of the operating system failed"},
    {400, "CUDA_ERROR_INVALID_HANDLE", "the handle is not valid"},
    {401, "CUDA_ERROR_ILLEGAL_STATE", "the object is not in a state for this"},
    {500, "CUDA_ERROR_NOT_FOUND", "there is nothing of that name"},
    {600, "CUDA_ERROR_NOT_READY", "the work is not done yet"},
    {700, "CUDA_ERROR_ILLEGAL_ADDRESS", "a kernel touched memory that it may not touch"},
    {701, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES", "the kernel needs more than the device has"},
    {702, "CUDA_ERROR_LAUNCH_TIMEOUT", "the kernel ran too long"},
    {704, "CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED", "the contexts reach each other already"},
    {705, "CUDA_ERROR_PEER_ACCESS_NOT_ENABLED", "the contexts do not reach each other"},
    {708, "CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE", "the primary context is in use"},
    {709, "CUDA_ERROR_CONTEXT_IS_DESTROYED", "the context was destroyed"},
    {711, "CUDA_ERROR_TOO_MANY_PEERS", "the device has as many peers as it can have"},
    {712, "CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED", "the memory is pinned already"},
    {713, "CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED", "the memory was not registered"},
    {715, "CUDA_ERROR_ILLEGAL_INSTRUCTION", "a kernel met an instruction that does not exist"},
    {716, "CUDA_ERROR_MISALIGNED_ADDRESS", "a kernel touched an address that is not aligned"},
    {719, "CUDA_ERROR_LAUNCH_FAILED", "a kernel failed"},
    {800, "CUDA_ERROR_NOT_PERMITTED", "the operation is not permitted"},
    {801, "CUDA_ERROR_NOT_SUPPORTED", "the operation is not supported"},
    {900, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED", "a stream that is captured cannot do this"},
    {901, "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED", "the capture was ended by an earlier call"},
    {999, "CUDA_ERROR_UNKNOWN", "the cause is unknown"},
};

static const struct description *find(CUresult code)
{
    for (size_t i = 0; i < sizeof descriptions / sizeof descriptions[0]; i++)
    {
        if (descriptions[i].code == code)
        {
            return &descriptions[i];
        }
    }
    return NULL;
}

TL_EXPORT CUresult cuGetErrorName(CUresult code, const char **name)
{
    const struct description *found = find(code);
    *name = found == NULL ? NULL : found->name;
    return found == NULL ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

TL_EXPORT CUresult cuGetErrorString(CUresult code, const char **text)
{
    const struct description *found = find(code);
    *text = found == NULL ? NULL : found->text;
    return found == NULL ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}
