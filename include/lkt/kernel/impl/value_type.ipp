// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/kernel/value_type.hpp>

namespace lkt {

std::string to_string(value_type t) {
    std::string name(to_string(t.scalar));
    return t.lanes == 1 ? name : name + "x" + std::to_string(t.lanes);
}

bool same_bytes(value_type a, value_type b) {
    if (a == b) return true;
    auto const narrow = [](value_type t) { return is_float8(t.scalar) || is_half_byte(t.scalar); };
    auto const whole = [](value_type t) {
        return t.lanes == 1 && !is_floating(t.scalar) && t.scalar != scalar_type::boolean;
    };
    return a.bytes() == b.bytes() && ((narrow(a) && whole(b)) || (narrow(b) && whole(a)));
}

} // namespace lkt
