// SPDX-License-Identifier: BSL-1.0
// A back end that compiles nothing: a function of the test's says what becomes of a text in a
// configuration. Its one kernel doubles its input.
#pragma once

#include <lkt/gpu/gpu_backend.hpp>
#include <lkt/kernel/problem.hpp>
#include <lkt/nodes/tuning_state.hpp>
#include <lkt/tuner/problem_from.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace lkt_test {

/// What becomes of a text in a configuration.
struct behaviour {
    std::optional<lkt::failure> compile, run, checked;
    std::optional<lkt::error> world; ///< met by the compilation
    std::vector<std::string> notes;  ///< of the compilation
    lkt::seconds time{1e-3};
    bool wrong = false;            ///< its output differs from twice the input
    bool wrong_when_timed = false; ///< ... only in launches that are timed in series
    std::uint64_t digest = 0;      ///< of the binary
    std::optional<std::uint64_t> writable_bytes{};
    std::string unchecked{};                       ///< what its checked mode leaves out
    std::string run_unchecked{};                   ///< ... and what a run in it does
    std::optional<lkt::failure> checked_compile{}; ///< of a build in checked mode
    std::optional<lkt::error> checked_world{};     ///< of a run in it
    std::size_t checked_beyond = ~std::size_t{0};  ///< bytes of the first argument: too slow in it
    std::size_t races_beyond = ~std::size_t{0};    ///< ... and with a race
    std::vector<double> constants{};               ///< of its code
    std::size_t wrong_at = 0; ///< elements of the first argument: wrong there alone
};

class fake_gpu {
public:
    using behave_fn = std::function<behaviour(std::string const&, lkt::configuration const&)>;

    explicit fake_gpu(behave_fn behave) : behave_(std::move(behave)) {}

    bool has_checked_mode = true;
    /// What a launch's time is multiplied by. Some noise, so that intervals have a width: 0 to 0.4
    /// %.
    std::function<double(std::size_t)> noise = [](std::size_t launch) {
        return 1 + 0.001 * static_cast<double>(launch * 7 % 5);
    };
    std::vector<std::string> log;        ///< `compile`, `checked`, `run` and `time`, with the text
    std::vector<lkt::run_request> timed; ///< without what they borrow

    lkt::result<lkt::device_description> device(lkt::call_context const&) const {
        lkt::device_description d;
        d.name = "Fake 1";
        d.backend = "fake";
        d.driver = "1.0";
        d.simulated = true;
        d.multiprocessors = 4;
        d.memory = {std::uint64_t{8} << 30};
        return d;
    }

    lkt::result<lkt::compile_outcome> compile(lkt::compile_request const& r,
                                              lkt::call_context const& x) {
        // Its kernels compute in float32 whatever the text says: a version in float64 it does not
        // know.
        if (r.source.text.find("float64_add") != std::string::npos)
            return lkt::compile_outcome(lkt::failure(lkt::compile_failed{"no float64", {}}));
        if (x.stop.stop_requested()) return lkt::cancelled("the fake compilation");
        log.push_back((r.checked ? "checked " : "compile ") + r.source.text);
        if (r.checked && !has_checked_mode)
            return lkt::error{
                lkt::condition::unavailable, "fake.checked", "there is no checked mode", {}};
        behaviour b = behave_(r.source.text, r.definitions);
        if (b.world) return *b.world;
        if (b.compile) return lkt::compile_outcome(*b.compile);
        if (r.checked && b.checked_compile) return lkt::compile_outcome(*b.checked_compile);
        lkt::compiled_kernel k;
        k.signature = r.signature;
        k.checked = r.checked;
        k.notes = b.notes;
        if (r.checked) k.unchecked = b.unchecked;
        k.digest = b.digest;
        k.writable_bytes = b.writable_bytes;
        if (r.constants) k.constants = std::make_shared<std::vector<double> const>(b.constants);
        k.handle = std::make_shared<compiled const>(compiled{r.source.text, std::move(b)});
        return lkt::compile_outcome(std::move(k));
    }

    lkt::result<lkt::run_outcome>
    run(lkt::compiled_kernel const& k, lkt::run_request const& r, lkt::call_context const& x) {
        if (x.stop.stop_requested()) return lkt::cancelled("the fake launch");
        auto const& made = *static_cast<compiled const*>(k.handle.get());
        bool const in_series = r.warmups > 0;
        log.push_back((in_series ? "time " : "run ") + made.text);
        if (in_series) timed.push_back(r);
        if (made.how.run) return lkt::run_outcome(*made.how.run);
        if (k.checked && made.how.checked) return lkt::run_outcome(*made.how.checked);
        if (k.checked && made.how.checked_world) return *made.how.checked_world;
        if (k.checked && r.arguments[0].bytes.size() > made.how.checked_beyond)
            return lkt::run_outcome(lkt::failure(lkt::timed_out{r.time_limit, "launch"}));
        if (k.checked && r.arguments[0].bytes.size() > made.how.races_beyond)
            return lkt::run_outcome(lkt::failure(lkt::race{"two tiles"}));
        lkt::run_report report;
        if (k.checked) report.unchecked = made.how.run_unchecked;
        for (int i = 0; i < r.launches; ++i)
            report.samples.push_back(made.how.time * noise(launches_++));
        lkt::argument_data out = r.arguments[0];
        for (std::size_t i = 0; i < out.count(); ++i) {
            float value = 2 * out.lane<float>(i);
            if (made.how.wrong || out.count() == made.how.wrong_at ||
                (in_series && made.how.wrong_when_timed))
                value += 1;
            std::memcpy(out.bytes.data() + i * sizeof value, &value, sizeof value);
        }
        for (int launch : r.keep) report.kept.push_back({launch, false, {out}});
        return lkt::run_outcome(std::move(report));
    }

    [[nodiscard]] std::size_t count(std::string const& entry) const {
        std::size_t n = 0;
        for (std::string const& line : log) n += line.starts_with(entry) ? 1 : 0;
        return n;
    }

private:
    struct compiled {
        std::string text;
        behaviour how;
    };
    behave_fn behave_;
    std::size_t launches_ = 0;
};
static_assert(lkt::gpu_backend<fake_gpu>);

inline std::string const original_text =
    "__global__ void twice(float const* x, float* y, int n) {\n"
    "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "    if (i < n) y[i] = 2 * x[i];\n"
    "}\n";

/// The original with a remark, so that texts differ.
inline std::string variant_text(std::string const& remark) {
    return "// " + remark + "\n" + original_text;
}

/// The same with a token of its own: a remark alone makes no other kernel.
inline std::string changed_text(std::string const& remark) {
    std::string name = "changed_";
    for (char const c : remark) name += c == ' ' || c == '.' ? '_' : c;
    return "// " + remark + "\nstruct " + name + ";\n" + original_text;
}

/// A reply as a model writes it; `json` may be empty.
inline std::string reply_with(std::string const& code, std::string const& json = {}) {
    std::string text = "Here it is.\n\n```cuda\n" + code + "```\n";
    if (!json.empty()) text += "\n```json\n" + json + "\n```\n";
    return text;
}

inline lkt::problem twice_problem() {
    lkt::kernel_options o;
    o.size = {{"N", 64}};
    o.arguments = {{"x", "N"}, {"y", "N"}, {"n", "N"}};
    o.grid = {"ceil_div(N, 32)"};
    o.block = {"32"};
    return lkt::problem_from({lkt::language::cuda, original_text, "twice.cu"}, o).value();
}

/// The problem with a parameter, as the kernel's author left it.
inline lkt::problem tunable_problem() {
    lkt::problem p = twice_problem();
    p.parameters = {{"BLOCK", {std::int64_t{32}, std::int64_t{16}, std::int64_t{64}}}};
    p.launch.grid[0] = lkt::expression::parse("ceil_div(N, BLOCK)").value();
    p.launch.block[0] = lkt::expression::parse("BLOCK").value();
    return p;
}

inline std::int64_t integer(lkt::configuration const& c, std::string const& name) {
    auto const* v = c.find(name);
    return v ? std::get<std::int64_t>(*v) : -1;
}

} // namespace lkt_test
