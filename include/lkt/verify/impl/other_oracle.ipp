// SPDX-License-Identifier: BSL-1.0
// Expected outputs that another kernel computes.
#pragma once

#include <lkt/kernel/failure.hpp>
#include <lkt/kernel/signature.hpp>
#include <lkt/verify/oracle.hpp>
#include <lkt/verify/sound_tests.hpp>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace lkt::detail {

namespace oracle_parts {

error does_not_fit(std::string why) {
    return {condition::rejected,
            "lkt.verify.oracle",
            "the oracle does not fit the kernel: " + std::move(why),
            "Give it the kernel's arguments, in the kernel's order, and the same number of sizes."};
}

/// Each dimension under the name that `names` gives it.
void rename(problem_size& size, problem_size const& names) {
    for (std::size_t k = 0; k < size.size() && k < names.size(); ++k)
        size[k].first = names[k].first;
}

} // namespace oracle_parts

result<test_suite> suite_of_oracle(gpu_ref backend,
                                   problem const& oracle,
                                   problem const& task,
                                   std::vector<test_case> tests,
                                   call_context const& context,
                                   oracle_options const& options) {
    using namespace oracle_parts;
    signature wanted = oracle.signature;
    wanted.name = task.signature.name; // whose name is another is no fault
    if (auto wrong = compare_signatures(wanted, task.signature))
        return does_not_fit(describe(failure(std::move(*wrong))));
    if (oracle.size.size() != task.size.size())
        return does_not_fit("it has " + std::to_string(oracle.size.size()) +
                            " sizes, and the kernel " + std::to_string(task.size.size()));
    auto config = default_configuration(task);
    if (!config) return config.error();
    for (test_case& test : tests) {
        rename(test.size, oracle.size);
        for (std::size_t k = 0; k < test.arguments.size(); ++k) {
            auto const type = oracle.signature.arguments[k].type;
            if (test.arguments[k].bytes.size() % type.bytes() != 0)
                return does_not_fit("the bytes of `" + task.signature.arguments[k].name +
                                    "` on test `" + test.name + "` are not a whole number of " +
                                    to_string(type));
            test.arguments[k].type = type;
        }
    }
    auto suite = prepare_suite(backend, oracle, tests, context, options);
    if (!suite) return suite.error();
    // The kernel is judged as a rewrite of the oracle is: sums in another order are no mistake.
    soundness_options sound;
    sound.seed = options.seed;
    sound.compile_limit = options.compile_limit;
    sound.launch_limit = options.launch_limit;
    if (auto ok = fit_to_original(backend, oracle, *suite, context, sound); !ok) return ok.error();
    auto const device = backend.device(context);
    if (!device) return device.error();
    auto const outputs = output_positions(suite->directions);
    for (prepared_test& test : suite->tests) {
        rename(test.test.size, task.size);
        for (std::size_t k = 0; k < test.test.arguments.size(); ++k)
            test.test.arguments[k].type = task.signature.arguments[k].type;
        for (std::size_t p = 0; p < outputs.size(); ++p)
            test.expected[p].type = task.signature.arguments[outputs[p]].type;
        test.reference_time = {}; // another device's
    }
    suite->reference_configuration = std::move(*config);
    suite->oracle = oracle.signature.name + " in " +
                    std::string(to_string(oracle.reference.language)) + " on " + device->name;
    suite->notes.insert(suite->notes.begin(),
                        "the expected outputs were computed by " + suite->oracle +
                            (oracle.reference.origin.empty()
                                 ? std::string()
                                 : " (" + oracle.reference.origin + ")"));
    return suite;
}

} // namespace lkt::detail
