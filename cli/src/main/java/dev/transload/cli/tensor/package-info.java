/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
/**
 * Tensors in files of the safetensors format: a length, a JSON header, then the raw little-endian elements.
 * Reading is strict and by position, writing is streaming, so that a file may exceed memory.
 * The package knows files and Jackson, and nothing of runs.
 */
package dev.transload.cli.tensor;
