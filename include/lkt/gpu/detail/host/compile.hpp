// SPDX-License-Identifier: BSL-1.0
// From a compile request to a module in memory, or to what is wrong with the text.
#pragma once

#include <lkt/gpu/detail/host/compiler.hpp>
#include <lkt/gpu/detail/host/elf.hpp>
#include <lkt/gpu/detail/host/fibre.hpp>
#include <lkt/gpu/detail/host/screen.hpp>
#include <lkt/gpu/detail/host/starved.hpp>
#include <lkt/gpu/detail/host/translate.hpp>
#include <lkt/gpu/gpu_backend.hpp>
#include <lkt/gpu/host_shim.hpp>
#include <lkt/kernel/definitions.hpp>
#include <lkt/kernel/instantiation.hpp>
#include <lkt/kernel/wgsl_cpp.hpp>
#include <lkt/process/service.hpp>

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace lkt::host_detail {

/// A variable of the kernel that it may write.
struct module_variable {
    std::string symbol;
    std::uint64_t address = 0, size = 0; ///< in the module
};

/// How a module is instrumented.
enum class instrumentation : unsigned char { none, bounds, races };

/// What the handle of a compiled_kernel points to.
struct compiled_module {
    shared_memory code;
    std::uint64_t shared_bytes = 0; ///< static shared memory of a block
    std::uint64_t digest = 0;
    std::uint64_t writable_bytes = 0; ///< of the kernel's own variables
    bool checked = false, atomics = false;
    bool wgsl = false;      ///< a translation, which only the checked mode runs
    bool subgroups = false; ///< of WGSL
    std::vector<std::string> notes;
    /// The same kernel, compiled to find data races; null where that cannot be done.
    std::shared_ptr<compiled_module const> races;
    /// Of those: where variables lie, and their names.
    std::vector<module_variable> variables;
};
using module_or_failure = std::variant<std::shared_ptr<compiled_module>, failure>;

class module_compiler {
public:
    /// `screened`: refuse texts before they are compiled. Tests of the other defences say no.
    module_compiler(host_options const& options, compiler_facts const& compiler, bool screened)
        : options_(options), compiler_(compiler), screened_(screened) {}

    [[nodiscard]] result<module_or_failure> compile(compile_request const& request,
                                                    call_context const& context) {
        if (request.source.language == language::wgsl) return compile_wgsl(request, context);
        auto options = translate_options(request.options);
        if (!options.unknown.empty())
            return failed(refused{options.unknown,
                                  "this option is not known to the host back end; of NVCC's it "
                                  "takes -D, -O0 to -O3, -use_fast_math and -fmad=false",
                                  {}});
        auto written = tokenize(request.source.text);
        if (!written) return failed(refused{"the text", written.error().message, {}});
        auto const filled = filled_constants(request.signature);
        if (auto no = screened_ ? screen(*written, false, filled) : std::nullopt)
            return failed(std::move(*no));
        if (auto no = screen_values(request.definitions)) return failed(std::move(*no));
        auto const launched = instantiation(*written, request.signature, request.definitions);
        if (auto const* const no = std::get_if<refused>(&launched)) return failed(*no);
        // The definitions, a #line that calls the text `kernel`, and the text without its own ones.
        auto source = request.source;
        source.origin = "kernel";
        auto defined = with_definitions(source, request.definitions);
        if (!defined) return failed(refused{"a definition", defined.error().message, {}});
        if (auto* const no = std::get_if<refused>(&*defined)) return failed(std::move(*no));
        auto const& text = std::get<std::string>(*defined);
        auto const tokens = tokenize(text);
        if (!tokens) return failed(refused{"the text", tokens.error().message, {}});

        auto const traits = look_at(*tokens);
        auto const build = [&](instrumentation how) {
            return module_of(text,
                             *tokens,
                             std::get<std::string>(launched),
                             traits,
                             request,
                             options,
                             how,
                             context);
        };
        auto made = build(request.checked ? instrumentation::bounds : instrumentation::none);
        if (!made || std::holds_alternative<failure>(*made) || !request.checked) return made;
        return with_races(std::move(*made), build(instrumentation::races));
    }

private:
    static module_or_failure failed(failure f) { return f; }

    /// The module and the same one compiled to find data races, as far as it compiles so.
    [[nodiscard]] static result<module_or_failure> with_races(module_or_failure made,
                                                              result<module_or_failure> races) {
        auto& module = *std::get<std::shared_ptr<compiled_module>>(made);
        if (!races && races.error().code == "lkt.cancelled") return races.error();
        if (races && !std::holds_alternative<failure>(*races))
            module.races = std::get<std::shared_ptr<compiled_module>>(*races);
        module.notes.emplace_back(
            module.races ? "checked: data races, by the instrumentation of ThreadSanitizer"
                         : "not checked: data races; the text does not compile with "
                           "-fsanitize=thread");
        return made;
    }

    /// A translation, whose accesses are confined as WGSL has them: nothing to look for but races.
    /// It needs no screen, since no word of the text stands in it.
    [[nodiscard]] result<module_or_failure> compile_wgsl(compile_request const& request,
                                                         call_context const& context) const {
        auto const made = wgsl_as_cpp(request.source, request.signature.name, request.definitions);
        if (!made) return made.error();
        auto const build = [&](instrumentation how) {
            bool const races = how == instrumentation::races;
            auto const whole = host_shim({made->waits, false, false, races, true}) +
                               "#define LKT_SHARED " + (races ? race_shared : "thread_local") +
                               "\nnamespace {\n" + made->text + "\n}\n" + made->behind +
                               "#line 1 \"end\"\n" + constants_table({}, {}) + "LKT_EXPORT(" +
                               std::to_string(module_abi) + ", " + (made->waits ? "1" : "0") +
                               ", &" + made->entry + ")\n";
            auto module = std::make_shared<compiled_module>();
            module->atomics = made->atomics;
            module->wgsl = true;
            module->subgroups = made->subgroups;
            module->notes = {"checked: a translation to C++, in three orders of threads"};
            return call(whole, request, {"-O1", "-fwrapv"}, how, std::move(module), context);
        };
        auto plain = build(instrumentation::none);
        if (!plain || std::holds_alternative<failure>(*plain)) return plain;
        return with_races(std::move(*plain), build(instrumentation::races));
    }

    [[nodiscard]] result<module_or_failure> module_of(std::string const& text,
                                                      std::vector<token> const& tokens,
                                                      std::string const& launched,
                                                      text_traits const& traits,
                                                      compile_request const& request,
                                                      translated_options const& options,
                                                      instrumentation how,
                                                      call_context const& context) const {
        // AddressSanitizer guards static arrays, not those of a thread; checked runs have one.
        auto const* const shared = how == instrumentation::none     ? "thread_local"
                                   : how == instrumentation::bounds ? "static"
                                                                    : race_shared;
        auto edited = translator{text, tokens, shared, filled_constants(request.signature)}.run();
        if (auto* const no = std::get_if<refused>(&edited)) return failed(std::move(*no));
        // Nothing in an unnamed namespace is shared with other modules: the compiler may inline it
        // as it likes, and AddressSanitizer guards what a template makes, too.
        auto kernel = "namespace {\n" + std::get<std::string>(edited) + "\n}\n";
        if (traits.pastes && screened_) { // look again, at what the preprocessor makes of it
            auto seen = preprocess(kernel, request, options.flags, context);
            if (!seen) return seen.error();
            if (auto* const no = std::get_if<failure>(&*seen))
                return module_or_failure{std::move(*no)};
            kernel = std::get<std::string>(*seen);
        }
        auto const whole =
            host_shim({traits.fibres, traits.half, traits.bfloat, how == instrumentation::races}) +
            kernel + "#line 1 \"end\"\n" + constants_table(request.signature, tokens) +
            "LKT_EXPORT(" + std::to_string(module_abi) + ", " + (traits.fibres ? "1" : "0") +
            ", &" + launched + ")\n";
        auto module = std::make_shared<compiled_module>();
        module->checked = how == instrumentation::bounds;
        module->atomics = traits.atomics;
        module->notes = notes(traits, request.checked, options.ignored);
        return call(whole, request, options.flags, how, std::move(module), context);
    }

    /// Without their namespaces.
    [[nodiscard]] static std::set<std::string> filled_constants(signature const& s) {
        std::set<std::string> names;
        for (auto const& a : s.arguments)
            if (a.constant_count > 0) names.insert(a.name.substr(a.name.rfind(':') + 1));
        return names;
    }
    /// Where the constants lie, as the shim's `lkt_module` has it; of what the text does not
    /// declare, nothing.
    [[nodiscard]] static std::string constants_table(signature const& s,
                                                     std::vector<token> const& tokens) {
        std::string table = "static lkt_constant const lkt_filled[] = {";
        for (auto const& a : s.arguments) {
            if (a.constant_count == 0) continue;
            auto const plain = a.name.substr(a.name.rfind(':') + 1);
            bool const there =
                std::any_of(tokens.begin(), tokens.end(), [&](auto& t) { return t.is(plain); });
            auto const name = there ? a.name : "";
            table += there ? "{(void*)&" + name + ", sizeof " + name + "}, " : "{}, ";
        }
        return table + "{}};\n";
    }

    /// Text that a definition brings in is looked at like the kernel's own.
    [[nodiscard]] std::optional<refused> screen_values(configuration const& definitions) const {
        for (auto const& [name, value] : definitions.values) {
            auto const spelt = definition_text(value);
            auto const words = tokenize(spelt);
            if (!words) return refused{name + "=" + spelt, words.error().message, {}};
            for (auto const& w : *words)
                if (w.is("#") || w.is("{") || w.is("}") || w.is(";"))
                    return refused{name + "=" + spelt, "a parameter's value is one expression", {}};
            if (auto no = screened_ ? screen(*words) : std::nullopt) {
                no->where = {};
                return no;
            }
        }
        return {};
    }

    [[nodiscard]] std::vector<std::string>
    notes(text_traits const& traits, bool checked, std::vector<std::string> const& ignored) const {
        std::vector<std::string> list;
        list.push_back(traits.fibres ? std::string{"fibres: "} + fibre::mechanism
                                     : std::string{"plain loop over the threads of a block"});
        list.push_back("compiler: " + compiler_.version);
        if (checked) list.emplace_back("checked: AddressSanitizer, UBSan, three orders of threads");
        if (traits.prints) list.emplace_back("printf: what the kernel prints is discarded");
        for (auto const& o : ignored) list.push_back("ignored option: " + o);
        return list;
    }

    [[nodiscard]] child_options run(std::vector<std::string> arguments,
                                    std::string const& text,
                                    compile_request const& request) const {
        auto r = compiler_run(options_, std::move(arguments));
        r.files.push_back({"module.cpp", text});
        r.time_limit = std::chrono::milliseconds{
            static_cast<std::int64_t>(std::clamp(request.time_limit.count(), 0.001, 3600.0) * 1e3)};
        return r;
    }

    /// The kernel's part as the compiler would see it, refused if something new came to light.
    [[nodiscard]] result<std::variant<std::string, failure>>
    preprocess(std::string const& kernel,
               compile_request const& request,
               std::vector<std::string> const& flags,
               call_context const& context) const {
        std::vector<std::string> arguments{
            compiler_.program, "-x", "c++", "-std=gnu++20", "-nostdinc", "-E", "-w"};
        for (auto const& f : flags)
            if (f.starts_with("-D")) arguments.push_back(f);
        arguments.emplace_back("module.cpp");
        auto r = run(std::move(arguments), kernel, request);
        r.output_limit = longest_kernel_text;
        auto const got = run_child(r, context);
        if (!got) return got.error();
        if (got->how == child_end::cancelled) return cancelled("a compilation");
        using either = std::variant<std::string, failure>;
        if (got->how == child_end::timed_out)
            return either{failure{timed_out{request.time_limit, "compile"}}};
        if (!got->succeeded() || got->out_cut)
            return either{failure{
                compile_failed{got->out_cut ? "the macros expand to more than 4 MiB" : log_of(*got),
                               first_error(got->err)}}};
        auto const tokens = tokenize(got->out);
        if (!tokens) return either{failure{refused{"the text", tokens.error().message, {}}}};
        if (auto no = screen(*tokens, true)) {
            no->why += " (it appears when the macros are expanded)";
            no->where = {};
            return either{failure{std::move(*no)}};
        }
        return either{got->out};
    }

    [[nodiscard]] result<module_or_failure> call(std::string const& text,
                                                 compile_request const& request,
                                                 std::vector<std::string> const& flags,
                                                 instrumentation how,
                                                 std::shared_ptr<compiled_module> module,
                                                 call_context const& context) const {
        std::vector<std::string> arguments{compiler_.program};
        for (auto const* const f : {"-x",
                                    "c++",
                                    "-std=gnu++20",
                                    "-nostdinc",
                                    "-march=native",
                                    "-fPIC",
                                    "-fvisibility=hidden",
                                    "-fno-exceptions",
                                    "-fno-rtti",
                                    "-fno-threadsafe-statics",
                                    "-fno-finite-loops",
                                    "-fno-math-errno",
                                    "-fno-trapping-math",
                                    "-ffp-contract=off",
                                    "-ffunction-sections",
                                    "-fdata-sections",
                                    "-fno-stack-protector",
                                    "-fstack-clash-protection",
                                    "-w",
                                    "-fdiagnostics-color=never",
                                    "-fmessage-length=0"})
            arguments.emplace_back(f);
        arguments.emplace_back(compiler_.clang ? "-ferror-limit=20" : "-fmax-errors=20");
        if (how == instrumentation::bounds) {
            for (auto const* const f :
                 {"-O1", "-g1", "-fno-omit-frame-pointer", "-fno-sanitize-recover=all"})
                arguments.emplace_back(f);
            // Clang's `bounds` contains a part that traps without a word.
            arguments.emplace_back(
                std::string{"-fsanitize=address,alignment,null,integer-divide-by-zero,bool,"
                            "unreachable,"} +
                (compiler_.clang ? "array-bounds" : "bounds"));
            if (compiler_.clang) arguments.emplace_back("-shared-libsan");
        } else if (how == instrumentation::none) {
            arguments.emplace_back("-O3");
        } else {
            for (auto const* const f : {"-O1", "-g1", "-fsanitize=thread"})
                arguments.emplace_back(f);
            if (compiler_.clang)
                for (auto const* const f : {"-mllvm",
                                            "-tsan-distinguish-volatile=1",
                                            "-mllvm",
                                            "-tsan-instrument-read-before-write=1"})
                    arguments.emplace_back(f);
            else
                arguments.emplace_back("--param=tsan-distinguish-volatile=1");
        }
        arguments.insert(arguments.end(), flags.begin(), flags.end());
        arguments.insert(arguments.end(), options_.flags.begin(), options_.flags.end());
        for (auto const* const f : {"-o",
                                    "module.so",
                                    "module.cpp",
                                    "-shared",
                                    "-nostartfiles",
                                    "-Wl,--gc-sections",
                                    "-Wl,-z,defs",
                                    "-Wl,-z,now",
                                    "-Wl,-z,noexecstack",
                                    "-lm"})
            arguments.emplace_back(f);
        // What the instrumentation calls is in the shim: no library of ThreadSanitizer.
        if (how == instrumentation::races)
            for (auto const* const f : {"-nodefaultlibs", "-lgcc", "-lc"})
                arguments.emplace_back(f);
        auto r = run(std::move(arguments), text, request);
        r.collect = {"module.so"};
        auto got = run_child(r, context);
        if (!got) return got.error();
        if (looks_starved(*got)) { // by the kernel's text, or by the machine?
            r.files.front().text = least_text;
            auto const other = run_child(r, context);
            if (!other) return other.error();
            if (auto starved = starvation(*other)) return std::move(*starved);
        }
        switch (got->how) {
        case child_end::cancelled:
            return cancelled("a compilation");
        case child_end::timed_out:
            return failed(timed_out{request.time_limit, "compile"});
        case child_end::signalled:
            return failed(compile_failed{"the compiler was killed by signal " +
                                             std::to_string(got->signal) + "\n" + log_of(*got),
                                         {}});
        case child_end::exited:
            break;
        }
        auto* const file = [&]() -> shared_memory* {
            for (auto& [name, memory] : got->files)
                if (name == "module.so") return &memory;
            return nullptr;
        }();
        if (got->exit_code != 0 || file == nullptr)
            return failed(compile_failed{log_of(*got), first_error(got->err)});
        module->code = std::move(*file);
        return inspect(std::move(module), how, filled_constants(request.signature));
    }

    [[nodiscard]] result<module_or_failure> inspect(std::shared_ptr<compiled_module> module,
                                                    instrumentation how,
                                                    std::set<std::string> const& filled) const {
        auto const facts = elf_reader{module->code.bytes()}.read();
        if (!facts)
            return failed(compile_failed{"the compiler wrote a file that is no shared object", {}});
        module->shared_bytes = facts->thread_bytes;
        module->digest = std::max<std::uint64_t>(layout_hash(module->code.text()), 1);
        for (std::size_t i = 0; how == instrumentation::races && i < facts->writable.size(); ++i)
            module->variables.push_back(
                {facts->writable[i].first, facts->addresses[i], facts->writable[i].second});
        auto constants = filled; // filled, and looked at, before and after each launch
        for (auto const& [name, size] : facts->writable) {
            if (name == "_ZL8blockDim" || name == "_ZL7gridDim" || name == "_ZL8lkt_host")
                continue; // the shim's
            auto const filled_one =
                std::find_if(constants.begin(), constants.end(), [&](auto const& c) {
                    return name == c || name.ends_with(std::to_string(c.size()) + c + "E");
                });
            if (filled_one == constants.end())
                module->writable_bytes += size;
            else
                constants.erase(filled_one); // a second one of that name is none
        }
        if (screened_) {
            for (auto const& symbol : facts->undefined)
                if (!computes_only(symbol, module->checked))
                    return failed(refused{symbol, std::string{not_device_code}, {}});
            if (facts->resolvers || (facts->constructors && how == instrumentation::none))
                return failed(refused{"a static constructor",
                                      "an object outside of functions has an initialiser that must "
                                      "be computed; make it constexpr, or compute it in the kernel",
                                      {}});
        }
        return module_or_failure{std::move(module)};
    }

    /// What the compiler said, at most 8 KiB of it.
    [[nodiscard]] static std::string log_of(child_result const& r) {
        auto text = r.err.empty() ? r.out : r.err;
        constexpr std::size_t most = 8192;
        if (text.size() > most) {
            text.resize(text.rfind('\n', most) == text.npos ? most : text.rfind('\n', most));
            text += "\n(and more)";
        }
        while (!text.empty() && text.back() == '\n') text.pop_back();
        return text.empty() ? "the compiler failed and said nothing" : text;
    }

    /// A section of its own, since blocks do not share what is there.
    static constexpr char race_shared[] = "static __attribute__((section(\"lkt_shared\")))";

    host_options const& options_;
    compiler_facts const& compiler_;
    bool screened_;
};

} // namespace lkt::host_detail
