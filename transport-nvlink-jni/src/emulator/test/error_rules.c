/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */

/* Errors that stick, and faults that are ordered. */

#define _GNU_SOURCE

#include <string.h>

#include "rules.h"

static void codes_have_names(void)
{
    const char *text = NULL;
    OK(cuInit(0));
    OK(cuGetErrorName(700, &text));
    HOLDS(strcmp(text, "CUDA_ERROR_ILLEGAL_ADDRESS") == 0);
    OK(cuGetErrorName(2, &text));
    HOLDS(strcmp(text, "CUDA_ERROR_OUT_OF_MEMORY") == 0);
    OK(cuGetErrorString(700, &text));
    HOLDS(strlen(text) > 0);
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuGetErrorName(123456, &text));
}

static void an_error_sticks_to_its_context(void)
{
    CUcontext other = use_device(1);
    CUcontext own = use_device(0);
    CUstream stream = stream_of(1);
    CUstream idle = stream_of(1);
    CUevent event = NULL;
    void *pinned = NULL;
    CUmodule module = NULL;
    OK(cuEventCreate(&event, 2));
    CUfunction function = probe_function("tl_probe");
    CUdeviceptr address = device_memory(64);
    OK(store(function, stream, 0x1000, 1));
    EXPECT(CUDA_ERROR_ILLEGAL_ADDRESS, cuStreamSynchronize(stream));
    EXPECT(CUDA_ERROR_ILLEGAL_ADDRESS, cuStreamQuery(idle));
    EXPECT(CUDA_ERROR_ILLEGAL_ADDRESS, cuEventQuery(event));
    EXPECT(CUDA_ERROR_ILLEGAL_ADDRESS, store(function, idle, address, 1));
    EXPECT(CUDA_ERROR_ILLEGAL_ADDRESS, cuMemAlloc_v2(&address, 64));
    EXPECT(CUDA_ERROR_ILLEGAL_ADDRESS, cuMemFree_v2(address));
    EXPECT(CUDA_ERROR_ILLEGAL_ADDRESS, cuMemHostAlloc(&pinned, 64, 3));
    EXPECT(CUDA_ERROR_ILLEGAL_ADDRESS, cuModuleLoadData(&module, PROBES));
    EXPECT(CUDA_ERROR_ILLEGAL_ADDRESS, cuCtxSynchronize());
    OK(cuCtxSetCurrent(other));
    OK(cuCtxSetCurrent(own));
}

static void an_error_is_not_another_contexts(void)
{
    use_device(1);
    CUcontext own = use_device(0);
    OK(store(probe_function("tl_probe"), NULL, 0x1000, 1));
    EXPECT(CUDA_ERROR_ILLEGAL_ADDRESS, cuCtxSynchronize());
    use_device(1);
    const CUdeviceptr address = device_memory(64);
    OK(store(probe_function("tl_probe"), NULL, address, 6));
    HOLDS(device_word(address) == 6);
    /* Released for good and retained again, it has the error still. */
    OK(cuDevicePrimaryCtxRelease_v2(0));
    HOLDS(use_device(0) == own);
    EXPECT(CUDA_ERROR_ILLEGAL_ADDRESS, cuCtxSynchronize());
}

static void addresses_are_aligned(void)
{
    use_device(0);
    OK(store(probe_function("tl_probe"), NULL, device_memory(64) + 4, 1));
    EXPECT(CUDA_ERROR_MISALIGNED_ADDRESS, cuCtxSynchronize());
}

static void freed_memory_is_gone(void)
{
    use_device(0);
    const CUdeviceptr address = device_memory(64);
    OK(cuMemFree_v2(address));
    OK(store(probe_function("tl_probe"), NULL, address, 1));
    EXPECT(CUDA_ERROR_ILLEGAL_ADDRESS, cuCtxSynchronize());
}

static void work_behind_an_error_is_not_done(void)
{
    use_device(0);
    struct gate gate = gate_create();
    uint64_t *word = NULL;
    CUstream stream = stream_of(1);
    CUfunction function = probe_function("tl_probe");
    OK(cuMemHostAlloc((void **)&word, 8, 3));
    *word = 1;
    gate_hold(&gate, stream);
    OK(store(function, stream, 0x1000, 1));
    OK(store(function, stream, (CUdeviceptr)(uintptr_t)word, 2));
    gate_open(&gate);
    EXPECT(CUDA_ERROR_ILLEGAL_ADDRESS, cuStreamSynchronize(stream));
    HOLDS(__atomic_load_n(word, __ATOMIC_ACQUIRE) == 1);
}

static void a_fault_hits_the_nth_call(void)
{
    CUdeviceptr address = 0;
    use_device(0);
    OK(cuMemAlloc_v2(&address, 8));
    EXPECT(CUDA_ERROR_OUT_OF_MEMORY, cuMemAlloc_v2(&address, 8));
    OK(cuMemAlloc_v2(&address, 8));
    EXPECT(304, cuCtxSynchronize());
    OK(cuCtxSynchronize());
}

static void a_fault_hits_init(void)
{
    EXPECT(CUDA_ERROR_NO_DEVICE, cuInit(0));
    OK(cuInit(0));
}

static void a_fault_hits_the_nth_kernel(void)
{
    use_device(0);
    CUfunction function = probe_function("tl_probe");
    const CUdeviceptr address = device_memory(64);
    OK(cuMemsetD8Async(address, 0, 8, NULL));
    OK(store(function, NULL, address, 1));
    OK(cuCtxSynchronize());
    OK(store(function, NULL, address, 2));
    EXPECT(CUDA_ERROR_LAUNCH_FAILED, cuCtxSynchronize());
}

static void a_fault_hits_the_nth_copy(void)
{
    use_device(0);
    const CUdeviceptr address = device_memory(64);
    OK(store(probe_function("tl_probe"), NULL, address, 1));
    OK(cuCtxSynchronize());
    OK(cuMemsetD8Async(address, 0, 8, NULL));
    EXPECT(CUDA_ERROR_ILLEGAL_ADDRESS, cuCtxSynchronize());
}

static void a_fault_hits_the_nth_task(void)
{
    use_device(0);
    const CUdeviceptr address = device_memory(64);
    OK(cuMemsetD8Async(address, 0, 8, NULL));
    OK(cuCtxSynchronize());
    OK(store(probe_function("tl_probe"), NULL, address, 1));
    EXPECT(CUDA_ERROR_ILLEGAL_ADDRESS, cuCtxSynchronize());
}

static void a_task_hangs(void)
{
    use_device(0);
    CUstream stream = stream_of(1);
    CUstream other = stream_of(1);
    CUfunction function = probe_function("tl_probe");
    const CUdeviceptr address = device_memory(64);
    OK(store(function, stream, address, 1));
    OK(cuStreamSynchronize(stream));
    OK(store(function, stream, address, 2));
    CUevent event = NULL;
    OK(cuEventCreate(&event, 2));
    OK(cuEventRecord(event, stream));
    /* Another stream goes on. */
    OK(cuMemsetD8Async(address + 8, 3, 8, other));
    OK(cuStreamSynchronize(other));
    HOLDS(device_word(address + 8) == 0x0303030303030303);
    EXPECT(CUDA_ERROR_NOT_READY, cuStreamQuery(stream));
    EXPECT(CUDA_ERROR_NOT_READY, cuEventQuery(event));
    HOLDS(device_word(address) == 1);
}

static void faults_are_set_anew(void)
{
    CUdeviceptr address = 0;
    HOLDS(tl_emulator_set_faults("cuMemAlloc_v2:1") == 1);
    HOLDS(tl_emulator_set_faults("cuMemAlloc_v2:0=2") == 1);
    HOLDS(tl_emulator_set_faults("cuMemAlloc_v2:1=hang") == 1);
    HOLDS(tl_emulator_set_faults("start:1=700") == 1);
    HOLDS(tl_emulator_set_faults("cuMemAlloc_v2:1=2;cuMemAlloc_v2:2=3") == 0);
    use_device(0);
    EXPECT(2, cuMemAlloc_v2(&address, 8));
    EXPECT(3, cuMemAlloc_v2(&address, 8));
    HOLDS(tl_emulator_set_faults("cuMemAlloc_v2:1=2") == 0);
    EXPECT(2, cuMemAlloc_v2(&address, 8));
    HOLDS(tl_emulator_set_faults("") == 0);
    OK(cuMemAlloc_v2(&address, 8));
}

static void wrong_faults_abort(void)
{
    cuInit(0);
}

const struct rule error_rules[] = {
    {"codes_have_names", codes_have_names, NULL, 1, 0},
    {"an_error_sticks_to_its_context", an_error_sticks_to_its_context, NULL, 2, 0},
    {"an_error_is_not_another_contexts", an_error_is_not_another_contexts, NULL, 0, 0},
    {"addresses_are_aligned", addresses_are_aligned, NULL, 1, 0},
    {"freed_memory_is_gone", freed_memory_is_gone, NULL, 0, 0},
    {"work_behind_an_error_is_not_done", work_behind_an_error_is_not_done, NULL, 1, 0},
    {"a_fault_hits_the_nth_call", a_fault_hits_the_nth_call, "FAULTS=cuMemAlloc_v2:2=2;cuCtxSynchronize:1=304", 0, 0},
    {"a_fault_hits_init", a_fault_hits_init, "FAULTS=cuInit:1=100", 0, 0},
    {"a_fault_hits_the_nth_kernel", a_fault_hits_the_nth_kernel, "FAULTS=launch:2=719", 0, 0},
    {"a_fault_hits_the_nth_copy", a_fault_hits_the_nth_copy, "FAULTS=copy:1=700", 0, 0},
    {"a_fault_hits_the_nth_task", a_fault_hits_the_nth_task, "FAULTS=stream:2=700", 0, 0},
    {"a_task_hangs", a_task_hangs, "FAULTS=launch:2=hang", 0, 0},
    {"faults_are_set_anew", faults_are_set_anew, NULL, 0, 0},
    {"wrong_faults_abort", wrong_faults_abort, "FAULTS=launch:x=1", 0, ABORTS},
    {NULL, NULL, NULL, 0, 0}
};
