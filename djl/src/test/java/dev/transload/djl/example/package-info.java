/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
/**
 * A Mixture-of-Experts layer on DJL's PyTorch whose experts are spread over ranks, in both modes. It uses the public
 * API of the engine and of DJL only, as a user's program does; the tests compare it with the same layer on one rank.
 */
package dev.transload.djl.example;
