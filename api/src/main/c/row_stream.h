/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */

/*
 * Copies by streaming stores, for the native code of all modules, on x86-64. A streaming store writes a whole line to
 * memory without reading it first, which spares a third of the traffic of a copy; and while one row is copied, the
 * pages of the next are touched, since the hardware's own prefetch stops at the end of a page. Streaming stores are
 * not ordered with other stores: a copy ends with _mm_sfence.
 */

#ifndef TRANSLOAD_ROW_STREAM_H
#define TRANSLOAD_ROW_STREAM_H

#if defined(__x86_64__)

#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

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

/* What is copied next, whose pages are touched meanwhile. */
struct next_run
{
    char *destination;
    const char *source;
    size_t length;
};

/* Copy a run; `next` is the one behind it, or null. */
static void copy_run(
    char *destination, const char *source, size_t length, const stream_lines stream, const struct next_run *const next)
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
            touch(next->destination, next->source, at_most(next->length, PIECE));
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

#endif

#endif
