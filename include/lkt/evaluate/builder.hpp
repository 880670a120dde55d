// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/evaluate/trial.hpp>
#include <lkt/kernel/candidate.hpp>
#include <lkt/kernel/failure.hpp>
#include <lkt/kernel/launch_dimensions.hpp>
#include <lkt/kernel/signature.hpp>
#include <lkt/lang/expression/parameters.hpp>

#include <concepts>
#include <memory>
#include <span>
#include <variant>
#include <vector>

namespace lkt {

struct evaluation_setup;

/// A trial to be built; what it refers to but the configuration must outlive the trial.
struct build_request {
    candidate const& kernel;
    lkt::signature const& declared;
    configuration const& config;
    bool checked = false;   ///< for the back end's checked mode
    bool branches = false;  ///< to watch where it decides
    bool constants = false; ///< to learn the numbers of its code
};
using build_outcome = std::variant<trial, failure>;

/// Makes trials. `build_all` returns one result for each request, in order; a failure does not end
/// the others. `prefetch` may start work for a later `build_all`.
template <class B>
concept trial_builder = requires(B& b,
                                 evaluation_setup const& in,
                                 build_request const& one,
                                 std::span<build_request const> all) {
    { b.build_all(in, all) } -> std::same_as<std::vector<result<build_outcome>>>;
    { b.prefetch(in, one) } -> std::same_as<void>;
};

/// Geometry within the device's limits, and what the back end compiles.
struct backend_builder {
    [[nodiscard]] std::vector<result<build_outcome>>
    build_all(evaluation_setup const& in, std::span<build_request const> requests) const;
    void prefetch(evaluation_setup const& in, build_request const& request) const;
};

/// A builder of any type, borrowed; without one, a backend_builder.
class builder_ref {
public:
    builder_ref();
    template <trial_builder B>
        requires(!std::same_as<B, builder_ref>)
    explicit builder_ref(B& builder) : builder_(std::addressof(builder)), calls_(&calls_of<B>) {}

    [[nodiscard]] std::vector<result<build_outcome>>
    build_all(evaluation_setup const& in, std::span<build_request const> requests) const {
        return calls_->build_all(builder_, in, requests);
    }
    void prefetch(evaluation_setup const& in, build_request const& request) const {
        calls_->prefetch(builder_, in, request);
    }

private:
    struct calls {
        std::vector<result<build_outcome>> (*build_all)(void const*,
                                                        evaluation_setup const&,
                                                        std::span<build_request const>);
        void (*prefetch)(void const*, evaluation_setup const&, build_request const&);
    };
    template <class B>
    static B& as(void const* builder) {
        return *const_cast<B*>(static_cast<B const*>(builder));
    }
    template <class B>
    static constexpr calls calls_of{
        [](void const* b, evaluation_setup const& in, std::span<build_request const> all) {
            return as<B>(b).build_all(in, all);
        },
        [](void const* b, evaluation_setup const& in, build_request const& one) {
            as<B>(b).prefetch(in, one);
        }};

    void const* builder_;
    calls const* calls_;
};

} // namespace lkt
