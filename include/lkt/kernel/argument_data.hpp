// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/kernel/value_type.hpp>

#include <cstddef>
#include <cstring>
#include <span>
#include <vector>

namespace lkt {

/// The contents of one kernel argument: a value, or a buffer of `count()` values.
struct argument_data {
    value_type type;
    bool buffer = false;
    std::vector<std::byte> bytes; ///< little endian, packed; exactly one value unless `buffer`

    /// Values of `type` (a float4 counts once).
    [[nodiscard]] std::size_t count() const { return bytes.size() / type.bytes(); }

    /// A copy of one scalar lane; `index` counts lanes. T must have the lane's size.
    template <class T>
    [[nodiscard]] T lane(std::size_t index) const {
        T value;
        std::memcpy(&value, bytes.data() + index * sizeof(T), sizeof(T));
        return value;
    }
    friend bool operator==(argument_data const&, argument_data const&) = default;
};

template <class T>
[[nodiscard]] argument_data make_buffer(value_type type, std::span<T const> lanes) {
    argument_data data{type, true, std::vector<std::byte>(lanes.size_bytes())};
    if (!lanes.empty()) std::memcpy(data.bytes.data(), lanes.data(), lanes.size_bytes());
    return data;
}

template <class T>
[[nodiscard]] argument_data make_scalar(scalar_type type, T value) {
    argument_data data{{type, 1}, false, std::vector<std::byte>(sizeof(T))};
    std::memcpy(data.bytes.data(), &value, sizeof(T));
    return data;
}

} // namespace lkt
