// SPDX-License-Identifier: BSL-1.0
// How a graph ended, and an answer that is of no use.
#pragma once

#include <lkt/core/result.hpp>

#include <string>
#include <variant>

namespace lkt_test {

template <class Terminal, class Outcome>
bool ended_in(lkt::result<Outcome> const& r) {
    return r.has_value() && std::holds_alternative<Terminal>(*r);
}

inline std::string const nonsense = "As a language model, I like kernels.";

} // namespace lkt_test
