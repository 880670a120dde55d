// SPDX-License-Identifier: BSL-1.0
#include "tests.hpp"

#include "backend.hpp"

#include <lkt/core/files.hpp>
#include <lkt/core/secret_stream.hpp>
#include <lkt/gpu/any_gpu_backend.hpp>
#include <lkt/gpu/host.hpp>
#include <lkt/gpu/webgpu.hpp>
#include <lkt/problems/problem_file.hpp>
#include <lkt/verify/all_of.hpp>
#include <lkt/verify/oracle.hpp>

#include <algorithm>
#include <utility>

#include <unistd.h>

namespace lkt_apps {

lkt::result<std::vector<lkt::test_case>>
chosen_tests::generate(lkt::problem const& task, lkt::call_context const& context) const {
    auto tests =
        script ? lkt::all_of{*script, rest}.generate(task, context) : rest.generate(task, context);
    if (!tests || !models) return tests;
    auto more = models->generate(task, context);
    if (!more) return more.error();
    lkt::detail::add_tests(task, *std::move(more), *tests);
    return tests;
}

lkt::bytes memory_for_a_test(double wanted_gib) {
    constexpr double gib = 1 << 30;
    if (wanted_gib > 0) return {static_cast<std::uint64_t>(wanted_gib * gib)};
    auto const pages = ::sysconf(_SC_PHYS_PAGES), page = ::sysconf(_SC_PAGESIZE);
    std::uint64_t const least = std::uint64_t{4} << 30;
    if (pages <= 0 || page <= 0) return {least};
    return {
        std::max(least, static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page) / 8)};
}

std::optional<lkt::error> test_memory_fault(std::string code, double memory_gib) {
    if (memory_gib >= 0 && memory_gib <= 65'536) return std::nullopt;
    return usage_error(std::move(code),
                       "--test-memory must be 0 to 65536 GiB",
                       "leave it out, or give the memory limit for the arguments of one test");
}

std::optional<lkt::error>
limit_fault(std::string code, char const* option, double seconds, bool may_be_0) {
    constexpr double day = 86'400;
    if (may_be_0 ? seconds >= 0 && seconds <= day : seconds > 0 && seconds <= day)
        return std::nullopt;
    return usage_error(std::move(code),
                       std::string(option) + (may_be_0
                                                  ? " must be 0 to 86400 seconds"
                                                  : " must be above 0 and at most 86400 seconds"),
                       "leave it out, or give a number of seconds");
}

lkt::result<chosen_tests>
make_tests(std::string const& script_file, std::uint64_t seed, lkt::bytes memory) {
    chosen_tests tests;
    // Kernels see the inputs: they are not to tell what else is drawn of the seed.
    auto const inputs = lkt::derived(lkt::secret_of(seed), "inputs");
    tests.rest.seed = lkt::drawn(inputs, "tests");
    tests.rest.limit = memory;
    if (script_file.empty()) return tests;
    auto text = lkt::read_text_file(script_file);
    if (!text) return text.error();
    users_script script;
    script.script.text = std::move(*text);
    script.script.origin = script_file;
    script.seed = lkt::drawn(inputs, "script");
    tests.script = std::move(script);
    return tests;
}

lkt::result<std::optional<lkt::test_suite>> tests_of_oracle(std::string const& oracle_file,
                                                            lkt::problem const& task,
                                                            chosen_tests const& tests,
                                                            std::uint64_t seed,
                                                            lkt::any_gpu_backend& gpu,
                                                            lkt::call_context const& context) {
    if (oracle_file.empty()) return std::optional<lkt::test_suite>();
    auto oracle = lkt::read_problem(oracle_file);
    if (!oracle) return oracle.error();
    auto inputs = tests.generate(task, context);
    if (!inputs) return inputs.error();
    std::shared_ptr<lkt::any_gpu_backend> other;
    if (oracle->reference.language != task.reference.language) {
        if (oracle->reference.language == lkt::language::wgsl)
            other = std::make_shared<lkt::any_gpu_backend>(lkt::webgpu{});
        else
            other = std::make_shared<lkt::any_gpu_backend>(lkt::host{});
    }
    lkt::oracle_options how;
    how.seed = lkt::drawn(lkt::secret_of(seed), "oracle");
    auto suite =
        lkt::suite_of_oracle(other ? *other : gpu, *oracle, task, std::move(*inputs), context, how);
    if (!suite) return suite.error();
    if (other)
        suite->further = [other, ask = std::move(suite->further)](std::vector<lkt::test_case> more,
                                                                  lkt::call_context const& now) {
            return ask(std::move(more), now);
        };
    return std::optional(std::move(*suite));
}

} // namespace lkt_apps
