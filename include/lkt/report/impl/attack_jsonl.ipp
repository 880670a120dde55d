// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/report/attack_jsonl.hpp>

#include <lkt/core/plain_text.hpp>

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <optional>
#include <utility>

namespace lkt {

namespace attack_lines {

namespace json = boost::json;

std::string text_of(json::object const& o, std::string_view name) {
    auto const* v = o.if_contains(name);
    auto const* s = v ? v->if_string() : nullptr;
    return s ? std::string(s->data(), s->size()) : std::string();
}

std::string line(json::object const& o) { return plain_json(json::serialize(o)) + "\n"; }

template <class Enum, class Names>
std::optional<Enum> named(std::string const& name, Names const& all) {
    auto const at = std::find(all.begin(), all.end(), name);
    if (at == all.end()) return std::nullopt;
    return static_cast<Enum>(at - all.begin());
}

/// False: the line is none of these.
bool take(json::object const& o, attack_history& to) {
    auto const* round = o.if_contains("round");
    if (!round || !round->is_int64() || !o.contains("problem")) return false;
    int const number = static_cast<int>(std::clamp<std::int64_t>(round->get_int64(), 0, 1 << 30));
    if (o.contains("reply")) {
        to.replies.push_back(
            {text_of(o, "problem"), number, text_of(o, "model"), text_of(o, "reply")});
        return true;
    }
    auto const end = named<attack_end>(text_of(o, "end"), attack_ends);
    auto const said = named<verdict>(text_of(o, "verdict"), verdict_names);
    if (!end || !said) return false;
    attack_record r;
    r.problem = text_of(o, "problem");
    r.round = number;
    r.model = text_of(o, "model");
    r.proposal = {
        text_of(o, "kernel"), text_of(o, "claim"), text_of(o, "size"), text_of(o, "script")};
    r.judged.end = *end;
    r.judged.verdict = *said;
    r.judged.reason = text_of(o, "reason");
    r.judged.proof = text_of(o, "proof");
    boost::system::error_code none;
    if (auto const* v = o.if_contains("seed")) r.judged.seed = v->to_number<std::uint64_t>(none);
    if (auto const* v = o.if_contains("seconds"))
        r.judged.spent = seconds(v->to_number<double>(none));
    to.attempts.push_back(std::move(r));
    return true;
}

} // namespace attack_lines

std::string attack_line(attack_reply const& r) {
    return attack_lines::line({{"problem", well_formed_utf8(r.problem)},
                               {"round", r.round},
                               {"model", well_formed_utf8(r.model)},
                               {"reply", well_formed_utf8(r.text)}});
}

std::string attack_line(attack_record const& r) {
    return attack_lines::line({{"problem", well_formed_utf8(r.problem)},
                               {"round", r.round},
                               {"model", well_formed_utf8(r.model)},
                               {"claim", well_formed_utf8(r.proposal.claim)},
                               {"size", well_formed_utf8(r.proposal.size)},
                               {"end", to_string(r.judged.end)},
                               {"verdict", to_string(r.judged.verdict)},
                               {"reason", well_formed_utf8(r.judged.reason)},
                               {"proof", well_formed_utf8(r.judged.proof)},
                               {"seed", r.judged.seed},
                               {"seconds", r.judged.spent.count()},
                               {"kernel", well_formed_utf8(r.proposal.kernel)},
                               {"script", well_formed_utf8(r.proposal.script)}});
}

void attack_history::resume(attack_state& s) const {
    s.past = attempts;
    s.round = 0;
    s.pending.clear();
    s.fault.clear();
    attack_reply const* last = nullptr;
    for (attack_reply const& r : replies)
        if (r.problem == s.problem_name) last = &r, s.round = std::max(s.round, r.round);
    if (last == nullptr) return;
    s.pending =
        attack_proposals(last->text, s.task.reference.language, s.limits.per_reply, &s.fault);
    for (attack_record const& r : attempts)
        if (r.problem == s.problem_name && r.round == last->round)
            std::erase(s.pending, r.proposal);
}

result<attack_history> read_attacks(std::string_view lines, std::string const& origin) {
    attack_history all;
    for (std::size_t number = 1; !lines.empty(); ++number) {
        auto const end = lines.find('\n');
        if (end == lines.npos) break;
        auto const one = lines.substr(0, end);
        lines.remove_prefix(end + 1);
        if (one.find_first_not_of(" \t\r") == one.npos) continue;
        boost::system::error_code why;
        auto const value = boost::json::parse(boost::json::string_view(one), why);
        auto const* o = why ? nullptr : value.if_object();
        if (!o || !attack_lines::take(*o, all))
            return error{condition::rejected,
                         "lkt.attack.record",
                         origin + ": line " + std::to_string(number) +
                             " is neither a reply nor an attempt of lkt-attack",
                         "name another file, or remove the line"};
    }
    return all;
}

std::string attack_report(std::span<attack_record const> attempts) {
    struct counts {
        int all = 0;
        std::array<int, attack_ends.size()> of{};
        void add(attack_end e) {
            ++all;
            ++of[static_cast<std::size_t>(e)];
        }
    };
    std::map<std::string, counts> problems;
    std::map<std::string, int> verdicts;
    counts total;
    std::size_t width = 11;
    for (attack_record const& r : attempts) {
        problems[r.problem].add(r.judged.end);
        total.add(r.judged.end);
        if (r.judged.end == attack_end::rejected)
            ++verdicts[std::string(to_string(r.judged.verdict))];
        width = std::max(width, r.problem.size());
    }
    auto const cell = [](std::string_view text) {
        return std::string(11 - std::min<std::size_t>(text.size(), 10), ' ') + std::string(text);
    };
    auto const first = [&](std::string name) {
        name.resize(width, ' ');
        return name;
    };
    auto const row_of = [&](std::string const& name, counts const& c) {
        std::string row = first(name) + cell(std::to_string(c.all));
        for (int const n : c.of) row += cell(std::to_string(n));
        return row + "\n";
    };
    std::string text = first("problem") + cell("attempts");
    for (std::string_view const end : attack_ends) text += cell(end);
    text += "\n";
    for (auto const& [name, c] : problems) text += row_of(name, c);
    text += row_of("all", total);
    if (!verdicts.empty()) text += "rejected as";
    for (auto const& [name, n] : verdicts)
        text += (name == verdicts.begin()->first ? " " : ", ") + name + " " + std::to_string(n);
    if (!verdicts.empty()) text += "\n";
    for (attack_record const& r : attempts)
        if (r.judged.end != attack_end::rejected)
            text += std::string(to_string(r.judged.end)) + ": " + r.problem + ", round " +
                    std::to_string(r.round) + ", seed " + std::to_string(r.judged.seed) + ": " +
                    plain_line(r.proposal.claim, 300) + "\n    " + plain_line(r.judged.proof, 300) +
                    "\n";
    return plain_text(text);
}

} // namespace lkt
