/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
/**
 * The command {@code conformance}: the conformance kit against the real thing on this machine.
 * It says rule by rule what passed, and on what it ran.
 * The package knows the kit's programmatic runner, and that of the checks of devices.
 */
package dev.transload.cli.conformance;
