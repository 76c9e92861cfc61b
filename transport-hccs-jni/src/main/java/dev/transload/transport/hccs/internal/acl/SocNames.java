/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.hccs.internal.acl;

import java.util.Set;

/** Which chips can be used, by the names that {@code aclrtGetSocName} has for them. */
final class SocNames
{
    /** The first generation; that of the Atlas A2 has a digit behind the B, that of the A3 an underscore. */
    private static final Set<String> FIRST_GENERATION = Set.of("Ascend910", "Ascend910A", "Ascend910B",
        "Ascend910ProA", "Ascend910ProB", "Ascend910PremiumA");

    private SocNames()
    {
    }

    /**
     * Why a chip cannot be used.
     *
     * @param socName of the chip.
     * @return null, or a clause.
     */
    static String obstacle(final String socName)
    {
        return FIRST_GENERATION.contains(socName) ? "the first generation of the Ascend 910 (910A) is not supported, " +
            "since it has no aclrtStreamAbort and so cannot give up work that hangs: use an Atlas A2 (910B) or newer" :
            null;
    }
}
