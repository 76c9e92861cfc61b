/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */

/*
 * The table of the host twins. The file is compiled as C++, as the kernels' sources are; nothing in it needs the C++
 * library.
 */

#include "twins.h"

namespace
{

/* What every kernel's arguments begin with. */
struct completion
{
    uint64_t word;
    uint64_t value;
    uint64_t counter;
};

void run_mark(const void *arguments, unsigned, unsigned, tl_memory *memory)
{
    const completion *done = static_cast<const completion *>(arguments);
    if (done->word != 0)
    {
        __atomic_store_n(static_cast<uint64_t *>(tl_at(memory, done->word, 8, 8)), done->value, __ATOMIC_RELEASE);
    }
}

}

const tl_twin tl_twins[] = {
    {"tl_mark", sizeof(completion), run_mark},
    {nullptr, 0, nullptr}
};
