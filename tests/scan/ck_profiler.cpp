// SPDX-License-Identifier: BSL-1.0
#include <lkt/scan/ck_profiler.hpp>

#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <unistd.h>

namespace {

using lkt::gemm_type;
using lkt::matrix_layout;

/// A ckProfiler that does what a few lines of shell say.
class fake {
public:
    explicit fake(std::string const& body) {
        path = std::filesystem::temp_directory_path() / ("lkt-ck-" + std::to_string(::getpid()));
        std::ofstream(path) << "#!/bin/sh\n" << body << '\n';
        std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    }
    fake(fake const&) = delete;
    ~fake() { std::filesystem::remove(path); }
    lkt::result<lkt::scanned_product> run(lkt::scan_settings settings = {}) const {
        lkt::ck_profiler engine({.program = path, .settings = settings});
        return engine.measure(lkt::gemm_spec::make({.m = 3840,
                                                    .n = 4096,
                                                    .k = 4096,
                                                    .type = gemm_type::f16,
                                                    .b = matrix_layout::column})
                                  .value());
    }
    std::filesystem::path path;
};

std::string const stock = "cat '" + std::string(LKT_TEST_SOURCE_DIR) + "/scan/data/stock.txt'";

} // namespace

TEST_CASE("ck_profiler: the command line of a stock ckProfiler: 16 words, codes, strides") {
    lkt::ck_profiler const engine(
        {.program = "ck", .settings = {.warm_ups = 3, .iterations = 7, .verify = false}});
    auto const words = [&](lkt::gemm_draft d) {
        std::string text;
        auto const all = engine.arguments(lkt::gemm_spec::make(d).value());
        CHECK(all.size() == 16);
        for (auto const& word : all) text += word + ' ';
        return text;
    };
    CHECK(words({.m = 2, .n = 3, .k = 4, .type = gemm_type::int8}) ==
          "ck gemm 3 0 0 1 0 1 2 3 4 4 3 3 3 7 ");
    CHECK(words({.m = 2, .n = 3, .k = 4, .type = gemm_type::fp8, .b = matrix_layout::column}) ==
          "ck gemm 4 1 0 1 0 1 2 3 4 4 4 3 3 7 ");
    CHECK(words({.m = 2, .n = 3, .k = 4, .a = matrix_layout::column, .stride_b = 9}) ==
          "ck gemm 0 2 0 1 0 1 2 3 4 2 9 3 3 7 ");
    for (lkt::gemm_draft const& d :
         {lkt::gemm_draft{.m = 1, .n = 1, .k = 1, .type = gemm_type::f64},
          lkt::gemm_draft{.m = 1, .n = 1, .k = 1, .batch = 2},
          lkt::gemm_draft{.m = 1, .n = 1, .k = 1, .alpha = 2},
          lkt::gemm_draft{.m = 1, .n = 1, .k = 1, .beta = 1},
          lkt::gemm_draft{.m = 1, .n = 1, .k = 1, .type = gemm_type::tf32},
          lkt::gemm_draft{.m = 1, .n = 1, .k = 1, .type = gemm_type::int4},
          lkt::gemm_draft{.m = 1, .n = 1, .k = 1, .c = matrix_layout::column}})
        CHECK_FALSE(engine.refuses(lkt::gemm_spec::make(d).value()).empty());
}

TEST_CASE("ck_profiler: a failed comparison is a verdict, and all times are kept") {
    // The comparison is written to standard error, as ckProfiler does.
    auto const found =
        fake("while IFS= read -r l; do case $l in Error:*|max*) echo \"$l\" >&2;; *) echo \"$l\";; "
             "esac; done < '" +
             std::string(LKT_TEST_SOURCE_DIR) + "/scan/data/stock.txt'; exit 1")
            .run({.iterations = 20});
    REQUIRE(found.has_value());
    REQUIRE(found->instances.size() == 3);
    CHECK(found->instances[0].verdict == lkt::scan_verdict::correct);
    CHECK(found->instances[2].verdict == lkt::scan_verdict::wrong);
    CHECK(found->instances[0].iterations == 20);
    CHECK(found->unsupported == 1);
    CHECK(found->remarks.empty());
    // Without a comparison there is no verdict.
    auto const unchecked = fake(stock + " | grep -v Error").run({.verify = false});
    CHECK(unchecked->instances[0].verdict == lkt::scan_verdict::unchecked);
    // It fails, and does not say which.
    auto const silent = fake(stock + " | grep -v Error; exit 1").run();
    CHECK(silent->instances[0].verdict == lkt::scan_verdict::unchecked);
    CHECK(silent->remarks.size() == 1);
}

TEST_CASE("ck_profiler: the device that the environment names") {
    ::setenv("HIP_VISIBLE_DEVICES", "3", 1);
    auto const found = fake(stock + "; [ \"$HIP_VISIBLE_DEVICES\" = 3 ] || kill -KILL $$").run();
    ::unsetenv("HIP_VISIBLE_DEVICES");
    CHECK(found.has_value());
}

TEST_CASE("ck_profiler: failures of the program") {
    CHECK(fake("exec sleep 60").run({.time_limit = lkt::seconds{0.3}}).error().code ==
          "lkt.scan.ck-time-limit");
    auto const failed = fake("echo 'wrong! not implemented'; exit 1").run();
    CHECK(failed.error().code == "lkt.scan.ck-failed");
    CHECK(failed.error().message.find("wrong! not implemented") != std::string::npos);
    CHECK(fake("kill -SEGV $$").run().error().code == "lkt.scan.ck-failed");
    lkt::ck_profiler missing({.program = "/nowhere/ckProfiler"});
    auto const spec = lkt::gemm_spec::make({.m = 1, .n = 1, .k = 1}).value();
    CHECK(missing.measure(spec).error().code == "lkt.scan.ck-missing");
    CHECK(missing.measure(spec).error().kind == lkt::condition::unavailable);
}
