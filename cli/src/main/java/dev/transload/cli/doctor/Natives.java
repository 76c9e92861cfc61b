/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.cli.doctor;

import dev.transload.natives.BundledLibrary;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The native libraries of the jars: which of them this JVM cannot load, why, and what is so without them. */
final class Natives
{
    /** Row kernels have a finding of their own. */
    static final Map<String, String> WITHOUT = new TreeMap<>(Map.of(
        "transload-acl", "the transport hccs is unavailable",
        "transload-cores", "threads run on any core, transload.threads.cores has no effect",
        "transload-cuda", "the transport nvlink is unavailable",
        "transload-files", "nvlink does not share memory that needs files",
        "transload-rows", "the JVM copies rows, slower where they are long",
        "transload-ucx", "calls of the transport ucx go through JNA, several times slower a call"));

    private Natives()
    {
    }

    static List<Finding> findings()
    {
        final List<Finding> findings = new ArrayList<>();
        WITHOUT.forEach((library, without) ->
        {
            try
            {
                BundledLibrary.load(Natives.class, library, System::load);
            }
            catch (final IOException | UnsatisfiedLinkError ex)
            {
                findings.add(Finding.warn(library, ex.getMessage(), without));
            }
        });
        if (findings.isEmpty())
        {
            findings.add(Finding.ok("natives", WITHOUT.size() + " libraries for linux-" +
                System.getProperty("os.arch") + " loaded"));
        }

        return findings;
    }
}
