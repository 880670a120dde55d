// SPDX-License-Identifier: BSL-1.0
// Where a scan's results are kept while it runs.
#pragma once

#include <lkt/scan/run_scan.hpp>
#include <lkt/store/journal_file.hpp>
#include <lkt/store/journal_memory.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

namespace lkt_scan {

/// The file of `--jsonl`, or memory.
struct kept_rows {
    std::variant<lkt::journal_memory, lkt::journal_file> in;

    [[nodiscard]] lkt::result<std::string> read() {
        return std::visit([](auto& sink) { return sink.read(); }, in);
    }
    [[nodiscard]] lkt::result<void> append(std::string_view bytes) {
        return std::visit([&](auto& sink) { return sink.append(bytes); }, in);
    }
    [[nodiscard]] lkt::result<void> cut(std::uint64_t size) {
        return std::visit([&](auto& sink) { return sink.cut(size); }, in);
    }
    [[nodiscard]] lkt::result<void> sync() {
        return std::visit([](auto& sink) { return sink.sync(); }, in);
    }
    [[nodiscard]] std::string name() const {
        return std::visit([](auto const& sink) { return std::string(sink.name()); }, in);
    }
};

using result_log = lkt::scan_log<kept_rows>;

} // namespace lkt_scan
