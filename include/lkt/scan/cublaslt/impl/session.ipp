// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/string_tools.hpp>
#include <lkt/gpu/hip/runtime.hpp>
#include <lkt/scan/cublaslt/detail/product.hpp>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstring>
#include <span>

namespace lkt::cublaslt_detail {

using namespace detail::scan;

namespace session_parts {

inline seconds median_of(std::vector<double> all) {
    std::sort(all.begin(), all.end());
    std::size_t const half = all.size() / 2;
    return seconds{all.size() % 2 != 0 ? all[half] : (all[half - 1] + all[half]) / 2};
}

} // namespace session_parts

std::string session::version() const {
    auto const v = lt_.version(); // 120803: 12.8.3
    return std::to_string(v / 10000) + "." + std::to_string(v / 100 % 100) + "." +
           std::to_string(v % 100);
}

error session::failed(char const* doing, cu_status status) const {
    return {condition::transient,
            status == cu_status::out_of_memory ? "lkt.scan.memory" : "lkt.scan.cublaslt-failed",
            std::string(doing) + " failed: " + driver_.describe(status),
            {}};
}

result<std::unique_ptr<session>> session::open(cublaslt_options const& options) {
    std::unique_ptr<session> s(new session);
    bool const amd = options.which == lt_library::hipblaslt;
    auto driver = amd ? hip_detail::load_hip() : cuda_detail::load_driver();
    if (!driver) return driver.error();
    s->driver_ = *driver;
    auto const& d = s->driver_;
    auto const bad = [&](char const* doing, cu_status status) {
        return error{condition::unavailable,
                     amd ? "lkt.hip.open" : "lkt.cuda.open",
                     std::string(doing) + " failed: " + d.describe(status),
                     std::string("check whether ") + (amd ? "rocminfo" : "nvidia-smi") +
                         " shows the device, and whether other programs fill its memory"};
    };
    int count = 0;
    if (auto const e = d.device_count(&count); e != cu_status::success)
        return bad("counting the devices", e);
    std::string const& wanted = options.device;
    int index = 0;
    auto const [end, failed] = std::from_chars(wanted.data(), wanted.data() + wanted.size(), index);
    bool const number =
        wanted.empty() || (failed == std::errc() && end == wanted.data() + wanted.size());
    if (!number || index < 0 || index >= count)
        return error{condition::unavailable,
                     amd ? "lkt.hip.device" : "lkt.cuda.device",
                     "there is no " + std::string(d.title) + " device " +
                         in_backticks(wanted.empty() ? "0" : wanted) + " of " +
                         std::to_string(count),
                     std::string("give its index, as ") +
                         (amd ? "rocm-smi lists" : "nvidia-smi -L lists") + " them"};
    cu_device device = 0;
    cu_context context = nullptr;
    char name[256] = "";
    if (auto const e = d.device_get(&device, index); e != cu_status::success)
        return bad("finding the device", e);
    if (auto const e = d.context_retain(&context, device); e != cu_status::success)
        return bad("opening the device", e);
    if (auto const e = d.context_use(context); e != cu_status::success)
        return bad("opening the device", e);
    (void)d.device_name(name, sizeof name - 1, device);
    s->device_ = name;
    if (auto const e = d.stream_create(&s->stream_, 1); e != cu_status::success) // not blocking
        return bad("creating a stream", e);
    for (cu_event& event : s->events_)
        if (auto const e = d.event_create(&event, 0); e != cu_status::success)
            return bad("creating an event", e);
    // Memory that the device copies to directly.
    if (auto const e = d.host_allocate(&s->staging_, staging_size, 0); e != cu_status::success)
        return bad("allocating host memory", e);
    auto library = amd ? load_hipblaslt(options.library) : load_cublaslt(options.library);
    if (!library) return library.error();
    s->lt_ = *library;
    if (auto const e = s->lt_.create(&s->handle_); e != lt_status::success)
        return error{condition::unavailable,
                     amd ? "lkt.scan.hipblaslt" : "lkt.scan.cublaslt",
                     std::string(s->lt_.title) + " does not start: " + s->lt_.describe(e),
                     "check whether the driver is new enough for this version, and whether it "
                     "knows the device"};
    if (options.workspace.count > 0) {
        auto memory = s->allocate(options.workspace.count);
        if (!memory) return bad("allocating the workspace", cu_status::out_of_memory);
        s->workspace_ = std::move(*memory);
        s->workspace_size_ = options.workspace.count;
    }
    if (!amd) s->clock_ = find_clock(d, device);
    return s;
}

result<device_memory> session::allocate(std::size_t size) const {
    cu_pointer at = 0;
    if (auto const e = driver_.allocate(&at, std::max<std::size_t>(size, 1));
        e != cu_status::success)
        return failed(("allocating " + to_string(bytes{size}) + " on the device").c_str(), e);
    return device_memory(driver_, at);
}

result<device_memory> session::filled(std::size_t size, gemm_values const& values) const {
    auto memory = allocate(size);
    if (!memory) return memory.error();
    auto const& pattern = values.bytes();
    std::size_t done = std::min(size, pattern.size());
    if (auto const e = driver_.copy_to_device(memory->at(), pattern.data(), done);
        e != cu_status::success)
        return failed("filling a matrix", e);
    // The copy may still be under way, and the stream does not wait for it.
    if (auto ready = wait(); !ready) return ready.error();
    // What is there is a whole number of periods, and again and again doubled.
    while (done < size) {
        std::size_t const next = std::min(done, size - done);
        if (auto const e = driver_.copy_on_device(memory->at() + done, memory->at(), next, stream_);
            e != cu_status::success)
            return failed("filling a matrix", e);
        done += next;
    }
    if (auto ready = wait(); !ready) return ready.error();
    return memory;
}

result<void> session::wait() const {
    if (auto const e = driver_.context_wait(); e != cu_status::success)
        return failed("computing on the device", e);
    return {};
}

result<seconds> session::between(std::size_t first, std::size_t last) const {
    float ms = 0;
    if (auto const e = driver_.event_elapsed(&ms, events_[first], events_[last]);
        e != cu_status::success)
        return failed("reading a time", e);
    return seconds{static_cast<double>(ms) / 1e3};
}

gemm_values const& session::values_of(gemm_type type, std::uint64_t seed) {
    auto& kept = values_[{type, seed}];
    if (kept == nullptr) kept = std::make_unique<gemm_values>(type, seed);
    return *kept;
}

int session::choice_of(lt_algorithm const& algorithm, lt_choice which) const {
    std::int32_t number = 0;
    std::size_t written = 0;
    return lt_.choice(&algorithm, which, &number, sizeof number, &written) == lt_status::success
               ? number
               : 0;
}

std::string session::name_of(lt_algorithm const& algorithm) const {
    constexpr std::pair<lt_choice, char const*> wide[] = {{lt_choice::id, "algo="},
                                                          {lt_choice::tile, " tile="},
                                                          {lt_choice::stages, " stages="},
                                                          {lt_choice::split_k, " split_k="},
                                                          {lt_choice::reduction, " reduction="},
                                                          {lt_choice::swizzle, " swizzle="},
                                                          {lt_choice::custom, " custom="}};
    constexpr std::pair<lt_choice, char const*> narrow[] = {{lt_choice::inner_shape, " inner="},
                                                            {lt_choice::cluster, " cluster="}};
    std::string name;
    std::size_t written = 0;
    auto const add = [&](auto const& list, auto number) {
        for (auto const& [which, title] : list)
            if (lt_.choice(&algorithm, which, &number, sizeof number, &written) ==
                lt_status::success)
                name += title + std::to_string(number);
    };
    add(wide, std::int32_t{});
    add(narrow, std::uint16_t{});
    return name;
}

lt_status session::launch(product const& p, lt_found const& with) const {
    double const wide[] = {p.spec.alpha(), p.spec.beta()};
    float const narrow[] = {static_cast<float>(wide[0]), static_cast<float>(wide[1])};
    bool const is_wide = p.spec.type() == gemm_type::f64;
    auto const factor = [&](int which) -> void const* {
        return is_wide ? static_cast<void const*>(&wide[which]) : &narrow[which];
    };
    return lt_.multiply(handle_,
                        p.operation.value,
                        factor(0),
                        p.first_at,
                        p.first.value,
                        p.second_at,
                        p.second.value,
                        factor(1),
                        p.old_at,
                        p.old.value,
                        p.d.at(),
                        p.output.value,
                        &with.algorithm,
                        workspace_.at(),
                        workspace_size_,
                        stream_);
}

result<void> session::first_launch(product& p,
                                   lt_found const& with,
                                   cublaslt_options const& options,
                                   scanned_product& found) {
    if (auto const e = driver_.fill_bytes(p.d.at(), 0xff, p.d_size, stream_);
        e != cu_status::success)
        return failed("filling the output", e);
    if (auto const e = launch(p, with); e != lt_status::success) {
        if (e == lt_status::not_supported) {
            ++found.unsupported;
        } else {
            found.remarks.push_back(name_of(with.algorithm) + " did not start: " + lt_.describe(e));
        }
        return {};
    }
    if (auto ready = wait(); !ready) {
        auto why = ready.error();
        why.message = name_of(with.algorithm) + ": " + why.message;
        return why;
    }
    scanned_instance one{.name = name_of(with.algorithm), .workspace = bytes{with.workspace}};
    if (options.settings.verify) {
        p.result.resize(p.d_size);
        for (std::size_t done = 0; done < p.d_size;) {
            auto const n = std::min(p.d_size - done, staging_size);
            if (auto const e = driver_.copy_from_device(staging_, p.d.at() + done, n);
                e != cu_status::success)
                return failed("reading the output", e);
            std::memcpy(p.result.data() + done, staging_, n);
            done += n;
        }
        // In place, or as parts of the output's type: 1 and 4 of cublasLtReductionScheme_t.
        auto const reduction = choice_of(with.algorithm, lt_choice::reduction);
        auto const answer = p.check->judge(
            p.result,
            reduction == 1 || reduction == 4 ? choice_of(with.algorithm, lt_choice::split_k) : 0);
        one.verdict = answer.verdict;
        if (answer.verdict == scan_verdict::wrong)
            found.remarks.push_back(one.name + ": " + answer.why);
        if (answer.first_wrong && p.has_reference) {
            found.instances[p.reference].verdict = scan_verdict::wrong;
            found.remarks.push_back(found.instances[p.reference].name + ": " + answer.why);
            p.has_reference = false;
        }
        if (one.verdict == scan_verdict::correct && !p.has_reference) {
            p.reference = found.instances.size();
            p.has_reference = true;
        }
    }
    found.instances.push_back(std::move(one));
    return {};
}

result<void> session::time(product const& p,
                           lt_found const& with,
                           std::optional<seconds> best,
                           bool longer,
                           cublaslt_options const& options,
                           scanned_instance& one) {
    auto const& settings = options.settings;
    auto const run = [&](int launches) -> result<void> {
        for (int i = 0; i < launches; ++i)
            if (auto const e = launch(p, with); e != lt_status::success)
                return error{condition::transient,
                             "lkt.scan.cublaslt-failed",
                             one.name + " did not start again: " + lt_.describe(e),
                             {}};
        return {};
    };
    // The launch before had the kernel loaded, too; long launches need few to reach their clock.
    int const first = std::clamp(settings.warm_ups, 1, 2);
    (void)driver_.event_record(events_[0], stream_);
    if (auto ran = run(first); !ran) return ran;
    (void)driver_.event_record(events_[1], stream_);
    if (auto ready = wait(); !ready) return ready;
    auto const took = between(0, 1);
    if (!took) return took.error();
    auto const about = std::max(*took / first, seconds{1e-7});
    auto const within = [&](seconds limit, int least, int most) {
        return static_cast<int>(
            std::clamp(limit / about, static_cast<double>(least), static_cast<double>(most)));
    };
    // What is far behind is not measured as well.
    auto at_most = options.instance_limit * (longer ? 2 : 1);
    if (best && about > *best * 1.5) at_most /= 10;
    if (int const more = within(at_most / 2, first, std::max(first, settings.warm_ups)) - first;
        more > 0)
        if (auto ran = run(more); !ran) return ran;
    int const least = std::min(settings.iterations, 5);
    int const launches = within(at_most, least, settings.iterations);
    int const groups = std::min(launches, 10), each = launches / groups;
    (void)driver_.event_record(events_[0], stream_);
    for (int g = 1; g <= groups; ++g) {
        if (auto ran = run(each); !ran) return ran;
        (void)driver_.event_record(events_[static_cast<std::size_t>(g)], stream_);
    }
    one.clock_mhz = clock_.now();
    if (auto ready = wait(); !ready) return ready;
    std::vector<double> times;
    double sum = 0, squares = 0;
    for (std::size_t g = 1; g <= static_cast<std::size_t>(groups); ++g) {
        auto const group = between(g - 1, g);
        if (!group) return group.error();
        times.push_back(std::max(group->count(), 1e-9) / each);
        sum += times.back();
    }
    double const mean = sum / groups;
    for (double const t : times) squares += (t - mean) * (t - mean);
    one.time = session_parts::median_of(times);
    one.least = seconds{*std::min_element(times.begin(), times.end())};
    one.most = seconds{*std::max_element(times.begin(), times.end())};
    if (groups > 1) one.deviation = seconds{std::sqrt(squares / (groups - 1))};
    one.iterations = each * groups;
    return {};
}

result<scanned_product> session::measure(gemm_spec const& spec, cublaslt_options const& options) {
    using namespace session_parts;
    using clock = std::chrono::steady_clock;
    auto const begin = clock::now();
    auto const left = [&] { return options.settings.time_limit - seconds(clock::now() - begin); };
    scanned_product found;
    found.device = device_;
    found.remarks.push_back(std::string(lt_.title) + " " + version());

    product p{.spec = spec};
    if (auto placed = place(p, options); !placed) return placed.error();
    auto refused = describe(p);
    std::vector<lt_found> algorithms;
    if (refused.empty()) algorithms = algorithms_of(p, refused);
    if (!refused.empty()) {
        found.remarks.insert(found.remarks.begin(), refused);
        return found;
    }
    std::map<std::string, lt_found const*> by_name;
    std::optional<seconds> best;
    for (std::size_t i = 0; i < algorithms.size(); ++i) {
        auto const& one = algorithms[i];
        if (one.state != lt_status::success || one.workspace > workspace_size_) {
            ++found.unsupported;
            continue;
        }
        if (!by_name.try_emplace(name_of(one.algorithm), &one).second) continue; // the same again
        if (!found.instances.empty() && left() <= seconds{0}) {
            found.remarks.push_back("the time limit left out " +
                                    std::to_string(algorithms.size() - i) + " of " +
                                    std::to_string(algorithms.size()) + " algorithms");
            break;
        }
        std::size_t const before = found.instances.size();
        if (auto ran = first_launch(p, one, options, found); !ran) return ran.error();
        if (found.instances.size() == before) continue;
        auto& instance = found.instances.back();
        if (auto timed = time(p, one, best, false, options, instance); !timed) return timed.error();
        if (instance.verdict != scan_verdict::wrong && (!best || instance.time < *best))
            best = instance.time;
    }
    // The fastest of many is often one whose measurement was lucky.
    scanned_instance* fastest = nullptr;
    for (scanned_instance& one : found.instances)
        if (one.verdict != scan_verdict::wrong && (fastest == nullptr || one.time < fastest->time))
            fastest = &one;
    if (fastest != nullptr) {
        scanned_instance again{.name = fastest->name};
        if (auto timed = time(p, *by_name.at(fastest->name), std::nullopt, true, options, again);
            !timed)
            return timed.error();
        fastest->again = again.time;
    }
    return found;
}

} // namespace lkt::cublaslt_detail
