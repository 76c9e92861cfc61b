/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */

/**
 * The calls into UCX that jucx doesn't offer or makes slowly, on the native handles that jucx gives out, and the
 * loading of UCX's libraries with a check of their versions.
 * The package knows jucx, JNA, Agrona and UCX's C interface; of the SPI only the row list's layout and the exceptions,
 * of what transports have in common only how a library that travels in a jar is loaded.
 * It keeps no state of a connection: handles, bounds and life times are its caller's business.
 */
package dev.transload.transport.ucx.internal.ucp;
