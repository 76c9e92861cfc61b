/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.transport.hccs.internal.acl;

/** One NPU as this process sees it, with its default context, which is that of other libraries of the process too. */
public final class AclDevice
{
    private final AclLibrary library;
    private final int ordinal;
    private final AclIpc ipc = new AclIpc(this);
    private final boolean[] isPeerEnabled;

    AclDevice(final AclLibrary library, final int ordinal)
    {
        this.library = library;
        this.ordinal = ordinal;
        this.isPeerEnabled = new boolean[library.deviceCount()];
    }

    /** Number of the device in this process. */
    public int ordinal()
    {
        return ordinal;
    }

    /** Whose it is. */
    public AclLibrary library()
    {
        return library;
    }

    /**
     * What it is, for messages.
     *
     * @return such as {@code device 0 (Ascend910B3)}; of an emulator, with that word.
     */
    public String describe()
    {
        return (library.isEmulated() ? "emulator device " : "device ") + ordinal + " (" + library.socName() + ")";
    }

    /**
     * Whether the runtime says that the device works.
     *
     * @return false once it failed for good.
     */
    public boolean isAlive()
    {
        return 0 == value(AclCalls.deviceStatus(ordinal));
    }

    /** Number of this process in the whitelists of exporters, which is the host's, not that of a container. */
    public int bareProcess()
    {
        return (int)value(AclCalls.bareProcess(ordinal));
    }

    /** Whether this device can address memory of another. */
    public boolean canReach(final AclDevice peer)
    {
        return this == peer || 0 != value(AclCalls.canAccessPeer(ordinal, peer.ordinal));
    }

    /** Let this device address memory of another that this process has allocated. */
    public synchronized void enablePeer(final AclDevice peer)
    {
        if (this != peer && !isPeerEnabled[peer.ordinal])
        {
            check(AclCalls.enablePeerAccess(ordinal, peer.ordinal));
            isPeerEnabled[peer.ordinal] = true;
        }
    }

    /**
     * Allocate memory of the device.
     *
     * @param bytes  positive.
     * @param isHuge whether it has to be whole pages of 2 MiB, which can be exported.
     * @return address, whose memory holds anything.
     */
    public long allocate(final long bytes, final boolean isHuge)
    {
        return value(
            AclCalls.malloc(ordinal, bytes, isHuge ? AclCalls.MALLOC_HUGE_ONLY : AclCalls.MALLOC_HUGE_FIRST));
    }

    /** Give memory of the device back; no work on it is under way, and no key of it is open. */
    public void free(final long address)
    {
        check(AclCalls.free(ordinal, address));
    }

    /**
     * Allocate page-locked memory of the host, from and to which the device copies.
     *
     * @param bytes positive.
     * @return zeroed memory.
     */
    public PinnedMemory allocatePinned(final long bytes)
    {
        return PinnedMemory.allocate(this, bytes);
    }

    /**
     * Memory that other processes share.
     *
     * @return exports and imports of this device.
     */
    public AclIpc ipc()
    {
        return ipc;
    }

    /** A new stream of this device, which stops at the first failure. */
    public AclStream openStream()
    {
        return AclStream.open(this);
    }

    /** A new event of this device. */
    public AclEvent openEvent()
    {
        return new AclEvent(this, value(AclCalls.eventCreate(ordinal, AclCalls.EVENT_SYNC)));
    }

    void check(final int code)
    {
        if (AclCalls.SUCCESS != code)
        {
            throw AclException.of(describe(), code);
        }
    }

    long value(final long result)
    {
        return result >= 0 ? result : AclException.value(describe(), result);
    }
}
