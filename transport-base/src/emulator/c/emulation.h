/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */

/*
 * What the emulators of devices' libraries share. One lock, tl_lock, guards all state but the contents of memory;
 * a thread that changes what another one may wait for broadcasts tl_changed.
 */

#ifndef TRANSLOAD_EMULATION_H
#define TRANSLOAD_EMULATION_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TL_EXPORT __attribute__((visibility("default")))

enum
{
    TL_PAGE = 4096
};

extern pthread_mutex_t tl_lock;
extern pthread_cond_t tl_changed;

/* ---- what an emulator says of itself ---- */

struct tl_fault_word
{
    const char *word;
    int action;
};

/* Such as "CUDA emulator", before each line that it says. */
extern const char tl_emulator_name[];
/* What the names of its settings in the environment begin with. */
extern const char tl_settings_prefix[];
/* What the names of the library's functions begin with. */
extern const char tl_function_prefix[];
/* The names that count tasks; the last one is NULL. */
extern const char *const tl_task_names[];
/* What a task may end with besides a code; the last one's word is NULL. Actions are negative. */
extern const struct tl_fault_word tl_task_words[];
/* What a function may do besides returning a code, whatever its count; the last one's word is NULL. */
extern const struct tl_fault_word tl_function_words[];
/* Faults as they may be set, for who set others. */
extern const char tl_fault_example[];

/* ---- speech.c ---- */

/* Ends the process: for misuse that a real library would crash on, or that the emulator was not built for. */
__attribute__((noreturn, format(printf, 1, 2))) void tl_abort(const char *format, ...);
/* One line on stderr. */
__attribute__((format(printf, 1, 2))) void tl_say(const char *format, ...);
/* A setting from the environment, NULL if it is not set; its name without the prefix. */
const char *tl_setting_text(const char *name);
/* The same as a whole number, or the default. Aborts if it is not one within the bounds. */
uint64_t tl_setting(const char *name, uint64_t otherwise, uint64_t least, uint64_t most);
/* Pairs of numbers below `most`, as in "0-1,0-2", each told to the visitor. Aborts if it is something else. */
void tl_setting_pairs(const char *name, int most, void (*visitor)(int one, int other));

/* ---- threads.c ---- */

void tl_wait_for_change(void);
/* Starts a detached thread that takes no signals of the program. */
bool tl_thread_start(void *(*work)(void *), void *argument);
/* The seed of the n-th source of delays, by the setting SEED; with the lock. */
uint64_t tl_random_seed(uint64_t number);
/* Sleeps up to so many µs, without the lock. */
void tl_delay(uint64_t *random, uint64_t most_us);

/* ---- handles.c: handles that stay distinct from those of destroyed objects ---- */

/* Kinds are the emulator's own, from 1 on. */
void *tl_handle_create(int kind, void *object);
/* The live object, or NULL. */
void *tl_handle_find(int kind, const void *handle);
void tl_handle_destroy(const void *handle);
/* Visits all objects of a kind; the visitor may destroy the one it is given. */
void tl_handle_each(int kind, void (*visitor)(void *handle, void *object, void *cookie), void *cookie);

/* ---- faults.c: faults by order ---- */

/* Counts an occurrence; 0, or what must happen at it: a code, or a negative action. */
int tl_fault(const char *name);
/* Which plan of faults is in force: how often tests have set one. What hangs by one plan may go on by the next. */
unsigned tl_fault_plan(void);
/* Visits the names of functions that have an action instead of a count. */
void tl_fault_each_function(int action, void (*visitor)(const char *name));

/* ---- ranges.c: address ranges of devices and of host memory ---- */

enum tl_range_kind
{
    TL_ALLOCATION,
    TL_IMPORT,
    TL_PINNED,
    TL_REGISTERED,
    /* Addresses without memory. */
    TL_RESERVED,
    /* Physical memory that is mapped into a reservation. */
    TL_MAPPED
};

struct tl_context;
struct tl_physical;

struct tl_range
{
    struct tl_range *next;
    enum tl_range_kind kind;
    struct tl_context *context;
    int device;
    uint64_t base;
    uint64_t length;
    uint64_t delta;
    bool for_all_contexts;
    bool for_kernels;
    /* What the library was asked for: the emulator's own. */
    unsigned flags;
    unsigned pins;
    bool removed;
    void *mapping;
    size_t mapping_bytes;
    int fd;
    uint64_t identity;
    unsigned opened;
    /* Of a mapping: what is mapped, and a bit for each device that may touch it here. */
    struct tl_physical *physical;
    uint64_t access;
};

void tl_ranges_initialise(void);
/* The live range that holds all of [address, address + length), or NULL. */
struct tl_range *tl_range_find(uint64_t address, uint64_t length);
/* The live range of that kind that begins there, or NULL. */
struct tl_range *tl_range_at(enum tl_range_kind kind, uint64_t address);
struct tl_range *tl_range_first(void);
/*
 * A new file of memory that is freed with its last user, or -1. Its name has the prefix and the identity, which is made
 * here.
 */
int tl_range_file(const char *prefix, size_t bytes, uint64_t *identity);
/* The same file in another process, by the number it has there; -1 if that process or the file is gone. */
int tl_range_open_file(const char *prefix, int process, int fd, uint64_t identity);
/* A new range over the shared file `fd` in the devices' address space, or NULL. The range owns the file. */
struct tl_range *tl_range_map(enum tl_range_kind kind, struct tl_context *context, int device, int fd, size_t length,
    size_t offset);
/* A new range of host memory. */
struct tl_range *tl_range_host(enum tl_range_kind kind, struct tl_context *context, int device, void *address,
    size_t length);
/* Addresses of devices that nothing else is given, or NULL. */
struct tl_range *tl_range_reserve(size_t length);
/* The file, at an address of a reservation, or NULL. The file stays the caller's. */
struct tl_range *tl_range_mapped(uint64_t address, int fd, size_t length, int device);
/* Takes the range away; its memory goes when no running task holds it any more. */
void tl_range_remove(struct tl_range *range);
/* The same, and waits until no task touches the memory. */
void tl_range_remove_unused(struct tl_range *range);
void tl_range_unpin(struct tl_range *range);
bool tl_in_device_space(uint64_t address);
/* Fills what a program must not rely on; large memory is filled at its two ends. */
void tl_fill_garbage(void *memory, size_t length);

#endif
