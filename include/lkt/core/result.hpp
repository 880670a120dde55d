// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/error.hpp>

#include <boost/system/result.hpp>
#include <stdexcept>

namespace lkt {

/// What a call that can meet a failure of the world returns. Idiom: `if (!r) return r.error();`
template <class T>
using result = boost::system::result<T, error>;

/// Thrown by `result<T>::value()` on an error: reading a value that is not there is a bug.
struct bad_result : std::runtime_error {
    explicit bad_result(error e);
    error why;
};

/// Found by `result<T>::value()`.
[[noreturn]] void throw_exception_from_error(error const& e, boost::source_location const&);

} // namespace lkt
