// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/kernel/failure.hpp>
#include <lkt/kernel/verdict.hpp>

#include <array>
#include <concepts>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace lkt {

struct candidate;
struct explained_output;
struct trial;
class evaluation;

/// What a check takes: a list runs its cheap checks first.
enum class check_cost : unsigned char {
    reading,           ///< of the text; nothing is compiled
    launches,          ///< one of each test
    many_launches,     ///< a hundred, or a series of timed ones
    own_build,         ///< another compilation, and slow runs of it
    all_configurations ///< one of each test in each of them
};
[[nodiscard]] std::string_view to_string(check_cost cost);

/// When checks run.
enum class moment : unsigned char {
    proposal = 1,      ///< the text of a candidate, before anything is compiled
    configuration = 2, ///< each configuration of it, before it is timed
    finalist = 4,      ///< the one that is about to become the best kernel
    confirmation = 8,  ///< the best kernel, at the end of a run
    verification = 16  ///< a kernel that is judged alone: `certify`, `lkt-verify`
};
inline constexpr std::array every_moment = {moment::proposal,
                                            moment::configuration,
                                            moment::finalist,
                                            moment::confirmation,
                                            moment::verification};
[[nodiscard]] std::string_view to_string(moment when);

/// A set of moments: `moment::finalist | moment::verification`.
class moments {
public:
    constexpr moments(moment one) : bits_(static_cast<unsigned char>(one)) {}
    [[nodiscard]] constexpr bool contains(moment one) const {
        return (bits_ & static_cast<unsigned char>(one)) != 0;
    }
    [[nodiscard]] friend constexpr moments operator|(moments a, moments b) {
        a.bits_ = static_cast<unsigned char>(a.bits_ | b.bits_);
        return a;
    }

private:
    unsigned char bits_;
};
[[nodiscard]] constexpr moments operator|(moment a, moment b) { return moments(a) | moments(b); }

/// The description of a check in a list.
struct check_description {
    std::string_view name; ///< stages of a verification are called so
    check_cost cost;
    moments when;
    std::span<verdict const> verdicts; ///< that it can give
};

struct verification_scope;

/// The input of a check, and its output besides the verdict.
struct check_call {
    moment when;
    evaluation& in;          ///< builds, tests and times
    candidate const& kernel; ///< what is judged
    trial* subject =
        nullptr; ///< it in one configuration, compiled; null at `proposal`, and before a build
    /// Outputs that were wrong in other configurations of the candidate, and why; or null.
    std::vector<explained_output>* explained = nullptr;
    verification_scope* scope = nullptr; ///< of a verification, else null
    bool wins = false;                   ///< a finalist that becomes the best kernel if it passes
    std::function<void(std::string_view)> on_check{}; ///< told each check's name before it runs

    std::vector<std::string> notes{}; ///< for the report
    bool skipped = false;             ///< the check could not be made; its last note says why

    void note(std::string text) { notes.push_back(std::move(text)); }
    void skip(std::string why) {
        note(std::move(why));
        skipped = true;
    }
};

/// Something that a kernel must pass: a type with a description `about` and `run`, which returns
/// nothing, or the kernel's failure. Errors: those of the environment, which end the evaluation.
///
///     struct short_text {
///         static constexpr lkt::verdict gives[] = {lkt::verdict::build_escape};
///         static constexpr lkt::check_description about{
///             "short-text", lkt::check_cost::reading, lkt::moment::proposal, gives};
///         lkt::result<std::optional<lkt::failure>> run(lkt::check_call& call) const;
///     };
template <class C>
concept acceptance_check = requires(C const& check, check_call& call) {
    { C::about } -> std::convertible_to<check_description>;
    { check.run(call) } -> std::same_as<result<std::optional<failure>>>;
};

/// A check that handles several kernels at once, to send the back end a batch. Each kernel gets the
/// outcome that `run` would give it, in the order of the calls, which have the same moment.
template <class C>
concept batch_check =
    acceptance_check<C> && requires(C const& check, std::span<check_call* const> calls) {
        { check.run_all(calls) } -> std::same_as<std::vector<result<std::optional<failure>>>>;
    };

/// What a kernel must pass, in this order. `standard_checks{} + mine{}` appends one.
template <acceptance_check... C>
class check_list {
public:
    constexpr check_list()
        requires(std::default_initializable<C> && ...)
    = default;
    constexpr explicit check_list(std::tuple<C...> checks) : checks_(std::move(checks)) {}

    template <acceptance_check More>
    [[nodiscard]] friend constexpr check_list<C..., More> operator+(check_list list, More more) {
        return check_list<C..., More>(
            std::tuple_cat(std::move(list.checks_), std::tuple<More>(std::move(more))));
    }

private:
    friend class checks_ref;
    std::tuple<C...> checks_;
};

/// A reference to a list of checks of any types, so that code that judges kernels is compiled once.
class checks_ref {
public:
    template <acceptance_check... C>
    explicit checks_ref(check_list<C...> const& list)
        : checks_(std::addressof(list.checks_)),
          entries_(table<std::tuple<C...>>(std::index_sequence_for<C...>())) {}

    [[nodiscard]] std::size_t size() const { return entries_.size(); }
    [[nodiscard]] check_description const& about(std::size_t k) const { return entries_[k].about; }
    [[nodiscard]] result<std::optional<failure>> run(std::size_t k, check_call& call) const {
        return entries_[k].run(checks_, call);
    }
    /// One call after the other, if the check is not a batch_check.
    [[nodiscard]] std::vector<result<std::optional<failure>>>
    run_all(std::size_t k, std::span<check_call* const> calls) const;

private:
    struct entry {
        check_description about;
        result<std::optional<failure>> (*run)(void const*, check_call&);
        std::vector<result<std::optional<failure>>> (*run_all)(void const*,
                                                               std::span<check_call* const>);
    };
    template <std::size_t K, class Checks>
    static constexpr entry entry_of() {
        using check = std::tuple_element_t<K, Checks>;
        entry made{check::about,
                   [](void const* all, check_call& call) {
                       return std::get<K>(*static_cast<Checks const*>(all)).run(call);
                   },
                   nullptr};
        if constexpr (batch_check<check>)
            made.run_all = [](void const* all, std::span<check_call* const> calls) {
                return std::get<K>(*static_cast<Checks const*>(all)).run_all(calls);
            };
        return made;
    }
    template <class Checks, std::size_t... K>
    static std::span<entry const> table(std::index_sequence<K...>) {
        static constexpr std::array<entry, sizeof...(K)> entries{entry_of<K, Checks>()...};
        return entries;
    }

    void const* checks_;
    std::span<entry const> entries_;
};

/// A list of checks, as tuners and verifiers take it.
template <class Checks>
concept checks_to_pass = std::constructible_from<checks_ref, Checks const&>;

} // namespace lkt
