/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */

/*
 * For the tests in Java: memory that was mapped by the driver's virtual memory management, as frameworks do, in the
 * process of the JVM. The transport itself maps only what peers export.
 */

#include <dlfcn.h>
#include <jni.h>
#include <string.h>

#include "../../c/emulator.h"

#define NATIVE(type, name) JNIEXPORT type JNICALL Java_dev_transload_transport_nvlink_MappedMemory_##name

enum
{
    READ_WRITE = 3
};

static struct
{
    CUresult (*cuMemCreate)(CUmemGenericAllocationHandle *, size_t, const CUmemAllocationProp *, unsigned long long);
    CUresult (*cuMemRelease)(CUmemGenericAllocationHandle);
    CUresult (*cuMemAddressReserve)(CUdeviceptr *, size_t, size_t, CUdeviceptr, unsigned long long);
    CUresult (*cuMemAddressFree)(CUdeviceptr, size_t);
    CUresult (*cuMemMap)(CUdeviceptr, size_t, size_t, CUmemGenericAllocationHandle, unsigned long long);
    CUresult (*cuMemUnmap)(CUdeviceptr, size_t);
    CUresult (*cuMemSetAccess)(CUdeviceptr, size_t, const CUmemAccessDesc *, size_t);
} cuda;

static const char *const names[] = {"cuMemCreate", "cuMemRelease", "cuMemAddressReserve", "cuMemAddressFree",
    "cuMemMap", "cuMemUnmap", "cuMemSetAccess"};

/* The driver that this process has opened already. */
NATIVE(jboolean, open)(JNIEnv *env, jclass type, jstring library)
{
    (void)type;
    const char *path = (*env)->GetStringUTFChars(env, library, NULL);
    void *opened = dlopen(path, RTLD_NOW | RTLD_NOLOAD);
    (*env)->ReleaseStringUTFChars(env, library, path);
    for (size_t i = 0; opened != NULL && i < sizeof names / sizeof names[0]; i++)
    {
        void *function = dlsym(opened, names[i]);
        if (function == NULL)
        {
            return JNI_FALSE;
        }
        memcpy((char *)&cuda + i * sizeof function, &function, sizeof function);
    }
    return opened != NULL;
}

/* The address of pieces side by side, or the negated error. */
NATIVE(jlong, map)(JNIEnv *env, jclass type, jint device, jlong length, jint pieces, jboolean exportable)
{
    (void)env;
    (void)type;
    const CUmemAllocationProp property =
        {.type = 1, .requestedHandleTypes = exportable ? 1 : 0, .location = {1, device}};
    const CUmemAccessDesc access = {{1, device}, READ_WRITE};
    CUdeviceptr address = 0;
    CUresult result = cuda.cuMemAddressReserve(&address, (size_t)(length * pieces), 0, 0, 0);
    for (jint i = 0; result == CUDA_SUCCESS && i < pieces; i++)
    {
        CUmemGenericAllocationHandle handle = 0;
        result = cuda.cuMemCreate(&handle, (size_t)length, &property, 0);
        result = result != CUDA_SUCCESS ? result :
            cuda.cuMemMap(address + (CUdeviceptr)(length * i), (size_t)length, 0, handle, 0);
        result = result != CUDA_SUCCESS ? result : cuda.cuMemRelease(handle);
    }
    result = result != CUDA_SUCCESS ? result : cuda.cuMemSetAccess(address, (size_t)(length * pieces), &access, 1);
    return result == CUDA_SUCCESS ? (jlong)address : -result;
}

NATIVE(jint, unmap)(JNIEnv *env, jclass type, jlong address, jlong length)
{
    (void)env;
    (void)type;
    const CUresult result = cuda.cuMemUnmap((CUdeviceptr)address, (size_t)length);
    return result != CUDA_SUCCESS ? result : cuda.cuMemAddressFree((CUdeviceptr)address, (size_t)length);
}
