// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/lang/wgsl/wgsl.hpp>

#include <lkt/core/plain_text.hpp>
#include <lkt/core/string_tools.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace lkt::detail::lang {

error wgsl_kernel_error(kernel_source const& source,
                        char const* code,
                        std::string message,
                        std::string hint) {
    std::string const origin = plain_line(source.origin, 200);
    return {condition::rejected,
            code,
            (origin.empty() ? origin : origin + ": ") + std::move(message),
            std::move(hint)};
}

result<std::size_t>
wgsl_entry(kernel_source const& source, wgsl_module const& module, std::string_view name) {
    auto const& all = module.entry_points;
    if (all.empty())
        return wgsl_kernel_error(
            source,
            "lkt.kernel.none",
            "there is no @compute entry point",
            "declare a kernel as `@compute @workgroup_size(256) fn name(...)`");
    std::string list;
    for (wgsl_entry_point const& e : all) {
        if (!name.empty() && e.name == name) return static_cast<std::size_t>(&e - all.data());
        list += (list.empty() ? "" : ", ") + plain_line(e.name, 60);
    }
    list = plain_line(list, 400);
    if (!name.empty())
        return wgsl_kernel_error(source,
                                 "lkt.kernel.unknown",
                                 "there is no kernel " + in_backticks(name) + "; found " + list,
                                 "choose one, for example --kernel " + all.front().name);
    if (all.size() > 1)
        return wgsl_kernel_error(source,
                                 "lkt.kernel.several",
                                 "there are several kernels: " + list,
                                 "choose one, for example --kernel " + all.front().name);
    return std::size_t{0};
}

/// What an entry point is launched with: what it uses, and what nobody uses, as far as there is
/// room; in order.
std::vector<wgsl_use> wgsl_bindings_of(wgsl_module const& module, std::size_t entry_point) {
    std::vector<bool> used(module.bindings.size());
    for (wgsl_entry_point const& e : module.entry_points)
        for (wgsl_use const& u : e.bindings) used[u.binding] = true;
    auto const slot = [&](wgsl_use const& u) {
        return std::pair{module.bindings[u.binding].group, module.bindings[u.binding].binding};
    };
    std::vector<wgsl_use> all = module.entry_points[entry_point].bindings;
    std::set<std::pair<std::uint32_t, std::uint32_t>> taken;
    for (wgsl_use const& u : all) taken.insert(slot(u));
    for (std::size_t i = 0; i < used.size(); ++i) {
        // Nothing reads or writes it, so its contents stay as they are.
        wgsl_use const idle{i, module.bindings[i].writable ? direction::inout : direction::in};
        if (!used[i] && taken.insert(slot(idle)).second) all.push_back(idle);
    }
    std::sort(all.begin(), all.end(), [&](wgsl_use const& a, wgsl_use const& b) {
        return slot(a) < slot(b);
    });
    return all;
}

/// The values in a uniform buffer, one argument each.
void add_wgsl_members(wgsl_binding const& b, std::size_t index, wgsl_kernel& k) {
    for (wgsl_member const& m : b.members) {
        argument a;
        a.name = m.name;
        a.type = m.type;
        a.is_const = true;
        a.spelling = b.spelling + " { " + m.spelling + " }";
        a.within = record_member{b.name, m.offset, static_cast<std::uint32_t>(b.bytes)};
        k.signature.arguments.push_back(std::move(a));
        k.slots.push_back({index, m.offset, static_cast<std::uint32_t>(m.type.bytes()), 1});
    }
}

/// Replaces overrides that are no parameters by their defaults.
class override_defaults {
public:
    override_defaults(wgsl_module const& module, std::span<tunable_parameter const> parameters) {
        for (wgsl_override const& o : module.overrides) overrides_[o.name] = &o;
        for (tunable_parameter const& p : parameters) overrides_.erase(p.name);
    }
    result<expression> in(expression const& e) {
        auto const text = replaced(e.text());
        if (!text) return text.error();
        return *text == e.text() ? e : expression::parse(*text);
    }

private:
    result<std::string> replaced(std::string const& text) {
        std::string all;
        for (std::size_t i = 0; i < text.size();) {
            std::size_t end = i;
            while (end < text.size() &&
                   (is_identifier(text.substr(end, 1)) || (text[end] >= '0' && text[end] <= '9')))
                ++end;
            std::string const word = text.substr(i, std::max<std::size_t>(end - i, 1));
            auto const found = overrides_.find(word);
            if (found == overrides_.end()) {
                all += word;
            } else {
                auto const value = by_default(*found->second);
                if (!value) return value;
                all += "(" + *value + ")";
            }
            if (all.size() > expression::max_length)
                return error{condition::rejected,
                             "lkt.kernel.constant",
                             "the defaults of the overrides make the formula too long",
                             "give them numbers"};
            i += word.size();
        }
        return all;
    }
    result<std::string> by_default(wgsl_override const& o) {
        auto const known = texts_.find(o.name);
        if (known != texts_.end()) return known->second;
        bool const fresh = open_.insert(o.name).second;
        if (!fresh || !o.value || open_.size() > 64)
            return error{condition::rejected,
                         "lkt.kernel.constant",
                         "the workgroup's size depends on override " + in_backticks(o.name, 40) +
                             (o.value ? ", which depends on itself"
                              : o.has_default
                                  ? ", whose default lkt cannot evaluate"
                                  : ", which is not a tunable parameter and has no default"),
                         "make it a tunable parameter with --tune " + plain_line(o.name, 40) +
                             "=64,128, or write a default: override " + plain_line(o.name, 40) +
                             ": u32 = 64;"};
        auto text = replaced(o.value->text());
        open_.erase(o.name);
        if (text) texts_[o.name] = *text;
        return text;
    }

    std::map<std::string, wgsl_override const*, std::less<>> overrides_;
    std::map<std::string, std::string> texts_;
    std::set<std::string> open_;
};

/// `value` as a pipeline takes it; none where it is not of the override's type.
std::optional<double> override_value(scalar_type type, parameter_value const& value) {
    if (auto const* b = std::get_if<bool>(&value))
        return type == scalar_type::boolean ? std::optional(*b ? 1.0 : 0.0) : std::nullopt;
    auto const* i = std::get_if<std::int64_t>(&value);
    auto const* d = std::get_if<double>(&value);
    if (i == nullptr && d == nullptr) return {};
    double const number = i != nullptr ? static_cast<double>(*i) : *d;
    bool fits = std::isfinite(number);
    if (type == scalar_type::boolean) fits = number == 0 || number == 1;
    if (type == scalar_type::int32 || type == scalar_type::uint32) {
        bool const sign = type == scalar_type::int32;
        fits = fits && std::trunc(number) == number && number >= (sign ? -2147483648.0 : 0.0) &&
               number <= (sign ? 2147483647.0 : 4294967295.0);
    }
    if (type == scalar_type::float16) fits = fits && std::fabs(number) <= 65504.0;
    if (type == scalar_type::float32) fits = fits && std::fabs(number) <= 3.4028234663852886e38;
    return fits ? std::optional(number) : std::nullopt;
}

} // namespace lkt::detail::lang

namespace lkt {

result<wgsl_kernel>
find_wgsl_kernel(kernel_source const& source, wgsl_module const& module, std::string_view name) {
    namespace dl = detail::lang;
    auto const entry = dl::wgsl_entry(source, module, name);
    if (!entry) return entry.error();
    wgsl_entry_point const& e = module.entry_points[*entry];
    wgsl_kernel k;
    k.entry_point = *entry;
    k.signature.name = e.name;
    k.signature.line = e.line;
    k.signature.block = e.workgroup_size;
    for (wgsl_use const& u : dl::wgsl_bindings_of(module, *entry)) {
        wgsl_binding const& b = module.bindings[u.binding];
        if (!b.members.empty()) {
            dl::add_wgsl_members(b, u.binding, k);
            continue;
        }
        argument a;
        a.name = b.name;
        a.type = b.type;
        a.pointer = !b.by_value();
        a.is_const = !b.writable;
        a.flow = u.flow;
        a.spelling = b.spelling;
        k.signature.arguments.push_back(std::move(a));
        k.slots.push_back({u.binding, 0, b.stride, b.count});
    }
    std::map<std::string, int> times;
    for (argument const& a : k.signature.arguments) ++times[a.name];
    for (argument& a : k.signature.arguments)
        if (a.within && times[a.name] > 1) {
            auto const i = static_cast<std::size_t>(&a - k.signature.arguments.data());
            wgsl_slot const& slot = k.slots[i];
            for (wgsl_member const& m : module.bindings[slot.binding].members)
                if (m.offset == slot.offset) a.name = a.within->record + "." + m.path;
        }
    return k;
}

result<std::array<expression, 3>> wgsl_block(wgsl_module const& module,
                                             std::size_t entry_point,
                                             std::span<tunable_parameter const> parameters) {
    std::array<expression, 3> block{1, 1, 1};
    detail::lang::override_defaults defaults(module, parameters);
    for (std::size_t k = 0; k < 3; ++k) {
        auto e = defaults.in(module.entry_points[entry_point].workgroup_size[k]);
        if (!e) return e.error();
        block[k] = std::move(*e);
    }
    return block;
}

std::variant<override_values, refused> override_values_of(wgsl_module const& module,
                                                          configuration const& config) {
    override_values values;
    for (auto const& [name, value] : config.values) {
        auto const o = std::find_if(module.overrides.begin(),
                                    module.overrides.end(),
                                    [&](wgsl_override const& each) { return each.name == name; });
        if (o == module.overrides.end())
            return refused{name,
                           "this tunable parameter is not declared in the text; declare it as in "
                           "`override " +
                               plain_line(name, 40) + ": u32 = 16;`",
                           {}};
        auto const number = detail::lang::override_value(o->type, value);
        if (!number)
            return refused{name + " = " + value_text(value),
                           "the text declares `override " + o->name + "` as " +
                               std::string(to_string(o->type)) + ", which cannot hold this value",
                           {o->line, 0}};
        values.emplace_back(o->key(), *number);
    }
    return values;
}

std::variant<override_values, refused> override_values_of(wgsl_module const& module,
                                                          std::size_t entry_point,
                                                          configuration const& config) {
    std::vector<std::string> const& used = module.entry_points[entry_point].overrides;
    for (wgsl_override const& o : module.overrides)
        if (!o.has_default && config.find(o.name) == nullptr &&
            std::find(used.begin(), used.end(), o.name) != used.end())
            return refused{"override " + o.name,
                           "it has no default and is not a tunable parameter; give it a default, "
                           "or make it a tunable parameter",
                           {o.line, 0}};
    return override_values_of(module, config);
}

} // namespace lkt
