/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
/**
 * The conformance kit: one test for each rule of {@code docs/reference/spi-rules.md} that can be tested, on JUnit 5.
 * Authors subclass {@link dev.transload.tck.TransportConformance}, {@link dev.transload.tck.RowKernelsConformance} with
 * {@link dev.transload.tck.RowKernelsAgreement}, {@link dev.transload.tck.StepKernelsConformance}, or
 * {@link dev.transload.tck.RendezvousConformance}, and bring a fixture. The tests use the SPI alone.
 */
package dev.transload.tck;
