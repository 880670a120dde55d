// SPDX-License-Identifier: BSL-1.0
#include <lkt/scan/kernel_engine.hpp>

#include <doctest/doctest.h>

#include <lkt/core/files.hpp>
#include <lkt/problems/problem_file.hpp>

#include <cmath>
#include <cstring>
#include <string>
#include <vector>

namespace {

using lkt::gemm_draft;

/// A device that multiplies whatever the text says; a configuration can fail, be slow, or be wrong.
struct multiplier {
    std::vector<std::string> configurations{};
    lkt::run_request last{};

    lkt::result<lkt::device_description> device(lkt::call_context const&) {
        lkt::device_description d;
        d.name = "multiplier";
        return d;
    }
    lkt::result<lkt::compile_outcome> compile(lkt::compile_request const& r,
                                              lkt::call_context const&) {
        configurations.push_back(to_string(r.definitions));
        if (configurations.back() == "TILE=4")
            return lkt::compile_outcome(
                lkt::failure(lkt::launch_failed{"a tile of 4 does not compile"}));
        lkt::compiled_kernel k;
        k.signature = r.signature;
        k.handle = std::make_shared<std::string>(configurations.back());
        return lkt::compile_outcome(std::move(k));
    }
    lkt::result<lkt::run_outcome>
    run(lkt::compiled_kernel const& k, lkt::run_request const& r, lkt::call_context const&) {
        auto const& config = *static_cast<std::string const*>(k.handle.get());
        last = r;
        // matrix_multiply(a, b, c, m, k, n)
        auto const size = [&](std::size_t i) {
            return static_cast<std::size_t>(lkt::lane_as_double(r.arguments[i], 0));
        };
        auto const m = size(3), depth = size(4), n = size(5);
        std::vector<float> c(m * n);
        for (std::size_t i = 0; i < m; ++i)
            for (std::size_t j = 0; j < n; ++j)
                for (std::size_t l = 0; l < depth; ++l)
                    c[i * n + j] += r.arguments[0].lane<float>(i * depth + l) *
                                    r.arguments[1].lane<float>(l * n + j);
        if (config == "TILE=2") c.back() += 1;
        double const ms = config == "TILE=2" ? 0.5 : config == "TILE=8" ? 1 : 2;
        lkt::run_report report;
        for (double const factor : {1.0, 1.2, 0.9}) report.samples.emplace_back(ms * factor / 1e3);
        report.megahertz = {1000, 1200, 1100};
        lkt::kept_outputs kept;
        kept.outputs = {lkt::make_buffer(r.arguments[2].type, std::span<float const>(c))};
        report.kept.push_back(std::move(kept));
        return lkt::run_outcome(std::move(report));
    }
};

lkt::problem task() {
    auto made = lkt::read_problem_file(std::string(LKT_TEST_SOURCE_DIR) +
                                       "/../examples/kernels/matrix_multiply.json");
    auto t = std::move(made->task);
    t.parameters = {{"TILE", {std::int64_t{1}, std::int64_t{2}, std::int64_t{4}, std::int64_t{8}}}};
    t.restrictions.clear();
    t.launch = {};
    return t;
}

lkt::gemm_spec spec(gemm_draft const& d) { return lkt::gemm_spec::make(d).value(); }

} // namespace

TEST_CASE("kernel_engine: each configuration is an instance, judged against the product") {
    multiplier gpu;
    lkt::kernel_engine_options options;
    options.task = task();
    options.settings.iterations = 3;
    auto engine = lkt::kernel_engine::make(lkt::gpu_ref(gpu), options);
    REQUIRE(engine.has_value());
    CHECK(engine->name() == "kernel");
    auto const found = engine->measure(spec({.m = 5, .n = 7, .k = 3}));
    REQUIRE(found.has_value());
    CHECK(found->device == "multiplier");
    REQUIRE(found->instances.size() == 3);
    CHECK(found->unsupported == 1);
    CHECK(found->instances[0].name == "TILE=1");
    CHECK(found->instances[0].verdict == lkt::scan_verdict::correct);
    CHECK(found->instances[0].time.count() == doctest::Approx(2e-3)); // the median
    CHECK(found->instances[0].least->count() == doctest::Approx(1.8e-3));
    CHECK(found->instances[0].most->count() == doctest::Approx(2.4e-3));
    CHECK(found->instances[0].iterations == 3);
    CHECK(found->instances[0].clock_mhz == doctest::Approx(1100));
    CHECK(found->instances[1].verdict == lkt::scan_verdict::wrong);
    CHECK(found->instances[2].verdict == lkt::scan_verdict::correct);
    REQUIRE(found->remarks.size() == 2);
    CHECK(found->remarks[0].find("TILE=2: element (4, 6) is ") == 0);
    CHECK(found->remarks[1].find("a tile of 4 does not compile") != std::string::npos);
    CHECK_FALSE(gpu.last.sampling.cold); // as libraries are measured
    CHECK(gpu.last.launches == 3);
}

TEST_CASE("kernel_engine: fewer configurations, none that runs, another kernel, a stop") {
    multiplier gpu;
    lkt::kernel_engine_options options;
    options.task = task();
    options.configurations = 2;
    auto engine = lkt::kernel_engine::make(lkt::gpu_ref(gpu), options);
    auto const two = engine->measure(spec({.m = 2, .n = 2, .k = 2}));
    CHECK(two->instances.size() == 2);
    CHECK(two->remarks.back() == "measured 2 of 4 configurations");
    std::stop_source stop;
    stop.request_stop();
    CHECK(engine->measure(spec({.m = 2, .n = 2, .k = 2}), {stop.get_token(), {}}).error().kind ==
          lkt::condition::cancelled);
    options.kernel = lkt::candidate{
        options.task.reference, {{"TILE", {std::int64_t{4}}}}, {}, options.task.launch, {}};
    auto fails = lkt::kernel_engine::make(lkt::gpu_ref(gpu), options);
    auto const none = fails->measure(spec({.m = 2, .n = 2, .k = 2}));
    CHECK(none.error().code == "lkt.scan.kernel-failed");
    CHECK(none.error().message.find("TILE=4") != std::string::npos);
}

TEST_CASE("kernel_engine: products that it does not compute, problems that are no product") {
    multiplier gpu;
    auto const engine = lkt::kernel_engine::make(lkt::gpu_ref(gpu), {.task = task()});
    auto const why = [&](gemm_draft const& d) { return engine->refuses(spec(d)); };
    CHECK(why({.m = 2, .n = 3, .k = 4}).empty());
    CHECK(why({.m = 2, .n = 3, .k = 4, .type = lkt::gemm_type::tf32, .output = lkt::gemm_type::f32})
              .empty());
    CHECK(why({.m = 2, .n = 3, .k = 4, .type = lkt::gemm_type::f16}) == "the kernel reads f32");
    CHECK(why({.m = 2, .n = 3, .k = 4, .output = lkt::gemm_type::f64}) == "the kernel writes f32");
    CHECK(why({.m = 2, .n = 3, .k = 4, .batch = 2}).find("batch") != std::string::npos);
    CHECK(why({.m = 2, .n = 3, .k = 4, .beta = 1}).find("beta") != std::string::npos);
    CHECK(why({.m = 2, .n = 3, .k = 4, .stride_b = 5}).find("gaps") != std::string::npos);
    CHECK(why({.m = 70000, .n = 3, .k = 4}).find("excludes these extents") != std::string::npos);
    auto const fault = [&](auto const& change) {
        auto t = task();
        change(t);
        auto const made = lkt::kernel_engine::make(lkt::gpu_ref(gpu), {.task = t});
        return made ? std::string() : made.error().message;
    };
    CHECK(fault([](lkt::problem& t) { t.size.pop_back(); }).find("2 extents") != std::string::npos);
    CHECK(fault([](lkt::problem& t) {
              t.arguments[1].flow = lkt::direction::out;
          }).find("1 buffers that are read") != std::string::npos);
    CHECK(fault([](lkt::problem& t) {
              t.arguments[2].count = lkt::expression::parse("ProblemSize[0]").value();
          }).find("M K, K N and M N") != std::string::npos);
    CHECK(fault([](lkt::problem& t) {
              t.signature.arguments[0].type.scalar = lkt::scalar_type::int32;
          }).find("a type of no matrix") != std::string::npos);
}

namespace {

/// A device that has the launch's buffers filled by a function of them.
struct calculator {
    std::vector<float> (*compute)(lkt::run_request const&) = nullptr;

    lkt::result<lkt::device_description> device(lkt::call_context const&) {
        return lkt::device_description{};
    }
    lkt::result<lkt::compile_outcome> compile(lkt::compile_request const& r,
                                              lkt::call_context const&) {
        lkt::compiled_kernel k;
        k.signature = r.signature;
        return lkt::compile_outcome(std::move(k));
    }
    lkt::result<lkt::run_outcome>
    run(lkt::compiled_kernel const&, lkt::run_request const& r, lkt::call_context const&) {
        lkt::run_report report;
        report.samples = {lkt::seconds{1e-3}};
        lkt::kept_outputs kept;
        auto const out = compute(r);
        std::size_t at = 0;
        while (r.directions[at] != lkt::direction::out) ++at;
        kept.outputs = {lkt::make_buffer(r.arguments[at].type, std::span<float const>(out))};
        report.kept.push_back(std::move(kept));
        return lkt::run_outcome(std::move(report));
    }
};

lkt::problem read(std::string const& path) {
    return lkt::read_problem_file(std::string(LKT_TEST_SOURCE_DIR) + path).value().task;
}

} // namespace

TEST_CASE("kernel_engine: a kernel with an epilogue, and with a bias as its third input") {
    calculator gpu{[](lkt::run_request const& r) {
        bool const biased = r.arguments.size() == 7;
        auto const size = [&](std::size_t i) {
            return static_cast<std::size_t>(lkt::lane_as_double(r.arguments[i + biased], 0));
        };
        auto const m = size(3), depth = size(4), n = size(5);
        std::vector<float> c(m * n);
        for (std::size_t i = 0; i < m * n; ++i) {
            for (std::size_t l = 0; l < depth; ++l)
                c[i] += r.arguments[0].lane<float>(i / n * depth + l) *
                        r.arguments[1].lane<float>(l * n + i % n);
            if (biased) c[i] += r.arguments[2].lane<float>(i % n);
            c[i] = std::fmax(c[i], 0.0F);
        }
        return c;
    }};
    using lkt::gemm_epilogue;
    auto const of = [](gemm_epilogue epilogue, lkt::matrix_layout c = lkt::matrix_layout::row) {
        return spec({.m = 20, .n = 30, .k = 3, .c = c, .epilogue = epilogue});
    };
    auto t = task();
    t.parameters.clear();
    auto plain = lkt::kernel_engine::make(lkt::gpu_ref(gpu), {.task = t});
    CHECK(plain->measure(of(gemm_epilogue::relu))->instances[0].verdict ==
          lkt::scan_verdict::correct);
    CHECK(plain->measure(of(gemm_epilogue::gelu))->instances[0].verdict ==
          lkt::scan_verdict::wrong);
    CHECK(plain->refuses(of(gemm_epilogue::bias)) == "the kernel reads no bias");
    auto bias = t.signature.arguments[1];
    bias.name = "bias";
    t.signature.arguments.insert(t.signature.arguments.begin() + 2, bias);
    t.arguments.insert(t.arguments.begin() + 2, t.arguments[1]);
    t.arguments[2].count = lkt::expression::parse("ProblemSize[2]").value();
    auto biased = lkt::kernel_engine::make(lkt::gpu_ref(gpu), {.task = t});
    REQUIRE(biased.has_value());
    CHECK(biased->measure(of(gemm_epilogue::relu_bias))->instances[0].verdict ==
          lkt::scan_verdict::correct);
    CHECK(biased->measure(of(gemm_epilogue::gelu_bias))->instances[0].verdict ==
          lkt::scan_verdict::wrong);
    CHECK(biased->refuses(of(gemm_epilogue::relu)) ==
          "the kernel reads a bias, and this product has none");
    // For a column-major C it would be as long as a column.
    CHECK(biased->refuses(of(gemm_epilogue::bias, lkt::matrix_layout::column)) ==
          "`bias` has 30 elements instead of 20");
    t.signature.arguments[2].type.scalar = lkt::scalar_type::float16;
    CHECK(lkt::kernel_engine::make(lkt::gpu_ref(gpu), {.task = t})
              ->refuses(of(gemm_epilogue::bias)) == "the kernel reads a bias of f16");
    t.arguments[2].count = lkt::expression::parse("ProblemSize[1]").value();
    CHECK(lkt::kernel_engine::make(lkt::gpu_ref(gpu), {.task = t})
              .error()
              .message.find("M K, K N, N or M, and M N") != std::string::npos);
}

TEST_CASE("kernel_engine: an element-wise kernel is judged by the function that the spec names") {
    calculator gpu{[](lkt::run_request const& r) {
        std::vector<float> y;
        for (std::size_t i = 0; i < r.arguments[0].lanes(); ++i)
            y.push_back(1 / (1 + std::exp(-r.arguments[0].lane<float>(i))));
        return y;
    }};
    auto engine = lkt::kernel_engine::make(lkt::gpu_ref(gpu),
                                           {.task = read("/../examples/kernels/sigmoid.json"),
                                            .operation = lkt::scan_operation::elementwise,
                                            .configurations = 1});
    REQUIRE(engine.has_value());
    auto const of = [](lkt::elementwise_function function, std::int64_t elements = 1000) {
        return lkt::elementwise_spec::make({.elements = elements, .function = function}).value();
    };
    using lkt::elementwise_function;
    CHECK(engine->measure(of(elementwise_function::sigmoid))->instances[0].verdict ==
          lkt::scan_verdict::correct);
    auto const wrong = engine->measure(of(elementwise_function::tanh));
    CHECK(wrong->instances[0].verdict == lkt::scan_verdict::wrong);
    CHECK(wrong->remarks[0].find("element 0 is ") != std::string::npos);
    CHECK(engine->refuses(of(elementwise_function::add)) == "the kernel has 1 inputs");
    CHECK(engine->refuses(spec({.m = 2, .n = 3, .k = 4})) ==
          "the kernel measures no gemm, but elementwise");
    auto const other = lkt::elementwise_spec::make(
        {.elements = 9, .inputs = 1, .flops = 3, .function = elementwise_function::other});
    CHECK(engine->measure(*other)->instances[0].verdict == lkt::scan_verdict::unchecked);
    auto const as_gemm = lkt::kernel_engine::make(
        lkt::gpu_ref(gpu), {.task = read("/../examples/kernels/sigmoid.json")});
    CHECK(as_gemm.error().message.find("no matrix product") != std::string::npos);
    auto const product = lkt::kernel_engine::make(
        lkt::gpu_ref(gpu), {.task = task(), .operation = lkt::scan_operation::elementwise});
    CHECK(product.error().message.find("is not element-wise: it has 3 extents") !=
          std::string::npos);
}

TEST_CASE("kernel_engine: a convolution, whose extents have names or are in order") {
    calculator gpu{[](lkt::run_request const& r) {
        // One channel and filters of 1 x 1: each output is an input times the filter's number.
        std::vector<float> y;
        auto const pixels = r.arguments[0].lanes();
        for (std::size_t k = 0; k < r.arguments[1].lanes(); ++k)
            for (std::size_t i = 0; i < pixels; ++i)
                y.push_back(r.arguments[0].lane<float>(i) * r.arguments[1].lane<float>(k));
        return y;
    }};
    auto const draft = [](std::int64_t r, std::int64_t groups = 1) {
        return lkt::convolution_draft{
            .n = 1, .c = groups, .h = 4, .w = 5, .k = 2, .r = r, .s = r, .groups = groups};
    };
    auto const of = [](lkt::convolution_draft const& d) {
        return lkt::convolution_spec::make(d).value();
    };
    lkt::kernel_engine_options options{.task = read("/lkt_scan/data/convolution.json"),
                                       .operation = lkt::scan_operation::convolution,
                                       .configurations = 1};
    for (bool const named : {true, false}) {
        if (!named) {
            auto const folder = std::string(LKT_TEST_SOURCE_DIR) + "/lkt_scan/data";
            auto text = lkt::read_text_file(folder + "/convolution.json").value();
            text.replace(text.find("size_names"), 10, "notes");
            auto const list = text.find('[', text.find("\"notes\""));
            text.replace(list, text.find(']', list) + 1 - list, "\"no names\"");
            options.task = lkt::parse_problem(text, folder).value();
            REQUIRE(options.task.size[0].first == "ProblemSize[0]");
        }
        auto engine = lkt::kernel_engine::make(lkt::gpu_ref(gpu), options);
        REQUIRE(engine.has_value());
        CHECK(engine->measure(of(draft(1)))->instances[0].verdict == lkt::scan_verdict::correct);
        // The kernel has no groups: with them, the filters are fewer than it reads.
        CHECK(engine->refuses(of(draft(1, 2))) == "`filters` has 4 elements instead of 2");
        auto far = draft(1);
        far.dilation = 2;
        CHECK(engine->refuses(of(far)).empty()); // it is the same with filters of 1 x 1
        CHECK(engine->refuses(lkt::gemm_spec::make({.m = 1, .n = 1, .k = 1}).value()) ==
              "the kernel measures no gemm, but conv");
    }
    options.task.size[0].first = "images";
    CHECK(lkt::kernel_engine::make(lkt::gpu_ref(gpu), options)
              .error()
              .message.find("`images` is none of a convolution") != std::string::npos);
}
