/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */

/* What every exported call begins and ends with, and what the emulator says of itself. */

#define _GNU_SOURCE

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "emulator.h"

const char tl_emulator_name[] = "ACL emulator";
const char tl_settings_prefix[] = "TRANSLOAD_ACL_EMULATOR_";
const char tl_function_prefix[] = "acl";
const char *const tl_task_names[] = {"copy", "set", "reduce", "record", "wait", "value", "stream", NULL};
const struct tl_fault_word tl_task_words[] = {
    {"hang", TL_FAULT_HANG},
    {"link-down", TL_FAULT_LINK_DOWN},
    {"peer-death", TL_FAULT_PEER_DEATH},
    {"lost-heartbeat", TL_FAULT_LOST_HEARTBEAT},
    {NULL, 0}
};
const struct tl_fault_word tl_function_words[] = {{"missing", TL_FAULT_MISSING}, {NULL, 0}};
const char tl_fault_example[] =
    "aclrtMalloc:3=207001;copy:10=507013;stream:5=hang;copy:2=link-down;aclrtReduceAsync=missing";

enum
{
    MOST_TEXT = 320
};

static _Thread_local const char *entered;
static _Thread_local char recent[MOST_TEXT];
static _Thread_local bool has_recent;

static aclError enter(const char *symbol, struct tl_context **context)
{
    pthread_mutex_lock(&tl_lock);
    entered = symbol;
    if (!tl_initialised && strcmp(symbol, "aclInit") != 0)
    {
        return tl_refuse(ACL_ERROR_UNINITIALIZE, "aclInit was not called");
    }
    const aclError fault = tl_fault(symbol);
    if (fault != ACL_SUCCESS)
    {
        return tl_refuse(fault, "the fault plan says so");
    }
    if (context == NULL)
    {
        return ACL_SUCCESS;
    }
    *context = tl_current_context();
    return *context != NULL ? ACL_SUCCESS :
        tl_refuse(ACL_ERROR_RT_CONTEXT_NULL, "this thread has no context: aclrtSetDevice makes one");
}

aclError tl_enter(const char *symbol, struct tl_context **context)
{
    const aclError result = enter(symbol, context);
    return result == ACL_SUCCESS && context != NULL && (*context)->dead ?
        tl_refuse(ACL_ERROR_RT_LOST_HEARTBEAT, "device %d lost its heartbeat", (*context)->device) : result;
}

aclError tl_enter_to_release(const char *symbol, struct tl_context **context)
{
    return enter(symbol, context);
}

aclError tl_leave(aclError result)
{
    pthread_mutex_unlock(&tl_lock);
    return result;
}

aclError tl_refuse(aclError code, const char *format, ...)
{
    va_list arguments;
    char clause[MOST_TEXT - 64];
    va_start(arguments, format);
    vsnprintf(clause, sizeof clause, format, arguments);
    va_end(arguments);
    snprintf(recent, sizeof recent, "emulator, %s: %s", entered, clause);
    has_recent = true;
    return code;
}

/* As the runtime's: the thread's last error, once. */
TL_EXPORT const char *aclGetRecentErrMsg(void)
{
    const bool had = has_recent;
    has_recent = false;
    return had ? recent : NULL;
}
