// SPDX-License-Identifier: BSL-1.0
// What benchmarks that measure a back end's times have in common.
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/kernel/failure.hpp>

#include <chrono>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>

namespace measure {

using clock_type = std::chrono::steady_clock;
inline double since(clock_type::time_point t) {
    return std::chrono::duration<double>(clock_type::now() - t).count();
}

template <class T>
T must(lkt::result<T> r) {
    if (!r) throw std::runtime_error(to_string(r.error()));
    return std::move(*r);
}
template <class T, class Outcome>
T must_be(Outcome outcome) {
    if (auto const* const why = std::get_if<lkt::failure>(&outcome))
        throw std::runtime_error(lkt::describe(*why));
    return std::get<T>(std::move(outcome));
}

inline double per_cent(double value, double of) { return (value / of - 1) * 100; }

} // namespace measure
