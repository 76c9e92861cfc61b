/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
/**
 * Conversion between arrays of DJL and tensors of an engine.
 * The package uses the public APIs of the engine and of DJL. Conversions without a copy also use DJL's engine for
 * PyTorch and the C functions of the PyTorch library that this engine has loaded.
 * The package contains no DJL engine and no native library.
 */
package dev.transload.djl;
