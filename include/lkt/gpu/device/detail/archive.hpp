// SPDX-License-Identifier: BSL-1.0
// One list of members for both directions: `each(archive, value)` meets them in the same order.
#pragma once

#include <lkt/process/wire.hpp>

#include <string>
#include <vector>

namespace lkt::device_detail {

struct writing {
    packer out;
    template <class T>
    void operator()(T const& value) {
        out.put(value);
    }
};
struct reading {
    unpacker in;
    template <wire_number T>
    void operator()(T& value) {
        value = in.get<T>();
    }
    void operator()(std::string& text) { text = in.text(); }
    template <wire_number T>
    void operator()(std::vector<T>& numbers) {
        numbers.resize(in.count(sizeof(T)));
        for (T& n : numbers) n = in.get<T>();
    }
};

} // namespace lkt::device_detail
