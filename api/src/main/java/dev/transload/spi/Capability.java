/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.spi;

/** Optional features. Everything not listed here is mandatory for every transport. */
public enum Capability
{
    /** Memory of the caller may be registered with {@link Access#REMOTE}, see {@link Capabilities#remoteKinds()}. */
    REGISTER_REMOTE,
    /** {@link Channel#atomicAdd(RemoteRegion, long, long)} works on ordinary regions, in the declared scope. */
    REGION_ATOMICS,
    /** Signals may be allocated for more than one writing channel. */
    SHARED_SIGNALS,
    /** {@link Channel#putRows} is one native submission, not a loop of puts. For information; nothing depends on it. */
    NATIVE_ROWS,
    /** Operations land while the target's threads call nothing (rule THR-3). */
    AUTONOMOUS_TARGET,
    /** Memory of peers of this host can be read and written in place, see {@link RemoteRegion#window()}. */
    WINDOWS,
    /** Memory that a peer of this host registered has windows too, as what it allocated has. */
    REGISTERED_WINDOWS,
    /**
     * Peers may live on another host. For information; {@link Transport#canReach} decides for each peer.
     */
    INTER_NODE,
    /** What looks like a device is an emulation; every report must say so. */
    EMULATED
}
