// SPDX-License-Identifier: BSL-1.0
// The client's side of a run: the arena that carries arguments there and outputs back.
#pragma once

#include <lkt/gpu/detail/host/job.hpp>
#include <lkt/gpu/detail/launch_parameters.hpp>
#include <lkt/gpu/gpu_backend.hpp>
#include <lkt/process/shared_memory.hpp>

#include <cstring>
#include <string>
#include <utility>
#include <vector>

namespace lkt::host_detail {

/// What the cell said of the run that it made, checked.
struct arena_view {
    arena_head head;
    std::vector<seconds> samples;
};

class arena {
public:
    /// Lays out `j` (offsets, sizes) and copies what goes in. Errors: those of shared memory.
    [[nodiscard]] static result<arena>
    make(job& j, run_request const& request, signature const& s) {
        j.sets = static_cast<std::uint32_t>(1 + request.ring.size());
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
            a.values.resize(j.sets);
            a.offsets.resize(j.sets);
            for (std::size_t k = 0; k < j.sets; ++k) {
                if (!data.buffer) {
                    a.values[k] = gpu_detail::value_bytes(p, s.arguments, set(k));
                } else if (a.flow != direction::out) {
                    a.offsets[k] = offset;
                    offset += whole_pages(a.size);
                }
            }
            j.arguments.push_back(std::move(a));
        }
        j.kept_offset = offset;
        std::uint64_t outputs = 0;
        for (auto const& a : j.arguments)
            if (a.buffer && a.flow != direction::in) outputs += whole_pages(a.size);
        auto memory = shared_memory::create(offset + outputs * j.keep.size());
        if (!memory) return memory.error();
        for (std::size_t i = 0; i < j.arguments.size(); ++i) {
            auto const& a = j.arguments[i];
            if (!a.buffer || a.flow == direction::out || a.size == 0) continue;
            for (std::size_t k = 0; k < j.sets; ++k)
                memory->write(a.offsets[k] + place_in_pages(a.size), set(k)[a.position].bytes);
        }
        return arena{std::move(*memory)};
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
        auto offset = j.kept_offset;
        for (int const launch : j.keep) {
            kept_outputs kept;
            kept.launch = launch;
            kept.set = set_of_launch(j.poison_seed, launch, j.sets);
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

private:
    explicit arena(shared_memory memory) : memory_(std::move(memory)) {}
    shared_memory memory_;
};

} // namespace lkt::host_detail
