/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */

/* The library under test. */

#include "rules.h"

#define DEFINE(name, arguments) CUresult (*name) arguments;
DRIVER_FUNCTIONS(DEFINE)
#undef DEFINE

static const struct
{
    const char *name;
    void *function;
} functions[] = {
#define ENTRY(name, arguments) {#name, &name},
    DRIVER_FUNCTIONS(ENTRY)
#undef ENTRY
};

const struct rule *const all_rules[] = {
    device_rules, memory_rules, host_rules, stream_rules, module_rules, error_rules, ipc_rules, virtual_rules,
    graph_rules, NULL
};

const char settings_prefix[] = "TRANSLOAD_CUDA_EMULATOR_";

void load_library(void *library)
{
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++)
    {
        load_function(library, functions[i].name, functions[i].function);
    }
}

int count_devices(void)
{
    int devices = 0;
    return cuInit(0) == CUDA_SUCCESS && cuDeviceGetCount(&devices) == CUDA_SUCCESS ? devices : 0;
}
