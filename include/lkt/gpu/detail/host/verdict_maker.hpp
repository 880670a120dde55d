// SPDX-License-Identifier: BSL-1.0
// From how a cell ended to what a kernel did wrong.
#pragma once

#include <lkt/core/plain_text.hpp>
#include <lkt/gpu/detail/host/arena.hpp>
#include <lkt/gpu/detail/host/buffers.hpp>
#include <lkt/gpu/detail/host/race_report.hpp>
#include <lkt/gpu/detail/host/sanitizer_report.hpp>
#include <lkt/gpu/detail/host/stores_at.hpp>
#include <lkt/kernel/failure.hpp>
#include <lkt/process/cell_outcome.hpp>

#include <csignal>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace lkt::host_detail {

class verdict_maker {
public:
    /// `find_line` maps an offset in the module to the kernel's text, as far as it can; `text` is
    /// what was compiled.
    verdict_maker(job const& j,
                  arena_head const& head,
                  cell_outcome const& outcome,
                  std::function<text_location(std::uint64_t)> find_line,
                  std::span<module_variable const> variables = {},
                  std::string_view text = {})
        : job_(j), head_(head), outcome_(outcome), find_line_(std::move(find_line)),
          variables_(variables), text_(text) {}

    /// Empty when the run went well.
    [[nodiscard]] std::optional<failure> make() const {
        if (auto report = sanitizer_reader{outcome_.output}.read()) {
            // The innermost frame that is in the kernel's text.
            for (auto const code : report->code)
                if (report->where.line == 0) report->where = find_line_(code);
            return sanitized(*report);
        }
        if (auto const* const e = std::get_if<cell_exited>(&outcome_.end)) return exited(e->code);
        if (auto const* const e = std::get_if<cell_signalled>(&outcome_.end)) return signalled(*e);
        if (auto const* const e = std::get_if<cell_refused>(&outcome_.end))
            return refused{
                e->call, "the kernel made a system call, which the sandbox does not allow", {}};
        if (std::holds_alternative<cell_timed_out>(outcome_.end))
            return timed_out{seconds{static_cast<double>(job_.run_limit_ms) * 1e-3}, "run"};
        if (auto const* const e = std::get_if<cell_out_of_memory>(&outcome_.end))
            return crashed{"out of memory: " + e->why, {}};
        return crashed{describe(outcome_.end), {}};
    }

private:
    static constexpr char const* to_input = "write to input argument ";
    /// Below lies what a null pointer plus an index reaches.
    static constexpr std::uint64_t low = 1 << 20;

    [[nodiscard]] std::optional<failure> exited(int code) const {
        auto const why = plain_line(outcome_.message, 400);
        switch (static_cast<cell_code>(code)) {
        case cell_code::done:
            if (head_.finished == static_cast<std::uint64_t>(job_.warmups + job_.launches))
                return {};
            return crashed{"the kernel ended the process before its launches were done", {}};
        case cell_code::load_failed:
            return launch_failed{"the compiled kernel cannot be loaded: " + why};
        case cell_code::wrong_arguments:
        case cell_code::unclear:
            return launch_failed{why};
        case cell_code::misused:
            return crashed{why, {}};
        case cell_code::timed_out:
            return timed_out{seconds{static_cast<double>(job_.launch_limit_ns) * 1e-9}, "launch"};
        case cell_code::race:
            return race{why};
        case cell_code::overrun:
            return out_of_bounds{why, {}};
        case cell_code::input_written:
            return out_of_bounds{why, {}, verdict::input_mutated};
        case cell_code::data_race:
            return race{describe_race(job_, head_.race, variables_, find_line_)};
        case cell_code::no_memory:
            return launch_failed{"no memory for " + why};
        }
        return crashed{"the kernel ended the process with status " + std::to_string(code), {}};
    }

    [[nodiscard]] failure signalled(cell_signalled const& e) const {
        if (e.stack_overflow) return crashed{"stack overflow", {}};
        if (!e.located || (e.signal != SIGSEGV && e.signal != SIGBUS))
            return crashed{describe(outcome_.end), {}};
        auto const near = place_of(e.address);
        // Inputs can be read: it was a write.
        if (near.starts_with(to_input)) return out_of_bounds{near, {}, verdict::input_mutated};
        if (is_beside(near))
            return out_of_bounds{
                (e.was_read ? "read, " : "write, ") + near, {}, outside(e.was_read)};
        return crashed{process_detail::name_of_signal(e.signal) + where_faulted(e.address, near),
                       {}};
    }

    [[nodiscard]] static verdict outside(bool read) {
        return read ? verdict::oob_read : verdict::oob_write;
    }

    /// Beside a buffer, and not in one. How much is mapped there differs from launch to launch.
    [[nodiscard]] static bool is_beside(std::string const& near) {
        return near.find(" bytes before ") != near.npos || near.find(" bytes after ") != near.npos;
    }

    /// Where a fault was, so that the same fault reads the same in each process: where memory is
    /// mapped, and with it the address, is another one each time.
    [[nodiscard]] static std::string where_faulted(std::uint64_t address, std::string const& near) {
        if (!near.empty()) return ": " + near;
        if (address < low) return " at address " + process_detail::hexadecimal(address);
        return " far outside of every buffer";
    }

    [[nodiscard]] failure sanitized(sanitizer_report const& r) const {
        if (r.undefined) {
            if (r.kind.starts_with("index "))
                return out_of_bounds{r.kind, r.where, outside(!stores_at(text_, r.where))};
            return crashed{"undefined behaviour: " + r.kind, r.where};
        }
        auto const near = r.has_address ? place_of(r.address) : std::string{};
        auto const access = r.access.empty() ? "access" : r.access;
        if (r.kind == "stack-overflow") return crashed{"stack overflow", r.where};
        // A program that was built with a sanitizer catches the faults of unchecked kernels, too.
        if (r.kind == "FPE") return crashed{process_detail::name_of_signal(SIGFPE), r.where};
        if (near.starts_with(to_input)) return out_of_bounds{near, r.where, verdict::input_mutated};
        if (r.kind == "ILL") return crashed{process_detail::name_of_signal(SIGILL), r.where};
        if (r.kind == "SEGV" &&
            ((!job_.checked && !is_beside(near)) || (near.empty() && r.address < low)))
            return crashed{"segmentation fault" + where_faulted(r.address, near) +
                               (r.access.empty() ? "" : " (" + r.access + ")"),
                           r.where};
        if (r.kind == "SEGV" || r.kind.find("overflow") != r.kind.npos ||
            r.kind.find("underflow") != r.kind.npos || r.kind == "use-after-poison" ||
            r.kind == "unknown-crash" || r.kind.find("use-after") != r.kind.npos) {
            auto place = !near.empty() ? near : r.object;
            if (place.empty() && r.kind == "SEGV") place = "far outside of every buffer";
            return out_of_bounds{access + (place.empty() ? "" : ", " + place),
                                 r.where,
                                 outside(access.starts_with("read"))};
        }
        return crashed{r.kind, r.where};
    }

    /// Which argument an address belongs to: a phrase, or empty.
    [[nodiscard]] std::string place_of(std::uint64_t address) const {
        auto const around = [&](std::uint64_t begin, std::uint64_t size, std::string const& name) {
            if (address >= begin && address < begin + size) return "inside " + name;
            if (address >= begin + size && address - begin - size < buffers::guard)
                return std::to_string(address - begin - size) + " bytes after " + name;
            if (address < begin && begin - address < buffers::guard)
                return std::to_string(begin - address) + " bytes before " + name;
            return std::string{};
        };
        for (std::size_t i = 0; i < job_.arguments.size(); ++i) {
            auto const& a = job_.arguments[i];
            if (!a.buffer || head_.addresses[i] == 0) continue;
            auto const place = around(head_.addresses[i], a.size, "argument " + a.name);
            if (place.starts_with("inside") && a.flow == direction::in)
                return std::string{to_input} + a.name;
            if (!place.empty()) return place;
        }
        if (head_.shared_address != 0 && job_.dimensions.shared_bytes != 0)
            return around(
                head_.shared_address, job_.dimensions.shared_bytes, "dynamic shared memory");
        return {};
    }

    job const& job_;
    arena_head const& head_;
    cell_outcome const& outcome_;
    std::function<text_location(std::uint64_t)> find_line_;
    std::span<module_variable const> variables_;
    std::string_view text_;
};

} // namespace lkt::host_detail
