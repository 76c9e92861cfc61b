/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.program;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * Which build of the program this is: that of its engine, with which it is built.
 *
 * @param version of the project.
 * @param commit  that was built, as the engine has it.
 */
public record BuildInfo(String version, String commit)
{
    /** Of this program. */
    public static BuildInfo own()
    {
        final var engine = dev.transload.engine.internal.connect.BuildInfo.own();
        return new BuildInfo(engine.version(), engine.commit());
    }

    /** As results for scripts have it. */
    public ObjectNode json()
    {
        return JsonNodeFactory.instance.objectNode().put("version", version).put("commit", commit);
    }
}
