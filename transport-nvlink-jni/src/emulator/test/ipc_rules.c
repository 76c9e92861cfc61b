/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */

/* Device memory between processes: the cases, and the roles of their helpers. */

#define _GNU_SOURCE

#include <signal.h>
#include <string.h>

#include "rules.h"

enum
{
    LAZY_PEER_ACCESS = 1,
    LINE = 2 * sizeof(CUipcMemHandle) + 2
};

static void write_handle(const CUipcMemHandle *handle, char line[LINE])
{
    for (size_t i = 0; i < sizeof handle->bytes; i++)
    {
        snprintf(line + 2 * i, 3, "%02x", (unsigned char)handle->bytes[i]);
    }
}

static CUipcMemHandle read_handle(const char *line)
{
    CUipcMemHandle handle;
    for (size_t i = 0; i < sizeof handle.bytes; i++)
    {
        unsigned byte = 0;
        HOLDS(sscanf(line + 2 * i, "%2x", &byte) == 1);
        handle.bytes[i] = (char)byte;
    }
    return handle;
}

static int say_uuid(void)
{
    CUuuid uuid;
    OK(cuInit(0));
    OK(cuDeviceGetUuid_v2(&uuid, 0));
    for (size_t i = 0; i < sizeof uuid.bytes; i++)
    {
        printf("%02x", (unsigned char)uuid.bytes[i]);
    }
    printf("\n");
    return 0;
}

/* Whether another allocation takes the place of the freed one, with another handle. */
static bool is_replaced(CUdeviceptr freed, const CUipcMemHandle *old)
{
    CUipcMemHandle handle;
    const CUdeviceptr memory = device_memory(4u << 20);
    OK(cuIpcGetMemHandle(&handle, memory));
    return memory == freed && memcmp(&handle, old, sizeof handle) != 0;
}

/* Exports two allocations whose words are 100 and 200, replaces the second when told, and ends when told. */
static int export_two(void)
{
    char line[LINE];
    CUipcMemHandle handle;
    CUdeviceptr memory[2];
    use_device(0);
    CUfunction function = probe_function("tl_probe");
    for (int i = 0; i < 2; i++)
    {
        memory[i] = device_memory(4u << 20);
        OK(store(function, NULL, memory[i], 100u * (unsigned)(i + 1)));
        OK(cuCtxSynchronize());
        OK(cuIpcGetMemHandle(&handle, memory[i]));
        write_handle(&handle, line);
        printf("%s\n", line);
    }
    fflush(stdout);
    read_line(stdin, line, sizeof line);
    OK(cuMemFree_v2(memory[1]));
    HOLDS(is_replaced(memory[1], &handle));
    printf("%llu\n", (unsigned long long)device_word(memory[0]));
    fflush(stdout);
    read_line(stdin, line, sizeof line);
    return 0;
}

/* Opens a handle on the device that is its number, looks for 100, leaves 101 there. */
static int import_on(int device, const char *line)
{
    CUdeviceptr memory = 0;
    use_device(device);
    OK(cuIpcOpenMemHandle_v2(&memory, read_handle(line), LAZY_PEER_ACCESS));
    HOLDS(device_word(memory) == 100);
    OK(store(probe_function("tl_probe"), NULL, memory, 101));
    OK(cuCtxSynchronize());
    OK(cuIpcCloseMemHandle(memory));
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuIpcCloseMemHandle(memory));
    return 0;
}

int run_role(const char *role, const char *argument)
{
    if (strcmp(role, "@uuid") == 0)
    {
        return say_uuid();
    }
    if (strcmp(role, "@export") == 0)
    {
        return export_two();
    }
    return import_on(strcmp(role, "@import0") == 0 ? 0 : 1, argument);
}

static void share_with(const char *role)
{
    char line[LINE];
    CUipcMemHandle handle;
    use_device(0);
    const CUdeviceptr memory = device_memory(1000);
    OK(store(probe_function("tl_probe"), NULL, memory, 100));
    OK(cuCtxSynchronize());
    OK(cuIpcGetMemHandle(&handle, memory));
    write_handle(&handle, line);
    struct helper helper = helper_start(role, line);
    HOLDS(helper_end(&helper) == 0);
    HOLDS(device_word(memory) == 101);
}

static void processes_share_memory(void)
{
    share_with("@import0");
}

static void processes_share_memory_across_devices(void)
{
    share_with("@import1");
}

static void handles_are_for_other_processes(void)
{
    CUipcMemHandle handle;
    CUdeviceptr opened = 0;
    use_device(0);
    const CUdeviceptr memory = device_memory(4096);
    OK(cuIpcGetMemHandle(&handle, memory));
    EXPECT(CUDA_ERROR_INVALID_CONTEXT, cuIpcOpenMemHandle_v2(&opened, handle, LAZY_PEER_ACCESS));
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuIpcCloseMemHandle(memory));
}

static void handles_are_of_allocations(void)
{
    int local = 0;
    void *pinned = NULL;
    CUipcMemHandle handle;
    CUdeviceptr opened = 0;
    use_device(0);
    OK(cuMemHostAlloc(&pinned, 4096, 3));
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuIpcGetMemHandle(&handle, (CUdeviceptr)(uintptr_t)pinned));
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuIpcGetMemHandle(&handle, (CUdeviceptr)(uintptr_t)&local));
    memset(&handle, 0x11, sizeof handle);
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuIpcOpenMemHandle_v2(&opened, handle, LAZY_PEER_ACCESS));
}

static void strictly_handles_are_of_an_allocations_start(void)
{
    CUipcMemHandle handle;
    use_device(0);
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuIpcGetMemHandle(&handle, device_memory(4096) + 512));
}

struct imports
{
    struct helper helper;
    CUipcMemHandle handles[2];
};

static struct imports imports_start(void)
{
    char line[LINE];
    struct imports imports = {.helper = helper_start("@export", "")};
    for (int i = 0; i < 2; i++)
    {
        read_line(imports.helper.from, line, sizeof line);
        imports.handles[i] = read_handle(line);
    }
    return imports;
}

static void tell(const struct imports *imports)
{
    fprintf(imports->helper.to, "go\n");
    fflush(imports->helper.to);
}

/* The exporter's second allocation goes; its first one is as it was. */
static void let_free(const struct imports *imports)
{
    char line[LINE];
    tell(imports);
    read_line(imports->helper.from, line, sizeof line);
    HOLDS(strcmp(line, "100") == 0);
}

static void let_end(struct imports *imports)
{
    tell(imports);
    HOLDS(helper_end(&imports->helper) == 0);
}

static void a_handle_is_opened_and_counted(void)
{
    CUdeviceptr first = 0;
    CUdeviceptr again = 0;
    size_t length = 0;
    use_device(0);
    struct imports imports = imports_start();
    OK(cuIpcOpenMemHandle_v2(&first, imports.handles[0], LAZY_PEER_ACCESS));
    OK(cuIpcOpenMemHandle_v2(&again, imports.handles[0], LAZY_PEER_ACCESS));
    HOLDS(first == again);
    OK(cuMemGetAddressRange_v2(NULL, &length, first));
    HOLDS(length == 4u << 20);
    OK(cuIpcCloseMemHandle(first));
    HOLDS(device_word(first) == 100);
    OK(cuIpcCloseMemHandle(first));
    let_free(&imports);
    let_end(&imports);
}

static void an_import_is_strict(void)
{
    CUdeviceptr memory = 0;
    CUdeviceptr other = 0;
    CUipcMemHandle handle;
    CUcontext own = use_device(0);
    struct imports imports = imports_start();
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuIpcOpenMemHandle_v2(&memory, imports.handles[0], 0));
    OK(cuIpcOpenMemHandle_v2(&memory, imports.handles[0], LAZY_PEER_ACCESS));
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuMemFree_v2(memory));
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuIpcCloseMemHandle(memory + 512));
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuIpcGetMemHandle(&handle, memory));
    /* The context of another device opens it for itself, at an address of its own. */
    int ordinal = -1;
    use_device(1);
    OK(cuIpcOpenMemHandle_v2(&other, imports.handles[0], LAZY_PEER_ACCESS));
    HOLDS(other != memory && device_word(other) == 100);
    OK(cuPointerGetAttribute(&ordinal, 9, other));
    HOLDS(ordinal == 1);
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuIpcCloseMemHandle(memory));
    OK(cuIpcCloseMemHandle(other));
    OK(cuCtxSetCurrent(own));
    OK(cuIpcCloseMemHandle(memory));
    /* The exporter's second allocation is freed before it is opened. */
    let_free(&imports);
    EXPECT(CUDA_ERROR_INVALID_HANDLE, cuIpcOpenMemHandle_v2(&memory, imports.handles[1], LAZY_PEER_ACCESS));
    let_end(&imports);
}

static void an_import_outlives_the_exporter(void)
{
    CUdeviceptr memory = 0;
    CUdeviceptr other = 0;
    use_device(0);
    struct imports imports = imports_start();
    OK(cuIpcOpenMemHandle_v2(&memory, imports.handles[0], LAZY_PEER_ACCESS));
    HOLDS(kill(imports.helper.process, SIGKILL) == 0);
    HOLDS(helper_end(&imports.helper) == 128 + SIGKILL);
    HOLDS(device_word(memory) == 100);
    OK(store(probe_function("tl_probe"), NULL, memory, 7));
    HOLDS(device_word(memory) == 7);
    EXPECT(CUDA_ERROR_INVALID_HANDLE, cuIpcOpenMemHandle_v2(&other, imports.handles[1], LAZY_PEER_ACCESS));
    OK(cuIpcCloseMemHandle(memory));
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuMemcpyDtoH_v2(&other, memory, 8));
}

static void an_import_needs_a_peer(void)
{
    CUdeviceptr memory = 0;
    use_device(1);
    struct imports imports = imports_start();
    EXPECT(CUDA_ERROR_PEER_ACCESS_UNSUPPORTED,
        cuIpcOpenMemHandle_v2(&memory, imports.handles[0], LAZY_PEER_ACCESS));
    let_free(&imports);
    let_end(&imports);
}

const struct rule ipc_rules[] = {
    {"processes_share_memory", processes_share_memory, NULL, 1, 0},
    {"processes_share_memory_across_devices", processes_share_memory_across_devices, NULL, 2, 0},
    {"handles_are_for_other_processes", handles_are_for_other_processes, NULL, 1, 0},
    {"handles_are_of_allocations", handles_are_of_allocations, NULL, 0, 0},
    {"strictly_handles_are_of_an_allocations_start", strictly_handles_are_of_an_allocations_start, NULL, 0, 0},
    {"a_handle_is_opened_and_counted", a_handle_is_opened_and_counted, NULL, 1, 0},
    {"an_import_is_strict", an_import_is_strict, NULL, 0, 0},
    {"an_import_outlives_the_exporter", an_import_outlives_the_exporter, NULL, 0, 0},
    {"an_import_needs_a_peer", an_import_needs_a_peer, "NO_PEER=0-1", 0, 0},
    {NULL, NULL, NULL, 0, 0}
};
