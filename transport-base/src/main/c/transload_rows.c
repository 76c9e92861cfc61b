/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */

/* Copies of row lists by streaming stores: see RowStream.java. */

#include "../../../../api/src/main/c/row_stream.h"

#include <jni.h>
#include <stdint.h>
#include <string.h>

#define NATIVE(type, name) JNIEXPORT type JNICALL Java_dev_transload_transport_base_RowStream_##name
#define UNUSED __attribute__((unused))

/* An entry of dev.transload.spi.RowList. */
struct row
{
    int64_t source;
    int64_t destination;
};

_Static_assert(sizeof(struct row) == 16, "row");

/* What RowStream.detect answers. */
enum
{
    WIDTH_NONE = 0,
    WIDTH_AVX2 = 32,
    WIDTH_AVX512 = 64
};

#if defined(__x86_64__)

NATIVE(jint, detect)(JNIEnv *env UNUSED, jclass type UNUSED)
{
    const stream_lines stream = widest();
    return !stream ? WIDTH_NONE : stream == stream_avx512 ? WIDTH_AVX512 : WIDTH_AVX2;
}

NATIVE(void, copyRows)(
    JNIEnv *env UNUSED, jclass type UNUSED, jlong source, jlong destination, jlong list, jint from, jint end,
    jint length, jint width)
{
    const char *const src = (const char *)(uintptr_t)source;
    char *const dst = (char *)(uintptr_t)destination;
    const struct row *const rows = (const struct row *)(uintptr_t)list;
    const stream_lines stream = WIDTH_AVX512 == width ? stream_avx512 : stream_avx2;
    for (jint i = from; i < end;)
    {
        const struct row *const first = &rows[i++];
        int64_t run = length;
        while (i < end && rows[i].source == first->source + run && rows[i].destination == first->destination + run)
        {
            run += length;
            i++;
        }

        char *const to = dst + first->destination;
        const char *const at = src + first->source;
        if (to < at + run && at < to + run)
        {
            memmove(to, at, run);
        }
        else
        {
            const struct next_run next = {dst + rows[i < end ? i : from].destination,
                src + rows[i < end ? i : from].source, length};
            copy_run(to, at, run, stream, i < end ? &next : NULL);
        }
    }

    /* Streaming stores go round the order of other stores: behind this they count as plain ones. */
    _mm_sfence();
}

#else

NATIVE(jint, detect)(JNIEnv *env UNUSED, jclass type UNUSED)
{
    return WIDTH_NONE;
}

#endif
