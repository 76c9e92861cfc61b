/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */

/**
 * The transport {@code aeron}: memory that peers map into each other on one host, messages everywhere else, and Aeron
 * streams that carry connection, liveness and errors for both.
 * The package knows the SPI, {@code transport-base}, Aeron, Agrona and SLF4J; neither the engine nor any other
 * transport.
 * A data path has its own channel class; what decides between the two is {@code PathChoice} alone.
 */
package dev.transload.transport.aeron;
