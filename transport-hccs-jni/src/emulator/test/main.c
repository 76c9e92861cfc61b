/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */

/* The library under test. */

#define _GNU_SOURCE

#include "rules.h"

#define DEFINE(type, name, arguments) type (*name) arguments;
RUNTIME_FUNCTIONS(DEFINE)
#undef DEFINE

static const struct
{
    const char *name;
    void *function;
} functions[] = {
#define ENTRY(type, name, arguments) {#name, &name},
    RUNTIME_FUNCTIONS(ENTRY)
#undef ENTRY
};

const struct rule *const all_rules[] = {
    device_rules, memory_rules, copy_rules, reduce_rules, stream_rules, ipc_rules, fault_rules, NULL
};

const char settings_prefix[] = "TRANSLOAD_ACL_EMULATOR_";

/* Cases leave what they like, unless they are about that. */
void load_library(void *library)
{
    setenv("TRANSLOAD_ACL_EMULATOR_ACCOUNTS", "2", 0);
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++)
    {
        load_function(library, functions[i].name, functions[i].function);
    }
}

int count_devices(void)
{
    uint32_t devices = 0;
    return aclInit(NULL) == ACL_SUCCESS && aclrtGetDeviceCount(&devices) == ACL_SUCCESS ? (int)devices : 0;
}
