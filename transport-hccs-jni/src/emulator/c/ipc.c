/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */

/*
 * Device memory between processes. A key names the exporter's process and its open file, which another process of the
 * same user opens by /proc. Behind the memory, the file has a page that holds the whitelist. Locks on two bytes of that
 * page say who is there, and go with their process however it ends: the exporter's, and one that importers share.
 * Nothing outlives the processes that map it.
 */

#define _GNU_SOURCE

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "emulator.h"

enum
{
    MOST_PROCESSES = 256,
    EXPORTER = 0,
    IMPORTERS = 1,
    FLAG_NO_PID_CHECK = 1,
    FLAG_PEER_ACCESS = 1
};

/* The page behind the memory. */
struct whitelist
{
    uint32_t everybody;
    uint32_t count;
    int32_t processes[MOST_PROCESSES];
};

_Static_assert(sizeof(struct whitelist) <= TL_PAGE, "whitelist");

/* What this process exports or imports. */
struct share
{
    struct share *next;
    struct tl_range *range;
    struct whitelist *whitelist;
    char key[TL_KEY_LENGTH];
};

/* What a key says. */
struct origin
{
    unsigned process;
    unsigned fd;
    unsigned long long identity;
    unsigned long long length;
    unsigned device;
};

static struct share *shares;

static struct flock one_byte(const struct tl_range *range, short type, int byte)
{
    return (struct flock){.l_type = type, .l_whence = SEEK_SET, .l_start = (off_t)range->length + byte, .l_len = 1};
}

static bool lock_byte(const struct tl_range *range, short type, int byte)
{
    struct flock wanted = one_byte(range, type, byte);
    return fcntl(range->fd, F_OFD_SETLK, &wanted) == 0;
}

/* Whether another open file has a lock on the byte. */
static bool is_locked(const struct tl_range *range, int byte)
{
    struct flock wanted = one_byte(range, F_WRLCK, byte);
    return fcntl(range->fd, F_OFD_GETLK, &wanted) == 0 && wanted.l_type != F_UNLCK;
}

static struct share *share_of(const struct tl_range *range)
{
    struct share *share = shares;
    while (share != NULL && share->range != range)
    {
        share = share->next;
    }
    return share;
}

/* The context's import of that key, or this process's export. */
static struct share *find_share(const struct tl_context *context, const char *key)
{
    for (struct share *share = shares; share != NULL; share = share->next)
    {
        if (strcmp(share->key, key) == 0 &&
            (share->range->kind == TL_ALLOCATION || share->range->context == context))
        {
            return share;
        }
    }
    return NULL;
}

bool tl_is_exported(const struct tl_range *range)
{
    return share_of(range) != NULL;
}

unsigned tl_export_count(void)
{
    unsigned count = 0;
    for (const struct share *share = shares; share != NULL; share = share->next)
    {
        count += share->range->kind == TL_ALLOCATION;
    }
    return count;
}

aclError tl_import_state(const struct tl_range *range)
{
    return tl_peer_is_dead || !is_locked(range, EXPORTER) ? ACL_ERROR_RT_SUSPECT_REMOTE_ERROR : ACL_SUCCESS;
}

static struct share *add_share(struct tl_range *range, const char *key)
{
    struct share *share = malloc(sizeof *share);
    void *page = mmap(NULL, TL_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, range->fd, (off_t)range->length);
    if (share == NULL || page == MAP_FAILED)
    {
        tl_abort("no memory for a key");
    }
    *share = (struct share){.next = shares, .range = range, .whitelist = page};
    memcpy(share->key, key, TL_KEY_LENGTH);
    shares = share;
    return share;
}

static void remove_share(struct share *share)
{
    struct share **link = &shares;
    while (*link != share)
    {
        link = &(*link)->next;
    }
    *link = share->next;
    munmap(share->whitelist, TL_PAGE);
    free(share);
}

static aclError export_memory(const void *address, size_t size, char *key, uint64_t flags)
{
    struct tl_range *range = tl_range_at(TL_ALLOCATION, (uint64_t)(uintptr_t)address);
    if (range == NULL || size == 0 || size > range->length)
    {
        return tl_refuse(ACL_ERROR_RT_PARAM_INVALID, "%zu bytes at %p are no allocation from its start on", size,
            address);
    }
    if (range->base % TL_HUGE_PAGE != 0 || size % TL_HUGE_PAGE != 0)
    {
        return tl_refuse(ACL_ERROR_RT_PARAM_INVALID, "%zu bytes at %p are no whole pages of 2 MiB", size, address);
    }
    if (tl_is_exported(range))
    {
        return tl_refuse(ACL_ERROR_RT_PARAM_INVALID, "%p is exported already", address);
    }
    if (!lock_byte(range, F_WRLCK, EXPORTER))
    {
        tl_abort("the system does not lock memory files");
    }
    char text[TL_KEY_LENGTH];
    memset(text, '0', sizeof text);
    const int used = snprintf(text, sizeof text, "%08x%08x%016llx%016llx%02x", (unsigned)getpid(), (unsigned)range->fd,
        (unsigned long long)range->identity, (unsigned long long)range->length, (unsigned)range->device);
    text[used] = '0';
    text[TL_KEY_LENGTH - 1] = '\0';
    add_share(range, text)->whitelist->everybody = (flags & FLAG_NO_PID_CHECK) != 0;
    memcpy(key, text, TL_KEY_LENGTH);
    return ACL_SUCCESS;
}

TL_EXPORT aclError aclrtIpcMemGetExportKey(void *address, size_t size, char *key, size_t length, uint64_t flags)
{
    struct tl_context *context = NULL;
    aclError result = tl_enter("aclrtIpcMemGetExportKey", &context);
    if (result != ACL_SUCCESS)
    {
        return tl_leave(result);
    }
    if (key == NULL || length != TL_KEY_LENGTH || (flags & ~(uint64_t)FLAG_NO_PID_CHECK) != 0)
    {
        return tl_leave(tl_refuse(ACL_ERROR_RT_PARAM_INVALID, "a key has %d characters, not %zu; flags %llu",
            TL_KEY_LENGTH, length, (unsigned long long)flags));
    }
    return tl_leave(export_memory(address, size, key, flags));
}

TL_EXPORT aclError aclrtIpcMemSetImportPid(const char *key, int32_t *processes, size_t count)
{
    struct tl_context *context = NULL;
    aclError result = tl_enter("aclrtIpcMemSetImportPid", &context);
    if (result != ACL_SUCCESS)
    {
        return tl_leave(result);
    }
    struct share *share = key == NULL ? NULL : find_share(context, key);
    if (share == NULL || share->range->kind != TL_ALLOCATION || processes == NULL || count == 0)
    {
        return tl_leave(tl_refuse(ACL_ERROR_RT_PARAM_INVALID, "that key is not exported here, or there is no process"));
    }
    struct whitelist *list = share->whitelist;
    if (count > MOST_PROCESSES - list->count)
    {
        return tl_leave(tl_refuse(ACL_ERROR_RT_PARAM_INVALID, "more than %d processes", MOST_PROCESSES));
    }
    memcpy(list->processes + list->count, processes, count * sizeof *processes);
    __atomic_fetch_add(&list->count, (uint32_t)count, __ATOMIC_RELEASE);
    return tl_leave(ACL_SUCCESS);
}

static bool is_welcome(const struct whitelist *list)
{
    const uint32_t count = __atomic_load_n(&list->count, __ATOMIC_ACQUIRE);
    for (uint32_t i = 0; i < count && i < MOST_PROCESSES; i++)
    {
        if (list->processes[i] == tl_bare_process())
        {
            return true;
        }
    }
    return list->everybody != 0;
}

static bool read_key(const char *key, struct origin *origin)
{
    return key != NULL && strnlen(key, TL_KEY_LENGTH) == TL_KEY_LENGTH - 1 &&
        sscanf(key, "%8x%8x%16llx%16llx%2x", &origin->process, &origin->fd, &origin->identity, &origin->length,
            &origin->device) == 5 && origin->device < TL_MOST_DEVICES;
}

static void unmap(struct share *share)
{
    struct tl_range *range = share->range;
    remove_share(share);
    lock_byte(range, F_UNLCK, IMPORTERS);
    tl_range_remove(range);
}

static aclError import_memory(struct tl_context *context, void **address, const char *key, uint64_t flags)
{
    struct origin origin;
    if (!read_key(key, &origin))
    {
        return tl_refuse(ACL_ERROR_RT_PARAM_INVALID, "that is no key");
    }
    if ((pid_t)origin.process == getpid())
    {
        return tl_refuse(ACL_ERROR_RT_PARAM_INVALID, "this process exports that memory itself");
    }
    if (find_share(context, key) != NULL)
    {
        return tl_refuse(ACL_ERROR_RT_PARAM_INVALID, "device %d has imported that key already", context->device);
    }
    if ((int)origin.device != context->device && !tl_can_access_peer(context->device, (int)origin.device))
    {
        return tl_refuse(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "devices %d and %u do not reach each other", context->device,
            origin.device);
    }
    const int fd = tl_range_open_file(TL_FILE_PREFIX, (int)origin.process, (int)origin.fd, origin.identity);
    if (fd < 0)
    {
        return tl_refuse(ACL_ERROR_RT_PARAM_INVALID, "its exporter is gone, or has freed the memory");
    }
    struct tl_range *range =
        tl_range_map(TL_IMPORT, context, (int)origin.device, fd, (size_t)origin.length, 0);
    if (range == NULL)
    {
        close(fd);
        return tl_refuse(ACL_ERROR_RT_MEMORY_ALLOCATION, "no address space is left");
    }
    struct share *share = add_share(range, key);
    const bool is_open = is_locked(range, EXPORTER) && lock_byte(range, F_RDLCK, IMPORTERS);
    if (!is_open || !is_welcome(share->whitelist))
    {
        unmap(share);
        return is_open ?
            tl_refuse(ACL_ERROR_RT_NO_PERMISSION, "process %d is not in the whitelist", tl_bare_process()) :
            tl_refuse(ACL_ERROR_RT_PARAM_INVALID, "its exporter has closed that key");
    }
    range->for_all_contexts = (flags & FLAG_PEER_ACCESS) != 0;
    *address = (void *)(uintptr_t)range->base;
    return ACL_SUCCESS;
}

TL_EXPORT aclError aclrtIpcMemImportByKey(void **address, const char *key, uint64_t flags)
{
    struct tl_context *context = NULL;
    aclError result = tl_enter("aclrtIpcMemImportByKey", &context);
    if (result == ACL_SUCCESS)
    {
        result = address == NULL || (flags & ~(uint64_t)FLAG_PEER_ACCESS) != 0 ?
            tl_refuse(ACL_ERROR_RT_PARAM_INVALID, "flags %llu", (unsigned long long)flags) :
            import_memory(context, address, key, flags);
    }
    return tl_leave(result);
}

/* The exporter comes last. */
TL_EXPORT aclError aclrtIpcMemClose(const char *key)
{
    struct tl_context *context = NULL;
    aclError result = tl_enter_to_release("aclrtIpcMemClose", &context);
    if (result != ACL_SUCCESS)
    {
        return tl_leave(result);
    }
    struct share *share = key == NULL ? NULL : find_share(context, key);
    if (share == NULL)
    {
        return tl_leave(tl_refuse(ACL_ERROR_RT_PARAM_INVALID, "that key is not open here"));
    }
    if (share->range->kind == TL_IMPORT)
    {
        unmap(share);
        return tl_leave(ACL_SUCCESS);
    }
    if (is_locked(share->range, IMPORTERS))
    {
        return tl_leave(tl_refuse(ACL_ERROR_RT_PARAM_INVALID, "others still import that memory: they close it first"));
    }
    lock_byte(share->range, F_UNLCK, EXPORTER);
    remove_share(share);
    return tl_leave(ACL_SUCCESS);
}
