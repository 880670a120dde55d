// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/kernel/detail/wgsl_syntax.hpp>

namespace lkt::detail::kernel {

/// Recursive descent over the declarations of a module. Bodies of functions are only delimited.
/// After a defect the parser stands at the end of the text, so that every loop ends.
class wgsl_parser {
public:
    wgsl_parser(kernel_source const& source, std::vector<wgsl_token> tokens) : source_(source) {
        s_.tokens = std::move(tokens);
    }

    result<wgsl_syntax> run() {
        while (!defect_ && peek().what != wgsl_token::sort::end) read_global();
        if (defect_) return *defect_;
        return std::move(s_);
    }

private:
    using kind = wgsl_declaration::sort;
    using node = wgsl_node;

    [[nodiscard]] wgsl_token const& peek() const { return s_.tokens[at_]; }
    [[nodiscard]] bool symbol(std::string_view text) const {
        return peek().what == wgsl_token::sort::symbol && peek().is(text);
    }
    [[nodiscard]] bool word(std::string_view text) const {
        return peek().names() && peek().is(text);
    }
    void advance() {
        if (peek().what != wgsl_token::sort::end) ++at_;
    }
    bool accept(std::string_view text) {
        if (!symbol(text) && !word(text)) return false;
        advance();
        return true;
    }
    void fail(std::size_t token, std::string message, std::string hint) {
        if (!defect_)
            defect_ = wgsl_error(source_,
                                 "lkt.kernel.text",
                                 s_.tokens[token].where,
                                 std::move(message),
                                 std::move(hint));
        at_ = s_.tokens.size() - 1;
    }
    void unexpected(std::string const& wanted) {
        bool const end = peek().what == wgsl_token::sort::end;
        fail(at_,
             "expected " + wanted + ", got " + (end ? "the end" : in_backticks(peek().text, 40)),
             end ? "check that every bracket is closed" : "check the line before, too");
    }
    void expect(std::string_view text) {
        if (!accept(text)) unexpected("`" + std::string(text) + "`");
    }
    std::size_t expect_name(std::string const& of_what) {
        if (!peek().names()) unexpected("the name of " + of_what);
        std::size_t const token = at_;
        advance();
        return token;
    }

    // --- module scope ------------------------------------------------------------------------
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
                        in_backticks(s_.tokens[d.token].text, 40) + " is declared at " +
                            to_string(s_.tokens[s_.declarations[before->second].token].where) +
                            " already",
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
    std::vector<wgsl_attribute> read_attributes() {
        std::vector<wgsl_attribute> all;
        while (accept("@")) {
            wgsl_attribute a;
            a.token = expect_name("an attribute");
            if (symbol("(")) a.arguments = read_arguments();
            if (defect_) break;
            all.push_back(std::move(a));
        }
        return all;
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

    // --- expressions -------------------------------------------------------------------------
    /// The text is untrusted, and whoever walks through the nodes recurses.
    static constexpr unsigned deepest = 200;
    struct level {
        explicit level(wgsl_parser& p) : parser(p) {
            if (++parser.depth_ > deepest) parser.too_deep();
        }
        level(level const&) = delete;
        level& operator=(level const&) = delete;
        ~level() { --parser.depth_; }
        wgsl_parser& parser;
    };
    void too_deep() {
        fail(at_,
             "this is nested more than " + std::to_string(deepest) + " deep",
             "name parts of it with const");
    }
    wgsl_node_id make(node n) {
        for (auto const* list : {&n.templates, &n.operands})
            for (wgsl_node_id const id : *list)
                if (id != no_node) n.depth = std::max(n.depth, s_.nodes[id].depth + 1);
        if (n.depth > deepest) {
            too_deep();
            return no_node;
        }
        s_.nodes.push_back(std::move(n));
        return static_cast<wgsl_node_id>(s_.nodes.size() - 1);
    }

    wgsl_node_id read_type() {
        level const guard(*this);
        if (defect_) return no_node;
        node n{node::sort::name, at_, {}, {}};
        if (!peek().names()) {
            unexpected("a type");
            return no_node;
        }
        advance();
        n.templates = read_template_list();
        return make(std::move(n));
    }
    std::vector<wgsl_node_id> read_template_list() {
        std::vector<wgsl_node_id> list;
        if (peek().what != wgsl_token::sort::open) return list;
        advance();
        while (!defect_ && peek().what != wgsl_token::sort::close) {
            list.push_back(read_expression());
            if (!accept(",") && peek().what != wgsl_token::sort::close) unexpected("`,` or `>`");
        }
        advance();
        return list;
    }
    std::vector<wgsl_node_id> read_arguments() {
        std::vector<wgsl_node_id> list;
        expect("(");
        while (!defect_ && !accept(")")) {
            list.push_back(read_expression());
            if (!accept(",") && !symbol(")")) unexpected("`,` or `)`");
        }
        return list;
    }
    wgsl_node_id read_expression() {
        level const guard(*this);
        return defect_ ? no_node : read_binary(0);
    }

    wgsl_node_id read_binary(int least) {
        wgsl_node_id left = read_unary();
        for (int bound = wgsl_precedence(peek()); !defect_ && bound >= least;
             bound = wgsl_precedence(peek())) {
            std::size_t const token = at_;
            advance();
            wgsl_node_id const right = read_binary(bound + 1);
            if (defect_) return no_node;
            left = make({node::sort::binary, token, {}, {left, right}});
        }
        return left;
    }
    wgsl_node_id read_unary() {
        level const guard(*this);
        if (defect_) return no_node;
        for (std::string_view const s : {"-", "!", "~", "*", "&"})
            if (symbol(s)) {
                std::size_t const token = at_;
                advance();
                wgsl_node_id const inner = read_unary();
                return defect_ ? no_node : make({node::sort::unary, token, {}, {inner}});
            }
        return read_postfix();
    }
    wgsl_node_id read_postfix() {
        wgsl_node_id left = read_primary();
        while (!defect_ && (symbol("[") || symbol("."))) {
            std::size_t const token = at_;
            advance();
            if (s_.tokens[token].is("[")) {
                wgsl_node_id const index = read_expression();
                expect("]");
                if (!defect_) left = make({node::sort::index, token, {}, {left, index}});
            } else {
                std::size_t const member = expect_name("a member");
                if (!defect_) left = make({node::sort::member, member, {}, {left}});
            }
        }
        return left;
    }
    wgsl_node_id read_primary() {
        if (accept("(")) {
            wgsl_node_id const inner = read_expression();
            expect(")");
            return inner;
        }
        if (peek().what == wgsl_token::sort::number || word("true") || word("false")) {
            std::size_t const token = at_;
            advance();
            return make({node::sort::literal, token, {}, {}});
        }
        if (!peek().names()) {
            unexpected("a value");
            return no_node;
        }
        std::size_t const token = at_;
        wgsl_node_id const name = read_type();
        if (defect_ || !symbol("(")) return name;
        node call{node::sort::call, token, {}, {name}};
        for (wgsl_node_id const argument : read_arguments()) call.operands.push_back(argument);
        return defect_ ? no_node : make(std::move(call));
    }

    kernel_source const& source_;
    wgsl_syntax s_;
    std::size_t at_ = 0;
    unsigned depth_ = 0;
    std::optional<error> defect_;
};

} // namespace lkt::detail::kernel
