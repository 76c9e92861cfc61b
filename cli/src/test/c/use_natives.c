/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */

/*
 * Loads the native libraries of the jars, but for the row kernels, which call_kernels.c calls, and uses of each what
 * needs no device; run by NativesTest.java under an emulator. As the JVM does, it gives each function an environment, of
 * which only what these functions call is there. Prints a line for each library.
 * Usage: use_natives FOLDER, which has the libraries and in which a socket is made.
 */

#define _GNU_SOURCE

#include <dlfcn.h>
#include <errno.h>
#include <jni.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum
{
    PATH_BYTES = 4096,
    TIMEOUT_MS = 10000
};

static const char *folder;

static const char *chars_of(JNIEnv *env, jstring text, jboolean *is_copy)
{
    (void)env;
    (void)is_copy;
    return (const char *)text;
}

static void release_chars(JNIEnv *env, jstring text, const char *chars)
{
    (void)env;
    (void)text;
    (void)chars;
}

static jstring string_of(JNIEnv *env, const char *chars)
{
    (void)env;
    return (jstring)strdup(chars);
}

static jsize one(JNIEnv *env, jarray array)
{
    (void)env;
    (void)array;
    return 1;
}

static jlong *longs_of(JNIEnv *env, jlongArray array, jboolean *is_copy)
{
    (void)env;
    (void)is_copy;
    return (jlong *)array;
}

static void release_longs(JNIEnv *env, jlongArray array, jlong *longs, jint mode)
{
    (void)env;
    (void)array;
    (void)longs;
    (void)mode;
}

static const struct JNINativeInterface_ functions = {
    .NewStringUTF = string_of,
    .GetStringUTFChars = chars_of,
    .ReleaseStringUTFChars = release_chars,
    .GetArrayLength = one,
    .GetLongArrayElements = longs_of,
    .ReleaseLongArrayElements = release_longs};
static const struct JNINativeInterface_ *const table = &functions;
static JNIEnv *const env = (JNIEnv *)&table;

static void *check(void *found)
{
    if (NULL == found)
    {
        fprintf(stderr, "%s\n", dlerror());
        exit(1);
    }
    return found;
}

static void *load(const char *name)
{
    char path[PATH_BYTES];
    snprintf(path, sizeof(path), "%s/libtransload-%s.so", folder, name);
    return check(dlopen(path, RTLD_NOW));
}

static void *find(void *library, const char *type, const char *function)
{
    char symbol[256];
    snprintf(symbol, sizeof(symbol), "Java_dev_transload_%s_%s", type, function);
    return check(dlsym(library, symbol));
}

/* What a library says of one that cannot be opened, and of one that is not what it wants. */
static void open_others(const char *name, const char *type, const char *function)
{
    jstring (*open)(JNIEnv *, jclass, jstring) = find(load(name), type, function);
    const char *const absent = (const char *)open(env, NULL, (jstring)"libabsent.so.1");
    const char *const wrong = (const char *)open(env, NULL, (jstring)"libc.so.6");
    printf("%s: %s; %s\n", name, absent, wrong);
}

static void pass_a_file(void)
{
    static const char *const type = "transport_nvlink_internal_files_FileCalls";
    void *library = load("files");
    jint (*listen)(JNIEnv *, jclass, jstring) = find(library, type, "listen");
    jint (*connect)(JNIEnv *, jclass, jstring, jint) = find(library, type, "connect");
    jint (*accept)(JNIEnv *, jclass, jint) = find(library, type, "accept");
    jint (*send)(JNIEnv *, jclass, jint, jlong, jint, jint) = find(library, type, "send");
    jint (*receive)(JNIEnv *, jclass, jint, jlong, jint, jlong) = find(library, type, "receive");
    jint (*close)(JNIEnv *, jclass, jint) = find(library, type, "close");
    jstring (*text)(JNIEnv *, jclass, jint) = find(library, type, "errorText");

    char path[PATH_BYTES];
    snprintf(path, sizeof(path), "%s/socket", folder);
    const jint server = listen(env, NULL, (jstring)path);
    const jint client = connect(env, NULL, (jstring)path, TIMEOUT_MS);
    const jint accepted = accept(env, NULL, server);
    char received[8] = "";
    jint file = -1;
    const jint sent = send(env, NULL, client, (jlong)(uintptr_t)"packet", 7, server);
    const jint got = receive(env, NULL, accepted, (jlong)(uintptr_t)received, sizeof(received), (jlong)(uintptr_t)&file);
    printf("files: sent %d, received %d, '%s', file %s, closed %d, %s\n", sent, got, received,
        file > accepted ? "new" : "none", close(env, NULL, file), (const char *)text(env, NULL, ENOENT));
}

static void tie(void)
{
    jint (*set)(JNIEnv *, jclass, jlongArray) = find(load("cores"), "engine_cores_Affinity", "set");
    jlong mask = 1L << sched_getcpu() % 64;
    jlong none = 0;
    const jint tied = set(env, NULL, (jlongArray)&mask);
    printf("cores: %d, %s\n", tied, EINVAL == set(env, NULL, (jlongArray)&none) ? "EINVAL" : "no error");
}

int main(int count, char **arguments)
{
    if (2 != count)
    {
        fprintf(stderr, "usage: use_natives FOLDER\n");
        return 2;
    }

    folder = arguments[1];
    tie();
    jint (*detect)(JNIEnv *, jclass) = find(load("rows"), "transport_base_RowStream", "detect");
    printf("rows: %d\n", detect(env, NULL));
    open_others("ucx", "transport_ucx_internal_ucp_JniCalls", "ucpOpen");
    open_others("cuda", "transport_nvlink_cuda_CudaCalls", "open");
    open_others("acl", "transport_hccs_internal_acl_AclCalls", "open");
    pass_a_file();
    return 0;
}
