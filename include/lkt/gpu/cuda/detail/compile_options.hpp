// SPDX-License-Identifier: BSL-1.0
// Which of NVCC's and NVRTC's options a job may have.
#pragma once

#include <lkt/gpu/device/detail/job_options.hpp>

#include <string>

namespace lkt::cuda_detail::options {

using device_detail::options::reading;
using device_detail::options::use;

[[nodiscard]] reading read(std::string const& given);

} // namespace lkt::cuda_detail::options
