/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */

/* The devices: how many, what they are, who reaches whom. */

#define _GNU_SOURCE

#include <stdio.h>
#include <string.h>

#include "emulator.h"

enum
{
    DRIVER_VERSION = 12040,
    ATTRIBUTES = 14,
    /* Attributes that settings decide. */
    FLUSH_OPTIONS = 117,
    WRITE_ORDERING = 118,
    ORDERED_FOR_ALL = 200,
    FLUSH_BY_HOST = 1,
    MOST_FLUSH_OPTIONS = 3,
    /* What a flush may be for: the context's device, or all. */
    FLUSH_CURRENT_CONTEXT = 0,
    FLUSH_TO_OWNER = 100,
    FLUSH_TO_ALL = 200
};

bool tl_initialised;
int tl_device_count;
uint64_t tl_device_bytes;
int tl_driver_version = DRIVER_VERSION;

static bool no_peer[TL_MOST_DEVICES][TL_MOST_DEVICES];
static bool forked;
static int write_ordering;
static int flush_options;

/* {attribute, value}: those of one H200. */
static const int attributes[ATTRIBUTES][2] = {
    {1, 1024},    /* threads per block */
    {8, 49152},   /* shared memory per block */
    {10, 32},     /* warp size */
    {16, 132},    /* multiprocessors */
    {18, 0},      /* integrated */
    {19, 1},      /* maps host memory */
    {40, 3},      /* copy engines */
    {41, 1},      /* unified addressing */
    {75, 9},      /* compute capability, major */
    {76, 0},      /* compute capability, minor */
    {88, 0},      /* reads pageable memory */
    {91, 1},      /* registered memory has the host's address */
    {99, 1},      /* host memory can be registered */
    {116, 1},     /* network cards may write to its memory */
};

static void cut(int one, int other)
{
    no_peer[one][other] = true;
    no_peer[other][one] = true;
}

/* As of the real driver, nothing of it is usable in a process forked from one that uses it. */
static void on_fork(void)
{
    forked = true;
    tl_initialised = false;
    pthread_mutex_init(&tl_lock, NULL);
}

static bool is_device(CUdevice device)
{
    return device >= 0 && device < tl_device_count;
}

bool tl_can_access_peer(int device, int peer)
{
    return device != peer && !no_peer[device][peer];
}

TL_EXPORT int tl_emulator_version(void)
{
    return 1;
}

TL_EXPORT CUresult cuInit(unsigned flags)
{
    CUresult result = tl_enter("cuInit", NULL);
    if (result == CUDA_SUCCESS && forked)
    {
        result = CUDA_ERROR_NOT_INITIALIZED;
    }
    if (result == CUDA_SUCCESS && flags != 0)
    {
        result = CUDA_ERROR_INVALID_VALUE;
    }
    if (result == CUDA_SUCCESS && !tl_initialised)
    {
        tl_device_count = (int)tl_setting("DEVICES", 2, 0, TL_MOST_DEVICES);
        tl_device_bytes = tl_setting("MEMORY", 1ull << 30, TL_PAGE, 1ull << 34);
        tl_driver_version = (int)tl_setting("DRIVER", DRIVER_VERSION, 1000, 99990);
        write_ordering = (int)tl_setting("WRITE_ORDERING", ORDERED_FOR_ALL, 0, ORDERED_FOR_ALL);
        flush_options = (int)tl_setting("FLUSH_OPTIONS", FLUSH_BY_HOST, 0, MOST_FLUSH_OPTIONS);
        tl_setting_pairs("NO_PEER", TL_MOST_DEVICES, cut);
        if (tl_device_count == 0)
        {
            result = CUDA_ERROR_NO_DEVICE;
        }
        else
        {
            for (int device = 0; device < tl_device_count; device++)
            {
                tl_contexts[device].device = device;
            }
            tl_ranges_initialise();
            pthread_atfork(NULL, NULL, on_fork);
            tl_initialised = true;
        }
    }
    return tl_leave(result);
}

TL_EXPORT CUresult cuDriverGetVersion(int *version)
{
    if (version == NULL)
    {
        return CUDA_ERROR_INVALID_VALUE;
    }
    /* The one call that needs no cuInit. */
    *version = (int)tl_setting("DRIVER", DRIVER_VERSION, 1000, 99990);
    return CUDA_SUCCESS;
}

TL_EXPORT CUresult cuDeviceGetCount(int *count)
{
    CUresult result = tl_enter("cuDeviceGetCount", NULL);
    if (result == CUDA_SUCCESS)
    {
        *count = tl_device_count;
    }
    return tl_leave(result);
}

TL_EXPORT CUresult cuDeviceGet(CUdevice *device, int ordinal)
{
    CUresult result = tl_enter("cuDeviceGet", NULL);
    if (result == CUDA_SUCCESS)
    {
        result = is_device(ordinal) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
        *device = ordinal;
    }
    return tl_leave(result);
}

static CUresult enter_device(const char *symbol, CUdevice device, bool sound)
{
    const CUresult result = tl_enter(symbol, NULL);
    if (result != CUDA_SUCCESS)
    {
        return result;
    }
    if (!is_device(device))
    {
        return CUDA_ERROR_INVALID_DEVICE;
    }
    return sound ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

TL_EXPORT CUresult cuDeviceGetName(char *name, int length, CUdevice device)
{
    CUresult result = enter_device("cuDeviceGetName", device, name != NULL && length > 0);
    if (result == CUDA_SUCCESS)
    {
        snprintf(name, (size_t)length, "Emulated GPU %d (host twin)", device);
    }
    return tl_leave(result);
}

TL_EXPORT CUresult cuDeviceGetUuid_v2(CUuuid *uuid, CUdevice device)
{
    CUresult result = enter_device("cuDeviceGetUuid_v2", device, uuid != NULL);
    if (result == CUDA_SUCCESS)
    {
        memcpy(uuid->bytes, "TL-emulated-GPU", sizeof uuid->bytes);
        uuid->bytes[15] = (char)device;
    }
    return tl_leave(result);
}

TL_EXPORT CUresult cuDeviceGetPCIBusId(char *text, int length, CUdevice device)
{
    CUresult result = enter_device("cuDeviceGetPCIBusId", device, text != NULL && length > 12);
    if (result == CUDA_SUCCESS)
    {
        snprintf(text, (size_t)length, "0000:%02X:00.0", 0x18 + (unsigned)device);
    }
    return tl_leave(result);
}

TL_EXPORT CUresult cuDeviceGetAttribute(int *value, int attribute, CUdevice device)
{
    CUresult result = enter_device("cuDeviceGetAttribute", device, value != NULL);
    if (result == CUDA_SUCCESS)
    {
        result = attribute == WRITE_ORDERING || attribute == FLUSH_OPTIONS ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
        *value = attribute == WRITE_ORDERING ? write_ordering : attribute == FLUSH_OPTIONS ? flush_options : *value;
        for (int i = 0; i < ATTRIBUTES; i++)
        {
            if (attributes[i][0] == attribute)
            {
                *value = attributes[i][1];
                result = CUDA_SUCCESS;
            }
        }
    }
    return tl_leave(result);
}

TL_EXPORT CUresult cuDeviceTotalMem_v2(size_t *bytes, CUdevice device)
{
    CUresult result = enter_device("cuDeviceTotalMem_v2", device, bytes != NULL);
    if (result == CUDA_SUCCESS)
    {
        *bytes = tl_device_bytes;
    }
    return tl_leave(result);
}

TL_EXPORT CUresult cuDeviceCanAccessPeer(int *can, CUdevice device, CUdevice peer)
{
    CUresult result = enter_device("cuDeviceCanAccessPeer", device, can != NULL);
    if (result == CUDA_SUCCESS)
    {
        result = is_device(peer) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
    }
    if (result == CUDA_SUCCESS)
    {
        *can = tl_can_access_peer(device, peer);
    }
    return tl_leave(result);
}

/* All writes to an emulated device are the CPU's, which it sees at once. */
TL_EXPORT CUresult cuFlushGPUDirectRDMAWrites(int target, int scope)
{
    struct tl_context *context = NULL;
    CUresult result = tl_enter("cuFlushGPUDirectRDMAWrites", &context);
    if (result == CUDA_SUCCESS &&
        (target != FLUSH_CURRENT_CONTEXT || (scope != FLUSH_TO_OWNER && scope != FLUSH_TO_ALL)))
    {
        result = CUDA_ERROR_INVALID_VALUE;
    }
    if (result == CUDA_SUCCESS && (flush_options & FLUSH_BY_HOST) == 0)
    {
        result = CUDA_ERROR_NOT_SUPPORTED;
    }
    return tl_leave(result);
}
