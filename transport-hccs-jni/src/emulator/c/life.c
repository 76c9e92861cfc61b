/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */

/* The library's beginning, at which functions may be hidden, and its end, at which it accounts for what is left. */

#define _GNU_SOURCE

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "emulator.h"

enum
{
    EXIT_LEAKED = 86
};

/* A symbol without a value is one that dlsym does not find. */
static void hide(const char *name)
{
    Dl_info info;
    ElfW(Sym) *symbol = NULL;
    dladdr((void *)hide, &info);
    void *self = dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD);
    void *function = self == NULL ? NULL : dlsym(self, name);
    if (function == NULL || dladdr1(function, &info, (void **)&symbol, RTLD_DL_SYMENT) == 0 || symbol == NULL)
    {
        tl_abort("%sFAULTS hides %s, which is no function here", tl_settings_prefix, name);
    }
    dlclose(self);
    const uintptr_t page = (uintptr_t)symbol / TL_PAGE * TL_PAGE;
    const uintptr_t end = (uintptr_t)(symbol + 1);
    if (mprotect((void *)page, end - page, PROT_READ | PROT_WRITE) != 0)
    {
        tl_abort("the system keeps the symbols as they are");
    }
    symbol->st_value = 0;
}

static int exit_status;

static void remember(int status, void *cookie)
{
    (void)cookie;
    exit_status = status;
}

__attribute__((constructor)) static void begin(void)
{
    tl_fault_each_function(TL_FAULT_MISSING, hide);
    on_exit(remember, NULL);
}

static void count_handle(void *handle, void *object, void *cookie)
{
    (void)handle;
    (void)object;
    ++*(unsigned *)cookie;
}

static unsigned count_handles(enum tl_kind kind)
{
    unsigned count = 0;
    tl_handle_each(kind, count_handle, &count);
    return count;
}

static unsigned count_ranges(enum tl_range_kind kind)
{
    unsigned count = 0;
    for (const struct tl_range *range = tl_range_first(); range != NULL; range = range->next)
    {
        count += !range->removed && range->kind == kind;
    }
    return count;
}

/*
 * A process that leaves something says so, and does not end with the exit code 0, but with 86. The setting ACCOUNTS is 1
 * for a line in any case; 2 for the line alone.
 */
__attribute__((destructor)) static void end(void)
{
    pthread_mutex_lock(&tl_lock);
    const unsigned streams = count_handles(TL_STREAM);
    const unsigned events = count_handles(TL_EVENT);
    const unsigned allocations = count_ranges(TL_ALLOCATION);
    const unsigned pinned = count_ranges(TL_PINNED);
    const unsigned imports = count_ranges(TL_IMPORT);
    const unsigned exports = tl_export_count();
    const uint64_t accounts = tl_setting("ACCOUNTS", 0, 0, 2);
    const bool leaked = streams + events + allocations + pinned + imports + exports > 0;
    if (leaked || (accounts > 0 && tl_initialised))
    {
        tl_say("left at exit: %u streams, %u events, %u allocations, %u pinned, %u exports, %u imports", streams,
            events, allocations, pinned, exports, imports);
    }
    if (leaked && accounts != 2 && exit_status == 0)
    {
        fflush(NULL);
        _exit(EXIT_LEAKED);
    }
    pthread_mutex_unlock(&tl_lock);
}
