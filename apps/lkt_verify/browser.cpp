// SPDX-License-Identifier: BSL-1.0
#include "browser.hpp"

#include "../common/output.hpp"
#include "../common/status.hpp"

#include <lkt/core/plain_text.hpp>

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>

extern char const lkt_verify_page[]; // page/, put together by CMake

namespace lkt_verify {
namespace {

namespace json = boost::json;

constexpr std::size_t long_text = 8 * 1024, short_text = 300; ///< of what a browser says
constexpr std::uint64_t message_room = 64 * 1024, result_room = 1 << 20;
constexpr std::size_t max_rounds = 1000;

/// `3/outputs/0/12` by its parts.
std::vector<std::string_view> parts_of(std::string_view path) {
    std::vector<std::string_view> parts;
    for (;;) {
        auto const slash = path.find('/');
        parts.push_back(path.substr(0, slash));
        if (slash == path.npos) return parts;
        path.remove_prefix(slash + 1);
    }
}

/// A number below `end`, as the page writes it.
std::optional<std::size_t> number(std::string_view text, std::size_t end) {
    std::size_t value = 0;
    auto const [stop, bad] = std::from_chars(text.data(), text.data() + text.size(), value);
    bool const whole = bad == std::errc{} && stop == text.data() + text.size();
    return whole && value < end ? std::optional(value) : std::nullopt;
}

/// A member that is text; empty where there is none.
std::string text_of(json::object const& from, char const* name, std::size_t most) {
    auto const* const value = from.if_contains(name);
    auto const* const text = value == nullptr ? nullptr : value->if_string();
    return text == nullptr ? std::string() : lkt::plain_text({text->data(), text->size()}, most);
}

std::string page_text(std::string const& nonce) {
    std::string text(lkt_verify_page);
    constexpr std::string_view mark = "{nonce}";
    for (auto at = text.find(mark); at != text.npos; at = text.find(mark, at))
        text.replace(at, mark.size(), nonce);
    return text;
}

page_reply refusal(unsigned status, std::string why) {
    return {status, std::move(why) + "\n", "text/plain"};
}
page_reply reply(json::object const& what, bool last = false) {
    return {200, lkt::plain_json(json::serialize(what)), "application/json", last};
}

/// The state of the run, and what each request does to it.
class visit {
public:
    visit(browser_run const& run, page_server const& server)
        : run_(run), page_(page_text(server.nonce())), address_(server.address()) {}

    /// Whose page was loaded last has the run; `1/...` is another's.
    [[nodiscard]] std::uint64_t room(std::string_view path) const {
        auto const parts = parts_of(path);
        if (parts.size() < 2 || !number(parts[0], any)) return 0;
        if (parts[1] == "result" && parts.size() == 2) return result_room;
        if (parts[1] == "page" && parts.size() == 2) return message_room;
        if (parts[1] == "trouble" && parts.size() == 3 && kernel_of(parts[2])) return message_room;
        if (parts[1] != "outputs" || !kernel_of(parts[2]) || parts.size() < 4) return 0;
        auto const test = number(parts[3], run_.suite.tests.size());
        bool const known = parts.size() == 4 || (parts.size() == 5 && parts[4] == "timed");
        return test && known ? output_bytes(run_.suite, *test) : 0;
    }

    [[nodiscard]] page_reply answer(page_request r) {
        if (!r.post) return get(r);
        auto const parts = parts_of(r.path);
        if (number_ == 0 || number(parts[0], any) != number_)
            return refusal(409, "Another page has taken this run over: reload to take it back.");
        if (parts[1] == "outputs") {
            bool const timed = parts.size() == 5;
            return outputs(*kernel_of(parts[2]), *number(parts[3], any), r.body, timed);
        }
        boost::system::error_code bad;
        auto const read = json::parse(r.body, bad);
        if (bad || !read.is_object()) return refusal(400, "The body is no JSON object.");
        auto const& body = read.get_object();
        if (parts[1] == "page") return page_trouble(body);
        if (parts[1] == "trouble") return trouble(*kernel_of(parts[2]), body);
        return result(body);
    }

    browser_findings found;

private:
    static constexpr std::size_t any = static_cast<std::size_t>(-1);

    [[nodiscard]] std::optional<std::size_t> kernel_of(std::string_view text) const {
        return number(text, run_.kernels.size());
    }
    void tell(std::string const& what) const {
        if (!run_.quiet) lkt_apps::say("lkt-verify: " + what);
    }

    [[nodiscard]] page_reply get(page_request const& r) {
        if (r.path.empty()) return {200, page_, "text/html"};
        if (r.path == "job") return begin(r.agent);
        auto const parts = parts_of(r.path);
        if (parts.size() == 3 && parts[0] == "data") {
            auto const test = number(parts[1], run_.suite.tests.size());
            auto const argument = number(parts[2], run_.suite.directions.size());
            auto const bytes = test && argument ? argument_bytes(run_.suite, *test, *argument) : "";
            if (!bytes.empty()) return {200, std::string(bytes), "application/octet-stream"};
        }
        return refusal(404, "There is nothing here.");
    }

    /// From the start, for the page that asks.
    [[nodiscard]] page_reply begin(std::string const& agent) {
        ++number_;
        found = {};
        found.agent = lkt::plain_line(agent, short_text);
        found.of.resize(run_.kernels.size());
        passed_.assign(run_.kernels.size(), std::vector<bool>(run_.suite.tests.size()));
        for (std::size_t k = 0; k < run_.kernels.size(); ++k)
            found.of[k].wrong = run_.kernels[k].refused;
        tell("a page was opened: " + found.agent);
        auto job = job_json(run_.task, run_.suite, run_.kernels, run_.rounds);
        job["run"] = number_;
        job["expected_by"] = run_.expected_by;
        job["seed"] = std::to_string(run_.seed);
        return reply(job);
    }

    [[nodiscard]] page_reply
    outputs(std::size_t k, std::size_t test, std::string const& body, bool timed) {
        if (body.size() != output_bytes(run_.suite, test))
            return refusal(400, "These are not the bytes of all outputs.");
        auto& of = found.of[k];
        if (of.wrong) return refusal(400, "This kernel is known to be wrong.");
        of.wrong = judge_outputs(run_.task, run_.suite, run_.kernels[k], test, body, timed);
        if (of.wrong) return reply(told_wrong(k));
        if (!timed && !passed_[k][test]) {
            passed_[k][test] = true;
            ++of.right;
        }
        return reply({{"right", true}});
    }

    [[nodiscard]] json::object told_wrong(std::size_t k) {
        auto const why = lkt::plain_text(describe(*found.of[k].wrong), long_text);
        tell(run_.kernels[k].file + ": " + std::string(name_of_failure(*found.of[k].wrong)) + ": " +
             why);
        return {
            {"right", false}, {"verdict", lkt::name_of_failure(*found.of[k].wrong)}, {"why", why}};
    }

    /// What keeps the page from going on at all; whoever opens it elsewhere begins anew.
    [[nodiscard]] page_reply page_trouble(json::object const& body) const {
        tell("the page cannot run kernels: " + text_of(body, "message", long_text) + "\n  open " +
             address_ + " in another browser, or reload it; Ctrl-C ends");
        return reply({});
    }

    [[nodiscard]] page_reply trouble(std::size_t k, json::object const& body) {
        auto& of = found.of[k];
        if (of.wrong) return refusal(400, "This kernel is known to be wrong.");
        auto const kind = text_of(body, "kind", short_text);
        auto const why = text_of(body, "message", long_text);
        auto const* const at = body.if_contains("test");
        std::optional<std::size_t> test;
        if (at != nullptr && at->is_int64() && at->get_int64() >= 0 &&
            static_cast<std::uint64_t>(at->get_int64()) < run_.suite.tests.size())
            test = static_cast<std::size_t>(at->get_int64());
        auto const named = test ? run_.suite.tests[*test].test.name : std::string();
        auto const where = test ? "test `" + named + "`: " : std::string();
        using lkt::failure;
        if (kind == "compile-error")
            of.wrong = failure(lkt::compile_failed{why, {}});
        else if (kind == "launch-error")
            of.wrong = failure(lkt::launch_failed{where + why});
        else if (kind == "timeout")
            of.wrong = failure(lkt::timed_out{lkt::seconds(launch_limit_s), "launch"});
        else if (kind == "crashed")
            of.wrong = failure(lkt::crashed{where + why, {}});
        else if (kind == "input-mutated")
            of.wrong = failure(lkt::out_of_bounds{why, {}, lkt::verdict::input_mutated, named});
        else if (kind == "unsupported")
            of.unjudged = why;
        else if (kind == "too-large" && test && of.left_out.size() < run_.suite.tests.size())
            of.left_out.emplace_back(*test, why);
        else
            return refusal(400, "There is no trouble of this kind.");
        return of.wrong ? reply(told_wrong(k)) : reply({});
    }

    /// The last word: times, and where they come from.
    [[nodiscard]] page_reply result(json::object const& body) {
        found.adapter = lkt::plain_line(text_of(body, "adapter", short_text));
        found.clock = lkt::plain_line(text_of(body, "clock", short_text));
        found.remark = lkt::plain_line(text_of(body, "remark", long_text));
        auto const* const software = body.if_contains("software");
        found.software = software != nullptr && software->is_bool() && software->get_bool();
        if (auto const* const times = body.if_contains("times"))
            if (!take_times(*times)) return refusal(400, "These are no times of these kernels.");
        for (browser_finding& of : found.of) {
            if (of.wrong || !of.unjudged.empty()) continue;
            if (of.right + of.left_out.size() < run_.suite.tests.size())
                of.unjudged = "the page ended before all tests had run";
            else if (of.right == 0)
                of.unjudged =
                    "this GPU has no room for any of the tests: " + of.left_out.front().second;
        }
        return reply({{"report", browser_text(run_, found)}}, true);
    }

    /// `[{"launches": 12, "seconds": [...]} or null, ...]`: one for each kernel.
    [[nodiscard]] bool take_times(json::value const& given) {
        auto const* const all = given.if_array();
        if (all == nullptr || all->size() != found.of.size()) return false;
        std::vector<std::pair<int, lkt::measurement>> read(all->size());
        for (std::size_t k = 0; k < all->size(); ++k) {
            if ((*all)[k].is_null()) continue;
            auto const* const one = (*all)[k].if_object();
            auto const* const launches = one == nullptr ? nullptr : one->if_contains("launches");
            auto const* const seconds = one == nullptr ? nullptr : one->if_contains("seconds");
            if (launches == nullptr || !launches->is_int64() || launches->get_int64() < 1 ||
                launches->get_int64() > 1'000'000 || seconds == nullptr || !seconds->is_array() ||
                seconds->get_array().size() > max_rounds)
                return false;
            read[k].first = static_cast<int>(launches->get_int64());
            for (json::value const& s : seconds->get_array()) {
                boost::system::error_code bad;
                auto const t = s.to_number<double>(bad);
                if (bad || !std::isfinite(t) || t <= 0 || t > 86'400) return false;
                read[k].second.samples.emplace_back(t);
            }
        }
        for (std::size_t k = 0; k < read.size(); ++k) {
            found.of[k].launches = read[k].first;
            found.of[k].time = std::move(read[k].second);
        }
        return true;
    }

    static constexpr double launch_limit_s = 30; ///< the page's own, in page/gpu.js

    browser_run const& run_;
    std::string page_;
    std::string address_;
    std::size_t number_ = 0; ///< of the page that has the run
    std::vector<std::vector<bool>> passed_;
};

/// `2.1x`, or that no difference is seen.
std::string gain_text(lkt::measurement const& before, lkt::measurement const& now) {
    if (before.empty() || now.empty()) return {};
    if (compare(before, now) == lkt::comparison::undecided)
        return "  no difference to the original that these times show";
    return "  " + lkt::significant(speedup(before, now)) + "x";
}

std::string plural(std::size_t n, std::string const& what) {
    char const* const ending = n == 1 ? "" : what.ends_with("ch") ? "es" : "s";
    return std::to_string(n) + " " + what + ending;
}

std::string verdict_text(browser_finding const& of) {
    if (of.wrong)
        return "wrong: " + std::string(name_of_failure(*of.wrong)) + ": " +
               lkt::plain_text(describe(*of.wrong), long_text);
    if (!of.judged()) return "not judged: " + of.unjudged;
    return "right on " + plural(of.right, "test");
}

lkt::measurement original_time(browser_run const& run, browser_findings const& found) {
    for (std::size_t k = 0; k < found.of.size(); ++k)
        if (run.kernels[k].original) return found.of[k].time;
    return {};
}

} // namespace

lkt::result<browser_findings>
run_in_browser(browser_run const& run, page_server& server, std::stop_token stop) {
    visit guest(run, server);
    lkt_apps::say("lkt-verify: open " + server.address() +
                  "\n  in a browser on this machine that has WebGPU (Ctrl-C ends)");
    auto served = server.serve({[&](std::string_view path) { return guest.room(path); },
                                [&](page_request r) { return guest.answer(std::move(r)); }},
                               stop);
    if (!served) return served.error();
    return std::move(guest.found);
}

int browser_status(browser_run const& run, browser_findings const& found) {
    namespace status = lkt_apps::status;
    int worst = status::done;
    for (std::size_t k = 0; k < found.of.size(); ++k) {
        if (run.kernels[k].original) continue;
        if (found.of[k].wrong) return status::rejected;
        if (!found.of[k].judged()) worst = status::environment;
    }
    return worst;
}

std::string browser_text(browser_run const& run, browser_findings const& found) {
    auto const before = original_time(run, found);
    std::string text = "in the browser " + found.agent + "\n  adapter         " + found.adapter +
                       (found.software ? " (software: these are not the times of a GPU)" : "") +
                       "\n  tests           " + plural(run.suite.tests.size(), "test") + ", seed " +
                       std::to_string(run.seed) + "; expected outputs by " + run.expected_by + "\n";
    if (!found.clock.empty()) text += "  clock           " + found.clock + "\n";
    if (!found.remark.empty()) text += "  remark          " + found.remark + "\n";
    for (std::size_t k = 0; k < found.of.size(); ++k) {
        auto const& kernel = run.kernels[k];
        auto const& of = found.of[k];
        text += kernel.file + (kernel.original ? " (the original)" : "") + "\n  verdict         " +
                verdict_text(of) + "\n";
        for (auto const& [test, why] : of.left_out)
            text +=
                "  left out        test `" + run.suite.tests[test].test.name + "`: " + why + "\n";
        if (!of.time.empty())
            text += "  time            " + to_string(of.time) + ", of " +
                    plural(static_cast<std::size_t>(of.launches), "launch") + " each" +
                    (kernel.original ? "" : gain_text(before, of.time)) + "\n";
    }
    return lkt::plain_text(text) +
           "This says what these tests show on this GPU in this browser. Races, accesses out of "
           "bounds, other\nconfigurations and the honesty of timed launches are for lkt-verify "
           "without --browser.\n";
}

json::object browser_json(browser_run const& run, browser_findings const& found) {
    auto const before = original_time(run, found);
    json::array kernels;
    bool right = true;
    for (std::size_t k = 0; k < found.of.size(); ++k) {
        auto const& kernel = run.kernels[k];
        auto const& of = found.of[k];
        right = right && (kernel.original || of.accepted());
        json::array left_out;
        for (auto const& [test, why] : of.left_out)
            left_out.push_back({{"test", run.suite.tests[test].test.name}, {"why", why}});
        json::object one{{"file", kernel.file},
                         {"original", kernel.original},
                         {"configuration", to_string(kernel.config)},
                         {"judged", of.judged() || of.wrong.has_value()},
                         {"right", of.accepted()},
                         {"tests", of.right},
                         {"left_out", std::move(left_out)}};
        one["verdict"] = of.wrong ? json::value(name_of_failure(*of.wrong)) : json::value();
        one["reason"] = of.wrong ? lkt::plain_text(describe(*of.wrong), long_text) : of.unjudged;
        json::array samples;
        for (lkt::seconds const s : of.time.samples) samples.push_back(s.count());
        one["time"] = of.time.empty() ? json::value()
                                      : json::value{{"median_s", of.time.median().count()},
                                                    {"samples_s", std::move(samples)},
                                                    {"launches_of_a_sample", of.launches}};
        bool const compared = !kernel.original && !before.empty() && !of.time.empty();
        one["speed_up"] = compared ? json::value(speedup(before, of.time)) : json::value();
        kernels.push_back(std::move(one));
    }
    return {{"right", right},
            {"browser",
             {{"agent", found.agent},
              {"adapter", found.adapter},
              {"software", found.software},
              {"clock", found.clock},
              {"remark", found.remark}}},
            {"tests", run.suite.tests.size()},
            {"expected_by", run.expected_by},
            {"kernels", std::move(kernels)},
            {"seed", run.seed}};
}

} // namespace lkt_verify
