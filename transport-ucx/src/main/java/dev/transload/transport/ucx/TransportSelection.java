/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.ucx;

import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What the setting TLS says about the ways that UCX may take. The text is only read here: what UCX makes of it is its
 * own affair.
 *
 * @param text of the setting; empty for UCX's own choice.
 */
record TransportSelection(String text)
{
    private static final String ALL = "all";
    private static final char EXCLUSION = '^';
    private static final String SELF = "self";
    private static final String CARDS = "ib";
    private static final Set<String> SHARED_MEMORY = Set.of("posix", "sysv", "mm", "shm", "sm", "xpmem");
    private static final Set<String> SEGMENTS = Set.of("sysv", "mm", "shm", "sm");
    private static final Set<String> WITHIN_PROCESS = Set.of(SELF, "cma", "knem", "cuda", "cuda_ipc");
    private static final Set<String> WITHIN_HOST = Set.of("cma", "knem", "cuda", "cuda_copy", "cuda_ipc", "gdr_copy",
        "rocm", "rocm_copy", "rocm_ipc", "ze_copy", "ze_ipc");

    /** UCX would copy through cma what it can't map, which is far slower than its messages in shared memory. */
    private static final String WITHOUT_DEVICES = "^cma";

    /**
     * Find the selection that is in force.
     *
     * @param settings    of the configuration, which win.
     * @param environment variables.
     * @param hasDevices  whether this host has network cards that UCX drives itself.
     * @return the selection.
     */
    static TransportSelection of(
        final Map<String, String> settings, final Map<String, String> environment, final boolean hasDevices)
    {
        final String configured = settings.get(UcxOptions.TLS_SETTING);
        final String inherited = environment.get(UcxOptions.PREFIX + UcxOptions.TLS_SETTING);
        if (null != configured || null != inherited)
        {
            return new TransportSelection(null != configured ? configured : inherited);
        }

        return new TransportSelection(hasDevices ? "" : WITHOUT_DEVICES);
    }

    /** Whether peers on another host can be reached by any of them. */
    boolean hasNetwork()
    {
        return isOpen() || names().stream().anyMatch((name) ->
            !SHARED_MEMORY.contains(name) && !WITHIN_HOST.contains(name) && !SELF.equals(name));
    }

    /** Whether this process reaches even its own memory by nothing but the network. */
    boolean hasNetworkOnly()
    {
        return hasNetwork() && !isOpen() && names().stream().noneMatch((name) ->
            SHARED_MEMORY.contains(name) || WITHIN_PROCESS.contains(name));
    }

    /** Whether peers on this host may be reached by memory that both map. */
    boolean hasSharedMemory()
    {
        return isOpen() || names().stream().anyMatch(SHARED_MEMORY::contains);
    }

    /** Whether memory comes from files: UCX prefers System V segments where it may use them. */
    boolean allocatesFiles()
    {
        return !isOpen() && names().contains("posix") && names().stream().noneMatch(SEGMENTS::contains);
    }

    /** Whether it leaves room for the transports by which network cards add. */
    boolean mayAddByCard()
    {
        return text.isEmpty() ||
            (EXCLUSION == text.charAt(0) ? !List.of(text.substring(1).split(",")).contains(CARDS) :
            names().stream().anyMatch((name) -> ALL.equals(name) || CARDS.equals(name) || name.matches("(rc|dc).*")));
    }

    /** For messages. */
    String describe()
    {
        return text.isEmpty() ? "UCX's own choice of transports" : "transports " + text;
    }

    /** Whether it names what is left out, or nothing. */
    private boolean isOpen()
    {
        return text.isEmpty() || EXCLUSION == text.charAt(0) || names().contains(ALL);
    }

    private List<String> names()
    {
        return List.of(text.split(","));
    }
}
