// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/lang/wgsl_as_cpp/wgsl_as_cpp.hpp>

#include <lkt/lang/wgsl/detail/wgsl_parser.hpp>
#include <lkt/lang/wgsl/detail/wgsl_uses.hpp>
#include <lkt/lang/wgsl/wgsl.hpp>
#include <lkt/lang/wgsl_as_cpp/detail/wgsl_cpp_globals.hpp>

namespace lkt::detail::lang {

/// Writes a module: types and constants, workgroup variables, and a struct with the buffers and
/// private variables of one invocation, of which functions are members. So they may be called
/// before they are declared, and see what is theirs.
class wgsl_cpp_module : wgsl_cpp_globals {
public:
    wgsl_cpp_module(kernel_source const& source,
                    wgsl_syntax syntax,
                    wgsl_module const& module,
                    wgsl_kernel const& kernel,
                    override_values const& values)
        : wgsl_cpp_globals(source, std::move(syntax), module, values), kernel_(kernel) {}

    result<wgsl_cpp> run() {
        auto const& name = module_.entry_points[kernel_.entry_point].name;
        std::size_t const start = s_.by_name.find(name)->second;
        reached_ = wgsl_uses(s_).reachable(start);
        for (std::size_t i = 0; i < reached_.size(); ++i)
            if (reached_[i]) global(i);
        put("\nstruct lkt_text {\n");
        buffers();
        for (std::size_t i = 0; i < reached_.size(); ++i)
            if (reached_[i] && is_private(s_.declarations[i])) private_variable(s_.declarations[i]);
        for (std::size_t i = 0; i < reached_.size(); ++i)
            if (reached_[i] && s_.declarations[i].what == sort::function)
                function(s_.declarations[i]);
        put("\n};\n");
        entry(s_.declarations[start]);
        if (defect_) return *defect_;
        wgsl_cpp made{
            std::move(out_), "static void lkt_begin_block() { " + behind_ + "}\n", "lkt_entry"};
        made.waits = waits_ || subgroups_;
        made.atomics = atomics_;
        made.subgroups = subgroups_;
        return made;
    }

private:
    [[nodiscard]] bool is_private(wgsl_declaration const& d) const {
        return d.what == sort::variable && space(d) == "private";
    }

    // --- buffers ---------------------------------------------------------------------------------
    /// Members for what is used, and the parameters that they are made of.
    void buffers() {
        auto const& all = kernel_.signature.arguments;
        for (std::size_t k = 0; k < all.size(); ++k) {
            wgsl_binding const& b = module_.bindings[kernel_.slots[k].binding];
            bool const more = k > 0 && all[k].within && all[k - 1].within &&
                              all[k].within->record == all[k - 1].within->record;
            if (!more) buffer(all[k], b);
        }
    }
    void buffer(argument const& a, wgsl_binding const& b) {
        std::string const number = std::to_string(parameters_), p = "p" + number;
        std::size_t const index = s_.by_name.find(b.name)->second;
        wgsl_declaration const& d = s_.declarations[index];
        parameters_++;
        if (parameters_ > 1) parameter_list_ += ", ";
        std::uint64_t const bytes = a.within ? a.within->size : a.type.bytes();
        parameter_list_ +=
            a.pointer ? "char* " + p : "lkt_bytes<" + std::to_string(bytes) + "> " + p;
        if (!reached_[index]) return;
        place(d.token);
        if (!initial_.empty()) initial_ += ", ";
        bool const packed = a.pointer && b.array && b.type.lanes == 3 && b.stride == 16;
        auto const t = types_.type(d.type);
        if (!t) {
            defect_ = t.error();
            return;
        }
        bool const open = (*t)->what == wgsl_type::sort::array && (*t)->runtime_sized();
        if (open || packed) {
            if (packed && (*t)->element->what == wgsl_type::sort::array)
                return untranslated(d.token, "holds arrays of vectors of three");
            put("lkt_span<");
            type(element(d.type));
            put(packed ? ", true> " : "> ");
            initial_ += "{" + p + ", lkt_host.bytes[" + number + "]}";
        } else {
            std::size_t const begin = out_.size();
            type(d.type);
            std::string const spelling = out_.substr(begin);
            put(a.pointer ? "& " : " ");
            initial_ +=
                a.pointer ? "*(" + spelling + "*)" + p : "lkt_from<" + spelling + ">(" + p + ")";
            if ((*t)->runtime_sized())
                extents_ += "lkt_has_extent(" + p + ", lkt_host.bytes[" + number + "]); ";
        }
        put(wgsl_cpp_name("g_", b.name) + "; ");
    }
    void private_variable(wgsl_declaration const& d) {
        place(d.token);
        if (d.type != no_node) {
            type(d.type);
        } else {
            put("decltype(lkt_value(");
            expression(d.value);
            put("))");
        }
        put(" " + wgsl_cpp_name("g_", s_.name(d)));
        if (d.value == no_node) return put("{}; ");
        put(" = ");
        if (d.type != no_node) {
            converted(d.type, d.value);
        } else {
            put("lkt_value(");
            expression(d.value);
            put(")");
        }
        put("; ");
    }

    // --- functions -------------------------------------------------------------------------------
    void function(wgsl_declaration const& d) {
        if (defect_) return;
        place(d.token);
        if (d.type != no_node)
            type(d.type);
        else
            put("void");
        put(" " + wgsl_cpp_name("f_", s_.name(d)) + "(");
        scopes_.assign(1, {});
        for (std::size_t k = 0; k < d.fields.size(); ++k) {
            if (k > 0) put(", ");
            type(d.fields[k].type);
            put(" " + declare(d.fields[k].token));
        }
        put(") { ");
        body(d);
        put("} ");
        scopes_.clear();
    }
    void entry(wgsl_declaration const& d) {
        put("static void lkt_entry(" + parameter_list_ + ") { " + extents_ + "lkt_text k{" +
            initial_ + "}; k." + wgsl_cpp_name("f_", s_.name(d)) + "(");
        for (std::size_t k = 0; k < d.fields.size(); ++k) {
            if (k > 0) put(", ");
            if (s_.attribute(d.fields[k].attributes, "builtin") != nullptr)
                builtin(d.fields[k]);
            else
                record(d.fields[k]);
        }
        put("); }\n");
    }
    /// A struct of builtins.
    void record(wgsl_field const& f) {
        auto const* const d = s_.find(spelled(s_.nodes[f.type]));
        if (d == nullptr || d->what != sort::structure)
            return untranslated(f.token, "is not a builtin");
        type(f.type);
        put("::make(");
        for (std::size_t k = 0; k < d->fields.size(); ++k) {
            if (k > 0) put(", ");
            builtin(d->fields[k]);
        }
        put(")");
    }
    void builtin(wgsl_field const& f) {
        auto const* const a = s_.attribute(f.attributes, "builtin");
        if (a == nullptr || a->arguments.size() != 1)
            return untranslated(f.token, "is not a builtin");
        std::string const name(spelled(s_.nodes[a->arguments[0]]));
        for (std::string_view const known : {"global_invocation_id",
                                             "local_invocation_id",
                                             "local_invocation_index",
                                             "workgroup_id",
                                             "num_workgroups",
                                             "subgroup_invocation_id",
                                             "subgroup_size",
                                             "subgroup_id",
                                             "num_subgroups"})
            if (name == known) {
                subgroups_ = subgroups_ || name.find("subgroup") != name.npos;
                return put("lkt_" + name + "()");
            }
        untranslated(a->token, "uses something that lkt does not translate");
    }

    wgsl_kernel const& kernel_;
    std::vector<bool> reached_; ///< by declaration
    std::string parameter_list_, initial_, extents_;
    std::size_t parameters_ = 0;
};

} // namespace lkt::detail::lang

namespace lkt {

result<wgsl_cpp> wgsl_as_cpp(kernel_source const& source,
                             std::string_view entry_point,
                             configuration const& definitions) {
    namespace dl = detail::lang;
    auto const module = reflect_wgsl(source);
    if (!module) return module.error();
    auto const kernel = find_wgsl_kernel(source, *module, entry_point);
    if (!kernel) return kernel.error();
    auto const values = override_values_of(*module, kernel->entry_point, definitions);
    if (auto const* const why = std::get_if<refused>(&values))
        return error{condition::rejected,
                     "lkt.kernel.untranslated",
                     in_backticks(why->what, 40) + ": " + why->why,
                     "give each override a value"};
    auto tokens = dl::wgsl_lexer(source).run();
    if (!tokens) return tokens.error();
    auto syntax = dl::wgsl_parser(source, std::move(*tokens)).run();
    if (!syntax) return syntax.error();
    return dl::wgsl_cpp_module(
               source, std::move(*syntax), *module, *kernel, std::get<override_values>(values))
        .run();
}

} // namespace lkt
