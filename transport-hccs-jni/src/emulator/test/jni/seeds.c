/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */

/* For the tests in Java: other delays of the emulator that this process has opened already. */

#include <dlfcn.h>
#include <jni.h>
#include <stdint.h>
#include <string.h>

JNIEXPORT jboolean JNICALL Java_dev_transload_transport_hccs_Seeds_set(
    JNIEnv *env, jclass type, jstring library, jint seed)
{
    (void)type;
    void (*set)(uint32_t) = NULL;
    const char *path = (*env)->GetStringUTFChars(env, library, NULL);
    void *opened = dlopen(path, RTLD_NOW | RTLD_NOLOAD);
    (*env)->ReleaseStringUTFChars(env, library, path);
    void *symbol = opened == NULL ? NULL : dlsym(opened, "tl_emulator_set_seed");
    if (symbol == NULL)
    {
        return JNI_FALSE;
    }
    memcpy(&set, &symbol, sizeof set);
    set((uint32_t)seed);
    return JNI_TRUE;
}
