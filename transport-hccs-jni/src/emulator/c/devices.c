/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */

/* The devices: how many, what they are, who reaches whom, and the threads' contexts. */

#define _GNU_SOURCE

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "emulator.h"

enum
{
    /* Numbers of processes as a host has them for a container's: none is one of this system's. */
    BARE_PROCESS_OFFSET = 100000000
};

bool tl_initialised;
uint64_t tl_device_bytes;
bool tl_link_is_down;
bool tl_peer_is_dead;

static int device_count;
static bool no_peer[TL_MOST_DEVICES][TL_MOST_DEVICES];
static bool forked;
static bool prepared;
static struct tl_context contexts[TL_MOST_DEVICES];

static _Thread_local struct tl_context *current;
static _Thread_local unsigned current_life;

struct tl_context *tl_current_context(void)
{
    return current != NULL && current->references > 0 && current->life == current_life ? current : NULL;
}

static void cut(int one, int other)
{
    no_peer[one][other] = true;
    no_peer[other][one] = true;
}

/* As of the real runtime, nothing of it is usable in a process forked from one that uses it. */
static void on_fork(void)
{
    forked = true;
    tl_initialised = false;
    pthread_mutex_init(&tl_lock, NULL);
}

static bool is_device(int32_t device)
{
    return device >= 0 && device < device_count;
}

bool tl_can_access_peer(int device, int peer)
{
    return device != peer && !no_peer[device][peer];
}

int tl_bare_process(void)
{
    return getpid() + BARE_PROCESS_OFFSET;
}

TL_EXPORT int tl_emulator_version(void)
{
    return 1;
}

static void prepare(void)
{
    device_count = (int)tl_setting("DEVICES", 2, 0, TL_MOST_DEVICES);
    tl_device_bytes = tl_setting("MEMORY", 1ull << 30, TL_HUGE_PAGE, 1ull << 34);
    tl_setting_pairs("NO_PEER", TL_MOST_DEVICES, cut);
    for (int device = 0; device < device_count; device++)
    {
        contexts[device].device = device;
    }
    tl_ranges_initialise();
    pthread_atfork(NULL, NULL, on_fork);
    prepared = true;
}

TL_EXPORT aclError aclInit(const char *path)
{
    aclError result = tl_enter("aclInit", NULL);
    if (result != ACL_SUCCESS)
    {
        return tl_leave(result);
    }
    if (forked)
    {
        return tl_leave(tl_refuse(ACL_ERROR_UNINITIALIZE, "this process was forked from one that used the runtime"));
    }
    if (tl_initialised)
    {
        return tl_leave(tl_refuse(ACL_ERROR_REPEAT_INITIALIZE, "it was called before"));
    }
    if (path != NULL)
    {
        return tl_leave(tl_refuse(ACL_ERROR_INVALID_PARAM, "no configuration file is emulated"));
    }
    if (!prepared)
    {
        prepare();
    }
    tl_initialised = true;
    return tl_leave(ACL_SUCCESS);
}

static void destroy(struct tl_context *context)
{
    tl_streams_release_context(context);
    tl_events_release_context(context);
    tl_memory_release_context(context);
    context->references = 0;
    context->peers = 0;
}

TL_EXPORT aclError aclFinalize(void)
{
    aclError result = tl_enter("aclFinalize", NULL);
    if (result == ACL_SUCCESS)
    {
        for (int device = 0; device < device_count; device++)
        {
            if (contexts[device].references > 0)
            {
                destroy(&contexts[device]);
            }
        }
        tl_initialised = false;
    }
    return tl_leave(result);
}

/* The one call that needs no aclInit. */
TL_EXPORT const char *aclrtGetSocName(void)
{
    const char *name = tl_setting_text("SOC");
    return name == NULL ? "EMULATOR" : name;
}

TL_EXPORT aclError aclsysGetCANNVersion(aclCANNPackageName name, aclCANNPackageVersion *version)
{
    aclError result = tl_enter("aclsysGetCANNVersion", NULL);
    if (result == ACL_SUCCESS && (name != 0 || version == NULL))
    {
        return tl_leave(tl_refuse(ACL_ERROR_INVALID_PARAM, "only package 0, CANN, is emulated"));
    }
    if (result == ACL_SUCCESS)
    {
        memset(version, 0, sizeof *version);
        snprintf(version->version, sizeof version->version, "8.3.emulator");
    }
    return tl_leave(result);
}

TL_EXPORT aclError aclrtGetDeviceCount(uint32_t *count)
{
    aclError result = tl_enter("aclrtGetDeviceCount", NULL);
    if (result == ACL_SUCCESS)
    {
        *count = (uint32_t)device_count;
    }
    return tl_leave(result);
}

static aclError enter_device(const char *symbol, int32_t device)
{
    const aclError result = tl_enter(symbol, NULL);
    return result != ACL_SUCCESS || is_device(device) ? result :
        tl_refuse(ACL_ERROR_RT_PARAM_INVALID, "there is no device %d of %d", device, device_count);
}

/* Counted: the context goes with as many resets. */
TL_EXPORT aclError aclrtSetDevice(int32_t device)
{
    aclError result = enter_device("aclrtSetDevice", device);
    if (result == ACL_SUCCESS)
    {
        struct tl_context *context = &contexts[device];
        if (context->references == 0)
        {
            context->life++;
        }
        context->references++;
        current = context;
        current_life = context->life;
    }
    return tl_leave(result);
}

TL_EXPORT aclError aclrtResetDevice(int32_t device)
{
    aclError result = enter_device("aclrtResetDevice", device);
    if (result == ACL_SUCCESS && contexts[device].references == 0)
    {
        result = tl_refuse(ACL_ERROR_RT_CONTEXT_NULL, "device %d is not set", device);
    }
    if (result == ACL_SUCCESS && contexts[device].references == 1)
    {
        destroy(&contexts[device]);
    }
    else if (result == ACL_SUCCESS)
    {
        contexts[device].references--;
    }
    return tl_leave(result);
}

TL_EXPORT aclError aclrtGetDevice(int32_t *device)
{
    struct tl_context *context = NULL;
    aclError result = tl_enter("aclrtGetDevice", &context);
    if (result == ACL_SUCCESS)
    {
        *device = context->device;
    }
    return tl_leave(result);
}

TL_EXPORT aclError aclrtQueryDeviceStatus(int32_t device, aclrtDeviceStatus *status)
{
    aclError result = enter_device("aclrtQueryDeviceStatus", device);
    if (result == ACL_SUCCESS)
    {
        *status = contexts[device].dead ? ACL_RT_DEVICE_STATUS_ABNORMAL : ACL_RT_DEVICE_STATUS_NORMAL;
    }
    return tl_leave(result);
}

TL_EXPORT aclError aclrtDeviceGetBareTgid(int32_t *process)
{
    aclError result = tl_enter("aclrtDeviceGetBareTgid", NULL);
    if (result == ACL_SUCCESS)
    {
        *process = tl_bare_process();
    }
    return tl_leave(result);
}

TL_EXPORT aclError aclrtDeviceCanAccessPeer(int32_t *can, int32_t device, int32_t peer)
{
    aclError result = enter_device("aclrtDeviceCanAccessPeer", device);
    if (result == ACL_SUCCESS && (!is_device(peer) || peer == device))
    {
        result = tl_refuse(ACL_ERROR_RT_PARAM_INVALID, "%d is no peer of device %d", peer, device);
    }
    if (result == ACL_SUCCESS)
    {
        *can = tl_can_access_peer(device, peer);
    }
    return tl_leave(result);
}

TL_EXPORT aclError aclrtGetDevicesTopo(uint32_t device, uint32_t other, uint64_t *value)
{
    aclError result = enter_device("aclrtGetDevicesTopo", (int32_t)device);
    if (result == ACL_SUCCESS && (!is_device((int32_t)other) || other == device || value == NULL))
    {
        result = tl_refuse(ACL_ERROR_RT_PARAM_INVALID, "%u is no peer of device %u", other, device);
    }
    if (result == ACL_SUCCESS)
    {
        *value = tl_can_access_peer((int)device, (int)other) ? ACL_RT_DEVS_TOPOLOGY_HCCS : ACL_RT_DEVS_TOPOLOGY_SYS;
    }
    return tl_leave(result);
}

TL_EXPORT aclError aclrtDeviceEnablePeerAccess(int32_t peer, uint32_t flags)
{
    struct tl_context *context = NULL;
    aclError result = tl_enter("aclrtDeviceEnablePeerAccess", &context);
    if (result != ACL_SUCCESS)
    {
        return tl_leave(result);
    }
    if (flags != 0 || !is_device(peer) || peer == context->device)
    {
        return tl_leave(tl_refuse(ACL_ERROR_RT_PARAM_INVALID, "peer %d of device %d, flags %u", peer, context->device,
            flags));
    }
    if (!tl_can_access_peer(context->device, peer))
    {
        return tl_leave(tl_refuse(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "devices %d and %d do not reach each other",
            context->device, peer));
    }
    context->peers |= 1ull << peer;
    return tl_leave(ACL_SUCCESS);
}
