// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/core/string_tools.hpp>
#include <lkt/lang/cuda/detail/bracketed.hpp>

#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lkt::detail::lang {

/// A kernel's definition as pieces; types are not looked at yet.
struct declaration {
    std::string name;      ///< as written
    std::string qualified; ///< with its namespaces
    std::vector<extent> parameters;
    std::vector<extent> template_parameters;
    extent body; ///< without its braces
    text_location where;
    bool is_template = false;
};

/// `typedef` and `using`; a name that means different types in different places means none.
struct alias {
    std::vector<piece> type;
    bool ambiguous = false;
};

/// Where a struct, class, union or enumeration is defined; its members are not looked at yet.
struct record_place {
    std::size_t keyword = 0; ///< `struct`, ...
    bool is_template = false;
    bool ambiguous = false; ///< another definition of the name says something else
};

/// A `__constant__` variable that nothing in the text fills.
struct constant_place {
    extent declaration; ///< from its first word to its semicolon
    std::string scope;  ///< `ns::`
};

/// What a text declares, as far as kernels need it.
class declarations : public bracketed {
public:
    explicit declarations(std::vector<piece> const& pieces) : bracketed(pieces) {}

    bool run() {
        while (at_ < pieces_.size() && !defect_) step();
        return !defect_;
    }

    std::vector<declaration> kernels;
    std::map<std::string, alias> aliases;
    std::map<std::string, record_place> records;
    std::vector<constant_place> constants;
    std::vector<std::string> functions; ///< `__device__` ones and kernels that are only declared

    [[nodiscard]] std::optional<error> const& defect() const { return defect_; }

private:
    struct scope {
        bool name_space = false;
        std::string name;
    };

    void fail(std::string code, std::string why, text_location where, std::string hint) {
        if (defect_) return;
        defect_ = error{condition::rejected,
                        std::move(code),
                        to_string(where) + ": " + std::move(why),
                        std::move(hint)};
    }
    [[nodiscard]] piece const* peek(std::size_t ahead = 0) const {
        return at_ + ahead < pieces_.size() ? &pieces_[at_ + ahead] : nullptr;
    }
    [[nodiscard]] bool comes(std::string_view text, std::size_t ahead = 0) const {
        piece const* p = peek(ahead);
        return p != nullptr && p->is(text);
    }

    void step() {
        piece const& p = pieces_[at_];
        if (p.mark != piece::edge::none) {
            follow(p, scopes_, saved_);
            ++at_;
        } else if (p.is("__global__")) {
            read_kernel();
        } else if (p.is("namespace")) {
            read_namespace();
        } else if (p.is("template")) {
            ++at_;
            template_ = {};
            if (comes("<")) {
                std::size_t const past = past_angle(at_, pieces_.size());
                template_ = {at_ + 1, past > at_ ? past - 1 : past};
                specialises_ = template_->empty();
                at_ = past;
            }
        } else if (p.is("typedef") || p.is("using")) {
            read_alias();
        } else if (p.is("struct") || p.is("class") || p.is("union") || p.is("enum")) {
            std::size_t const keyword = at_++;
            while (at_ < pieces_.size() && (comes("class") || comes("struct") || comes("[") ||
                                            (takes_brackets(pieces_[at_]) && comes("(", 1)))) {
                if (takes_brackets(pieces_[at_])) ++at_;
                at_ = comes("[") || comes("(") ? past_bracket(at_, pieces_.size()) : at_ + 1;
            }
            if (peek() != nullptr && peek()->names()) {
                bool const defines = comes("{", 1) || comes(":", 1) || comes("final", 1);
                if (defines) add_record(pieces_[at_].tok.text, keyword);
            }
        } else if (p.is("__constant__")) {
            read_constant();
        } else if (p.is("__device__")) {
            ++at_;
            note_function();
        } else {
            if (p.is("{")) push({});
            if (p.is("}") && !scopes_.empty()) scopes_.pop_back();
            if (p.is(";") || p.is("{") || p.is("}")) template_.reset();
            ++at_;
        }
    }
    void push(scope s) {
        if (scopes_.size() >= 256)
            return fail("lkt.kernel.text",
                        "braces are nested more than 256 deep",
                        pieces_[at_].tok.where,
                        {});
        scopes_.push_back(std::move(s));
    }

    /// For the message when there is no kernel: the helper's name, if one follows soon.
    void note_function() {
        if (functions.size() >= 20) return;
        for (std::size_t i = at_; i + 1 < pieces_.size() && i < at_ + 20; ++i) {
            if (pieces_[i].is(";") || pieces_[i].is("{") || pieces_[i].is("__global__")) return;
            if (pieces_[i].names() && pieces_[i + 1].is("(") && !takes_brackets(pieces_[i])) {
                functions.push_back(pieces_[i].tok.text);
                return;
            }
        }
    }

    void read_namespace() {
        ++at_;
        std::vector<std::string> names;
        while (at_ < pieces_.size()) {
            if (comes("[") || comes("(")) {
                at_ = past_bracket(at_, pieces_.size());
            } else if (peek()->names() && !comes("__attribute__")) {
                if (!comes("inline")) names.push_back(pieces_[at_].tok.text);
                ++at_;
            } else if (comes("::") || comes("__attribute__")) {
                ++at_;
            } else {
                break;
            }
        }
        if (!comes("{")) return; // an alias, or `using namespace`
        std::string name;
        for (std::string const& n : names) name += (name.empty() ? "" : "::") + n;
        if (name.size() > 1000)
            return fail("lkt.kernel.text", "a namespace's name is too long", peek()->tok.where, {});
        push({true, name});
        ++at_;
    }

    void add_record(std::string const& name, std::size_t keyword) {
        auto const [place, fresh] =
            records.try_emplace(name, record_place{keyword, template_.has_value(), false});
        if (fresh) return;
        auto const text = [&](std::size_t from) {
            std::size_t brace = from;
            while (brace < pieces_.size() && !pieces_[brace].is("{")) ++brace;
            return std::vector<piece>(at(from), at(past_bracket(brace, pieces_.size())));
        };
        if (!same_text(text(place->second.keyword), text(keyword))) place->second.ambiguous = true;
    }
    /// `typedef struct [tag] { ... } name;`: the name, too. Nothing is passed over.
    void read_named_record(std::size_t keyword) {
        std::size_t i = keyword + 1;
        while (i < pieces_.size() && (pieces_[i].names() || pieces_[i].is("(")))
            i = pieces_[i].is("(") ? past_bracket(i, pieces_.size()) : i + 1;
        if (i >= pieces_.size() || !pieces_[i].is("{")) return;
        std::size_t const name = past_bracket(i, pieces_.size());
        if (name + 1 < pieces_.size() && pieces_[name].names() &&
            (pieces_[name + 1].is(";") || pieces_[name + 1].is(",")))
            add_record(pieces_[name].tok.text, keyword);
    }

    void read_constant() {
        std::size_t begin = at_, end = at_;
        while (begin > 0 && pieces_[begin - 1].mark == piece::edge::none &&
               !pieces_[begin - 1].is(";") && !pieces_[begin - 1].is("{") &&
               !pieces_[begin - 1].is("}"))
            --begin;
        bool filled = false;
        while (end < pieces_.size() && pieces_[end].mark == piece::edge::none &&
               !pieces_[end].is(";") && !filled) {
            filled = pieces_[end].is("=") || pieces_[end].is("{");
            ++end;
        }
        ++at_;
        if (filled || constants.size() >= 1000) return;
        constants.push_back({{begin, end}, qualification()});
        at_ = end;
    }
    [[nodiscard]] std::string qualification() const {
        std::string names;
        for (scope const& s : scopes_)
            if (s.name_space && !s.name.empty()) names += s.name + "::";
        return names;
    }

    void read_alias() {
        bool const is_using = comes("using");
        bool const is_template = template_.has_value();
        std::size_t const begin = at_ + 1;
        if (!is_using && (comes("struct", 1) || comes("class", 1) || comes("union", 1)))
            read_named_record(begin);
        template_.reset();
        std::size_t end = begin;
        while (end < pieces_.size() && end < begin + 64 && !pieces_[end].is(";") &&
               !pieces_[end].is("{") && pieces_[end].mark == piece::edge::none)
            ++end;
        at_ = begin;
        if (end >= pieces_.size() || !pieces_[end].is(";") || end - begin < 2) return;
        alias a;
        std::string name;
        if (is_using) {
            if (!pieces_[begin].names() || !pieces_[begin + 1].is("=")) return;
            name = pieces_[begin].tok.text;
            a.type.assign(at(begin + 2), at(end));
        } else {
            // `typedef float a, *b;` and `typedef float v[4];` name more than a type.
            for (std::size_t i = begin; i < end; ++i)
                if (pieces_[i].is(",") || pieces_[i].is("[") || pieces_[i].is("(")) return;
            if (!pieces_[end - 1].names()) return;
            name = pieces_[end - 1].tok.text;
            a.type.assign(at(begin), at(end - 1));
        }
        a.ambiguous = is_template;
        auto const [place, fresh] = aliases.try_emplace(name, a);
        if (!fresh && !same_text(place->second.type, a.type)) place->second.ambiguous = true;
        at_ = end;
    }
    static bool same_text(std::vector<piece> const& a, std::vector<piece> const& b) {
        if (a.size() != b.size()) return false;
        for (std::size_t k = 0; k < a.size(); ++k)
            if (a[k].tok.text != b[k].tok.text) return false;
        return true;
    }
    [[nodiscard]] std::vector<piece>::const_iterator at(std::size_t i) const {
        return pieces_.begin() + static_cast<std::ptrdiff_t>(i);
    }

    /// Words that stand before a function's name with brackets of their own.
    static bool takes_brackets(piece const& p) {
        for (std::string_view const word : {"__launch_bounds__",
                                            "__attribute__",
                                            "__declspec",
                                            "__cluster_dims__",
                                            "__maxnreg__",
                                            "__block_size__",
                                            "alignas",
                                            "noexcept",
                                            "__align__",
                                            "requires",
                                            "explicit",
                                            "decltype"})
            if (p.is(word)) return true;
        return false;
    }

    void read_kernel() {
        std::size_t const limit = pieces_.size();
        declaration d;
        d.where = pieces_[at_].tok.where;
        std::size_t i = at_ + 1;
        std::size_t name = limit;
        bool returns_void = false, specialised = false;
        for (std::size_t k = at_; k-- > 0 && at_ - k < 10;) { // `void __global__ k`
            piece const& p = pieces_[k];
            if (p.is(";") || p.is("{") || p.is("}") || p.is(">")) break;
            returns_void = returns_void || p.is("void");
        }
        while (i < limit) {
            piece const& p = pieces_[i];
            if (p.mark != piece::edge::none) return conditional(i);
            if (p.is(";") || p.is("{") || p.is("}") || p.is("=") || p.is(")") || p.is(",")) break;
            if (p.is("[")) {
                i = past_bracket(i, limit);
            } else if (takes_brackets(p)) {
                i = i + 1 < limit && pieces_[i + 1].is("(") ? past_bracket(i + 1, limit) : i + 1;
            } else if (p.is("(")) {
                break;
            } else if (p.is("<")) {
                specialised = true;
                i = past_angle(i, limit);
            } else {
                if (p.is("void") || p.is("auto")) returns_void = true;
                if (p.names()) name = i;
                ++i;
            }
            if (i < limit && pieces_[i].is("(") && name != limit) {
                std::size_t const past = past_bracket(i, limit);
                // A macro from an include, as in `BOUNDS(256) k(float* a)`, looks like a name.
                if (past < limit && pieces_[past].names() && !takes_brackets(pieces_[past])) {
                    i = past;
                    name = limit;
                }
            }
        }
        if (i >= limit || !pieces_[i].is("(") || name == limit) {
            at_ = i < limit ? i : limit;
            return;
        }
        std::size_t const past = past_bracket(i, limit);
        for (std::size_t k = i; k < past; ++k)
            if (pieces_[k].mark != piece::edge::none) return conditional(k);
        if (!closing(i, limit))
            return fail("lkt.kernel.text",
                        "the parameter list of " + in_backticks(pieces_[name].tok.text) +
                            " is never closed",
                        d.where,
                        "check the brackets");
        d.name = pieces_[name].tok.text;
        d.parameters = split(i + 1, past - 1);
        if (d.parameters.size() == 1 && d.parameters[0].end - d.parameters[0].begin == 1 &&
            pieces_[d.parameters[0].begin].is("void"))
            d.parameters.clear();

        std::size_t brace = past;
        while (brace < limit && !pieces_[brace].is("{") && !pieces_[brace].is(";") &&
               !pieces_[brace].is("}"))
            brace = pieces_[brace].is("(") ? past_bracket(brace, limit) : brace + 1;
        if (brace >= limit || !pieces_[brace].is("{")) { // a declaration, or an instantiation
            if (functions.size() < 20) functions.push_back(d.name);
            at_ = brace;
            template_.reset();
            return;
        }
        std::optional<std::size_t> const end = closing(brace, limit);
        if (!end)
            return fail("lkt.kernel.text",
                        "the body of kernel " + in_backticks(d.name) + " is never closed",
                        d.where,
                        "check the braces");
        d.body = {brace + 1, *end - 1};
        if (!returns_void)
            return fail("lkt.kernel.type",
                        "kernel " + in_backticks(d.name) + " does not return void",
                        d.where,
                        "declare it as `__global__ void`");
        if (template_ && !specialises_) {
            d.is_template = true;
            d.template_parameters = split(template_->begin, template_->end);
        }
        bool const is_specialisation = specialised || (template_ && specialises_);
        template_.reset();
        d.qualified = qualification() + d.name;
        if (!is_specialisation) kernels.push_back(std::move(d));
        at_ = *end;
    }
    void conditional(std::size_t i) {
        fail("lkt.kernel.conditional",
             "a kernel's declaration depends on the #if at " + to_string(pieces_[i].tok.where),
             pieces_[at_].tok.where,
             "keep conditions out of the parameter list, or define in the text the names that they "
             "test");
    }

    std::size_t at_ = 0;
    std::vector<scope> scopes_;
    std::vector<std::vector<scope>> saved_;
    std::optional<extent> template_;
    bool specialises_ = false;
    std::optional<error> defect_;
};

} // namespace lkt::detail::lang
