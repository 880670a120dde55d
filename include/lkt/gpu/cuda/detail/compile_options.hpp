// SPDX-License-Identifier: BSL-1.0
// Which of NVCC's and NVRTC's options a job may have: those that change how its text is compiled,
// and none that name a file to read or write.
#pragma once

#include <string>

namespace lkt::cuda_detail::options {

enum class use : unsigned char { passed, ignored, include_folder, standard, refused };

struct reading {
    use kind = use::refused;
    std::string text; ///< as NVRTC takes it; of a folder its path
};

[[nodiscard]] reading read(std::string const& given);

} // namespace lkt::cuda_detail::options
