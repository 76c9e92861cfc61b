/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
/**
 * The command {@code doctor}: what of this machine matters to ranks, which way rows would take, and what to change.
 * It reads files of the system and probes transports; it opens nothing and changes nothing.
 * The package knows the registry of transports, row kernels and the settings.
 */
package dev.transload.cli.doctor;
