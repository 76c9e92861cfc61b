/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */

/* Faults by order. */

#define _GNU_SOURCE

#include <dlfcn.h>
#include <string.h>
#include <unistd.h>

#include "rules.h"

static void a_call_fails_by_order(void)
{
    void *address = NULL;
    use_device(0);
    OK(aclrtMalloc(&address, 64, ACL_MEM_MALLOC_HUGE_FIRST));
    EXPECT(207001, aclrtMalloc(&address, 64, ACL_MEM_MALLOC_HUGE_FIRST));
    HOLDS(strcmp(aclGetRecentErrMsg(), "emulator, aclrtMalloc: the fault plan says so") == 0);
    OK(aclrtMalloc(&address, 64, ACL_MEM_MALLOC_HUGE_FIRST));
}

static void plans_that_make_no_sense_are_refused(void)
{
    HOLDS(tl_emulator_set_faults("aclrtMalloc:1") == 1);
    HOLDS(tl_emulator_set_faults("aclrtMalloc:0=1") == 1);
    HOLDS(tl_emulator_set_faults("aclrtMalloc:1=hang") == 1);
    HOLDS(tl_emulator_set_faults("copy:1=missing") == 1);
    HOLDS(tl_emulator_set_faults("copy=missing") == 1);
    HOLDS(tl_emulator_set_faults("cuInit:1=1") == 1);
    HOLDS(tl_emulator_set_faults("stream:3=lost-heartbeat;copy:2=507013") == 0);
}

static void a_wrong_plan_aborts(void)
{
    use_device(0);
}

/* A copy between two devices, or within one; how the stream ends. */
static aclError end_of_copy(bool across)
{
    use_device(1);
    void *far = device_memory(64);
    use_device(0);
    OK(aclrtDeviceEnablePeerAccess(1, 0));
    aclrtStream stream = stream_of(ACL_CONTINUE_ON_FAILURE);
    void *near = device_memory(64);
    OK(copy(across ? far : near, near, 64, stream));
    return aclrtSynchronizeStreamWithTimeout(stream, LONG_MS);
}

static void a_task_fails_by_order(void)
{
    OK(end_of_copy(false));
    EXPECT(507053, end_of_copy(false));
    OK(end_of_copy(false));
}

static void a_link_goes_down_for_good(void)
{
    OK(end_of_copy(true));
    EXPECT(ACL_ERROR_RT_LINK_ERROR, end_of_copy(true));
    EXPECT(ACL_ERROR_RT_LINK_ERROR, end_of_copy(true));
    OK(end_of_copy(false));
}

static void a_lost_heartbeat_ends_a_device(void)
{
    aclrtDeviceStatus status = ACL_RT_DEVICE_STATUS_NORMAL;
    void *address = NULL;
    use_device(0);
    aclrtStream stream = stream_of(ACL_STOP_ON_FAILURE);
    void *memory = device_memory(64);
    OK(aclrtMemsetAsync(memory, 64, 0, 64, stream));
    EXPECT(ACL_ERROR_RT_LOST_HEARTBEAT, aclrtSynchronizeStreamWithTimeout(stream, LONG_MS));
    EXPECT(ACL_ERROR_RT_LOST_HEARTBEAT, aclrtMalloc(&address, 64, ACL_MEM_MALLOC_HUGE_FIRST));
    OK(aclrtQueryDeviceStatus(0, &status));
    HOLDS(status == ACL_RT_DEVICE_STATUS_ABNORMAL);
    OK(aclrtDestroyStreamForce(stream));
    OK(aclrtFree(memory));
    use_device(1);
    OK(aclrtMalloc(&address, 64, ACL_MEM_MALLOC_HUGE_FIRST));
}

static void a_function_may_be_missing(void)
{
    void *library = dlopen(library_path, RTLD_NOW | RTLD_LOCAL);
    HOLDS(dlsym(library, "aclsysGetCANNVersion") == NULL);
    HOLDS(dlsym(library, "aclrtGetSocName") != NULL);
}

static int status_of_leak(const char *own)
{
    struct helper helper = helper_start("@leak", own);
    return helper_end(&helper);
}

/* A process that leaves memory behind does not end well; one that did not end well says why itself. */
static void what_is_left_is_accounted_for(void)
{
    use_device(0);
    OK(aclrtFree(device_memory(64)));
    HOLDS(status_of_leak("0") == 86);
    HOLDS(status_of_leak("3") == 3);
}

static void what_is_left_may_be_a_line_alone(void)
{
    HOLDS(status_of_leak("0") == 0);
}

const struct rule fault_rules[] = {
    {"a_call_fails_by_order", a_call_fails_by_order, "FAULTS=aclrtMalloc:2=207001", 0, 0},
    {"plans_that_make_no_sense_are_refused", plans_that_make_no_sense_are_refused, NULL, 0, 0},
    {"a_wrong_plan_aborts", a_wrong_plan_aborts, "FAULTS=copy:x=1", 0, ABORTS},
    {"a_task_fails_by_order", a_task_fails_by_order, "FAULTS=copy:2=507053", 0, 0},
    {"a_link_goes_down_for_good", a_link_goes_down_for_good, "FAULTS=copy:2=link-down", 0, 0},
    {"a_lost_heartbeat_ends_a_device", a_lost_heartbeat_ends_a_device, "FAULTS=set:1=lost-heartbeat", 0, 0},
    {"a_function_may_be_missing", a_function_may_be_missing, "FAULTS=aclsysGetCANNVersion=missing", 0, 0},
    {"what_is_left_is_accounted_for", what_is_left_is_accounted_for, "ACCOUNTS=0", 0, 0},
    {"what_is_left_may_be_a_line_alone", what_is_left_may_be_a_line_alone, NULL, 0, 0},
    {NULL, NULL, NULL, 0, 0}
};
