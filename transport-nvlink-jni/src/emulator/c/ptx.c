/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */

/* What can be said of PTX text without running it. */

#define _GNU_SOURCE

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emulator.h"

enum
{
    CAPABILITY = 90
};

/* The newest PTX (10 x major + minor) that a driver takes; each release of CUDA 11 to 13 brought one, bar 12.6. */
static int newest_ptx(int driver)
{
    const int major = driver / 1000;
    const int minor = driver % 1000 / 10;
    if (major < 11)
    {
        return 60;
    }
    if (major == 12 && minor >= 6)
    {
        return 80 + minor - 1;
    }
    return 10 * (major - 4) + minor;
}

static bool is_name(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '.';
}

/* Behind a directive at the start of a word, or NULL. */
static const char *directive(const char *text, const char *name)
{
    const size_t length = strlen(name);
    for (const char *at = strstr(text, name); at != NULL; at = strstr(at + 1, name))
    {
        if ((at == text || !is_name(at[-1])) && isspace((unsigned char)at[length]))
        {
            return at + length;
        }
    }
    return NULL;
}

CUresult tl_ptx_check(const char *text, char *log, size_t log_bytes)
{
    int major = 0;
    int minor = 0;
    int target = 0;
    const char *version = directive(text, ".version");
    const char *architecture = directive(text, ".target");
    const char *address_size = directive(text, ".address_size");
    if (version == NULL || sscanf(version, " %d.%d", &major, &minor) != 2)
    {
        snprintf(log, log_bytes, "the image is no PTX text: it has no .version");
        return CUDA_ERROR_INVALID_IMAGE;
    }
    if (10 * major + minor > newest_ptx(tl_driver_version))
    {
        snprintf(log, log_bytes, "PTX %d.%d is newer than the driver %d", major, minor, tl_driver_version);
        return CUDA_ERROR_UNSUPPORTED_PTX_VERSION;
    }
    if (architecture == NULL || sscanf(architecture, " sm_%d", &target) != 1 || address_size == NULL ||
        atoi(address_size) != 64)
    {
        snprintf(log, log_bytes, "the PTX lacks .target sm_NN or .address_size 64");
        return CUDA_ERROR_INVALID_PTX;
    }
    if (target > CAPABILITY)
    {
        snprintf(log, log_bytes, "the PTX is for sm_%d, the device is sm_%d", target, CAPABILITY);
        return CUDA_ERROR_INVALID_PTX;
    }
    return CUDA_SUCCESS;
}

bool tl_ptx_entry(const char *text, const char *name, struct tl_entry *entry)
{
    const size_t length = strlen(name);
    const char *at = directive(text, ".entry");
    while (at != NULL)
    {
        at += strspn(at, " \t\r\n");
        if (strncmp(at, name, length) == 0 && !is_name(at[length]))
        {
            break;
        }
        at = directive(at, ".entry");
    }
    const char *body = at == NULL ? NULL : strchr(at, '{');
    if (body == NULL)
    {
        return false;
    }
    char head[4096];
    const size_t head_length = (size_t)(body - at) < sizeof head ? (size_t)(body - at) : sizeof head - 1;
    memcpy(head, at, head_length);
    head[head_length] = '\0';
    const char *bytes = strstr(head, ".b8");
    bytes = bytes == NULL ? NULL : strchr(bytes, '[');
    entry->argument_bytes = bytes == NULL ? 0 : strtoul(bytes + 1, NULL, 10);
    const char *most = directive(head, ".maxntid");
    entry->most_threads = most == NULL ? 1024 : (unsigned)strtoul(most, NULL, 10);
    return true;
}
