/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
/**
 * The transport {@code nvlink}: memory of NVIDIA GPUs of one host, which write to each other over NVLink or PCIe while
 * the CPU carries signals and metadata in shared memory. It knows the SPI, {@code transport-base}, and the driver in
 * its package {@code cuda}; nothing of tokens, rings or other transports. A rank has one device.
 */
package dev.transload.transport.nvlink;
