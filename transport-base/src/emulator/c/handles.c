/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */

/*
 * Handles of streams, events and the like. A handle is no address: it holds the index of a slot and that
 * slot's generation, so that one of a destroyed object is known as such and not looked into.
 */

#include <stdlib.h>

#include "emulation.h"

enum
{
    INDEX_BITS = 20,
    MOST_HANDLES = 1 << INDEX_BITS
};

struct slot
{
    void *object;
    int kind;
    uint32_t generation;
};

static struct slot *slots;
static size_t slot_count;
static size_t first_free;

/* No handle is a small number: a library may have those for default streams. */
static void *handle_of(size_t index)
{
    return (void *)(uintptr_t)((uint64_t)slots[index].generation << (INDEX_BITS + 4) | (uint64_t)(index + 1) << 4);
}

static size_t index_of(const void *handle)
{
    return (size_t)(((uintptr_t)handle >> 4) % MOST_HANDLES) - 1;
}

void *tl_handle_create(int kind, void *object)
{
    size_t index = first_free;
    while (index < slot_count && slots[index].object != NULL)
    {
        index++;
    }
    if (index == slot_count)
    {
        const size_t wanted = slot_count == 0 ? 64 : 2 * slot_count;
        struct slot *grown = wanted < MOST_HANDLES ? realloc(slots, wanted * sizeof *slots) : NULL;
        if (grown == NULL)
        {
            tl_abort("more than %zu objects with handles are alive", slot_count);
        }
        for (size_t i = slot_count; i < wanted; i++)
        {
            grown[i] = (struct slot){NULL, kind, 0};
        }
        slots = grown;
        slot_count = wanted;
    }
    first_free = index + 1;
    slots[index].object = object;
    slots[index].kind = kind;
    slots[index].generation++;
    return handle_of(index);
}

void *tl_handle_find(int kind, const void *handle)
{
    const size_t index = index_of(handle);
    if (index >= slot_count || slots[index].object == NULL || slots[index].kind != kind || handle_of(index) != handle)
    {
        return NULL;
    }
    return slots[index].object;
}

void tl_handle_destroy(const void *handle)
{
    const size_t index = index_of(handle);
    slots[index].object = NULL;
    if (index < first_free)
    {
        first_free = index;
    }
}

void tl_handle_each(int kind, void (*visitor)(void *handle, void *object, void *cookie), void *cookie)
{
    for (size_t index = 0; index < slot_count; index++)
    {
        if (slots[index].object != NULL && slots[index].kind == kind)
        {
            visitor(handle_of(index), slots[index].object, cookie);
        }
    }
}
