// SPDX-License-Identifier: BSL-1.0
// What NVRTC and ptxas write, read.
#pragma once

#include <lkt/gpu/cuda/compile_job.hpp>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace lkt::cuda_detail::log {

/// Takes a line off the front, without its end.
std::string_view next_line(std::string_view& rest) {
    auto const end = std::min(rest.find('\n'), rest.size());
    auto const line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    return line;
}

/// The number right before `words`: 1024 of `used 1 barriers, 1024 bytes smem`; 0 if none.
int number_before(std::string_view line, std::string_view words) {
    auto const at = line.find(words);
    if (at == line.npos) return 0;
    auto begin = at;
    while (begin > 0 && line[begin - 1] >= '0' && line[begin - 1] <= '9') --begin;
    int number = 0;
    (void)std::from_chars(line.data() + begin, line.data() + at, number);
    return number;
}

/// `'name' for` in a line of ptxas, and nothing that only begins so.
bool names(std::string_view line, std::string_view before, std::string_view name) {
    auto const at = line.find(before);
    if (at == line.npos) return false;
    auto const rest = line.substr(at + before.size());
    if (!rest.starts_with(name)) return false;
    return rest.size() == name.size() || rest[name.size()] == '\'' || rest[name.size()] == ' ';
}

template <class T>
T number_at(std::string_view bytes, std::uint64_t at) {
    T value{};
    if (at <= bytes.size() && bytes.size() - at >= sizeof(T))
        std::memcpy(&value, bytes.data() + at, sizeof(T));
    return value;
}

/// What follows the number of a remark, up to the function that it is of: `ptxas info : (C7515)
/// Potential Performance Loss: ... in the function 'name'`. Empty: the line is none, or is another
/// function's.
std::string_view remark_of(std::string_view line, std::string_view entry) {
    auto const number = line.find(": (C");
    auto const end = number == line.npos ? number : line.find(") ", number);
    if (end == line.npos) return {};
    auto text = line.substr(end + 2);
    constexpr std::string_view before_name = " in the function '";
    auto const named = text.find(before_name);
    if (named == text.npos) return text;
    auto name = text.substr(named + before_name.size());
    name = name.substr(0, name.find('\''));
    return name == entry ? text.substr(0, named) : std::string_view();
}

/// The sum of a cubin's sections that hold constants of `entry`: newer versions of ptxas do not
/// print it. A file that is no ELF has none.
std::uint64_t constant_bytes(std::string_view image, std::string_view entry) {
    if (!image.starts_with("\177ELF\2\1")) return 0;
    auto const table = number_at<std::uint64_t>(image, 40);
    auto const size = number_at<std::uint16_t>(image, 58);
    auto const count = number_at<std::uint16_t>(image, 60);
    auto const names = number_at<std::uint16_t>(image, 62);
    if (size < 64 || names >= count || table > image.size() ||
        (image.size() - table) / size < count)
        return 0;
    auto const header = [&](std::size_t i) { return table + i * size; };
    auto const strings = number_at<std::uint64_t>(image, header(names) + 24);
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < count; ++i) {
        auto const offset = number_at<std::uint32_t>(image, header(i));
        if (strings > image.size() || offset >= image.size() - strings) continue;
        auto name = image.substr(strings + offset);
        name = name.substr(0, std::min<std::size_t>(name.find('\0'), name.size()));
        constexpr std::string_view stem = ".nv.constant";
        if (!name.starts_with(stem)) continue;
        auto const dot = name.find('.', stem.size());
        if (dot != name.npos && name.substr(dot + 1) != entry) continue; // another kernel's
        sum += number_at<std::uint64_t>(image, header(i) + 32);
    }
    return std::min<std::uint64_t>(sum, image.size());
}

} // namespace lkt::cuda_detail::log

namespace lkt::cuda_detail {

kernel_resources
resources_in(std::string_view text, std::string_view entry, std::string_view image) {
    constexpr std::size_t most_remarks = 4;
    kernel_resources r;
    bool ours = false, properties = false;
    while (!text.empty()) {
        auto const line = log::next_line(text);
        if (!line.starts_with("ptxas")) continue;
        if (auto const remark = log::remark_of(line, entry);
            !remark.empty() && r.remarks.size() < most_remarks)
            r.remarks.emplace_back(remark.substr(0, 300));
        if (line.find("Compiling entry function '") != line.npos)
            ours = log::names(line, "Compiling entry function '", entry);
        if (!ours) continue;
        if (line.find("Function properties for ") != line.npos) {
            properties = log::names(line, "Function properties for ", entry);
        } else if (properties && line.find("bytes stack frame") != line.npos) {
            r.stack_bytes = log::number_before(line, " bytes stack frame");
            r.spill_store_bytes = log::number_before(line, " bytes spill stores");
            r.spill_load_bytes = log::number_before(line, " bytes spill loads");
            properties = false;
        } else if (line.find(": Used ") != line.npos) {
            r.registers = log::number_before(line, " registers");
            r.static_shared_bytes = log::number_before(line, " bytes smem");
            for (auto rest = line; rest.find(" bytes cmem[") != rest.npos;) {
                r.constant_bytes += log::number_before(rest, " bytes cmem[");
                rest.remove_prefix(rest.find(" bytes cmem[") + 1);
            }
        }
    }
    if (r.constant_bytes == 0)
        r.constant_bytes = static_cast<int>(
            std::min<std::uint64_t>(log::constant_bytes(image, entry), std::uint64_t{1} << 30));
    return r;
}

} // namespace lkt::cuda_detail
