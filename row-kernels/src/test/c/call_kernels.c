/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */

/*
 * Calls row kernels for Aarch64Kernels.java, which runs this under an emulator. Writes the address of its memory to
 * standard output, then answers requests from standard input: what follows a request is put at the start of that memory,
 * one function of the library is called, and a part of the memory is written.
 * Usage: call_kernels LIBRARY
 */

#include <dlfcn.h>
#include <jni.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum
{
    MEMORY_BYTES = 64 << 20
};

enum
{
    SUM,
    QUANTIZE,
    DEQUANTIZE,
    SCATTER
};

/* Written by Aarch64Kernels.java. */
struct request
{
    int32_t function;
    int32_t bytes;
    int64_t result;
    int64_t result_bytes;
    int64_t arguments[7];
};

static void *find(void *library, const char *name)
{
    char symbol[128];
    snprintf(symbol, sizeof(symbol), "Java_dev_transload_kernels_host_NativeKernels_%s", name);
    void *function = dlsym(library, symbol);
    if (NULL == function)
    {
        fprintf(stderr, "%s\n", dlerror());
        exit(1);
    }
    return function;
}

int main(int count, char **arguments)
{
    void *library = 2 == count ? dlopen(arguments[1], RTLD_NOW) : NULL;
    if (NULL == library)
    {
        fprintf(stderr, "%s\n", 2 == count ? dlerror() : "usage: call_kernels LIBRARY");
        return 1;
    }

    jboolean (*is_possible)(JNIEnv *, jclass) = find(library, "isPossible");
    void (*sum_all)(JNIEnv *, jclass, jlong, jlong) = find(library, "sumAll");
    void (*quantize)(JNIEnv *, jclass, jlong, jlong, jlong, jint, jboolean) = find(library, "quantize");
    void (*dequantize)(JNIEnv *, jclass, jlong, jlong, jlong, jint) = find(library, "dequantize");
    void (*scatter)(JNIEnv *, jclass, jlong, jlong, jint, jlong, jlong, jint, jlong, jint, jboolean) =
        find(library, "scatter");
    void (*fence)(JNIEnv *, jclass) = find(library, "fence");
    if (!is_possible(NULL, NULL))
    {
        fprintf(stderr, "the library says that it is of no use on this processor\n");
        return 1;
    }

    char *memory = malloc(MEMORY_BYTES);
    const int64_t address = (int64_t)(uintptr_t)memory;
    fwrite(&address, sizeof(address), 1, stdout);
    fflush(stdout);
    struct request request;
    while (1 == fread(&request, sizeof(request), 1, stdin))
    {
        const int64_t *const a = request.arguments;
        if (request.bytes > MEMORY_BYTES || (size_t)request.bytes != fread(memory, 1, request.bytes, stdin))
        {
            fprintf(stderr, "a request of %d bytes came short, or is longer than the memory\n", request.bytes);
            return 1;
        }

        switch (request.function)
        {
        case SUM:
            sum_all(NULL, NULL, a[0], a[1]);
            break;
        case QUANTIZE:
            quantize(NULL, NULL, a[0], a[1], a[2], a[3], a[4]);
            break;
        case DEQUANTIZE:
            dequantize(NULL, NULL, a[0], a[1], a[2], a[3]);
            break;
        case SCATTER:
            scatter(NULL, NULL, a[0], a[1], a[2], a[3], a[4], a[5], a[6], 1, 1);
            break;
        default:
            fprintf(stderr, "there is no function %d\n", request.function);
            return 1;
        }

        fence(NULL, NULL);
        fwrite((const char *)(uintptr_t)request.result, 1, request.result_bytes, stdout);
        fflush(stdout);
    }
    return 0;
}
