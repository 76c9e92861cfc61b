/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
/**
 * Row kernels for the memory of NVIDIA GPUs. It knows the kernels' part of the SPI and the driver in the package
 * {@code cuda}; nothing of channels. Arguments of kernels are written off-heap, in the layouts that it documents.
 */
package dev.transload.transport.nvlink.kernels;
