// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/lang/wgsl/detail/wgsl_expression_reader.hpp>

namespace lkt::detail::lang {

/// Reads the declarations of a module. Bodies of functions are only delimited.
class wgsl_parser : wgsl_expression_reader {
public:
    wgsl_parser(kernel_source const& source, std::vector<wgsl_token> tokens)
        : wgsl_expression_reader(source, {}) {
        s_.tokens = std::move(tokens);
    }

    result<wgsl_syntax> run() {
        while (!defect_ && peek().what != wgsl_token::sort::end) read_global();
        if (defect_) return *defect_;
        return std::move(s_);
    }

private:
    using kind = wgsl_declaration::sort;

    void read_global() {
        if (accept(";")) return;
        if (word("enable") || word("requires")) return read_extensions();
        if (word("diagnostic")) {
            while (peek().what != wgsl_token::sort::end && !symbol(";")) advance();
            return expect(";");
        }
        if (accept("const_assert")) {
            read_expression();
            return expect(";");
        }
        wgsl_declaration d;
        d.begin = at_;
        d.attributes = read_attributes();
        if (defect_) return;
        if (accept("const"))
            read_value(d, kind::constant);
        else if (accept("override"))
            read_value(d, kind::override);
        else if (accept("var"))
            read_value(d, kind::variable);
        else if (accept("alias"))
            read_alias(d);
        else if (accept("struct"))
            read_struct(d);
        else if (accept("fn"))
            read_function(d);
        else
            return unexpected("a declaration (const, override, var, alias, struct, fn)");
        if (defect_) return;
        auto const [before, fresh] =
            s_.by_name.try_emplace(s_.tokens[d.token].text, s_.declarations.size());
        if (!fresh)
            return fail(d.token,
                        in_backticks(s_.tokens[d.token].text, 40) + " is already declared at " +
                            to_string(s_.tokens[s_.declarations[before->second].token].where) + "",
                        "give one of the two another name");
        s_.declarations.push_back(std::move(d));
    }
    void read_extensions() {
        std::vector<std::string>& list = word("enable") ? s_.enables : s_.requirements;
        do {
            advance();
            if (symbol(";")) break; // a comma at the end
            std::size_t const token = expect_name("an extension");
            if (!defect_) list.emplace_back(s_.tokens[token].text);
        } while (symbol(","));
        expect(";");
    }
    void read_value(wgsl_declaration& d, kind what) {
        d.what = what;
        if (what == kind::variable) d.templates = read_template_list();
        d.token = expect_name("what is declared");
        if (accept(":")) d.type = read_type();
        if (accept("=")) d.value = read_expression();
        d.end = at_;
        expect(";");
    }
    void read_alias(wgsl_declaration& d) {
        d.what = kind::alias;
        d.token = expect_name("the alias");
        expect("=");
        d.type = read_type();
        d.end = at_;
        expect(";");
    }
    void read_struct(wgsl_declaration& d) {
        d.what = kind::structure;
        d.token = expect_name("the struct");
        expect("{");
        read_fields(d, "}", "a member");
        d.end = at_;
        accept(";");
    }
    void read_fields(wgsl_declaration& d, std::string_view last, std::string const& what) {
        while (!defect_ && !accept(last)) {
            wgsl_field f;
            f.attributes = read_attributes();
            f.begin = at_;
            f.token = expect_name(what);
            expect(":");
            f.type = read_type();
            f.end = at_;
            if (defect_) return;
            d.fields.push_back(std::move(f));
            if (!accept(",") && !symbol(last))
                return unexpected("`,` or `" + std::string(last) + "`");
        }
    }
    void read_function(wgsl_declaration& d) {
        d.what = kind::function;
        d.token = expect_name("the function");
        expect("(");
        read_fields(d, ")", "a parameter");
        if (accept("->")) {
            read_attributes();
            d.type = read_type();
        }
        read_attributes();
        std::size_t const brace = at_;
        expect("{");
        d.body_begin = at_;
        for (std::size_t depth = 1; !defect_; advance()) {
            if (peek().what == wgsl_token::sort::end)
                return fail(brace,
                            "the body of " + in_backticks(s_.tokens[d.token].text, 40) +
                                " is never closed",
                            "check the braces");
            if (symbol("{")) ++depth;
            if (symbol("}") && --depth == 0) break;
        }
        d.body_end = at_;
        advance();
        d.end = at_;
    }
};

} // namespace lkt::detail::lang
