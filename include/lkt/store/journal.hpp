// SPDX-License-Identifier: BSL-1.0
// What a run leaves behind so that it can go on: records, appended one by one, each with a
// checksum. docs/journal.md has the format.
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/store/journal_sink.hpp>

#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lkt {

/// Which runs a journal fits: those of a graph with these nodes and edges, on a state of this form.
struct journal_identity {
    std::string graph;        ///< names of the graph and of those nested in it
    std::uint64_t layout = 0; ///< a digest over graph and state
    friend bool operator==(journal_identity const&, journal_identity const&) = default;
};

namespace detail {

/// A sink of any type.
class sink_ref {
public:
    template <journal_sink S>
        requires(!std::same_as<S, sink_ref>)
    explicit sink_ref(S& sink) : sink_(std::addressof(sink)), calls_(&calls_of<S>) {}

    [[nodiscard]] result<std::string> read() const { return calls_->read(sink_); }
    [[nodiscard]] result<void> append(std::string_view b) const { return calls_->append(sink_, b); }
    [[nodiscard]] result<void> cut(std::uint64_t size) const { return calls_->cut(sink_, size); }
    [[nodiscard]] result<void> sync() const { return calls_->sync(sink_); }
    [[nodiscard]] std::string name() const { return calls_->name(sink_); }

private:
    struct calls {
        result<std::string> (*read)(void*);
        result<void> (*append)(void*, std::string_view);
        result<void> (*cut)(void*, std::uint64_t);
        result<void> (*sync)(void*);
        std::string (*name)(void*);
    };
    template <class S>
    static constexpr calls calls_of{
        [](void* s) { return static_cast<S*>(s)->read(); },
        [](void* s, std::string_view bytes) { return static_cast<S*>(s)->append(bytes); },
        [](void* s, std::uint64_t size) { return static_cast<S*>(s)->cut(size); },
        [](void* s) { return static_cast<S*>(s)->sync(); },
        [](void* s) { return std::string(static_cast<S*>(s)->name()); }};

    void* sink_;
    calls const* calls_;
};

class journal_body;

} // namespace detail

/// A journal over a sink, which must outlive it. Copies share it; it may be used from several
/// threads. After a failed write it takes nothing more: every call gives that error again.
///
///     auto file = lkt::journal_file::open("run.journal");
///     auto journal = lkt::journal::over(*file);
///
/// What is in it is read once, here: the state after the last transition, the replies since then,
/// and the facts. Costs the time to read the sink.
class journal {
public:
    /// Errors: the sink's; `lkt.journal.format` (rejected: no journal, or of a later format),
    /// `lkt.journal.version` (rejected: written by another version of lkt), `lkt.journal.damaged`
    /// (rejected, with the offset). A last record that is incomplete is cut off and noted.
    template <journal_sink S>
    [[nodiscard]] static result<journal> over(S& sink) {
        return over(detail::sink_ref(sink));
    }

    /// Nothing has been written to it.
    [[nodiscard]] bool empty() const;
    [[nodiscard]] std::string name() const;                      ///< the sink's
    [[nodiscard]] std::vector<std::string> const& notes() const; ///< on what was read

    /// Whose runs these are; nothing before `begin`.
    [[nodiscard]] std::optional<journal_identity> identity() const;
    /// Says whose run follows. Errors: `lkt.journal.other` (rejected) where it is another's.
    [[nodiscard]] result<void> begin(journal_identity const& identity);

    // ---- the state and the cursor, as parts that are compared with the last ones

    /// It holds no run, or a caller has already taken the run over.
    [[nodiscard]] bool may_go_on() const;
    void resumed();

    /// Appends the changes. `parts` keep memory for the next ones. After a transition the replies
    /// so far are in the state or no longer needed; before it they are still needed.
    [[nodiscard]] result<void> save(std::vector<std::string>& parts, bool after_transition = true);
    /// The last ones; empty before the first.
    [[nodiscard]] std::vector<std::string> const& saved() const;
    [[nodiscard]] std::uint64_t saves() const; ///< how many there have been

    // ---- replies that no saved state has yet

    [[nodiscard]] result<void> add_reply(std::string_view request, std::string_view reply);
    /// The next reply to an equal request, which is not given again.
    [[nodiscard]] std::optional<std::string> take_reply(std::string_view request);
    /// What follows does not use the replies so far: they led to a failure.
    [[nodiscard]] result<void> forget_replies();
    [[nodiscard]] std::uint64_t replies() const; ///< how many have been added

    // ---- results of parts of the node that runs, until its transition is saved

    [[nodiscard]] result<void> add_result(std::string_view value);
    /// Those of the node that was interrupted, as read here; in order.
    [[nodiscard]] std::vector<std::string> results() const;

    // ---- small values by name, the last of each

    [[nodiscard]] result<void> put_fact(std::string_view name, std::string_view value);
    [[nodiscard]] std::optional<std::string> fact(std::string_view name) const;

    [[nodiscard]] result<void> sync();

private:
    explicit journal(std::shared_ptr<detail::journal_body> body) : body_(std::move(body)) {}
    [[nodiscard]] static result<journal> over(detail::sink_ref sink);

    std::shared_ptr<detail::journal_body> body_;
};

} // namespace lkt
