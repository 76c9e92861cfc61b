/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
/**
 * Conformance kit for JUnit 5, with one test for each testable rule of {@code docs/reference/spi-rules.md}.
 * Authors implement a fixture and a subclass of {@link dev.transload.tck.TransportConformance},
 * {@link dev.transload.tck.StepKernelsConformance} or {@link dev.transload.tck.RendezvousConformance}. For row kernels,
 * they use {@link dev.transload.tck.RowKernelsConformance} with {@link dev.transload.tck.RowKernelsAgreement}.
 * The tests use only the SPI.
 */
package dev.transload.tck;
