/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
/**
 * Arrays of DJL as tensors of an engine, and tensors as arrays. It uses the public API of the engine and of DJL and,
 * for what does not copy, DJL's engine for PyTorch and the C functions of the PyTorch that it has loaded. It brings no
 * engine of DJL and no native library.
 */
package dev.transload.djl;
