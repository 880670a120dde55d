// SPDX-License-Identifier: BSL-1.0
// A run that is saved in a folder: its journal, and the command line that it was begun with.
#pragma once

#include "options.hpp"
#include "taken_over.hpp"

#include <lkt/core/result.hpp>
#include <lkt/store/journal.hpp>
#include <lkt/store/journal_file.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace lkt_tune {

class saved_run {
public:
    /// Makes the folder, if need be. Errors: usage where a run is saved there already; those of
    /// `journal_file`.
    [[nodiscard]] static lkt::result<saved_run> begin(options const& o);
    /// With what the run was begun, for `open`: the command line, and the problem as it says it.
    [[nodiscard]] lkt::result<void> write_down(std::vector<std::string> const& words,
                                               lkt::problem_draft const& draft);
    /// Opens what `begin` left. Errors: usage where there is nothing; those of `journal_file` and
    /// `journal`.
    [[nodiscard]] static lkt::result<saved_run> open(options const& o);

    /// The command line that the run was begun with.
    [[nodiscard]] saved_words const& words() const { return words_; }
    /// The problem of that command line, as it was then.
    [[nodiscard]] lkt::result<lkt::problem_draft> draft() const;
    /// Makes the folder in which it was begun the current one, which relative paths mean.
    [[nodiscard]] std::optional<lkt::error> enter_folder() const;
    /// Copies share it.
    [[nodiscard]] lkt::journal& journal() { return journal_; }
    /// Replies of models, in all sessions so far.
    [[nodiscard]] std::uint64_t replies() const { return journal_.replies(); }
    /// How to go on, in a line; it begins so where a run is saved.
    static constexpr char const* is_saved = "the run is saved; to resume it: ";
    [[nodiscard]] std::string next_step() const;

private:
    saved_run(std::string folder, std::unique_ptr<lkt::journal_file> file, lkt::journal journal);
    [[nodiscard]] static lkt::result<saved_run> over(std::string const& folder, options const& o);

    std::string folder_, begun_in_;
    saved_words words_;
    std::unique_ptr<lkt::journal_file> file_; // where the journal finds it
    lkt::journal journal_;
};

} // namespace lkt_tune
