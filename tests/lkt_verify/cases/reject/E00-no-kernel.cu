// SPDX-License-Identifier: BSL-1.0
// I could not find an optimisation that keeps the semantics, so the kernel stays as it is.
