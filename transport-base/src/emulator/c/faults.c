/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */

/*
 * Faults by order. The setting FAULTS is a list as in "cuMemAlloc_v2:3=2;launch:10=719;stream:5=hang": the third call
 * of cuMemAlloc_v2 returns 2; the tenth kernel ends with 719; the fifth task of any stream never ends. The emulator
 * says what counts tasks, and what may happen besides a code.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emulation.h"

enum
{
    MOST_FAULTS = 32,
    MOST_NAME = 48,
    MOST_WORD = 24
};

/* The nth is 0 for an action that has no count. */
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
static unsigned plan;

static bool counts_tasks(const char *name)
{
    for (const char *const *task = tl_task_names; *task != NULL; task++)
    {
        if (strcmp(name, *task) == 0)
        {
            return true;
        }
    }
    return false;
}

static bool is_function(const char *name)
{
    return strncmp(name, tl_function_prefix, strlen(tl_function_prefix)) == 0;
}

/* 0 if there is no such word. */
static int action_of(const struct tl_fault_word *words, const char *word)
{
    while (words->word != NULL && strcmp(words->word, word) != 0)
    {
        words++;
    }
    return words->word == NULL ? 0 : words->action;
}

static bool read_fault(const char *text, size_t length, struct fault *fault)
{
    char one[128];
    char action[MOST_WORD];
    int used = 0;
    if (length >= sizeof one)
    {
        return false;
    }
    memcpy(one, text, length);
    one[length] = '\0';
    *fault = (struct fault){0};
    if (sscanf(one, "%47[A-Za-z0-9_]=%23[a-z-]%n", fault->name, action, &used) == 2 && one[used] == '\0')
    {
        fault->action = action_of(tl_function_words, action);
        return fault->action != 0 && is_function(fault->name);
    }
    if (sscanf(one, "%47[A-Za-z0-9_]:%lu=%23[a-z0-9-]%n", fault->name, &fault->nth, action, &used) != 3 ||
        one[used] != '\0' || fault->nth == 0)
    {
        return false;
    }
    fault->action = counts_tasks(fault->name) ? action_of(tl_task_words, action) : 0;
    if (fault->action != 0)
    {
        return true;
    }
    char *end = NULL;
    fault->action = (int)strtol(action, &end, 10);
    return *end == '\0' && fault->action > 0 && (counts_tasks(fault->name) || is_function(fault->name));
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
    const char *text = tl_setting_text("FAULTS");
    known = true;
    if (set_faults(text) != 0)
    {
        tl_abort("%sFAULTS is '%s'; allowed are at most %d faults as in %s", tl_settings_prefix, text, MOST_FAULTS,
            tl_fault_example);
    }
}

/* For tests in one process: new faults in place of the old ones, counted from here. 0, or 1 if the text is wrong. */
TL_EXPORT int tl_emulator_set_faults(const char *text)
{
    pthread_mutex_lock(&tl_lock);
    known = true;
    plan++;
    const int result = set_faults(text);
    pthread_cond_broadcast(&tl_changed);
    pthread_mutex_unlock(&tl_lock);
    return result;
}

int tl_fault(const char *name)
{
    int action = 0;
    if (!known)
    {
        read_environment();
    }
    for (int i = 0; i < fault_count; i++)
    {
        if (strcmp(faults[i].name, name) == 0 && faults[i].nth != 0 && ++faults[i].counted == faults[i].nth)
        {
            action = faults[i].action;
        }
    }
    return action;
}

unsigned tl_fault_plan(void)
{
    return plan;
}

void tl_fault_each_function(int action, void (*visitor)(const char *name))
{
    if (!known)
    {
        read_environment();
    }
    for (int i = 0; i < fault_count; i++)
    {
        if (faults[i].nth == 0 && faults[i].action == action)
        {
            visitor(faults[i].name);
        }
    }
}
