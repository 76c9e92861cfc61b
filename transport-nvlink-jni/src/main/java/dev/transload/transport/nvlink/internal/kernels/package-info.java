/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
/**
 * Row kernels for the memory of NVIDIA GPUs. It knows the kernels' part of the SPI, the driver in the package
 * {@code cuda} and views of addresses; nothing of channels or options. Arguments of kernels are written off-heap, in
 * the layouts that it documents.
 */
package dev.transload.transport.nvlink.internal.kernels;
