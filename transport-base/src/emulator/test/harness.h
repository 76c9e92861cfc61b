/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */

/*
 * An emulator's rules as test cases. Each case runs in a process of its own, since errors stick to one. The library
 * under test is opened by path, so that the cases that do not name the emulator run against a real library too.
 */

#ifndef TRANSLOAD_EMULATOR_HARNESS_H
#define TRANSLOAD_EMULATOR_HARNESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

enum
{
    /* A case whose process the emulator aborts, or the system for looking into a device address. */
    ABORTS = 6,
    FAULTS = 11
};

struct rule
{
    const char *name;
    void (*run)(void);
    /* Settings as in "NAME=value NAME=value", their names without the prefix; or NULL. */
    const char *settings;
    /* Holds for real libraries with this many devices; 0: the emulator's only. */
    int real_devices;
    int signal;
};

/* ---- what the library's own cases bring along ---- */

/* What the names of the emulator's settings begin with. */
extern const char settings_prefix[];
/* All groups of cases, each with a rule without a name at its end; the last group is NULL. */
extern const struct rule *const all_rules[];
/* Finds the library's functions, by load_function. */
void load_library(void *library);
int count_devices(void);
/* Of a helper's process; its exit status. */
int run_role(const char *role, const char *argument);

/* ---- harness.c ---- */

extern const char *library_path;
/* Of emulators only: new faults in place of the old ones; 0, or 1 if the text is wrong. */
extern int (*tl_emulator_set_faults)(const char *text);

/* Stores the function at the target; ends the process if there is none. */
void load_function(void *library, const char *name, void *target);

/* Ends the case if the call's result is another one. */
#define EXPECT(code, call) expect((code), (call), #call, __FILE__, __LINE__)
/* Ends the case unless the condition holds. */
#define HOLDS(condition) holds((condition), #condition, __FILE__, __LINE__)

void expect(int expected, int seen, const char *call, const char *file, int line);
void holds(bool condition, const char *text, const char *file, int line);

/* Runs a role of this program in another process; what it is told and says goes through two pipes. */
struct helper
{
    int process;
    FILE *to;
    FILE *from;
};

struct helper helper_start(const char *role, const char *argument);
/* Waits for its end; its exit status, or 128 + signal. */
int helper_end(struct helper *helper);
/* One line without its end; ends the case if there is none. */
void read_line(FILE *from, char *line, size_t length);

#endif
