// SPDX-License-Identifier: BSL-1.0
// Answers of the kind that strategies ask for: the tests of schemas, of reading and of asking share
// them, and real servers are asked for them. Lists and texts have bounds, so that a grammar made of
// the schema comes to an end whatever the model writes.
#pragma once

#include <lkt/llm/described.hpp>

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace lkt_test {

/// Whether a step is worth its time.
struct opinion {
    bool worth_it{};
    std::string reason;

    using state_fields = lkt::fields<&opinion::worth_it, &opinion::reason>;
    static constexpr auto notes =
        lkt::notes(lkt::note<&opinion::reason>("one sentence", lkt::length{1, 200}));
    friend bool operator==(opinion const&, opinion const&) = default;
};

/// What one step touches.
enum class bottleneck { memory, compute, latency, launch_, unknown };

struct plan_step {
    std::string title;
    bottleneck relieves = bottleneck::unknown;
    int expected_gain{}; ///< percent
    std::optional<std::string> risk;

    using state_fields = lkt::fields<&plan_step::title,
                                     &plan_step::relieves,
                                     &plan_step::expected_gain,
                                     &plan_step::risk>;
    static constexpr auto notes =
        lkt::notes("One isolated change of device code.",
                   lkt::note<&plan_step::title>("in the imperative", lkt::length{1, 80}),
                   lkt::note<&plan_step::relieves>("what limits the kernel now"),
                   lkt::note<&plan_step::expected_gain>("percent of the time", lkt::range{0, 100}),
                   lkt::note<&plan_step::risk>("what may go wrong", lkt::length{0, 120}));
    friend bool operator==(plan_step const&, plan_step const&) = default;
};

struct plan {
    std::vector<plan_step> steps;

    using state_fields = lkt::fields<&plan::steps>;
    static constexpr auto notes =
        lkt::notes("A plan to make the kernel faster.",
                   lkt::note<&plan::steps>("the most promising first", lkt::items{1, 5}));
    friend bool operator==(plan const&, plan const&) = default;
};

/// A tunable parameter and its values.
struct tunable {
    std::string name;
    std::vector<int> values;

    using state_fields = lkt::fields<&tunable::name, &tunable::values>;
    static constexpr auto notes = lkt::notes(
        lkt::note<&tunable::name>("in capitals", lkt::length{1, 32}),
        lkt::note<&tunable::values>("to be tried", lkt::items{1, 8}, lkt::range{1, 1024}));
    friend bool operator==(tunable const&, tunable const&) = default;
};

struct search_space {
    std::vector<tunable> parameters;
    std::vector<std::string> restrictions;

    using state_fields = lkt::fields<&search_space::parameters, &search_space::restrictions>;
    static constexpr auto notes =
        lkt::notes(lkt::note<&search_space::parameters>("", lkt::items{0, 4}),
                   lkt::note<&search_space::restrictions>(
                       "expressions that must hold", lkt::items{0, 4}, lkt::length{1, 60}));
    friend bool operator==(search_space const&, search_space const&) = default;
};

/// Conditions on parameters alone.
struct restrictions {
    std::vector<std::string> expressions;

    using state_fields = lkt::fields<&restrictions::expressions>;
    static constexpr auto notes =
        lkt::notes(lkt::note<&restrictions::expressions>("", lkt::items{0, 6}, lkt::length{1, 60}));
    friend bool operator==(restrictions const&, restrictions const&) = default;
};

/// Whether a step is split, and into what.
struct breakdown {
    bool split{};
    std::vector<std::string> parts;

    using state_fields = lkt::fields<&breakdown::split, &breakdown::parts>;
    static constexpr auto notes = lkt::notes(lkt::note<&breakdown::parts>(
        "empty where nothing is split", lkt::items{0, 4}, lkt::length{1, 80}));
    friend bool operator==(breakdown const&, breakdown const&) = default;
};

/// Which arguments say how large the problem is.
struct problem_size {
    std::vector<std::string> names;
    std::uint8_t dimensions = 1;

    using state_fields = lkt::fields<&problem_size::names, &problem_size::dimensions>;
    static constexpr auto notes =
        lkt::notes(lkt::note<&problem_size::names>("", lkt::items{1, 3}, lkt::length{1, 32}),
                   lkt::note<&problem_size::dimensions>("", lkt::range{1, 3}));
    friend bool operator==(problem_size const&, problem_size const&) = default;
};

/// How a kernel is launched.
struct launch {
    std::array<std::uint16_t, 3> block{1, 1, 1};
    std::array<std::uint16_t, 3> blocks_of{1, 1, 1};
    std::uint32_t shared_bytes = 0;
    std::optional<int> unroll;

    using state_fields =
        lkt::fields<&launch::block, &launch::blocks_of, &launch::shared_bytes, &launch::unroll>;
    static constexpr auto notes =
        lkt::notes(lkt::note<&launch::block>("threads in x, y and z", lkt::range{1, 1024}),
                   lkt::note<&launch::shared_bytes>("dynamic shared memory", lkt::range{0, 232448}),
                   lkt::note<&launch::unroll>("null: the compiler's choice", lkt::range{1, 64}));
    friend bool operator==(launch const&, launch const&) = default;
};

/// What each argument is for.
enum class flow : unsigned char { in, out, both };

struct argument_roles {
    std::map<std::string, flow> roles;

    using state_fields = lkt::fields<&argument_roles::roles>;
    static constexpr auto notes = lkt::notes(lkt::note<&argument_roles::roles>(
        "each argument by its name", lkt::items{1, 4}, lkt::length{1, 16}));
    friend bool operator==(argument_roles const&, argument_roles const&) = default;
};

/// The next move of a strategy that may choose.
struct stop_here {
    std::string reason;
    using state_fields = lkt::fields<&stop_here::reason>;
    static constexpr auto notes = lkt::notes(lkt::note<&stop_here::reason>("", lkt::length{1, 80}));
    friend bool operator==(stop_here const&, stop_here const&) = default;
};
struct retune {
    std::vector<tunable> parameters;
    using state_fields = lkt::fields<&retune::parameters>;
    static constexpr auto notes = lkt::notes(lkt::note<&retune::parameters>("", lkt::items{1, 2}));
    friend bool operator==(retune const&, retune const&) = default;
};
struct next_move {
    std::variant<stop_here, retune, plan_step> move;
    using state_fields = lkt::fields<&next_move::move>;
    friend bool operator==(next_move const&, next_move const&) = default;
};

/// An enum whose names in an answer are its own, and one that is not scoped.
enum precision { half_precision = 16, single_precision = 32, double_precision = 64 };

} // namespace lkt_test

template <>
inline constexpr auto lkt::enum_names<lkt_test::precision> =
    std::array{lkt::named{lkt_test::half_precision, "fp16"},
               lkt::named{lkt_test::single_precision, "fp32"},
               lkt::named{lkt_test::double_precision, "fp64"}};

namespace lkt_test {

/// How exact a kernel has to be.
struct accuracy {
    precision compute_in = single_precision;
    std::int64_t most_ulps = 0;
    bool associative{};
    std::vector<bool> per_output;

    using state_fields = lkt::fields<&accuracy::compute_in,
                                     &accuracy::most_ulps,
                                     &accuracy::associative,
                                     &accuracy::per_output>;
    static constexpr auto notes =
        lkt::notes(lkt::note<&accuracy::most_ulps>("", lkt::range{0, 1e6}),
                   lkt::note<&accuracy::per_output>("may it be reordered?", lkt::items{0, 3}));
    friend bool operator==(accuracy const&, accuracy const&) = default;
};

/// A guess in numbers, which no grammar keeps within the range of a double.
struct estimate {
    double speedup{};
    float share{};
    std::optional<double> bandwidth;

    using state_fields = lkt::fields<&estimate::speedup, &estimate::share, &estimate::bandwidth>;
    friend bool operator==(estimate const&, estimate const&) = default;
};

/// A kernel as a text, which holds quotes and line ends.
struct rewritten {
    std::string code;
    std::vector<tunable> parameters;
    std::optional<launch> how;

    using state_fields = lkt::fields<&rewritten::code, &rewritten::parameters, &rewritten::how>;
    static constexpr auto notes =
        lkt::notes("A rewritten kernel.",
                   lkt::note<&rewritten::code>("all of it", lkt::length{1, 400}),
                   lkt::note<&rewritten::parameters>("", lkt::items{0, 3}));
    friend bool operator==(rewritten const&, rewritten const&) = default;
};

} // namespace lkt_test
