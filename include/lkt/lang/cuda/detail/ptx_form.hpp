// SPDX-License-Identifier: BSL-1.0
// Whether an instruction has a form that a row of the list has.
#pragma once

#include <lkt/lang/cuda/detail/ptx_table.hpp>
#include <lkt/lang/cuda/inline_ptx.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace lkt::detail {

/// `body` of `list`, whose words are separated by blanks.
template <class F>
constexpr bool any_word(std::string_view list, F const& body) {
    while (!list.empty()) {
        auto const end = std::min(list.find(' '), list.size());
        if (end > 0 && body(list.substr(0, end))) return true;
        list.remove_prefix(std::min(end + 1, list.size()));
    }
    return false;
}

class ptx_form {
public:
    /// `code`: with the registers that are declared so far.
    ptx_form(asm_statement const& statement, ptx_code const& code)
        : statement_(statement), code_(code) {}

    /// What does not fit.
    [[nodiscard]] std::optional<std::string> against(ptx_row const& row,
                                                     ptx_instruction const& made) const {
        for (auto const& m : made.modifiers)
            if (!known_modifier(row.modifiers, m))
                return "its modifier `." + m + "` is not on the list";
        std::optional<std::string> why;
        bool const fits = any_word(row.operands, [&](std::string_view form) {
            auto const wrong = against_form(form, made);
            if (wrong && !why) why = wrong;
            return !wrong;
        });
        return fits ? std::nullopt : why;
    }

private:
    static bool known_modifier(std::string_view list, std::string_view m) {
        return any_word(list, [&](std::string_view w) {
            if (w == "@shape")
                return m.starts_with("m64n") && m.size() < 12 &&
                       m.find_first_not_of("mnk0123456789") == m.npos;
            if (w[0] != '@') return w == m;
            for (auto const& [name, of] : ptx_classes)
                if (name == w) return known_modifier(of, m);
            return false;
        });
    }
    [[nodiscard]] std::optional<std::string> against_form(std::string_view form,
                                                          ptx_instruction const& made) const {
        if (form == "-") form = {};
        bool const rest = form.ends_with('*');
        if (rest) form.remove_suffix(1);
        if (made.operands.size() < form.size() || (!rest && made.operands.size() > form.size()))
            return "it has another number of operands";
        for (std::size_t k = 0; k < made.operands.size(); ++k)
            if (auto wrong =
                    against_letter(k < form.size() ? form[k] : 'v', made.operands[k], made))
                return "operand " + std::to_string(k + 1) + ": " + *wrong;
        return {};
    }
    using kinds = ptx_operand::kinds;
    [[nodiscard]] bool written(ptx_operand const& o) const {
        if (o.negated) return false;
        return o.kind == kinds::name || o.kind == kinds::nothing ||
               (o.kind == kinds::value && statement_.operands[o.index].written());
    }
    [[nodiscard]] bool is_pointer(ptx_operand const& o) const {
        return o.kind == kinds::value && statement_.operands[o.index].constraint == "l";
    }
    [[nodiscard]] static bool readable(ptx_operand const& o) {
        return o.kind == kinds::name || o.kind == kinds::value || o.kind == kinds::number ||
               o.kind == kinds::special;
    }
    [[nodiscard]] std::optional<std::string>
    against_letter(char letter, ptx_operand const& o, ptx_instruction const& made) const {
        auto const every = [&](auto const& is) {
            return o.kind == kinds::vector && std::all_of(o.parts.begin(), o.parts.end(), is);
        };
        auto const need = [](bool fine, std::string_view what) {
            return fine ? std::nullopt
                        : std::optional<std::string>("it is not " + std::string(what));
        };
        switch (letter) {
        case 'd':
            return need(written(o), "a register that the statement declares as an output");
        case 'D':
            return need(written(o) || every([&](auto const& p) { return written(p); }),
                        "a register, or a vector of them, that the statement declares as outputs");
        case 'p':
            return need(written(o) ||
                            (o.kind == kinds::pair && written(o.parts[0]) && written(o.parts[1])),
                        "a register that the statement declares as an output");
        case 'r':
            return need(readable(o), "a register or a number");
        case 'v':
            return need(readable(o) || every([](auto const& p) { return readable(p); }),
                        "a register, a number or a vector of them");
        case 'i':
            return need(o.kind == kinds::number ||
                            (o.kind == kinds::value && statement_.operands[o.index].type() == 'n'),
                        "a number that the compiler knows");
        case 'L':
            return need(o.kind == kinds::label, "a label");
        case 't':
            return need(o.kind == kinds::tile && is_pointer(o.parts[0]) &&
                            std::all_of(o.parts[1].parts.begin(), o.parts[1].parts.end(), readable),
                        "a tensor map and coordinates, such as `[%1, {%2, %3}]`");
        case 'T':
            return need(o.kind == kinds::memory && is_pointer(o.parts[0]) && o.offset == 0 &&
                            o.parts.size() == 1,
                        "a tensor map, such as `[%1]`");
        default:
            break;
        }
        bool const shared =
            letter == 's' || (letter == 'm' && (made.has("shared") || made.has("shared::cta")));
        return against_memory(shared, o);
    }
    [[nodiscard]] std::optional<std::string> against_memory(bool shared,
                                                            ptx_operand const& o) const {
        if (o.kind != kinds::memory) return "it is not memory, such as `[%1]`";
        auto const& address = o.parts[0];
        std::string_view type;
        if (address.kind == kinds::name)
            type = register_type(address.text);
        else if (address.kind == kinds::value)
            type = statement_.operands[address.index].type() == 'l'   ? "b64"
                   : statement_.operands[address.index].type() == 'r' ? "b32"
                                                                      : "";
        bool const wide = type.ends_with("64") && type != "f64";
        bool const narrow = type.ends_with("32") && type != "f32";
        if (wide || (narrow && shared)) return {};
        return shared ? "its address is not a register with an address in shared memory (of "
                        "`__cvta_generic_to_shared`, constraint `r`)"
                      : "its address is not a register with a pointer (constraint `l`)";
    }

    [[nodiscard]] std::string_view register_type(std::string_view name) const {
        for (auto const& [n, type] : code_.registers)
            if (n == name) return type;
        return {};
    }

    asm_statement const& statement_;
    ptx_code const& code_;
};

} // namespace lkt::detail
