/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */

/* What every exported call begins and ends with, and how the emulator speaks. */

#define _GNU_SOURCE

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emulator.h"

pthread_mutex_t tl_lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t tl_changed = PTHREAD_COND_INITIALIZER;

CUresult tl_enter(const char *symbol, struct tl_context **context)
{
    pthread_mutex_lock(&tl_lock);
    if (!tl_initialised && strcmp(symbol, "cuInit") != 0)
    {
        return CUDA_ERROR_NOT_INITIALIZED;
    }
    const CUresult fault = tl_fault_of_call(symbol);
    if (fault != CUDA_SUCCESS || context == NULL)
    {
        return fault;
    }
    *context = tl_current_context();
    if (*context == NULL)
    {
        return CUDA_ERROR_INVALID_CONTEXT;
    }
    return (*context)->references == 0 ? CUDA_ERROR_CONTEXT_IS_DESTROYED : (*context)->sticky;
}

CUresult tl_leave(CUresult result)
{
    pthread_mutex_unlock(&tl_lock);
    return result;
}

void tl_wait_for_change(void)
{
    pthread_cond_wait(&tl_changed, &tl_lock);
}

static void tell(const char *format, va_list arguments)
{
    char line[512];
    vsnprintf(line, sizeof line, format, arguments);
    fprintf(stderr, "CUDA emulator: %s\n", line);
}

void tl_say(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    tell(format, arguments);
    va_end(arguments);
}

void tl_abort(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    tell(format, arguments);
    va_end(arguments);
    abort();
}

uint64_t tl_setting(const char *name, uint64_t otherwise, uint64_t least, uint64_t most)
{
    const char *text = getenv(name);
    if (text == NULL || text[0] == '\0')
    {
        return otherwise;
    }
    char *end = NULL;
    errno = 0;
    const unsigned long long value = strtoull(text, &end, 10);
    if (errno != 0 || text[0] < '0' || text[0] > '9' || *end != '\0' || value < least || value > most)
    {
        tl_abort("%s is '%s'; allowed is a whole number from %llu to %llu", name, text, (unsigned long long)least,
            (unsigned long long)most);
    }
    return value;
}
