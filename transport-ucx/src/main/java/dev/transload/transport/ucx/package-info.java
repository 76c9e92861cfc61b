/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
/**
 * The transport {@code ucx}: memory, workers and channels over UCX, whatever network or shared memory the host's UCX
 * has. It knows the SPI, what transports have in common, jucx, and the calls in its package {@code ucp}; nothing of
 * tokens, rings or other transports. Operations on memory that this process has mapped go without UCX.
 */
package dev.transload.transport.ucx;
