// SPDX-License-Identifier: BSL-1.0
// What a batch consists of, as its folder keeps it.
#pragma once

#include "options.hpp"
#include "taken_over.hpp"

#include <lkt/core/result.hpp>
#include <lkt/process/unique_fd.hpp>

#include <optional>
#include <string>
#include <vector>

namespace lkt_tune {

/// The folder of `--journal`: `batch.json`, and a folder for each operation.
class batch_plan {
public:
    /// Errors: usage where options or names clash, or nothing is to be done; those of files.
    [[nodiscard]] static lkt::result<batch_plan> begin(options const& o,
                                                       std::vector<std::string> const& words);
    /// With the files that the folder of operations has by now. `words`: of the command line that
    /// resumes.
    [[nodiscard]] static lkt::result<batch_plan> resume(options const& o,
                                                        std::vector<std::string> const& words);

    [[nodiscard]] std::vector<std::string> const& names() const { return names_; }
    [[nodiscard]] std::string const& folder() const { return folder_; }
    [[nodiscard]] int jobs() const { return jobs_; }
    /// At least one; an empty name is that of the back end's first.
    [[nodiscard]] std::vector<std::string> devices() const {
        return devices_.empty() ? std::vector<std::string>{""} : devices_;
    }
    /// Whether the resuming line names devices, for what has begun as well.
    [[nodiscard]] bool moves() const;
    [[nodiscard]] std::string folder_of(std::string const& name) const;

    /// One start of this program.
    struct start {
        std::vector<std::string> words;
        std::string directory; ///< to run in
    };
    /// From the beginning. Errors: what is wrong with the file, which is read here.
    [[nodiscard]] lkt::result<start> beginning(std::string const& name,
                                               std::string const& device) const;
    /// What a journal says of the run that it holds.
    struct earlier {
        std::string device;
        std::string ending; ///< of its kernel's file
    };
    /// From where its journal stands, on its own device unless `moves()`.
    [[nodiscard]] start
    going_on(std::string const& name, std::string const& device, earlier const& was) const;
    /// If its journal holds a run, that; else what is left of one that had not begun is removed.
    [[nodiscard]] lkt::result<std::optional<earlier>> begun(std::string const& name) const;
    /// Whether another process writes its journal.
    [[nodiscard]] bool is_busy(std::string const& name) const;

private:
    [[nodiscard]] lkt::result<void> lock();
    void sweep() const;
    [[nodiscard]] lkt::result<void> list(std::string const& operations);
    [[nodiscard]] lkt::result<void> write() const;
    /// Only this user can make it here.
    [[nodiscard]] std::string mark() const;
    /// Where a run writes, in the folder of the batch.
    void add_places(std::vector<std::string>& words, std::string const& name) const;
    [[nodiscard]] std::string kernel_in(std::string const& name, std::string const& ending) const;
    [[nodiscard]] std::vector<std::string> first_words(std::string const& name,
                                                       std::string const& device) const;
    /// The problem of these words, which are checked, in the folder where the batch began.
    [[nodiscard]] lkt::result<options> checked(std::vector<std::string> const& words) const;
    [[nodiscard]] std::vector<std::string> words_for(std::vector<said_option> const& said,
                                                     std::string const& name) const;

    std::string folder_, operations_, begun_in_; // absolute
    std::vector<std::string> words_;             // with which it was begun
    std::vector<said_option> all_, now_;         // all that holds; what the resuming line says
    std::vector<std::string> names_;
    std::vector<std::string> stored_names_, devices_;
    int jobs_ = 1;
    lkt::unique_fd lock_;
};

/// `{operation}` in the value of an option of a batch stands for the name of each.
inline constexpr char const* operation_mark = "{operation}";

} // namespace lkt_tune
