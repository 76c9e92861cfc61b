/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */

/* Modules, functions and launches. */

#define _GNU_SOURCE

#include <string.h>

#include "rules.h"

#define HEAD(version, target) ".version " version "\n.target " target "\n.address_size 64\n"

static void ptx_is_looked_at(void)
{
    CUmodule module = NULL;
    use_device(0);
    EXPECT(CUDA_ERROR_UNSUPPORTED_PTX_VERSION, cuModuleLoadData(&module, HEAD("99.0", "sm_80")));
    EXPECT(CUDA_ERROR_INVALID_PTX, cuModuleLoadData(&module, HEAD("8.0", "sm_100")));
    OK(cuModuleLoadData(&module, HEAD("7.0", "sm_80")));
    OK(cuModuleUnload(module));
}

static void what_is_no_ptx_is_refused(void)
{
    CUmodule module = NULL;
    use_device(0);
    EXPECT(CUDA_ERROR_INVALID_IMAGE, cuModuleLoadData(&module, "\177ELF"));
    EXPECT(CUDA_ERROR_INVALID_IMAGE, cuModuleLoadData(&module, "// .versions and no more"));
    EXPECT(CUDA_ERROR_INVALID_PTX, cuModuleLoadData(&module, ".version 7.0\n.target sm_80\n"));
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuModuleLoadData(&module, NULL));
}

static void an_old_driver_refuses_new_ptx(void)
{
    CUmodule module = NULL;
    char log[200] = "unchanged";
    int names[] = {5, 6};
    void *values[] = {log, (void *)sizeof log};
    use_device(0);
    OK(cuModuleLoadData(&module, HEAD("7.4", "sm_80")));
    EXPECT(CUDA_ERROR_UNSUPPORTED_PTX_VERSION, cuModuleLoadData(&module, HEAD("7.5", "sm_80")));
    EXPECT(CUDA_ERROR_UNSUPPORTED_PTX_VERSION,
        cuModuleLoadDataEx(&module, HEAD("8.0", "sm_80"), 2, names, values));
    HOLDS(strstr(log, "PTX 8.0") != NULL);
    OK(cuModuleLoadDataEx(&module, HEAD("7.4", "sm_80"), 2, names, values));
    HOLDS(log[0] == '\0');
}

static void functions_are_found_by_name(void)
{
    CUmodule module = NULL;
    CUfunction function = NULL;
    CUfunction again = NULL;
    use_device(0);
    OK(cuModuleLoadData(&module, PROBES));
    OK(cuModuleGetFunction(&function, module, "tl_probe"));
    OK(cuModuleGetFunction(&again, module, "tl_probe"));
    HOLDS(function == again);
    EXPECT(CUDA_ERROR_NOT_FOUND, cuModuleGetFunction(&function, module, "tl_prob"));
    EXPECT(CUDA_ERROR_NOT_FOUND, cuModuleGetFunction(&function, module, "probe"));
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuModuleGetFunction(&function, module, ""));
    /* A failed search may have overwritten the handle. */
    const CUdeviceptr address = device_memory(8);
    OK(store(again, NULL, address, 3));
    HOLDS(device_word(address) == 3);
}

static void launches_are_checked(void)
{
    use_device(0);
    CUfunction function = probe_function("tl_probe");
    struct probe probe[2] = {{device_memory(64), 4}, {0, 0}};
    EXPECT(CUDA_ERROR_INVALID_VALUE, launch(function, 0, 1, NULL, probe, sizeof probe[0]));
    EXPECT(CUDA_ERROR_INVALID_VALUE, launch(function, 1, 0, NULL, probe, sizeof probe[0]));
    EXPECT(CUDA_ERROR_INVALID_VALUE, launch(function, 1, 1025, NULL, probe, sizeof probe[0]));
    EXPECT(CUDA_ERROR_INVALID_VALUE, launch(function, 1, 257, NULL, probe, sizeof probe[0]));
    OK(launch(function, 132, 256, NULL, probe, sizeof probe[0]));
    HOLDS(device_word(probe[0].address) == 4);
}

static void arguments_have_their_size(void)
{
    use_device(0);
    CUfunction function = probe_function("tl_probe");
    struct probe probe[2] = {{device_memory(64), 4}, {0, 0}};
    void *unknown[] = {(void *)7, probe, NULL};
    EXPECT(CUDA_ERROR_INVALID_VALUE, launch(function, 1, 1, NULL, probe, 8));
    EXPECT(CUDA_ERROR_INVALID_VALUE, launch(function, 1, 1, NULL, probe, sizeof probe));
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, unknown));
}

static void only_what_is_in_use_is_emulated(void)
{
    use_device(0);
    CUfunction function = probe_function("tl_probe");
    struct probe probe = {0, 0};
    void *parameters[] = {&probe};
    size_t bytes = sizeof probe;
    void *extra[] = {(void *)1, &probe, (void *)2, &bytes, NULL};
    EXPECT(CUDA_ERROR_NOT_SUPPORTED, cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, parameters, NULL));
    EXPECT(CUDA_ERROR_NOT_SUPPORTED, cuLaunchKernel(function, 1, 2, 1, 1, 1, 1, 0, NULL, NULL, extra));
    EXPECT(CUDA_ERROR_NOT_SUPPORTED, cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 64, NULL, NULL, extra));
}

static void arguments_are_taken_at_once(void)
{
    use_device(0);
    struct gate gate = gate_create();
    CUfunction function = probe_function("tl_probe");
    struct probe probe = {device_memory(64), 31};
    CUstream stream = stream_of(1);
    gate_hold(&gate, stream);
    OK(launch(function, 1, 1, stream, &probe, sizeof probe));
    probe.value = 32;
    gate_open(&gate);
    OK(cuStreamSynchronize(stream));
    HOLDS(device_word(probe.address) == 31);
}

static void functions_go_with_their_module(void)
{
    CUmodule module = NULL;
    CUfunction function = NULL;
    CUcontext other = use_device(1);
    use_device(0);
    OK(cuModuleLoadData(&module, PROBES));
    OK(cuModuleGetFunction(&function, module, "tl_probe"));
    const CUdeviceptr address = device_memory(64);
    OK(cuCtxSetCurrent(other));
    EXPECT(CUDA_ERROR_INVALID_HANDLE, store(function, NULL, address, 1));
    EXPECT(CUDA_ERROR_INVALID_HANDLE, cuModuleUnload(module));
    use_device(0);
    OK(cuModuleUnload(module));
    EXPECT(CUDA_ERROR_INVALID_HANDLE, store(function, NULL, address, 1));
    EXPECT(CUDA_ERROR_INVALID_HANDLE, cuModuleGetFunction(&function, module, "tl_probe"));
    EXPECT(CUDA_ERROR_INVALID_HANDLE, cuModuleUnload(module));
}

static void load_and_find(const char *text, const char *name)
{
    CUmodule module = NULL;
    CUfunction function = NULL;
    use_device(0);
    OK(cuModuleLoadData(&module, text));
    cuModuleGetFunction(&function, module, name);
}

static void a_kernel_without_twin_aborts(void)
{
    load_and_find(HEAD("7.0", "sm_80") ".visible .entry tl_new()\n{\n    ret;\n}\n", "tl_new");
}

static void a_twin_of_other_arguments_aborts(void)
{
    load_and_find(HEAD("7.0", "sm_80")
        ".visible .entry tl_probe(.param .align 8 .b8 tl_probe_param_0[24])\n{\n    ret;\n}\n", "tl_probe");
}

const struct rule module_rules[] = {
    {"ptx_is_looked_at", ptx_is_looked_at, NULL, 1, 0},
    {"what_is_no_ptx_is_refused", what_is_no_ptx_is_refused, NULL, 0, 0},
    {"an_old_driver_refuses_new_ptx", an_old_driver_refuses_new_ptx, "DRIVER=11040", 0, 0},
    {"functions_are_found_by_name", functions_are_found_by_name, NULL, 1, 0},
    {"launches_are_checked", launches_are_checked, NULL, 1, 0},
    {"arguments_have_their_size", arguments_have_their_size, NULL, 0, 0},
    {"only_what_is_in_use_is_emulated", only_what_is_in_use_is_emulated, NULL, 0, 0},
    {"arguments_are_taken_at_once", arguments_are_taken_at_once, NULL, 1, 0},
    {"functions_go_with_their_module", functions_go_with_their_module, NULL, 0, 0},
    {"a_kernel_without_twin_aborts", a_kernel_without_twin_aborts, NULL, 0, ABORTS},
    {"a_twin_of_other_arguments_aborts", a_twin_of_other_arguments_aborts, NULL, 0, ABORTS},
    {NULL, NULL, NULL, 0, 0}
};
