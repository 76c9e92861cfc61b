/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */

/* For the tests in Java: stops the kernels of an emulated device where they look at the time, and lets them go on. */

#include <dlfcn.h>
#include <jni.h>
#include <string.h>

/* False where the library, which this process has opened already, is no emulator. */
JNIEXPORT jboolean JNICALL Java_dev_transload_transport_nvlink_StoppedKernels_stop(
    JNIEnv *env, jclass type, jstring library, jint device, jboolean is_stopped)
{
    (void)type;
    const char *path = (*env)->GetStringUTFChars(env, library, NULL);
    void *opened = dlopen(path, RTLD_NOW | RTLD_NOLOAD);
    (*env)->ReleaseStringUTFChars(env, library, path);
    void *function = opened == NULL ? NULL : dlsym(opened, "tlStopKernels");
    if (function == NULL)
    {
        return JNI_FALSE;
    }
    void (*stop)(int, int);
    memcpy(&stop, &function, sizeof stop);
    stop(device, is_stopped);
    return JNI_TRUE;
}
