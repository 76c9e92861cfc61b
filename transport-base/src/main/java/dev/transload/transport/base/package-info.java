/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */

/**
 * What transports have in common: the transport, its provider, workers and channels as far as no fabric is in them;
 * identities of ranks and processes; the control plane that connects channels and judges peers; memory of this rank,
 * and files that ranks of one host share.
 * The package knows the SPI, Agrona and SLF4J, and no transport: a fabric comes in by {@code ControlMedium},
 * {@code ControlHooks} and the abstract classes, and its name by the identity of the rank.
 * Nothing in here is found by a service loader; a transport's provider puts the parts together.
 */
package dev.transload.transport.base;
