// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/kernel/failure.hpp>
#include <lkt/kernel/signature.hpp>
#include <lkt/lang/cuda/tokens.hpp>
#include <lkt/lang/expression/parameters.hpp>

#include <string>
#include <variant>
#include <vector>

namespace lkt {

/// The kernel that a signature and a configuration mean, as C++ names it: `outer::sum<float, 256>`.
/// The arguments of a template come with the signature's name, where they may name tunable
/// parameters, or are the definitions of the template parameters' names; at the end those that have
/// a default may be missing. `tokens` are those of the text.
[[nodiscard]] std::variant<std::string, refused> instantiation(std::vector<token> const& tokens,
                                                               signature const& s,
                                                               configuration const& definitions);

} // namespace lkt
