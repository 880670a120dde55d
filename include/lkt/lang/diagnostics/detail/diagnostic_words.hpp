// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/config.hpp>

#include <string_view>

namespace lkt::detail::lang {

/// What g++, clang and NVRTC say in at least a few of their messages, and the names that the
/// languages themselves have: a word between spaces each, in lower case where it is English. A word
/// that a message has and that is neither here nor in the kernel comes from somewhere else.
[[nodiscard]] std::string_view compilers_words();

} // namespace lkt::detail::lang
