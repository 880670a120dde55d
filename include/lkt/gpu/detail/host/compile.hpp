// SPDX-License-Identifier: BSL-1.0
// From a compile request to a module in memory, or to what is wrong with the text.
#pragma once

#include <lkt/gpu/compile_cache.hpp>
#include <lkt/gpu/detail/host/branch_sites.hpp>
#include <lkt/gpu/detail/host/build_flags.hpp>
#include <lkt/gpu/detail/host/code_constants.hpp>
#include <lkt/gpu/detail/host/compile_key.hpp>
#include <lkt/gpu/detail/host/compile_words.hpp>
#include <lkt/gpu/detail/host/compiler.hpp>
#include <lkt/gpu/detail/host/fibre.hpp>
#include <lkt/gpu/detail/host/inspect.hpp>
#include <lkt/gpu/detail/host/kernel_text.hpp>
#include <lkt/gpu/detail/host/shim_races.hpp>
#include <lkt/gpu/detail/host/starved.hpp>
#include <lkt/gpu/detail/host/stores_at.hpp>
#include <lkt/gpu/detail/host/whole_text.hpp>
#include <lkt/gpu/gpu_backend.hpp>
#include <lkt/gpu/host_shim.hpp>
#include <lkt/lang/definitions.hpp>
#include <lkt/lang/wgsl/wgsl_cpp.hpp>
#include <lkt/process/service.hpp>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace lkt::host_detail {

using module_or_failure = std::variant<std::shared_ptr<compiled_module>, failure>;

class module_compiler {
public:
    /// `screened`: refuse texts before they are compiled. Tests of the other defences say no.
    module_compiler(host_options const& options,
                    compiler_facts const& compiler,
                    gpu_detail::compile_cache& cache,
                    host_counters& counters,
                    compilations_before& before,
                    bool screened)
        : options_(options), compiler_(compiler), cache_(cache), counters_(counters),
          before_(before), screened_(screened) {}

    [[nodiscard]] result<module_or_failure> compile(compile_request const& request,
                                                    call_context const& context) {
        auto options = translate_options(request.options);
        if (!options.unknown.empty())
            return failed(refused{options.unknown,
                                  "the host back end does not know this option; of NVCC's options "
                                  "it takes -D, -O0 to -O3, -use_fast_math and -fmad=false",
                                  {}});
        // Once for all builds: none of them sees another text.
        auto read =
            read_kernel(request, options.flags, filled_constants(request.signature), screened_);
        if (auto* const no = std::get_if<failure>(&read)) return failed(std::move(*no));
        auto const& kernel = std::get<kernel_text>(read);
        // Of macros, nothing is left to define.
        std::erase_if(options.flags, [](auto const& f) { return f.starts_with("-D"); });
        auto const build = [&](instrumentation how) {
            return module_of(kernel, request, options, how, context);
        };
        if (request.branches)
            return with_branches(build(instrumentation::branches), request, context);
        auto made = build(request.checked ? instrumentation::bounds : instrumentation::none);
        if (!made || std::holds_alternative<failure>(*made) || !request.checked) return made;
        return with_races(std::move(*made), build(instrumentation::races));
    }

    /// A translation of that text, whose accesses are confined as WGSL has them: nothing to look
    /// for but races. It needs no screen, since no word of the text stands in it.
    [[nodiscard]] result<module_or_failure> compile(compile_request const& request,
                                                    wgsl_cpp const& made,
                                                    call_context const& context) const {
        auto const build = [&](instrumentation how) {
            bool const races = how == instrumentation::races;
            auto const whole =
                host_shim({.barriers = made.waits,
                           .races = races,
                           .branches = how == instrumentation::branches,
                           .wgsl = true}) +
                "#define LKT_SHARED " + std::string(races ? "static" : "thread_local") +
                "\nnamespace {\n" + made.text + "\n}\n" + made.behind + "#line 1 \"end\"\n" +
                constants_table({}, {}) + "LKT_EXPORT(" + std::to_string(module_abi) + ", " +
                (made.waits ? "1" : "0") + ", &" + made.entry + ")\n";
            auto module = std::make_shared<compiled_module>();
            module->atomics = made.atomics;
            module->wgsl = true;
            module->subgroups = made.subgroups;
            module->fibres = made.waits;
            module->notes = {"checked: a translation to C++, in three orders of threads"};
            // What the shim defines is inlined all the same. Functions of the text, inlined into
            // each other, took g++ 15 s where their calls take it 0.3 s.
            std::vector<std::string> const flags{"-O1", "-fno-inline", "-fwrapv"};
            return with_constants(
                call({whole, libraries_for(made.text)}, request, flags, how, module, context),
                whole,
                request,
                flags,
                context);
        };
        if (request.branches)
            return with_branches(build(instrumentation::branches), request, context);
        auto plain = build(instrumentation::none);
        if (!plain || std::holds_alternative<failure>(*plain)) return plain;
        return with_races(std::move(*plain), build(instrumentation::races));
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
        if (module.races)
            module.notes.emplace_back(
                "checked: data races, by the instrumentation of ThreadSanitizer");
        return made;
    }

    /// The module and where it decides, as far as that can be read from its code.
    [[nodiscard]] result<module_or_failure> with_branches(result<module_or_failure> made,
                                                          compile_request const& request,
                                                          call_context const& context) const {
        if (!made || std::holds_alternative<failure>(*made)) return made;
        auto& module = *std::get<std::shared_ptr<compiled_module>>(*made);
        auto r = run({"objdump", "-d", "-l", "--no-show-raw-insn", "module.so"},
                     std::string{module.code.text()},
                     request);
        r.files.front().name = "module.so";
        r.output_limit = std::size_t{64} << 20;
        auto const listed = run_child(r, context);
        if (!listed) return listed.error();
        if (listed->how == child_end::cancelled) return cancelled("a compilation");
        if (listed->succeeded())
            module.branches = std::make_shared<std::vector<branch_site> const>(
                branch_site_reader{listed->out}.sites());
        return made;
    }

    /// The module and the numbers of its code, if they are asked for and the compiler prints them.
    [[nodiscard]] result<module_or_failure> with_constants(result<module_or_failure> made,
                                                           std::string const& whole,
                                                           compile_request const& request,
                                                           std::vector<std::string> const& flags,
                                                           call_context const& context) const {
        if (!request.constants || !made || std::holds_alternative<failure>(*made)) return made;
        auto& constants = std::get<std::shared_ptr<compiled_module>>(*made)->constants;
        auto arguments = flags_of_texts(compiler_);
        for (auto const& more : {flags, options_.flags, flags_of_printing(compiler_.clang)})
            arguments.insert(arguments.end(), more.begin(), more.end());
        auto const key = key_of_code(compiler_, arguments, whole);
        std::vector<double> numbers;
        if (auto known = cache_.find(key); known && std::holds_alternative<std::string>(*known)) {
            numbers = numbers_of_text(std::get<std::string>(*known));
        } else {
            auto r = run(std::move(arguments), whole, request);
            r.collect = {printed_code};
            auto const printed = run_child(r, context);
            if (!printed) return printed.error();
            if (printed->how == child_end::cancelled) return cancelled("a compilation");
            if (!printed->succeeded() || printed->files.empty()) return made;
            ++counters_.compiled;
            numbers =
                constant_reader{printed->files.front().second.text(), compiler_.clang}.numbers();
            if (printed->behind != file_wall::none) cache_.store(key, text_of_numbers(numbers));
        }
        constants = std::make_shared<std::vector<double> const>(std::move(numbers));
        return made;
    }

    /// With a device's casts and shifts; without them where the text does not compile with them (a
    /// bit-field that is shifted): messages are about the text that somebody wrote.
    [[nodiscard]] result<module_or_failure> module_of(kernel_text const& kernel,
                                                      compile_request const& request,
                                                      translated_options const& options,
                                                      instrumentation how,
                                                      call_context const& context) const {
        auto const filled = filled_constants(request.signature);
        auto const part = kernel_part(kernel, how, filled, arithmetic_of::device);
        if (auto* const no = std::get_if<refused>(&part)) return failed(*no);
        auto const& text = std::get<std::string>(part);
        auto made = module_from(text, kernel, request, options, how, context);
        auto* const why = made ? std::get_if<failure>(&*made) : nullptr;
        if (why == nullptr || !std::holds_alternative<compile_failed>(*why)) return made;
        auto const own = kernel_part(kernel, how, filled, arithmetic_of::cpu);
        auto const* const other = std::get_if<std::string>(&own);
        if (other == nullptr || *other == text) return made;
        made = module_from(*other, kernel, request, options, how, context);
        if (made && std::holds_alternative<std::shared_ptr<compiled_module>>(*made))
            std::get<std::shared_ptr<compiled_module>>(*made)->casts_as_cpu = true;
        return made;
    }

    [[nodiscard]] result<module_or_failure> module_from(std::string const& text,
                                                        kernel_text const& kernel,
                                                        compile_request const& request,
                                                        translated_options const& options,
                                                        instrumentation how,
                                                        call_context const& context) const {
        auto const& traits = kernel.traits;
        auto const whole = whole_text(text, kernel, request, options_, how);
        auto module = std::make_shared<compiled_module>();
        module->checked = how == instrumentation::bounds;
        if (module->checked) module->text = text_of_lines(text);
        module->atomics = traits.atomics;
        module->polls = traits.polls;
        module->fibres = traits.fibres;
        module->dynamic_alignment = traits.dynamic_alignment;
        module->map_names =
            names_of_maps(request.source, request.signature.tensor_maps, request.definitions);
        module->notes = notes(traits, request.checked, options.ignored);
        return with_constants(
            call({whole, libraries_for(text)}, request, options.flags, how, module, context),
            whole,
            request,
            options.flags,
            context);
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
        auto r = confined_run(options_, compiler_, std::move(arguments));
        r.files.push_back({"module.cpp", text});
        r.time_limit = std::chrono::milliseconds{
            static_cast<std::int64_t>(std::clamp(request.time_limit.count(), 0.001, 3600.0) * 1e3)};
        return r;
    }

    /// What the compiler reads, and what is probably enough to link it with.
    struct source_of_module {
        std::string const& text;
        libraries with;
    };

    [[nodiscard]] result<module_or_failure> call(source_of_module const& source,
                                                 compile_request const& request,
                                                 std::vector<std::string> const& flags,
                                                 instrumentation how,
                                                 std::shared_ptr<compiled_module> module,
                                                 call_context const& context) const {
        auto const& text = source.text;
        auto const arguments = [&](libraries with) {
            return call_for_module(how, compiler_, options_, flags, module->wgsl, with);
        };
        auto const key = key_of_code(compiler_, arguments(libraries::all), text);
        auto const refusal_key = key_of_refusal(key, request);
        for (auto const& one : {key, refusal_key})
            if (auto made = cache_.find(one))
                if (auto known = from_cache(std::move(*made), request, how, module)) return *known;
        auto const kernel = layout_hash(request.source.text);
        auto const with = before_.calls_libraries.contains(kernel) ? libraries::all : source.with;
        auto r = run(arguments(with), text, request);
        r.collect = {"module.so"};
        if (how == instrumentation::races) {
            auto const ready = compile_hooks(request, context);
            if (!ready) return ready.error();
            if (*ready) return failed(**ready);
            r.files.push_back({hooks_object, before_.hooks});
        }
        auto got = run_child(r, context);
        // The linker looks for a function that the compiler called, or for the loader.
        if (with == libraries::loader && got && got->exit_code != 0 &&
            (got->err.find("undefined ") != got->err.npos ||
             got->err.find("ld-linux") != got->err.npos)) {
            before_.calls_libraries.insert(kernel);
            r.arguments = arguments(libraries::all);
            got = run_child(r, context);
        }
        if (!got) return got.error();
        ++counters_.compiled;
        if (looks_starved(*got)) { // by the kernel's text, or by the machine?
            r.files.front().text = minimal_text;
            auto const other = run_child(r, context);
            if (!other) return other.error();
            if (auto starved = starvation(*other)) return std::move(*starved);
        }
        switch (got->how) {
        case child_end::cancelled:
            return cancelled("a compilation");
        case child_end::timed_out:
            if (got->err.empty()) return failed(timed_out{request.time_limit, "compile"});
            return failed(last_words("the compiler did not end within its limit of " +
                                         lkt::to_string(request.time_limit),
                                     *got,
                                     request,
                                     text));
        case child_end::signalled:
            return failed(last_words(got->over.empty() ? "the compiler was killed by signal " +
                                                             std::to_string(got->signal)
                                                       : "the compiler had " + got->over,
                                     *got,
                                     request,
                                     text));
        case child_end::exited:
            break;
        }
        auto* const file = [&]() -> shared_memory* {
            for (auto& [name, memory] : got->files)
                if (name == "module.so") return &memory;
            return nullptr;
        }();
        if (got->exit_code != 0 || file == nullptr) {
            auto why = failure_of(*got, request, text);
            why.died = gpu_detail::compiler_broke(got->err);
            // With a place in the text it is the text's for certain.
            if (!why.died && why.where.line > 0) cache_.store(refusal_key, why);
            return failed(std::move(why));
        }
        module->code = std::move(*file);
        if (got->behind == file_wall::none)
            module->notes.emplace_back("compiler: not confined, as unconfined_compiler allows");
        else
            cache_.store(key, std::string{module->code.text()});
        auto no = inspect(*module, how, filled_constants(request.signature), screened_);
        return no ? failed(std::move(*no)) : module_or_failure{std::move(module)};
    }

    /// What -fsanitize=thread calls, once for all kernels; why it cannot be had.
    [[nodiscard]] result<std::optional<failure>> compile_hooks(compile_request const& request,
                                                               call_context const& context) const {
        if (!before_.hooks.empty()) return std::optional<failure>();
        auto arguments = flags_of_texts(compiler_);
        arguments.emplace_back("-O1");
        arguments.insert(arguments.end(), options_.flags.begin(), options_.flags.end());
        for (auto const* const f : {"-c", "-o", hooks_object, "module.cpp"})
            arguments.emplace_back(f);
        packer key;
        key.put("hooks 1").put(compiler_.identity).put(arguments).put(race_hooks);
        auto const bytes = std::move(key).bytes();
        if (auto made = cache_.find(bytes))
            if (auto* const object = std::get_if<std::string>(&*made))
                before_.hooks = std::move(*object);
        if (!before_.hooks.empty()) return std::optional<failure>();
        auto r = run(std::move(arguments), std::string{race_hooks}, request);
        r.collect = {hooks_object};
        auto const got = run_child(r, context);
        if (!got) return got.error();
        if (got->how == child_end::cancelled) return cancelled("a compilation");
        if (!got->succeeded() || got->files.empty())
            return std::optional<failure>(compile_failed{
                "the compiler did not compile what -fsanitize=thread calls: " + got->err,
                {},
                true});
        before_.hooks = got->files.front().second.text();
        if (got->behind != file_wall::none) cache_.store(bytes, before_.hooks);
        return std::optional<failure>();
    }

    /// What the cache has is looked at like what a compiler wrote. Nothing: it is of no use.
    [[nodiscard]] std::optional<module_or_failure>
    from_cache(gpu_detail::compiled_text made,
               compile_request const& request,
               instrumentation how,
               std::shared_ptr<compiled_module> const& module) const {
        if (auto* const why = std::get_if<compile_failed>(&made)) {
            ++counters_.from_cache;
            return failed(std::move(*why));
        }
        auto code = shared_memory::frozen(std::get<std::string>(made));
        if (!code) return std::nullopt;
        module->code = std::move(*code);
        ++counters_.from_cache;
        auto no = inspect(*module, how, filled_constants(request.signature), screened_);
        return no ? failed(std::move(*no)) : module_or_failure{module};
    }

    host_options const& options_;
    compiler_facts const& compiler_;
    gpu_detail::compile_cache& cache_;
    host_counters& counters_;
    compilations_before& before_;
    bool screened_;
};

} // namespace lkt::host_detail
