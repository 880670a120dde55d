// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/llm/prices.hpp>

#include <lkt/core/files.hpp>
#include <lkt/llm/detail/cassette_fields.hpp>
#include <lkt/llm/detail/price_list.hpp>
#include <lkt/llm/detail/read_json.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>

namespace lkt {

namespace prices_parts {

bool is_name_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '_';
}

/// Whether `prefix` is the beginning of `model`, and ends where a part of it does.
bool begins(std::string_view model, std::string_view prefix) {
    if (!model.starts_with(prefix)) return false;
    if (model.size() == prefix.size() || prefix.empty()) return true;
    return !is_name_letter(prefix.back()) || !is_name_letter(model[prefix.size()]);
}

/// `NAME at HOST[:PORT]`, as models behind HTTP describe themselves.
struct address {
    std::string_view name;
    std::string_view host; ///< empty where it says none
};

/// What names several models has no address.
address address_of(std::string_view model) {
    constexpr std::string_view at = " at ";
    auto const end = model.find(at);
    if (end == model.npos || end != model.rfind(at)) return {model, {}};
    return {model.substr(0, end), model.substr(end + at.size())};
}

bool is_local(std::string_view model) {
    for (std::string_view const own :
         {"scripted", "replies of a script", "replies written by hand", "recorded replies"})
        if (begins(model, own)) return true;
    auto const host = address_of(model).host;
    return begins(host, "localhost") || host.starts_with("127.") || host.starts_with("[::1]");
}

/// `-20260131` or `-2026-01-31`, which a snapshot of a model ends in. What is shorter is a version
/// with some servers, and costs what it costs.
bool is_date(std::string_view suffix) {
    auto const has_form = [&](std::string_view form) {
        return suffix.size() == form.size() &&
               std::equal(suffix.begin(), suffix.end(), form.begin(), [](char c, char f) {
                   return f == '0' ? c >= '0' && c <= '9' : c == f;
               });
    };
    return has_form("-20000000") || has_form("-2000-00-00");
}

token_price dearer(token_price const& a, token_price const& b) {
    return {std::max(a.input, b.input),
            std::max(a.cached_input, b.cached_input),
            std::max(a.output, b.output)};
}

std::optional<token_price> listed(address const& model) {
    std::optional<token_price> found;
    for (auto const& server : detail::price_list::servers) {
        if (!model.host.empty() && model.host != server.host) continue;
        std::optional<token_price> snapshot, exact;
        for (auto const& [name, price] : server.models) {
            if (model.name == name)
                exact = price;
            else if (model.name.starts_with(name) && is_date(model.name.substr(name.size())))
                snapshot = price;
        }
        auto const here = exact ? exact : snapshot;
        if (here) found = found ? dearer(*found, *here) : *here;
    }
    return found;
}

} // namespace prices_parts

std::string_view price_table::month() { return detail::price_list::month; }
std::string_view price_table::source() { return detail::price_list::source; }

price_table price_table::local() {
    price_table table;
    table.local_is_free_ = true;
    return table;
}

price_table price_table::built_in() {
    price_table table = local();
    table.listed_ = true;
    return table;
}

price_table& price_table::set(std::string name_prefix, token_price price) {
    prices_.insert_or_assign(std::move(name_prefix), price);
    return *this;
}

std::optional<token_price> price_table::own(std::string_view model) const {
    std::optional<token_price> found;
    std::size_t longest = 0;
    for (auto const& [prefix, price] : prices_) {
        if (!prices_parts::begins(model, prefix) || (found && prefix.size() < longest)) continue;
        found = price;
        longest = prefix.size();
    }
    return found;
}

std::optional<price_table::entry> price_table::look_up(std::string_view model,
                                                       std::string_view answered_by) const {
    if (!answered_by.empty())
        if (auto const price = own(answered_by)) return entry{*price};
    if (auto const price = own(model)) return entry{*price};
    if (local_is_free_ && prices_parts::is_local(model)) return entry{};
    if (!listed_) return std::nullopt;
    auto const asked = prices_parts::address_of(model);
    // Whoever answers does so at the server that was asked.
    auto price = prices_parts::listed({answered_by, asked.host});
    if (!price) price = prices_parts::listed(asked);
    if (!price) return std::nullopt;
    return entry{*price, true};
}

std::optional<token_price> price_table::find(std::string_view model,
                                             std::string_view answered_by) const {
    auto const found = look_up(model, answered_by);
    if (!found) return std::nullopt;
    return found->price;
}

result<void> price_table::add_json(std::string_view text, std::string const& name) {
    auto const malformed = [&](std::string const& what) {
        return error{condition::rejected,
                     "lkt.prices.malformed",
                     name + ": " + what,
                     R"(write {"models": {"NAME": {"input": 1.0, "cached_input": 0.1, )"
                     R"("output": 2.0}}}, in USD per million tokens)"};
    };
    detail::json_fault fault;
    auto const json = detail::read_json(text, {.unique_names = true}, fault);
    if (!json) return malformed("not valid JSON: " + fault.words());
    std::string defect;
    detail::json_fields fields(*json, "the table", defect);
    (void)fields.text("note");
    if (!fields.has("models")) fields.fail("\"models\" is missing");
    (void)fields.object("models");
    fields.no_others();
    std::map<std::string, token_price, std::less<>> added;
    if (fields.good()) {
        for (auto const& each : json->as_object().at("models").as_object()) {
            auto one = fields.inner(each.value(), "\"" + detail::excerpt(each.key(), 0, 60) + "\"");
            auto const price = [&](char const* field, bool required) -> std::optional<double> {
                auto const value = one.number(field);
                if ((required && !value) || (value && *value < 0))
                    one.fail("\"" + std::string(field) + "\" of \"" +
                             detail::excerpt(each.key(), 0, 60) + "\" is " +
                             (value ? "negative" : "missing"));
                return value;
            };
            token_price p;
            p.input = price("input", true).value_or(0);
            p.output = price("output", true).value_or(0);
            // Whoever does not say it does not reduce it.
            p.cached_input = price("cached_input", false).value_or(p.input);
            one.no_others();
            added.insert_or_assign(std::string(each.key()), p);
        }
    }
    if (!defect.empty()) return malformed(defect);
    for (auto& [prefix, price] : added) prices_.insert_or_assign(prefix, price);
    return {};
}

result<void> price_table::add_file(std::string const& path) {
    auto const text = read_text_file(path);
    if (!text) return text.error();
    return add_json(*text, path);
}

} // namespace lkt
