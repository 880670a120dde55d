// SPDX-License-Identifier: BSL-1.0
// How far the CUDA back end's times can be trusted.
// 1. Agreement: each kernel of kernels.hpp is measured by lkt, by the reference (reference.hpp, a
//    process of its own), and by lkt again; the medians are compared, and the time that it took.
// 2. A/A: one kernel against itself, in short series that take turns, judged as the finals of a
//    tuning run are: after every round, until the intervals of the medians are apart.
// 3. The same for a kernel against one that does 1 % more work.
//
//   --trials N      of parts 2 and 3, each (1000)
//   --seconds S     no more trials of a part after that (40)
//   --limit S       of the reference for one kernel (15)
//   --no-agreement  parts 2 and 3 only
//   --dump FILE     every sample of every trial
#include "kernels.hpp"
#include "reference.hpp"

#include <lkt/gpu/cuda.hpp>
#include <lkt/gpu/cuda/compile_pool.hpp>
#include <lkt/lkt.hpp>
#include <lkt/process/worker.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

namespace {

using clock_type = std::chrono::steady_clock;
double since(clock_type::time_point t) {
    return std::chrono::duration<double>(clock_type::now() - t).count();
}

template <class T>
T must(lkt::result<T> r) {
    if (!r) throw std::runtime_error(to_string(r.error()));
    return std::move(*r);
}
template <class T, class Outcome>
T must_be(Outcome outcome) {
    if (auto const* const why = std::get_if<lkt::failure>(&outcome))
        throw std::runtime_error(lkt::describe(*why));
    return std::get<T>(std::move(outcome));
}

struct settings {
    int trials = 1000;
    double seconds = 40, limit = 15;
    bool agreement = true;
    std::string dump;
};

settings settings_of(int argc, char** argv) {
    settings s;
    for (int k = 1; k < argc; ++k) {
        std::string const name = argv[k];
        char const* const value = k + 1 < argc ? argv[k + 1] : "";
        if (name == "--no-agreement") {
            s.agreement = false;
            continue;
        }
        ++k;
        if (name == "--trials")
            s.trials = std::max(1, std::atoi(value));
        else if (name == "--seconds")
            s.seconds = std::atof(value);
        else if (name == "--limit")
            s.limit = std::atof(value);
        else if (name == "--dump")
            s.dump = value;
        else
            throw std::runtime_error("unknown argument " + name);
    }
    return s;
}

// --- Both sides ---------------------------------------------------------------------------------

/// A launch as lkt gets it. Its contents are sent once.
class subject {
public:
    subject(lkt::cuda& gpu, std::string const& text, std::size_t which)
        : gpu_(&gpu), kernel_(&measure::kernels()[which]) {
        lkt::compile_request request = request_of(text, *kernel_);
        compiled_ = must_be<lkt::compiled_kernel>(must(gpu.compile(request)));
        std::uint64_t seed = which * 8;
        for (auto const& b : kernel_->buffers) {
            auto const& declared = compiled_.signature.arguments[arguments_.size()];
            lkt::argument_data data{declared.type, true, std::vector<std::byte>(b.words * 4)};
            measure::fill(data.bytes.data(), b, seed++);
            arguments_.push_back(std::move(data));
            directions_.push_back(b.flow);
        }
        for (int const v : kernel_->values) {
            arguments_.push_back(lkt::make_scalar(lkt::scalar_type::int32, v));
            directions_.push_back(lkt::direction::in);
        }
        contents_ = lkt::fresh_contents();
        (void)run(1, 0, {});
    }

    static lkt::compile_request request_of(std::string const& text,
                                           measure::trial_kernel const& k) {
        lkt::compile_request request;
        request.source = {lkt::language::cuda, text, "measure.cuh"};
        request.signature = must(lkt::find_kernel(request.source, k.entry));
        return request;
    }

    lkt::run_report run(int launches, int warmups, lkt::sampling how) {
        lkt::run_request request;
        request.dimensions = kernel_->dimensions;
        request.arguments = arguments_;
        request.directions = directions_;
        request.launches = launches;
        request.warmups = warmups;
        request.keep = {};
        request.contents = contents_;
        request.sampling = how;
        return must_be<lkt::run_report>(must(gpu_->run(compiled_, request)));
    }

private:
    lkt::cuda* gpu_;
    measure::trial_kernel const* kernel_;
    lkt::compiled_kernel compiled_;
    std::vector<lkt::argument_data> arguments_;
    std::vector<lkt::direction> directions_;
    std::uint64_t contents_ = 0;
};

/// The other measurement, in its worker, with a compiler of its own.
class peer {
public:
    explicit peer(std::string text)
        : text_(std::move(text)), pool_(pool_options()), worker_(worker_options()) {
        arch_ = ask(lkt::packer{}.put(measure::reference_request::open).bytes());
        for (auto const& k : measure::kernels()) pool_.prefetch(job_of(text_, k.entry));
        auto const tools = image_of(measure::reference_tools, "block_stream");
        ask(lkt::packer{}.put(measure::reference_request::tools).bytes() + tools);
    }
    measure::reference_answer measure_kernel(std::size_t which, double limit) {
        lkt::packer out;
        out.put(measure::reference_request::measure).put(std::uint64_t{which}).put(limit);
        auto const reply = ask(out.bytes() + image_of(text_, measure::kernels()[which].entry));
        return measure::unpack_reference(reply);
    }

private:
    static lkt::cuda_detail::compile_pool_options pool_options() {
        lkt::cuda_detail::compile_pool_options o;
        o.cache.enabled = false;
        return o;
    }
    static lkt::worker_options worker_options() {
        lkt::worker_options o;
        for (char const* const name : {"CUDA_VISIBLE_DEVICES", "LKT_CUDA_DRIVER", "HOME"})
            o.keep.push_back(name);
        o.environment.push_back("CUDA_MODULE_LOADING=EAGER");
        return o;
    }
    [[nodiscard]] lkt::cuda_detail::compile_job job_of(std::string const& text,
                                                       char const* entry) const {
        lkt::cuda_detail::compile_job job;
        job.source = {lkt::language::cuda, text, "measure.cuh"};
        job.kernel = entry;
        job.arch = arch_;
        return job;
    }
    std::string image_of(std::string const& text, char const* entry) {
        auto const made = must(pool_.get(job_of(text, entry)));
        if (auto const* const why = std::get_if<lkt::failure>(&made))
            throw std::runtime_error(lkt::describe(*why));
        return std::get<0>(made)->image;
    }
    std::string ask(std::string const& bytes) {
        auto reply = must(worker_.call({measure::reference_key, bytes}, std::chrono::minutes{5}));
        if (auto const* const lost = std::get_if<lkt::worker_failure>(&reply))
            throw std::runtime_error(to_string(lkt::to_error(*lost)));
        return std::move(std::get<lkt::worker_message>(reply).bytes);
    }

    std::string text_, arch_;
    lkt::cuda_detail::compile_pool pool_;
    lkt::worker worker_;
};

// --- 1. Agreement -------------------------------------------------------------------------------

double median_of(std::vector<double> v) {
    if (v.empty()) return 0;
    std::sort(v.begin(), v.end());
    return v[v.size() / 2];
}

void compare_medians(lkt::cuda& gpu, std::string const& text, settings const& how) {
    peer other(text);
    constexpr double short_below = 50e-6;
    double worst_long = 0, worst_short = 0, worst_time = 0, time = 0, time_of_other = 0;
    int long_ones = 0, short_ones = 0;
    std::printf("%-22s %10s %10s %8s %8s %6s %9s %8s %7s %7s %5s\n",
                "kernel",
                "other us",
                "lkt us",
                "first %",
                "second %",
                "noise%",
                "samples",
                "of other",
                "MHz",
                "other",
                "disc.");
    for (std::size_t k = 0; k < measure::kernels().size(); ++k) {
        subject own(gpu, text, k);
        lkt::measurement took[2];
        std::vector<double> clocks;
        double spent = 0;
        int discarded = 0;
        auto const series = [&](int which) {
            auto const begin = clock_type::now();
            auto const r = own.run(500, 1, {.least = 10, .precision = 0.005});
            spent += since(begin) / 2;
            took[which].samples = r.samples;
            clocks.insert(clocks.end(), r.megahertz.begin(), r.megahertz.end());
            discarded += r.discarded;
        };
        series(0);
        auto const ref = other.measure_kernel(k, how.limit);
        series(1);
        double const first = (took[0].median().count() / ref.median - 1) * 100;
        double const second = (took[1].median().count() / ref.median - 1) * 100;
        double const worse = std::max(std::abs(first), std::abs(second));
        bool const is_short = ref.median < short_below;
        (is_short ? worst_short : worst_long) =
            std::max(is_short ? worst_short : worst_long, worse);
        ++(is_short ? short_ones : long_ones);
        time += spent;
        time_of_other += ref.took;
        worst_time = std::max(worst_time, spent / ref.took);
        std::printf(
            "%-22s %10.3f %10.3f %8.3f %8.3f %6.2f %4zu %4zu %8llu %7.0f %7.0f %2d %2llu%s\n",
            measure::kernels()[k].name,
            ref.median * 1e6,
            took[0].median().count() * 1e6,
            first,
            second,
            ref.noise * 100,
            took[0].samples.size(),
            took[1].samples.size(),
            static_cast<unsigned long long>(ref.samples),
            median_of(clocks),
            ref.megahertz,
            discarded,
            static_cast<unsigned long long>(ref.discarded),
            ref.in_time ? "" : "  (out of time)");
        std::fflush(stdout);
    }
    std::printf("%d kernels above 50 us, %d below; %.2f s against %.2f s\n",
                long_ones,
                short_ones,
                time,
                time_of_other);
    std::printf("figure cuda_medians_differ %.3f %%\n", worst_long);
    std::printf("figure cuda_short_medians_differ %.3f %%\n", worst_short);
    std::printf("figure cuda_time_to_measure %.4f x\n", time / time_of_other);
    std::printf("figure cuda_time_to_measure_at_worst %.4f x\n", worst_time);
}

// --- 2 and 3. Telling kernels apart -------------------------------------------------------------

constexpr int rounds = 7, launches = 3; // as evaluation_options

/// The series of one comparison, in the order in which they were taken.
struct trial {
    std::vector<double> one[rounds], other[rounds];
};

trial take_turns(subject& one, subject& other) {
    trial t;
    for (int round = 0; round < rounds; ++round)
        for (int turn = 0; turn < 2; ++turn) {
            bool const first = (turn == 0) == (round % 2 == 0);
            auto const r = (first ? one : other).run(launches, 1, {});
            for (auto const s : r.samples) (first ? t.one : t.other)[round].push_back(s.count());
        }
    return t;
}

/// Whether lkt::compare says that `other` is slower (or `one`), after every round or at the end.
lkt::comparison verdict(trial const& t, bool after_every_round) {
    lkt::measurement a, b;
    for (int round = 0; round < rounds; ++round) {
        for (double const s : t.one[round]) a.samples.emplace_back(s);
        for (double const s : t.other[round]) b.samples.emplace_back(s);
        if (!after_every_round && round + 1 < rounds) continue;
        auto const found = lkt::compare(a, b);
        if (found != lkt::comparison::undecided) return found;
    }
    return lkt::comparison::undecided;
}

struct shares {
    std::size_t trials = 0;
    double different[2] = {}, right[2] = {}; ///< at the end; after every round. Per cent.
};

shares judge(std::vector<trial> const& all) {
    shares s;
    s.trials = all.size();
    double const one = 100.0 / static_cast<double>(std::max<std::size_t>(1, all.size()));
    for (trial const& t : all)
        for (int how = 0; how < 2; ++how) {
            auto const v = verdict(t, how == 1);
            if (v != lkt::comparison::undecided) s.different[how] += one;
            if (v == lkt::comparison::faster) s.right[how] += one;
        }
    return s;
}

void dump(std::string const& file, std::string const& name, std::vector<trial> const& all) {
    if (file.empty()) return;
    std::ofstream to(file, std::ios::app);
    for (trial const& t : all) {
        to << name;
        for (auto const* const side : {t.one, t.other})
            for (int round = 0; round < rounds; ++round)
                for (double const s : side[round]) to << ' ' << std::lround(s * 1e9);
        to << '\n';
    }
}

std::size_t index_of(std::string_view name) {
    auto const& all = measure::kernels();
    auto const at =
        std::find_if(all.begin(), all.end(), [&](auto const& k) { return k.name == name; });
    if (at == all.end()) throw std::runtime_error("there is no kernel " + std::string(name));
    return static_cast<std::size_t>(at - all.begin());
}

void tell_apart(lkt::cuda& gpu, std::string const& text, settings const& how) {
    // Kernels whose noise is of different kinds take part in equal shares.
    std::vector<trial> same;
    constexpr char const* names[] = {"fma 1000", "copy 160 MiB", "matmul 512", "stencil 2048"};
    for (char const* const name : names) {
        subject s(gpu, text, index_of(name));
        std::vector<trial> own;
        auto const begin = clock_type::now();
        while (own.size() < static_cast<std::size_t>(how.trials + 3) / 4 &&
               since(begin) < how.seconds / 4)
            own.push_back(take_turns(s, s));
        auto const found = judge(own);
        std::printf("A/A %-16s %4zu trials in %.1f s, called different: %.2f %% at the end, "
                    "%.2f %% after every round\n",
                    name,
                    own.size(),
                    since(begin),
                    found.different[0],
                    found.different[1]);
        std::fflush(stdout);
        dump(how.dump, std::string(names[0] == name ? "fma" : std::string(name, 4)), own);
        same.insert(same.end(), own.begin(), own.end());
    }
    auto const a = judge(same);
    std::printf("figure cuda_aa_trials %zu trials\n", a.trials);
    std::printf("figure cuda_aa_different %.2f %%\n", a.different[1]);
    std::printf("figure cuda_aa_different_at_the_end %.2f %%\n", a.different[0]);

    subject less(gpu, text, index_of("fma 1000")), more(gpu, text, index_of("fma 1010"));
    std::vector<trial> unlike;
    auto const begin = clock_type::now();
    while (unlike.size() < static_cast<std::size_t>(how.trials) && since(begin) < how.seconds)
        unlike.push_back(take_turns(less, more));
    dump(how.dump, "more", unlike);
    auto const b = judge(unlike);
    std::printf("figure cuda_one_percent_trials %zu trials\n", b.trials);
    std::printf("figure cuda_one_percent_told_apart %.2f %%\n", b.right[1]);
    std::printf("figure cuda_one_percent_told_apart_at_the_end %.2f %%\n", b.right[0]);
}

} // namespace

int main(int argc, char** argv) {
    if (auto rc = lkt::worker_main(argc, argv)) return *rc;
    try {
        auto const how = settings_of(argc, argv);
        auto const here = std::filesystem::path(__FILE__).parent_path();
        auto const text = must(lkt::read_text_file((here / "measure.cuh").string()));
        lkt::cuda_options options;
        options.cache_limit = lkt::bytes{0};
        lkt::cuda gpu(options);
        if (auto const device = gpu.device(); !device) {
            std::printf("%s\n", to_string(device.error()).c_str());
            return device.error().kind == lkt::condition::unavailable ? 77 : 1;
        }
        for (auto const& k : measure::kernels()) gpu.prefetch(subject::request_of(text, k));
        if (how.agreement) compare_medians(gpu, text, how);
        tell_apart(gpu, text, how);
    } catch (std::exception const& e) {
        std::fprintf(stderr, "%s\n", e.what());
        return 1;
    }
    return 0;
}
