/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */

/**
 * Base classes and shared parts of transports: transport, provider, worker and channel classes without code for a
 * specific fabric; identities of ranks and processes; the control plane that connects channels and checks the liveness
 * of peers; memory of this rank and files that ranks of one host share.
 * The package uses the SPI, Agrona and SLF4J, and no transport. A transport implements {@code ControlMedium},
 * {@code ControlHooks} and the abstract classes.
 * No class in this package is a service. The provider of a transport combines the parts.
 */
package dev.transload.transport.base;
