// SPDX-License-Identifier: BSL-1.0
// The client's side of a run: the arena that carries arguments there and outputs back.
#pragma once

#include <lkt/gpu/detail/host/branch_watch.hpp>
#include <lkt/gpu/detail/host/host_job.hpp>
#include <lkt/gpu/detail/launch_parameters.hpp>
#include <lkt/gpu/device/detail/job_maps.hpp>
#include <lkt/gpu/device/job.hpp>
#include <lkt/gpu/gpu_backend.hpp>
#include <lkt/process/shared_memory.hpp>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace lkt::host_detail {

using maps_of_set = std::vector<device_detail::job_map>;

/// The tensor maps of a kernel for each set of arguments of a run, or why there is one that cannot
/// be. `names`: what they may name besides arguments.
[[nodiscard]] inline std::variant<std::vector<maps_of_set>, std::string>
maps_of_sets(signature const& s, configuration const& names, run_request const& request) {
    std::vector<maps_of_set> all;
    for (std::size_t k = 0; !s.tensor_maps.empty() && k <= request.ring.size(); ++k) {
        auto made =
            device_detail::maps_of(s,
                                   names,
                                   k == 0 ? request.arguments : request.ring[k - 1].arguments,
                                   request.directions);
        if (auto* const why = std::get_if<std::string>(&made)) return std::move(*why);
        all.push_back(std::get<maps_of_set>(std::move(made)));
    }
    return all;
}

/// What the cell said of the run that it made, checked.
struct arena_view {
    arena_head head;
    std::vector<seconds> samples;
};

class arena {
public:
    /// Lays out `j` (offsets, sizes) and copies what goes in. `maps`: of each set of arguments.
    /// Errors: those of shared memory.
    [[nodiscard]] static result<arena> make(job& j,
                                            run_request const& request,
                                            signature const& s,
                                            std::vector<maps_of_set> const& maps = {}) {
        j.sets = static_cast<std::uint32_t>(1 + request.ring.size());
        job_secrets secrets{secrets_of_run(request), request.keep, 0, {}};
        auto const set = [&](std::size_t k) {
            return k == 0 ? request.arguments : request.ring[k - 1].arguments;
        };
        std::uint64_t offset = head_bytes(j.launches);
        for (auto const& p : gpu_detail::launch_parameters(s.arguments, request.arguments.size())) {
            auto const i = p.first;
            auto const& data = request.arguments[i];
            bool const declared = i < s.arguments.size();
            job_argument a;
            a.name = declared && !s.arguments[i].name.empty() ? s.arguments[i].name
                                                              : "number " + std::to_string(i + 1);
            if (declared && s.arguments[i].within) a.name = s.arguments[i].within->record;
            a.position = i;
            a.buffer = data.buffer;
            a.constant = declared && s.arguments[i].constant_count > 0;
            a.flow = request.directions[i];
            if (data.buffer) a.size = data.bytes.size();
            a.element = static_cast<unsigned>(data.type.bytes());
            if (!a.constant && i < 64 && (request.unaligned >> i & 1) != 0)
                a.off = a.element % buffer_alignment;
            a.values.resize(j.sets);
            a.offsets.resize(j.sets);
            a.places.resize(j.sets);
            for (std::size_t k = 0; k < j.sets; ++k) {
                if (!data.buffer) {
                    a.values[k] = gpu_detail::value_bytes(p, s.arguments, set(k));
                } else if (a.flow != direction::out) {
                    a.offsets[k] = offset;
                    offset += a.flow == direction::in ? room_bytes(a.size) : whole_pages(a.size);
                    a.places[k] =
                        place_in_room(a.size, a.off, drawn(secrets.run, "place of an input", i, k));
                }
            }
            secrets.arguments.push_back(
                {i, data.type.scalar, std::vector<std::uint64_t>(j.sets, std::uint64_t{0})});
            j.arguments.push_back(std::move(a));
        }
        if (!maps.empty()) add_maps(j, secrets, s, maps);
        auto const likenesses = right_outputs(j, request);
        for (auto const& one : likenesses) {
            secrets.arguments[one.argument].right[one.set] = offset;
            offset += whole_pages(one.data->bytes.size());
        }
        secrets.kept_offset = offset;
        for (auto const& a : j.arguments)
            if (a.buffer && a.flow != direction::in)
                offset += whole_pages(a.size) * request.keep.size();
        j.branches_offset = offset;
        offset += whole_pages(j.branches_count * sizeof(branch_place));
        auto const packed = pack(secrets);
        j.secrets_offset = offset;
        j.secrets_size = packed.size();
        auto memory = shared_memory::create(offset + whole_pages(packed.size()));
        if (!memory) return memory.error();
        memory->write(j.secrets_offset, std::as_bytes(std::span{packed}));
        for (auto const& one : likenesses)
            memory->write(secrets.arguments[one.argument].right[one.set], one.data->bytes);
        for (std::size_t i = 0; i < j.arguments.size(); ++i) {
            auto const& a = j.arguments[i];
            if (!a.buffer || a.flow == direction::out) continue;
            for (std::size_t k = 0; k < j.sets; ++k) {
                if (a.flow == direction::in) surround(*memory, a, k, secrets.run, i);
                auto const begin = a.flow == direction::in ? a.places[k] : 0;
                if (a.size != 0) memory->write(a.offsets[k] + begin, set(k)[a.position].bytes);
            }
        }
        return arena{std::move(*memory), std::move(secrets)};
    }

    [[nodiscard]] int fd() const { return memory_.fd(); }

    [[nodiscard]] arena_view view(int launches) const {
        arena_view v;
        std::memcpy(&v.head, memory_.bytes().data(), sizeof v.head);
        for (int i = 0; i < launches; ++i) {
            std::uint64_t ns = 0;
            std::memcpy(&ns,
                        memory_.bytes().data() + sizeof(arena_head) +
                            static_cast<std::size_t>(i) * 8,
                        8);
            v.samples.emplace_back(static_cast<double>(ns) * 1e-9);
        }
        return v;
    }

    [[nodiscard]] std::vector<kept_outputs> outputs(job const& j,
                                                    run_request const& request) const {
        std::vector<kept_outputs> all;
        auto offset = secrets_.kept_offset;
        for (int const launch : secrets_.keep) {
            kept_outputs kept;
            kept.launch = launch;
            kept.set = set_of_launch(secrets_.run, launch, j.sets);
            for (std::size_t i = 0; i < j.arguments.size(); ++i) {
                auto const& a = j.arguments[i];
                if (!a.buffer || a.flow == direction::in) continue;
                auto const from = memory_.bytes().subspan(offset, a.size);
                kept.outputs.push_back(
                    {request.arguments[a.position].type, true, byte_buffer(from)});
                offset += whole_pages(a.size);
            }
            all.push_back(std::move(kept));
        }
        return all;
    }

    /// Where `branches_count` is not 0.
    [[nodiscard]] branches_seen branches(job const& j) const {
        auto const* const begin = memory_.bytes().data() + j.branches_offset;
        return read_branches({reinterpret_cast<branch_place const*>(begin), // NOLINT
                              static_cast<std::size_t>(j.branches_count)});
    }

private:
    /// Puts a kernel's tensor maps among its parameters.
    static void add_maps(job& j,
                         job_secrets& secrets,
                         signature const& s,
                         std::vector<maps_of_set> const& maps) {
        auto const plain = j.arguments;
        for (std::size_t m = 0; m < maps[0].size(); ++m) {
            job_argument a;
            a.name = s.tensor_maps[m].name;
            a.position = plain[maps[0][m].argument].position;
            a.map_of = 1;
            a.offsets.resize(j.sets);
            a.places.resize(j.sets);
            for (std::size_t k = 0; k < j.sets; ++k) a.values.push_back(packed(maps[k][m].layout));
            // Behind as many parameters; constant memory is none.
            std::size_t at = 0;
            for (std::uint64_t before = 0; at < j.arguments.size(); ++at)
                if (!j.arguments[at].constant && before++ == maps[0][m].parameter) break;
            auto const offset = static_cast<std::ptrdiff_t>(at);
            j.arguments.insert(j.arguments.begin() + offset, std::move(a));
            secrets.arguments.insert(
                secrets.arguments.begin() + offset,
                {0, scalar_type::uint8, std::vector<std::uint64_t>(j.sets, std::uint64_t{0})});
        }
        for (auto& map : j.arguments)
            for (std::size_t i = 0; map.map_of != 0 && i < j.arguments.size(); ++i)
                if (j.arguments[i].map_of == 0 && j.arguments[i].position == map.position)
                    map.map_of = i + 1;
    }
    [[nodiscard]] static std::string packed(tensor_layout const& l) {
        host_map m;
        std::copy(l.extent.begin(), l.extent.end(), m.extent);
        std::copy(l.stride.begin(), l.stride.end(), m.stride);
        for (std::size_t d = 0; d < l.box.size(); ++d)
            m.box[d] = static_cast<std::uint16_t>(l.box[d]);
        m.rank = static_cast<std::uint16_t>(l.extent.size());
        m.bytes = static_cast<std::uint16_t>(size_of(l.type));
        m.swizzle = static_cast<std::uint16_t>(l.swizzle);
        std::string bytes(sizeof m, '\0');
        std::memcpy(bytes.data(), &m, sizeof m);
        return bytes;
    }

    explicit arena(shared_memory memory, job_secrets secrets)
        : memory_(std::move(memory)), secrets_(std::move(secrets)) {}

    /// A right output of one set of arguments, with which memory may be filled.
    struct right_output {
        std::size_t argument, set;
        argument_data const* data;
    };
    /// None for a single launch, which finds noise in any case.
    [[nodiscard]] static std::vector<right_output> right_outputs(job const& j,
                                                                 run_request const& request) {
        constexpr std::uint64_t most = std::uint64_t{64} << 20;
        std::vector<right_output> all;
        if (j.warmups + j.launches < 2) return all;
        for (std::size_t k = 0; k < j.sets; ++k) {
            auto const values =
                k == 0 ? request.expected.values : request.ring[k - 1].expected.values;
            std::vector<argument_data const*> of(request.directions.size(), nullptr);
            std::size_t n = 0;
            for (std::size_t i = 0; i < of.size(); ++i)
                if (request.directions[i] != direction::in && n < values.size())
                    of[i] = &values[n++];
            if (n != values.size()) continue;
            for (std::size_t i = 0; i < j.arguments.size(); ++i) {
                auto const& a = j.arguments[i];
                auto const* const data = of[a.position];
                if (a.buffer && a.flow == direction::out && data != nullptr && a.size != 0 &&
                    data->bytes.size() == a.size && a.size <= most)
                    all.push_back({i, k, data});
            }
        }
        return all;
    }

    /// What lies around an input is noise, as around an output.
    static void surround(shared_memory& memory,
                         job_argument const& a,
                         std::size_t set,
                         secret_key const& run,
                         std::size_t number) {
        std::vector<std::byte> noise(room_bytes(a.size) - a.size);
        fill(noise, derived(run, "beside an input", number, set));
        auto const before = std::span{noise}.first(a.places[set]);
        auto const behind = std::span{noise}.subspan(before.size());
        memory.write(a.offsets[set], before);
        memory.write(a.offsets[set] + before.size() + a.size, behind);
    }

    shared_memory memory_;
    job_secrets secrets_;
};

} // namespace lkt::host_detail
