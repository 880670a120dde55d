// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/gpu/code_object.hpp>
#include <lkt/gpu/detail/elf_sections.hpp>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <utility>

namespace lkt {

namespace detail::code_notes {

constexpr int max_depth = 16;
constexpr std::size_t max_kernels = 4096, max_parameters = 4096;

/// MessagePack, as far as notes use it. Whatever is wrong makes it `bad`, and everything that is
/// read then is empty.
class reader {
public:
    explicit reader(std::string_view bytes) : rest_(bytes) {}

    [[nodiscard]] bool bad() const { return bad_; }

    /// The number of pairs of a map, or of elements of an array. Each takes a byte at least.
    [[nodiscard]] std::uint64_t map() { return container(0x80, 0xde, 2); }
    [[nodiscard]] std::uint64_t array() { return container(0x90, 0xdc, 1); }

    [[nodiscard]] std::string_view text() {
        auto const kind = byte();
        std::uint64_t size = 0;
        if (kind >= 0xa0 && kind <= 0xbf)
            size = kind & 0x1f;
        else if (kind >= 0xd9 && kind <= 0xdb)
            size = number(std::size_t{1} << (kind - 0xd9));
        else
            bad_ = true;
        return take(size);
    }

    /// A number that is not negative.
    [[nodiscard]] std::uint64_t natural() {
        auto const kind = byte();
        if (kind <= 0x7f) return kind;
        if (kind >= 0xcc && kind <= 0xcf) return number(std::size_t{1} << (kind - 0xcc));
        bad_ = true;
        return 0;
    }

    /// Whatever comes next.
    void skip(int depth = 0) {
        if (depth > max_depth) bad_ = true;
        if (bad_) return;
        auto const kind = peek();
        if ((kind >= 0x80 && kind <= 0x8f) || kind == 0xde || kind == 0xdf) {
            for (auto n = map(); n > 0 && !bad_; --n) skip(depth + 1), skip(depth + 1);
        } else if ((kind >= 0x90 && kind <= 0x9f) || kind == 0xdc || kind == 0xdd) {
            for (auto n = array(); n > 0 && !bad_; --n) skip(depth + 1);
        } else if ((kind >= 0xa0 && kind <= 0xbf) || (kind >= 0xd9 && kind <= 0xdb)) {
            (void)text();
        } else {
            (void)byte();
            if (kind >= 0xc4 && kind <= 0xc6)
                (void)take(number(std::size_t{1} << (kind - 0xc4))); // bytes
            else if (kind == 0xca || kind == 0xcb)
                (void)take(kind == 0xca ? 4 : 8); // floating point
            else if (kind >= 0xcc && kind <= 0xcf)
                (void)take(std::size_t{1} << (kind - 0xcc));
            else if (kind >= 0xd0 && kind <= 0xd3)
                (void)take(std::size_t{1} << (kind - 0xd0));
            else if (kind >= 0xc1 && kind != 0xc2 && kind != 0xc3 && kind < 0xe0)
                bad_ = true; // extensions are not used
        }
    }

private:
    [[nodiscard]] unsigned peek() {
        if (rest_.empty()) bad_ = true;
        return bad_ ? 0xc1U : static_cast<unsigned char>(rest_.front());
    }
    unsigned byte() {
        auto const b = peek();
        if (!bad_) rest_.remove_prefix(1);
        return b;
    }
    std::string_view take(std::uint64_t size) {
        if (size > rest_.size()) bad_ = true;
        if (bad_) return {};
        auto const part = rest_.substr(0, static_cast<std::size_t>(size));
        rest_.remove_prefix(part.size());
        return part;
    }
    /// Big-endian.
    [[nodiscard]] std::uint64_t number(std::size_t size) {
        std::uint64_t n = 0;
        for (char const c : take(size)) n = n << 8 | static_cast<unsigned char>(c);
        return n;
    }
    [[nodiscard]] std::uint64_t container(unsigned few, unsigned many, std::uint64_t bytes_of_one) {
        auto const kind = byte();
        std::uint64_t n = 0;
        if (kind >= few && kind <= few + 15)
            n = kind & 15;
        else if (kind == many || kind == many + 1)
            n = number(kind == many ? 2 : 4);
        else
            bad_ = true;
        if (n > rest_.size() / bytes_of_one) bad_ = true;
        return bad_ ? 0 : n;
    }

    std::string_view rest_;
    bool bad_ = false;
};

void read_parameters(reader& r, code_object_kernel& k) {
    for (auto n = r.array(); n > 0 && !r.bad(); --n) {
        std::uint64_t size = 0;
        bool hidden = false;
        for (auto pairs = r.map(); pairs > 0 && !r.bad(); --pairs) {
            auto const key = r.text();
            if (key == ".size")
                size = r.natural();
            else if (key == ".value_kind")
                hidden = r.text().starts_with("hidden_");
            else
                r.skip();
        }
        if (!hidden && k.parameters.size() < max_parameters) k.parameters.push_back(size);
    }
}

code_object_kernel read_kernel(reader& r) {
    code_object_kernel k;
    std::pair<std::string_view, std::uint64_t*> const numbers[] = {
        {".vgpr_count", &k.vgprs},
        {".sgpr_count", &k.sgprs},
        {".agpr_count", &k.agprs},
        {".vgpr_spill_count", &k.spilt_vgprs},
        {".sgpr_spill_count", &k.spilt_sgprs},
        {".group_segment_fixed_size", &k.lds_bytes},
        {".private_segment_fixed_size", &k.private_bytes},
        {".kernarg_segment_size", &k.argument_bytes},
        {".wavefront_size", &k.wave_lanes},
        {".max_flat_workgroup_size", &k.max_threads}};
    for (auto pairs = r.map(); pairs > 0 && !r.bad(); --pairs) {
        auto const key = r.text();
        std::uint64_t* number = nullptr;
        for (auto const& [name, to] : numbers)
            if (key == name) number = to;
        if (number != nullptr)
            *number = r.natural();
        else if (key == ".name")
            k.name = std::string(r.text());
        else if (key == ".args")
            read_parameters(r, k);
        else
            r.skip();
    }
    return k;
}

std::optional<std::vector<code_object_kernel>> read_metadata(std::string_view bytes) {
    reader r{bytes};
    std::vector<code_object_kernel> kernels;
    for (auto pairs = r.map(); pairs > 0 && !r.bad(); --pairs) {
        if (r.text() != "amdhsa.kernels") {
            r.skip();
            continue;
        }
        for (auto n = r.array(); n > 0 && !r.bad(); --n) {
            if (kernels.size() >= max_kernels) return {};
            kernels.push_back(read_kernel(r));
        }
    }
    if (r.bad()) return {};
    return kernels;
}

} // namespace detail::code_notes

std::optional<std::vector<code_object_kernel>> kernels_in_code_object(std::string_view image) {
    constexpr std::uint32_t note_section = 7, metadata = 32;
    auto const sections = gpu_detail::elf_sections(image);
    if (!sections) return {};
    for (auto const& s : *sections) {
        if (s.type != note_section) continue;
        // Name, description and kind; then the name and the description, padded to four bytes.
        auto rest = s.bytes;
        while (rest.size() >= 12) {
            std::uint32_t head[3];
            std::memcpy(head, rest.data(), sizeof head);
            rest.remove_prefix(sizeof head);
            auto const padded = [](std::uint32_t n) { return (std::uint64_t{n} + 3) / 4 * 4; };
            if (padded(head[0]) > rest.size() ||
                rest.size() - static_cast<std::size_t>(padded(head[0])) < head[1])
                return {};
            auto const name = rest.substr(0, head[0]);
            rest.remove_prefix(static_cast<std::size_t>(padded(head[0])));
            if (head[2] == metadata && name == std::string_view("AMDGPU\0", 7))
                return detail::code_notes::read_metadata(rest.substr(0, head[1]));
            rest.remove_prefix(
                static_cast<std::size_t>(std::min<std::uint64_t>(padded(head[1]), rest.size())));
        }
    }
    return {};
}

} // namespace lkt
