// SPDX-License-Identifier: BSL-1.0
// What AMD's compiler notes in a code object about its kernels. It made the file of a text that
// nobody has read: every number in it is doubted.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lkt {

/// One kernel, as the note says; 0 where it says nothing.
struct code_object_kernel {
    std::string name;                              ///< its entry, mangled
    std::uint64_t vgprs = 0, sgprs = 0, agprs = 0; ///< registers
    std::uint64_t spilt_vgprs = 0, spilt_sgprs = 0;
    std::uint64_t lds_bytes = 0;     ///< of shared memory that the text declares with its size
    std::uint64_t private_bytes = 0; ///< of a thread's stack, what is spilt included
    std::uint64_t argument_bytes = 0;
    std::uint64_t wave_lanes = 0;
    std::uint64_t max_threads = 0; ///< of a block, as `__launch_bounds__` allows
    /// The sizes of its parameters in bytes, without those that the compiler adds.
    std::vector<std::uint64_t> parameters;
};

/// The kernels of a code object (an ELF file with a note of MessagePack, of version 3 or later).
/// Nothing for what is none, or does not add up.
[[nodiscard]] std::optional<std::vector<code_object_kernel>>
kernels_in_code_object(std::string_view image);

} // namespace lkt
