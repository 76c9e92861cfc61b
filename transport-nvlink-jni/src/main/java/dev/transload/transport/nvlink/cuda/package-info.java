/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
/**
 * Java access to the CUDA driver. The driver's library is opened at run time. There are classes for the driver's calls,
 * for devices, memory and modules, and for streams that report their progress.
 * The package uses Agrona, the exceptions of the SPI and the loader of bundled libraries; it does not depend on ranks,
 * channels or rows.
 * Objects are not bound to the thread that created them, because each call uses the context of the object's device.
 */
package dev.transload.transport.nvlink.cuda;
