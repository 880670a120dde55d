// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/report/chrome_trace.hpp>

#include <lkt/core/plain_text.hpp>
#include <lkt/report/detail/trace_file.hpp>

#include <boost/json/serialize.hpp>
#include <map>
#include <mutex>
#include <set>
#include <thread>
#include <utility>

namespace lkt {

/// Observers are told on the thread that does the work. A thread has a track of its own while it is
/// inside of visits; a track that was left is used again.
class chrome_trace::writer {
public:
    writer(detail::trace_file file, std::function<seconds()> now)
        : file_(std::move(file)), now_(detail::trace_clock(std::move(now))), began_(now_()) {
        file_.write("[");
        put({{"ph", "M"}, {"name", "process_name"}, {"args", {{"name", "lkt"}}}}, 0);
    }
    ~writer() { file_.write("\n]\n"); }
    writer(writer const&) = delete;
    writer& operator=(writer const&) = delete;

    void begin(node_event const& e) {
        std::lock_guard const alone(mutex_);
        auto& mine = track_of_thread();
        ++mine.open;
        boost::json::object args{{"path", path_of(e)}, {"depth", e.depth}};
        if (e.branch >= 0) args["branch"] = e.branch;
        put({{"ph", "B"}, {"name", e.node}, {"cat", e.graph}, {"args", std::move(args)}},
            mine.number);
    }
    void end(node_exit const& x) {
        std::lock_guard const alone(mutex_);
        auto& mine = track_of_thread();
        put({{"ph", "E"}, {"args", detail::trace_json(x)}}, mine.number);
        if (--mine.open <= 0) tracks_.erase(std::this_thread::get_id());
    }
    void mark(std::string_view name, boost::json::object args) {
        std::lock_guard const alone(mutex_);
        // Outside of all visits, a mark takes no track for good.
        auto const found = tracks_.find(std::this_thread::get_id());
        put({{"ph", "i"}, {"s", "t"}, {"name", name}, {"args", std::move(args)}},
            found == tracks_.end() ? 0 : found->second.number);
    }
    [[nodiscard]] std::optional<error> trouble() {
        std::lock_guard const alone(mutex_);
        return file_.trouble();
    }

private:
    struct track {
        int number = 0; ///< 0 is the run's own
        int open = 0;   ///< visits that the thread is inside of
    };

    track& track_of_thread() {
        auto const [at, fresh] = tracks_.try_emplace(std::this_thread::get_id());
        if (fresh) {
            std::set<int> used;
            for (auto const& [id, other] : tracks_)
                if (id != at->first) used.insert(other.number);
            while (used.contains(at->second.number)) ++at->second.number;
            int const number = at->second.number;
            if (named_.insert(number).second)
                put({{"ph", "M"},
                     {"name", "thread_name"},
                     {"args",
                      {{"name", number == 0 ? "run" : "branches " + std::to_string(number)}}}},
                    number);
        }
        return at->second;
    }

    void put(boost::json::object event, int number) {
        event["pid"] = 1;
        event["tid"] = number;
        event["ts"] = detail::microseconds(now_() - began_);
        file_.write((first_ ? "\n" : ",\n") + plain_json(boost::json::serialize(event)));
        first_ = false;
    }

    std::mutex mutex_; // a progress event may come while another branch tells of a visit
    detail::trace_file file_;
    std::function<seconds()> now_;
    seconds began_;
    std::map<std::thread::id, track> tracks_;
    std::set<int> named_;
    bool first_ = true;
};

chrome_trace::chrome_trace(std::unique_ptr<writer> w) : writer_(std::move(w)) {}
chrome_trace::chrome_trace(chrome_trace&&) noexcept = default;
chrome_trace::~chrome_trace() = default;

result<chrome_trace> chrome_trace::open(std::string const& path, std::function<seconds()> now) {
    auto file = detail::trace_file::open(path);
    if (!file) return file.error();
    return chrome_trace(std::make_unique<writer>(std::move(*file), std::move(now)));
}

void chrome_trace::on_enter(node_event const& e) { writer_->begin(e); }
void chrome_trace::on_exit(node_event const&, node_exit const& x) { writer_->end(x); }
void chrome_trace::on_retry(node_event const&, retry_event const& r) {
    writer_->mark("retry", detail::trace_json(r));
}
void chrome_trace::on_transition(node_event const& e, transition_event const& t) {
    // The others are at the end of a visit, which says as much.
    if (t.kind == edge_kind::limit)
        writer_->mark("limit", {{"path", path_of(e)}, {"target", t.target}});
}
void chrome_trace::operator()(progress_event const& e) {
    writer_->mark(to_string(e.what), detail::trace_json(e));
}

std::optional<error> chrome_trace::trouble() const { return writer_->trouble(); }

} // namespace lkt
