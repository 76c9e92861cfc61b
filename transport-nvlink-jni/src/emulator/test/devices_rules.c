/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */

/* Devices and contexts. */

#define _GNU_SOURCE

#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "rules.h"

static void nothing_before_init(void)
{
    int number = 0;
    OK(cuDriverGetVersion(&number));
    HOLDS(number >= 11000);
    EXPECT(CUDA_ERROR_NOT_INITIALIZED, cuDeviceGetCount(&number));
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuInit(1));
    OK(cuInit(0));
    OK(cuInit(0));
    OK(cuDeviceGetCount(&number));
    HOLDS(number >= 1);
}

static void devices_have_facts(void)
{
    char text[64];
    int number = -1;
    size_t bytes = 0;
    OK(cuInit(0));
    OK(cuDeviceGetName(text, sizeof text, 0));
    HOLDS(strlen(text) > 0);
    OK(cuDeviceGetPCIBusId(text, sizeof text, 0));
    HOLDS(strlen(text) == 12 && text[4] == ':' && text[10] == '.');
    OK(cuDeviceGetAttribute(&number, 16, 0));
    HOLDS(number > 0);
    OK(cuDeviceGetAttribute(&number, 41, 0));
    HOLDS(number == 1);
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuDeviceGetAttribute(&number, 9999, 0));
    OK(cuDeviceTotalMem_v2(&bytes, 0));
    HOLDS(bytes > 0);
    EXPECT(CUDA_ERROR_INVALID_DEVICE, cuDeviceGet(&number, 99));
    EXPECT(CUDA_ERROR_INVALID_DEVICE, cuDeviceGetName(text, sizeof text, 99));
}

static void uuids_are_stable(void)
{
    CUuuid first;
    CUuuid second;
    char line[64];
    char expected[64] = "";
    OK(cuInit(0));
    OK(cuDeviceGetUuid_v2(&first, 0));
    OK(cuDeviceGetUuid_v2(&second, 1));
    HOLDS(memcmp(&first, &second, sizeof first) != 0);
    struct helper helper = helper_start("@uuid", "");
    read_line(helper.from, line, sizeof line);
    for (size_t i = 0; i < sizeof first.bytes; i++)
    {
        snprintf(expected + 2 * i, 3, "%02x", (unsigned char)first.bytes[i]);
    }
    HOLDS(strcmp(line, expected) == 0);
    HOLDS(helper_end(&helper) == 0);
}

static void no_device_is_said(void)
{
    EXPECT(CUDA_ERROR_NO_DEVICE, cuInit(0));
}

static void settings_count(void)
{
    int number = 0;
    size_t bytes = 0;
    OK(cuDriverGetVersion(&number));
    HOLDS(number == 11040);
    OK(cuInit(0));
    OK(cuDeviceGetCount(&number));
    HOLDS(number == 3);
    OK(cuDeviceTotalMem_v2(&bytes, 2));
    HOLDS(bytes == 8192);
}

static void wrong_setting_aborts(void)
{
    cuInit(0);
}

static void peers_are_enabled_once(void)
{
    int can = 0;
    CUcontext other = NULL;
    CUcontext own = use_device(0);
    OK(cuDevicePrimaryCtxRetain(&other, 1));
    OK(cuDeviceCanAccessPeer(&can, 0, 1));
    HOLDS(can == 1);
    OK(cuDeviceCanAccessPeer(&can, 0, 0));
    HOLDS(can == 0);
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuCtxEnablePeerAccess(other, 1));
    EXPECT(CUDA_ERROR_PEER_ACCESS_UNSUPPORTED, cuCtxEnablePeerAccess(own, 0));
    OK(cuCtxEnablePeerAccess(other, 0));
    EXPECT(CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED, cuCtxEnablePeerAccess(other, 0));
}

static void peers_can_be_cut(void)
{
    int can = 1;
    CUcontext other = NULL;
    use_device(0);
    OK(cuDevicePrimaryCtxRetain(&other, 1));
    OK(cuDeviceCanAccessPeer(&can, 1, 0));
    HOLDS(can == 0);
    OK(cuDeviceCanAccessPeer(&can, 0, 2));
    HOLDS(can == 1);
    EXPECT(CUDA_ERROR_PEER_ACCESS_UNSUPPORTED, cuCtxEnablePeerAccess(other, 0));
}

static void writes_are_flushed_in_a_context(void)
{
    int number = -1;
    OK(cuInit(0));
    EXPECT(CUDA_ERROR_INVALID_CONTEXT, cuFlushGPUDirectRDMAWrites(0, 100));
    use_device(0);
    OK(cuDeviceGetAttribute(&number, 117, 0));
    EXPECT((number & 1) != 0 ? CUDA_SUCCESS : CUDA_ERROR_NOT_SUPPORTED, cuFlushGPUDirectRDMAWrites(0, 100));
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuFlushGPUDirectRDMAWrites(0, 99));
}

static void write_ordering_is_set(void)
{
    int number = -1;
    use_device(0);
    OK(cuDeviceGetAttribute(&number, 118, 0));
    HOLDS(number == 0);
    OK(cuDeviceGetAttribute(&number, 117, 0));
    HOLDS(number == 2);
    EXPECT(CUDA_ERROR_NOT_SUPPORTED, cuFlushGPUDirectRDMAWrites(0, 200));
}

static void calls_need_a_context(void)
{
    CUdeviceptr address = 0;
    CUcontext context = NULL;
    OK(cuInit(0));
    EXPECT(CUDA_ERROR_INVALID_CONTEXT, cuMemAlloc_v2(&address, 8));
    EXPECT(CUDA_ERROR_INVALID_CONTEXT, cuCtxSynchronize());
    OK(cuCtxGetCurrent(&context));
    HOLDS(context == NULL);
    OK(cuCtxSetCurrent(NULL));
    EXPECT(CUDA_ERROR_INVALID_DEVICE, cuDevicePrimaryCtxRetain(&context, 99));
    context = use_device(0);
    CUcontext current = NULL;
    OK(cuCtxGetCurrent(&current));
    HOLDS(current == context);
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuDevicePrimaryCtxSetFlags_v2(0, 0x3));
}

static void a_context_lives_while_it_is_retained(void)
{
    CUcontext again = NULL;
    CUdeviceptr address = 0;
    CUcontext context = use_device(0);
    OK(cuDevicePrimaryCtxRetain(&again, 0));
    HOLDS(again == context);
    CUstream stream = stream_of(1);
    CUevent event = NULL;
    OK(cuEventCreate(&event, 2));
    CUfunction function = probe_function("tl_probe");
    address = device_memory(64);
    OK(cuDevicePrimaryCtxRelease_v2(0));
    OK(cuStreamSynchronize(stream));
    OK(cuDevicePrimaryCtxRelease_v2(0));
    EXPECT(CUDA_ERROR_CONTEXT_IS_DESTROYED, cuCtxSynchronize());
    EXPECT(CUDA_ERROR_INVALID_CONTEXT, cuCtxSetCurrent(context));
    EXPECT(CUDA_ERROR_INVALID_CONTEXT, cuDevicePrimaryCtxRelease_v2(0));
    use_device(0);
    EXPECT(CUDA_ERROR_INVALID_HANDLE, cuStreamSynchronize(stream));
    EXPECT(CUDA_ERROR_INVALID_HANDLE, cuEventQuery(event));
    EXPECT(CUDA_ERROR_INVALID_HANDLE, store(function, NULL, address, 1));
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuMemFree_v2(address));
}

static void a_forked_process_has_no_driver(void)
{
    use_device(0);
    const pid_t process = fork();
    if (process == 0)
    {
        int count = 0;
        _exit(cuCtxSynchronize() == CUDA_ERROR_NOT_INITIALIZED && cuInit(0) == CUDA_ERROR_NOT_INITIALIZED &&
            cuDeviceGetCount(&count) == CUDA_ERROR_NOT_INITIALIZED ? 0 : 1);
    }
    int status = 0;
    HOLDS(waitpid(process, &status, 0) == process);
    HOLDS(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

const struct rule device_rules[] = {
    {"nothing_before_init", nothing_before_init, NULL, 1, 0},
    {"devices_have_facts", devices_have_facts, NULL, 1, 0},
    {"uuids_are_stable", uuids_are_stable, NULL, 2, 0},
    {"no_device_is_said", no_device_is_said, "DEVICES=0", 0, 0},
    {"settings_count", settings_count, "DEVICES=3 MEMORY=8192 DRIVER=11040", 0, 0},
    {"wrong_devices_abort", wrong_setting_aborts, "DEVICES=many", 0, ABORTS},
    {"wrong_pairs_abort", wrong_setting_aborts, "NO_PEER=0:1", 0, ABORTS},
    {"peers_are_enabled_once", peers_are_enabled_once, NULL, 2, 0},
    {"peers_can_be_cut", peers_can_be_cut, "DEVICES=3 NO_PEER=0-1,1-2", 0, 0},
    {"writes_are_flushed_in_a_context", writes_are_flushed_in_a_context, NULL, 1, 0},
    {"write_ordering_is_set", write_ordering_is_set, "WRITE_ORDERING=0 FLUSH_OPTIONS=2", 0, 0},
    {"calls_need_a_context", calls_need_a_context, NULL, 1, 0},
    {"a_context_lives_while_it_is_retained", a_context_lives_while_it_is_retained, NULL, 0, 0},
    {"a_forked_process_has_no_driver", a_forked_process_has_no_driver, NULL, 0, 0},
    {NULL, NULL, NULL, 0, 0}
};
