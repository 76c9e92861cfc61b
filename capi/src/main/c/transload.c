/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */

/*
 * transload.h by JNI: this file starts the JVM, turns tensors into structures of 64-bit fields, and exceptions into
 * status and sentence. What calls mean is in the Java package dev.transload.capi.
 */

#define _GNU_SOURCE

#include "../../../../api/src/main/c/dl.h"
#include "transload.h"

#include <dirent.h>
#include <errno.h>
#include <jni.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PUBLIC TRANSLOAD_PUBLIC
#define ADDRESS(pointer) ((jlong)(uintptr_t)(pointer))
#define PACKAGE "dev/transload/capi/"
#define ENGINE "L" PACKAGE "EngineBridge;"
#define CALL "L" PACKAGE "CallBridge;"
#define OUTPUT "Ldev/transload/engine/lowlatency/LowLatencyOutput;"

enum
{
    ERROR_BYTES = 4096,
    MAX_OPTIONS = 64,
    IN_FIELDS = 7,
    OUT_FIELDS = 6,
    /* With the number of what is given out before, 0 where there is nothing. */
    GIVEN_FIELDS = 1 + OUT_FIELDS,
    /* Rows, local experts, ranks, nanoseconds, number of the handle; then the tensors. */
    DELIVERED_FIELDS = 5,
    MAX_SHAPE = 3,
    OUTPUT_TENSORS = 5,
    COMBINED_TENSORS = 2,
    TOPK_IDX = 2,
    MOST_GIVEN_BACK = 64,
    RAW = TRANSLOAD_RAW_FP8 | TRANSLOAD_RAW_BF16
};

/* Element types, as dev.transload.engine.DataType has them. */
enum
{
    TYPE_BF16,
    TYPE_F8,
    TYPE_F32,
    TYPE_I32,
    TYPE_I64
};

/* Opaque to the caller: references to objects of the JVM. */
struct transload_world
{
    jobject bridge;
    int32_t rank, ranks, nodes;
};
/*
 * A tensor or a handle that an engine gave out. Java knows it by a number. Once it is given back it waits in a list of
 * its engine, and the next call of that engine tells Java of all in the list: one entry into the JVM for many of them.
 */
struct part
{
    struct part *next;
    struct transload_engine *engine;
    struct block *block;
    int64_t number;
};
struct transload_engine
{
    jobject bridge;
    struct part *given_back;
    int64_t users;
    size_t most_counts;
};
struct transload_handle
{
    struct part part;
};
struct transload_call
{
    jobject bridge;
    transload_engine *engine;
    struct block *block;
    int is_dispatch, raw_types, has_ended;
};
struct transload_low_latency
{
    jobject bridge;
    int32_t ranks;
};
struct transload_low_latency_output
{
    jobject output;
};
struct transload_low_latency_call
{
    jobject call;
};

/*
 * A tensor that was given out. Without an engine of the normal mode its memory is there until that closes. The Python
 * package reads shape and strides here.
 */
struct given_tensor
{
    DLManagedTensor managed;
    int64_t shape[MAX_SHAPE];
    int64_t strides[MAX_SHAPE];
    struct part part;
};

/* What one call gave out, freed with the last of it. */
struct block
{
    int64_t users;
    transload_handle handle;
    struct given_tensor tensors[OUTPUT_TENSORS];
    int32_t counts[];
};

/* In place of the list of an engine that is closed. */
static struct part closed;

static __thread struct
{
    int32_t peer;
    int32_t is_set;
    char text[ERROR_BYTES];
} last_error = {-1, 0, ""};

static pthread_mutex_t starting = PTHREAD_MUTEX_INITIALIZER;
static pthread_key_t attached;
static int (*keep_until_end)(pthread_key_t, const void *);
static JavaVM *jvm;
static int is_forked;

static struct
{
    jclass failure, world, engine, call, low_latency, low_latency_call;
    jmethodID describe;
    jmethodID world_open, world_place, world_gather, world_close, ring_bytes, ll_bytes;
    jmethodID engine_open, engine_counts, engine_tensors, engine_allocate, engine_give_back, engine_close;
    jmethodID engine_start_dispatch, engine_dispatch, engine_start_combine, engine_combine;
    jmethodID call_await, call_result, call_close;
    jmethodID ll_open, ll_output, ll_answers, ll_dispatch, ll_mask, ll_clear, ll_active, ll_ns, ll_close;
    jmethodID ll_receive, ll_combine, ll_receive_sums, ll_call_detach, ll_call_close;
} java;

/* ---- Errors ---- */

static int fail(const int status, const char *format, ...) __attribute__((format(printf, 2, 3)));

static int fail(const int status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(last_error.text, sizeof(last_error.text), format, arguments);
    va_end(arguments);
    last_error.peer = -1;
    return status;
}

static int out_of_memory(void)
{
    return fail(TRANSLOAD_INTERNAL, "there is no memory left");
}

/* TRANSLOAD_OK, or the status of the exception that is pending. */
static int check(JNIEnv *env)
{
    const jthrowable failure = (*env)->ExceptionOccurred(env);
    if (NULL == failure)
    {
        return TRANSLOAD_OK;
    }

    (*env)->ExceptionClear(env);
    const int status = (*env)->CallStaticIntMethod(
        env, java.failure, java.describe, failure, ADDRESS(last_error.text), (jint)ERROR_BYTES,
        ADDRESS(&last_error.peer));
    (*env)->DeleteLocalRef(env, failure);
    if ((*env)->ExceptionCheck(env))
    {
        (*env)->ExceptionClear(env);
        return fail(TRANSLOAD_INTERNAL, "the JVM threw an exception that it cannot describe");
    }

    return status;
}

int transload_version(void)
{
    return TRANSLOAD_API_VERSION;
}

const char *transload_last_error(void)
{
    return last_error.text;
}

int transload_last_peer(void)
{
    return last_error.peer;
}

void transload_free(void *memory)
{
    free(memory);
}

/* ---- The JVM ---- */

static void forked(void)
{
    is_forked = 1;
}

static void detach(void *unused)
{
    (void)unused;
    if (!is_forked)
    {
        (*jvm)->DetachCurrentThread(jvm);
    }
}

/* The calling thread's, NULL with an error. A thread stays attached, as a daemon, until it ends. */
static JNIEnv *enter(void)
{
    void *env = NULL;
    if (is_forked)
    {
        fail(TRANSLOAD_FORKED, "process %d was forked from one that runs Transload, whose threads are not here: start "
            "processes afresh (in Python by the method 'spawn'), or fork before Transload is used", (int)getpid());
        return NULL;
    }

    if (NULL == jvm)
    {
        fail(TRANSLOAD_NO_JVM, "there is no JVM: call transload_start first");
        return NULL;
    }

    if (JNI_OK == (*jvm)->GetEnv(jvm, &env, JNI_VERSION_1_8))
    {
        return env;
    }

    if (JNI_OK != (*jvm)->AttachCurrentThreadAsDaemon(jvm, &env, NULL))
    {
        fail(TRANSLOAD_INTERNAL, "the JVM cannot take this thread");
        return NULL;
    }

    if (NULL != keep_until_end)
    {
        keep_until_end(attached, env);
    }

    return env;
}

static int status_of_entry(void)
{
    return is_forked ? TRANSLOAD_FORKED : NULL == jvm ? TRANSLOAD_NO_JVM : TRANSLOAD_INTERNAL;
}

/* The first that is set. */
static const char *choose(const char *given, const char *variable)
{
    const char *value = NULL != given ? given : getenv(variable);
    return NULL != value && '\0' != value[0] ? value : NULL;
}

/* Not by stat, which glibc has under another name since 2.33. */
static int is_folder(const char *path)
{
    DIR *folder = opendir(path);
    if (NULL != folder)
    {
        closedir(folder);
    }

    return NULL != folder;
}

static int is_file(const char *path)
{
    return 0 == access(path, R_OK) && !is_folder(path);
}

/* The last part of a path cut off. */
static int go_up(char *path)
{
    char *slash = strrchr(path, '/');
    if (NULL == slash || slash == path)
    {
        return 0;
    }

    *slash = '\0';
    return 1;
}

static int own_folder(char *folder)
{
    Dl_info info;
    return 0 != dladdr((void *)(uintptr_t)transload_version, &info) && NULL != info.dli_fname &&
        NULL != realpath(info.dli_fname, folder) && go_up(folder);
}

/* Of a folder beside this library, or up to two above. */
static int find_beside(const char *name, char *found)
{
    char folder[PATH_MAX];
    if (!own_folder(folder))
    {
        return 0;
    }

    for (int above = 0; above < 3; above++)
    {
        if (snprintf(found, PATH_MAX, "%.*s/%s", PATH_MAX - 64, folder, name) < PATH_MAX && is_folder(found))
        {
            return 1;
        }

        if (!go_up(folder))
        {
            return 0;
        }
    }

    return 0;
}

/* The home of the java that the PATH names first. */
static int home_of_path(char *home)
{
    const char *path = getenv("PATH");
    while (NULL != path && '\0' != *path)
    {
        const size_t length = strcspn(path, ":");
        char program[PATH_MAX];
        if (length < sizeof(program) - 8)
        {
            snprintf(program, sizeof(program), "%.*s/java", (int)length, path);
            if (is_file(program) && NULL != realpath(program, home) && go_up(home) && go_up(home))
            {
                return 1;
            }
        }

        path += length + (':' == path[length]);
    }

    return 0;
}

static int find_libjvm(const transload_jvm *options, char *libjvm)
{
    const char *given = choose(options->libjvm, "TRANSLOAD_LIBJVM");
    if (NULL != given)
    {
        snprintf(libjvm, PATH_MAX, "%s", given);
        return is_file(libjvm) ? TRANSLOAD_OK : fail(TRANSLOAD_NO_JVM, "libjvm '%s' is not a file", given);
    }

    char home[PATH_MAX];
    const char *named = choose(options->java_home, "TRANSLOAD_JAVA_HOME");
    if (NULL == named && find_beside("jre", home))
    {
        named = home;
    }

    if (NULL == named)
    {
        named = choose(NULL, "JAVA_HOME");
    }

    if (NULL == named && home_of_path(home))
    {
        named = home;
    }

    if (NULL == named)
    {
        return fail(TRANSLOAD_NO_JVM, "no Java runtime was found: set JAVA_HOME to a JDK or runtime of 17 or newer");
    }

    snprintf(libjvm, PATH_MAX, "%.*s/lib/server/libjvm.so", PATH_MAX - 64, named);
    return is_file(libjvm) ? TRANSLOAD_OK :
        fail(TRANSLOAD_NO_JVM, "'%s' is no Java runtime of 17 or newer: it has no lib/server/libjvm.so", named);
}

static int compare_names(const void *one, const void *other)
{
    return strcmp(*(char *const *)one, *(char *const *)other);
}

/*
 * -Djava.class.path of all jars, which the caller frees. In the order of their names, so that it is the same each time.
 */
static int class_path(const transload_jvm *options, char **option)
{
    char beside[PATH_MAX];
    const char *folder = choose(options->jars, "TRANSLOAD_JARS");
    if (NULL == folder && find_beside("jars", beside))
    {
        folder = beside;
    }

    DIR *jars = NULL == folder ? NULL : opendir(folder);
    if (NULL == jars)
    {
        return fail(TRANSLOAD_NO_JVM, "%s%s: set TRANSLOAD_JARS to the folder of Transload's jars",
            NULL == folder ? "no folder 'jars' is beside libtransload.so" : "jars are not at ",
            NULL == folder ? "" : folder);
    }

    char **names = NULL;
    size_t count = 0, bytes = sizeof("-Djava.class.path=");
    int status = TRANSLOAD_OK;
    for (struct dirent *entry = readdir(jars); NULL != entry && TRANSLOAD_OK == status; entry = readdir(jars))
    {
        const size_t length = strlen(entry->d_name);
        if (length > 4 && 0 == strcmp(entry->d_name + length - 4, ".jar"))
        {
            char **more = realloc(names, (count + 1) * sizeof(*names));
            names = NULL == more ? names : more;
            char *name = NULL == more ? NULL : strdup(entry->d_name);
            status = NULL == name ? out_of_memory() : TRANSLOAD_OK;
            if (TRANSLOAD_OK == status)
            {
                names[count++] = name;
                bytes += strlen(folder) + length + 2;
            }
        }
    }

    closedir(jars);
    if (TRANSLOAD_OK == status && 0 == count)
    {
        status = fail(TRANSLOAD_NO_JVM, "'%s' has no jars: set TRANSLOAD_JARS to the folder of Transload's", folder);
    }

    *option = TRANSLOAD_OK == status ? malloc(bytes) : NULL;
    if (TRANSLOAD_OK == status && NULL == *option)
    {
        status = out_of_memory();
    }

    if (TRANSLOAD_OK == status)
    {
        qsort(names, count, sizeof(*names), compare_names);
        char *at = *option + sprintf(*option, "-Djava.class.path=");
        for (size_t i = 0; i < count; i++)
        {
            at += sprintf(at, "%s%s/%s", 0 == i ? "" : ":", folder, names[i]);
        }
    }

    for (size_t i = 0; i < count; i++)
    {
        free(names[i]);
    }

    free(names);
    return status;
}

static int create(const transload_jvm *options, jint (*maker)(JavaVM **, void **, void *))
{
    static char exports[] = "--add-exports=java.base/jdk.internal.misc=ALL-UNNAMED";
    static char reduced[] = "-Xrs";
    /* JDK 17 does not know these, and later ones warn without. */
    static char access[] = "--enable-native-access=ALL-UNNAMED";
    char *path = NULL;
    const int status = class_path(options, &path);
    if (TRANSLOAD_OK != status)
    {
        return status;
    }

    JavaVMOption chosen[MAX_OPTIONS] = {{path, NULL}, {exports, NULL}, {reduced, NULL}, {access, NULL}};
    int count = 4;
    const char *flags = choose(options->flags, "TRANSLOAD_JVM_FLAGS");
    char *copy = strdup(NULL == flags ? "" : flags), *rest = NULL;
    for (char *flag = strtok_r(copy, " \t\n", &rest); NULL != flag && count < MAX_OPTIONS;
        flag = strtok_r(NULL, " \t\n", &rest))
    {
        chosen[count++].optionString = flag;
    }

    JavaVMInitArgs arguments = {JNI_VERSION_1_8, count, chosen, JNI_FALSE};
    JavaVM *made = NULL;
    void *env = NULL;
    const jint result = maker(&made, &env, &arguments);
    free(copy);
    free(path);
    if (JNI_OK != result)
    {
        return fail(TRANSLOAD_NO_JVM, "the JVM does not start (JNI error %d)%s%s", (int)result,
            NULL == flags ? "" : " with flags ", NULL == flags ? "" : flags);
    }

    jvm = made;
    return TRANSLOAD_OK;
}

static jclass find_class(JNIEnv *env, const char *name)
{
    const jclass local = (*env)->ExceptionCheck(env) ? NULL : (*env)->FindClass(env, name);
    return NULL == local ? NULL : (*env)->NewGlobalRef(env, local);
}

static jmethodID find(JNIEnv *env, const jclass type, const char *name, const char *signature)
{
    return (*env)->ExceptionCheck(env) ? NULL : (*env)->GetMethodID(env, type, name, signature);
}

static jmethodID find_static(JNIEnv *env, const jclass type, const char *name, const char *signature)
{
    return (*env)->ExceptionCheck(env) ? NULL : (*env)->GetStaticMethodID(env, type, name, signature);
}

static void find_normal(JNIEnv *env)
{
    java.world = find_class(env, PACKAGE "WorldBridge");
    java.world_open = find_static(env, java.world, "open",
        "(IILjava/lang/String;Ljava/lang/String;Ljava/lang/String;Ljava/lang/String;J)L" PACKAGE "WorldBridge;");
    java.world_place = find(env, java.world, "place", "(J)V");
    java.world_gather = find(env, java.world, "allGather", "(Ljava/lang/String;[BJ)[[B");
    java.world_close = find(env, java.world, "close", "()V");
    java.ring_bytes = find_static(env, java.world, "ringBytes", "(Ljava/lang/String;J)V");
    java.ll_bytes = find_static(env, java.world, "lowLatencyBytes", "(IIIIIJ)V");
    java.engine = find_class(env, PACKAGE "EngineBridge");
    java.engine_open = find_static(
        env, java.engine, "open", "(L" PACKAGE "WorldBridge;Ljava/lang/String;)L" PACKAGE "EngineBridge;");
    java.engine_counts = find(env, java.engine, "mostCounts", "()I");
    java.engine_tensors = find(env, java.engine, "tensors", "()I");
    java.engine_allocate = find(env, java.engine, "allocate", "(IIIJ)V");
    java.engine_give_back = find(env, java.engine, "giveBack", "(JI)V");
    java.engine_start_dispatch = find(env, java.engine, "startDispatch", "(" ENGINE "JJ)" CALL);
    java.engine_dispatch = find(env, java.engine, "dispatch", "(" ENGINE "JJJJJ)" CALL);
    java.engine_start_combine = find(env, java.engine, "startCombine", "(" ENGINE "JJ)" CALL);
    java.engine_combine = find(env, java.engine, "combine", "(" ENGINE "JJJJ)" CALL);
    java.engine_close = find(env, java.engine, "close", "()V");
    java.call = find_class(env, PACKAGE "CallBridge");
    java.call_await = find(env, java.call, "await", "(J)Z");
    java.call_result = find(env, java.call, "result", "(JJ)V");
    java.call_close = find(env, java.call, "close", "()V");
}

static void find_low_latency(JNIEnv *env)
{
    java.low_latency = find_class(env, PACKAGE "LowLatencyBridge");
    java.ll_open = find_static(env, java.low_latency, "open",
        "(L" PACKAGE "WorldBridge;Ljava/lang/String;)L" PACKAGE "LowLatencyBridge;");
    java.ll_output = find(env, java.low_latency, "output", "(IIIJ)" OUTPUT);
    java.ll_answers = find(env, java.low_latency, "answers", "(IIJ)V");
    java.ll_dispatch = find(
        env, java.low_latency, "dispatch", "(" OUTPUT "J)L" PACKAGE "LowLatencyBridge$Call;");
    java.ll_mask = find(env, java.low_latency, "mask", "(I)V");
    java.ll_clear = find(env, java.low_latency, "clear", "(II)V");
    java.ll_active = find(env, java.low_latency, "active", "(J)V");
    java.ll_ns = find(env, java.low_latency, "engineNs", "()J");
    java.ll_close = find(env, java.low_latency, "close", "()V");
    java.low_latency_call = find_class(env, PACKAGE "LowLatencyBridge$Call");
    java.ll_receive = find(env, java.low_latency_call, "receive", "()V");
    java.ll_combine = find(env, java.low_latency_call, "combine", "(J)V");
    java.ll_receive_sums = find(env, java.low_latency_call, "receiveSums", "()I");
    java.ll_call_detach = find(env, java.low_latency_call, "detach", "()V");
    java.ll_call_close = find(env, java.low_latency_call, "close", "()V");
}

static int prepare(JNIEnv *env)
{
    java.failure = find_class(env, PACKAGE "Failure");
    java.describe = find_static(env, java.failure, "describe", "(Ljava/lang/Throwable;JIJ)I");
    find_normal(env);
    find_low_latency(env);
    if ((*env)->ExceptionCheck(env))
    {
        (*env)->ExceptionDescribe(env);
        (*env)->ExceptionClear(env);
        return fail(TRANSLOAD_NO_JVM, "the class path of the JVM does not have the classes of this libtransload.so "
            "(standard error says which): give the jars of the same version");
    }

    return TRANSLOAD_OK;
}

static int start(const transload_jvm *options)
{
    char libjvm[PATH_MAX];
    int status = find_libjvm(options, libjvm);
    if (TRANSLOAD_OK != status)
    {
        return status;
    }

    void *library = dlopen(libjvm, RTLD_NOW | RTLD_GLOBAL);
    if (NULL == library)
    {
        return fail(TRANSLOAD_NO_JVM, "%s", dlerror());
    }

    jint (*list)(JavaVM **, jsize, jsize *);
    jint (*maker)(JavaVM **, void **, void *);
    *(void **)&list = dlsym(library, "JNI_GetCreatedJavaVMs");
    *(void **)&maker = dlsym(library, "JNI_CreateJavaVM");
    if (NULL == list || NULL == maker)
    {
        return fail(TRANSLOAD_NO_JVM, "'%s' has no JNI_CreateJavaVM", libjvm);
    }

    jsize present = 0;
    JavaVM *there = NULL;
    if (JNI_OK == list(&there, 1, &present) && 1 == present)
    {
        jvm = there;
    }
    else
    {
        status = create(options, maker);
    }

    if (TRANSLOAD_OK == status)
    {
        /* Looked up, as glibc below 2.34 has them in a library that libjvm.so brings. */
        int (*create_key)(pthread_key_t *, void (*)(void *));
        *(void **)&create_key = dlsym(RTLD_DEFAULT, "pthread_key_create");
        if (NULL != create_key && 0 == create_key(&attached, detach))
        {
            *(void **)&keep_until_end = dlsym(RTLD_DEFAULT, "pthread_setspecific");
        }

        pthread_atfork(NULL, NULL, forked);
        JNIEnv *env = enter();
        status = NULL == env ? TRANSLOAD_NO_JVM : prepare(env);
    }

    return status;
}

int transload_start(const transload_jvm *options)
{
    static int is_started, outcome;
    static char sentence[ERROR_BYTES];
    const transload_jvm none = {.size = sizeof(none)};
    if (is_forked)
    {
        enter();
        return TRANSLOAD_FORKED;
    }

    pthread_mutex_lock(&starting);
    if (!is_started)
    {
        outcome = start(NULL == options ? &none : options);
        /* Another try may find another folder, but a JVM is made once. */
        is_started = TRANSLOAD_OK == outcome || NULL != jvm;
        snprintf(sentence, sizeof(sentence), "%s", TRANSLOAD_OK == outcome ? "" : last_error.text);
    }

    const int status = outcome;
    if (TRANSLOAD_OK != status)
    {
        fail(status, "%s", sentence);
    }

    pthread_mutex_unlock(&starting);
    return status;
}

/* ---- Strings, structures and references ---- */

/* NULL for NULL. From UTF-8, as JNI's own strings are not. */
static jstring string_of(JNIEnv *env, const char *text)
{
    if (NULL == text || (*env)->ExceptionCheck(env))
    {
        return NULL;
    }

    const jsize length = (jsize)strlen(text);
    const jclass type = (*env)->FindClass(env, "java/lang/String");
    const jmethodID maker = NULL == type ? NULL :
        (*env)->GetMethodID(env, type, "<init>", "([BLjava/lang/String;)V");
    const jstring charset = NULL == maker ? NULL : (*env)->NewStringUTF(env, "UTF-8");
    const jbyteArray bytes = NULL == charset ? NULL : (*env)->NewByteArray(env, length);
    if (NULL == bytes)
    {
        return NULL;
    }

    (*env)->SetByteArrayRegion(env, bytes, 0, length, (const jbyte *)text);
    return (*env)->NewObject(env, type, maker, bytes, charset);
}

/* A structure of the caller's version, in one of ours; 0 where it is too short to be any. */
static int take(void *own, const size_t bytes, const void *theirs)
{
    size_t given = 0;
    if (NULL == theirs)
    {
        return 0;
    }

    memcpy(&given, theirs, sizeof(given));
    if (given < 2 * sizeof(size_t))
    {
        return 0;
    }

    memset(own, 0, bytes);
    memcpy(own, theirs, given < bytes ? given : bytes);
    return 1;
}

/* Ours, in a structure of the caller's version, whose size stays. */
static void give(void *theirs, void *own, const size_t bytes)
{
    size_t given;
    memcpy(&given, theirs, sizeof(given));
    memcpy(own, &given, sizeof(given));
    memcpy(theirs, own, given < bytes ? given : bytes);
}

static int no_struct(const char *name)
{
    return fail(TRANSLOAD_BAD_INPUT, "%s is NULL or has no size: set its size to sizeof", name);
}

static int no_pointer(const char *name)
{
    return fail(TRANSLOAD_BAD_INPUT, "%s is NULL", name);
}

/*
 * A block for the caller, whose first member refers to what a call of Java returned; the status of its exception, or of
 * no memory, otherwise.
 */
static int keep(JNIEnv *env, const jobject local, const size_t bytes, void **block)
{
    *block = NULL;
    const int status = check(env);
    if (TRANSLOAD_OK != status)
    {
        return status;
    }

    jobject *made = calloc(1, bytes);
    if (NULL != made)
    {
        *made = (*env)->NewGlobalRef(env, local);
    }

    (*env)->DeleteLocalRef(env, local);
    if (NULL == made || NULL == *made)
    {
        free(made);
        return out_of_memory();
    }

    *block = made;
    return TRANSLOAD_OK;
}

/* Call a method that closes what a block refers to, and free the block; NULL is nothing. */
static int close_block(void *block, const jmethodID method)
{
    JNIEnv *env = NULL == block ? NULL : enter();
    if (NULL == env)
    {
        const int status = NULL == block ? TRANSLOAD_OK : status_of_entry();
        free(block);
        return status;
    }

    const jobject reference = *(jobject *)block;
    (*env)->CallVoidMethod(env, reference, method);
    const int status = check(env);
    (*env)->DeleteGlobalRef(env, reference);
    free(block);
    return status;
}

/* ---- Tensors ---- */

static int type_of(const DLDataType type)
{
    if (1 != type.lanes)
    {
        return -1;
    }

    switch (type.code << 8 | type.bits)
    {
        case kDLBfloat << 8 | 16:
        case kDLUInt << 8 | 16:
            return TYPE_BF16;
        case kDLFloat8_e4m3fn << 8 | 8:
        case kDLUInt << 8 | 8:
            return TYPE_F8;
        case kDLFloat << 8 | 32:
            return TYPE_F32;
        case kDLInt << 8 | 32:
            return TYPE_I32;
        case kDLInt << 8 | 64:
            return TYPE_I64;
        default:
            return -1;
    }
}

static DLDataType type_to_give(const int type, const int raw_types)
{
    static const DLDataType types[] = {
        {kDLBfloat, 16, 1}, {kDLFloat8_e4m3fn, 8, 1}, {kDLFloat, 32, 1}, {kDLInt, 32, 1}, {kDLInt, 64, 1}};
    DLDataType given = types[type];
    if ((TYPE_F8 == type && (raw_types & TRANSLOAD_RAW_FP8)) || (TYPE_BF16 == type && (raw_types & TRANSLOAD_RAW_BF16)))
    {
        given.code = kDLUInt;
    }

    return given;
}

/* A tensor of the caller as Inputs.next reads it. */
static int put_tensor(const char *name, const DLTensor *tensor, int64_t *fields)
{
    memset(fields, 0, IN_FIELDS * sizeof(*fields));
    if (NULL == tensor)
    {
        return TRANSLOAD_OK;
    }

    const int type = type_of(tensor->dtype);
    if (type < 0)
    {
        return fail(TRANSLOAD_BAD_INPUT, "%s has elements of DLPack type %d with %d bits and %d lanes: must be "
            "bfloat16, float8_e4m3fn, float32, int32 or int64, or uint16 and uint8 in place of the first two", name,
            tensor->dtype.code, tensor->dtype.bits, tensor->dtype.lanes);
    }

    if (tensor->ndim < 1 || tensor->ndim > MAX_SHAPE)
    {
        return fail(TRANSLOAD_BAD_INPUT, "%s has %d dimensions: must have 1 to 3", name, tensor->ndim);
    }

    const int last = tensor->ndim - 1;
    int64_t rows = 1;
    int64_t dense = 1;
    for (int dimension = last; dimension >= 0; dimension--)
    {
        const int64_t extent = tensor->shape[dimension];
        if (NULL != tensor->strides && extent > 1 && tensor->strides[dimension] != dense)
        {
            return fail(TRANSLOAD_BAD_INPUT, "%s is not dense: dimension %d has stride %lld where %lld is allowed",
                name, dimension, (long long)tensor->strides[dimension], (long long)dense);
        }

        dense *= extent;
        rows *= dimension < last || 1 == tensor->ndim ? extent : 1;
    }

    fields[0] = 1;
    fields[1] = (int64_t)(uintptr_t)tensor->data + (int64_t)tensor->byte_offset;
    fields[2] = tensor->device.device_type;
    fields[3] = tensor->device.device_id;
    fields[4] = type;
    fields[5] = rows;
    fields[6] = 1 == tensor->ndim ? 1 : tensor->shape[last];
    if (fields[5] < 0 || fields[5] > INT32_MAX || fields[6] < 1 || fields[6] > INT32_MAX)
    {
        return fail(TRANSLOAD_BAD_INPUT, "%s is [%lld, %lld]: must be of 0 or more rows and 1 or more columns", name,
            (long long)fields[5], (long long)fields[6]);
    }

    return TRANSLOAD_OK;
}

/* NULL with an error where there is no memory. */
static struct block *new_block(const size_t counts)
{
    struct block *block = calloc(1, sizeof(*block) + counts * sizeof(block->counts[0]));
    if (NULL == block)
    {
        out_of_memory();
        return NULL;
    }

    block->users = 1;
    return block;
}

static void leave_block(struct block *block)
{
    if (NULL != block && 0 == __atomic_sub_fetch(&block->users, 1, __ATOMIC_ACQ_REL))
    {
        free(block);
    }
}

static void leave_engine(transload_engine *engine)
{
    if (NULL != engine && 0 == __atomic_sub_fetch(&engine->users, 1, __ATOMIC_ACQ_REL))
    {
        free(engine);
    }
}

/* The part of a block is the caller's from now on. Without an engine there is nobody to be told of its end. */
static void give_out(struct part *part, struct block *block, transload_engine *engine, const int64_t number)
{
    part->block = block;
    part->engine = engine;
    part->number = number;
    __atomic_add_fetch(&block->users, 1, __ATOMIC_RELAXED);
    if (NULL != engine)
    {
        __atomic_add_fetch(&engine->users, 1, __ATOMIC_RELAXED);
    }
}

static void forget(struct part *part)
{
    leave_engine(part->engine);
    leave_block(part->block);
}

/* By any thread, also where the process ends or was forked. */
static void put_back(struct part *part)
{
    transload_engine *engine = part->engine;
    struct part *first = NULL == engine ? &closed : __atomic_load_n(&engine->given_back, __ATOMIC_ACQUIRE);
    while (&closed != first)
    {
        part->next = first;
        if (__atomic_compare_exchange_n(
            &engine->given_back, &first, part, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        {
            return;
        }
    }

    forget(part);
}

/* Tell Java what was given back; without env only forget it. The list is empty then, or as an engine closes, closed. */
static void tell_given_back(JNIEnv *env, transload_engine *engine, struct part *list)
{
    if (NULL == list && NULL == __atomic_load_n(&engine->given_back, __ATOMIC_RELAXED))
    {
        return;
    }

    int64_t numbers[MOST_GIVEN_BACK];
    int count = 0;
    struct part *part = __atomic_exchange_n(&engine->given_back, list, __ATOMIC_ACQ_REL);
    while (NULL != part)
    {
        struct part *next = part->next;
        numbers[count++] = part->number;
        forget(part);
        part = next;
        if (NULL == part || MOST_GIVEN_BACK == count)
        {
            if (NULL != env)
            {
                (*env)->CallVoidMethod(
                    env, engine->bridge, java.engine_give_back, ADDRESS(numbers), (jint)count);
                check(env);
            }

            count = 0;
        }
    }
}

static void delete_tensor(DLManagedTensor *managed)
{
    struct given_tensor *given = managed->manager_ctx;
    put_back(&given->part);
}

/* Give out one of a block: fields are a number and what CallBridge.describe wrote. NULL where the number is 0. */
static DLManagedTensor *give_tensor(
    struct block *block, const int place, transload_engine *engine, const int64_t *fields, const int raw_types)
{
    if (0 == fields[0])
    {
        return NULL;
    }

    struct given_tensor *given = &block->tensors[place];
    give_out(&given->part, block, engine, fields[0]);
    given->shape[0] = fields[5];
    given->shape[1] = fields[6];
    given->strides[0] = fields[6];
    given->strides[1] = 1;
    given->managed.manager_ctx = given;
    given->managed.deleter = delete_tensor;
    given->managed.dl_tensor = (DLTensor){
        .data = (void *)(uintptr_t)fields[1],
        .device = {(int32_t)fields[2], (int32_t)fields[3]},
        .ndim = 2,
        .dtype = type_to_give((int)fields[4], raw_types),
        .shape = given->shape,
        .strides = given->strides};
    return &given->managed;
}

static void *data_of(const DLManagedTensor *tensor)
{
    return NULL == tensor ? NULL : (char *)tensor->dl_tensor.data + tensor->dl_tensor.byte_offset;
}

static void shape(DLManagedTensor *tensor, const int dimensions, const int64_t *shape, const int64_t *strides)
{
    struct given_tensor *given = tensor->manager_ctx;
    memcpy(given->shape, shape, (size_t)dimensions * sizeof(*shape));
    memcpy(given->strides, strides, (size_t)dimensions * sizeof(*strides));
    tensor->dl_tensor.ndim = dimensions;
}

/* ---- Worlds ---- */

int transload_world_open(const transload_world_options *options, transload_world **world)
{
    transload_world_options own;
    if (!take(&own, sizeof(own), options))
    {
        return no_struct("options");
    }

    if (NULL == world)
    {
        return no_pointer("world");
    }

    JNIEnv *env = enter();
    if (NULL == env)
    {
        return status_of_entry();
    }

    (*env)->PushLocalFrame(env, 32);
    const jobject bridge = (*env)->CallStaticObjectMethod(
        env, java.world, java.world_open, (jint)own.rank, (jint)own.ranks, string_of(env, own.ranks_of_nodes),
        string_of(env, own.address), string_of(env, own.config_file), string_of(env, own.settings),
        (jlong)own.timeout_ms);
    int status = keep(env, bridge, sizeof(**world), (void **)world);
    if (TRANSLOAD_OK == status)
    {
        int64_t place[3];
        (*env)->CallVoidMethod(env, (*world)->bridge, java.world_place, ADDRESS(place));
        status = check(env);
        (*world)->rank = (int32_t)place[0];
        (*world)->ranks = (int32_t)place[1];
        (*world)->nodes = (int32_t)place[2];
    }

    (*env)->PopLocalFrame(env, NULL);
    return status;
}

int transload_world_place(transload_world *world, int32_t *rank, int32_t *ranks, int32_t *nodes)
{
    if (NULL == world || NULL == rank || NULL == ranks || NULL == nodes)
    {
        return no_pointer("world, rank, ranks or nodes");
    }

    *rank = world->rank;
    *ranks = world->ranks;
    *nodes = world->nodes;
    return TRANSLOAD_OK;
}

static int unpack(
    JNIEnv *env, const jobjectArray all, const int32_t ranks, void **gathered, int64_t *lengths)
{
    int64_t sum = 0;
    for (int32_t rank = 0; rank < ranks; rank++)
    {
        const jbyteArray one = (*env)->GetObjectArrayElement(env, all, rank);
        lengths[rank] = (*env)->GetArrayLength(env, one);
        sum += lengths[rank];
        (*env)->DeleteLocalRef(env, one);
    }

    jbyte *at = malloc((size_t)sum + 1);
    *gathered = at;
    for (int32_t rank = 0; NULL != at && rank < ranks; rank++)
    {
        const jbyteArray one = (*env)->GetObjectArrayElement(env, all, rank);
        (*env)->GetByteArrayRegion(env, one, 0, (jsize)lengths[rank], at);
        at += lengths[rank];
        (*env)->DeleteLocalRef(env, one);
    }

    return NULL == at ? out_of_memory() : TRANSLOAD_OK;
}

int transload_world_all_gather(
    transload_world *world, const char *topic, const void *bytes, const int64_t length, const int64_t timeout_ms,
    void **gathered, int64_t *lengths)
{
    if (NULL == world || NULL == topic || NULL == gathered || NULL == lengths || (NULL == bytes && 0 != length))
    {
        return no_pointer("world, topic, bytes, gathered or lengths");
    }

    if (length < 0 || length > INT32_MAX || timeout_ms < 1)
    {
        return fail(TRANSLOAD_BAD_INPUT,
            "length = %lld or timeout_ms = %lld is not allowed: must be in [0, %d] and positive",
            (long long)length, (long long)timeout_ms, INT32_MAX);
    }

    JNIEnv *env = enter();
    if (NULL == env)
    {
        return status_of_entry();
    }

    (*env)->PushLocalFrame(env, 16);
    const jstring name = string_of(env, topic);
    const jbyteArray mine = (*env)->ExceptionCheck(env) ? NULL : (*env)->NewByteArray(env, (jsize)length);
    jobjectArray all = NULL;
    if (NULL != mine)
    {
        (*env)->SetByteArrayRegion(env, mine, 0, (jsize)length, bytes);
        all = (*env)->CallObjectMethod(env, world->bridge, java.world_gather, name, mine, (jlong)timeout_ms);
    }

    int status = check(env);
    if (TRANSLOAD_OK == status)
    {
        status = unpack(env, all, world->ranks, gathered, lengths);
    }

    (*env)->PopLocalFrame(env, NULL);
    return status;
}

int transload_world_close(transload_world *world)
{
    return close_block(world, java.world_close);
}

int transload_ring_bytes(const char *settings, int64_t *bytes)
{
    JNIEnv *env = enter();
    if (NULL == env)
    {
        return status_of_entry();
    }

    if (NULL == bytes)
    {
        return no_pointer("bytes");
    }

    (*env)->PushLocalFrame(env, 16);
    (*env)->CallStaticVoidMethod(env, java.world, java.ring_bytes, string_of(env, settings), ADDRESS(bytes));
    const int status = check(env);
    (*env)->PopLocalFrame(env, NULL);
    return status;
}

int transload_low_latency_bytes(
    const int32_t tokens, const int32_t hidden, const int32_t ranks, const int32_t experts, const int32_t topk,
    int64_t *bytes)
{
    JNIEnv *env = enter();
    if (NULL == env)
    {
        return status_of_entry();
    }

    if (NULL == bytes)
    {
        return no_pointer("bytes");
    }

    (*env)->CallStaticVoidMethod(
        env, java.world, java.ll_bytes, (jint)tokens, (jint)hidden, (jint)ranks, (jint)experts, (jint)topk,
        ADDRESS(bytes));
    return check(env);
}

/* ---- Layouts ---- */

static int32_t node_of(const int32_t rank, const int32_t *ranks_of_nodes, const int32_t nodes)
{
    int32_t first = 0;
    for (int32_t node = 0; node < nodes - 1; node++)
    {
        first += ranks_of_nodes[node];
        if (rank < first)
        {
            return node;
        }
    }

    return nodes - 1;
}

/* Last token that was counted for each rank, each node and each expert. */
struct columns
{
    int32_t *rank, *node, *expert;
};

static int count_token(
    const int64_t *selected, const int64_t topk, const int32_t token, const int32_t experts, const int32_t each,
    const int32_t *nodes_of_ranks, const struct columns *last, const struct columns *counts, uint8_t *in_rank)
{
    for (int64_t k = 0; k < topk; k++)
    {
        const int64_t expert = selected[k];
        if (expert < -1 || expert >= experts)
        {
            return fail(TRANSLOAD_BAD_INPUT, "topk_idx[%d][%lld] = %lld is not allowed: must be -1 or in [0, %d)",
                token, (long long)k, (long long)expert, experts);
        }

        if (expert < 0)
        {
            continue;
        }

        if (last->expert[expert] == token)
        {
            return fail(TRANSLOAD_BAD_INPUT, "topk_idx[%d] selects expert %lld twice, the second time at %lld: a "
                "row's experts must differ",
                token, (long long)expert, (long long)k);
        }

        const int64_t rank = expert / each;
        const int32_t node = nodes_of_ranks[rank];
        counts->expert[expert]++;
        counts->rank[rank] += last->rank[rank] != token;
        counts->node[node] += last->node[node] != token;
        last->expert[expert] = last->rank[rank] = last->node[node] = token;
        if (NULL != in_rank)
        {
            in_rank[rank] = 1;
        }
    }

    return TRANSLOAD_OK;
}

static void copy_counts(int32_t *target, const int32_t *counts, const int32_t length)
{
    if (NULL != target)
    {
        memcpy(target, counts, (size_t)length * sizeof(*counts));
    }
}

int transload_layout(
    const DLTensor *topk_idx, const int32_t experts, const int32_t ranks, const int32_t *ranks_of_nodes,
    const int32_t nodes, int32_t *tokens_per_rank, int32_t *tokens_per_node, int32_t *tokens_per_expert,
    uint8_t *is_token_in_rank)
{
    int64_t fields[IN_FIELDS];
    const int status = put_tensor("topk_idx", topk_idx, fields);
    if (TRANSLOAD_OK != status)
    {
        return status;
    }

    if (NULL == topk_idx || kDLCPU != fields[2] || TYPE_I64 != fields[4])
    {
        return fail(TRANSLOAD_BAD_INPUT, "topk_idx must be int64 [T, K] in host memory");
    }

    if (experts < 1 || ranks < 1 || nodes < 1 || nodes > ranks || (nodes > 1 && NULL == ranks_of_nodes))
    {
        return fail(TRANSLOAD_BAD_INPUT, "experts = %d, ranks = %d, nodes = %d is not allowed: must be positive, with "
            "at most one node a rank and the ranks of each node", experts, ranks, nodes);
    }

    const int32_t each = (experts + ranks - 1) / ranks;
    const size_t sum = (size_t)experts + (size_t)ranks + (size_t)nodes;
    int32_t *words = malloc((2 * sum + (size_t)ranks) * sizeof(*words));
    if (NULL == words)
    {
        return out_of_memory();
    }

    memset(words, 0xFF, sum * sizeof(*words));
    memset(words + sum, 0, sum * sizeof(*words));
    const struct columns last = {words, words + ranks, words + ranks + nodes};
    const struct columns counts = {words + sum, words + sum + ranks, words + sum + ranks + nodes};
    int32_t *nodes_of_ranks = words + 2 * sum;
    for (int32_t rank = 0; rank < ranks; rank++)
    {
        nodes_of_ranks[rank] = node_of(rank, ranks_of_nodes, nodes);
    }

    const int64_t tokens = fields[5], topk = fields[6];
    const int64_t *selected = (const int64_t *)(uintptr_t)fields[1];
    if (NULL != is_token_in_rank)
    {
        memset(is_token_in_rank, 0, (size_t)(tokens * ranks));
    }

    int result = TRANSLOAD_OK;
    for (int32_t token = 0; token < tokens && TRANSLOAD_OK == result; token++)
    {
        result = count_token(selected + token * topk, topk, token, experts, each, nodes_of_ranks, &last, &counts,
            NULL == is_token_in_rank ? NULL : is_token_in_rank + (int64_t)token * ranks);
    }

    copy_counts(tokens_per_rank, counts.rank, ranks);
    copy_counts(tokens_per_node, counts.node, nodes);
    copy_counts(tokens_per_expert, counts.expert, experts);
    free(words);
    return result;
}

/* ---- Normal mode ---- */

/* A block for an engine, as the static method of a class opens it. */
static int open_engine(
    transload_world *world, const char *settings, const jclass class, const jmethodID method, const size_t bytes,
    void **engine)
{
    JNIEnv *env = enter();
    if (NULL == env)
    {
        return status_of_entry();
    }

    if (NULL == world || NULL == engine)
    {
        return no_pointer("world or engine");
    }

    (*env)->PushLocalFrame(env, 16);
    const jobject bridge = (*env)->CallStaticObjectMethod(env, class, method, world->bridge, string_of(env, settings));
    const int status = keep(env, bridge, bytes, engine);
    (*env)->PopLocalFrame(env, NULL);
    return status;
}

int transload_engine_open(transload_world *world, const char *settings, transload_engine **engine)
{
    int status = open_engine(world, settings, java.engine, java.engine_open, sizeof(**engine), (void **)engine);
    if (TRANSLOAD_OK == status)
    {
        JNIEnv *env = enter();
        (*engine)->users = 1;
        (*engine)->most_counts = (size_t)(*env)->CallIntMethod(env, (*engine)->bridge, java.engine_counts);
        status = check(env);
    }

    return status;
}

int transload_engine_tensors(transload_engine *engine, int64_t *count)
{
    JNIEnv *env = enter();
    if (NULL == env)
    {
        return status_of_entry();
    }

    if (NULL == engine || NULL == count)
    {
        return no_pointer("engine or count");
    }

    tell_given_back(env, engine, NULL);
    *count = (*env)->CallIntMethod(env, engine->bridge, java.engine_tensors);
    return check(env);
}

int transload_engine_close(transload_engine *engine)
{
    if (NULL == engine)
    {
        return TRANSLOAD_OK;
    }

    JNIEnv *env = enter();
    int status = NULL == env ? status_of_entry() : TRANSLOAD_OK;
    tell_given_back(env, engine, &closed);
    if (NULL != env)
    {
        (*env)->CallVoidMethod(env, engine->bridge, java.engine_close);
        status = check(env);
        (*env)->DeleteGlobalRef(env, engine->bridge);
    }

    engine->bridge = NULL;
    leave_engine(engine);
    return status;
}

int transload_engine_allocate(
    transload_engine *engine, const DLDataType type, const int64_t rows, const int64_t columns,
    DLManagedTensor **tensor)
{
    JNIEnv *env = enter();
    if (NULL == env)
    {
        return status_of_entry();
    }

    const int number = type_of(type);
    if (NULL == engine || NULL == tensor)
    {
        return no_pointer("engine or tensor");
    }

    if (number < 0 || rows < 0 || rows > INT32_MAX || columns < 1 || columns > INT32_MAX)
    {
        return fail(TRANSLOAD_BAD_INPUT, "a tensor [%lld, %lld] of DLPack type %d with %d bits is not allowed: must be "
            "one of 0 or more rows and 1 or more columns, of a type that tensors have", (long long)rows,
            (long long)columns, type.code, type.bits);
    }

    struct block *block = new_block(0);
    if (NULL == block)
    {
        return TRANSLOAD_INTERNAL;
    }

    int64_t fields[GIVEN_FIELDS];
    tell_given_back(env, engine, NULL);
    (*env)->CallVoidMethod(
        env, engine->bridge, java.engine_allocate, number, (jint)rows, (jint)columns, ADDRESS(fields));
    const int status = check(env);
    if (TRANSLOAD_OK == status)
    {
        *tensor = give_tensor(block, 0, engine, fields, kDLUInt == type.code ? RAW : 0);
    }

    leave_block(block);
    return status;
}

/* A handle as Java knows it, by its engine, which may not be the one that is to use it; none is 0. */
struct known_handle
{
    jobject engine;
    jlong number;
};

static int know(const transload_handle *handle, struct known_handle *known)
{
    known->engine = NULL == handle ? NULL : handle->part.engine->bridge;
    known->number = NULL == handle ? 0 : handle->part.number;
    return NULL == handle || NULL != known->engine ? TRANSLOAD_OK :
        fail(TRANSLOAD_BAD_INPUT, "the handle is of an engine that was closed: must be of this one");
}

enum
{
    DISPATCH_FIELDS = 4 * IN_FIELDS + 7,
    COMBINE_FIELDS = 5 * IN_FIELDS + 3
};

/* A request as EngineBridge reads it, and its handle. */
static int put_dispatch(const transload_dispatch_request *own, int64_t *fields, struct known_handle *cached)
{
    if (own->layout < 0 || own->layout > 2)
    {
        return fail(TRANSLOAD_BAD_INPUT, "layout = %d is not allowed: must be 0, 1 or 2", own->layout);
    }

    int status = put_tensor("x", own->x, fields);
    status = TRANSLOAD_OK != status ? status : put_tensor("x_scales", own->x_scales, fields + IN_FIELDS);
    status = TRANSLOAD_OK != status ? status : put_tensor("topk_idx", own->topk_idx, fields + 2 * IN_FIELDS);
    status = TRANSLOAD_OK != status ? status : put_tensor("topk_weights", own->topk_weights, fields + 3 * IN_FIELDS);
    int64_t *rest = fields + 4 * IN_FIELDS;
    *rest++ = own->experts;
    *rest++ = own->expert_alignment;
    *rest++ = own->layout;
    *rest++ = own->worst_rows;
    *rest++ = own->timeout_ms;
    *rest++ = (int64_t)(uintptr_t)own->wait_event;
    *rest = (int64_t)(uintptr_t)own->record_event;
    return TRANSLOAD_OK != status ? status : know(own->cached, cached);
}

static int put_combine(const transload_combine_request *own, int64_t *fields, struct known_handle *handle)
{
    int status = put_tensor("x", own->x, fields);
    status = TRANSLOAD_OK != status ? status : put_tensor("topk_weights", own->topk_weights, fields + IN_FIELDS);
    status = TRANSLOAD_OK != status ? status : put_tensor("bias0", own->bias0, fields + 2 * IN_FIELDS);
    status = TRANSLOAD_OK != status ? status : put_tensor("bias1", own->bias1, fields + 3 * IN_FIELDS);
    status = TRANSLOAD_OK != status ? status : put_tensor("out", own->out, fields + 4 * IN_FIELDS);
    int64_t *rest = fields + 5 * IN_FIELDS;
    *rest++ = own->timeout_ms;
    *rest++ = (int64_t)(uintptr_t)own->wait_event;
    *rest = (int64_t)(uintptr_t)own->record_event;
    return TRANSLOAD_OK != status ? status : know(own->handle, handle);
}

/* A call that goes on, from what Java returned. */
static int keep_call(
    JNIEnv *env, transload_engine *engine, const jobject bridge, const int is_dispatch, const int raw_types,
    transload_call **call)
{
    const int status = keep(env, bridge, sizeof(**call), (void **)call);
    if (TRANSLOAD_OK == status)
    {
        __atomic_add_fetch(&engine->users, 1, __ATOMIC_RELAXED);
        (*call)->engine = engine;
        (*call)->is_dispatch = is_dispatch;
        (*call)->raw_types = raw_types;
    }

    return status;
}

/* What is left of a call that Java has waited for: one that goes on, or nothing, where it has ended. */
static int keep_pending(
    JNIEnv *env, transload_engine *engine, const jobject bridge, const int is_dispatch, const int raw_types,
    transload_call **call)
{
    *call = NULL;
    if (NULL == bridge)
    {
        return check(env);
    }

    const int status = keep_call(env, engine, bridge, is_dispatch, raw_types, call);
    return TRANSLOAD_OK != status ? status : TRANSLOAD_PENDING;
}

static void give_dispatch(
    struct block *block, transload_engine *engine, const int64_t *fields, const int raw_types,
    transload_dispatch_result_t *result)
{
    transload_dispatch_result_t own = {.size = sizeof(own)};
    const int64_t *tensors = fields + DELIVERED_FIELDS;
    own.rows = (int32_t)fields[0];
    own.local_experts = (int32_t)fields[1];
    own.engine_ns = fields[3];
    own.rows_per_expert = block->counts;
    own.rank_prefix_sum = block->counts + fields[1];
    own.x = give_tensor(block, 0, engine, tensors, raw_types);
    own.x_scales = give_tensor(block, 1, engine, tensors + GIVEN_FIELDS, raw_types);
    own.topk_idx = give_tensor(block, TOPK_IDX, engine, tensors + TOPK_IDX * GIVEN_FIELDS, raw_types);
    own.topk_weights = give_tensor(block, TOPK_IDX + 1, engine, tensors + (TOPK_IDX + 1) * GIVEN_FIELDS, raw_types);
    own.src_token_idx = give_tensor(block, TOPK_IDX + 2, engine, tensors + (TOPK_IDX + 2) * GIVEN_FIELDS, raw_types);
    own.x_data = data_of(own.x);
    own.x_scales_data = data_of(own.x_scales);
    own.topk_idx_data = data_of(own.topk_idx);
    own.topk_weights_data = data_of(own.topk_weights);
    own.src_token_idx_data = data_of(own.src_token_idx);
    if (0 != fields[4])
    {
        give_out(&block->handle.part, block, engine, fields[4]);
        own.handle = &block->handle;
    }

    give(result, &own, sizeof(own));
}

static void give_combine(
    struct block *block, transload_engine *engine, const int64_t *fields, const int raw_types,
    transload_combine_result_t *result)
{
    transload_combine_result_t own = {.size = sizeof(own)};
    own.engine_ns = fields[0];
    own.x = give_tensor(block, 0, engine, fields + 1, raw_types);
    own.topk_weights = give_tensor(block, 1, engine, fields + 1 + GIVEN_FIELDS, raw_types);
    own.x_data = data_of(own.x);
    own.topk_weights_data = data_of(own.topk_weights);
    give(result, &own, sizeof(own));
}

int transload_dispatch_start(
    transload_engine *engine, const transload_dispatch_request *request, transload_call **call)
{
    transload_dispatch_request own;
    JNIEnv *env = enter();
    if (NULL == env)
    {
        return status_of_entry();
    }

    if (!take(&own, sizeof(own), request))
    {
        return no_struct("request");
    }

    if (NULL == engine || NULL == call || NULL == own.x)
    {
        return no_pointer("engine, call or x");
    }

    int64_t fields[DISPATCH_FIELDS];
    struct known_handle cached;
    const int status = put_dispatch(&own, fields, &cached);
    if (TRANSLOAD_OK != status)
    {
        return status;
    }

    tell_given_back(env, engine, NULL);
    const jobject bridge = (*env)->CallObjectMethod(
        env, engine->bridge, java.engine_start_dispatch, cached.engine, cached.number, ADDRESS(fields));
    return keep_call(env, engine, bridge, 1, own.raw_types, call);
}

int transload_dispatch(
    transload_engine *engine, const transload_dispatch_request *request, const int64_t wait_ms,
    transload_call **call, transload_dispatch_result_t *result)
{
    transload_dispatch_request own;
    JNIEnv *env = enter();
    if (NULL == env)
    {
        return status_of_entry();
    }

    if (!take(&own, sizeof(own), request))
    {
        return no_struct("request");
    }

    if (NULL == engine || NULL == call || NULL == result || NULL == own.x)
    {
        return no_pointer("engine, call, result or x");
    }

    int64_t fields[DISPATCH_FIELDS], delivered[DELIVERED_FIELDS + OUTPUT_TENSORS * GIVEN_FIELDS];
    struct known_handle cached;
    int status = put_dispatch(&own, fields, &cached);
    struct block *block = TRANSLOAD_OK != status ? NULL : new_block(engine->most_counts);
    if (NULL == block)
    {
        return TRANSLOAD_OK != status ? status : TRANSLOAD_INTERNAL;
    }

    tell_given_back(env, engine, NULL);
    const jobject bridge = (*env)->CallObjectMethod(
        env, engine->bridge, java.engine_dispatch, cached.engine, cached.number, ADDRESS(fields), (jlong)wait_ms,
        ADDRESS(delivered), ADDRESS(block->counts));
    status = keep_pending(env, engine, bridge, 1, own.raw_types, call);
    if (TRANSLOAD_OK == status)
    {
        give_dispatch(block, engine, delivered, own.raw_types, result);
    }

    leave_block(block);
    return status;
}

int transload_combine_start(
    transload_engine *engine, const transload_combine_request *request, transload_call **call)
{
    transload_combine_request own;
    JNIEnv *env = enter();
    if (NULL == env)
    {
        return status_of_entry();
    }

    if (!take(&own, sizeof(own), request))
    {
        return no_struct("request");
    }

    if (NULL == engine || NULL == call || NULL == own.handle || NULL == own.x)
    {
        return no_pointer("engine, call, handle or x");
    }

    int64_t fields[COMBINE_FIELDS];
    struct known_handle handle;
    const int status = put_combine(&own, fields, &handle);
    if (TRANSLOAD_OK != status)
    {
        return status;
    }

    tell_given_back(env, engine, NULL);
    const jobject bridge = (*env)->CallObjectMethod(
        env, engine->bridge, java.engine_start_combine, handle.engine, handle.number, ADDRESS(fields));
    return keep_call(env, engine, bridge, 0, own.raw_types, call);
}

int transload_combine(
    transload_engine *engine, const transload_combine_request *request, const int64_t wait_ms,
    transload_call **call, transload_combine_result_t *result)
{
    transload_combine_request own;
    JNIEnv *env = enter();
    if (NULL == env)
    {
        return status_of_entry();
    }

    if (!take(&own, sizeof(own), request))
    {
        return no_struct("request");
    }

    if (NULL == engine || NULL == call || NULL == result || NULL == own.handle || NULL == own.x)
    {
        return no_pointer("engine, call, result, handle or x");
    }

    int64_t fields[COMBINE_FIELDS], summed[1 + COMBINED_TENSORS * GIVEN_FIELDS];
    struct known_handle handle;
    int status = put_combine(&own, fields, &handle);
    struct block *block = TRANSLOAD_OK != status ? NULL : new_block(0);
    if (NULL == block)
    {
        return TRANSLOAD_OK != status ? status : TRANSLOAD_INTERNAL;
    }

    tell_given_back(env, engine, NULL);
    const jobject bridge = (*env)->CallObjectMethod(
        env, engine->bridge, java.engine_combine, handle.engine, handle.number, ADDRESS(fields), (jlong)wait_ms,
        ADDRESS(summed));
    status = keep_pending(env, engine, bridge, 0, own.raw_types, call);
    if (TRANSLOAD_OK == status)
    {
        give_combine(block, engine, summed, own.raw_types, result);
    }

    leave_block(block);
    return status;
}

int transload_call_wait(transload_call *call, const int64_t timeout_ms)
{
    JNIEnv *env = enter();
    if (NULL == env)
    {
        return status_of_entry();
    }

    if (NULL == call)
    {
        return no_pointer("call");
    }

    const jboolean has_ended =
        (*env)->CallBooleanMethod(env, call->bridge, java.call_await, (jlong)timeout_ms);
    const int status = check(env);
    call->has_ended = TRANSLOAD_OK == status && has_ended;
    return TRANSLOAD_OK != status ? status : has_ended ? TRANSLOAD_OK : TRANSLOAD_PENDING;
}

int transload_dispatch_result(transload_call *call, transload_dispatch_result_t *result)
{
    JNIEnv *env = enter();
    if (NULL == env)
    {
        return status_of_entry();
    }

    if (NULL == call || NULL == result)
    {
        return no_pointer("call or result");
    }

    if (!call->is_dispatch || !call->has_ended)
    {
        return fail(TRANSLOAD_BAD_INPUT, "the call is not a dispatch that transload_call_wait has seen to end well");
    }

    call->block = NULL != call->block ? call->block : new_block(call->engine->most_counts);
    if (NULL == call->block)
    {
        return TRANSLOAD_INTERNAL;
    }

    int64_t delivered[DELIVERED_FIELDS + OUTPUT_TENSORS * GIVEN_FIELDS];
    (*env)->CallVoidMethod(
        env, call->bridge, java.call_result, ADDRESS(delivered), ADDRESS(call->block->counts));
    const int status = check(env);
    if (TRANSLOAD_OK == status)
    {
        give_dispatch(call->block, call->engine, delivered, call->raw_types, result);
    }

    return status;
}

int transload_combine_result(transload_call *call, transload_combine_result_t *result)
{
    JNIEnv *env = enter();
    if (NULL == env)
    {
        return status_of_entry();
    }

    if (NULL == call || NULL == result)
    {
        return no_pointer("call or result");
    }

    if (call->is_dispatch)
    {
        return fail(TRANSLOAD_BAD_INPUT, "the call is a dispatch: must be a combine");
    }

    struct block *block = new_block(0);
    if (NULL == block)
    {
        return TRANSLOAD_INTERNAL;
    }

    int64_t summed[1 + COMBINED_TENSORS * GIVEN_FIELDS];
    (*env)->CallVoidMethod(env, call->bridge, java.call_result, ADDRESS(summed), (jlong)0);
    const int status = check(env);
    if (TRANSLOAD_OK == status)
    {
        give_combine(block, call->engine, summed, call->raw_types, result);
    }

    leave_block(block);
    return status;
}

int transload_call_close(transload_call *call)
{
    if (NULL != call)
    {
        leave_block(call->block);
        leave_engine(call->engine);
    }

    return close_block(call, java.call_close);
}

int transload_handle_close(transload_handle *handle)
{
    if (NULL != handle)
    {
        put_back(&handle->part);
    }

    return TRANSLOAD_OK;
}

/* ---- Low-latency mode ---- */

int transload_low_latency_open(transload_world *world, const char *settings, transload_low_latency **engine)
{
    const int status =
        open_engine(world, settings, java.low_latency, java.ll_open, sizeof(**engine), (void **)engine);
    if (TRANSLOAD_OK == status)
    {
        (*engine)->ranks = world->ranks;
    }

    return status;
}

int transload_low_latency_close(transload_low_latency *engine)
{
    return close_block(engine, java.ll_close);
}

/* Of matrices as the engine has them: experts and their rows are one dimension there. */
static void shape_output(transload_low_latency_tensors *own, const int32_t scales)
{
    const int64_t experts = own->count->dl_tensor.shape[0], rows = own->src_info->dl_tensor.shape[1];
    const int64_t hidden = own->x->dl_tensor.shape[1];
    shape(own->x, 3, (const int64_t[]){experts, rows, hidden}, (const int64_t[]){rows * hidden, hidden, 1});
    shape(own->count, 1, (const int64_t[]){experts}, (const int64_t[]){1});
    if (NULL != own->x_scales)
    {
        const int64_t *lines = own->x_scales->dl_tensor.shape;
        const int is_by_column = TRANSLOAD_SCALES_COLUMNS == scales || TRANSLOAD_SCALES_PACKED_COLUMNS == scales;
        const int64_t words = is_by_column ? lines[0] / experts : lines[1];
        shape(own->x_scales, 3, (const int64_t[]){experts, rows, words}, (const int64_t[]){
            rows * words, is_by_column ? 1 : words, is_by_column ? rows : 1});
    }
}

int transload_low_latency_output_open(
    transload_low_latency *engine, const int32_t experts, const int32_t hidden, const int32_t scales,
    const int32_t raw_types, transload_low_latency_output **output, transload_low_latency_tensors *tensors)
{
    JNIEnv *env = enter();
    if (NULL == env)
    {
        return status_of_entry();
    }

    if (NULL == engine || NULL == output || NULL == tensors)
    {
        return no_pointer("engine, output or tensors");
    }

    if (experts < 1 || hidden < 1 || scales < TRANSLOAD_SCALES_BF16 || scales > TRANSLOAD_SCALES_PACKED_COLUMNS)
    {
        return fail(TRANSLOAD_BAD_INPUT, "experts = %d, hidden = %d, scales = %d is not allowed: must be positive, "
            "scales in [-1, 3]", experts, hidden, scales);
    }

    struct block *block = new_block(0);
    if (NULL == block)
    {
        return TRANSLOAD_INTERNAL;
    }

    int64_t fields[OUTPUT_TENSORS * GIVEN_FIELDS] = {0};
    const jobject made = (*env)->CallObjectMethod(
        env, engine->bridge, java.ll_output, (jint)experts, (jint)hidden, (jint)scales, ADDRESS(fields));
    const int status = keep(env, made, sizeof(**output), (void **)output);
    transload_low_latency_tensors own = {.size = sizeof(own)};
    DLManagedTensor **targets[] = {&own.x, &own.x_scales, &own.count, &own.src_info, &own.layout_range};
    for (int i = 0; i < OUTPUT_TENSORS && TRANSLOAD_OK == status; i++)
    {
        *targets[i] = give_tensor(block, i, NULL, fields + i * GIVEN_FIELDS, raw_types);
    }

    leave_block(block);
    if (TRANSLOAD_OK == status)
    {
        shape_output(&own, scales);
        give(tensors, &own, sizeof(own));
    }

    return status;
}

int transload_low_latency_output_close(transload_low_latency_output *output)
{
    JNIEnv *env = NULL == output ? NULL : enter();
    if (NULL != env)
    {
        (*env)->DeleteGlobalRef(env, output->output);
    }

    const int status = NULL == output || NULL != env ? TRANSLOAD_OK : status_of_entry();
    free(output);
    return status;
}

int transload_low_latency_answers(
    transload_low_latency *engine, const int32_t experts, const int32_t hidden, const int32_t raw_types,
    DLManagedTensor **answers)
{
    JNIEnv *env = enter();
    if (NULL == env)
    {
        return status_of_entry();
    }

    if (NULL == engine || NULL == answers)
    {
        return no_pointer("engine or answers");
    }

    if (experts < 1 || hidden < 1)
    {
        return fail(
            TRANSLOAD_BAD_INPUT, "experts = %d, hidden = %d is not allowed: must be positive", experts, hidden);
    }

    struct block *block = new_block(0);
    if (NULL == block)
    {
        return TRANSLOAD_INTERNAL;
    }

    int64_t fields[GIVEN_FIELDS] = {1};
    (*env)->CallVoidMethod(
        env, engine->bridge, java.ll_answers, (jint)experts, (jint)hidden, ADDRESS(fields + 1));
    const int status = check(env);
    if (TRANSLOAD_OK == status)
    {
        *answers = give_tensor(block, 0, NULL, fields, raw_types);
        const int64_t locals = (experts + engine->ranks - 1) / engine->ranks;
        const int64_t rows = fields[5] / locals;
        shape(*answers, 3, (const int64_t[]){locals, rows, hidden}, (const int64_t[]){rows * hidden, hidden, 1});
    }

    leave_block(block);
    return status;
}

int transload_low_latency_dispatch(
    transload_low_latency *engine, const transload_low_latency_dispatch_request *request,
    transload_low_latency_call **call)
{
    transload_low_latency_dispatch_request own;
    JNIEnv *env = enter();
    if (NULL == env)
    {
        return status_of_entry();
    }

    if (!take(&own, sizeof(own), request))
    {
        return no_struct("request");
    }

    if (NULL == engine || NULL == call || NULL == own.x || NULL == own.topk_idx || NULL == own.output)
    {
        return no_pointer("engine, call, x, topk_idx or output");
    }

    int64_t fields[2 * IN_FIELDS + 5];
    int status = put_tensor("x", own.x, fields);
    status = TRANSLOAD_OK != status ? status : put_tensor("topk_idx", own.topk_idx, fields + IN_FIELDS);
    if (TRANSLOAD_OK != status)
    {
        return status;
    }

    int64_t *rest = fields + 2 * IN_FIELDS;
    *rest++ = own.experts;
    *rest++ = own.power_of_two;
    *rest++ = own.at_once;
    *rest++ = own.timeout_ms;
    *rest = (int64_t)(uintptr_t)own.stream;
    const jobject made = (*env)->CallObjectMethod(
        env, engine->bridge, java.ll_dispatch, own.output->output, ADDRESS(fields));
    return keep(env, made, sizeof(**call), (void **)call);
}

int transload_low_latency_receive(transload_low_latency_call *call)
{
    JNIEnv *env = enter();
    if (NULL == env)
    {
        return status_of_entry();
    }

    if (NULL == call)
    {
        return no_pointer("call");
    }

    (*env)->CallVoidMethod(env, call->call, java.ll_receive);
    return check(env);
}

int transload_low_latency_combine(
    transload_low_latency_call *call, const transload_low_latency_combine_request *request)
{
    transload_low_latency_combine_request own;
    JNIEnv *env = enter();
    if (NULL == env)
    {
        return status_of_entry();
    }

    if (!take(&own, sizeof(own), request))
    {
        return no_struct("request");
    }

    if (NULL == call || NULL == own.x || NULL == own.topk_weights || NULL == own.out)
    {
        return no_pointer("call, x, topk_weights or out");
    }

    int64_t fields[3 * IN_FIELDS + 3];
    int status = put_tensor("x", own.x, fields);
    status = TRANSLOAD_OK != status ? status : put_tensor("topk_weights", own.topk_weights, fields + IN_FIELDS);
    status = TRANSLOAD_OK != status ? status : put_tensor("out", own.out, fields + 2 * IN_FIELDS);
    if (TRANSLOAD_OK != status)
    {
        return status;
    }

    fields[3 * IN_FIELDS] = own.timeout_ms;
    fields[3 * IN_FIELDS + 1] = (int64_t)(uintptr_t)own.stream;
    fields[3 * IN_FIELDS + 2] = own.detach;
    (*env)->CallVoidMethod(env, call->call, java.ll_combine, ADDRESS(fields));
    status = check(env);
    if (TRANSLOAD_OK == status && own.detach)
    {
        (*env)->DeleteGlobalRef(env, call->call);
        free(call);
    }

    return status;
}

int transload_low_latency_combine_receive(transload_low_latency_call *call, int32_t *left_out)
{
    JNIEnv *env = enter();
    if (NULL == env)
    {
        return status_of_entry();
    }

    if (NULL == call)
    {
        return no_pointer("call");
    }

    const jint missing = (*env)->CallIntMethod(env, call->call, java.ll_receive_sums);
    const int status = check(env);
    if (TRANSLOAD_OK == status && NULL != left_out)
    {
        *left_out = missing;
    }

    return status;
}

int transload_low_latency_call_detach(transload_low_latency_call *call)
{
    return close_block(call, java.ll_call_detach);
}

int transload_low_latency_call_close(transload_low_latency_call *call)
{
    return close_block(call, java.ll_call_close);
}

int transload_low_latency_mask(transload_low_latency *engine, const int32_t rank)
{
    JNIEnv *env = enter();
    if (NULL == env)
    {
        return status_of_entry();
    }

    if (NULL == engine)
    {
        return no_pointer("engine");
    }

    (*env)->CallVoidMethod(env, engine->bridge, java.ll_mask, (jint)rank);
    return check(env);
}

int transload_low_latency_clear(transload_low_latency *engine, const int32_t rank, const int32_t generation)
{
    JNIEnv *env = enter();
    if (NULL == env)
    {
        return status_of_entry();
    }

    if (NULL == engine)
    {
        return no_pointer("engine");
    }

    (*env)->CallVoidMethod(env, engine->bridge, java.ll_clear, (jint)rank, (jint)generation);
    return check(env);
}

int transload_low_latency_active(transload_low_latency *engine, int32_t *active)
{
    JNIEnv *env = enter();
    if (NULL == env)
    {
        return status_of_entry();
    }

    if (NULL == engine || NULL == active)
    {
        return no_pointer("engine or active");
    }

    (*env)->CallVoidMethod(env, engine->bridge, java.ll_active, ADDRESS(active));
    return check(env);
}

int transload_low_latency_engine_ns(transload_low_latency *engine, int64_t *engine_ns)
{
    JNIEnv *env = enter();
    if (NULL == env)
    {
        return status_of_entry();
    }

    if (NULL == engine || NULL == engine_ns)
    {
        return no_pointer("engine or engine_ns");
    }

    *engine_ns = (*env)->CallLongMethod(env, engine->bridge, java.ll_ns);
    return check(env);
}
