// SPDX-License-Identifier: BSL-1.0
// What a journal holds: read from its records, and appended to them.
#pragma once

#include <lkt/store/detail/record.hpp>
#include <lkt/store/journal.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lkt::detail {

class journal_body {
public:
    explicit journal_body(sink_ref s) : sink(s) {}

    /// Reads what there is.
    [[nodiscard]] result<void> open();
    /// Appends a record; the first one comes with the header.
    [[nodiscard]] result<void> add(record_kind kind, std::string_view payload);
    [[nodiscard]] result<void> save(std::vector<std::string>& next, bool after_transition);

    sink_ref sink;
    std::mutex mutex;
    std::uint64_t size = 0;
    std::optional<error> defect; ///< of a write: from then on nothing is written
    std::vector<std::string> notes;
    std::optional<journal_identity> whose;
    std::vector<std::string> parts;
    std::uint64_t saves = 0, replies = 0;
    bool found_run = false; ///< that nobody has resumed yet
    /// Replies, read here and not used by a saved state; those of this process are in the state
    /// of its run or lost with it.
    std::deque<std::pair<std::string, std::string>> pending;
    bool replies_since_save = false;
    std::vector<std::string> results; ///< read here, of the node that was interrupted
    std::map<std::string, std::string, std::less<>> facts;

private:
    [[nodiscard]] result<void> take(record const& r);
    [[nodiscard]] result<void> take_header(record const& r);
    [[nodiscard]] error malformed(std::uint64_t at) const;
    [[nodiscard]] bool wants_snapshot(std::size_t changes) const;
    /// The state has what came of them.
    void forget_parts() {
        pending.clear();
        results.clear();
    }

    std::uint64_t since_snapshot = 0; ///< bytes of deltas
    std::size_t deltas_ = 0;
    std::string delta_;
    std::vector<record> open_deltas_; ///< while reading: those since the last snapshot
};

} // namespace lkt::detail
