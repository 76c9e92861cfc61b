/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.hccs;

import dev.transload.spi.TransportUnavailableException;
import dev.transload.transport.hccs.internal.acl.AclDevice;
import dev.transload.transport.hccs.internal.acl.AclLibrary;

/** Which NPU a rank drives, and whether it can. */
final class Devices
{
    private Devices()
    {
    }

    /**
     * The device of a rank.
     *
     * @param options of the transport.
     * @param rank    that drives it.
     * @return the device.
     * @throws TransportUnavailableException in one sentence, when there is none that can be driven.
     */
    static AclDevice select(final HccsOptions options, final int rank)
    {
        final AclLibrary library = library(options);
        return device(library, options.device(rank, library.deviceCount()));
    }

    /**
     * A device by its number.
     *
     * @param options of the transport.
     * @param ordinal of the device.
     * @return the device.
     * @throws TransportUnavailableException as {@link #select}.
     */
    static AclDevice at(final HccsOptions options, final int ordinal)
    {
        return device(library(options), ordinal);
    }

    private static AclLibrary library(final HccsOptions options)
    {
        final AclLibrary library = AclLibrary.open(options.library());
        if (0 == library.deviceCount())
        {
            throw new TransportUnavailableException(library.describe() +
                " shows no NPU to this process: look at npu-smi info and at ASCEND_RT_VISIBLE_DEVICES", null);
        }

        if (!library.canShare())
        {
            throw new TransportUnavailableException(library.describe() + " has no aclrtIpcMemGetExportKey and what " +
                "belongs to it, so that processes cannot share memory of devices: install CANN 8.3 or newer", null);
        }

        return library;
    }

    private static AclDevice device(final AclLibrary library, final int ordinal)
    {
        final int count = library.deviceCount();
        if (ordinal < 0 || ordinal >= count)
        {
            throw new TransportUnavailableException("there is no device " + ordinal + ": this process sees " + count +
                ", set transload.hccs.device to auto or to a number in [0, " + count + ")", null);
        }

        return library.device(ordinal);
    }
}
