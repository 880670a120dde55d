// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/store/journal_sink.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace lkt {

/// A journal that lives as long as its object: for tests, and for undoing.
struct journal_memory {
    std::string bytes;

    [[nodiscard]] result<std::string> read() const { return bytes; }
    [[nodiscard]] result<void> append(std::string_view more) {
        bytes.append(more);
        return {};
    }
    [[nodiscard]] result<void> cut(std::uint64_t size) {
        if (size < bytes.size()) bytes.resize(static_cast<std::size_t>(size));
        return {};
    }
    [[nodiscard]] result<void> sync() const { return {}; }
    [[nodiscard]] std::string name() const { return "the journal in memory"; }
};
static_assert(journal_sink<journal_memory>);

} // namespace lkt
