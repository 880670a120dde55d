// SPDX-License-Identifier: BSL-1.0
// The checked mode: a translation of the text, which runs on the CPU.
#pragma once

#include <lkt/gpu/host.hpp>
#include <lkt/gpu/webgpu.hpp>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace lkt::webgpu_detail {

/// Nothing is said against the kernel.
inline error not_searched(std::string why, std::string hint = {}) {
    return {condition::unavailable,
            "lkt.webgpu.checked",
            "it was not searched for races: " + std::move(why),
            std::move(hint)};
}

/// Has the host back end look for races. It is made when it is first needed.
class checker {
public:
    explicit checker(webgpu_options const& o) : options_(o.checker) { options_.worker = o.worker; }

    /// What the device's own compiler accepts is not wrong because its translation does not
    /// compile.
    [[nodiscard]] result<compile_outcome> compile(compile_request const& request,
                                                  call_context const& context) {
        if (!host_) host_.emplace(options_);
        auto made = host_->compile(request, context);
        if (!made) {
            auto const& e = made.error();
            bool const known = e.kind == condition::rejected || e.kind == condition::unavailable;
            return known ? not_searched(e.message, e.hint) : e;
        }
        if (auto const* const why = std::get_if<failure>(&*made)) {
            auto const* const said = std::get_if<compile_failed>(why);
            return not_searched(said == nullptr ? describe(*why)
                                                : "its translation to C++ does not compile" +
                                                      line_in(said->log));
        }
        std::get<compiled_kernel>(*made).stands_in = true;
        return made;
    }

    /// Races are a kernel's own. All else that may happen here is the translation's.
    [[nodiscard]] result<run_outcome>
    run(compiled_kernel const& kernel, run_request const& request, call_context const& context) {
        if (!host_) host_.emplace(options_);
        auto ran = host_->run(kernel, request, context);
        if (!ran) return ran;
        auto const* const why = std::get_if<failure>(&*ran);
        if (why == nullptr || std::holds_alternative<race>(*why) ||
            std::holds_alternative<timed_out>(*why))
            return ran;
        return not_searched("its translation did not run to the end: " + describe(*why));
    }

private:
    /// Of the text, where a compiler's log says it: ` (line 7)`.
    [[nodiscard]] static std::string line_in(std::string_view log) {
        constexpr std::string_view name = "kernel:";
        for (auto at = log.find(name); at != log.npos; at = log.find(name, at + 1)) {
            auto const digits = log.substr(at + name.size());
            auto const count = std::min(digits.find_first_not_of("0123456789"), digits.size());
            if (count > 0) return " (line " + std::string(digits.substr(0, count)) + ")";
        }
        return {};
    }

    host_options options_;
    std::optional<host> host_;
};

} // namespace lkt::webgpu_detail
