/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.hccs.internal.checks;

import dev.transload.spi.TransportException;
import dev.transload.tck.DeviceCheck;
import dev.transload.tck.DeviceChecks;
import dev.transload.tck.DeviceSetup;
import dev.transload.transport.hccs.internal.acl.AclDevice;
import dev.transload.transport.hccs.internal.acl.AclLibrary;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Checks of NPUs by calls of the ACL runtime, and what drives them. */
public final class HccsDeviceChecks implements DeviceChecks
{
    private static final String LIBRARY = "library";

    private final SharingPeer peer = new SharingPeer();

    /** For the service loader. */
    public HccsDeviceChecks()
    {
        // Nothing: the runtime is opened on demand.
    }

    @Override
    public String transport()
    {
        return "hccs";
    }

    @Override
    public Map<String, String> describe(final Map<String, String> options)
    {
        final AclLibrary library = library(options);
        final Map<String, String> facts = new LinkedHashMap<>();
        facts.put("library", library.path());
        facts.put("CANN", library.cannVersion());
        facts.put("SoC", library.socName());
        facts.put("devices", String.valueOf(library.deviceCount()));
        facts.put("shares memory", library.canShare() ? "yes" : "no");
        facts.put("adds", library.canReduce() ? "yes" : "no");
        return facts;
    }

    @Override
    public String link(final Map<String, String> options, final int from, final int to)
    {
        try
        {
            return from == to ? "same device" : library(options).link(from, to);
        }
        catch (final TransportException ex)
        {
            return "unknown: " + ex.getMessage();
        }
    }

    @Override
    public List<DeviceCheck> checks()
    {
        return List.of(
            new DeviceCheck("time-out-and-abort", HangingCheck::run),
            new DeviceCheck("whitelist", SharingChecks::whitelist),
            new DeviceCheck("import-after-exit", SharingChecks::importAfterExit),
            new DeviceCheck("device-adds", AddChecks::run));
    }

    @Override
    public String answer(final String question)
    {
        return peer.answer(question);
    }

    @Override
    public void close()
    {
        peer.close();
    }

    static AclLibrary library(final Map<String, String> options)
    {
        return AclLibrary.open(name(options));
    }

    /** As it was configured, for another process. */
    static String name(final Map<String, String> options)
    {
        return options.getOrDefault(LIBRARY, AclLibrary.DEFAULT_LIBRARY);
    }

    /** The device of a rank. */
    static AclDevice device(final DeviceSetup setup, final int rank)
    {
        return library(setup.options()).device(setup.devices().get(rank));
    }
}
