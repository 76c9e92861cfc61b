/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */

/* Modules and functions. A module's code is not run: for each of its kernels there is a host twin of the same name. */

#define _GNU_SOURCE

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emulator.h"

enum
{
    OPTION_ERROR_LOG = 5,
    OPTION_ERROR_LOG_BYTES = 6
};

struct module
{
    struct tl_context *context;
    char *text;
    struct tl_function *functions;
};

static CUresult load(struct tl_context *context, CUmodule *handle, const char *image, char *log, size_t log_bytes)
{
    if (handle == NULL || image == NULL)
    {
        return CUDA_ERROR_INVALID_VALUE;
    }
    const CUresult result = tl_ptx_check(image, log, log_bytes);
    if (result != CUDA_SUCCESS)
    {
        return result;
    }
    struct module *module = calloc(1, sizeof *module);
    char *text = strdup(image);
    if (module == NULL || text == NULL)
    {
        free(module);
        free(text);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    module->context = context;
    module->text = text;
    *handle = tl_handle_create(TL_MODULE, module);
    return CUDA_SUCCESS;
}

TL_EXPORT CUresult cuModuleLoadData(CUmodule *handle, const void *image)
{
    char log[256];
    struct tl_context *context = NULL;
    CUresult result = tl_enter("cuModuleLoadData", &context);
    if (result == CUDA_SUCCESS)
    {
        result = load(context, handle, image, log, sizeof log);
    }
    return tl_leave(result);
}

/* Of the options only the error log's are looked at. */
TL_EXPORT CUresult cuModuleLoadDataEx(CUmodule *handle, const void *image, unsigned options, int *names, void **values)
{
    char none[1];
    char *log = none;
    size_t log_bytes = 0;
    struct tl_context *context = NULL;
    CUresult result = tl_enter("cuModuleLoadDataEx", &context);
    for (unsigned i = 0; i < options && result == CUDA_SUCCESS; i++)
    {
        if (names[i] == OPTION_ERROR_LOG)
        {
            log = values[i];
        }
        else if (names[i] == OPTION_ERROR_LOG_BYTES)
        {
            log_bytes = (uintptr_t)values[i];
        }
    }
    if (log == none || log == NULL || log_bytes == 0)
    {
        log = none;
        log_bytes = sizeof none;
    }
    log[0] = '\0';
    if (result == CUDA_SUCCESS)
    {
        result = load(context, handle, image, log, log_bytes);
    }
    return tl_leave(result);
}

static void unload(void *handle, struct module *module)
{
    struct tl_function *function = module->functions;
    while (function != NULL)
    {
        struct tl_function *next = function->next;
        tl_handle_destroy(function->handle);
        free(function);
        function = next;
    }
    tl_handle_destroy(handle);
    free(module->text);
    free(module);
}

static void unload_if_of_context(void *handle, void *object, void *context)
{
    struct module *module = object;
    if (module->context == context)
    {
        unload(handle, module);
    }
}

void tl_modules_release_context(struct tl_context *context)
{
    tl_handle_each(TL_MODULE, unload_if_of_context, context);
}

TL_EXPORT CUresult cuModuleUnload(CUmodule handle)
{
    struct tl_context *context = NULL;
    CUresult result = tl_enter("cuModuleUnload", &context);
    if (result == CUDA_SUCCESS)
    {
        struct module *module = tl_handle_find(TL_MODULE, handle);
        if (module == NULL || module->context != context)
        {
            return tl_leave(CUDA_ERROR_INVALID_HANDLE);
        }
        unload(handle, module);
    }
    return tl_leave(result);
}

static const struct tl_twin *find_twin(const char *name)
{
    for (const struct tl_twin *twin = tl_twins; twin->name != NULL; twin++)
    {
        if (strcmp(twin->name, name) == 0)
        {
            return twin;
        }
    }
    return NULL;
}

static CUresult get_function(struct module *module, const char *name, CUfunction *handle)
{
    for (const struct tl_function *known = module->functions; known != NULL; known = known->next)
    {
        if (strcmp(known->twin->name, name) == 0)
        {
            *handle = known->handle;
            return CUDA_SUCCESS;
        }
    }
    *handle = NULL;
    struct tl_entry entry;
    if (!tl_ptx_entry(module->text, name, &entry))
    {
        return CUDA_ERROR_NOT_FOUND;
    }
    const struct tl_twin *twin = find_twin(name);
    if (twin == NULL)
    {
        tl_abort("the kernel %s has no host twin", name);
    }
    if (entry.argument_bytes != 0 && entry.argument_bytes != twin->argument_bytes)
    {
        tl_abort("the arguments of %s have %zu bytes in the PTX, %zu in the twin", name, entry.argument_bytes,
            twin->argument_bytes);
    }
    struct tl_function *function = calloc(1, sizeof *function);
    if (function == NULL)
    {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    function->context = module->context;
    function->twin = twin;
    function->most_threads = entry.most_threads;
    function->next = module->functions;
    module->functions = function;
    function->handle = tl_handle_create(TL_FUNCTION, function);
    *handle = function->handle;
    return CUDA_SUCCESS;
}

TL_EXPORT CUresult cuModuleGetFunction(CUfunction *handle, CUmodule module_handle, const char *name)
{
    struct tl_context *context = NULL;
    CUresult result = tl_enter("cuModuleGetFunction", &context);
    if (result == CUDA_SUCCESS)
    {
        struct module *module = tl_handle_find(TL_MODULE, module_handle);
        if (module == NULL)
        {
            return tl_leave(CUDA_ERROR_INVALID_HANDLE);
        }
        const bool sound = handle != NULL && name != NULL && name[0] != '\0';
        result = sound ? get_function(module, name, handle) : CUDA_ERROR_INVALID_VALUE;
    }
    return tl_leave(result);
}
