/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */

/*
 * The calls into the CUDA driver: see CudaCalls.java for what each does. The driver is opened at run time, so neither
 * its headers nor the library are needed to build this file. Its functions are declared here as far as they are used.
 * A call that yields a value returns it, or the negated error; every other call returns the driver's result.
 */

#include "../../../../api/src/main/c/dl.h"

#include <jni.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define NATIVE(type, name) JNIEXPORT type JNICALL Java_dev_transload_transport_nvlink_cuda_CudaCalls_##name
#define UNUSED __attribute__((unused))
#define CALL JNIEnv *env UNUSED, jclass type UNUSED
#define POINTER(handle) ((void *)(uintptr_t)(handle))

/* CUresult, as far as this file makes one. */
enum
{
    SUCCESS = 0
};

/* Entries of the argument "extra" of cuLaunchKernel. */
enum
{
    /* CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR */
    HANDLE_FILE = 1,
    /* CU_MEM_LOCATION_TYPE_DEVICE */
    LOCATION_DEVICE = 1,
    /* CU_MEM_ACCESS_FLAGS_PROT_READWRITE */
    READ_WRITE = 3,
    /* CU_STREAM_CAPTURE_MODE_THREAD_LOCAL */
    CAPTURE_OF_THREAD = 1,
    /* CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TARGET_CURRENT_CTX */
    FLUSH_CURRENT_CONTEXT = 0,
    /* CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TO_OWNER */
    FLUSH_TO_OWNER = 100
};

enum
{
    LAUNCH_END = 0,
    LAUNCH_BUFFER_POINTER = 1,
    LAUNCH_BUFFER_SIZE = 2
};

typedef unsigned long long device_pointer;

/* CUipcMemHandle */
struct ipc_handle
{
    char bytes[64];
};

/* CUmemAccessDesc: a device may read and write. */
struct access
{
    int location_type;
    int device;
    int flags;
};

/* The functions of the driver, by the names that it exports; all return a CUresult. */
#define FUNCTIONS(FUNCTION) \
    FUNCTION(cuInit, (unsigned flags)) \
    FUNCTION(cuDriverGetVersion, (int *version)) \
    FUNCTION(cuDeviceGetCount, (int *count)) \
    FUNCTION(cuDeviceGet, (int *device, int ordinal)) \
    FUNCTION(cuDeviceGetName, (char *name, int length, int device)) \
    FUNCTION(cuDeviceGetUuid_v2, (void *uuid, int device)) \
    FUNCTION(cuDeviceGetPCIBusId, (char *id, int length, int device)) \
    FUNCTION(cuDeviceGetAttribute, (int *value, int attribute, int device)) \
    FUNCTION(cuDeviceTotalMem_v2, (size_t *bytes, int device)) \
    FUNCTION(cuDeviceCanAccessPeer, (int *can, int device, int peer)) \
    FUNCTION(cuDevicePrimaryCtxRetain, (void **context, int device)) \
    FUNCTION(cuDevicePrimaryCtxRelease_v2, (int device)) \
    FUNCTION(cuCtxSetCurrent, (void *context)) \
    FUNCTION(cuCtxGetCurrent, (void **context)) \
    FUNCTION(cuCtxEnablePeerAccess, (void *peer, unsigned flags)) \
    FUNCTION(cuFlushGPUDirectRDMAWrites, (int target, int scope)) \
    FUNCTION(cuMemAlloc_v2, (device_pointer *pointer, size_t bytes)) \
    FUNCTION(cuMemFree_v2, (device_pointer pointer)) \
    FUNCTION(cuMemGetInfo_v2, (size_t *free, size_t *total)) \
    FUNCTION(cuMemGetAddressRange_v2, (device_pointer *base, size_t *bytes, device_pointer pointer)) \
    FUNCTION(cuPointerGetAttribute, (void *value, int attribute, device_pointer pointer)) \
    FUNCTION(cuMemHostAlloc, (void **pointer, size_t bytes, unsigned flags)) \
    FUNCTION(cuMemFreeHost, (void *pointer)) \
    FUNCTION(cuMemHostRegister_v2, (void *pointer, size_t bytes, unsigned flags)) \
    FUNCTION(cuMemHostUnregister, (void *pointer)) \
    FUNCTION(cuMemHostGetDevicePointer_v2, (device_pointer *device, void *pointer, unsigned flags)) \
    FUNCTION(cuIpcGetMemHandle, (struct ipc_handle *handle, device_pointer pointer)) \
    FUNCTION(cuIpcOpenMemHandle_v2, (device_pointer *pointer, struct ipc_handle handle, unsigned flags)) \
    FUNCTION(cuIpcCloseMemHandle, (device_pointer pointer)) \
    FUNCTION(cuMemRetainAllocationHandle, (unsigned long long *handle, void *pointer)) \
    FUNCTION(cuMemRelease, (unsigned long long handle)) \
    FUNCTION(cuMemExportToShareableHandle, (void *file, unsigned long long handle, int type, unsigned long long flags)) \
    FUNCTION(cuMemImportFromShareableHandle, (unsigned long long *handle, void *file, int type)) \
    FUNCTION(cuMemAddressReserve, (device_pointer *pointer, size_t bytes, size_t alignment, device_pointer wanted, \
                                   unsigned long long flags)) \
    FUNCTION(cuMemAddressFree, (device_pointer pointer, size_t bytes)) \
    FUNCTION(cuMemMap, (device_pointer pointer, size_t bytes, size_t offset, unsigned long long handle, \
                        unsigned long long flags)) \
    FUNCTION(cuMemUnmap, (device_pointer pointer, size_t bytes)) \
    FUNCTION(cuMemSetAccess, (device_pointer pointer, size_t bytes, const struct access *access, size_t count)) \
    FUNCTION(cuMemcpyAsync, (device_pointer target, device_pointer source, size_t bytes, void *stream)) \
    FUNCTION(cuMemsetD8Async, (device_pointer target, unsigned char value, size_t bytes, void *stream)) \
    FUNCTION(cuStreamCreateWithPriority, (void **stream, unsigned flags, int priority)) \
    FUNCTION(cuStreamDestroy_v2, (void *stream)) \
    FUNCTION(cuStreamSynchronize, (void *stream)) \
    FUNCTION(cuStreamQuery, (void *stream)) \
    FUNCTION(cuStreamIsCapturing, (void *stream, int *status)) \
    FUNCTION(cuStreamWaitEvent, (void *stream, void *event, unsigned flags)) \
    FUNCTION(cuStreamBeginCapture_v2, (void *stream, int mode)) \
    FUNCTION(cuStreamEndCapture, (void *stream, void **graph)) \
    FUNCTION(cuGraphInstantiateWithFlags, (void **exec, void *graph, unsigned long long flags)) \
    FUNCTION(cuGraphLaunch, (void *exec, void *stream)) \
    FUNCTION(cuGraphDestroy, (void *graph)) \
    FUNCTION(cuGraphExecDestroy, (void *exec)) \
    FUNCTION(cuEventCreate, (void **event, unsigned flags)) \
    FUNCTION(cuEventRecord, (void *event, void *stream)) \
    FUNCTION(cuEventQuery, (void *event)) \
    FUNCTION(cuEventDestroy_v2, (void *event)) \
    FUNCTION(cuModuleLoadData, (void **module, const void *image)) \
    FUNCTION(cuModuleUnload, (void *module)) \
    FUNCTION(cuModuleGetFunction, (void **function, void *module, const char *name)) \
    FUNCTION(cuLaunchKernel, (void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z, \
                              unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes, \
                              void *stream, void **parameters, void **extra)) \
    FUNCTION(cuGetErrorName, (int error, const char **name)) \
    FUNCTION(cuGetErrorString, (int error, const char **text))

static struct
{
#define MEMBER(name, arguments) int (*name) arguments;
    FUNCTIONS(MEMBER)
#undef MEMBER
} cuda;

static const struct
{
    const char *name;
    size_t offset;
} functions[] = {
#define ENTRY(name, arguments) {#name, offsetof(__typeof__(cuda), name)},
    FUNCTIONS(ENTRY)
#undef ENTRY
};

/* Of the emulator alone; null for a driver of NVIDIA's. */
static int (*emulator_version)(void);

/* The caller's thread works in this context from here on; other users of the thread may have changed it. */
static inline int bind(jlong context)
{
    void *current = NULL;
    const int result = cuda.cuCtxGetCurrent(&current);
    return SUCCESS == result && current == POINTER(context) ? SUCCESS : cuda.cuCtxSetCurrent(POINTER(context));
}

static inline jlong value_or_error(int result, unsigned long long value)
{
    return SUCCESS == result ? (jlong)value : -(jlong)result;
}

/* Null, or why the library can't be used: text for Java. What was opened before stays as it is. */
NATIVE(jstring, open)(CALL, jstring path)
{
    char problem[256];
    __typeof__(cuda) opened;
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
        if (NULL == function)
        {
            snprintf(problem, sizeof(problem), "it has no function %s, which drivers have from 470 (CUDA 11.4) on",
                     functions[i].name);
            return (*env)->NewStringUTF(env, problem);
        }

        memcpy((char *)&opened + functions[i].offset, &function, sizeof(function));
    }

    void *version = dlsym(library, "tl_emulator_version");
    memcpy(&emulator_version, &version, sizeof(version));
    cuda = opened;
    return NULL;
}

NATIVE(jint, emulatorVersion)(CALL)
{
    return NULL == emulator_version ? 0 : emulator_version();
}

static jstring text(JNIEnv *env, int (*find)(int, const char **), jint error)
{
    const char *found = NULL;
    return SUCCESS == find(error, &found) && NULL != found ? (*env)->NewStringUTF(env, found) : NULL;
}

NATIVE(jstring, errorName)(CALL, jint error)
{
    return text(env, cuda.cuGetErrorName, error);
}

NATIVE(jstring, errorText)(CALL, jint error)
{
    return text(env, cuda.cuGetErrorString, error);
}

NATIVE(jint, init)(CALL)
{
    return cuda.cuInit(0);
}

NATIVE(jlong, driverVersion)(CALL)
{
    int version = 0;
    const int result = cuda.cuDriverGetVersion(&version);
    return value_or_error(result, (unsigned)version);
}

NATIVE(jlong, deviceCount)(CALL)
{
    int count = 0;
    const int result = cuda.cuDeviceGetCount(&count);
    return value_or_error(result, (unsigned)count);
}

NATIVE(jlong, device)(CALL, jint ordinal)
{
    int device = 0;
    const int result = cuda.cuDeviceGet(&device, ordinal);
    return value_or_error(result, (unsigned)device);
}

NATIVE(jint, deviceName)(CALL, jint device, jlong name, jint length)
{
    return cuda.cuDeviceGetName(POINTER(name), length, device);
}

NATIVE(jint, deviceUuid)(CALL, jint device, jlong uuid)
{
    return cuda.cuDeviceGetUuid_v2(POINTER(uuid), device);
}

NATIVE(jint, devicePciBusId)(CALL, jint device, jlong id, jint length)
{
    return cuda.cuDeviceGetPCIBusId(POINTER(id), length, device);
}

NATIVE(jlong, deviceAttribute)(CALL, jint device, jint attribute)
{
    int value = 0;
    const int result = cuda.cuDeviceGetAttribute(&value, attribute, device);
    return value_or_error(result, (unsigned)value);
}

NATIVE(jlong, deviceTotalMemory)(CALL, jint device)
{
    size_t bytes = 0;
    const int result = cuda.cuDeviceTotalMem_v2(&bytes, device);
    return value_or_error(result, bytes);
}

NATIVE(jlong, canAccessPeer)(CALL, jint device, jint peer)
{
    int can = 0;
    const int result = cuda.cuDeviceCanAccessPeer(&can, device, peer);
    return value_or_error(result, (unsigned)can);
}

NATIVE(jlong, retainPrimaryContext)(CALL, jint device)
{
    void *context = NULL;
    const int result = cuda.cuDevicePrimaryCtxRetain(&context, device);
    return value_or_error(result, (uintptr_t)context);
}

NATIVE(jint, releasePrimaryContext)(CALL, jint device)
{
    return cuda.cuDevicePrimaryCtxRelease_v2(device);
}

/* Every function from here on works in the context that it is given, whatever thread calls it. */
#define IN_CONTEXT(call)             \
    do                               \
    {                                \
        const int bound = bind(context); \
        return SUCCESS == bound ? (call) : bound; \
    } while (0)

#define VALUE_IN_CONTEXT(type, call)       \
    do                                     \
    {                                      \
        type value = 0;                    \
        int result = bind(context);        \
        if (SUCCESS == result)             \
        {                                  \
            result = (call);               \
        }                                  \
        return value_or_error(result, (unsigned long long)(uintptr_t)value); \
    } while (0)

NATIVE(jint, makeCurrent)(CALL, jlong context)
{
    return bind(context);
}

NATIVE(jint, flushWrites)(CALL, jlong context)
{
    IN_CONTEXT(cuda.cuFlushGPUDirectRDMAWrites(FLUSH_CURRENT_CONTEXT, FLUSH_TO_OWNER));
}

NATIVE(jint, enablePeerAccess)(CALL, jlong context, jlong peer)
{
    IN_CONTEXT(cuda.cuCtxEnablePeerAccess(POINTER(peer), 0));
}

NATIVE(jlong, memAlloc)(CALL, jlong context, jlong bytes)
{
    VALUE_IN_CONTEXT(device_pointer, cuda.cuMemAlloc_v2(&value, (size_t)bytes));
}

NATIVE(jint, memFree)(CALL, jlong context, jlong pointer)
{
    IN_CONTEXT(cuda.cuMemFree_v2((device_pointer)pointer));
}

NATIVE(jlong, memAvailable)(CALL, jlong context)
{
    size_t total = 0;
    VALUE_IN_CONTEXT(size_t, cuda.cuMemGetInfo_v2(&value, &total));
}

NATIVE(jlong, rangeBase)(CALL, jlong context, jlong pointer)
{
    size_t bytes = 0;
    VALUE_IN_CONTEXT(device_pointer, cuda.cuMemGetAddressRange_v2(&value, &bytes, (device_pointer)pointer));
}

NATIVE(jlong, rangeLength)(CALL, jlong context, jlong pointer)
{
    device_pointer base = 0;
    VALUE_IN_CONTEXT(size_t, cuda.cuMemGetAddressRange_v2(&base, &value, (device_pointer)pointer));
}

NATIVE(jlong, pointerAttribute)(CALL, jlong context, jint attribute, jlong pointer)
{
    VALUE_IN_CONTEXT(unsigned long long, cuda.cuPointerGetAttribute(&value, attribute, (device_pointer)pointer));
}

NATIVE(jlong, hostAlloc)(CALL, jlong context, jlong bytes, jint flags)
{
    VALUE_IN_CONTEXT(void *, cuda.cuMemHostAlloc(&value, (size_t)bytes, (unsigned)flags));
}

NATIVE(jint, hostFree)(CALL, jlong context, jlong pointer)
{
    IN_CONTEXT(cuda.cuMemFreeHost(POINTER(pointer)));
}

NATIVE(jint, hostRegister)
(CALL, jlong context, jlong pointer, jlong bytes, jint flags)
{
    IN_CONTEXT(cuda.cuMemHostRegister_v2(POINTER(pointer), (size_t)bytes, (unsigned)flags));
}

NATIVE(jint, hostUnregister)(CALL, jlong context, jlong pointer)
{
    IN_CONTEXT(cuda.cuMemHostUnregister(POINTER(pointer)));
}

NATIVE(jlong, hostDevicePointer)(CALL, jlong context, jlong pointer)
{
    VALUE_IN_CONTEXT(device_pointer, cuda.cuMemHostGetDevicePointer_v2(&value, POINTER(pointer), 0));
}

NATIVE(jint, ipcGet)(CALL, jlong context, jlong pointer, jlong handle)
{
    IN_CONTEXT(cuda.cuIpcGetMemHandle(POINTER(handle), (device_pointer)pointer));
}

NATIVE(jlong, ipcOpen)(CALL, jlong context, jlong handle, jint flags)
{
    struct ipc_handle copy;
    memcpy(&copy, POINTER(handle), sizeof(copy));
    VALUE_IN_CONTEXT(device_pointer, cuda.cuIpcOpenMemHandle_v2(&value, copy, (unsigned)flags));
}

NATIVE(jint, ipcClose)(CALL, jlong context, jlong pointer)
{
    IN_CONTEXT(cuda.cuIpcCloseMemHandle((device_pointer)pointer));
}

NATIVE(jlong, memRetain)(CALL, jlong context, jlong pointer)
{
    VALUE_IN_CONTEXT(unsigned long long, cuda.cuMemRetainAllocationHandle(&value, POINTER(pointer)));
}

NATIVE(jint, memRelease)(CALL, jlong context, jlong handle)
{
    IN_CONTEXT(cuda.cuMemRelease((unsigned long long)handle));
}

NATIVE(jlong, memExport)(CALL, jlong context, jlong handle)
{
    VALUE_IN_CONTEXT(unsigned, cuda.cuMemExportToShareableHandle(&value, (unsigned long long)handle, HANDLE_FILE, 0));
}

NATIVE(jlong, memImport)(CALL, jlong context, jint file)
{
    VALUE_IN_CONTEXT(unsigned long long,
                     cuda.cuMemImportFromShareableHandle(&value, (void *)(intptr_t)file, HANDLE_FILE));
}

NATIVE(jlong, reserve)(CALL, jlong context, jlong bytes)
{
    VALUE_IN_CONTEXT(device_pointer, cuda.cuMemAddressReserve(&value, (size_t)bytes, 0, 0, 0));
}

NATIVE(jint, unreserve)(CALL, jlong context, jlong pointer, jlong bytes)
{
    IN_CONTEXT(cuda.cuMemAddressFree((device_pointer)pointer, (size_t)bytes));
}

NATIVE(jint, map)(CALL, jlong context, jlong pointer, jlong bytes, jlong handle)
{
    IN_CONTEXT(cuda.cuMemMap((device_pointer)pointer, (size_t)bytes, 0, (unsigned long long)handle, 0));
}

NATIVE(jint, unmap)(CALL, jlong context, jlong pointer, jlong bytes)
{
    IN_CONTEXT(cuda.cuMemUnmap((device_pointer)pointer, (size_t)bytes));
}

NATIVE(jint, allow)(CALL, jlong context, jlong pointer, jlong bytes, jint device)
{
    const struct access access = {LOCATION_DEVICE, device, READ_WRITE};
    IN_CONTEXT(cuda.cuMemSetAccess((device_pointer)pointer, (size_t)bytes, &access, 1));
}

NATIVE(jint, copyAsync)
(CALL, jlong context, jlong target, jlong source, jlong bytes, jlong stream)
{
    IN_CONTEXT(
        cuda.cuMemcpyAsync((device_pointer)target, (device_pointer)source, (size_t)bytes, POINTER(stream)));
}

NATIVE(jint, setAsync)
(CALL, jlong context, jlong target, jint byte, jlong bytes, jlong stream)
{
    IN_CONTEXT(
        cuda.cuMemsetD8Async((device_pointer)target, (unsigned char)byte, (size_t)bytes, POINTER(stream)));
}

NATIVE(jlong, streamCreate)(CALL, jlong context, jint flags, jint priority)
{
    VALUE_IN_CONTEXT(void *, cuda.cuStreamCreateWithPriority(&value, (unsigned)flags, priority));
}

NATIVE(jint, streamDestroy)(CALL, jlong context, jlong stream)
{
    IN_CONTEXT(cuda.cuStreamDestroy_v2(POINTER(stream)));
}

NATIVE(jint, streamSynchronize)(CALL, jlong context, jlong stream)
{
    IN_CONTEXT(cuda.cuStreamSynchronize(POINTER(stream)));
}

NATIVE(jint, streamQuery)(CALL, jlong context, jlong stream)
{
    IN_CONTEXT(cuda.cuStreamQuery(POINTER(stream)));
}

NATIVE(jlong, streamIsCapturing)(CALL, jlong context, jlong stream)
{
    VALUE_IN_CONTEXT(int, cuda.cuStreamIsCapturing(POINTER(stream), &value));
}

NATIVE(jint, captureBegin)(CALL, jlong context, jlong stream)
{
    IN_CONTEXT(cuda.cuStreamBeginCapture_v2(POINTER(stream), CAPTURE_OF_THREAD));
}

NATIVE(jlong, captureEnd)(CALL, jlong context, jlong stream)
{
    VALUE_IN_CONTEXT(void *, cuda.cuStreamEndCapture(POINTER(stream), &value));
}

NATIVE(jlong, graphInstantiate)(CALL, jlong context, jlong graph)
{
    VALUE_IN_CONTEXT(void *, cuda.cuGraphInstantiateWithFlags(&value, POINTER(graph), 0));
}

NATIVE(jint, graphLaunch)(CALL, jlong context, jlong exec, jlong stream)
{
    IN_CONTEXT(cuda.cuGraphLaunch(POINTER(exec), POINTER(stream)));
}

NATIVE(jint, graphDestroy)(CALL, jlong context, jlong graph)
{
    IN_CONTEXT(cuda.cuGraphDestroy(POINTER(graph)));
}

NATIVE(jint, graphExecDestroy)(CALL, jlong context, jlong exec)
{
    IN_CONTEXT(cuda.cuGraphExecDestroy(POINTER(exec)));
}

NATIVE(jint, streamWaitEvent)(CALL, jlong context, jlong stream, jlong event)
{
    IN_CONTEXT(cuda.cuStreamWaitEvent(POINTER(stream), POINTER(event), 0));
}

NATIVE(jlong, eventCreate)(CALL, jlong context, jint flags)
{
    VALUE_IN_CONTEXT(void *, cuda.cuEventCreate(&value, (unsigned)flags));
}

NATIVE(jint, eventRecord)(CALL, jlong context, jlong event, jlong stream)
{
    IN_CONTEXT(cuda.cuEventRecord(POINTER(event), POINTER(stream)));
}

NATIVE(jint, eventQuery)(CALL, jlong context, jlong event)
{
    IN_CONTEXT(cuda.cuEventQuery(POINTER(event)));
}

NATIVE(jint, eventDestroy)(CALL, jlong context, jlong event)
{
    IN_CONTEXT(cuda.cuEventDestroy_v2(POINTER(event)));
}

NATIVE(jlong, moduleLoad)(CALL, jlong context, jlong image)
{
    VALUE_IN_CONTEXT(void *, cuda.cuModuleLoadData(&value, POINTER(image)));
}

NATIVE(jint, moduleUnload)(CALL, jlong context, jlong module)
{
    IN_CONTEXT(cuda.cuModuleUnload(POINTER(module)));
}

NATIVE(jlong, moduleFunction)(CALL, jlong context, jlong module, jlong name)
{
    VALUE_IN_CONTEXT(void *, cuda.cuModuleGetFunction(&value, POINTER(module), POINTER(name)));
}

NATIVE(jint, launch)
(CALL, jlong context, jlong function, jlong stream, jint blocks, jint threads,
 jlong arguments, jint bytes)
{
    size_t size = (size_t)bytes;
    void *extra[] = {POINTER(LAUNCH_BUFFER_POINTER), POINTER(arguments), POINTER(LAUNCH_BUFFER_SIZE), &size,
                     POINTER(LAUNCH_END)};
    IN_CONTEXT(cuda.cuLaunchKernel(POINTER(function), (unsigned)blocks, 1, 1, (unsigned)threads, 1, 1, 0,
                                   POINTER(stream), NULL, extra));
}
