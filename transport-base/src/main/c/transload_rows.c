/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */

/*
 * Copies of row lists by streaming stores: see RowStream.java. A streaming store writes a whole line to memory without
 * reading it first, which spares a third of the traffic of a copy; and while one row is copied, the pages of the next
 * are touched, since the hardware's own prefetch stops at the end of a page.
 */

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

#include <immintrin.h>

enum
{
    LINE = 64,
    PAGE = 4096,
    /* Longer rows and runs are copied in such pieces, so that the pages of the next piece are touched in time. */
    PIECE = 4 * PAGE
};

typedef void (*stream_lines)(char *destination, const char *source, size_t length);

/* The destination is aligned to a line, the length is a multiple of it. */
__attribute__((target("avx512f")))
static void stream_avx512(char *const destination, const char *const source, const size_t length)
{
    size_t i = 0;
    for (; i + 4 * LINE <= length; i += 4 * LINE)
    {
        const __m512i a = _mm512_loadu_si512(source + i);
        const __m512i b = _mm512_loadu_si512(source + i + LINE);
        const __m512i c = _mm512_loadu_si512(source + i + 2 * LINE);
        const __m512i d = _mm512_loadu_si512(source + i + 3 * LINE);
        _mm512_stream_si512((void *)(destination + i), a);
        _mm512_stream_si512((void *)(destination + i + LINE), b);
        _mm512_stream_si512((void *)(destination + i + 2 * LINE), c);
        _mm512_stream_si512((void *)(destination + i + 3 * LINE), d);
    }
    for (; i < length; i += LINE)
    {
        _mm512_stream_si512((void *)(destination + i), _mm512_loadu_si512(source + i));
    }
}

/* As above; two lines in a turn. */
__attribute__((target("avx2")))
static void stream_avx2(char *const destination, const char *const source, const size_t length)
{
    for (size_t i = 0; i < length; i += LINE)
    {
        const __m256i a = _mm256_loadu_si256((const void *)(source + i));
        const __m256i b = _mm256_loadu_si256((const void *)(source + i + LINE / 2));
        _mm256_stream_si256((void *)(destination + i), a);
        _mm256_stream_si256((void *)(destination + i + LINE / 2), b);
    }
}

/* Touch each page of what is copied next. Prefetches of any address are allowed and never fault. */
static void touch(const char *const destination, const char *const source, const size_t length)
{
    for (size_t i = 0; i < length; i += PAGE)
    {
        __builtin_prefetch(source + i);
        __builtin_prefetch(source + i + LINE);
        __builtin_prefetch(destination + i, 1);
    }
}

static size_t at_most(const size_t length, const size_t limit)
{
    return length < limit ? length : limit;
}

/* Copy a run; `next` is the row behind it, or null. */
static void copy_run(
    char *destination, const char *source, size_t length, const stream_lines stream,
    char *const base_destination, const char *const base_source, const struct row *const next, const size_t row_length)
{
    const size_t head = at_most(-(uintptr_t)destination & (LINE - 1), length);
    memcpy(destination, source, head);
    destination += head;
    source += head;
    length -= head;
    while (length >= LINE)
    {
        const size_t piece = at_most(length, PIECE) & ~(size_t)(LINE - 1);
        const size_t rest = length - piece;
        if (rest >= LINE)
        {
            touch(destination + piece, source + piece, at_most(rest, PIECE));
        }
        else if (next)
        {
            touch(base_destination + next->destination, base_source + next->source, at_most(row_length, PIECE));
        }
        stream(destination, source, piece);
        destination += piece;
        source += piece;
        length = rest;
    }
    memcpy(destination, source, length);
}

static stream_lines widest(void)
{
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx512f") ? stream_avx512 : __builtin_cpu_supports("avx2") ? stream_avx2 : NULL;
}

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
            copy_run(to, at, run, stream, dst, src, i < end ? &rows[i] : NULL, length);
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
