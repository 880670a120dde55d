// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/verify/detail/property_trial.hpp>
#include <lkt/verify/random.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace lkt::detail {

/// Launches in memory that others of the same kernel have written.
struct leftover_memory : property_trial {
    /// What a launch starts from that another one left behind.
    struct left_behind {
        std::vector<bool> taken; ///< by position among the outputs: those that start from it
        outputs const& contents;
        std::string what; ///< for the name of the test
    };

    /// Launches on `after`, in memory that holds `left`; `shown` are the outputs that came of it.
    [[nodiscard]] verdict_of_check
    launch_in(prepared_test const& after, left_behind const& left, outputs& shown) const {
        auto const positions = output_positions(suite.directions);
        test_case inputs = after.test;
        inputs.name += left.what;
        auto directions = suite.directions;
        bool scratch = true; // nothing else
        for (std::size_t p = 0; p < positions.size(); ++p) {
            if (!left.taken[p]) continue;
            scratch = scratch && task.arguments[positions[p]].scratch;
            directions[positions[p]] = direction::inout;
            inputs.arguments[positions[p]].bytes = left.contents[p].bytes;
        }
        auto const dimensions = formula.evaluate(scope_of(inputs.size, config));
        if (!dimensions) return dimensions.error();
        seconds const limit =
            options.time_limit > seconds{} ? options.time_limit : launch_limit(after);
        auto const request = request_on(inputs, directions, *dimensions, 1, options.seed, limit);
        auto ran = launch(backend, kernel, request, inputs, directions, context);
        if (!ran) return ran.error();
        if (auto* f = std::get_if<failure>(&*ran)) return std::optional(std::move(*f));
        shown = std::move(std::get<run_report>(*ran).kept.front().outputs);
        auto w = judge(after, shown, inputs.name);
        if (!w) return std::optional<failure>();
        bool replayed = true;
        for (std::size_t p = 0; p < positions.size(); ++p)
            replayed = replayed && (task.arguments[positions[p]].scratch ||
                                    shown[p].bytes == left.contents[p].bytes);
        w->as = !replayed ? verdict::stateful
                : scratch ? verdict::replay_cache
                          : verdict::work_skipping;
        w->pattern = "data that an earlier launch left in " +
                     std::string(scratch ? "the scratch memory" : "its outputs") +
                     " changes the result; " + w->pattern;
        return std::optional<failure>(std::move(*w));
    }

    /// Scratch and outputs are filled anew before each launch; where a kernel runs for real they
    /// are not. So launches start from what others of the same kernel left behind in the scratch,
    /// and in the outputs if `outputs_too`: after other values, and then after the same ones, but
    /// for an element here and there, as if few inputs had changed since.
    [[nodiscard]] verdict_of_check leftovers(bool outputs_too) const {
        constexpr std::size_t most = std::size_t{256} << 20, one_of = 128; // bytes; elements
        auto const positions = output_positions(suite.directions);
        prepared_test const& before = suite.tests.front();
        prepared_test const* after = nullptr;
        for (prepared_test const& t : suite.tests)
            if (!after && &t != &before && t.test.size == before.test.size) after = &t;
        std::vector<bool> taken;
        std::size_t bytes = 0;
        for (std::size_t k : positions) {
            taken.push_back(task.arguments[k].scratch ||
                            (outputs_too && suite.directions[k] == direction::out));
            bytes += before.test.arguments[k].bytes.size();
        }
        bool const any = std::find(taken.begin(), taken.end(), true) != taken.end();
        if (!after || !any || (outputs_too && bytes > most)) return std::optional<failure>();
        auto ran = run(before.test, before, 1, false);
        if (!ran) return ran.error();
        if (auto* f = std::get_if<failure>(&*ran)) return std::optional(std::move(*f));
        outputs const& other = std::get<run_report>(*ran).kept.front().outputs;
        outputs own, shown;
        auto made = launch_in(*after, {taken, other, ", after a launch on other values"}, own);
        if (!made || *made || !outputs_too) return made;
        random_stream const stream{drawn(secret_of(options.seed), "leftovers"), 0xc0000000u, 0};
        for (std::size_t p = 0; p < positions.size(); ++p) {
            std::size_t const one = own[p].type.bytes();
            for (std::size_t k = 0; k < own[p].count(); ++k)
                if (below(one_of, stream.bits(k)) == 0)
                    std::memcpy(
                        own[p].bytes.data() + k * one, other[p].bytes.data() + k * one, one);
        }
        return launch_in(*after, {taken, own, ", after one on nearly the same values"}, shown);
    }
};

} // namespace lkt::detail
