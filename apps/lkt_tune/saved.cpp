// SPDX-License-Identifier: BSL-1.0
#include "saved.hpp"

#include "errors.hpp"

#include <lkt/core/string_tools.hpp>
#include <lkt/nodes/draft.hpp>
#include <lkt/store/checkpoint.hpp>
#include <lkt/store/codec.hpp>

#include <filesystem>
#include <system_error>
#include <utility>

namespace lkt_tune {
namespace {

namespace fs = std::filesystem;

constexpr char const* words_fact = "command line";
constexpr char const* begun_in_fact = "begun in";
constexpr char const* draft_fact = "draft";
constexpr char const* mark_fact = "mark";

std::string journal_in(std::string const& folder) { return (fs::path(folder) / "run.journal"); }

} // namespace

saved_run::saved_run(std::string folder,
                     std::unique_ptr<lkt::journal_file> file,
                     lkt::journal journal)
    : folder_(std::move(folder)), file_(std::move(file)), journal_(std::move(journal)) {}

lkt::result<saved_run> saved_run::over(std::string const& folder, options const& o) {
    auto opened = lkt::journal_file::open(journal_in(folder), {.sync = o.journal_sync});
    if (!opened) return opened.error();
    auto file = std::make_unique<lkt::journal_file>(std::move(*opened));
    auto journal = lkt::journal::over(*file);
    if (!journal) return journal.error();
    std::error_code none; // later the current folder may be another one
    auto const absolute = fs::absolute(folder, none);
    return saved_run(none ? folder : absolute.string(), std::move(file), std::move(*journal));
}

lkt::result<saved_run> saved_run::begin(options const& o) {
    std::string const& folder = o.journal_folder;
    std::error_code failed;
    fs::create_directories(folder, failed);
    if (failed)
        return lkt::error{lkt::condition::unavailable,
                          "lkt.journal.open",
                          "cannot create the folder " + folder + ": " + failed.message(),
                          "choose another one with --journal"};
    auto made = over(folder, o);
    if (!made) return made;
    if (!made->journal_.empty())
        return usage("" + folder + " already holds a saved run",
                     "resume it (lkt-tune --resume " + lkt::shell_word(folder) +
                         "), or save this run in another folder");
    return made;
}

lkt::result<void> saved_run::write_down(std::vector<std::string> const& words,
                                        lkt::problem_draft const& draft) {
    std::error_code none; // then relative paths mean the folder in which it is resumed
    auto const here = fs::current_path(none).string();
    if (auto ok = journal_.put_fact(begun_in_fact, here); !ok) return ok;
    auto const problem = lkt::encoded(draft);
    auto const said = lkt::encoded(words);
    if (auto ok = journal_.put_fact(draft_fact, problem); !ok) return ok;
    if (auto ok = journal_.put_fact(mark_fact, mark_of({here, problem, said})); !ok) return ok;
    words_ = {words, true};
    return journal_.put_fact(words_fact, said);
}

lkt::result<saved_run> saved_run::open(options const& o) {
    std::string const& folder = o.resume_folder;
    std::error_code none;
    auto const nothing = [&](char const* what) {
        return usage("there is " + std::string(what) + " in " + folder,
                     "name the folder that --journal was given");
    };
    if (!fs::is_regular_file(journal_in(folder), none)) return nothing("no run.journal");
    auto made = over(folder, o);
    if (!made) return made;
    auto const words = made->journal_.fact(words_fact);
    if (!words || !lkt::decode(*words, made->words_.words)) return nothing("no run of lkt-tune");
    auto const fact = [&](char const* name) { return made->journal_.fact(name).value_or(""); };
    made->begun_in_ = fact(begun_in_fact);
    auto const mark = mark_of({made->begun_in_, fact(draft_fact), *words});
    made->words_.own = !mark.empty() && mark == fact(mark_fact);
    return made;
}

lkt::result<lkt::problem_draft> saved_run::draft() const {
    lkt::problem_draft draft;
    if (auto ok = lkt::decode(journal_.fact(draft_fact).value_or(""), draft); !ok)
        return lkt::detail::undecodable(journal_.name(), "problem", ok.error());
    return draft;
}

std::optional<lkt::error> saved_run::enter_folder() const {
    std::error_code failed;
    if (!begun_in_.empty()) fs::current_path(begun_in_, failed);
    if (!failed) return std::nullopt;
    return lkt::error{lkt::condition::unavailable,
                      "lkt.journal.open",
                      "the run was started in " + begun_in_ +
                          ", which cannot be entered: " + failed.message(),
                      "create that folder, with the files that the command line names"};
}

std::string saved_run::next_step() const {
    if (words_.words.empty()) return "nothing is saved yet: start the same command again";
    return is_saved + ("lkt-tune --resume " + lkt::shell_word(folder_));
}

} // namespace lkt_tune
