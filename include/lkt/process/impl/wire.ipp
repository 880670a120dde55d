// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/process/wire.hpp>

namespace lkt {

packer& packer::put(std::string_view text) {
    put(static_cast<std::uint64_t>(text.size()));
    bytes_.append(text);
    return *this;
}

std::string_view unpacker::text() {
    auto const size = get<std::uint64_t>();
    if (!take(size)) return {};
    auto const result = rest_.substr(0, static_cast<std::size_t>(size));
    rest_.remove_prefix(result.size());
    return result;
}

std::size_t unpacker::count(std::size_t least) {
    auto const n = get<std::uint64_t>();
    if (n > rest_.size() / (least == 0 ? 1 : least)) good_ = false;
    return good_ ? static_cast<std::size_t>(n) : 0;
}

bool unpacker::take(std::uint64_t size) {
    if (size > rest_.size()) good_ = false;
    return good_;
}

} // namespace lkt
