/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */

/* How an emulator speaks, and what its environment tells it. */

#define _GNU_SOURCE

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emulation.h"

enum
{
    MOST_NAME = 96
};

static void tell(const char *format, va_list arguments)
{
    char line[512];
    vsnprintf(line, sizeof line, format, arguments);
    fprintf(stderr, "%s: %s\n", tl_emulator_name, line);
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

const char *tl_setting_text(const char *name)
{
    char full[MOST_NAME];
    snprintf(full, sizeof full, "%s%s", tl_settings_prefix, name);
    const char *text = getenv(full);
    return text == NULL || text[0] == '\0' ? NULL : text;
}

uint64_t tl_setting(const char *name, uint64_t otherwise, uint64_t least, uint64_t most)
{
    const char *text = tl_setting_text(name);
    if (text == NULL)
    {
        return otherwise;
    }
    char *end = NULL;
    errno = 0;
    const unsigned long long value = strtoull(text, &end, 10);
    if (errno != 0 || text[0] < '0' || text[0] > '9' || *end != '\0' || value < least || value > most)
    {
        tl_abort("%s%s is '%s'; allowed is a whole number from %llu to %llu", tl_settings_prefix, name, text,
            (unsigned long long)least, (unsigned long long)most);
    }
    return value;
}

void tl_setting_pairs(const char *name, int most, void (*visitor)(int one, int other))
{
    const char *text = tl_setting_text(name);
    while (text != NULL && *text != '\0')
    {
        int one = 0;
        int other = 0;
        int used = 0;
        if (sscanf(text, "%d-%d%n", &one, &other, &used) != 2 || (text[used] != ',' && text[used] != '\0') ||
            one < 0 || other < 0 || one >= most || other >= most)
        {
            tl_abort("%s%s has '%s'; allowed are pairs of devices, as in 0-1,0-2", tl_settings_prefix, name, text);
        }
        visitor(one, other);
        text += used + (text[used] == ',');
    }
}
