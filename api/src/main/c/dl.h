/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */

/*
 * dlfcn.h, for the native code of all modules. A build on any glibc asks for the functions as the oldest glibc has them:
 * 2.34 moved them to libc.so.6 and gave them a version that no older glibc knows. The oldest supported one is 2.17.
 */

#ifndef TRANSLOAD_DL_H
#define TRANSLOAD_DL_H

#include <dlfcn.h>

#if defined(__GLIBC__) && defined(__x86_64__)
#define TRANSLOAD_FIRST_VERSION "GLIBC_2.2.5"
#elif defined(__GLIBC__) && defined(__aarch64__)
#define TRANSLOAD_FIRST_VERSION "GLIBC_2.17"
#endif

#if defined(TRANSLOAD_FIRST_VERSION)
__asm__(".symver dladdr, dladdr@" TRANSLOAD_FIRST_VERSION);
__asm__(".symver dlerror, dlerror@" TRANSLOAD_FIRST_VERSION);
__asm__(".symver dlopen, dlopen@" TRANSLOAD_FIRST_VERSION);
__asm__(".symver dlsym, dlsym@" TRANSLOAD_FIRST_VERSION);
#endif

#endif
