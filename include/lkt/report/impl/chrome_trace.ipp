// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/report/chrome_trace.hpp>

#include <lkt/core/plain_text.hpp>
#include <lkt/report/detail/trace_file.hpp>

#include <boost/json/serialize.hpp>
#include <utility>

namespace lkt {

class chrome_trace::writer {
public:
    writer(detail::trace_file file, std::function<seconds()> now)
        : file_(std::move(file)), now_(detail::trace_clock(std::move(now))), began_(now_()) {
        file_.write("[");
        put({{"ph", "M"}, {"name", "process_name"}, {"args", {{"name", "lkt"}}}});
        put({{"ph", "M"}, {"name", "thread_name"}, {"args", {{"name", "run"}}}});
    }
    ~writer() { file_.write("\n]\n"); }
    writer(writer const&) = delete;
    writer& operator=(writer const&) = delete;

    void begin(node_event const& e) {
        put({{"ph", "B"},
             {"name", e.node},
             {"cat", e.graph},
             {"args", {{"path", path_of(e)}, {"depth", e.depth}}}});
    }
    void end(node_exit const& x) { put({{"ph", "E"}, {"args", detail::trace_json(x)}}); }
    void mark(std::string_view name, boost::json::object args) {
        put({{"ph", "i"}, {"s", "t"}, {"name", name}, {"args", std::move(args)}});
    }
    [[nodiscard]] std::optional<error> const& trouble() const { return file_.trouble(); }

private:
    void put(boost::json::object event) {
        event["pid"] = 1;
        event["tid"] = 0;
        event["ts"] = detail::microseconds(now_() - began_);
        file_.write((first_ ? "\n" : ",\n") + plain_json(boost::json::serialize(event)));
        first_ = false;
    }

    detail::trace_file file_;
    std::function<seconds()> now_;
    seconds began_;
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
