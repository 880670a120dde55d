// SPDX-License-Identifier: BSL-1.0
// A kernel on the device: loaded, and made to fit its launch.
#pragma once

#include <lkt/gpu/device/detail/guards.hpp>
#include <lkt/gpu/device/detail/module_session.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

namespace lkt::device_detail {

device_session::loaded_module const& device_session::module_of(run_job const& job) {
    auto known = modules_.find(job.program);
    if (known == modules_.end()) {
        if (job.program_bytes.empty()) throw run_failure{run_end::unknown_contents, {}};
        auto const program = unpack_program(job.program_bytes);
        if (!program) throw run_failure{run_end::broken, "a malformed program"};
        if (modules_.size() >= session_parts::max_modules) {
            auto const oldest =
                std::min_element(modules_.begin(), modules_.end(), [](auto& a, auto& b) {
                    return a.second.last_use < b.second.last_use;
                });
            driver_.module_unload(oldest->second.handle);
            modules_.erase(oldest);
        }
        loaded_module module;
        module.program = *program;
        load(module);
        known = modules_.emplace(job.program, std::move(module)).first;
    } else if (job.fresh) {
        driver_.module_unload(std::exchange(known->second.handle, nullptr));
        try {
            load(known->second);
        } catch (run_failure const&) {
            modules_.erase(known);
            throw;
        }
    }
    known->second.last_use = ++uses_;
    return known->second;
}

void device_session::load(loaded_module& module) {
    cu_status const s = driver_.module_load(&module.handle, module.program.image.c_str());
    if (s != cu_status::success && !is_fatal(s))
        throw run_failure{run_end::bad_program,
                          "the compiled kernel does not load: " + driver_.describe(s)};
    check(s, "loading a kernel");
    std::string const& entry = module.program.entry;
    if (driver_.module_function(&module.function, module.handle, entry.c_str()) !=
        cu_status::success) {
        driver_.module_unload(module.handle);
        throw run_failure{run_end::bad_program, "the compiled kernel has no entry " + entry};
    }
}

/// Sees that the launch is possible, and makes what it needs of the function.
void device_session::fit(run_job const& job, loaded_module const& module, run_answer& answer) {
    cu_function const f = module.function;
    auto const get = [&](cu_function_attribute a) {
        int value = 0;
        driver_.function_attribute(&value, a, f);
        return value;
    };
    std::uint64_t const threads = job.dimensions.block.count();
    int const most = get(cu_function_attribute::max_threads_per_block);
    if (threads > static_cast<std::uint64_t>(most))
        throw run_failure{run_end::launch_failed,
                          "the block has " + std::to_string(threads) +
                              " threads, but the compiled kernel (" +
                              std::to_string(get(cu_function_attribute::registers)) +
                              " registers per thread) allows " + std::to_string(most)};
    std::uint64_t const shared =
        std::uint64_t{job.dimensions.shared_bytes} +
        static_cast<std::uint64_t>(get(cu_function_attribute::static_shared_bytes));
    if (shared > static_cast<std::uint64_t>(facts_.shared_per_block))
        throw run_failure{
            run_end::launch_failed,
            "a block needs " + to_string(bytes{shared}) + " of shared memory, but " + facts_.name +
                " has " + to_string(bytes{static_cast<std::uint64_t>(facts_.shared_per_block)})};
    if (job.dimensions.shared_bytes > 0 && driver_.function_set != nullptr) {
        cu_status const s = driver_.function_set(f,
                                                 cu_function_attribute::max_dynamic_shared,
                                                 static_cast<int>(job.dimensions.shared_bytes));
        if (s != cu_status::success)
            throw run_failure{run_end::launch_failed,
                              to_string(bytes{job.dimensions.shared_bytes}) +
                                  " of dynamic shared memory are refused: " + driver_.describe(s)};
    }
    int blocks = 0;
    driver_.occupancy(&blocks, f, static_cast<int>(threads), job.dimensions.shared_bytes);
    auto const warp = static_cast<std::uint64_t>(std::max(1, facts_.warp_size));
    if (int const resident = facts_.threads_per_multiprocessor; resident > 0)
        answer.occupancy =
            blocks * static_cast<double>((threads + warp - 1) / warp * warp) / resident;
}

/// Structs and constant memory have the sizes of this configuration, arguments those of the
/// problem: what differs is named before anything is read beyond its end.
void device_session::fit_arguments(run_job const& job, loaded_module const& module) {
    std::size_t number = 0;
    for (std::size_t place = 0; place < job.arguments.size(); ++place) {
        job_argument const& a = job.arguments[place];
        if (!a.constant.empty()) continue;
        std::size_t offset = 0, size = 0;
        std::uint64_t const passed =
            a.buffer ? sizeof(cu_pointer) : job.sets.front().values[place].size();
        cu_status const s = driver_.parameter == nullptr
                                ? cu_status::not_found
                                : driver_.parameter(module.function, number, &offset, &size);
        ++number;
        if (s == cu_status::success && size != passed)
            throw run_failure{run_end::launch_failed,
                              "parameter " + std::to_string(number) + " of the kernel takes " +
                                  std::to_string(size) + " bytes, but " + std::to_string(passed) +
                                  " are passed"};
    }
}

void device_session::fill_constants(run_job const& job,
                                    loaded_module const& module,
                                    argument_set const& set) {
    for (std::size_t k = 0; k < job.arguments.size(); ++k) {
        job_argument const& a = job.arguments[k];
        if (a.constant.empty()) continue;
        cu_pointer at = 0;
        std::size_t size = 0;
        cu_status const s =
            driver_.module_global(&at, &size, module.handle, symbol_of(a.constant).c_str());
        if (s == cu_status::not_found)
            throw run_failure{run_end::bad_program,
                              "the compiled kernel has no constant memory " + a.constant +
                                  "; in an unnamed namespace it cannot be found"};
        check(s, "finding constant memory");
        if (size != a.size)
            throw run_failure{run_end::launch_failed,
                              "the constant memory " + a.constant + " of the kernel has " +
                                  std::to_string(size) + " bytes, but " + std::to_string(a.size) +
                                  " are passed"};
        check(driver_.copy_on_device(at, set.buffers[k].begin(), size, stream_),
              "filling constant memory");
    }
}

} // namespace lkt::device_detail
