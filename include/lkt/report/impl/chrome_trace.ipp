// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/report/chrome_trace.hpp>

#include <lkt/core/plain_text.hpp>
#include <lkt/report/detail/trace_file.hpp>

#include <algorithm>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <string>
#include <utility>

namespace lkt {

class chrome_trace::writer {
public:
    writer(detail::trace_file file, std::function<seconds()> now, bool go_on)
        : file_(std::move(file)), now_(detail::trace_clock(std::move(now))), began_(now_()),
          after_earlier_(go_on) {
        if (!go_on) begin();
    }
    ~writer() {
        if (!after_earlier_) file_.write("\n]\n");
    }
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
    static constexpr std::string_view first_of_session = R"("name":"process_name")";

    void begin() {
        if (first_) file_.write("[");
        put({{"ph", "M"}, {"name", "process_name"}, {"args", {{"name", "lkt"}}}});
        put({{"ph", "M"}, {"name", "thread_name"}, {"args", {{"name", "run"}}}});
    }

    /// Behind the last whole event; each session is a process of its own in the picture.
    void follow_earlier() {
        std::string text = file_.text();
        for (auto at = text.find(first_of_session); at != text.npos;
             at = text.find(first_of_session, at + 1))
            ++session_;
        auto const whole = [](std::string_view line) {
            boost::system::error_code failed;
            auto const event = boost::json::parse(line, failed);
            return !failed && event.is_object();
        };
        // A line is an event, with the comma of the line before at its end.
        std::size_t keep = 0;
        for (std::size_t at = text.find('\n'); at != text.npos && at + 1 < text.size();) {
            auto const end = std::min(text.find('\n', at + 1), text.size());
            std::string_view line = std::string_view(text).substr(at + 1, end - at - 1);
            if (line.ends_with(',')) line.remove_suffix(1);
            if (!whole(line)) break;
            keep = at + 1 + line.size();
            at = end < text.size() ? end : text.npos;
        }
        file_.cut(keep);
        first_ = keep == 0;
    }

    void put(boost::json::object event) {
        if (std::exchange(after_earlier_, false)) {
            follow_earlier();
            begin();
        }
        event["pid"] = session_;
        event["tid"] = 0;
        event["ts"] = detail::microseconds(now_() - began_);
        file_.write((first_ ? "\n" : ",\n") + plain_json(boost::json::serialize(event)));
        first_ = false;
    }

    detail::trace_file file_;
    std::function<seconds()> now_;
    seconds began_;
    bool first_ = true, after_earlier_;
    int session_ = 1;
};

chrome_trace::chrome_trace(std::unique_ptr<writer> w) : writer_(std::move(w)) {}
chrome_trace::chrome_trace(chrome_trace&&) noexcept = default;
chrome_trace::~chrome_trace() = default;

result<chrome_trace>
chrome_trace::open(std::string const& path, std::function<seconds()> now, bool go_on) {
    auto file = detail::trace_file::open(path, go_on);
    if (!file) return file.error();
    return chrome_trace(std::make_unique<writer>(std::move(*file), std::move(now), go_on));
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
