// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/string_tools.hpp>
#include <lkt/scan/ck_instance.hpp>

#include <algorithm>
#include <charconv>
#include <initializer_list>
#include <set>

namespace lkt {

namespace detail::scan {

using ck_names = std::vector<std::string_view>;

/// What stands between angle brackets, in each form that GetTypeString of this kind has had in
/// Composable Kernel: numbers, and `padding` is a word.
inline std::vector<ck_names> ck_positions(std::string_view kind) {
    ck_names const tile{"block_size", "m_block", "n_block", "k_block"},
        tile_k0{"block_size", "m_block", "n_block", "k0_block", "k1"},
        waves{"m_wave", "n_wave", "m_repeat", "n_repeat"}, k1{"a_k1", "b_k1"},
        vectors{"a_vector", "b_vector", "m_shuffle", "n_shuffle"},
        stores{"a_vector", "a_store", "b_vector", "b_store"}, padding{"padding"};
    auto const joined = [](std::initializer_list<ck_names> parts) {
        ck_names all;
        for (ck_names const& part : parts) all.insert(all.end(), part.begin(), part.end());
        return all;
    };
    if (kind == "DeviceGemmDl") return {joined({tile_k0, {"m_thread", "n_thread", "k_thread"}})};
    if (kind == "DeviceGemmXdl")
        return {joined({tile_k0, waves}), joined({tile_k0, waves, stores})};
    if (kind == "DeviceGemmXdlSkipBLds") return {joined({tile_k0, waves})};
    if (kind == "DeviceGemmWmma_CShuffle") return {joined({tile, {"k1"}, waves})};
    if (kind == "DeviceGemmDpp") return {joined({tile, k1, waves, stores})};
    auto const shuffled = joined({tile, k1, waves, vectors});
    if (kind == "DeviceGemm_Xdl_CShuffle") return {shuffled, joined({padding, shuffled})};
    if (kind == "DeviceGemm_Xdl_CShuffle_LdsDirectLoad") return {joined({shuffled, padding})};
    return {};
}

/// What follows `KEY: `; several where the value is of the form 128x64.
inline ck_names ck_keys(std::string_view key) {
    if (key == "BlkSize") return {"block_size"};
    if (key == "BlkTile") return {"m_block", "n_block", "k_block"};
    if (key == "WaveTile" || key == "WmmaTile") return {"m_wave", "n_wave"};
    if (key == "WaveMap" || key == "WmmaRepeat") return {"m_repeat", "n_repeat"};
    if (key == "VmemReadVec") return {"a_vector", "b_vector"};
    if (key == "LoopScheduler" || key == "BlkGemmPipelineScheduler") return {"scheduler"};
    if (key == "PipelineVersion" || key == "BlkGemmPipelineVersion") return {"pipeline"};
    if (key == "NumPrefetch" || key == "BlkGemmPipelinePrefetchStages") return {"prefetch"};
    if (key == "AEnableLds") return {"a_lds"};
    if (key == "BEnableLds") return {"b_lds"};
    if (key == "KPack" || key == "Kpack") return {"k_pack"};
    if (key == "KBatch") return {"k_batch"};
    return {};
}

inline bool is_ck_word(std::string_view text) {
    return !text.empty() && text.size() <= 64 && std::all_of(text.begin(), text.end(), [](char c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
               c == '_';
    });
}

inline parameter_value ck_value(std::string_view text) {
    std::int64_t number = 0;
    auto const [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (failed == std::errc{} && end == text.data() + text.size()) return number;
    return std::string(text);
}

inline std::vector<std::string_view> parts_of(std::string_view text, std::string_view between) {
    std::vector<std::string_view> parts;
    while (true) {
        auto const end = text.find(between);
        parts.push_back(trimmed(text.substr(0, end)));
        if (end == text.npos) return parts;
        text.remove_prefix(end + between.size());
    }
}

} // namespace detail::scan

result<ck_instance> parse_ck_instance(std::string_view name) {
    using namespace detail::scan;
    auto const bad = [&](std::string why) {
        return error{condition::rejected,
                     "lkt.scan.ck-instance",
                     "the name " + in_backticks(name.substr(0, 200)) +
                         " is no instance of Composable Kernel: " + std::move(why),
                     {}};
    };
    name = trimmed(name);
    auto const open = name.find('<'), close = name.find('>');
    if (open == name.npos || close == name.npos || close < open)
        return bad("it has no parameters between < and >");
    ck_instance made;
    made.kind = std::string(name.substr(0, open));
    if (!is_ck_word(made.kind)) return bad("it does not begin with a kind");
    std::set<std::string> known;
    auto const add = [&](std::string key, std::string_view text) {
        if (!is_ck_word(text) || !known.insert(key).second) return false;
        made.parameters.values.emplace_back(std::move(key), ck_value(text));
        return true;
    };
    auto const inside = parts_of(name.substr(open + 1, close - open - 1), ",");
    auto const rest = trimmed(name.substr(close + 1));
    if (auto const forms = ck_positions(made.kind); !forms.empty()) {
        auto const form = std::find_if(forms.begin(), forms.end(), [&](ck_names const& f) {
            return f.size() == inside.size();
        });
        if (form == forms.end()) {
            std::string counts;
            for (ck_names const& f : forms)
                counts += (counts.empty() ? "" : " or ") + std::to_string(f.size());
            return bad("a " + made.kind + " has " + counts + " parameters, and here are " +
                       std::to_string(inside.size()));
        }
        for (std::size_t i = 0; i < inside.size(); ++i) {
            bool const word = (*form)[i] == "padding";
            if (word == std::holds_alternative<std::int64_t>(ck_value(inside[i])) ||
                !add(std::string((*form)[i]), inside[i]))
                return bad(in_backticks(inside[i]) + (word ? " is no padding" : " is no number"));
        }
    } else if (rest.find("BlkTile: ") != rest.npos) {
        if (inside.size() != 2 || !add("padding", inside[0]) || !add("layouts", inside[1]))
            return bad("its padding and layouts are missing");
    } else {
        return bad("the kind " + in_backticks(made.kind) + " is not known");
    }
    if (rest.empty()) return made;
    for (std::string_view const pair : parts_of(rest, ",")) {
        auto const colon = pair.find(": ");
        if (colon == pair.npos) return bad(in_backticks(pair) + " has no value");
        auto const key = pair.substr(0, colon), value = trimmed(pair.substr(colon + 2));
        auto const keys = ck_keys(key);
        auto const values =
            keys.size() > 1 ? parts_of(value, "x") : std::vector<std::string_view>{value};
        if (!is_ck_word(key) || values.size() != std::max<std::size_t>(keys.size(), 1))
            return bad(in_backticks(pair) + " has another number of values");
        for (std::size_t i = 0; i < values.size(); ++i) {
            if (keys.size() > 1 && !std::holds_alternative<std::int64_t>(ck_value(values[i])))
                return bad(in_backticks(values[i]) + " is no number");
            if (!add(std::string(keys.empty() ? key : keys[i]), values[i]))
                return bad(in_backticks(pair) + " is twice there, or no word");
        }
    }
    return made;
}

std::optional<std::string> ck_space::name_of(configuration const& c) const {
    auto const at = instances.find(to_string(c));
    return at == instances.end() ? std::nullopt : std::optional(at->second);
}

result<ck_spaces> ck_spaces_of(std::span<std::string const> names) {
    ck_spaces found;
    std::vector<std::pair<std::string, std::vector<std::pair<ck_instance, std::string>>>> groups;
    std::set<std::string> seen;
    for (std::string const& name : names) {
        if (!seen.insert(name).second) continue;
        auto one = parse_ck_instance(name);
        if (!one) {
            found.unknown.push_back(one.error().message);
            continue;
        }
        std::string key = one->kind;
        for (auto const& [parameter, value] : one->parameters.values) key += ' ' + parameter;
        auto at = std::find_if(
            groups.begin(), groups.end(), [&](auto const& g) { return g.first == key; });
        if (at == groups.end()) at = groups.insert(groups.end(), {key, {}});
        at->second.emplace_back(std::move(*one), name);
    }
    for (auto const& [key, members] : groups) {
        auto const& first = members.front().first;
        std::vector<tunable_parameter> parameters;
        for (std::size_t p = 0; p < first.parameters.values.size(); ++p) {
            tunable_parameter one{first.parameters.values[p].first, {}};
            for (auto const& [instance, name] : members) {
                auto const& value = instance.parameters.values[p].second;
                if (std::find(one.values.begin(), one.values.end(), value) == one.values.end())
                    one.values.push_back(value);
            }
            std::sort(one.values.begin(), one.values.end());
            parameters.push_back(std::move(one));
        }
        std::vector<expression> restrictions;
        std::vector<std::string> texts;
        bool const tiled = first.parameters.find("m_repeat") != nullptr;
        std::string const lanes = first.kind.find("Wmma") != std::string::npos ? "32" : "64";
        if (tiled)
            for (std::string const& text :
                 {std::string("m_block % (m_wave * m_repeat) == 0"),
                  std::string("n_block % (n_wave * n_repeat) == 0"),
                  "m_block // (m_wave * m_repeat) * (n_block // (n_wave * n_repeat)) * " + lanes +
                      " == block_size"}) {
                auto rule = expression::parse(text);
                if (!rule) return rule.error();
                bool const kept =
                    std::all_of(members.begin(), members.end(), [&](auto const& member) {
                        auto const met =
                            rule->evaluate_condition(scope_of({}, member.first.parameters));
                        return met && *met;
                    });
                if (!kept) continue;
                restrictions.push_back(std::move(*rule));
                texts.push_back(text);
            }
        auto space = search_space::make(parameters, restrictions);
        if (!space) return space.error();
        ck_space made{first.kind, std::move(*space), std::move(texts), {}};
        for (auto const& [instance, name] : members)
            made.instances.emplace(to_string(instance.parameters), name);
        found.spaces.push_back(std::move(made));
    }
    return found;
}

} // namespace lkt
