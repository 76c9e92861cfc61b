/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
/**
 * The command {@code transports}: what was found on the class path, and whether this machine can run it.
 * It opens nothing; providers are asked to probe.
 * The package knows the registry of transports.
 */
package dev.transload.cli.transports;
