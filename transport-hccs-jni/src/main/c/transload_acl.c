/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */

/*
 * The ACL runtime of CANN for Java: see AclCalls.java for what each function does. The library is opened at run time,
 * so neither its headers nor itself are needed to build this file. Its functions are declared here as far as they are
 * used: those that every version since 8.1 has, and those that may be missing. A call that yields a value returns it,
 * or the negated code; every other call returns the code. Of a call that fails, the thread remembers the name.
 */

#define _GNU_SOURCE

#include "../../../../api/src/main/c/dl.h"

#include <jni.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define NATIVE(type, name) JNIEXPORT type JNICALL Java_dev_transload_transport_hccs_internal_acl_AclCalls_##name
#define UNUSED __attribute__((unused))
#define CALL JNIEnv *env UNUSED, jclass type UNUSED
#define POINTER(handle) ((void *)(uintptr_t)(handle))

/* aclError, as far as this file makes or knows one. */
enum
{
    SUCCESS = 0,
    NOT_SUPPORTED = 207000
};

enum
{
    /* ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM */
    REDUCE_SUM = 10,
    /* ACL_PKG_NAME_CANN */
    PACKAGE_CANN = 0,
    KEY_LENGTH = 65,
    /* Rows at one distance that are worth a copy by pitches. */
    STRIDED_MIN = 4
};

/* aclCANNPackageVersion: the text, then its parts, each in fields of 64 bytes, then a reserve. */
struct package_version
{
    char text[128];
    char parts[4][64];
    char reserved[128];
};

/* An entry of dev.transload.spi.RowList. */
struct row
{
    int64_t source;
    int64_t target;
};

_Static_assert(sizeof(struct row) == 16, "row");

/* Functions that CANN has since 8.1 or before. */
#define REQUIRED(FUNCTION) \
    FUNCTION(int, aclInit, (const char *path)) \
    FUNCTION(const char *, aclGetRecentErrMsg, (void)) \
    FUNCTION(const char *, aclrtGetSocName, (void)) \
    FUNCTION(int, aclrtGetDeviceCount, (uint32_t *count)) \
    FUNCTION(int, aclrtGetDevice, (int32_t *device)) \
    FUNCTION(int, aclrtSetDevice, (int32_t device)) \
    FUNCTION(int, aclrtQueryDeviceStatus, (int32_t device, int *status)) \
    FUNCTION(int, aclrtDeviceGetBareTgid, (int32_t *process)) \
    FUNCTION(int, aclrtDeviceCanAccessPeer, (int32_t *can, int32_t device, int32_t peer)) \
    FUNCTION(int, aclrtDeviceEnablePeerAccess, (int32_t peer, uint32_t flags)) \
    FUNCTION(int, aclrtMalloc, (void **address, size_t bytes, int policy)) \
    FUNCTION(int, aclrtFree, (void *address)) \
    FUNCTION(int, aclrtMallocHost, (void **address, size_t bytes)) \
    FUNCTION(int, aclrtFreeHost, (void *address)) \
    FUNCTION(int, aclrtMemcpyAsync, (void *target, size_t most, const void *source, size_t bytes, int kind, \
                                     void *stream)) \
    FUNCTION(int, aclrtMemcpy2dAsync, (void *target, size_t target_pitch, const void *source, size_t source_pitch, \
                                       size_t width, size_t height, int kind, void *stream)) \
    FUNCTION(int, aclrtMemsetAsync, (void *target, size_t most, int32_t value, size_t bytes, void *stream)) \
    FUNCTION(int, aclrtCreateStreamWithConfig, (void **stream, uint32_t priority, uint32_t flags)) \
    FUNCTION(int, aclrtDestroyStreamForce, (void *stream)) \
    FUNCTION(int, aclrtSynchronizeStreamWithTimeout, (void *stream, int32_t timeout_ms)) \
    FUNCTION(int, aclrtStreamAbort, (void *stream)) \
    FUNCTION(int, aclrtSetStreamFailureMode, (void *stream, uint64_t mode)) \
    FUNCTION(int, aclrtCreateEventExWithFlag, (void **event, uint32_t flags)) \
    FUNCTION(int, aclrtDestroyEvent, (void *event)) \
    FUNCTION(int, aclrtRecordEvent, (void *event, void *stream)) \
    FUNCTION(int, aclrtStreamWaitEvent, (void *stream, void *event)) \
    FUNCTION(int, aclrtQueryEventStatus, (void *event, int *status))

/* Functions that came with 8.2 or 8.3, or that another library than libacl_rt has. */
#define OPTIONAL(FUNCTION) \
    FUNCTION(int, aclsysGetCANNVersion, (int package, struct package_version *version)) \
    FUNCTION(int, aclrtIpcMemGetExportKey, (void *address, size_t bytes, char *key, size_t length, uint64_t flags)) \
    FUNCTION(int, aclrtIpcMemSetImportPid, (const char *key, int32_t *processes, size_t count)) \
    FUNCTION(int, aclrtIpcMemImportByKey, (void **address, const char *key, uint64_t flags)) \
    FUNCTION(int, aclrtIpcMemClose, (const char *key)) \
    FUNCTION(int, aclrtReduceAsync, (void *target, const void *source, uint64_t bytes, int kind, int type, \
                                     void *stream, void *reserve)) \
    FUNCTION(int, aclrtValueWait, (void *address, uint64_t value, uint32_t flag, void *stream)) \
    FUNCTION(int, aclrtGetDevicesTopo, (uint32_t device, uint32_t other, uint64_t *value))

static struct
{
#define MEMBER(type, name, arguments) type (*name) arguments;
    REQUIRED(MEMBER)
    OPTIONAL(MEMBER)
#undef MEMBER
} acl;

static const struct
{
    const char *name;
    size_t offset;
    int is_required;
} functions[] = {
#define ENTRY(type, name, arguments) {#name, offsetof(__typeof__(acl), name), 1},
    REQUIRED(ENTRY)
#undef ENTRY
#define ENTRY(type, name, arguments) {#name, offsetof(__typeof__(acl), name), 0},
    OPTIONAL(ENTRY)
#undef ENTRY
};

/* Of the emulator alone; null for a runtime of Huawei's. */
static int (*emulator_version)(void);

static _Thread_local const char *failed_call = "";

static inline int tried(const char *name, int result)
{
    if (SUCCESS != result)
    {
        failed_call = name;
    }

    return result;
}

#define TRY(name, ...) tried(#name, acl.name(__VA_ARGS__))
/* Of functions that may be missing. */
#define TRY_OPTIONAL(name, ...) tried(#name, NULL == acl.name ? NOT_SUPPORTED : acl.name(__VA_ARGS__))

static inline jlong value_or_code(int result, unsigned long long value)
{
    return SUCCESS == result ? (jlong)value : -(jlong)result;
}

/* The caller's thread works on this device from here on; other users of the thread may have changed it. */
static inline int bind(jint device)
{
    int32_t current = -1;
    if (SUCCESS != acl.aclrtGetDevice(&current))
    {
        acl.aclGetRecentErrMsg(); /* of a thread that has no device yet: nobody asks for that text */
    }

    return device == current ? SUCCESS : TRY(aclrtSetDevice, device);
}

/* Null, or why the library can't be used: text for Java. What was opened before stays as it is. */
NATIVE(jstring, open)(CALL, jstring path)
{
    char problem[256];
    __typeof__(acl) opened;
    memset(&opened, 0, sizeof(opened));
    const char *chars = (*env)->GetStringUTFChars(env, path, NULL);
    if (NULL == chars)
    {
        return NULL; /* OutOfMemoryError is pending */
    }

    void *library = dlopen(chars, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    (*env)->ReleaseStringUTFChars(env, path, chars);
    if (NULL == library)
    {
        const char *error = dlerror();
        return (*env)->NewStringUTF(env, NULL == error ? "dlopen failed" : error);
    }

    for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
    {
        void *function = dlsym(library, functions[i].name);
        if (NULL == function && functions[i].is_required)
        {
            snprintf(problem, sizeof(problem), "it has no function %s, which CANN has from 8.1 on", functions[i].name);
            return (*env)->NewStringUTF(env, problem);
        }

        memcpy((char *)&opened + functions[i].offset, &function, sizeof(function));
    }

    void *version = dlsym(library, "tl_emulator_version");
    memcpy(&emulator_version, &version, sizeof(version));
    acl = opened;
    return NULL;
}

NATIVE(jint, emulatorVersion)(CALL)
{
    return NULL == emulator_version ? 0 : emulator_version();
}

/* Of the file that was opened, or null. */
NATIVE(jstring, libraryPath)(CALL)
{
    void *function = NULL;
    Dl_info info;
    memcpy(&function, &acl.aclInit, sizeof(function));
    return 0 == dladdr(function, &info) || NULL == info.dli_fname ? NULL : (*env)->NewStringUTF(env, info.dli_fname);
}

NATIVE(jboolean, has)(CALL, jstring symbol)
{
    jboolean found = JNI_FALSE;
    const char *chars = (*env)->GetStringUTFChars(env, symbol, NULL);
    if (NULL == chars)
    {
        return JNI_FALSE; /* OutOfMemoryError is pending */
    }

    for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
    {
        void *function = NULL;
        memcpy(&function, (char *)&acl + functions[i].offset, sizeof(function));
        if (NULL != function && 0 == strcmp(chars, functions[i].name))
        {
            found = JNI_TRUE;
        }
    }

    (*env)->ReleaseStringUTFChars(env, symbol, chars);
    return found;
}

NATIVE(jstring, failedCall)(CALL)
{
    return (*env)->NewStringUTF(env, failed_call);
}

NATIVE(jstring, recentText)(CALL)
{
    const char *text = acl.aclGetRecentErrMsg();
    return NULL == text ? NULL : (*env)->NewStringUTF(env, text);
}

NATIVE(jint, init)(CALL)
{
    return TRY(aclInit, NULL);
}

NATIVE(jstring, cannVersion)(CALL)
{
    struct package_version version;
    memset(&version, 0, sizeof(version));
    return SUCCESS == TRY_OPTIONAL(aclsysGetCANNVersion, PACKAGE_CANN, &version) ?
        (*env)->NewStringUTF(env, version.text) : NULL;
}

NATIVE(jstring, socName)(CALL)
{
    const char *name = acl.aclrtGetSocName();
    return NULL == name ? NULL : (*env)->NewStringUTF(env, name);
}

NATIVE(jlong, deviceCount)(CALL)
{
    uint32_t count = 0;
    const int result = TRY(aclrtGetDeviceCount, &count);
    return value_or_code(result, count);
}

NATIVE(jlong, deviceStatus)(CALL, jint device)
{
    int status = 0;
    const int result = TRY(aclrtQueryDeviceStatus, device, &status);
    return value_or_code(result, (unsigned)status);
}

NATIVE(jlong, canAccessPeer)(CALL, jint device, jint peer)
{
    int32_t can = 0;
    const int result = TRY(aclrtDeviceCanAccessPeer, &can, device, peer);
    return value_or_code(result, (unsigned)can);
}

NATIVE(jlong, topology)(CALL, jint device, jint other)
{
    uint64_t value = 0;
    const int result = TRY_OPTIONAL(aclrtGetDevicesTopo, (uint32_t)device, (uint32_t)other, &value);
    return value_or_code(result, value);
}

/* Every function from here on works on the device that it is given, whatever thread calls it. */
#define ON_DEVICE(call)                    \
    do                                     \
    {                                      \
        const int bound = bind(device);    \
        return SUCCESS == bound ? (call) : bound; \
    } while (0)

#define VALUE_ON_DEVICE(type, call)        \
    do                                     \
    {                                      \
        type value = 0;                    \
        int result = bind(device);         \
        if (SUCCESS == result)             \
        {                                  \
            result = (call);               \
        }                                  \
        return value_or_code(result, (unsigned long long)(uintptr_t)value); \
    } while (0)

NATIVE(jlong, bareProcess)(CALL, jint device)
{
    VALUE_ON_DEVICE(int32_t, TRY(aclrtDeviceGetBareTgid, &value));
}

NATIVE(jint, enablePeerAccess)(CALL, jint device, jint peer)
{
    ON_DEVICE(TRY(aclrtDeviceEnablePeerAccess, peer, 0));
}

NATIVE(jlong, malloc)(CALL, jint device, jlong bytes, jint policy)
{
    VALUE_ON_DEVICE(void *, TRY(aclrtMalloc, &value, (size_t)bytes, policy));
}

NATIVE(jint, free)(CALL, jint device, jlong address)
{
    ON_DEVICE(TRY(aclrtFree, POINTER(address)));
}

NATIVE(jlong, mallocHost)(CALL, jint device, jlong bytes)
{
    VALUE_ON_DEVICE(void *, TRY(aclrtMallocHost, &value, (size_t)bytes));
}

NATIVE(jint, freeHost)(CALL, jint device, jlong address)
{
    ON_DEVICE(TRY(aclrtFreeHost, POINTER(address)));
}

static inline int copy(uint64_t target, uint64_t source, size_t bytes, int kind, void *stream)
{
    return TRY(aclrtMemcpyAsync, POINTER(target), bytes, POINTER(source), bytes, kind, stream);
}

NATIVE(jint, copyAsync)
(CALL, jint device, jlong target, jlong source, jlong bytes, jint kind, jlong stream)
{
    ON_DEVICE(copy((uint64_t)target, (uint64_t)source, (size_t)bytes, kind, POINTER(stream)));
}

/* How many rows from here on lie at these distances from each other. */
static int run_of(const struct row *rows, int count, int64_t source_pitch, int64_t target_pitch)
{
    int run = 1;
    while (run < count && rows[run].source == rows[run - 1].source + source_pitch &&
           rows[run].target == rows[run - 1].target + target_pitch)
    {
        run++;
    }

    return run;
}

/* Rows that touch each other are one copy; rows at one distance are one, too, where copies by pitches are allowed. */
static int copy_rows(
    uint64_t target, uint64_t source, const struct row *rows, int count, int64_t length, int kind, void *stream,
    jboolean is_strided)
{
    int result = SUCCESS;
    for (int i = 0; i < count && SUCCESS == result;)
    {
        const struct row *row = &rows[i];
        const uint64_t from = source + (uint64_t)row->source;
        const uint64_t to = target + (uint64_t)row->target;
        const int run = run_of(row, count - i, length, length);
        const int64_t source_pitch = i + 1 < count ? row[1].source - row->source : 0;
        const int64_t target_pitch = i + 1 < count ? row[1].target - row->target : 0;
        const int strided = 1 == run && is_strided && source_pitch >= length && target_pitch >= length ?
            run_of(row, count - i, source_pitch, target_pitch) : 1;
        if (strided >= STRIDED_MIN)
        {
            result = TRY(aclrtMemcpy2dAsync, POINTER(to), (size_t)target_pitch, POINTER(from), (size_t)source_pitch,
                         (size_t)length, (size_t)strided, kind, stream);
            i += strided;
        }
        else
        {
            result = copy(to, from, (size_t)run * (size_t)length, kind, stream);
            i += run;
        }
    }

    return result;
}

NATIVE(jint, copyRows)
(CALL, jint device, jlong target, jlong source, jlong rows, jint count, jint length, jint kind, jlong stream,
 jboolean is_strided)
{
    ON_DEVICE(copy_rows((uint64_t)target, (uint64_t)source, POINTER(rows), count, length, kind, POINTER(stream),
                        is_strided));
}

/* Rows that touch each other are set at once. */
static int set_rows(uint64_t target, const struct row *rows, int count, int64_t length, int byte, void *stream)
{
    int result = SUCCESS;
    for (int i = 0; i < count && SUCCESS == result;)
    {
        const int first = i;
        do
        {
            i++;
        }
        while (i < count && rows[i].target == rows[i - 1].target + length);
        const size_t bytes = (size_t)(i - first) * (size_t)length;
        result = TRY(aclrtMemsetAsync, POINTER(target + (uint64_t)rows[first].target), bytes, byte, bytes, stream);
    }

    return result;
}

NATIVE(jint, setRows)
(CALL, jint device, jlong target, jlong rows, jint count, jint length, jint byte, jlong stream)
{
    ON_DEVICE(set_rows((uint64_t)target, POINTER(rows), count, length, byte, POINTER(stream)));
}

/* Rows that touch each other on both sides are added at once. */
static int add_rows(
    uint64_t target, uint64_t source, const struct row *rows, int count, int64_t length, int element, void *stream)
{
    int result = SUCCESS;
    for (int i = 0; i < count && SUCCESS == result;)
    {
        const int run = run_of(&rows[i], count - i, length, length);
        result = TRY_OPTIONAL(aclrtReduceAsync, POINTER(target + (uint64_t)rows[i].target),
                              POINTER(source + (uint64_t)rows[i].source), (uint64_t)run * (uint64_t)length, REDUCE_SUM,
                              element, stream, NULL);
        i += run;
    }

    return result;
}

NATIVE(jint, addRows)
(CALL, jint device, jlong target, jlong source, jlong rows, jint count, jint length, jint element, jlong stream)
{
    ON_DEVICE(add_rows((uint64_t)target, (uint64_t)source, POINTER(rows), count, length, element, POINTER(stream)));
}

NATIVE(jint, setAsync)
(CALL, jint device, jlong target, jint byte, jlong bytes, jlong stream)
{
    ON_DEVICE(TRY(aclrtMemsetAsync, POINTER(target), (size_t)bytes, byte, (size_t)bytes, POINTER(stream)));
}

NATIVE(jint, addAsync)
(CALL, jint device, jlong target, jlong source, jlong bytes, jint element, jlong stream)
{
    ON_DEVICE(TRY_OPTIONAL(aclrtReduceAsync, POINTER(target), POINTER(source), (uint64_t)bytes, REDUCE_SUM, element,
                           POINTER(stream), NULL));
}

NATIVE(jlong, streamCreate)(CALL, jint device, jint flags)
{
    VALUE_ON_DEVICE(void *, TRY(aclrtCreateStreamWithConfig, &value, 0, (uint32_t)flags));
}

NATIVE(jint, streamFailureMode)(CALL, jint device, jlong stream, jlong mode)
{
    ON_DEVICE(TRY(aclrtSetStreamFailureMode, POINTER(stream), (uint64_t)mode));
}

NATIVE(jint, streamSynchronize)(CALL, jint device, jlong stream, jint timeout_ms)
{
    ON_DEVICE(TRY(aclrtSynchronizeStreamWithTimeout, POINTER(stream), timeout_ms));
}

NATIVE(jint, streamAbort)(CALL, jint device, jlong stream)
{
    ON_DEVICE(TRY(aclrtStreamAbort, POINTER(stream)));
}

NATIVE(jint, streamDestroy)(CALL, jint device, jlong stream)
{
    ON_DEVICE(TRY(aclrtDestroyStreamForce, POINTER(stream)));
}

NATIVE(jint, valueWait)(CALL, jint device, jlong address, jlong value, jint flag, jlong stream)
{
    ON_DEVICE(TRY_OPTIONAL(aclrtValueWait, POINTER(address), (uint64_t)value, (uint32_t)flag, POINTER(stream)));
}

NATIVE(jlong, eventCreate)(CALL, jint device, jint flags)
{
    VALUE_ON_DEVICE(void *, TRY(aclrtCreateEventExWithFlag, &value, (uint32_t)flags));
}

NATIVE(jint, eventRecord)(CALL, jint device, jlong event, jlong stream)
{
    ON_DEVICE(TRY(aclrtRecordEvent, POINTER(event), POINTER(stream)));
}

NATIVE(jint, streamWaitEvent)(CALL, jint device, jlong stream, jlong event)
{
    ON_DEVICE(TRY(aclrtStreamWaitEvent, POINTER(stream), POINTER(event)));
}

NATIVE(jlong, eventStatus)(CALL, jint device, jlong event)
{
    VALUE_ON_DEVICE(int, TRY(aclrtQueryEventStatus, POINTER(event), &value));
}

NATIVE(jint, eventDestroy)(CALL, jint device, jlong event)
{
    ON_DEVICE(TRY(aclrtDestroyEvent, POINTER(event)));
}

NATIVE(jint, ipcExport)(CALL, jint device, jlong address, jlong bytes, jlong key)
{
    ON_DEVICE(TRY_OPTIONAL(aclrtIpcMemGetExportKey, POINTER(address), (size_t)bytes, POINTER(key), KEY_LENGTH, 0));
}

NATIVE(jint, ipcAllow)(CALL, jint device, jlong key, jint process)
{
    int32_t allowed = process;
    ON_DEVICE(TRY_OPTIONAL(aclrtIpcMemSetImportPid, POINTER(key), &allowed, 1));
}

NATIVE(jlong, ipcImport)(CALL, jint device, jlong key, jlong flags)
{
    VALUE_ON_DEVICE(void *, TRY_OPTIONAL(aclrtIpcMemImportByKey, &value, POINTER(key), (uint64_t)flags));
}

NATIVE(jint, ipcClose)(CALL, jint device, jlong key)
{
    ON_DEVICE(TRY_OPTIONAL(aclrtIpcMemClose, POINTER(key)));
}
