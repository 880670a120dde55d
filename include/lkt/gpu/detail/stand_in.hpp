// SPDX-License-Identifier: BSL-1.0
// The host back end's checked mode, for back ends of other devices.
#pragma once

#include <lkt/gpu/host.hpp>
#include <lkt/lang/wgsl/wgsl_cpp.hpp>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace lkt::device_detail {

/// The kernel of a request in C++. It has faults of its own.
using translate_fn = result<wgsl_cpp> (*)(compile_request const& request);

/// Has the host back end look for races. It is made when it is first needed.
class stand_in {
public:
    /// `code` is that of the error that says why nothing was looked for. `translate`: null where
    /// the kernel's own text runs.
    stand_in(std::string_view code, host_options options, translate_fn translate = nullptr)
        : code_(code), options_(std::move(options)), translate_(translate) {}

    /// Of a wave, in kernels that are HIP: to be said before the first one.
    void set_hip_lanes(unsigned lanes) { options_.hip_lanes = lanes; }

    /// Nothing is said against the kernel.
    [[nodiscard]] error not_searched(std::string why, std::string hint = {}) const {
        return {condition::unavailable,
                std::string(code_),
                "the CPU did not check it: " + std::move(why),
                std::move(hint)};
    }

    /// What the device's own compiler accepts is not wrong because it does not compile here.
    [[nodiscard]] result<compile_outcome> compile(compile_request const& request,
                                                  call_context const& context) {
        auto made = in_cpp(request, context);
        if (!made) {
            auto const& e = made.error();
            bool const known = e.kind == condition::rejected || e.kind == condition::unavailable;
            return known ? not_searched(e.message, e.hint) : e;
        }
        if (auto const* const why = std::get_if<failure>(&*made)) {
            auto const* const said = std::get_if<compile_failed>(why);
            return not_searched(said == nullptr ? describe(*why)
                                                : name() + " does not compile for the CPU" +
                                                      line_in(said->log));
        }
        std::get<compiled_kernel>(*made).stands_in = true;
        return made;
    }

    /// Races are a kernel's own, and so are accesses outside of an array where its own text runs;
    /// of a translation, also that it does not come to an end.
    /// All else that may happen here is the CPU's, or the translation's.
    [[nodiscard]] result<run_outcome>
    run(compiled_kernel const& kernel, run_request const& request, call_context const& context) {
        auto ran = engine().run(kernel, request, context);
        if (!ran) return ran;
        // The device converts in its own way, and what comes of it has been compared there.
        if (auto* const report = std::get_if<run_report>(&*ran))
            if (report->unchecked.starts_with(open_conversion)) report->unchecked.clear();
        auto const* const why = std::get_if<failure>(&*ran);
        // Blocks that wait for each other come to an end on a device, and not here.
        bool const own = translate_ == nullptr ? why && std::holds_alternative<out_of_bounds>(*why)
                                               : why && std::holds_alternative<timed_out>(*why);
        if (why == nullptr || std::holds_alternative<race>(*why) || own) return ran;
        return not_searched(name() + " did not finish on the CPU: " + describe(*why));
    }

private:
    [[nodiscard]] lkt::host& engine() {
        if (!host_) host_.emplace(options_);
        return *host_;
    }

    [[nodiscard]] result<compile_outcome> in_cpp(compile_request const& request,
                                                 call_context const& context) {
        if (translate_ == nullptr) return engine().compile(request, context);
        auto const cpp = translate_(request);
        if (!cpp) return cpp.error();
        return engine().compile_translation(request, *cpp, context);
    }

    [[nodiscard]] std::string name() const {
        return translate_ == nullptr ? "the text" : "its translation to C++";
    }

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

    std::string_view code_;
    host_options options_;
    translate_fn translate_;
    std::optional<lkt::host> host_;
};

} // namespace lkt::device_detail
