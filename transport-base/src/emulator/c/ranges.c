/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */

/*
 * Address ranges. Device memory is a shared file for each allocation. The address handed out lies in a reserved space
 * where nothing is mapped, so that a CPU that looks into it gets SIGSEGV; the emulator's own view of the file is
 * SPACE_BYTES further on. A freed address is handed out again soon, as by real libraries.
 */

#define _GNU_SOURCE

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <unistd.h>

#include "emulation.h"

static const uint64_t SPACE_BYTES = 256ull << 30;
static const size_t LARGE_PAGE = 2u << 20;
static const size_t GARBAGE_BYTES = 32u << 20;

enum
{
    GARBAGE = 0xA5,
    MOST_FILE_NAME = 64
};

static uint64_t space;
static struct tl_range *ranges;

void tl_ranges_initialise(void)
{
    void *address = mmap(NULL, 2 * SPACE_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (address == MAP_FAILED)
    {
        tl_abort("cannot reserve %llu bytes of address space", (unsigned long long)(2 * SPACE_BYTES));
    }
    space = ((uint64_t)(uintptr_t)address + LARGE_PAGE - 1) / LARGE_PAGE * LARGE_PAGE;
}

bool tl_in_device_space(uint64_t address)
{
    return address - space < SPACE_BYTES;
}

struct tl_range *tl_range_first(void)
{
    return ranges;
}

struct tl_range *tl_range_find(uint64_t address, uint64_t length)
{
    for (struct tl_range *range = ranges; range != NULL; range = range->next)
    {
        const uint64_t offset = address - range->base;
        if (!range->removed && range->kind != TL_RESERVED && offset < range->length && length <= range->length - offset)
        {
            return range;
        }
    }
    return NULL;
}

struct tl_range *tl_range_at(enum tl_range_kind kind, uint64_t address)
{
    struct tl_range *range = tl_range_find(address, 0);
    return range != NULL && range->kind == kind && range->base == address ? range : NULL;
}

/* The lowest place that is free, with an unmapped page behind it; 0 if there is none. */
static uint64_t place_for(size_t bytes)
{
    const size_t step = bytes >= LARGE_PAGE ? LARGE_PAGE : TL_PAGE;
    uint64_t place = space;
    bool moved = true;
    while (moved)
    {
        moved = false;
        for (const struct tl_range *range = ranges; range != NULL; range = range->next)
        {
            const uint64_t from = (uint64_t)(uintptr_t)range->mapping - SPACE_BYTES;
            if (range->mapping != NULL && tl_in_device_space(from) && place < from + range->mapping_bytes + TL_PAGE &&
                from < place + bytes + TL_PAGE)
            {
                place = (from + range->mapping_bytes + TL_PAGE + step - 1) / step * step;
                moved = true;
            }
        }
    }
    return place + bytes + LARGE_PAGE < space + SPACE_BYTES ? place : 0;
}

static struct tl_range *add_range(const struct tl_range *range)
{
    struct tl_range *added = malloc(sizeof *added);
    if (added != NULL)
    {
        *added = *range;
        added->next = ranges;
        ranges = added;
    }
    return added;
}

static void name_file(char *name, const char *prefix, uint64_t identity)
{
    snprintf(name, MOST_FILE_NAME, "%s-%016llx", prefix, (unsigned long long)identity);
}

int tl_range_file(const char *prefix, size_t bytes, uint64_t *identity)
{
    char name[MOST_FILE_NAME];
    if (getrandom(identity, sizeof *identity, 0) != sizeof *identity)
    {
        tl_abort("the system gives no random bytes");
    }
    name_file(name, prefix, *identity);
    const int fd = memfd_create(name, MFD_CLOEXEC);
    if (fd >= 0 && ftruncate(fd, (off_t)bytes) != 0)
    {
        close(fd);
        return -1;
    }
    return fd;
}

int tl_range_open_file(const char *prefix, int process, int fd, uint64_t identity)
{
    char name[MOST_FILE_NAME];
    char path[64];
    char expected[MOST_FILE_NAME + 24];
    char target[MOST_FILE_NAME + 24];
    name_file(name, prefix, identity);
    snprintf(path, sizeof path, "/proc/%d/fd/%d", process, fd);
    snprintf(expected, sizeof expected, "/memfd:%s (deleted)", name);
    const int opened = open(path, O_RDWR | O_CLOEXEC);
    if (opened < 0)
    {
        return -1;
    }
    /* Asked of our own file: the exporter's number could be another's by now. */
    snprintf(path, sizeof path, "/proc/self/fd/%d", opened);
    const ssize_t length = readlink(path, target, sizeof target - 1);
    if (length < 0 || (size_t)length != strlen(expected) || memcmp(target, expected, (size_t)length) != 0)
    {
        close(opened);
        return -1;
    }
    return opened;
}

struct tl_range *tl_range_map(enum tl_range_kind kind, struct tl_context *context, int device, int fd, size_t length,
    size_t offset)
{
    const size_t bytes = (offset + length + TL_PAGE - 1) / TL_PAGE * TL_PAGE;
    const uint64_t place = place_for(bytes);
    if (place == 0)
    {
        return NULL;
    }
    void *view = (void *)(uintptr_t)(place + SPACE_BYTES);
    if (mmap(view, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0) == MAP_FAILED)
    {
        return NULL;
    }
    const struct tl_range range = {
        .kind = kind,
        .context = context,
        .device = device,
        .base = place + offset,
        .length = length,
        .delta = SPACE_BYTES,
        .for_kernels = true,
        .mapping = view,
        .mapping_bytes = bytes,
        .fd = fd,
    };
    return add_range(&range);
}

struct tl_range *tl_range_reserve(size_t length)
{
    const uint64_t place = place_for(length);
    const struct tl_range range = {
        .kind = TL_RESERVED,
        .base = place,
        .length = length,
        .mapping = (void *)(uintptr_t)(place + SPACE_BYTES),
        .mapping_bytes = length,
        .fd = -1,
    };
    return place == 0 ? NULL : add_range(&range);
}

struct tl_range *tl_range_mapped(uint64_t address, int fd, size_t length, int device)
{
    void *view = (void *)(uintptr_t)(address + SPACE_BYTES);
    if (mmap(view, length, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0) == MAP_FAILED)
    {
        return NULL;
    }
    const struct tl_range range = {
        .kind = TL_MAPPED,
        .device = device,
        .base = address,
        .length = length,
        .delta = SPACE_BYTES,
        .for_kernels = true,
        .mapping = view,
        .mapping_bytes = length,
        .fd = -1,
    };
    return add_range(&range);
}

struct tl_range *tl_range_host(enum tl_range_kind kind, struct tl_context *context, int device, void *address,
    size_t length)
{
    const struct tl_range range = {
        .kind = kind,
        .context = context,
        .device = device,
        .base = (uint64_t)(uintptr_t)address,
        .length = length,
        .mapping = kind == TL_PINNED ? address : NULL,
        .mapping_bytes = kind == TL_PINNED ? length : 0,
        .fd = -1,
    };
    return add_range(&range);
}

static void destroy(struct tl_range *range)
{
    struct tl_range **link = &ranges;
    while (*link != range)
    {
        link = &(*link)->next;
    }
    *link = range->next;
    if (range->kind == TL_PINNED)
    {
        munmap(range->mapping, range->mapping_bytes);
    }
    else if (range->mapping != NULL)
    {
        mmap(range->mapping, range->mapping_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED,
            -1, 0);
    }
    if (range->fd >= 0)
    {
        close(range->fd);
    }
    free(range);
}

void tl_range_remove(struct tl_range *range)
{
    range->removed = true;
    if (range->pins == 0)
    {
        destroy(range);
    }
}

void tl_range_remove_unused(struct tl_range *range)
{
    range->pins++;
    tl_range_remove(range);
    while (range->pins > 1)
    {
        tl_wait_for_change();
    }
    tl_range_unpin(range);
}

void tl_range_unpin(struct tl_range *range)
{
    range->pins--;
    if (range->pins == 0 && range->removed)
    {
        destroy(range);
    }
    pthread_cond_broadcast(&tl_changed);
}

void tl_fill_garbage(void *memory, size_t length)
{
    if (length <= 2 * GARBAGE_BYTES)
    {
        memset(memory, GARBAGE, length);
        return;
    }
    memset(memory, GARBAGE, GARBAGE_BYTES);
    memset((char *)memory + length - GARBAGE_BYTES, GARBAGE, GARBAGE_BYTES);
}
