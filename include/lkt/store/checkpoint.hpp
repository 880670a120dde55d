// SPDX-License-Identifier: BSL-1.0
// Runs that survive their process:
//
//     auto file = lkt::journal_file::open("run.journal");
//     auto journal = lkt::journal::over(*file);
//     lkt::cursor<strategy> at;
//     auto resumed = lkt::resume<strategy>(*journal, state, at);
//     lkt::checkpoint checkpoint(*journal);
//     auto outcome = lkt::run<strategy>(state, tools, at, checkpoint);
#pragma once

#include <lkt/core/fields.hpp>
#include <lkt/core/result.hpp>
#include <lkt/graph/checkpointer.hpp>
#include <lkt/graph/cursor.hpp>
#include <lkt/store/codec.hpp>
#include <lkt/store/journal.hpp>

#include <concepts>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace lkt {

/// A cursor, with those of nested graphs.
template <class G>
struct value_codec<cursor<G>> {
    static void write(byte_writer& w, cursor<G> const& c) {
        detail::write_value(w, c.at);
        detail::write_value(w, c.entered);
        detail::write_value(w, c.visits);
        detail::write_value(w, c.inner);
    }
    static void read(byte_reader& r, cursor<G>& c) {
        detail::read_value(r, c.at);
        detail::read_value(r, c.entered);
        detail::read_value(r, c.visits);
        detail::read_value(r, c.inner);
        if (r.good() && !c.valid()) r.fail("the cursor is not at a node");
    }
    static std::uint64_t shape() { return topology_digest<G>(); }
};

/// A State that can be journalled: it lists its members in `state_fields`, and each of these has a
/// form as bytes. A member that it does not list is not journalled, nor is one of a class derived
/// from the State that is given to `run` in its place.
template <class S>
concept journalable =
    described<S> && detail::lists_own_members<S> && detail::lists_base_members<S> && encodable<S> &&
    std::is_default_constructible_v<S>;

namespace diagnostic {

template <class State>
struct journalled_state {
    // Not a concept: compilers would explain it at length.
    static constexpr bool lists = described<State>;
    static constexpr bool own = !lists || detail::lists_own_members<State>;
    static constexpr bool base = !lists || !own || detail::lists_base_members<State>;
    static constexpr bool has_form = !lists || !own || !base || encodable<State>;

    static_assert(lists,
                  "[lkt.journal.state] the State of a journalled run must list its members: using "
                  "state_fields = lkt::fields<&mine::a, &mine::b>;");
    static_assert(own,
                  "[lkt.journal.inherited-fields] the State has the state_fields of its base alone "
                  "and members of its own, which would be lost: using state_fields = "
                  "lkt::fields_of<base, &mine::a>;");
    static_assert(base,
                  "[lkt.journal.base-fields] the State lists its own members and leaves out those "
                  "of its base, which would be lost: using state_fields = lkt::fields_of<base, "
                  "&mine::a>;");
    static_assert(has_form,
                  "[lkt.journal.member] a member that the State lists cannot be encoded as bytes: "
                  "leave it out of state_fields, or specialise lkt::value_codec for its type");
    static_assert(std::is_default_constructible_v<State>,
                  "[lkt.journal.state] the State of a journalled run needs a default constructor");
};

} // namespace diagnostic

namespace detail {

/// Called only inside `decltype`, because for clang a function that reports is not a constant.
template <class S>
constexpr auto check_state() {
    return diagnostic::journalled_state<S>{};
}

template <class G>
[[nodiscard]] journal_identity identity_of() {
    using state = std::remove_cvref_t<typename std::remove_cvref_t<decltype(G::graph)>::state_type>;
    return {graph_names<G>(), digest{}.add(topology_digest<G>()).add(shape_of<state>()).value()};
}

/// Each listed member; a member with a list of its own is replaced by its members. Members that
/// change together should be adjacent.
template <class State, class Call>
void each_part(State& state, Call& call) {
    for_each_field(state, [&]<class Member>(std::string_view name, Member& member) {
        using type = std::remove_const_t<Member>;
        if constexpr (described<type> && !has_codec<type>)
            each_part(member, call);
        else
            call(name, member);
    });
}

// No lambdas: those of each graph would be of a type of their own, and so would all that they call.

class part_writer {
public:
    explicit part_writer(std::vector<std::string>& parts) : parts_(parts) {}

    template <class T>
    void operator()(std::string_view, T const& value) {
        byte_writer w(next_part());
        write_value(w, value);
    }

private:
    [[nodiscard]] std::string& next_part();

    std::vector<std::string>& parts_;
    std::size_t next_ = 0;
};

/// The cursor, then each part of the state.
template <class State, class G>
void encode_parts(std::vector<std::string>& parts, State const& state, cursor<G> const& at) {
    part_writer put(parts);
    put({}, at);
    each_part(state, put);
}

template <class State, auto... Members>
void move_fields(State& from, State& to, fields<Members...>) {
    ((to.*Members = std::move(from.*Members)), ...);
}

[[nodiscard]] error not_resumed(std::string const& journal);
[[nodiscard]] error undecodable(std::string const& journal, std::string_view part, error why);

/// Reads until a part is wrong.
class part_reader {
public:
    explicit part_reader(journal const& from) : from_(from) {}

    template <class T>
    void operator()(std::string_view name, T& value) {
        if (all_) note(name, decode(next_part(), value));
    }
    [[nodiscard]] result<void> const& all() const { return all_; }

private:
    [[nodiscard]] std::string_view next_part();
    void note(std::string_view name, result<void> const& read);

    journal const& from_;
    std::size_t next_ = 0;
    result<void> all_;
};

template <class State, class G>
[[nodiscard]] result<void> decode_parts(journal const& from, State& state, cursor<G>& at) {
    part_reader get(from);
    get("cursor", at);
    each_part(state, get);
    return get.all();
}

} // namespace detail

/// What a journal holds of a run of `G`: the state's listed members and the cursor after the last
/// transition. False, and nothing changed, for a journal without any. Errors: `lkt.journal.other`
/// (rejected: of another graph, or another form of state), `lkt.journal.value` (rejected).
template <class G>
[[nodiscard]] result<bool>
resume(journal& from,
       typename std::remove_cvref_t<decltype(G::graph)>::state_type& state,
       cursor<G>& at) {
    using state_type = std::remove_cvref_t<decltype(state)>;
    using reported [[maybe_unused]] = decltype(detail::check_state<state_type>());
    if constexpr (journalable<state_type>) {
        if (!from.identity()) return false;
        if (auto ok = from.begin(detail::identity_of<G>()); !ok) return ok.error();
        auto const& parts = from.saved();
        if (parts.empty()) return false;
        cursor<G> there;
        state_type restored{};
        if (auto ok = detail::decode_parts(from, restored, there); !ok) return ok.error();
        from.resumed();
        detail::move_fields(restored, state, typename state_type::state_fields{});
        at = there;
        return true;
    } else {
        return false;
    }
}

/// An option of `run`: after each transition, also within nested graphs, the changes of the
/// outermost state and its cursor are in the journal before the run continues. Only members that
/// `state_fields` lists are saved. A run that cannot be saved ends with `lkt.journal.write`
/// (unavailable); one whose journal holds another run that was not resumed does not begin
/// (`lkt.journal.not-resumed`, rejected). One checkpoint serves one run at a time.
class checkpoint {
public:
    explicit checkpoint(journal to) : journal_(std::move(to)) {}

    template <class State, class G>
        requires std::same_as<State, typename std::remove_cvref_t<decltype(G::graph)>::state_type>
    [[nodiscard]] result<void> save(State const& state, cursor<G> const& at) {
        using reported [[maybe_unused]] = decltype(detail::check_state<State>());
        if constexpr (journalable<State>) {
            if (!begun_) {
                if (!journal_.may_go_on()) return detail::not_resumed(journal_.name());
                if (auto ok = journal_.begin(detail::identity_of<G>()); !ok) return ok;
                begun_ = true;
            }
            detail::encode_parts(parts_, state, at);
            bool const after_transition = std::exchange(running_, true);
            return journal_.save(parts_, after_transition);
        } else {
            return {};
        }
    }
    /// Flushes what was written to the disk. Replies that led to a failure that a retry cannot
    /// repair are not replayed.
    [[nodiscard]] result<void> finish(error const* why);

private:
    journal journal_;
    bool begun_ = false;   ///< the journal is known to be of this graph
    bool running_ = false; ///< the next save is that of a transition
    std::vector<std::string> parts_;
};

} // namespace lkt
