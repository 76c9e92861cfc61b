/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.hccs.internal.checks;

import dev.transload.spi.TransportException;
import dev.transload.tck.DeviceCheck.Shown;
import dev.transload.tck.DeviceSetup;
import dev.transload.tck.processes.OtherProcess;
import dev.transload.transport.hccs.internal.acl.AclDevice;
import dev.transload.transport.hccs.internal.acl.AclIpc;

import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Memory that two processes share, the second of which is a {@link SharingPeer}. */
final class SharingChecks
{
    private SharingChecks()
    {
    }

    /** A process that is not listed cannot import; one that is listed can. */
    static Shown whitelist(final DeviceSetup setup)
    {
        final AclDevice device = requireSharing(setup);
        final long memory = device.allocate(AclIpc.PAGE, true);
        try (OtherProcess other = new OtherProcess(HccsDeviceChecks.class); DeviceBytes bytes = new DeviceBytes(device))
        {
            bytes.view().put(0, SharingPeer.MARK);
            bytes.set(memory);
            final int process = Integer.parseInt(open(other, setup));
            final String unlisted;
            try (AclIpc.Export export = device.ipc().export(memory, AclIpc.PAGE))
            {
                unlisted = other.ask("import " + export.key());
                if (!unlisted.startsWith(SharingPeer.REFUSED))
                {
                    throw new AssertionError("a process that is not listed has imported memory");
                }

                export.allow(process);
                final String listed = other.ask("import " + export.key());
                if (!String.valueOf(SharingPeer.MARK).equals(listed))
                {
                    throw new AssertionError("a process that is listed reads " + listed + " instead of " +
                        SharingPeer.MARK);
                }
            }

            return new Shown("a listed process imports; another one is " + unlisted, Map.of());
        }
        finally
        {
            device.free(memory);
        }
    }

    /** What is imported when its owner is killed ends in an answer, and so does an import after that. */
    static Shown importAfterExit(final DeviceSetup setup)
    {
        final AclDevice device = requireSharing(setup);
        try (OtherProcess other = new OtherProcess(HccsDeviceChecks.class))
        {
            open(other, setup);
            final String key = other.ask("export");
            other.ask("allow " + device.bareProcess());
            final String late = other.ask("export");
            other.ask("allow " + device.bareProcess());
            final long imported = device.ipc().open(key);
            final byte before = SharingPeer.firstByte(device, imported);
            if (SharingPeer.MARK != before)
            {
                throw new AssertionError("imported memory reads " + before + " instead of " + SharingPeer.MARK);
            }

            other.kill();
            final long beginNs = System.nanoTime();
            final String copy = outcome(() -> SharingPeer.firstByte(device, imported));
            final String opening = outcome(() -> SharingPeer.firstByte(device, late));
            final String closing = outcome(() -> device.ipc().close(key));
            final double tookMs = (System.nanoTime() - beginNs) / (double)TimeUnit.MILLISECONDS.toNanos(1);
            requireWorking(device);
            return new Shown("after the owner's exit, a copy " + copy + "; an import " + opening +
                "; closing " + closing + "; and the device works", Map.of("answered_ms", tookMs));
        }
    }

    private static String open(final OtherProcess other, final DeviceSetup setup)
    {
        return other.ask("open " + setup.devices().get(1) + " " + HccsDeviceChecks.name(setup.options()));
    }

    private static AclDevice requireSharing(final DeviceSetup setup)
    {
        final AclDevice device = HccsDeviceChecks.device(setup, 0);
        if (!device.canReach(HccsDeviceChecks.device(setup, 1)) || !device.library().canShare())
        {
            throw new UnsupportedOperationException("the first two devices don't reach each other, or the runtime " +
                "cannot share memory between processes");
        }

        return device;
    }

    private static void requireWorking(final AclDevice device)
    {
        final long memory = device.allocate(DeviceBytes.LENGTH, false);
        try (DeviceBytes bytes = new DeviceBytes(device))
        {
            bytes.view().put(0, SharingPeer.MARK);
            bytes.set(memory);
            bytes.view().put(0, (byte)0);
            bytes.read(memory);
            if (SharingPeer.MARK != bytes.view().get(0) || !device.isAlive())
            {
                throw new AssertionError("after the exit of another process, " + device.describe() +
                    " does not do what it should");
            }
        }
        finally
        {
            device.free(memory);
        }
    }

    private static String outcome(final Runnable attempt)
    {
        try
        {
            attempt.run();
            return "succeeds";
        }
        catch (final TransportException ex)
        {
            return "fails (" + ex.getMessage() + ")";
        }
    }
}
