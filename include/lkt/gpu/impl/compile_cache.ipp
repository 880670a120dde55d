// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/gpu/compile_cache.hpp>
#include <lkt/process/service.hpp>
#include <lkt/process/wire.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace lkt::gpu_detail::cache {

namespace fs = std::filesystem;

constexpr std::string_view entry_magic = "lkt compile cache 2\n";
constexpr std::string_view suffix = ".entry";
constexpr std::size_t max_entry = std::size_t{256} << 20;
constexpr std::uint64_t max_refused = std::uint64_t{64} << 20; ///< bytes in memory
constexpr std::uint64_t second_seed = 0x9e3779b97f4a7c15U;

std::string default_folder() {
    auto const set = [](char const* name) {
        auto const* const value = std::getenv(name);
        return std::string{value == nullptr ? "" : value};
    };
    if (auto const own = set("LKT_CACHE"); !own.empty()) return own;
    if (auto const xdg = set("XDG_CACHE_HOME"); xdg.starts_with("/")) return xdg + "/lkt";
    if (auto const home = set("HOME"); home.starts_with("/")) return home + "/.cache/lkt";
    return {};
}

std::string hex(std::uint64_t number) {
    char text[17];
    std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(number));
    return text;
}

std::string pack_entry(std::string_view key, compiled_text const& made) {
    packer out;
    auto const* const value = std::get_if<std::string>(&made);
    out.put(key).put(value != nullptr);
    if (value != nullptr) {
        out.put(*value);
    } else {
        auto const& why = std::get<compile_failed>(made);
        out.put(why.log).put(why.where.line).put(why.where.column);
    }
    auto bytes = std::string{entry_magic} + std::move(out).bytes();
    return bytes + hex(layout_hash(bytes));
}

/// What lies under exactly this key, if the bytes are a whole and undamaged entry.
std::optional<compiled_text> unpack_entry(std::string_view bytes, std::string_view key) {
    if (bytes.size() < entry_magic.size() + 16 || !bytes.starts_with(entry_magic)) return {};
    auto const content = bytes.substr(0, bytes.size() - 16);
    if (hex(layout_hash(content)) != bytes.substr(content.size())) return {};
    unpacker in{content.substr(entry_magic.size())};
    auto const written = in.text();
    bool const compiled = in.get<bool>();
    std::string text{in.text()};
    compile_failed why;
    if (!compiled) why.where.line = in.get<int>(), why.where.column = in.get<int>();
    if (!in.complete() || written != key) return {};
    if (compiled) return text;
    why.log = std::move(text);
    return why;
}

} // namespace lkt::gpu_detail::cache

namespace lkt::gpu_detail {

compile_cache::compile_cache(compile_cache_options options) {
    if (options.limit == 0) return;
    auto root = options.folder.empty() ? cache::default_folder() : options.folder;
    if (options.folder.empty() && root == "off") return;
    if (root.empty()) {
        note("the compile cache is off: neither LKT_CACHE nor XDG_CACHE_HOME nor HOME is set");
        return;
    }
    std::error_code failed;
    folder_ = (cache::fs::absolute(root, failed) / options.kind).string();
    if (failed) folder_.clear();
    // Whoever can write there decides what runs.
    struct stat about{};
    if (!folder_.empty() && ::stat(folder_.c_str(), &about) == 0 &&
        ((about.st_uid != ::geteuid() && about.st_uid != 0) || (about.st_mode & S_IWOTH) != 0)) {
        note("the compile cache is off: " + folder_ +
             " belongs to another user, or everyone may write to it");
        folder_.clear();
    }
    // Not flushed: what a power cut spoils, the checksum finds.
    if (!folder_.empty())
        files_.emplace(folder_,
                       folder_store_options{.ending = std::string{cache::suffix},
                                            .limit = options.limit,
                                            .flushed = false,
                                            .is_private = true});
}

std::string compile_cache::name_of(std::string_view key) {
    return cache::hex(layout_hash(key)) + cache::hex(layout_hash(key, cache::second_seed)) +
           std::string{cache::suffix};
}

std::optional<compiled_text> compile_cache::find(std::string_view key) {
    {
        std::lock_guard const guard{lock_};
        if (auto const known = refused_.find(std::string{key}); known != refused_.end())
            return known->second;
    }
    if (!files_) return {};
    auto const name = name_of(key);
    auto const bytes = files_->read(name, cache::max_entry);
    if (!bytes) return {};
    auto made = cache::unpack_entry(*bytes, key);
    if (made) files_->mark_used(name);
    return made;
}

/// The table is made anew when it is full.
void compile_cache::remember(std::string_view key, compile_failed const& why) {
    std::lock_guard const guard{lock_};
    auto const bytes = key.size() + why.log.size();
    if (refused_bytes_ + bytes > cache::max_refused) refused_.clear(), refused_bytes_ = 0;
    if (refused_.emplace(key, why).second) refused_bytes_ += bytes;
}

void compile_cache::store(std::string_view key, compiled_text const& made) {
    if (auto const* const why = std::get_if<compile_failed>(&made)) remember(key, *why);
    if (!files_) return;
    auto const bytes = cache::pack_entry(key, made);
    if (bytes.size() > cache::max_entry) return;
    {
        std::lock_guard const guard{lock_};
        if (useless_) return;
    }
    auto const failed = files_->write(name_of(key), bytes);
    if (!failed) return;
    std::lock_guard const guard{lock_};
    useless_ = true; // it will not pass by itself
    note("the compile cache cannot be written: " + failed->message);
}

void compile_cache::note(std::string text) {
    if (std::find(notes_.begin(), notes_.end(), text) == notes_.end())
        notes_.push_back(std::move(text));
}

std::string file_stamp(std::string const& path) {
    struct stat about{};
    if (::stat(path.c_str(), &about) != 0) return path + " does not exist\n";
    return path + ' ' + std::to_string(about.st_size) + ' ' + std::to_string(about.st_mtim.tv_sec) +
           '.' + std::to_string(about.st_mtim.tv_nsec) + '\n';
}

bool compiler_broke(std::string_view log) {
    static constexpr std::string_view words[] = {"nternal compiler error",
                                                 "nternal error",
                                                 "terminated program",
                                                 "command failed",
                                                 "unable to execute",
                                                 "submit a bug report",
                                                 "catastrophic error",
                                                 "out of memory",
                                                 "memory exhausted",
                                                 "Cannot allocate memory",
                                                 "bad_alloc",
                                                 "No space left"};
    return std::any_of(std::begin(words), std::end(words), [&](std::string_view word) {
        return log.find(word) != log.npos;
    });
}

std::vector<std::string> compile_cache::notes() const {
    std::lock_guard const guard{lock_};
    return notes_;
}

} // namespace lkt::gpu_detail
