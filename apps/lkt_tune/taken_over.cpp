// SPDX-License-Identifier: BSL-1.0
#include "taken_over.hpp"

#include "errors.hpp"

#include "../common/output.hpp"
#include "options.hpp"

#include <lkt/core/files.hpp>
#include <lkt/core/sha256.hpp>
#include <lkt/core/string_tools.hpp>
#include <lkt/process/unique_fd.hpp>

#include <boost/program_options/errors.hpp>

#include <algorithm>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <iterator>
#include <sys/random.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace lkt_tune {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t key_bytes = 32;

std::string key_file() {
    auto const folder = [](char const* variable) {
        char const* const value = std::getenv(variable);
        return std::string(value != nullptr && *value == '/' ? value : "");
    };
    if (auto const state = folder("XDG_STATE_HOME"); !state.empty()) return state + "/lkt/key";
    if (auto const home = folder("HOME"); !home.empty()) return home + "/.local/state/lkt/key";
    return {};
}

/// Makes the file as a whole or not at all; of several processes one wins.
void make_key(std::string const& file) {
    std::string key(key_bytes, '\0');
    if (::getrandom(key.data(), key.size(), 0) != static_cast<ssize_t>(key.size())) return;
    std::error_code failed;
    fs::create_directories(fs::path(file).parent_path(), failed);
    auto const draft = file + "." + std::to_string(::getpid());
    lkt::unique_fd const to(::open(draft.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600));
    if (!to) return;
    if (::write(to.get(), key.data(), key.size()) == static_cast<ssize_t>(key.size()))
        (void)!::link(draft.c_str(), file.c_str());
    ::unlink(draft.c_str());
}

template <std::size_t N>
bool is_one_of(std::string_view const (&names)[N], std::string const& key) {
    return std::find(std::begin(names), std::end(names), key) != std::end(names);
}

/// They run a file, or the compiler, with all rights of the user.
constexpr std::string_view with_all_rights[] = {"beside-torch", "unconfined-compiler"};
/// They ask somebody, with the user's key and money; the last one lets files be replaced.
constexpr std::string_view reaching_out[] = {"model", "fallback", "reviewer", "force"};
/// What the run is for, so that it cannot be left out.
constexpr std::string_view written_for[] = {"declare", "ask-script"};

} // namespace

std::string mark_of(std::initializer_list<std::string_view> texts) {
    auto const file = key_file();
    if (file.empty()) return {};
    auto key = lkt::read_text_file(file);
    if (!key) {
        make_key(file);
        key = lkt::read_text_file(file);
    }
    if (!key || key->size() != key_bytes) return {};
    lkt::sha256 inner;
    inner.add(*key);
    for (std::string_view const text : texts) inner.add_number(text.size()).add(text);
    return lkt::sha256().add(*key).add(inner.hex()).hex();
}

lkt::result<std::vector<std::string>> taken_over(saved_words saved,
                                                 std::vector<std::string> const& given) {
    std::vector<std::string> kept, risky, foreign;
    std::vector<said_option> said, now;
    try {
        said = options_said(saved.words);
        now = options_said(given);
    } catch (boost::program_options::error const&) {
        return saved.words; // which parsing them says
    }
    for (said_option const& one : said) {
        auto const words = one.words();
        bool const again = std::any_of(
            now.begin(), now.end(), [&](said_option const& other) { return other.key == one.key; });
        if (one.key == "config")
            return usage("the saved run names a file of options (" + lkt::joined(words, " ") +
                             "), which no run does that lkt-tune has saved: it could say anything",
                         "start it anew, with the command line of your own");
        bool const everything = is_one_of(with_all_rights, one.key);
        bool const outside = is_one_of(places, one.key) || is_one_of(reaching_out, one.key);
        if (!saved.own && is_one_of(written_for, one.key))
            return usage("the saved run is to write a file (" + lkt::joined(words, " ") +
                             "), and nothing shows that you began it here",
                         "start it anew, with the command line of your own");
        auto& to = everything ? risky : outside && !saved.own ? foreign : kept;
        if (&to == &kept || !again) to.insert(to.end(), words.begin(), words.end());
    }
    if (!risky.empty())
        lkt_apps::say("not taken from the saved run, since it runs with all your rights: " +
                      lkt::joined(risky, " ") + "; give it again if you want it");
    if (!foreign.empty())
        lkt_apps::say("not taken from the saved run, since nothing shows that you began it here: " +
                      lkt::joined(foreign, " ") + "; give again what you want of it");
    return kept;
}

} // namespace lkt_tune
