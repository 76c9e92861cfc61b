/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */

/* The rules of the emulated ACL runtime as cases. */

#ifndef TRANSLOAD_EMULATOR_RULES_H
#define TRANSLOAD_EMULATOR_RULES_H

#include "../c/emulator.h"
#include "harness.h"

#define RUNTIME_FUNCTIONS(FUNCTION) \
    FUNCTION(aclError, aclInit, (const char *path)) \
    FUNCTION(aclError, aclFinalize, (void)) \
    FUNCTION(const char *, aclGetRecentErrMsg, (void)) \
    FUNCTION(const char *, aclrtGetSocName, (void)) \
    FUNCTION(aclError, aclrtGetDeviceCount, (uint32_t *count)) \
    FUNCTION(aclError, aclrtSetDevice, (int32_t device)) \
    FUNCTION(aclError, aclrtResetDevice, (int32_t device)) \
    FUNCTION(aclError, aclrtGetDevice, (int32_t *device)) \
    FUNCTION(aclError, aclrtQueryDeviceStatus, (int32_t device, aclrtDeviceStatus *status)) \
    FUNCTION(aclError, aclrtDeviceGetBareTgid, (int32_t *process)) \
    FUNCTION(aclError, aclrtDeviceCanAccessPeer, (int32_t *can, int32_t device, int32_t peer)) \
    FUNCTION(aclError, aclrtDeviceEnablePeerAccess, (int32_t peer, uint32_t flags)) \
    FUNCTION(aclError, aclrtMalloc, (void **address, size_t length, aclrtMemMallocPolicy policy)) \
    FUNCTION(aclError, aclrtFree, (void *address)) \
    FUNCTION(aclError, aclrtMallocHost, (void **address, size_t length)) \
    FUNCTION(aclError, aclrtFreeHost, (void *address)) \
    FUNCTION(aclError, aclrtMemcpyAsync, (void *target, size_t most, const void *source, size_t length, \
        aclrtMemcpyKind kind, aclrtStream stream)) \
    FUNCTION(aclError, aclrtMemcpy2dAsync, (void *target, size_t target_pitch, const void *source, \
        size_t source_pitch, size_t width, size_t height, aclrtMemcpyKind kind, aclrtStream stream)) \
    FUNCTION(aclError, aclrtMemsetAsync, (void *target, size_t most, int32_t value, size_t length, \
        aclrtStream stream)) \
    FUNCTION(aclError, aclrtReduceAsync, (void *target, const void *source, uint64_t length, aclrtReduceKind kind, \
        aclDataType type, aclrtStream stream, void *reserve)) \
    FUNCTION(aclError, aclrtCreateStreamWithConfig, (aclrtStream *stream, uint32_t priority, uint32_t flags)) \
    FUNCTION(aclError, aclrtDestroyStreamForce, (aclrtStream stream)) \
    FUNCTION(aclError, aclrtSynchronizeStreamWithTimeout, (aclrtStream stream, int32_t timeout_ms)) \
    FUNCTION(aclError, aclrtStreamAbort, (aclrtStream stream)) \
    FUNCTION(aclError, aclrtSetStreamFailureMode, (aclrtStream stream, uint64_t mode)) \
    FUNCTION(aclError, aclrtCreateEventExWithFlag, (aclrtEvent *event, uint32_t flags)) \
    FUNCTION(aclError, aclrtRecordEvent, (aclrtEvent event, aclrtStream stream)) \
    FUNCTION(aclError, aclrtStreamWaitEvent, (aclrtStream stream, aclrtEvent event)) \
    FUNCTION(aclError, aclrtQueryEventStatus, (aclrtEvent event, aclrtEventRecordedStatus *status)) \
    FUNCTION(aclError, aclrtDestroyEvent, (aclrtEvent event)) \
    FUNCTION(aclError, aclrtValueWait, (void *address, uint64_t value, uint32_t flag, aclrtStream stream)) \
    FUNCTION(aclError, aclrtGetDevicesTopo, (uint32_t device, uint32_t other, uint64_t *value)) \
    FUNCTION(aclError, aclrtIpcMemGetExportKey, (void *address, size_t size, char *key, size_t length, \
        uint64_t flags)) \
    FUNCTION(aclError, aclrtIpcMemSetImportPid, (const char *key, int32_t *processes, size_t count)) \
    FUNCTION(aclError, aclrtIpcMemImportByKey, (void **address, const char *key, uint64_t flags)) \
    FUNCTION(aclError, aclrtIpcMemClose, (const char *key))

#define DECLARE(type, name, arguments) extern type (*name) arguments;
RUNTIME_FUNCTIONS(DECLARE)
#undef DECLARE

extern const struct rule device_rules[];
extern const struct rule memory_rules[];
extern const struct rule copy_rules[];
extern const struct rule reduce_rules[];
extern const struct rule stream_rules[];
extern const struct rule ipc_rules[];
extern const struct rule fault_rules[];

#define OK(call) EXPECT(ACL_SUCCESS, call)

enum
{
    /* A sync that is to end ends long before. */
    LONG_MS = 60000,
    EVENT_SYNC = 1
};

/* ---- fixture.c ---- */

/* Initialises the runtime and gives the thread a context. */
void use_device(int device);
aclrtStream stream_of(uint64_t mode);
void *device_memory(size_t length);
/* Whole pages of 2 MiB, which can be exported. */
void *huge_memory(void);
uint64_t *pinned_memory(size_t length);
/* Ends the case unless the stream ends well. */
void synchronize(aclrtStream stream);
/* A word of device memory, through pinned memory. */
void store(void *address, uint64_t value, aclrtStream stream);
uint64_t load(const void *address);
aclError copy(void *target, const void *source, size_t length, aclrtStream stream);
/* The next set begins when it is let go, and what is behind it in its stream. */
void hold_next_set(void);
void let_go(void);
aclrtEvent event_of(void);
bool is_complete(aclrtEvent event);

#endif
