/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */

/*
 * The calls into UCX that jucx lacks or makes slowly: see UcpCalls.java for what each does. UCX is opened at run time,
 * so neither its headers nor the library are needed to build this file. Its functions and structures are declared here
 * as far as they are used; they are the same from UCX 1.13 on.
 */

#include "../../../../api/src/main/c/dl.h"

#include <jni.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NATIVE(type, name) JNIEXPORT type JNICALL Java_dev_transload_transport_ucx_internal_ucp_JniCalls_##name
#define UNUSED __attribute__((unused))
#define POINTER(handle) ((void *)(uintptr_t)(handle))

/* Statuses; the last error is the most negative one that a pointer result can carry. */
enum
{
    STATUS_OK = 0,
    STATUS_NO_MEMORY = -4,
    STATUS_LAST_ERROR = -100
};

/* Bits of request_param.fields. */
enum
{
    FIELD_CALLBACK = 1u << 1,
    FIELD_USER_DATA = 1u << 2,
    FIELD_DATATYPE = 1u << 3,
    FIELD_FLAGS = 1u << 4,
    FIELD_MEMORY_TYPE = 1u << 6,
    FIELD_MEMORY_HANDLE = 1u << 8
};

/* An element of 8 contiguous bytes: its size, shifted by the bits that hold the class (0: contiguous). */
enum
{
    DATATYPE_WORD = 8 << 3
};

enum
{
    ATOMIC_ADD = 0,
    CLOSE_FORCED = 1
};

/* ucp_request_param_t */
struct request_param
{
    uint32_t fields;
    uint32_t flags;
    void *request;
    void (*callback)(void *request, int8_t status, void *user_data);
    uint64_t datatype;
    void *user_data;
    void *reply_buffer;
    int32_t memory_type;
    void *receive_info;
    void *memory_handle;
};

_Static_assert(offsetof(struct request_param, callback) == 16, "callback");
_Static_assert(offsetof(struct request_param, datatype) == 24, "datatype");
_Static_assert(offsetof(struct request_param, memory_type) == 48, "memory_type");
_Static_assert(offsetof(struct request_param, memory_handle) == 64, "memory_handle");
_Static_assert(sizeof(struct request_param) == 72, "request_param");

/* An entry of dev.transload.spi.RowList. */
struct row
{
    int64_t source;
    int64_t destination;
};

/* The functions of UCX by their own names; ucs_status_t is a packed enumeration: one signed byte. */
static struct
{
    void (*ucp_get_version)(unsigned *major, unsigned *minor, unsigned *release);
    const char *(*ucs_status_string)(int8_t status);
    void *(*ucp_put_nbx)(void *endpoint, const void *buffer, size_t count, uint64_t remote, void *remote_key,
                         const struct request_param *param);
    void *(*ucp_get_nbx)(void *endpoint, void *buffer, size_t count, uint64_t remote, void *remote_key,
                         const struct request_param *param);
    void *(*ucp_atomic_op_nbx)(void *endpoint, int operation, const void *buffer, size_t count, uint64_t remote,
                               void *remote_key, const struct request_param *param);
    void *(*ucp_ep_flush_nbx)(void *endpoint, const struct request_param *param);
    void *(*ucp_ep_close_nbx)(void *endpoint, const struct request_param *param);
    unsigned (*ucp_worker_progress)(void *worker);
    int8_t (*ucp_request_check_status)(void *request);
    void (*ucp_request_free)(void *request);
    int8_t (*ucp_rkey_ptr)(void *remote_key, uint64_t remote, void **address);
} ucx;

static const struct
{
    const char *name;
    size_t offset;
} functions[] = {
#define FUNCTION(name) {#name, offsetof(__typeof__(ucx), name)}
    FUNCTION(ucp_get_version),
    FUNCTION(ucs_status_string),
    FUNCTION(ucp_put_nbx),
    FUNCTION(ucp_get_nbx),
    FUNCTION(ucp_atomic_op_nbx),
    FUNCTION(ucp_ep_flush_nbx),
    FUNCTION(ucp_ep_close_nbx),
    FUNCTION(ucp_worker_progress),
    FUNCTION(ucp_request_check_status),
    FUNCTION(ucp_request_free),
    FUNCTION(ucp_rkey_ptr),
#undef FUNCTION
};

static inline int is_request(const void *result)
{
    return NULL != result && (uintptr_t)result < (uintptr_t)(intptr_t)STATUS_LAST_ERROR;
}

/* The request of an operation that a flush completes is given back at once. */
static inline jint settle(void *result)
{
    if (is_request(result))
    {
        ucx.ucp_request_free(result);
        return STATUS_OK;
    }

    return (jint)(intptr_t)result;
}

static inline struct request_param memory_param(jlong memory_handle, jint memory_type)
{
    struct request_param param;
    param.fields = FIELD_MEMORY_TYPE;
    param.memory_type = memory_type;
    if (0 != memory_handle)
    {
        param.fields |= FIELD_MEMORY_HANDLE;
        param.memory_handle = POINTER(memory_handle);
    }

    return param;
}

/* Null, or why the library can't be used: text for Java. What was opened before stays as it is. */
NATIVE(jstring, ucpOpen)(JNIEnv *env, jclass type UNUSED, jstring name)
{
    char problem[512];
    __typeof__(ucx) opened;
    const char *chars = (*env)->GetStringUTFChars(env, name, NULL);
    if (NULL == chars)
    {
        return NULL; /* OutOfMemoryError is pending */
    }

    void *library = dlopen(chars, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    (*env)->ReleaseStringUTFChars(env, name, chars);
    if (NULL == library)
    {
        const char *error = dlerror();
        return (*env)->NewStringUTF(env, NULL == error ? "dlopen failed" : error);
    }

    for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
    {
        void *function = dlsym(library, functions[i].name);
        if (NULL == function)
        {
            snprintf(problem, sizeof(problem), "it has no function %s", functions[i].name);
            return (*env)->NewStringUTF(env, problem);
        }

        memcpy((char *)&opened + functions[i].offset, &function, sizeof(function));
    }

    ucx = opened;
    return NULL;
}

NATIVE(jint, setenv)(JNIEnv *env, jclass type UNUSED, jstring name, jstring value)
{
    jint result = -1;
    const char *name_chars = (*env)->GetStringUTFChars(env, name, NULL);
    if (NULL != name_chars)
    {
        const char *value_chars = (*env)->GetStringUTFChars(env, value, NULL);
        if (NULL != value_chars)
        {
            result = setenv(name_chars, value_chars, 0);
            (*env)->ReleaseStringUTFChars(env, value, value_chars);
        }
        (*env)->ReleaseStringUTFChars(env, name, name_chars);
    }

    return result;
}

NATIVE(jint, ucpVersion)(JNIEnv *env UNUSED, jclass type UNUSED)
{
    unsigned major;
    unsigned minor;
    unsigned release;
    ucx.ucp_get_version(&major, &minor, &release);
    return (jint)(major << 16 | (minor & 0xff) << 8 | (release & 0xff));
}

NATIVE(jstring, ucsStatusString)(JNIEnv *env, jclass type UNUSED, jint status)
{
    return (*env)->NewStringUTF(env, ucx.ucs_status_string((int8_t)status));
}

NATIVE(jint, ucpPut)(JNIEnv *env UNUSED, jclass type UNUSED, jlong endpoint, jlong source, jlong length,
                     jlong destination, jlong remote_key, jlong memory_handle, jint memory_type)
{
    const struct request_param param = memory_param(memory_handle, memory_type);
    return settle(ucx.ucp_put_nbx(POINTER(endpoint), POINTER(source), (size_t)length, (uint64_t)destination,
                                  POINTER(remote_key), &param));
}

NATIVE(jint, ucpPutRows)(JNIEnv *env UNUSED, jclass type UNUSED, jlong endpoint, jlong source_base,
                         jlong destination_base, jlong rows, jint from, jint count, jlong row_length, jlong remote_key,
                         jlong memory_handle, jint memory_type)
{
    const struct request_param param = memory_param(memory_handle, memory_type);
    const struct row *row = (const struct row *)POINTER(rows) + from;
    const struct row *end = row + count;
    while (row < end)
    {
        const struct row *first = row++;
        int64_t length = row_length;
        while (row < end && row->source == first->source + length && row->destination == first->destination + length)
        {
            length += row_length;
            row++;
        }

        const jint status = settle(ucx.ucp_put_nbx(POINTER(endpoint), POINTER(source_base + first->source),
                                                   (size_t)length, (uint64_t)(destination_base + first->destination),
                                                   POINTER(remote_key), &param));
        if (status < STATUS_OK)
        {
            return status;
        }
    }

    return count;
}

NATIVE(jint, ucpGet)(JNIEnv *env UNUSED, jclass type UNUSED, jlong endpoint, jlong destination, jlong length,
                     jlong source, jlong remote_key, jlong memory_handle, jint memory_type)
{
    const struct request_param param = memory_param(memory_handle, memory_type);
    return settle(ucx.ucp_get_nbx(POINTER(endpoint), POINTER(destination), (size_t)length, (uint64_t)source,
                                  POINTER(remote_key), &param));
}

/*
 * UCX may read the operand of an add as late as its completion (newer versions do while the endpoint is not yet wired),
 * so that it can't live on the stack: each thread keeps one word, which goes with an operation that stays in progress.
 */
static __thread uint64_t *spare_operand;

static void atomic_completed(void *request, int8_t status UNUSED, void *operand)
{
    free(operand);
    ucx.ucp_request_free(request);
}

NATIVE(jint, ucpAtomicAdd)(JNIEnv *env UNUSED, jclass type UNUSED, jlong endpoint, jlong delta, jlong destination,
                           jlong remote_key)
{
    struct request_param param;
    void *result;
    if (NULL == spare_operand)
    {
        spare_operand = malloc(sizeof(*spare_operand));
        if (NULL == spare_operand)
        {
            return STATUS_NO_MEMORY;
        }
    }

    *spare_operand = (uint64_t)delta;
    param.fields = FIELD_DATATYPE | FIELD_CALLBACK | FIELD_USER_DATA;
    param.datatype = DATATYPE_WORD;
    param.callback = atomic_completed;
    param.user_data = spare_operand;
    result = ucx.ucp_atomic_op_nbx(POINTER(endpoint), ATOMIC_ADD, spare_operand, 1, (uint64_t)destination,
                                   POINTER(remote_key), &param);
    if (is_request(result))
    {
        spare_operand = NULL;
        return STATUS_OK;
    }

    return (jint)(intptr_t)result;
}

NATIVE(jint, ucpProgress)(JNIEnv *env UNUSED, jclass type UNUSED, jlong worker)
{
    return (jint)ucx.ucp_worker_progress(POINTER(worker));
}

NATIVE(jlong, ucpFlush)(JNIEnv *env UNUSED, jclass type UNUSED, jlong endpoint)
{
    static const struct request_param no_fields;
    return (jlong)(intptr_t)ucx.ucp_ep_flush_nbx(POINTER(endpoint), &no_fields);
}

NATIVE(jlong, ucpClose)(JNIEnv *env UNUSED, jclass type UNUSED, jlong endpoint, jboolean is_forced)
{
    struct request_param param;
    param.fields = FIELD_FLAGS;
    param.flags = is_forced ? CLOSE_FORCED : 0;
    return (jlong)(intptr_t)ucx.ucp_ep_close_nbx(POINTER(endpoint), &param);
}

NATIVE(jint, ucpRequestStatus)(JNIEnv *env UNUSED, jclass type UNUSED, jlong request)
{
    return ucx.ucp_request_check_status(POINTER(request));
}

NATIVE(void, ucpRequestFree)(JNIEnv *env UNUSED, jclass type UNUSED, jlong request)
{
    ucx.ucp_request_free(POINTER(request));
}

NATIVE(jlong, ucpRemotePointer)(JNIEnv *env UNUSED, jclass type UNUSED, jlong remote_key, jlong address)
{
    void *pointer = NULL;
    const int8_t status = ucx.ucp_rkey_ptr(POINTER(remote_key), (uint64_t)address, &pointer);
    return STATUS_OK == status ? (jlong)(intptr_t)pointer : status;
}
