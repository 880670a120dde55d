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
    std::vector<std::uint64_t> sizes; // of what is passed
    for (std::size_t place = 0; place < job.arguments.size(); ++place) {
        job_argument const& a = job.arguments[place];
        if (a.constant.empty())
            sizes.push_back(a.buffer ? sizeof(cu_pointer) : job.sets.front().values[place].size());
    }
    for (job_set const& set : job.sets)
        for (std::size_t k = 0; k < set.maps.size(); ++k)
            if (set.maps.size() != job.sets.front().maps.size() ||
                set.maps[k].argument >= job.arguments.size() ||
                set.maps[k].parameter != job.sets.front().maps[k].parameter ||
                set.maps[k].parameter > sizes.size() + k)
                throw run_failure{run_end::broken, "a malformed tensor map"};
    for (job_map const& map : job.sets.front().maps)
        sizes.insert(sizes.begin() + static_cast<std::ptrdiff_t>(map.parameter),
                     sizeof(cu_tensor_map));
    std::size_t number = 0;
    for (std::uint64_t const passed : sizes) {
        std::size_t offset = 0, size = 0;
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

namespace session_parts {

/// `CUtensorMapDataType`, and `CUtensorMapSwizzle`.
int number_of(scalar_type t) {
    switch (t) {
    case scalar_type::uint16:
        return 1;
    case scalar_type::uint32:
        return 2;
    case scalar_type::int32:
        return 3;
    case scalar_type::uint64:
        return 4;
    case scalar_type::int64:
        return 5;
    case scalar_type::float16:
        return 6;
    case scalar_type::float32:
        return 7;
    case scalar_type::float64:
        return 8;
    case scalar_type::bfloat16:
        return 9;
    case scalar_type::boolean:
    case scalar_type::int8:
    case scalar_type::uint8:
    case scalar_type::int16:
    case scalar_type::int4:
    case scalar_type::uint4:
    case scalar_type::float4_e2m1:
    case scalar_type::float8_e4m3:
    case scalar_type::float8_e5m2:
        break;
    }
    return 0; // bytes
}
int number_of_swizzle(std::uint32_t bytes) {
    return bytes == 128 ? 3 : bytes == 64 ? 2 : bytes == 32 ? 1 : 0;
}

} // namespace session_parts

/// What lies beyond the extents is read as zeros; lines of the L2 cache are fetched by 128 bytes.
cu_tensor_map
device_session::encoded(job_map const& map, run_job const& job, argument_set const& set) const {
    cu_tensor_map made{};
    tensor_layout const& l = map.layout;
    if (l.extent.empty()) return made;
    if (driver_.encode_tiled == nullptr)
        throw run_failure{run_end::launch_failed, "this driver has no tensor maps"};
    bool const fits = l.extent.size() <= 5 && l.stride.size() + 1 == l.extent.size() &&
                      l.box.size() == l.extent.size() && job.arguments[map.argument].buffer;
    if (!fits) throw run_failure{run_end::broken, "a malformed tensor map"};
    std::vector<std::uint32_t> const step(l.extent.size(), 1);
    cu_status const s = driver_.encode_tiled(&made,
                                             session_parts::number_of(l.type),
                                             static_cast<std::uint32_t>(l.extent.size()),
                                             set.buffers[map.argument].begin(),
                                             l.extent.data(),
                                             l.stride.data(),
                                             l.box.data(),
                                             step.data(),
                                             0,
                                             session_parts::number_of_swizzle(l.swizzle),
                                             2,
                                             0);
    if (s != cu_status::success)
        throw run_failure{run_end::launch_failed,
                          "the driver makes no tensor map for parameter " +
                              std::to_string(map.parameter + 1) + ": " + driver_.describe(s)};
    return made;
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
