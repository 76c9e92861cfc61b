/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */

/**
 * Open files that pass from one process to another, by a socket in the file system. They stand for memory here, but
 * this package does not know that: a file is a descriptor, with a length beside it. It may know sockets and processes,
 * and nothing of CUDA or of the Transport SPI but its exceptions.
 */
package dev.transload.transport.nvlink.internal.files;
