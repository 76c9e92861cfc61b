/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.spi;

/** Optional features of a transport. Every transport must offer all other features of the SPI. */
public enum Capability
{
    /**
     * Memory of the caller may be registered with {@link Access#REMOTE}; {@link Capabilities#remoteKinds()} lists the
     * allowed kinds.
     */
    REGISTER_REMOTE,
    /**
     * {@link Channel#atomicAdd(RemoteRegion, long, long)} works on ordinary regions. {@link Capabilities#atomicScope()}
     * says with respect to which operations the add is atomic.
     */
    REGION_ATOMICS,
    /** More than one channel may add to the same signal. */
    SHARED_SIGNALS,
    /**
     * {@link Channel#putRows} is one native submission instead of a loop of puts. For information only: no code depends
     * on this feature.
     */
    NATIVE_ROWS,
    /** Operations complete at the target even if no thread of the target calls the transport (rule THR-3). */
    AUTONOMOUS_TARGET,
    /** Memory of peers on the same host can be read and written in place through a {@link RemoteRegion#window()}. */
    WINDOWS,
    /** Memory that a peer on the same host registered has a window too, like memory that the peer allocated. */
    REGISTERED_WINDOWS,
    /**
     * Peers may be on another host. For information only: {@link Transport#canReach} says for each peer whether it can
     * be reached.
     */
    INTER_NODE,
    /** Software emulates the hardware that the transport uses. Every report must state this. */
    EMULATED
}
