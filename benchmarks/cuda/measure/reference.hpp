// SPDX-License-Identifier: BSL-1.0
// A cold measurement of single launches that shares nothing with the back end but the table of the
// driver's functions. It follows NVBench's method, except that the second-level cache is emptied by
// reading, so that it is clean: a blocking kernel, a pair of events between two stamps of time and
// clock, launches at less than three quarters of the device's clock discarded, and its default
// criterion (`stdrel`: 0.5 % of noise, or noise that no longer changes, after 0.5 s of kernel time
// at least). It runs in a worker.
#pragma once

#include "kernels.hpp"

#include <lkt/gpu/cuda/driver.hpp>
#include <lkt/process/service.hpp>
#include <lkt/process/wire.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <dlfcn.h>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace measure {

inline constexpr char const* reference_tools = R"cuda(
typedef unsigned long long u64;
extern "C" __global__ void block_stream(unsigned const volatile* open, u64 limit) {
    u64 begin, now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin));
    do asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    while (*open == 0 && now - begin < limit);
}
extern "C" __global__ void read_all(uint4 const* from, u64 count, unsigned* to) {
    unsigned seen = 0;
    for (u64 i = blockIdx.x * (u64)blockDim.x + threadIdx.x; i < count;
         i += (u64)gridDim.x * blockDim.x) {
        uint4 const v = from[i];
        seen |= v.x | v.y | v.z | v.w;
    }
    if (seen != 0) *to = seen;
}
extern "C" __global__ void time_stamp(u64 volatile* to) {
    unsigned where;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(where));
    if (where == 0) {
        u64 now, clock;
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
        asm volatile("mov.u64 %0, %%clock64;" : "=l"(clock));
        to[0] = now;
        to[1] = clock;
    }
}
)cuda";

/// The criterion, sample by sample.
class stdrel {
public:
    bool finished_after(double sample) {
        ++n_;
        total_ += sample;
        double const away = sample - mean_;
        mean_ += away / n_;
        squares_ += away * (sample - mean_);
        if (n_ < 5) return false;
        noise_ = std::sqrt(squares_ / (n_ - 1)) / mean_;
        history_[seen_++ % history_.size()] = noise_;
        if (total_ <= min_time || n_ < min_samples) return false;
        if (noise_ < max_noise) return true;
        if (static_cast<long>(n_) % 16 != 0 || seen_ <= 64) return false;
        return settled();
    }
    [[nodiscard]] double noise() const { return noise_; }

private:
    static constexpr double min_time = 0.5, max_noise = 0.005, min_samples = 10;

    /// Whether the noise varies by less than 5 %.
    [[nodiscard]] bool settled() const {
        std::size_t const n = std::min(seen_, history_.size());
        double mean = 0, squares = 0;
        for (std::size_t i = 0; i < n; ++i) mean += history_[i] / static_cast<double>(n);
        for (std::size_t i = 0; i < n; ++i) squares += (history_[i] - mean) * (history_[i] - mean);
        return std::sqrt(squares / static_cast<double>(n - 1)) < 0.05 * mean;
    }

    double n_ = 0, total_ = 0, mean_ = 0, squares_ = 0, noise_ = 0;
    std::array<double, 512> history_{};
    std::size_t seen_ = 0;
};

/// What comes back of one kernel.
struct reference_answer {
    double median = 0, first_quartile = 0, third_quartile = 0, megahertz = 0, noise = 0;
    double took = 0; ///< seconds, from the warm-up to the last sample
    std::uint64_t samples = 0, discarded = 0;
    bool in_time = true; ///< the criterion was met before the limit
};

class reference {
public:
    static reference& only() {
        static reference r;
        return r;
    }
    [[nodiscard]] std::string architecture() const {
        return "sm_" + std::to_string(get(attribute::capability_major)) +
               std::to_string(get(attribute::capability_minor));
    }
    void load_tools(std::string const& image) {
        block_ = function(image, "block_stream");
        stamp_ = function(image, "time_stamp");
        read_ = function(image, "read_all");
    }

    /// `place`: bytes by which the buffers are shifted, in memory that is allocated anew.
    reference_answer measure(trial_kernel const& k,
                             std::uint64_t seed,
                             std::uint64_t place,
                             std::string const& image,
                             double limit) {
        prepare(k, seed, place, image);
        reference_answer answer;
        auto const begin = clock::now();
        auto const since = [&] {
            return std::chrono::duration<double>(clock::now() - begin).count();
        };
        std::vector<double> samples, clocks;
        stdrel criterion;
        // One warm-up without the blocking kernel, which was resident before.
        launch(block_words(1), block_, {{1}, {1}});
        launch(parameters_, kernel_, k.dimensions);
        synchronize();
        double const slow = 0.75 * get(attribute::clock_khz) * 1e-3;
        double delay = 0.05;
        int in_row = 0;
        for (;;) {
            auto const [seconds, megahertz] = sample(k);
            if (megahertz > 0 && megahertz < slow) {
                ++answer.discarded;
                if (++in_row > 2) delay = std::min(1.5 * delay, 0.5);
                std::this_thread::sleep_for(std::chrono::duration<double>(delay));
            } else {
                in_row = 0;
                samples.push_back(seconds);
                clocks.push_back(megahertz);
                if (criterion.finished_after(seconds)) break;
            }
            if (since() > limit) {
                answer.in_time = false;
                break;
            }
        }
        answer.took = since();
        answer.samples = samples.size();
        answer.noise = criterion.noise();
        if (samples.empty()) return answer;
        std::sort(samples.begin(), samples.end());
        std::sort(clocks.begin(), clocks.end());
        auto const n = samples.size();
        answer.median = n % 2 == 1 ? samples[n / 2] : (samples[n / 2 - 1] + samples[n / 2]) / 2;
        answer.first_quartile = samples[n / 4];
        answer.third_quartile = samples[n - 1 - n / 4];
        answer.megahertz = clocks[n / 2];
        return answer;
    }

private:
    using clock = std::chrono::steady_clock;
    using attribute = lkt::cuda_detail::cu_attribute;
    using status = lkt::cuda_detail::cu_status;
    using address = lkt::cuda_detail::cu_pointer;
    struct words {
        std::uint32_t open = 0, unused = 0;
        std::uint64_t stamps[4] = {};
    };

    reference() {
        auto driver = lkt::cuda_detail::load_driver();
        if (!driver) throw std::runtime_error(to_string(driver.error()));
        d_ = *driver;
        // What the back end does without.
        void* const library = ::dlopen("libcuda.so.1", RTLD_NOW);
        if (library != nullptr)
            wait_ = reinterpret_cast<status (*)(lkt::cuda_detail::cu_stream)>(
                ::dlsym(library, "cuStreamSynchronize"));
        if (wait_ == nullptr) throw std::runtime_error("there is no cuStreamSynchronize");
        lkt::cuda_detail::cu_context context = nullptr;
        check(d_.device_get(&device_, 0));
        check(d_.context_retain(&context, device_));
        check(d_.context_use(context));
        check(d_.stream_create(&stream_, 1));
        check(d_.event_create(&begin_, 0));
        check(d_.event_create(&end_, 0));
        void* mapped = nullptr;
        check(d_.host_allocate(&mapped, sizeof(words), 2));
        words_ = new (mapped) words;
        check(d_.host_pointer(&words_at_, mapped, 0));
        cache_ = 2 * static_cast<std::size_t>(get(attribute::l2_bytes));
        check(d_.allocate(&flush_, cache_));
        check(d_.fill_bytes(flush_, 0, cache_, stream_));
    }

    void check(status s) const {
        if (s != status::success) throw std::runtime_error(d_.describe(s));
    }
    [[nodiscard]] int get(attribute a) const {
        int value = 0;
        check(d_.device_attribute(&value, a, device_));
        return value;
    }
    lkt::cuda_detail::cu_function function(std::string const& image, char const* name) {
        lkt::cuda_detail::cu_module module = nullptr;
        lkt::cuda_detail::cu_function f = nullptr;
        check(d_.module_load(&module, image.c_str()));
        check(d_.module_function(&f, module, name));
        return f;
    }
    void prepare(trial_kernel const& k,
                 std::uint64_t seed,
                 std::uint64_t place,
                 std::string const& image) {
        auto const old = std::exchange(buffers_, {});
        kernel_ = function(image, k.entry);
        values_ = k.values;
        std::vector<std::byte> contents;
        shifted_.clear();
        for (trial_buffer const& b : k.buffers) {
            check(d_.allocate(&buffers_.emplace_back(), b.words * 4 + place));
            shifted_.push_back(buffers_.back() + place);
            contents.resize(b.words * 4);
            fill(contents.data(), b, seed++);
            check(d_.copy_to_device(shifted_.back(), contents.data(), contents.size()));
        }
        for (address const each : old) check(d_.release(each)); // not before: other memory it is
        parameters_.clear();
        for (address& each : shifted_) parameters_.push_back(&each);
        for (int& each : values_) parameters_.push_back(&each);
    }
    void launch(std::vector<void*> of,
                lkt::cuda_detail::cu_function f,
                lkt::launch_dimensions const& d) {
        check(d_.launch(f,
                        d.grid.x,
                        d.grid.y,
                        d.grid.z,
                        d.block.x,
                        d.block.y,
                        d.block.z,
                        d.shared_bytes,
                        stream_,
                        of.data(),
                        nullptr));
    }
    void synchronize() { check(wait_(stream_)); }
    std::vector<void*> block_words(std::uint32_t open) {
        words_->open = open;
        return {&words_at_, &block_limit_};
    }
    void stamp(int which) {
        address to = words_at_ + offsetof(words, stamps) + static_cast<unsigned>(which) * 16u;
        auto const blocks = static_cast<std::uint32_t>(get(attribute::multiprocessors));
        launch({&to}, stamp_, {{blocks}, {1}});
    }
    std::pair<double, double> sample(trial_kernel const& k) {
        std::uint64_t count = cache_ / 16;
        launch({&flush_, &count, &flush_},
               read_,
               {{static_cast<std::uint32_t>(get(attribute::multiprocessors)) * 8}, {256}});
        synchronize();
        for (auto& each : words_->stamps) each = 0;
        launch(block_words(0), block_, {{1}, {1}});
        stamp(0);
        check(d_.event_record(begin_, stream_));
        launch(parameters_, kernel_, k.dimensions);
        check(d_.event_record(end_, stream_));
        stamp(1);
        words_->open = 1;
        synchronize();
        float milliseconds = 0;
        check(d_.event_elapsed(&milliseconds, begin_, end_));
        auto const t = static_cast<double>(words_->stamps[2] - words_->stamps[0]);
        auto const c = static_cast<double>(words_->stamps[3] - words_->stamps[1]);
        return {milliseconds * 1e-3, t > 0 ? c / t * 1e3 : 0};
    }

    lkt::cuda_detail::driver_api d_;
    status (*wait_)(lkt::cuda_detail::cu_stream) = nullptr;
    lkt::cuda_detail::cu_device device_ = 0;
    lkt::cuda_detail::cu_stream stream_ = nullptr;
    lkt::cuda_detail::cu_event begin_ = nullptr, end_ = nullptr;
    lkt::cuda_detail::cu_function block_ = nullptr, stamp_ = nullptr, read_ = nullptr,
                                  kernel_ = nullptr;
    words volatile* words_ = nullptr;
    address words_at_ = 0, flush_ = 0;
    std::size_t cache_ = 0;
    std::uint64_t block_limit_ = 30'000'000'000;
    std::vector<address> buffers_, shifted_;
    std::vector<int> values_;
    std::vector<void*> parameters_;
};

// --- The worker's service -----------------------------------------------------------------------

inline constexpr lkt::service_key reference_key{"lkt.bench.reference", lkt::layout_hash("1")};
enum class reference_request : unsigned char { open, tools, measure };

inline lkt::result<lkt::worker_message> serve_reference(lkt::worker_message request) {
    lkt::unpacker in(request.bytes);
    switch (in.get<reference_request>()) {
    case reference_request::open:
        return lkt::worker_message{reference::only().architecture(), {}};
    case reference_request::tools:
        reference::only().load_tools(std::string(in.rest()));
        return lkt::worker_message{};
    case reference_request::measure:
        break;
    }
    auto const which = in.get<std::uint64_t>();
    auto const place = in.get<std::uint64_t>();
    auto const limit = in.get<double>();
    auto const a = reference::only().measure(
        kernels().at(which), which * 8, place, std::string(in.rest()), limit);
    lkt::packer out;
    out.put(a.median).put(a.first_quartile).put(a.third_quartile).put(a.megahertz).put(a.noise);
    out.put(a.took).put(a.samples).put(a.discarded).put(a.in_time);
    return lkt::worker_message{std::move(out).bytes(), {}};
}
inline lkt::service_entry const reference_entry{reference_key, &serve_reference};

[[nodiscard]] inline reference_answer unpack_reference(std::string_view bytes) {
    lkt::unpacker in(bytes);
    reference_answer a;
    for (double* const each :
         {&a.median, &a.first_quartile, &a.third_quartile, &a.megahertz, &a.noise, &a.took})
        *each = in.get<double>();
    a.samples = in.get<std::uint64_t>();
    a.discarded = in.get<std::uint64_t>();
    a.in_time = in.get<bool>();
    return a;
}

} // namespace measure
