// SPDX-License-Identifier: BSL-1.0
// What lies on a device, and how work gets there.
#pragma once

#include <lkt/gpu/webgpu/detail/device_session.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <thread>
#include <utility>

namespace lkt::webgpu_detail {

namespace session_parts {

/// What is sent or fetched in one go.
constexpr std::uint64_t chunk_bytes = std::uint64_t{32} << 20;

std::uint64_t whole_words(std::uint64_t bytes) { return (bytes + 3) / 4 * 4; }

} // namespace session_parts

device_session::clock::time_point device_session::in(double seconds) {
    return clock::now() +
           std::chrono::duration_cast<clock::duration>(std::chrono::duration<double>(seconds));
}

/// Whatever the library reported since the last time.
void device_session::check(char const* doing) {
    std::lock_guard const lock(trouble_->gate);
    if (trouble_->lost)
        throw run_failure{run_end::crashed, "the device was lost: " + trouble_->lost_text};
    wg_error const kind = std::exchange(trouble_->error, wg_error::none);
    if (kind == wg_error::none) return;
    raise(kind, std::string(doing) + ": " + trouble_->error_text);
}

void device_session::raise(wg_error kind, std::string const& text) {
    if (text.find("device is lost") != std::string::npos) throw run_failure{run_end::crashed, text};
    throw run_failure{kind == wg_error::out_of_memory ? run_end::out_of_memory
                      : kind == wg_error::validation  ? run_end::launch_failed
                                                      : run_end::crashed,
                      text};
}

device_buffer device_session::allocate(std::uint64_t size, std::uint64_t usage) {
    size = std::max<std::uint64_t>(session_parts::whole_words(size), 4);
    wg_buffer_descriptor buffer_is;
    buffer_is.size = size;
    buffer_is.usage = usage;
    while (true) {
        owned_buffer made;
        auto const error = caught(api_, device_.get(), [&] {
            made = owned_buffer(api_, api_.create_buffer(device_.get(), &buffer_is));
        });
        if (error.kind == wg_error::none && made) return {std::move(made), size};
        // What other jobs left here makes room, the longest unused first.
        if (error.kind == wg_error::out_of_memory && make_room()) continue;
        raise(error.kind == wg_error::none ? wg_error::out_of_memory : error.kind,
              "cannot allocate a buffer of " + to_string(bytes{size}) + ": " + error.text);
    }
}

bool device_session::make_room() {
    if (sets_.size() > in_use_)
        sets_.pop_back();
    else if (expected_.size() > in_use_)
        expected_.pop_back();
    else
        return false;
    wait_idle(in(60), 60); // buffers are given back once nobody uses them
    return true;
}

void device_session::wait(bool const& done, clock::time_point deadline, double limit) {
    for (int polls = 0; !done; ++polls) {
        (void)api_.poll(device_.get(), 0, nullptr);
        if (done) break;
        check("waiting for the device");
        if (clock::now() > deadline)
            throw run_failure{run_end::timed_out,
                              "not finished within " + to_string(seconds(limit))};
        // Short kernels are waited for actively, others cost the processor nothing.
        if (polls > 200) std::this_thread::sleep_for(std::chrono::microseconds{50});
    }
}

void device_session::wait_idle(clock::time_point deadline, double limit) {
    for (int polls = 0; (api_.poll(device_.get(), 0, nullptr) & 0xff) == 0; ++polls) {
        check("waiting for the device");
        if (clock::now() > deadline)
            throw run_failure{run_end::timed_out,
                              "not finished within " + to_string(seconds(limit))};
        if (polls > 200) std::this_thread::sleep_for(std::chrono::microseconds{50});
    }
    check("waiting for the device");
}

/// Of a buffer that can be mapped.
void device_session::read(wg_buffer from, std::uint64_t at, std::span<std::byte> to) {
    struct mapping {
        bool done = false;
        wg_status status = wg_status::error;
        std::string why;
    } state;
    wg_call_back<wg_map_callback> answer;
    answer.first = &state;
    answer.callback = [](wg_status status, wg_text message, void* first, void*) {
        auto& s = *static_cast<mapping*>(first);
        s = {true, status, message.text()};
    };
    auto const size = static_cast<std::size_t>(session_parts::whole_words(to.size()));
    (void)api_.map_buffer(from, wg_map_read, static_cast<std::size_t>(at), size, answer);
    try {
        wait(state.done, in(60), 60);
    } catch (...) {
        api_.destroy_buffer(from); // so that nobody calls back into this frame
        (void)api_.poll(device_.get(), 0, nullptr);
        throw;
    }
    void const* const seen = state.status == wg_status::success
                                 ? api_.mapped_range(from, static_cast<std::size_t>(at), size)
                                 : nullptr;
    if (seen == nullptr) {
        check("reading from the device");
        throw run_failure{run_end::broken, "reading from the device: " + state.why};
    }
    std::memcpy(to.data(), seen, to.size());
    api_.unmap(from);
}

void device_session::send(device_buffer const& to,
                          argument_set::buffer const& how,
                          std::span<std::byte const> data) {
    using session_parts::chunk_bytes;
    std::uint64_t const step = chunk_bytes / how.stride; // elements
    std::vector<std::byte> copy;
    for (std::uint64_t first = 0; first < how.elements; first += step) {
        std::uint64_t const n = std::min(step, how.elements - first);
        auto const part = data.subspan(static_cast<std::size_t>(first * how.packed),
                                       static_cast<std::size_t>(n * how.packed));
        std::uint64_t const at = first * how.stride;
        std::byte const* from = part.data();
        std::size_t size = part.size();
        if (how.stride != how.packed || size % 4 != 0) {
            copy.assign(static_cast<std::size_t>(session_parts::whole_words(n * how.stride)),
                        std::byte{0});
            for (std::uint64_t k = 0; k < n; ++k)
                std::memcpy(copy.data() + k * how.stride, part.data() + k * how.packed, how.packed);
            from = copy.data();
            size = copy.size();
        }
        api_.write_buffer(queue_.get(), to.get(), at, from, size);
        if (how.elements > step) { // what is on its way lies in memory a second time
            api_.submit(queue_.get(), 0, nullptr);
            wait_idle(in(60), 60);
        }
    }
    check("sending to the device");
}

void device_session::fetch(argument_set::buffer const& from, std::span<std::byte> to) {
    using session_parts::chunk_bytes;
    std::uint64_t const step = chunk_bytes / from.stride;
    std::uint64_t const most = std::min(step, from.elements) * from.stride;
    device_buffer const staging = allocate(most, wg_usage::map_read | wg_usage::copy_to);
    std::vector<std::byte> strided;
    for (std::uint64_t first = 0; first < from.elements; first += step) {
        std::uint64_t const n = std::min(step, from.elements - first);
        std::uint64_t const size = session_parts::whole_words(n * from.stride);
        batch work(*this);
        work.copy(from.work.get(), first * from.stride, staging.get(), 0, size);
        work.submit();
        auto const part = to.subspan(static_cast<std::size_t>(first * from.packed),
                                     static_cast<std::size_t>(n * from.packed));
        if (from.stride == from.packed) {
            read(staging.get(), 0, part);
            continue;
        }
        strided.resize(static_cast<std::size_t>(size));
        read(staging.get(), 0, strided);
        for (std::uint64_t k = 0; k < n; ++k)
            std::memcpy(
                part.data() + k * from.packed, strided.data() + k * from.stride, from.packed);
    }
}

std::vector<std::uint32_t> device_session::counted(std::size_t n) {
    if (!counters_read_.handle)
        counters_read_ = allocate(counters_.size, wg_usage::map_read | wg_usage::copy_to);
    batch work(*this);
    work.copy(counters_.get(), 0, counters_read_.get(), 0, 4 * n);
    work.submit();
    std::vector<std::uint32_t> values(n);
    read(counters_read_.get(), 0, std::as_writable_bytes(std::span(values)));
    return values;
}

std::uint64_t device_session::digest_of(device_buffer const& of) {
    tool_parameters how;
    how.words = static_cast<std::uint32_t>(of.size / 4);
    std::copy_n(digest_keys_, 4, how.key);
    batch work(*this);
    work.clear(counters_);
    work.tool(tools_.digest, of.get(), nothing_.get(), how);
    work.submit();
    auto const sums = counted(2);
    return sums[0] | std::uint64_t{sums[1]} << 32;
}

/// When the last timed pass began and ended, in ticks.
std::pair<std::uint64_t, std::uint64_t> device_session::stamps() {
    std::array<std::uint64_t, 2> ticks{};
    read(stamps_read_.get(), 0, std::as_writable_bytes(std::span(ticks)));
    for (auto& t : ticks) t -= t % clock_step_;
    return {ticks[0], ticks[1]};
}

device_session::batch::batch(device_session& session) : s_(session) {
    wg_labelled const plain;
    encoder_ = owned_encoder(s_.api_, s_.api_.create_encoder(s_.device_.get(), &plain));
}

void device_session::batch::copy(
    wg_buffer from, std::uint64_t at, wg_buffer to, std::uint64_t to_at, std::uint64_t n) {
    s_.api_.copy_buffer(encoder_.get(), from, at, to, to_at, n);
}

void device_session::batch::clear(device_buffer const& buffer) {
    s_.api_.clear_buffer(encoder_.get(), buffer.get(), 0, buffer.size);
}

void device_session::batch::tool(owned_pipeline const& tool,
                                 wg_buffer written,
                                 wg_buffer seen,
                                 tool_parameters const& how,
                                 bool timed) {
    // Each tool of a batch has parameters of its own: all are written before the first one runs.
    if (tools_ == s_.parameters_.size())
        s_.parameters_.push_back(
            s_.allocate(sizeof(tool_parameters), wg_usage::uniform | wg_usage::copy_to));
    device_buffer const& parameters = s_.parameters_[tools_++];
    s_.api_.write_buffer(s_.queue_.get(), parameters.get(), 0, &how, sizeof how);
    wg_group_entry entries[4];
    wg_buffer const buffers[] = {written, seen, s_.counters_.get(), parameters.get()};
    for (std::uint32_t k = 0; k < 4; ++k) {
        entries[k].binding = k;
        entries[k].buffer = buffers[k];
        entries[k].size = static_cast<std::uint64_t>(-1); // all of it
    }
    wg_group_descriptor group_is;
    group_is.layout = s_.tools_.group.get();
    group_is.entry_count = 4;
    group_is.entries = entries;
    groups_.emplace_back(s_.api_, s_.api_.create_bind_group(s_.device_.get(), &group_is));
    wg_bind_group const group = groups_.back().get();
    // One thread writes a block of the stream, and one disturbs a group.
    std::uint32_t const each = &tool == &s_.tools_.stream ? 16 : &tool == &s_.tools_.nearly ? 8 : 1;
    dispatch(tool.get(), {&group, 1}, {std::clamp(how.words / each / 256, 1u, 32768u)}, 1, timed);
}

void device_session::batch::dispatch(
    wg_pipeline pipeline, std::span<wg_bind_group const> groups, dim3 grid, int times, bool timed) {
    auto const& a = s_.api_;
    timed = timed && s_.facts_.period > 0;
    wg_timestamps stamps;
    stamps.queries = s_.queries_.get();
    wg_pass_descriptor pass_is;
    pass_is.timestamps = timed ? &stamps : nullptr;
    {
        owned_pass const pass(a, a.begin_pass(encoder_.get(), &pass_is));
        a.set_pipeline(pass.get(), pipeline);
        for (std::size_t k = 0; k < groups.size(); ++k)
            a.set_bind_group(pass.get(), static_cast<std::uint32_t>(k), groups[k], 0, nullptr);
        for (int k = 0; k < times; ++k) a.dispatch(pass.get(), grid.x, grid.y, grid.z);
        a.end_pass(pass.get());
    }
    if (!timed) return;
    a.resolve_queries(encoder_.get(), s_.queries_.get(), 0, 2, s_.stamps_.get(), 0);
    copy(s_.stamps_.get(), 0, s_.stamps_read_.get(), 0, 16);
}

void device_session::batch::submit() {
    wg_labelled const plain;
    owned_commands const commands(s_.api_, s_.api_.finish(encoder_.get(), &plain));
    // What is wrong with a dispatch is said here, and wgpu-native ends the process that submits it.
    s_.check("preparing work for the device");
    wg_commands const handle = commands.get();
    s_.api_.submit(s_.queue_.get(), 1, &handle);
    groups_.clear();
    s_.check("sending work to the device");
}

} // namespace lkt::webgpu_detail
