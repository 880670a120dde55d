// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/process/cell_outcome.hpp>

#include <csignal>
#include <cstdio>

namespace lkt {

namespace process_detail {

std::string hexadecimal(std::uint64_t value) {
    char text[24];
    std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
    return text;
}

std::string name_of_signal(int signal) {
    switch (signal) {
    case SIGSEGV:
        return "segmentation fault";
    case SIGBUS:
        return "bus error";
    case SIGFPE:
        return "arithmetic trap (an integer divided by zero, or the smallest one by -1?)";
    case SIGILL:
        return "illegal instruction";
    case SIGABRT:
        return "abort";
    case SIGTRAP:
        return "trap";
    case SIGKILL:
        return "killed from outside";
    default:
        return "signal " + std::to_string(signal); // an int, no enumeration
    }
}

template <class... F>
struct overloaded : F... {
    using F::operator()...;
};
template <class... F>
overloaded(F...) -> overloaded<F...>;

} // namespace process_detail

std::string describe(cell_end const& end) {
    namespace pd = process_detail;
    return std::visit(
        pd::overloaded{[](cell_exited e) { return "exited with status " + std::to_string(e.code); },
                       [](cell_signalled const& e) {
                           auto const at = e.located && (e.signal == SIGSEGV || e.signal == SIGBUS)
                                               ? " at address " + pd::hexadecimal(e.address)
                                               : "";
                           return e.stack_overflow ? "stack overflow" + at
                                                   : pd::name_of_signal(e.signal) + at;
                       },
                       [](cell_refused const& e) { return "refused: " + e.call; },
                       [](cell_timed_out) { return std::string{"ran longer than its limit"}; },
                       [](cell_out_of_memory const& e) { return "out of memory: " + e.why; },
                       [](cell_overcrowded e) {
                           return "too many threads (" + std::to_string(e.threads) + ")";
                       },
                       [](cell_threw const& e) { return "threw: " + e.what; }},
        end);
}

void put(packer& out, cell_outcome const& o) {
    out.put(static_cast<std::uint8_t>(o.end.index()));
    std::visit(process_detail::overloaded{
                   [&](cell_exited e) { out.put(e.code); },
                   [&](cell_signalled const& e) {
                       out.put(e.signal).put(e.located).put(e.address).put(e.instruction);
                       out.put(e.stack_overflow).put(e.was_read);
                   },
                   [&](cell_refused const& e) { out.put(e.number).put(e.call); },
                   [](cell_timed_out) {},
                   [&](cell_out_of_memory const& e) { out.put(e.why); },
                   [&](cell_overcrowded e) { out.put(e.threads); },
                   [&](cell_threw const& e) { out.put(e.what); }},
               o.end);
    out.put(o.message).put(o.output).put(o.output_cut);
    out.put(o.wall.count()).put(o.cpu.count()).put(o.peak_rss);
}

cell_outcome read_cell_outcome(unpacker& in) {
    cell_outcome o;
    switch (in.get<std::uint8_t>()) {
    case 0:
        o.end = cell_exited{in.get<int>()};
        break;
    case 1: {
        cell_signalled e;
        e.signal = in.get<int>();
        e.located = in.get<bool>();
        e.address = in.get<std::uint64_t>();
        e.instruction = in.get<std::uint64_t>();
        e.stack_overflow = in.get<bool>();
        e.was_read = in.get<bool>();
        o.end = e;
        break;
    }
    case 2: {
        auto const number = in.get<long>();
        o.end = cell_refused{number, std::string{in.text()}};
        break;
    }
    case 3:
        o.end = cell_timed_out{};
        break;
    case 4:
        o.end = cell_out_of_memory{std::string{in.text()}};
        break;
    case 5:
        o.end = cell_overcrowded{in.get<int>()};
        break;
    case 6:
        o.end = cell_threw{std::string{in.text()}};
        break;
    default:
        in.fail(); // no such alternative
    }
    o.message = in.text();
    o.output = in.text();
    o.output_cut = in.get<bool>();
    o.wall = std::chrono::nanoseconds{in.get<std::chrono::nanoseconds::rep>()};
    o.cpu = std::chrono::nanoseconds{in.get<std::chrono::nanoseconds::rep>()};
    o.peak_rss = in.get<std::uint64_t>();
    return o;
}

} // namespace lkt
