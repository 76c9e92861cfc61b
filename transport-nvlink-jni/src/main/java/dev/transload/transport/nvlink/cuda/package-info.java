/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
/**
 * Java access to the CUDA driver: its library, which is opened at run time, its calls, and classes for devices, memory,
 * modules, and streams that report their progress.
 * The package uses Agrona, the exceptions of the SPI and the loader of bundled libraries; it does not depend on ranks,
 * channels or rows.
 * Its objects may be used from any thread, because each call uses the context of its device.
 */
package dev.transload.transport.nvlink.cuda;
