/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
/**
 * How a command ends: exit codes, and the one sentence that goes with each of them.
 * Exceptions of the other modules are mapped here and nowhere else.
 * The package knows the public exceptions of the SPI, the rendezvous and the engine.
 */
package dev.transload.cli.outcome;
