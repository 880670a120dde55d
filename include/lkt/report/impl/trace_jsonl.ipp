// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/report/trace_jsonl.hpp>

#include <lkt/core/plain_text.hpp>
#include <lkt/report/detail/trace_file.hpp>
#include <lkt/version.hpp>

#include <boost/json/serialize.hpp>
#include <chrono>
#include <utility>

namespace lkt {

class trace_jsonl::writer {
public:
    writer(detail::trace_file file, std::function<seconds()> now, bool go_on)
        : file_(std::move(file)), now_(detail::trace_clock(std::move(now))), began_(now_()),
          after_earlier_(go_on) {
        if (!go_on) begin();
    }

    void put(std::string_view event, boost::json::object const& more) {
        if (std::exchange(after_earlier_, false)) {
            // The last line of a session that was killed may not be whole.
            file_.cut(file_.text().rfind('\n') + 1);
            begin();
        }
        boost::json::object o{{"event", event}, {"t_us", detail::microseconds(now_() - began_)}};
        o.insert(more.begin(), more.end());
        file_.write(plain_json(boost::json::serialize(o)) + "\n");
    }
    void put(std::string_view event, node_event const& e, boost::json::object const& more) {
        boost::json::object o{{"path", path_of(e)}, {"graph", e.graph}, {"depth", e.depth}};
        o.insert(more.begin(), more.end());
        put(event, o);
    }
    [[nodiscard]] std::optional<error> const& trouble() const { return file_.trouble(); }

private:
    void begin() {
        auto const wall = std::chrono::system_clock::now().time_since_epoch();
        put("begin",
            {{"lkt_trace", 1},
             {"lkt_version", version},
             {"unix_ms", std::chrono::duration_cast<std::chrono::milliseconds>(wall).count()}});
    }

    detail::trace_file file_;
    std::function<seconds()> now_;
    seconds began_;
    bool after_earlier_;
};

trace_jsonl::trace_jsonl(std::unique_ptr<writer> w) : writer_(std::move(w)) {}
trace_jsonl::trace_jsonl(trace_jsonl&&) noexcept = default;
trace_jsonl::~trace_jsonl() = default;

result<trace_jsonl>
trace_jsonl::open(std::string const& path, std::function<seconds()> now, bool go_on) {
    auto file = detail::trace_file::open(path, go_on);
    if (!file) return file.error();
    return trace_jsonl(std::make_unique<writer>(std::move(*file), std::move(now), go_on));
}

void trace_jsonl::on_enter(node_event const& e) { writer_->put("enter", e, {}); }
void trace_jsonl::on_exit(node_event const& e, node_exit const& x) {
    writer_->put("exit", e, detail::trace_json(x));
}
void trace_jsonl::on_retry(node_event const& e, retry_event const& r) {
    writer_->put("retry", e, detail::trace_json(r));
}
void trace_jsonl::on_transition(node_event const& e, transition_event const& t) {
    constexpr std::string_view kinds[]{"outcome", "error", "limit"};
    writer_->put("transition",
                 e,
                 {{"edge", kinds[static_cast<std::size_t>(t.kind)]},
                  {"label", t.label},
                  {"target", t.target},
                  {"stops", t.stops}});
}
void trace_jsonl::operator()(progress_event const& e) {
    writer_->put("progress", detail::trace_json(e));
}

std::optional<error> trace_jsonl::trouble() const { return writer_->trouble(); }

} // namespace lkt
