// SPDX-License-Identifier: BSL-1.0
// Whether a text reads tiles by the maps alone that lkt makes. A map holds an address, and no tool
// sees what a tile is read from: one that a kernel made itself would read any memory. So each place
// where a map occurs must be one of those that are known to be fine.
#pragma once

#include <lkt/lang/cuda/inline_ptx.hpp>
#include <lkt/lang/expanded_text.hpp>

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lkt::detail::statics {

inline constexpr std::string_view tensor_map_word = "CUtensorMap";
inline constexpr std::string_view no_map_type =
    "it may only be the type of a kernel's parameter `const __grid_constant__ CUtensorMap NAME`, "
    "and of a named function's parameter `CUtensorMap const& NAME`: maps are not made in a kernel";
inline constexpr std::string_view no_map_use =
    "a tensor map may only be handed, by its name alone, to a function whose parameter is "
    "`CUtensorMap const&`, and to assembly as `\"l\"(&NAME)`; its name means nothing else there";
inline constexpr std::string_view no_map_call =
    "a function that takes a tensor map may only be called, and with the name of one alone";
inline constexpr std::string_view no_map_operand =
    "a tile's map must be `\"l\"(&NAME)`, where NAME is a parameter that is a tensor map";
inline constexpr std::string_view no_map_function =
    "tiles are read by `cp.async.bulk.tensor` in assembly, whose map is looked at";
inline constexpr std::string_view too_many_maps =
    "a text says so at most 256 times: more take long to look at";
inline constexpr std::string_view no_map_policy =
    "tensor maps need a policy for inline PTX that has their copies: `--ptx listed`";

class tensor_map_use {
public:
    struct fault {
        std::size_t token; ///< of `seen`
        std::string_view why;
    };

    explicit tensor_map_use(std::vector<expanded_token> const& seen) : seen_(seen) {
        for (std::size_t i = 0; i < seen.size(); ++i)
            if (seen[i].mark == expanded_token::edge::none) at_.push_back(i);
        constexpr std::size_t most = 256;
        std::vector<std::size_t> types;
        for (std::size_t k = 0; k < at_.size(); ++k)
            if (word(k).starts_with(tensor_map_word)) types.push_back(k);
        for (std::size_t k = 0; k < at_.size(); ++k)
            if (seen_[at_[k]].names() && (word(k).find("bulk_tensor") != std::string_view::npos ||
                                          word(k).starts_with("tensormap_")))
                fail(k, no_map_function);
        if (types.empty()) return;
        if (types.size() > most) {
            types_.push_back(at_[types.front()]);
            fail(types[most], too_many_maps);
            return;
        }
        for (std::size_t const k : types) declared(k);
        for (std::size_t k = 0; k < at_.size(); ++k)
            if (seen_[at_[k]].names()) {
                if (begins_asm(word(k))) end_of_assembly_ = past(k);
                used(k, k < end_of_assembly_);
            }
    }

    [[nodiscard]] std::vector<fault> const& faults() const { return faults_; }
    [[nodiscard]] std::vector<std::size_t> const& types() const { return types_; }
    /// Whether token `token` of `seen` names a map.
    [[nodiscard]] bool is_map(std::size_t token) const {
        return std::any_of(names_.begin(), names_.end(), [&](scope const& s) {
            return token >= s.begin && token < s.end && seen_[token].is(s.name);
        });
    }

    /// Whether a word that nobody sees in its place would have to be looked at there.
    [[nodiscard]] bool concerns(std::string_view word) const {
        return word.starts_with(tensor_map_word) || functions_.contains(word) ||
               std::any_of(
                   names_.begin(), names_.end(), [&](scope const& s) { return s.name == word; });
    }

private:
    /// Where a parameter's name means the map.
    struct scope {
        std::string_view name;
        std::size_t begin, end; ///< tokens of `seen`
        std::size_t declared;
    };

    [[nodiscard]] std::string_view word(std::size_t k) const { return seen_[at_[k]].tok.text; }
    [[nodiscard]] bool is(std::size_t k, std::string_view text) const {
        return k < at_.size() && seen_[at_[k]].is(text);
    }
    [[nodiscard]] bool names(std::size_t k) const {
        return k < at_.size() && seen_[at_[k]].names();
    }
    void fail(std::size_t k, std::string_view why) { faults_.push_back({at_[k], why}); }
    [[nodiscard]] bool opens(std::size_t k) const { return is(k, "(") || is(k, "[") || is(k, "{"); }
    [[nodiscard]] bool closes(std::size_t k) const {
        return is(k, ")") || is(k, "]") || is(k, "}");
    }
    /// One past the bracket that closes the first one from `k` on.
    [[nodiscard]] std::size_t past(std::size_t k) const {
        int depth = 0;
        for (; k < at_.size(); ++k) {
            depth += opens(k) ? 1 : closes(k) ? -1 : 0;
            if (depth == 0 && closes(k)) return k + 1;
            if (depth == 0 && is(k, ";")) return k;
        }
        return k;
    }

    struct call {
        std::size_t open = 0, argument = 0;
        std::string_view callee;
    };
    /// The innermost parentheses around `k`, and what stands before them.
    [[nodiscard]] std::optional<call> around(std::size_t k) const {
        call found;
        int depth = 0;
        while (k-- > 0) {
            if (closes(k)) ++depth;
            if (depth == 0 && opens(k)) {
                if (!is(k, "(")) return {};
                found.open = k;
                found.callee = callee(k);
                return found;
            }
            if (opens(k)) --depth;
            if (depth == 0 && is(k, ",")) ++found.argument;
        }
        return {};
    }
    /// `f` of `f(` and of `f<2>(`; empty if it is none.
    [[nodiscard]] std::string_view callee(std::size_t open) const {
        std::size_t k = open;
        if (k > 0 && is(k - 1, ">"))
            for (int depth = 0; k-- > 0;) {
                depth += is(k, ">") ? 1 : is(k, "<") ? -1 : 0;
                if (depth == 0) break;
            }
        return k > 0 && names(k - 1) ? word(k - 1) : std::string_view{};
    }

    void declared(std::size_t k) {
        types_.push_back(at_[k]);
        bool constant = false, of_grid = false;
        std::size_t before = k;
        while (before > 0 && (is(before - 1, "const") || is(before - 1, "__grid_constant__"))) {
            --before;
            (is(before, "const") ? constant : of_grid) = true;
        }
        std::size_t name = k + 1;
        for (; is(name, "const"); ++name) constant = true;
        bool const reference = is(name, "&");
        name += reference ? 1 : 0;
        bool const whole = before > 0 && (is(before - 1, "(") || is(before - 1, ",")) &&
                           names(name) && (is(name + 1, ",") || is(name + 1, ")"));
        auto const list = around(before);
        if (!is(k, tensor_map_word) || !whole || !constant || reference == of_grid || !list ||
            list->callee.empty())
            return fail(k, no_map_type);
        if (reference) functions_[list->callee].insert(list->argument);
        std::size_t end = past(list->open);
        while (end < at_.size() && !is(end, "{") && !is(end, ";")) ++end;
        end = is(end, "{") ? past(end) : end;
        names_.push_back(
            {word(name), at_[list->open], end < at_.size() ? at_[end] : seen_.size(), at_[name]});
    }

    void used(std::size_t k, bool in_assembly) {
        if (auto const f = functions_.find(word(k)); f != functions_.end()) called(k, f->second);
        if (!is_map(at_[k])) return;
        if (std::any_of(
                names_.begin(), names_.end(), [&](scope const& s) { return s.declared == at_[k]; }))
            return;
        if (in_assembly && k > 0 && is(k - 1, "&")) return;
        bool const alone =
            k > 0 && (is(k - 1, "(") || is(k - 1, ",")) && (is(k + 1, ",") || is(k + 1, ")"));
        auto const list = alone && !in_assembly ? around(k) : std::nullopt;
        auto const f = list ? functions_.find(list->callee) : functions_.end();
        if (f == functions_.end() || !f->second.contains(list->argument)) fail(k, no_map_use);
    }

    /// `load(to, A_map)`, `load<2>(to, A_map)` or a declaration.
    void called(std::size_t k, std::set<std::size_t> const& maps) {
        std::size_t open = k + 1;
        if (is(open, "<"))
            for (int depth = 0; open < at_.size(); ++open) {
                depth += is(open, "<") ? 1 : is(open, ">") ? -1 : is(open, ">>") ? -2 : 0;
                if (depth <= 0) {
                    ++open;
                    break;
                }
            }
        if (!is(open, "(")) return fail(k, no_map_call);
        std::set<std::size_t> seen;
        std::size_t argument = 0;
        int depth = 0;
        for (std::size_t i = open; i < at_.size(); ++i) {
            depth += opens(i) ? 1 : closes(i) ? -1 : 0;
            if (depth == 0) break;
            if (depth == 1 && is(i, ",")) ++argument;
            bool const begins = depth == 1 && (i == open || is(i, ","));
            if (!begins || !maps.contains(argument)) continue;
            bool const alone =
                names(i + 1) && is_map(at_[i + 1]) && (is(i + 2, ",") || is(i + 2, ")"));
            std::size_t type = i + 1;
            while (is(type, "const")) ++type;
            if (alone || is(type, tensor_map_word)) seen.insert(argument);
        }
        if (seen != maps) fail(k, no_map_call);
    }

    std::vector<expanded_token> const& seen_;
    std::vector<std::size_t> at_; ///< tokens that are no edges
    std::vector<scope> names_;
    std::map<std::string_view, std::set<std::size_t>> functions_; ///< which of their parameters
    std::vector<fault> faults_;
    std::vector<std::size_t> types_; ///< where the type stands
    std::size_t end_of_assembly_ = 0;
};

} // namespace lkt::detail::statics
