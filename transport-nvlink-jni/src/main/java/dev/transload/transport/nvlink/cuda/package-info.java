/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
/**
 * The CUDA driver: its library opened at run time, its calls, and what is made of them: devices, memory, modules and
 * streams that say how far they are. It knows Agrona, the exceptions of the SPI and the loader of bundled libraries;
 * nothing of ranks, channels or rows. What it hands out works from any thread, in the context of its device.
 */
package dev.transload.transport.nvlink.cuda;
