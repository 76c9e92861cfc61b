/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */

/* What the cases share. */

#include <string.h>

#include "rules.h"

const char PROBES[] =
    ".version 7.0\n"
    ".target sm_80\n"
    ".address_size 64\n"
    ".visible .entry tl_probe(.param .align 8 .b8 tl_probe_param_0[16])\n"
    ".maxntid 256, 1, 1\n"
    "{\n"
    "    .reg .b64 %rd<3>;\n"
    "    ld.param.u64 %rd1, [tl_probe_param_0];\n"
    "    ld.param.u64 %rd2, [tl_probe_param_0+8];\n"
    "    st.u64 [%rd1], %rd2;\n"
    "    ret;\n"
    "}\n"
    ".visible .entry tl_hold(.param .align 8 .b8 tl_hold_param_0[8])\n"
    "{\n"
    "    .reg .b64 %rd<3>;\n"
    "    .reg .pred %p<2>;\n"
    "    ld.param.u64 %rd1, [tl_hold_param_0];\n"
    "again:\n"
    "    ld.volatile.u64 %rd2, [%rd1];\n"
    "    setp.eq.u64 %p1, %rd2, 0;\n"
    "    @%p1 bra again;\n"
    "    ret;\n"
    "}\n";

CUcontext use_device(int device)
{
    CUcontext context = NULL;
    OK(cuInit(0));
    OK(cuDevicePrimaryCtxRetain(&context, device));
    OK(cuCtxSetCurrent(context));
    return context;
}

CUfunction probe_function(const char *name)
{
    CUmodule module = NULL;
    CUfunction function = NULL;
    OK(cuModuleLoadData(&module, PROBES));
    OK(cuModuleGetFunction(&function, module, name));
    return function;
}

CUresult launch(CUfunction function, unsigned blocks, unsigned threads, CUstream stream, void *arguments, size_t bytes)
{
    void *extra[] = {(void *)1, arguments, (void *)2, &bytes, NULL};
    return cuLaunchKernel(function, blocks, 1, 1, threads, 1, 1, 0, stream, NULL, extra);
}

CUresult store(CUfunction function, CUstream stream, uint64_t address, uint64_t value)
{
    struct probe probe = {address, value};
    return launch(function, 1, 1, stream, &probe, sizeof probe);
}

CUdeviceptr device_memory(size_t length)
{
    CUdeviceptr address = 0;
    OK(cuMemAlloc_v2(&address, length));
    return address;
}

uint64_t device_word(CUdeviceptr address)
{
    uint64_t word = 0;
    OK(cuMemcpyDtoH_v2(&word, address, sizeof word));
    return word;
}

CUstream stream_of(unsigned flags)
{
    CUstream stream = NULL;
    OK(cuStreamCreate(&stream, flags));
    return stream;
}

void let_time_pass(void)
{
    CUstream stream = stream_of(1);
    CUdeviceptr address = device_memory(8);
    for (int i = 0; i < 50; i++)
    {
        OK(cuMemsetD8Async(address, 0, 8, stream));
        OK(cuStreamSynchronize(stream));
    }
    OK(cuStreamDestroy_v2(stream));
}

struct gate gate_create(void)
{
    void *word = NULL;
    OK(cuMemHostAlloc(&word, sizeof(uint64_t), 3));
    memset(word, 0, sizeof(uint64_t));
    return (struct gate){word, probe_function("tl_hold")};
}

void gate_hold(const struct gate *gate, CUstream stream)
{
    uint64_t address = (uint64_t)(uintptr_t)gate->word;
    OK(launch(gate->function, 1, 1, stream, &address, sizeof address));
}

void gate_open(const struct gate *gate)
{
    __atomic_store_n(gate->word, 1, __ATOMIC_RELEASE);
}
