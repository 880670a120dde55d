// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/plain_text.hpp>
#include <lkt/core/string_tools.hpp>
#include <lkt/scan/ck_output.hpp>

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace lkt {

namespace detail::scan {

/// Reads a line from its left.
struct line_reader {
    std::string_view rest;

    bool word(std::string_view expected) {
        while (rest.starts_with(' ')) rest.remove_prefix(1);
        if (!rest.starts_with(expected)) return false;
        rest.remove_prefix(expected.size());
        return true;
    }
    template <class Number>
    bool number(Number& value) {
        while (rest.starts_with(' ')) rest.remove_prefix(1);
        auto const [end, failed] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
        if (failed != std::errc{}) return false;
        rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
        return true;
    }
};

/// `0.0196 ms, 27.3 TFlops, 13.5 GB/s` and, where there is one, `, NAME`.
struct ck_figures {
    double ms = 0, tflops = 0, bandwidth = 0;
    std::string_view name;
};

inline bool is_plain(std::string_view text) {
    return std::none_of(text.begin(), text.end(), [](char c) {
        return (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7f;
    });
}

inline bool is_time(double ms) { return std::isfinite(ms) && ms > 0 && ms < 1e9; }

/// Words that begin or end a line of ckProfiler's, which no name of an instance holds.
inline bool is_mixed(std::string_view name) {
    for (std::string_view const word :
         {"Perf:", "Best Perf", " does not support this problem", "{\"operation\"", " TFlops, "})
        if (name.find(word) != name.npos) return true;
    return false;
}

inline std::optional<std::string> read_figures(std::string_view text, ck_figures& f) {
    line_reader in{text};
    if (!in.number(f.ms) || !in.word("ms,")) return "no time in ms";
    if (!in.number(f.tflops) || !in.word("TFlops,")) return "no TFlops";
    if (!in.number(f.bandwidth) || !in.word("GB/s")) return "no GB/s";
    if (!is_time(f.ms)) return "its time is no time";
    if (in.rest.starts_with(',')) in.rest.remove_prefix(1);
    f.name = trimmed(in.rest);
    if (is_mixed(f.name)) return "two lines are mixed into one";
    return std::nullopt;
}

inline std::optional<matrix_layout> ck_layout(std::string_view name) {
    if (name == "RowMajor") return matrix_layout::row;
    if (name == "ColumnMajor") return matrix_layout::column;
    return std::nullopt;
}

inline std::optional<gemm_type> ck_type(std::string_view name) {
    if (name == "f32") return gemm_type::f32;
    if (name == "f16") return gemm_type::f16;
    if (name == "bf16") return gemm_type::bf16;
    if (name == "int8" || name == "i8") return gemm_type::int8;
    if (name == "fp8" || name == "f8") return gemm_type::fp8;
    return std::nullopt;
}

class ck_reader {
public:
    ck_output take(std::string_view text) {
        if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
        // What is cut off in its last line says so by having no line feed.
        while (!text.empty()) {
            auto const end = text.find('\n');
            auto const line = text.substr(0, end);
            text.remove_prefix(end == text.npos ? text.size() : end + 1);
            ++out_.lines;
            auto const before = out_.faults.size();
            read_line(trimmed(line));
            if (out_.faults.size() == before) ++out_.understood;
        }
        finish();
        for (std::size_t const left : json_open_) conclude(out_.products[left]);
        return std::move(out_);
    }

private:
    void fault(std::string what) { out_.faults.push_back({out_.lines, std::move(what)}); }

    void read_line(std::string_view line) {
        if (line.empty()) return;
        if (!is_plain(line)) return fault("it has control characters: " + in_backticks(line));
        if (line.starts_with('{')) return read_json(line);
        // A call begins with its matrices, or with the count of its instances.
        for (std::size_t i = 0; i < 3; ++i)
            if (line.starts_with(heads[i])) return read_matrix(line.substr(heads[i].size()), i);
        if (line.starts_with("found ")) return read_count(line);
        if (line.starts_with("Best Perf")) return read_best(line);
        if (line.starts_with("Perf:")) return read_instance(line.substr(5));
        if (line.ends_with("does not support this problem")) return read_unsupported(line);
        if (is_comparison(line)) return read_wrong();
        // Of older versions: what they launch.
        for (std::string_view const said : {"launch_and_time_kernel:", "Warm up", "Start running"})
            if (line.starts_with(said) && !is_mixed(line)) return;
        if (line.starts_with("max err:")) return; // the summary of a comparison that failed
        fault(is_mixed(line) ? "two lines are mixed into one: " + in_backticks(line)
                             : "not a line that ckProfiler writes: " + in_backticks(line));
    }

    static bool is_comparison(std::string_view line) {
        return line.starts_with("Error: Incorrect results!") ||
               line.starts_with("Error: incorrect results!") ||
               (line.starts_with("out[") && line.find("!= ref[") != line.npos);
    }

    std::size_t add_product() {
        out_.products.emplace_back();
        out_.products.back().line = out_.lines;
        return out_.products.size() - 1;
    }
    /// Of the console lines, which do not say whose they are.
    ck_product& current() {
        if (!open_) open_ = add_product();
        return out_.products[*open_];
    }
    void begin(bool with_matrix) {
        if (open_) {
            auto const& p = current();
            bool const measured = !p.found.instances.empty() || p.found.unsupported > 0;
            // Two counts, and nothing between them: those of two calls side by side.
            mixed_ = mixed_ || (!with_matrix && p.instances_there > 0 && !measured);
            if (measured || (with_matrix && (has_matrix_ || p.instances_there > 0))) finish();
        }
        (void)current();
        has_matrix_ = with_matrix || has_matrix_;
    }
    /// The call whose console lines are being read is over.
    void finish() {
        if (open_) conclude(out_.products[*open_]);
        open_.reset();
        has_matrix_ = mixed_ = false;
    }
    static void conclude(ck_product& p) {
        auto& remarks = p.found.remarks;
        if (!p.complete) remarks.push_back("the output ends before the best instance is named");
        auto const seen = p.found.instances.size() + p.found.unsupported;
        if (p.instances_there > 0 && p.instances_there != seen)
            remarks.push_back("ckProfiler has " + std::to_string(p.instances_there) +
                              " instances, its output " + std::to_string(seen));
        for (scanned_instance const& one : p.found.instances)
            if (one.differs())
                remarks.push_back("measured again, with more launches, the best instance took " +
                                  significant(one.discrepancy()) + " times as long");
        if (p.verified_wrong &&
            std::none_of(p.found.instances.begin(), p.found.instances.end(), [](auto const& one) {
                return one.verdict == scan_verdict::wrong;
            }))
            remarks.push_back("the result of an instance is wrong; which one is not said");
    }

    /// `dim 2, lengths {3840, 4096}, strides {4096, 1}`.
    void read_matrix(std::string_view text, std::size_t which) {
        if (which == 0) begin(true);
        auto& p = current();
        auto const brace = text.find("lengths {");
        line_reader in{brace == text.npos ? text : text.substr(brace + 9)};
        std::int64_t rows = 0, columns = 0, first = 0, second = 0;
        if (brace == text.npos || !in.number(rows) || !in.word(",") || !in.number(columns) ||
            !in.word("}"))
            return fault("the lengths of a matrix are cut off");
        auto& shape = lengths_;
        shape[which] = {rows, columns};
        if (which == 2 && shape[0][0] == rows && shape[1][1] == columns)
            p.shape = gemm_shape{rows, columns, shape[0][1]};
        if (!in.word(",") || !in.word("strides {") || !in.number(first) || !in.word(",") ||
            !in.number(second) || !in.word("}"))
            return fault("the strides of a matrix are cut off");
        order_[which] = second == 1 ? matrix_layout::row : matrix_layout::column;
        p.strides[which] = second == 1 ? first : second;
        if (which == 2) p.layouts = order_;
    }

    void read_count(std::string_view line) {
        line_reader in{line.substr(5)};
        std::size_t count = 0;
        if (!in.number(count) || !in.word("instances"))
            return fault("the count of instances is cut off: " + in_backticks(line));
        begin(false);
        current().instances_there = count;
    }

    void read_instance(std::string_view text) {
        ck_figures f;
        if (auto const why = read_figures(text, f))
            return fault(*why + " in the line of an instance: " + in_backticks(text));
        if (f.name.empty()) return fault("the line of an instance has no name");
        if (open_ && current().complete) finish();
        auto& p = current();
        p.found.instances.push_back({.name = std::string(f.name), .time = seconds{f.ms / 1e3}});
    }

    void read_unsupported(std::string_view line) {
        if (is_mixed(line.substr(0, line.size() - 29)))
            return fault("two lines are mixed into one: " + in_backticks(line));
        if (open_ && current().complete) finish();
        ++current().found.unsupported;
    }

    void read_wrong() {
        auto& p = current();
        p.verified_wrong = true;
        if (!p.found.instances.empty()) p.found.instances.back().verdict = scan_verdict::wrong;
    }

    /// `Best Perf for datatype = f16 ALayout =  RowMajor ... : FIGURES`, or `Best Perf: FIGURES`.
    void read_best(std::string_view line) {
        auto const colon = line.find(line.starts_with("Best Perf:") ? ":" : " : ");
        ck_figures f;
        if (colon == line.npos)
            return fault("the line of the best is cut off: " + in_backticks(line));
        auto const skip = line[colon] == ':' ? 1u : 3u;
        if (auto const why = read_figures(line.substr(colon + skip), f))
            return fault(*why + " in the line of the best: " + in_backticks(line));
        auto& p = current();
        auto const& all = p.found.instances;
        auto const is_it = [&](auto const& one) { return one.name == f.name; };
        auto const begins_so = [&](auto const& one) { return one.name.starts_with(f.name); };
        if (!f.name.empty() && std::none_of(all.begin(), all.end(), is_it) &&
            std::any_of(all.begin(), all.end(), begins_so))
            return fault("the name in the line of the best is cut off: " + in_backticks(f.name));
        auto const before = p.shape;
        if (!line.starts_with("Best Perf:")) read_problem(line.substr(9, colon - 9), p);
        p.complete = true;
        if (mixed_ || (before && p.shape != before)) {
            p.shape.reset(); // whose times these are is not known
            finish();
            return fault("the lines before the best are of several calls, which are mixed");
        }
        name_best(p, f.name, seconds{f.ms / 1e3});
        finish();
    }

    static std::string_view after(std::string_view text, std::string_view key) {
        auto const at = text.find(key);
        if (at == text.npos) return {};
        auto rest = trimmed(text.substr(at + key.size()));
        return rest.substr(0, rest.find(' '));
    }

    void read_problem(std::string_view text, ck_product& p) {
        p.type = ck_type(after(text, "datatype ="));
        auto const a = ck_layout(after(text, "ALayout =")), b = ck_layout(after(text, "BLayout ="));
        if (a && b) p.layouts = {*a, *b, p.layouts ? (*p.layouts)[2] : matrix_layout::row};
        auto const read = [&](std::string_view key) {
            std::int64_t value = 0;
            line_reader in{after(text, key)};
            return in.number(value) ? value : 0;
        };
        gemm_shape const shape{read(" M ="), read(" N ="), read(" K =")};
        if (shape.m > 0 && shape.n > 0 && shape.k > 0) p.shape = shape;
        p.strides = {read("StrideA ="), read("StrideB ="), read("StrideC =")};
    }

    /// ckProfiler measures the fastest instance again. Old versions do not name it.
    static void name_best(ck_product& p, std::string_view name, seconds time) {
        auto& all = p.found.instances;
        auto const faster = [](auto const& a, auto const& b) { return a.time < b.time; };
        auto best = all.end();
        for (auto at = all.begin(); at != all.end(); ++at)
            if ((name.empty() || at->name == name) && (best == all.end() || faster(*at, *best)))
                best = at;
        if (best == all.end()) {
            if (!name.empty()) all.push_back({.name = std::string(name), .time = time});
            p.found.remarks.push_back("the best instance has no line of its own");
            return;
        }
        best->again = time;
        p.named_best = static_cast<std::size_t>(best - all.begin());
    }

    void read_json(std::string_view line) {
        boost::system::error_code failed;
        auto const value = boost::json::parse(line, failed);
        if (failed || !value.is_object())
            return fault("the JSON is cut off or mixed: " + in_backticks(line));
        auto const& o = value.get_object();
        auto const text = [&](std::string_view key) {
            auto const* const v = o.if_contains(key);
            return v && v->is_string() ? std::string_view(v->get_string()) : std::string_view();
        };
        auto const whole = [&](std::string_view key) {
            auto const* const v = o.if_contains(key);
            return v && v->is_int64() ? v->get_int64() : 0;
        };
        auto const* const time = o.if_contains("time_ms");
        auto const* const best = o.if_contains("is_best");
        boost::system::error_code no_number;
        double const ms = time ? time->to_number<double>(no_number) : 0;
        auto const name = text("operation");
        if (name.empty() || !is_plain(name) || no_number || !is_time(ms) || !best ||
            !best->is_bool())
            return fault("the JSON has no operation, no time_ms or no is_best");
        // Each line says whose it is, so that those of calls side by side can be told apart.
        std::optional<gemm_shape> shape = gemm_shape{whole("M"), whole("N"), whole("K")};
        if (shape->m == 0 || shape->n == 0 || shape->k == 0) shape.reset();
        auto const type = ck_type(text("datatype"));
        auto const a = ck_layout(text("layout_a")), b = ck_layout(text("layout_b")),
                   c = ck_layout(text("layout_c"));
        std::optional<std::array<matrix_layout, 3>> layouts;
        if (a && b) layouts = {*a, *b, c.value_or(matrix_layout::row)};
        auto at = std::find_if(json_open_.begin(), json_open_.end(), [&](std::size_t k) {
            auto const& p = out_.products[k];
            return p.shape == shape && p.type == type && p.layouts == layouts;
        });
        if (at == json_open_.end()) at = json_open_.insert(at, add_product());
        auto& p = out_.products[*at];
        p.shape = shape;
        p.type = type;
        p.layouts = layouts;
        p.date = std::string(text("timestamp"));
        if (!best->get_bool()) {
            p.found.instances.push_back({.name = std::string(name), .time = seconds{ms / 1e3}});
            return;
        }
        p.complete = true;
        settle_json(p, name, seconds{ms / 1e3});
        conclude(p);
        json_open_.erase(at);
    }

    /// The fork writes the rerun as one more line of its instance, and then the best once more,
    /// with the smaller of its times.
    static void settle_json(ck_product& p, std::string_view name, seconds time) {
        auto& all = p.found.instances;
        if (all.size() > 1 && all.back().name == name &&
            std::any_of(
                all.begin(), all.end() - 1, [&](auto const& i) { return i.name == name; })) {
            auto const again = all.back().time;
            all.pop_back();
            return name_best(p, name, again);
        }
        name_best(p, name, time);
        if (p.named_best) all[*p.named_best].again.reset();
    }

    static constexpr std::array<std::string_view, 3> heads{"a_m_k:", "b_k_n:", "c_m_n:"};
    ck_output out_;
    std::optional<std::size_t> open_;         // of the products: that of the console lines
    bool has_matrix_ = false, mixed_ = false; // it has its first matrix; lines of another call
    std::vector<std::size_t> json_open_;      // those of lines of JSON whose best is still to come
    std::array<std::array<std::int64_t, 2>, 3> lengths_{};
    std::array<matrix_layout, 3> order_{};
};

} // namespace detail::scan

result<gemm_spec> ck_product::spec() const {
    if (!shape || !type)
        return error{condition::rejected,
                     "lkt.scan.ck-product",
                     "the output from line " + std::to_string(line) + " on does not say " +
                         (shape ? "its data type" : "its sizes"),
                     "keep the whole output of ckProfiler, its last line included"};
    gemm_draft draft{.m = shape->m, .n = shape->n, .k = shape->k, .type = *type};
    if (layouts) {
        draft.a = (*layouts)[0];
        draft.b = (*layouts)[1];
        draft.c = (*layouts)[2];
    }
    draft.stride_a = strides[0];
    draft.stride_b = strides[1];
    draft.stride_c = strides[2];
    return gemm_spec::make(draft);
}

ck_output parse_ck_output(std::string_view text) { return detail::scan::ck_reader().take(text); }

} // namespace lkt
