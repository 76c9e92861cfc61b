/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */

/**
 * The transport {@code aeron}, which has two data paths: mapped memory between ranks of one host, and messages between
 * hosts. Aeron streams carry connection setup, liveness and errors for both data paths.
 * The package uses the SPI, {@code transport-base}, Aeron, Agrona and SLF4J, but neither the engine nor another
 * transport.
 * Each data path has its own channel class, and only {@code PathChoice} selects between them.
 */
package dev.transload.transport.aeron;
