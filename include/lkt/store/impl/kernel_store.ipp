// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/store/kernel_store.hpp>

#include <lkt/core/plain_text.hpp>
#include <lkt/core/sha256.hpp>
#include <lkt/store/detail/kernel_entry.hpp>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <set>
#include <system_error>
#include <utility>

namespace lkt {

namespace detail::kernels {

constexpr std::size_t largest = std::size_t{64} << 20;

std::int64_t now_ns() {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(
               std::chrono::system_clock::now().time_since_epoch())
        .count();
}

bool faster(kernel_entry const& a, kernel_entry const& b) {
    if (a.time && b.time && *a.time != *b.time) return *a.time < *b.time;
    if (a.time.has_value() != b.time.has_value()) return a.time.has_value();
    return a.file < b.file;
}

} // namespace detail::kernels

std::string kernel_key::hash() const {
    sha256 d;
    auto const add = [&](std::string_view said) {
        auto const text = well_formed_utf8(said);
        d.add_number(text.size()).add(text);
    };
    d.add_number(judges.size());
    for (std::string const& judge : judges) add(judge);
    for (std::string_view const text : {std::string_view(operation),
                                        std::string_view(size),
                                        std::string_view(problem),
                                        to_string(language),
                                        std::string_view(backend),
                                        std::string_view(device),
                                        std::string_view(architecture),
                                        std::string_view(lkt_version)})
        add(text);
    return d.hex();
}

kernel_store::kernel_store(std::string folder) : files_(std::move(folder), {.ending = ".json"}) {}

result<std::string> kernel_store::put(kernel_entry const& e) {
    auto const name = detail::kernels::name_of(e);
    auto const as = [&](stored_status s) { return detail::kernels::letter(s) + name.substr(1); };
    using enum stored_status;
    // It was the best of a run; in another one, others were.
    if (e.status == slower && read_named(as(accepted))) return as(accepted);
    if (auto failed = files_.write(name, to_text(e))) return *failed;
    for (stored_status const other : {accepted, slower, rejected})
        if (other != e.status) (void)files_.remove(as(other));
    return name;
}

result<kernel_entry> kernel_store::read_named(std::string_view name) const {
    auto const text = files_.read(name, detail::kernels::largest);
    if (!text) return text.error();
    auto e = read_kernel_entry(*text, std::string(name));
    auto const foreign = [&](error why) {
        why.code = "lkt.store.foreign";
        why.hint = "keep other files in another folder";
        return why;
    };
    bool const named = detail::kernels::is_own_name(name);
    if (!e) return !named && e.error().code == "lkt.store.entry" ? foreign(e.error()) : e.error();
    auto const its_own = detail::kernels::name_of(*e);
    if (e->writer == "lkt" && its_own != name) {
        auto const why = detail::kernels::fault("entry",
                                                std::string(name) + ": this is the entry " +
                                                    its_own + " under another name",
                                                "rename it, or remove it (lkt-store gc)");
        return named ? why : foreign(why);
    }
    e->file = name;
    return e;
}

result<kernel_entry> kernel_store::read(std::string_view name) const { return read_named(name); }

result<stored_kernels> kernel_store::read_all(std::string_view part) const {
    auto const files = files_.entries();
    if (!files) return files.error();
    stored_kernels found;
    for (stored_file const& f : *files) {
        if (f.name.find(part) == std::string::npos) continue;
        auto e = read_named(f.name);
        if (e)
            found.entries.push_back(std::move(*e));
        else if (e.error().code != "lkt.file.missing") // somebody has just removed it
            found.faults.emplace_back(f.name, e.error());
    }
    return found;
}

result<std::vector<kernel_entry>> kernel_store::read_latest(std::size_t most) const {
    auto files = files_.entries();
    if (!files) return files.error();
    std::stable_sort(
        files->begin(), files->end(), [](auto const& a, auto const& b) { return a.used > b.used; });
    std::vector<kernel_entry> found;
    for (stored_file const& f : *files) {
        if (found.size() == most) break;
        if (auto e = read_named(f.name)) found.push_back(std::move(*e));
    }
    return found;
}

result<stored_kernels> kernel_store::find(kernel_key const& key) const {
    std::error_code none;
    if (!std::filesystem::exists(folder(), none)) return stored_kernels();
    auto found = read_all("c_" + detail::kernels::part_of_key(key));
    if (!found) return found;
    std::erase_if(found->entries, [&](kernel_entry const& e) {
        return e.status != stored_status::accepted || e.writer != "lkt" || !(e.key == key);
    });
    std::sort(found->entries.begin(), found->entries.end(), detail::kernels::faster);
    return found;
}

std::optional<error> kernel_store::reject(kernel_entry e, std::string why) {
    e.status = stored_status::rejected;
    e.why = std::move(why);
    if (auto const put_there = put(e); !put_there) return put_there.error();
    return {};
}

result<std::vector<removable_file>> kernel_store::garbage(store_gc_options const& o) const {
    auto const files = files_.entries();
    if (!files) return files.error();
    std::vector<removable_file> all;
    for (stored_file const& f : files_.leftovers())
        all.push_back({f.name, f.bytes, "left by a writer that was killed"});
    std::map<std::string, std::vector<std::pair<kernel_entry, std::uint64_t>>> accepted;
    auto const oldest = detail::kernels::now_ns() - std::int64_t{o.days} * 86'400 * 1'000'000'000;
    for (stored_file const& f : *files) {
        auto e = read_named(f.name);
        if (!e) {
            // What is no entry of this program, or one that a later one can read, is not its own.
            if (e.error().code == "lkt.store.entry") all.push_back({f.name, f.bytes, "damaged"});
        } else if (e->writer != "lkt") {
            continue;
        } else if (e->status == stored_status::accepted) {
            e->record.clear(), e->prompt.clear(), e->reply.clear(), e->kernel.clear();
            accepted[e->key.hash()].emplace_back(std::move(*e), f.bytes);
        } else if (f.used < oldest) {
            all.push_back({f.name,
                           f.bytes,
                           std::string(to_string(e->status)) + ", not used for " +
                               std::to_string(o.days) + " days"});
        }
    }
    for (auto& [key, kernels] : accepted) {
        std::sort(kernels.begin(), kernels.end(), [](auto const& a, auto const& b) {
            return detail::kernels::faster(a.first, b.first);
        });
        for (std::size_t k = o.keep; k < kernels.size(); ++k)
            all.push_back(
                {kernels[k].first.file,
                 kernels[k].second,
                 "beyond the fastest " + std::to_string(o.keep) + " of its problem and device"});
    }
    return all;
}

result<std::uint64_t> kernel_store::collect(std::span<removable_file const> files) const {
    for (removable_file const& f : files) (void)files_.remove(f.name);
    files_.sweep();
    std::uint64_t freed = 0;
    std::size_t left = 0;
    for (removable_file const& f : files) {
        std::error_code none;
        if (std::filesystem::exists(std::filesystem::path(folder()) / f.name, none))
            ++left;
        else
            freed += f.bytes;
    }
    if (left == 0) return freed;
    return error{condition::unavailable,
                 "lkt.store.folder",
                 std::to_string(left) + " of " + std::to_string(files.size()) + " files of " +
                     folder() + " cannot be removed",
                 "see whether you may write to that folder"};
}

std::vector<kernel_statistics> statistics_of(std::span<kernel_entry const> entries) {
    std::map<std::pair<std::string, std::string>, kernel_statistics> all;
    std::map<std::pair<std::string, std::string>, std::set<std::string>> runs;
    for (kernel_entry const& e : entries) {
        std::pair const at(e.key.operation, e.model);
        kernel_statistics& s = all[at];
        s.operation = e.key.operation;
        s.model = e.model;
        if (s.asked.empty()) s.asked = e.asked;
        runs[at].insert(e.run);
        ++s.replies;
        s.right += e.status != stored_status::rejected;
        s.input_tokens += e.input_tokens;
        s.cached_tokens += e.cached_tokens;
        s.output_tokens += e.output_tokens;
        s.thinking += e.thinking;
        s.testing += e.testing;
        if (e.status != stored_status::accepted) continue;
        ++s.accepted;
        if (e.time && (!s.best || *e.time < *s.best)) s.best = e.time;
        if (e.time && e.baseline && e.time->count() > 0)
            s.speedup = std::max(s.speedup, *e.baseline / *e.time);
    }
    std::vector<kernel_statistics> list;
    for (auto& [at, s] : all) {
        s.runs = runs[at].size();
        list.push_back(std::move(s));
    }
    return list;
}

} // namespace lkt
