/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */

/*
 * rules LIBRARY: runs all cases that the library's kind allows, each in a process of its own, and says which failed.
 * rules LIBRARY CASE runs one in this process; rules LIBRARY @ROLE ARGUMENT is a helper of a case.
 */

#define _GNU_SOURCE

#include <dlfcn.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "rules.h"

enum
{
    /* A case that hangs is killed; none needs more than a second or so. */
    DEADLINE_S = 120
};

#define DEFINE(name, arguments) CUresult (*name) arguments;
DRIVER_FUNCTIONS(DEFINE)
#undef DEFINE

int (*tl_emulator_set_faults)(const char *text);
const char *library_path;

static const struct
{
    const char *name;
    void *function;
} functions[] = {
#define ENTRY(name, arguments) {#name, &name},
    DRIVER_FUNCTIONS(ENTRY)
#undef ENTRY
};

static const struct rule *const all_rules[] = {
    device_rules, memory_rules, host_rules, stream_rules, module_rules, error_rules, ipc_rules,
    virtual_rules
};

static void load(void)
{
    void *library = dlopen(library_path, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL)
    {
        fprintf(stderr, "%s\n", dlerror());
        exit(2);
    }
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++)
    {
        void *function = dlsym(library, functions[i].name);
        if (function == NULL)
        {
            fprintf(stderr, "%s has no %s\n", library_path, functions[i].name);
            exit(2);
        }
        memcpy(functions[i].function, &function, sizeof function);
    }
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
        snprintf(name, sizeof name, "TRANSLOAD_CUDA_EMULATOR_%s", setting);
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

/* The devices of a real driver; -1: this is the emulator. Asked in a process of its own, which forked cases demand. */
static int count_real_devices(void)
{
    int devices = 0;
    load();
    if (tl_emulator_set_faults != NULL)
    {
        return -1;
    }
    const pid_t process = fork();
    if (process == 0)
    {
        _exit(cuInit(0) == CUDA_SUCCESS && cuDeviceGetCount(&devices) == CUDA_SUCCESS ? devices : 0);
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
    for (size_t group = 0; group < sizeof all_rules / sizeof all_rules[0]; group++)
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
    printf("%d cases run, %d failed, %d not for this driver\n", run, failed, left_out);
    return failed == 0 && run > 0 ? 0 : 1;
}

static int run_one(const char *name)
{
    for (size_t group = 0; group < sizeof all_rules / sizeof all_rules[0]; group++)
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
        return run_ipc_role(arguments[2], count > 3 ? arguments[3] : "");
    }
    return run_one(arguments[2]);
}
