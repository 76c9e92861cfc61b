/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */

/*
 * rules LIBRARY: runs all cases that the library's kind allows, each in a process of its own, and says which failed.
 * rules LIBRARY CASE runs one in this process; rules LIBRARY @ROLE ARGUMENT is a helper of a case.
 */

#define _GNU_SOURCE

#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness.h"

enum
{
    /* A case that hangs is killed; none needs more than a second or so. */
    DEADLINE_S = 120
};

int (*tl_emulator_set_faults)(const char *text);
const char *library_path;

void load_function(void *library, const char *name, void *target)
{
    void *function = dlsym(library, name);
    if (function == NULL)
    {
        fprintf(stderr, "%s has no %s\n", library_path, name);
        exit(2);
    }
    memcpy(target, &function, sizeof function);
}

static void load(void)
{
    void *library = dlopen(library_path, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL)
    {
        fprintf(stderr, "%s\n", dlerror());
        exit(2);
    }
    load_library(library);
    void *set_faults = dlsym(library, "tl_emulator_set_faults");
    memcpy(&tl_emulator_set_faults, &set_faults, sizeof set_faults);
}

static void apply(const char *settings)
{
    char text[256];
    char *rest = NULL;
    snprintf(text, sizeof text, "%s", settings == NULL ? "" : settings);
    for (char *setting = strtok_r(text, " ", &rest); setting != NULL; setting = strtok_r(NULL, " ", &rest))
    {
        char name[128];
        char *value = strchr(setting, '=');
        *value = '\0';
        snprintf(name, sizeof name, "%s%s", settings_prefix, setting);
        setenv(name, value + 1, 1);
    }
}

/* Whether the case ends as it should. */
static bool run_apart(const struct rule *rule)
{
    const pid_t process = fork();
    if (process == 0)
    {
        apply(rule->settings);
        alarm(DEADLINE_S);
        execl("/proc/self/exe", "rules", library_path, rule->name, (char *)NULL);
        _exit(127);
    }
    int status = 0;
    if (process < 0 || waitpid(process, &status, 0) != process)
    {
        return false;
    }
    if (rule->signal != 0)
    {
        return WIFSIGNALED(status) && WTERMSIG(status) == rule->signal;
    }
    if (WIFSIGNALED(status))
    {
        fprintf(stderr, "%s: killed by signal %d\n", rule->name, WTERMSIG(status));
    }
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* The devices of a real library; -1: this is the emulator. Asked in a process of its own, which forked cases demand. */
static int count_real_devices(void)
{
    load();
    if (tl_emulator_set_faults != NULL)
    {
        return -1;
    }
    const pid_t process = fork();
    if (process == 0)
    {
        _exit(count_devices());
    }
    int status = 0;
    return waitpid(process, &status, 0) == process && WIFEXITED(status) ? WEXITSTATUS(status) : 0;
}

static int run_all(void)
{
    int failed = 0;
    int run = 0;
    int left_out = 0;
    const int devices = count_real_devices();
    for (size_t group = 0; all_rules[group] != NULL; group++)
    {
        for (const struct rule *rule = all_rules[group]; rule->name != NULL; rule++)
        {
            if (devices >= 0 && (rule->real_devices == 0 || rule->real_devices > devices))
            {
                left_out++;
                continue;
            }
            run++;
            if (!run_apart(rule))
            {
                failed++;
                printf("FAILED %s\n", rule->name);
            }
        }
    }
    printf("%d cases run, %d failed, %d not for this library\n", run, failed, left_out);
    return failed == 0 && run > 0 ? 0 : 1;
}

static int run_one(const char *name)
{
    for (size_t group = 0; all_rules[group] != NULL; group++)
    {
        for (const struct rule *rule = all_rules[group]; rule->name != NULL; rule++)
        {
            if (strcmp(rule->name, name) == 0)
            {
                load();
                rule->run();
                return 0;
            }
        }
    }
    fprintf(stderr, "there is no case %s\n", name);
    return 2;
}

void expect(int expected, int seen, const char *call, const char *file, int line)
{
    if (expected != seen)
    {
        fprintf(stderr, "%s:%d: %s returned %d, not %d\n", file, line, call, seen, expected);
        exit(1);
    }
}

void holds(bool condition, const char *text, const char *file, int line)
{
    if (!condition)
    {
        fprintf(stderr, "%s:%d: it does not hold that %s\n", file, line, text);
        exit(1);
    }
}

struct helper helper_start(const char *role, const char *argument)
{
    int down[2];
    int up[2];
    HOLDS(pipe2(down, O_CLOEXEC) == 0 && pipe2(up, O_CLOEXEC) == 0);
    const int process = fork();
    HOLDS(process >= 0);
    if (process == 0)
    {
        dup2(down[0], STDIN_FILENO);
        dup2(up[1], STDOUT_FILENO);
        execl("/proc/self/exe", "rules", library_path, role, argument, (char *)NULL);
        _exit(127);
    }
    close(down[0]);
    close(up[1]);
    return (struct helper){process, fdopen(down[1], "w"), fdopen(up[0], "r")};
}

int helper_end(struct helper *helper)
{
    int status = 0;
    fclose(helper->to);
    fclose(helper->from);
    HOLDS(waitpid(helper->process, &status, 0) == helper->process);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

void read_line(FILE *from, char *line, size_t length)
{
    HOLDS(fgets(line, (int)length, from) != NULL);
    line[strcspn(line, "\n")] = '\0';
}

int main(int count, char **arguments)
{
    if (count < 2)
    {
        fprintf(stderr, "usage: rules LIBRARY [CASE]\n");
        return 2;
    }
    library_path = arguments[1];
    if (count == 2)
    {
        return run_all();
    }
    if (arguments[2][0] == '@')
    {
        load();
        alarm(DEADLINE_S);
        return run_role(arguments[2], count > 3 ? arguments[3] : "");
    }
    return run_one(arguments[2]);
}
