// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/gpu/gpu_backend.hpp>
#include <lkt/kernel/problem.hpp>
#include <lkt/verify/compare.hpp>
#include <lkt/verify/random.hpp>

#include <cstring>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace test {

/// What a kernel of the fake back end sees of one launch.
struct fake_launch {
    std::vector<lkt::argument_data>& arguments;
    lkt::launch_dimensions dimensions;
    lkt::configuration const& definitions;
    int number = 0; ///< launches of this compiled kernel so far

    template <class T>
    T get(std::size_t argument, std::size_t lane = 0) const {
        return arguments[argument].lane<T>(lane);
    }
    template <class T>
    void set(std::size_t argument, std::size_t lane, T value) {
        std::memcpy(arguments[argument].bytes.data() + lane * sizeof value, &value, sizeof value);
    }
};

using fake_kernel = std::function<std::optional<lkt::failure>(fake_launch&)>;

/// A GPU whose kernels are C++ functions, chosen by the source text. It keeps the contract of
/// `run_request`: `inout` restored and `out` poisoned before every launch.
struct fake_backend {
    std::map<std::string, fake_kernel> kernels;
    int compiled = 0, runs = 0;
    int returned = 0;          ///< launches whose outputs went back to the caller
    bool lose_outputs = false; ///< a defect: reports come without what was to be kept
    bool compares = false;     ///< on its device, whenever it is told what to expect
    bool lies = false;         ///< a defect: whatever it keeps, it says it is as expected
    lkt::seconds takes{};      ///< a launch; 0: a millisecond, the next two, ...
    std::vector<lkt::run_request> requests;

    lkt::result<lkt::device_description> device(lkt::call_context const&) {
        lkt::device_description d;
        d.name = "fake";
        return d;
    }
    lkt::result<lkt::compile_outcome> compile(lkt::compile_request const& request,
                                              lkt::call_context const&) {
        ++compiled;
        auto const found = kernels.find(request.source.text);
        if (found == kernels.end())
            return lkt::compile_outcome(lkt::failure(lkt::compile_failed{"no such kernel", {}}));
        lkt::compiled_kernel kernel;
        kernel.signature = request.signature;
        kernel.handle = std::make_shared<state>(state{found->second, request.definitions, 0});
        return lkt::compile_outcome(std::move(kernel));
    }
    lkt::result<lkt::run_outcome> run(lkt::compiled_kernel const& kernel,
                                      lkt::run_request const& request,
                                      lkt::call_context const& context) {
        if (context.stop.stop_requested()) return lkt::cancelled("the run");
        ++runs;
        requests.push_back(request);
        auto& known = *const_cast<state*>(static_cast<state const*>(kernel.handle.get()));
        if (request.fresh) known.launches = 0;
        lkt::run_report report;
        for (int n = -request.warmups; n < request.launches; ++n) {
            std::vector<lkt::argument_data> arguments(request.arguments.begin(),
                                                      request.arguments.end());
            for (std::size_t k = 0; k < arguments.size(); ++k)
                if (request.directions[k] == lkt::direction::out)
                    poison(arguments[k], request.poison_seed, n, k);
            fake_launch launch{arguments, request.dimensions, known.definitions, known.launches++};
            if (auto failed = known.kernel(launch)) return lkt::run_outcome(std::move(*failed));
            if (n < 0) continue;
            report.samples.push_back(takes > lkt::seconds{} ? takes : lkt::seconds{1e-3 * (n + 1)});
            bool wanted = false;
            for (int k : request.keep) wanted = wanted || k == n;
            if (!wanted || lose_outputs) continue;
            lkt::kept_outputs kept{n, {}};
            for (std::size_t k = 0; k < arguments.size(); ++k)
                if (request.directions[k] != lkt::direction::in)
                    kept.outputs.push_back(arguments[k]);
            bool right = lies;
            if (compares && request.expected.id != 0) {
                right = true;
                for (std::size_t k = 0; k < kept.outputs.size(); ++k)
                    right = right && !lkt::find_mismatch(request.expected.values[k],
                                                         kept.outputs[k],
                                                         request.expected.bounds[k]);
            }
            if (right) kept = {n, true, {}};
            returned += right ? 0 : 1;
            report.kept.push_back(std::move(kept));
        }
        return lkt::run_outcome(std::move(report));
    }

private:
    struct state {
        fake_kernel kernel;
        lkt::configuration definitions;
        int launches = 0;
    };
    static void poison(lkt::argument_data& data, std::uint64_t seed, int launch, std::size_t k) {
        lkt::random_stream const stream{
            seed ^ 0xa5a5a5a5, static_cast<std::uint32_t>(launch), static_cast<std::uint32_t>(k)};
        for (std::size_t b = 0; b < data.bytes.size(); ++b)
            data.bytes[b] = static_cast<std::byte>(stream.bits(b) & 0xff);
    }
};

static_assert(lkt::gpu_backend<fake_backend>);

/// y[i] = 2 * x[i] over N floats, 32 threads a block; `copies` further outputs can be declared.
inline lkt::problem doubling_problem(std::int64_t n = 64) {
    auto const parse = [](char const* text) { return lkt::expression::parse(text).value(); };
    lkt::problem task;
    task.reference = {lkt::language::cuda, "double it", "test"};
    task.signature.name = "doubling";
    lkt::argument x, y, count;
    x.name = "x";
    x.pointer = true;
    x.is_const = true;
    y.name = "y";
    y.pointer = true;
    y.flow = lkt::direction::out;
    count.name = "n";
    count.type = {lkt::scalar_type::int32, 1};
    task.signature.arguments = {x, y, count};
    lkt::argument_spec buffer, scalar;
    buffer.count = parse("N");
    scalar.value = parse("N");
    task.arguments = {buffer, buffer, scalar};
    task.size = {{"N", n}};
    task.launch.grid[0] = parse("ceil_div(N, 32)");
    task.launch.block[0] = 32;
    return task;
}

/// The honest kernel of that problem.
inline std::optional<lkt::failure> doubling(fake_launch& l) {
    for (int i = 0; i < l.get<int>(2); ++i)
        l.set<float>(
            1, static_cast<std::size_t>(i), 2 * l.get<float>(0, static_cast<std::size_t>(i)));
    return std::nullopt;
}

} // namespace test
