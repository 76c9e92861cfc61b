/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */

/**
 * Base classes and shared parts of transports. The package contains base classes of transports, providers, workers and
 * channels, without code for a specific fabric. It also contains identities of ranks and processes, and the control
 * plane, which connects channels and checks the liveness of peers. Other classes are for memory of this rank and for
 * files that ranks of one host share.
 * <p>
 * The package depends on the SPI, Agrona and SLF4J, but not on any transport. A transport implements
 * {@code ControlMedium} and {@code ControlHooks}, and extends the abstract classes. The provider of a transport
 * combines these parts. No class in this package is a service that {@link java.util.ServiceLoader} loads.
 */
package dev.transload.transport.base;
