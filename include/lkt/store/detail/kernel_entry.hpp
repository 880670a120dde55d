// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/store/kernel_store.hpp>

#include <string>
#include <string_view>

namespace lkt::detail::kernels {

/// `c_matmul_64x32x48_wgsl_h1a2b3c4d_0123456789ab.json`. The last part stands for one reply: what
/// is said of it later (a run that goes on measures the best kernel again) replaces the entry.
/// With which the names of such entries begin.
[[nodiscard]] char letter(stored_status s);
[[nodiscard]] std::string name_of(kernel_entry const& e);

/// What entries of one key have in common in their names: `matmul_64x32x48_wgsl_h1a2b3c4d_`.
[[nodiscard]] std::string part_of_key(kernel_key const& key);

/// Whether a file was written by lkt, told by its name alone: YoloKernelGen's end otherwise.
[[nodiscard]] bool is_own_name(std::string_view name);

[[nodiscard]] error fault(std::string_view code, std::string message, std::string hint);

} // namespace lkt::detail::kernels
