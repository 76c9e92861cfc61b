/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */

/*
 * Faults by order. TRANSLOAD_CUDA_EMULATOR_FAULTS is a list as in "cuMemAlloc_v2:3=2;launch:10=719;stream:5=hang": the
 * third call of cuMemAlloc_v2 returns 2; the tenth kernel ends with 719; the fifth task of any stream never ends. What
 * counts tasks is `launch` (kernels), `copy` (copies and sets) or `stream` (all tasks).
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emulator.h"

enum
{
    MOST_FAULTS = 32,
    MOST_NAME = 48
};

struct fault
{
    char name[MOST_NAME];
    unsigned long nth;
    unsigned long counted;
    int action;
};

static struct fault faults[MOST_FAULTS];
static int fault_count;
static bool known;

static bool counts_tasks(const char *name)
{
    return strcmp(name, "launch") == 0 || strcmp(name, "copy") == 0 || strcmp(name, "stream") == 0;
}

static bool read_fault(const char *text, size_t length, struct fault *fault)
{
    char one[128];
    char action[16];
    int used = 0;
    if (length >= sizeof one)
    {
        return false;
    }
    memcpy(one, text, length);
    one[length] = '\0';
    if (sscanf(one, "%47[A-Za-z0-9_]:%lu=%15[a-z0-9]%n", fault->name, &fault->nth, action, &used) != 3 ||
        one[used] != '\0' || fault->nth == 0)
    {
        return false;
    }
    fault->counted = 0;
    if (counts_tasks(fault->name) && strcmp(action, "hang") == 0)
    {
        fault->action = TL_FAULT_HANG;
        return true;
    }
    char *end = NULL;
    fault->action = (int)strtol(action, &end, 10);
    return *end == '\0' && fault->action > 0 && (counts_tasks(fault->name) || strncmp(fault->name, "cu", 2) == 0);
}

/* 0, or 1 if the text is wrong; then no fault is left. */
static int set_faults(const char *text)
{
    fault_count = 0;
    while (text != NULL && *text != '\0')
    {
        const size_t length = strcspn(text, ";");
        if (fault_count == MOST_FAULTS || !read_fault(text, length, &faults[fault_count]))
        {
            fault_count = 0;
            return 1;
        }
        fault_count++;
        text += length + (text[length] == ';');
    }
    return 0;
}

static void read_environment(void)
{
    const char *text = getenv("TRANSLOAD_CUDA_EMULATOR_FAULTS");
    known = true;
    if (set_faults(text) != 0)
    {
        tl_abort("TRANSLOAD_CUDA_EMULATOR_FAULTS is '%s'; allowed are at most %d faults as in "
            "cuMemAlloc_v2:3=2;launch:10=719;copy:1=700;stream:5=hang", text, MOST_FAULTS);
    }
}

/* For tests in one process: new faults in place of the old ones, counted from here. 0, or 1 if the text is wrong. */
TL_EXPORT int tl_emulator_set_faults(const char *text)
{
    pthread_mutex_lock(&tl_lock);
    known = true;
    const int result = set_faults(text);
    pthread_mutex_unlock(&tl_lock);
    return result;
}

static int count(const char *name)
{
    int action = CUDA_SUCCESS;
    for (int i = 0; i < fault_count; i++)
    {
        if (strcmp(faults[i].name, name) == 0 && ++faults[i].counted == faults[i].nth)
        {
            action = faults[i].action;
        }
    }
    return action;
}

CUresult tl_fault_of_call(const char *symbol)
{
    if (!known)
    {
        read_environment();
    }
    return fault_count == 0 ? CUDA_SUCCESS : count(symbol);
}

int tl_fault_of_task(enum tl_task_kind kind)
{
    if (fault_count == 0)
    {
        return CUDA_SUCCESS;
    }
    const int any = count("stream");
    int own = CUDA_SUCCESS;
    if (kind == TL_TASK_KERNEL)
    {
        own = count("launch");
    }
    else if (kind == TL_TASK_COPY || kind == TL_TASK_SET)
    {
        own = count("copy");
    }
    return own != CUDA_SUCCESS ? own : any;
}
