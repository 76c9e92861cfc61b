/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
/**
 * A transport between ranks of one JVM whose operations take effect at once, on whatever threads the engines have.
 * Where the stepping transport chooses the order of events, this one leaves it to the machine, and allocates nothing.
 * The package knows the Transport SPI alone.
 */
package dev.transload.engine.loopback;
