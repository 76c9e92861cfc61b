/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
/**
 * The transport {@code ucx}: memory, workers and channels over UCX, on any network or shared memory that UCX supports
 * on the host.
 * The package uses the SPI, {@code transport-base}, jucx and the calls in the package {@code internal.ucp}; it does not
 * depend on tokens, rings or other transports.
 * If this process has mapped memory of a peer, operations on this memory do not use UCX.
 */
package dev.transload.transport.ucx;
