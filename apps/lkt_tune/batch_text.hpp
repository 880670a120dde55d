// SPDX-License-Identifier: BSL-1.0
// What a batch shows: while it runs, and at its end.
#pragma once

#include "batch_child.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace lkt_tune {

/// An operation, as it stands.
struct batch_row {
    std::string name;
    operation_end end;
    std::string device; ///< where it runs, as the command line names it
    std::string line;   ///< of its progress display
    bool running = false;
};

/// `accepted`, `no kernel`, ...
[[nodiscard]] std::string outcome_text(batch_row const& row);

/// Operation, outcome, speed-up, calls, cost, time; then why some have no kernel.
[[nodiscard]] std::string table_text(std::vector<batch_row> const& rows);

/// On standard error: what runs, how far that is, how long the rest may take, what it has cost. On
/// a terminal a few lines that are rewritten, elsewhere a line where something starts or ends.
class batch_display {
public:
    explicit batch_display(bool quiet);

    void begin(std::size_t all, std::size_t finished_before, std::string const& folder);
    void started(batch_row const& row, bool goes_on);
    void ended(batch_row const& row);
    void show(std::vector<batch_row> const& rows, std::size_t waiting);
    void finish();

private:
    void put(std::string const& text) const;

    bool quiet_, terminal_;
    double began_ = seconds_now(), shown_ = 0;
    std::size_t ended_ = 0; ///< in this session
    std::size_t lines_ = 0; ///< on the terminal, to be rewritten
};

} // namespace lkt_tune
