/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
/**
 * The transport {@code nvlink}: NVIDIA GPUs of one host write to each other's memory over NVLink or PCIe, and the CPU
 * sends signals and metadata through shared memory.
 * The package uses the SPI, {@code transport-base} and the CUDA driver through the subpackage {@code cuda}; it does not
 * depend on tokens, rings or other transports.
 * Each rank has one device.
 */
package dev.transload.transport.nvlink;
