/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */

/* Ties the calling thread to cores: see Affinity.java. */

#define _GNU_SOURCE

#include <errno.h>
#include <jni.h>
#include <sched.h>

#define UNUSED __attribute__((unused))

enum
{
    CALLING_THREAD = 0
};

_Static_assert(sizeof(unsigned long) == sizeof(jlong), "the kernel's mask is of longs");

/* Returns 0, or the error of the system. */
JNIEXPORT jint JNICALL Java_dev_transload_engine_cores_Affinity_set(JNIEnv *env, jclass type UNUSED, jlongArray mask)
{
    const jsize words = (*env)->GetArrayLength(env, mask);
    jlong *const cores = (*env)->GetLongArrayElements(env, mask, NULL);
    if (NULL == cores)
    {
        return ENOMEM;
    }

    const int failed = sched_setaffinity(CALLING_THREAD, (size_t)words * sizeof(jlong), (const cpu_set_t *)cores);
    const int error = failed ? errno : 0;
    (*env)->ReleaseLongArrayElements(env, mask, cores, JNI_ABORT);
    return error;
}
