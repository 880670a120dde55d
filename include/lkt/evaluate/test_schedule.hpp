// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <cstddef>
#include <memory>
#include <vector>

namespace lkt {

struct evaluation_setup;

/// Which tests come first: the numbers of those, in the suite, that every configuration must pass
/// before it is timed. The other tests run on finalists: a winner passes all tests under any
/// schedule.
template <class S>
concept test_schedule = requires(S& s, evaluation_setup const& in) {
    { s.before_timing(in) } -> std::same_as<std::vector<std::size_t>>;
};

/// All that are not for finalists alone; where slow ones are dropped, without those as large as the
/// timed one.
struct cheap_tests_first {
    [[nodiscard]] std::vector<std::size_t> before_timing(evaluation_setup const& in) const;
};

/// A schedule of any type, borrowed; without one, cheap_tests_first.
class schedule_ref {
public:
    schedule_ref();
    template <test_schedule S>
        requires(!std::same_as<S, schedule_ref>)
    explicit schedule_ref(S& schedule)
        : schedule_(std::addressof(schedule)),
          before_timing_([](void const* s, evaluation_setup const& in) {
              return const_cast<S*>(static_cast<S const*>(s))->before_timing(in);
          }) {}

    [[nodiscard]] std::vector<std::size_t> before_timing(evaluation_setup const& in) const {
        return before_timing_(schedule_, in);
    }

private:
    void const* schedule_;
    std::vector<std::size_t> (*before_timing_)(void const*, evaluation_setup const&);
};

} // namespace lkt
