/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */

/* Initialisation, devices, contexts of threads. */

#define _GNU_SOURCE

#include <pthread.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "rules.h"

static void nothing_comes_before_init(void)
{
    uint32_t count = 0;
    EXPECT(ACL_ERROR_UNINITIALIZE, aclrtGetDeviceCount(&count));
    EXPECT(ACL_ERROR_UNINITIALIZE, aclrtSetDevice(0));
}

static void init_is_for_once(void)
{
    OK(aclInit(NULL));
    EXPECT(ACL_ERROR_REPEAT_INITIALIZE, aclInit(NULL));
    OK(aclFinalize());
    OK(aclInit(NULL));
}

static void it_says_that_it_is_an_emulator(void)
{
    HOLDS(strcmp(aclrtGetSocName(), "EMULATOR") == 0);
}

static void a_thread_without_a_device_has_no_context(void)
{
    void *address = NULL;
    int32_t device = 0;
    OK(aclInit(NULL));
    EXPECT(ACL_ERROR_RT_CONTEXT_NULL, aclrtMalloc(&address, 4096, ACL_MEM_MALLOC_HUGE_FIRST));
    EXPECT(ACL_ERROR_RT_CONTEXT_NULL, aclrtGetDevice(&device));
}

static void *allocate_elsewhere(void *result)
{
    void *address = NULL;
    *(aclError *)result = aclrtMalloc(&address, 4096, ACL_MEM_MALLOC_HUGE_FIRST);
    return NULL;
}

static void each_thread_sets_its_device(void)
{
    pthread_t thread;
    aclError result = ACL_SUCCESS;
    use_device(0);
    HOLDS(pthread_create(&thread, NULL, allocate_elsewhere, &result) == 0);
    HOLDS(pthread_join(thread, NULL) == 0);
    HOLDS(result == ACL_ERROR_RT_CONTEXT_NULL);
}

static void the_last_device_set_is_the_threads(void)
{
    int32_t device = 7;
    use_device(0);
    use_device(1);
    OK(aclrtGetDevice(&device));
    HOLDS(device == 1);
}

static void there_is_no_device_that_is_not_counted(void)
{
    uint32_t count = 0;
    OK(aclInit(NULL));
    OK(aclrtGetDeviceCount(&count));
    EXPECT(ACL_ERROR_RT_PARAM_INVALID, aclrtSetDevice((int32_t)count));
    EXPECT(ACL_ERROR_RT_PARAM_INVALID, aclrtSetDevice(-1));
}

static void resets_are_counted(void)
{
    void *address = NULL;
    use_device(0);
    use_device(0);
    OK(aclrtMalloc(&address, 4096, ACL_MEM_MALLOC_HUGE_FIRST));
    OK(aclrtResetDevice(0));
    OK(aclrtFree(address));
    OK(aclrtResetDevice(0));
    EXPECT(ACL_ERROR_RT_CONTEXT_NULL, aclrtMalloc(&address, 4096, ACL_MEM_MALLOC_HUGE_FIRST));
}

static void peers_may_not_reach_each_other(void)
{
    int32_t can = 1;
    use_device(0);
    OK(aclrtDeviceCanAccessPeer(&can, 0, 1));
    HOLDS(can == 0);
    uint64_t link = 0;
    OK(aclrtGetDevicesTopo(0, 1, &link));
    HOLDS(link == ACL_RT_DEVS_TOPOLOGY_SYS);
    EXPECT(ACL_ERROR_RT_PARAM_INVALID, aclrtGetDevicesTopo(0, 0, &link));
    EXPECT(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, aclrtDeviceEnablePeerAccess(1, 0));
    EXPECT(ACL_ERROR_RT_PARAM_INVALID, aclrtDeviceEnablePeerAccess(0, 0));
}

static void a_process_has_a_bare_number_of_its_own(void)
{
    int32_t process = 0;
    use_device(0);
    OK(aclrtDeviceGetBareTgid(&process));
    HOLDS(process != getpid());
}

static void a_forked_process_has_no_runtime(void)
{
    int status = 0;
    use_device(0);
    const pid_t child = fork();
    if (child == 0)
    {
        uint32_t count = 0;
        _exit(aclrtGetDeviceCount(&count) == ACL_SUCCESS || aclInit(NULL) == ACL_SUCCESS);
    }
    HOLDS(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void the_last_error_is_told_once(void)
{
    use_device(0);
    EXPECT(ACL_ERROR_RT_PARAM_INVALID, aclrtFree(&(int){0}));
    const char *text = aclGetRecentErrMsg();
    HOLDS(text != NULL && strstr(text, "emulator, aclrtFree: ") == text);
    HOLDS(aclGetRecentErrMsg() == NULL);
}

const struct rule device_rules[] = {
    {"nothing_comes_before_init", nothing_comes_before_init, NULL, 0, 0},
    {"init_is_for_once", init_is_for_once, NULL, 1, 0},
    {"it_says_that_it_is_an_emulator", it_says_that_it_is_an_emulator, NULL, 0, 0},
    {"a_thread_without_a_device_has_no_context", a_thread_without_a_device_has_no_context, NULL, 1, 0},
    {"each_thread_sets_its_device", each_thread_sets_its_device, NULL, 1, 0},
    {"the_last_device_set_is_the_threads", the_last_device_set_is_the_threads, NULL, 2, 0},
    {"there_is_no_device_that_is_not_counted", there_is_no_device_that_is_not_counted, NULL, 0, 0},
    {"resets_are_counted", resets_are_counted, NULL, 0, 0},
    {"peers_may_not_reach_each_other", peers_may_not_reach_each_other, "NO_PEER=0-1", 0, 0},
    {"a_process_has_a_bare_number_of_its_own", a_process_has_a_bare_number_of_its_own, NULL, 0, 0},
    {"a_forked_process_has_no_runtime", a_forked_process_has_no_runtime, NULL, 0, 0},
    {"the_last_error_is_told_once", the_last_error_is_told_once, NULL, 0, 0},
    {NULL, NULL, NULL, 0, 0}
};
