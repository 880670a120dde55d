// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/string_tools.hpp>
#include <lkt/scan/cublaslt/detail/session.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <dlfcn.h>
#include <span>

namespace lkt::cublaslt_detail {

using namespace detail::scan;

namespace session_parts {

/// How many algorithms are asked for: more than the heuristics have.
inline constexpr int most_algorithms = 512;

struct types_of_product {
    lt_type in, c, d, scale;
    lt_compute compute;
};

lt_type type_of(gemm_type t) {
    switch (t) {
    case gemm_type::f64:
        return lt_type::f64;
    case gemm_type::f32:
    case gemm_type::tf32:
        return lt_type::f32;
    case gemm_type::f16:
        return lt_type::f16;
    case gemm_type::bf16:
        return lt_type::bf16;
    case gemm_type::fp8:
        return lt_type::e4m3;
    case gemm_type::int8:
    case gemm_type::int4:
        return lt_type::i8;
    }
    return lt_type::f32;
}

types_of_product types_of(gemm_spec const& s) {
    lt_type const d = type_of(s.output());
    return {.in = type_of(s.type()),
            .c = d == lt_type::e4m3 ? lt_type::f16 : d, // there is no C of FP8
            .d = d,
            .scale = s.type() == gemm_type::f64 ? lt_type::f64 : lt_type::f32,
            .compute = s.type() == gemm_type::f64    ? lt_compute::f64
                       : s.type() == gemm_type::tf32 ? lt_compute::tf32
                       : s.type() == gemm_type::int8 ? lt_compute::i32
                                                     : lt_compute::f32};
}

/// A matrix as cuBLASLt sees it: column-major, perhaps to be transposed.
struct operand {
    std::int64_t rows, columns, stride, of_matrix;
    bool transposed;
};

/// A row-major matrix is the transpose of a column-major one. `as_transpose`: it stands for its own
/// transpose, as in C^T = B^T A^T.
operand operand_of(matrix_place const& p, bool as_transpose) {
    bool const row = p.layout == matrix_layout::row;
    return {row ? p.columns : p.rows,
            row ? p.rows : p.columns,
            p.stride,
            p.of_matrix(),
            row != as_transpose};
}

seconds median_of(std::vector<double> all) {
    std::sort(all.begin(), all.end());
    std::size_t const half = all.size() / 2;
    return seconds{all.size() % 2 != 0 ? all[half] : (all[half - 1] + all[half]) / 2};
}

/// `12.8.3`: 120803.
std::string version_text(std::size_t v) {
    return std::to_string(v / 10000) + "." + std::to_string(v / 100 % 100) + "." +
           std::to_string(v % 100);
}

/// Ends what cuBLASLt made.
template <class T>
struct made {
    T value{};
    lt_status (*end)(T) = nullptr;
    made() = default;
    made(made const&) = delete;
    ~made() {
        if (value != nullptr) (void)end(value);
    }
};

} // namespace session_parts

double clock_reader::now() const {
    unsigned mhz = 0;
    // 1: of the multiprocessors.
    return read != nullptr && read(device, 1, &mhz) == 0 ? static_cast<double>(mhz) : 0;
}

clock_reader find_clock(driver_api const& driver, cu_device device) {
    clock_reader found;
    void* const nvml = ::dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    cuda_detail::cu_uuid uuid{};
    if (nvml == nullptr || driver.device_uuid(&uuid, device) != cu_status::success) return found;
    std::string id = "GPU-";
    for (int i = 0; i < 16; ++i) {
        constexpr char digits[] = "0123456789abcdef";
        if (i == 4 || i == 6 || i == 8 || i == 10) id += '-';
        id += digits[uuid.bytes[i] >> 4];
        id += digits[uuid.bytes[i] & 15];
    }
    auto const start = reinterpret_cast<int (*)()>(::dlsym(nvml, "nvmlInit_v2"));
    auto const by_id =
        reinterpret_cast<int (*)(char const*, void**)>(::dlsym(nvml, "nvmlDeviceGetHandleByUUID"));
    auto const read =
        reinterpret_cast<int (*)(void*, int, unsigned*)>(::dlsym(nvml, "nvmlDeviceGetClockInfo"));
    if (start == nullptr || by_id == nullptr || read == nullptr || start() != 0 ||
        by_id(id.c_str(), &found.device) != 0)
        return found;
    found.read = read;
    return found;
}

struct session::product {
    gemm_spec spec;
    device_memory a{}, b{}, c{}, d{};
    std::size_t d_size = 0;
    std::vector<std::byte> result{}; ///< of the last launch that was checked
    session_parts::made<lt_product> operation{};
    session_parts::made<lt_matrix> first{}, second{}, old{}, output{};
    session_parts::made<lt_preference> preference{};
    cu_pointer first_at = 0, second_at = 0, old_at = 0;
    std::optional<gemm_check> check{};
    std::size_t reference = 0; ///< the instance that later ones are compared with
    bool has_reference = false;
};

error session::failed(char const* doing, cu_status status) const {
    return {condition::transient,
            status == cu_status::out_of_memory ? "lkt.scan.memory" : "lkt.scan.cublaslt-failed",
            std::string(doing) + " failed: " + driver_.describe(status),
            {}};
}

result<std::unique_ptr<session>> session::open(cublaslt_options const& options) {
    std::unique_ptr<session> s(new session);
    auto driver = cuda_detail::load_driver();
    if (!driver) return driver.error();
    s->driver_ = *driver;
    auto const& d = s->driver_;
    auto const bad = [&](char const* doing, cu_status status) {
        return error{condition::unavailable,
                     "lkt.cuda.open",
                     std::string(doing) + " failed: " + d.describe(status),
                     "check whether nvidia-smi shows the device, and whether other programs fill "
                     "its memory"};
    };
    int count = 0;
    if (auto const e = d.device_count(&count); e != cu_status::success)
        return bad("counting the devices", e);
    int const index = options.device.empty() ? 0 : std::atoi(options.device.c_str());
    if (index < 0 || index >= count)
        return error{condition::unavailable,
                     "lkt.cuda.device",
                     "there is no CUDA device " + std::to_string(index) + " of " +
                         std::to_string(count),
                     "nvidia-smi -L lists them"};
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
    auto library = load_cublaslt(options.library);
    if (!library) return library.error();
    s->lt_ = *library;
    if (auto const e = s->lt_.create(&s->handle_); e != lt_status::success)
        return error{condition::unavailable,
                     "lkt.scan.cublaslt",
                     "cuBLASLt does not start: " + s->lt_.describe(e),
                     "check whether the driver is new enough for this cuBLASLt"};
    if (options.workspace.count > 0) {
        auto memory = s->allocate(options.workspace.count);
        if (!memory) return bad("allocating the workspace", cu_status::out_of_memory);
        s->workspace_ = std::move(*memory);
        s->workspace_size_ = options.workspace.count;
    }
    s->clock_ = find_clock(d, device);
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
    auto const types = types_of(spec);
    scanned_product found;
    found.device = device_;
    found.remarks.push_back("cuBLASLt " + version_text(lt_.version()));

    product p{.spec = spec};
    auto const size = [](matrix_place const& m, gemm_type t) {
        return m.elements() * bits_of(t) / 8;
    };
    auto const pa = place_a(spec), pb = place_b(spec), pc = place_c(spec);
    auto const& va = values_of(spec.type(), options.seed);
    auto const& vb = values_of(spec.type(), options.seed + 1);
    gemm_values const* const vc =
        spec.beta() != 0 ? &values_of(spec.output(), options.seed + 2) : nullptr;
    p.d_size = size(pc, spec.output());
    for (auto const& [to, place, type, values] : {std::tuple(&p.a, pa, spec.type(), &va),
                                                  std::tuple(&p.b, pb, spec.type(), &vb),
                                                  std::tuple(&p.c, pc, spec.output(), vc)}) {
        if (values == nullptr) continue;
        auto memory = filled(size(place, type), *values);
        if (!memory) return memory.error();
        *to = std::move(*memory);
    }
    auto memory = allocate(p.d_size);
    if (!memory) return memory.error();
    p.d = std::move(*memory);
    if (options.settings.verify) p.check.emplace(spec, va, vb, vc);

    // Column-major: C = A B, or, of a row-major C, C^T = B^T A^T.
    bool const swapped = spec.c() == matrix_layout::row;
    operand const first = operand_of(swapped ? pb : pa, swapped),
                  second = operand_of(swapped ? pa : pb, swapped), out = operand_of(pc, swapped);
    p.first_at = swapped ? p.b.at() : p.a.at();
    p.second_at = swapped ? p.a.at() : p.b.at();
    p.old_at = vc != nullptr ? p.c.at() : p.d.at();
    std::string refused;
    auto const must = [&](char const* what, lt_status e) {
        if (e != lt_status::success && refused.empty())
            refused = "cuBLASLt refuses " + std::string(what) + ": " + lt_.describe(e);
    };
    p.operation.end = lt_.product_destroy;
    must("the types", lt_.product_create(&p.operation.value, types.compute, types.scale));
    if (!refused.empty()) p.operation.value = nullptr;
    auto const matrix = [&](made<lt_matrix>& m, operand const& o, lt_type type) {
        m.end = lt_.matrix_destroy;
        if (auto const e = lt_.matrix_create(&m.value,
                                             type,
                                             static_cast<std::uint64_t>(o.rows),
                                             static_cast<std::uint64_t>(o.columns),
                                             o.stride);
            e != lt_status::success) {
            m.value = nullptr;
            return must("a layout", e);
        }
        auto const batch = static_cast<std::int32_t>(spec.batch());
        must("a batch",
             lt_.matrix_set(m.value, lt_matrix_attribute::batch_count, &batch, sizeof batch));
        must("a batch",
             lt_.matrix_set(
                 m.value, lt_matrix_attribute::batch_stride, &o.of_matrix, sizeof o.of_matrix));
    };
    matrix(p.first, first, types.in);
    matrix(p.second, second, types.in);
    matrix(p.old, out, types.c);
    matrix(p.output, out, types.d);
    if (refused.empty()) {
        for (auto const& [which, o] : {std::pair(lt_product_attribute::transpose_a, &first),
                                       std::pair(lt_product_attribute::transpose_b, &second)}) {
            auto const how = o->transposed ? lt_operation::transpose : lt_operation::none;
            must("a layout", lt_.product_set(p.operation.value, which, &how, sizeof how));
        }
        p.preference.end = lt_.preference_destroy;
        must("a preference", lt_.preference_create(&p.preference.value));
        must("a workspace",
             lt_.preference_set(p.preference.value,
                                lt_preference_attribute::workspace,
                                &workspace_size_,
                                sizeof workspace_size_));
    }
    std::vector<lt_found> algorithms(most_algorithms);
    int count = 0;
    if (refused.empty()) {
        auto const e = lt_.heuristic(handle_,
                                     p.operation.value,
                                     p.first.value,
                                     p.second.value,
                                     p.old.value,
                                     p.output.value,
                                     p.preference.value,
                                     most_algorithms,
                                     algorithms.data(),
                                     &count);
        if (e != lt_status::success) {
            count = 0;
            must("this product", e);
        }
    }
    if (!refused.empty()) {
        found.remarks.insert(found.remarks.begin(), refused);
        return found;
    }
    algorithms.resize(static_cast<std::size_t>(std::clamp(count, 0, most_algorithms)));
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
