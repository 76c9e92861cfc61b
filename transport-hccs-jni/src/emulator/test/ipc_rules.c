/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */

/* Device memory between processes: the cases, and the roles of their helpers. */

#define _GNU_SOURCE

#include <signal.h>
#include <string.h>

#include "rules.h"

enum
{
    NO_PID_CHECK = 1,
    PEER_ACCESS = 1,
    LINE = 128
};

static void export_to(void *memory, char *key, uint64_t flags)
{
    OK(aclrtIpcMemGetExportKey(memory, TL_HUGE_PAGE, key, TL_KEY_LENGTH, flags));
    HOLDS(strlen(key) == TL_KEY_LENGTH - 1);
}

/* Exports to all, or to whose numbers it is told line by line; an empty line lets it close the key, and say how. */
static int run_exporter(bool to_all)
{
    char line[LINE];
    char key[TL_KEY_LENGTH];
    use_device(0);
    aclrtStream stream = stream_of(ACL_STOP_ON_FAILURE);
    void *memory = huge_memory();
    store(memory, 100, stream);
    export_to(memory, key, to_all ? NO_PID_CHECK : 0);
    printf("%s\n", key);
    fflush(stdout);
    while (fgets(line, sizeof line, stdin) != NULL)
    {
        int32_t process = atoi(line);
        if (process == 0)
        {
            printf("%d %llu\n", aclrtIpcMemClose(key), (unsigned long long)load(memory));
        }
        else
        {
            OK(aclrtIpcMemSetImportPid(key, &process, 1));
            printf("listed\n");
        }
        fflush(stdout);
    }
    return 0;
}

/* Imports, and keeps what it imported until it is killed. */
static int run_importer(const char *key)
{
    void *memory = NULL;
    use_device(0);
    OK(aclrtIpcMemImportByKey(&memory, key, 0));
    printf("imported\n");
    fflush(stdout);
    return getchar() == EOF ? 0 : 1;
}

int run_role(const char *role, const char *argument)
{
    if (strcmp(role, "@leak") == 0)
    {
        use_device(0);
        HOLDS(device_memory(64) != NULL);
        return atoi(argument);
    }
    return strcmp(role, "@import") == 0 ? run_importer(argument) : run_exporter(strcmp(role, "@export_to_all") == 0);
}

static struct helper start(const char *role, char *key)
{
    char line[LINE];
    struct helper helper = helper_start(role, "");
    read_line(helper.from, line, sizeof line);
    HOLDS(strlen(line) == TL_KEY_LENGTH - 1);
    memcpy(key, line, TL_KEY_LENGTH);
    return helper;
}

static void say(struct helper *helper, const char *text, char *answer)
{
    fprintf(helper->to, "%s\n", text);
    fflush(helper->to);
    read_line(helper->from, answer, LINE);
}

/* Puts this process on the exporter's list. */
static void be_listed(struct helper *helper)
{
    char number[16];
    char answer[LINE];
    int32_t process = 0;
    OK(aclrtDeviceGetBareTgid(&process));
    snprintf(number, sizeof number, "%d", process);
    say(helper, number, answer);
    HOLDS(strcmp(answer, "listed") == 0);
}

static void share_from(int device, uint64_t flags)
{
    char key[TL_KEY_LENGTH];
    char answer[LINE];
    void *memory = NULL;
    use_device(device);
    struct helper helper = start("@export", key);
    be_listed(&helper);
    OK(aclrtIpcMemImportByKey(&memory, key, flags));
    HOLDS(load(memory) == 100);
    store(memory, 101, stream_of(ACL_STOP_ON_FAILURE));
    OK(aclrtIpcMemClose(key));
    say(&helper, "", answer);
    HOLDS(strcmp(answer, "0 101") == 0);
    HOLDS(helper_end(&helper) == 0);
}

static void processes_share_memory(void)
{
    share_from(0, 0);
}

static void processes_share_memory_across_devices(void)
{
    share_from(1, PEER_ACCESS);
}

static void only_who_is_listed_imports(void)
{
    char key[TL_KEY_LENGTH];
    char answer[LINE];
    void *memory = NULL;
    use_device(0);
    struct helper helper = start("@export", key);
    EXPECT(ACL_ERROR_RT_NO_PERMISSION, aclrtIpcMemImportByKey(&memory, key, 0));
    /* The number that the system gives is not the one that counts. */
    say(&helper, "1", answer);
    EXPECT(ACL_ERROR_RT_NO_PERMISSION, aclrtIpcMemImportByKey(&memory, key, 0));
    be_listed(&helper);
    OK(aclrtIpcMemImportByKey(&memory, key, 0));
    OK(aclrtIpcMemClose(key));
    HOLDS(helper_end(&helper) == 0);
}

static void a_list_may_be_waived(void)
{
    char key[TL_KEY_LENGTH];
    void *memory = NULL;
    use_device(0);
    struct helper helper = start("@export_to_all", key);
    OK(aclrtIpcMemImportByKey(&memory, key, 0));
    OK(aclrtIpcMemClose(key));
    HOLDS(helper_end(&helper) == 0);
}

static void importers_close_before_the_exporter(void)
{
    char key[TL_KEY_LENGTH];
    char answer[LINE];
    void *memory = NULL;
    use_device(0);
    struct helper helper = start("@export_to_all", key);
    OK(aclrtIpcMemImportByKey(&memory, key, 0));
    say(&helper, "", answer);
    HOLDS(strcmp(answer, "107000 100") == 0);
    HOLDS(load(memory) == 100);
    OK(aclrtIpcMemClose(key));
    EXPECT(ACL_ERROR_RT_PARAM_INVALID, aclrtIpcMemClose(key));
    EXPECT(ACL_ERROR_RT_PARAM_INVALID, aclrtMemsetAsync(memory, 8, 0, 8, stream_of(ACL_STOP_ON_FAILURE)));
    HOLDS(helper_end(&helper) == 0);
}

static void a_dead_exporters_memory_is_suspect(void)
{
    char key[TL_KEY_LENGTH];
    void *memory = NULL;
    void *again = NULL;
    use_device(0);
    struct helper helper = start("@export_to_all", key);
    OK(aclrtIpcMemImportByKey(&memory, key, 0));
    HOLDS(kill(helper.process, SIGKILL) == 0);
    HOLDS(helper_end(&helper) == 128 + SIGKILL);
    aclrtStream stream = stream_of(ACL_STOP_ON_FAILURE);
    OK(aclrtMemsetAsync(memory, 8, 0, 8, stream));
    EXPECT(ACL_ERROR_RT_SUSPECT_REMOTE_ERROR, aclrtSynchronizeStreamWithTimeout(stream, LONG_MS));
    EXPECT(ACL_ERROR_RT_PARAM_INVALID, aclrtIpcMemImportByKey(&again, key, 0));
    OK(aclrtIpcMemClose(key));
    EXPECT(ACL_ERROR_RT_PARAM_INVALID, aclrtIpcMemImportByKey(&again, key, 0));
}

static void an_exporter_may_be_said_to_be_dead(void)
{
    char key[TL_KEY_LENGTH];
    void *memory = NULL;
    use_device(0);
    struct helper helper = start("@export_to_all", key);
    OK(aclrtIpcMemImportByKey(&memory, key, 0));
    aclrtStream stream = stream_of(ACL_STOP_ON_FAILURE);
    OK(aclrtMemsetAsync(memory, 8, 0, 8, stream));
    EXPECT(ACL_ERROR_RT_SUSPECT_REMOTE_ERROR, aclrtSynchronizeStreamWithTimeout(stream, LONG_MS));
    HOLDS(helper_end(&helper) == 0);
}

static void a_dead_importer_does_not_hold_memory(void)
{
    char key[TL_KEY_LENGTH];
    use_device(0);
    void *memory = huge_memory();
    export_to(memory, key, NO_PID_CHECK);
    struct helper helper = helper_start("@import", key);
    char line[LINE];
    read_line(helper.from, line, sizeof line);
    HOLDS(strcmp(line, "imported") == 0);
    EXPECT(ACL_ERROR_RT_PARAM_INVALID, aclrtIpcMemClose(key));
    HOLDS(kill(helper.process, SIGKILL) == 0);
    HOLDS(helper_end(&helper) == 128 + SIGKILL);
    OK(aclrtIpcMemClose(key));
    OK(aclrtFree(memory));
}

static void a_key_has_65_characters(void)
{
    char key[TL_KEY_LENGTH + 1];
    use_device(0);
    void *memory = huge_memory();
    EXPECT(ACL_ERROR_RT_PARAM_INVALID, aclrtIpcMemGetExportKey(memory, TL_HUGE_PAGE, key, TL_KEY_LENGTH - 1, 0));
    EXPECT(ACL_ERROR_RT_PARAM_INVALID, aclrtIpcMemGetExportKey(memory, TL_HUGE_PAGE, key, TL_KEY_LENGTH + 1, 0));
    EXPECT(ACL_ERROR_RT_PARAM_INVALID, aclrtIpcMemGetExportKey(memory, TL_HUGE_PAGE, key, TL_KEY_LENGTH, 2));
}

static void whole_huge_pages_are_exported(void)
{
    char key[TL_KEY_LENGTH];
    use_device(0);
    char *memory = huge_memory();
    char *odd = device_memory(4u << 20);
    EXPECT(ACL_ERROR_RT_PARAM_INVALID, aclrtIpcMemGetExportKey(odd, TL_HUGE_PAGE, key, TL_KEY_LENGTH, 0));
    EXPECT(ACL_ERROR_RT_PARAM_INVALID, aclrtIpcMemGetExportKey(memory, 4096, key, TL_KEY_LENGTH, 0));
    EXPECT(ACL_ERROR_RT_PARAM_INVALID, aclrtIpcMemGetExportKey(memory + 4096, 4096, key, TL_KEY_LENGTH, 0));
    EXPECT(ACL_ERROR_RT_PARAM_INVALID, aclrtIpcMemGetExportKey(memory, 4u << 20, key, TL_KEY_LENGTH, 0));
    export_to(memory, key, 0);
    EXPECT(ACL_ERROR_RT_PARAM_INVALID, aclrtIpcMemGetExportKey(memory, TL_HUGE_PAGE, key, TL_KEY_LENGTH, 0));
}

static void exported_memory_is_closed_before_it_is_freed(void)
{
    char key[TL_KEY_LENGTH];
    use_device(0);
    void *memory = huge_memory();
    export_to(memory, key, 0);
    EXPECT(ACL_ERROR_RT_PARAM_INVALID, aclrtFree(memory));
    OK(aclrtIpcMemClose(key));
    OK(aclrtFree(memory));
}

static void a_process_does_not_import_its_own(void)
{
    char key[TL_KEY_LENGTH];
    void *imported = NULL;
    use_device(0);
    export_to(huge_memory(), key, NO_PID_CHECK);
    EXPECT(ACL_ERROR_RT_PARAM_INVALID, aclrtIpcMemImportByKey(&imported, key, 0));
    memset(key, 'x', TL_KEY_LENGTH - 1);
    EXPECT(ACL_ERROR_RT_PARAM_INVALID, aclrtIpcMemImportByKey(&imported, key, 0));
    EXPECT(ACL_ERROR_RT_PARAM_INVALID, aclrtIpcMemClose(key));
}

static void another_device_needs_peer_access(void)
{
    char key[TL_KEY_LENGTH];
    void *memory = NULL;
    use_device(1);
    struct helper helper = start("@export_to_all", key);
    OK(aclrtIpcMemImportByKey(&memory, key, 0));
    aclrtStream stream = stream_of(ACL_STOP_ON_FAILURE);
    OK(aclrtMemsetAsync(memory, 8, 0, 8, stream));
    EXPECT(ACL_ERROR_RT_SUSPECT_REMOTE_ERROR, aclrtSynchronizeStreamWithTimeout(stream, LONG_MS));
    EXPECT(ACL_ERROR_RT_PARAM_INVALID, aclrtIpcMemImportByKey(&memory, key, PEER_ACCESS));
    OK(aclrtIpcMemClose(key));
    HOLDS(helper_end(&helper) == 0);
}

static void an_import_needs_a_peer(void)
{
    char key[TL_KEY_LENGTH];
    void *memory = NULL;
    use_device(1);
    struct helper helper = start("@export_to_all", key);
    EXPECT(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, aclrtIpcMemImportByKey(&memory, key, PEER_ACCESS));
    HOLDS(helper_end(&helper) == 0);
}

const struct rule ipc_rules[] = {
    {"processes_share_memory", processes_share_memory, NULL, 1, 0},
    {"processes_share_memory_across_devices", processes_share_memory_across_devices, NULL, 2, 0},
    {"only_who_is_listed_imports", only_who_is_listed_imports, NULL, 1, 0},
    {"a_list_may_be_waived", a_list_may_be_waived, NULL, 1, 0},
    {"importers_close_before_the_exporter", importers_close_before_the_exporter, NULL, 0, 0},
    {"a_dead_exporters_memory_is_suspect", a_dead_exporters_memory_is_suspect, NULL, 0, 0},
    {"an_exporter_may_be_said_to_be_dead", an_exporter_may_be_said_to_be_dead, "FAULTS=set:1=peer-death", 0, 0},
    {"a_dead_importer_does_not_hold_memory", a_dead_importer_does_not_hold_memory, NULL, 0, 0},
    {"a_key_has_65_characters", a_key_has_65_characters, NULL, 1, 0},
    {"whole_huge_pages_are_exported", whole_huge_pages_are_exported, NULL, 0, 0},
    {"exported_memory_is_closed_before_it_is_freed", exported_memory_is_closed_before_it_is_freed, NULL, 0, 0},
    {"a_process_does_not_import_its_own", a_process_does_not_import_its_own, NULL, 0, 0},
    {"another_device_needs_peer_access", another_device_needs_peer_access, NULL, 0, 0},
    {"an_import_needs_a_peer", an_import_needs_a_peer, "NO_PEER=0-1", 0, 0},
    {NULL, NULL, NULL, 0, 0}
};
