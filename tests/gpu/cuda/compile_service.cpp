// SPDX-License-Identifier: BSL-1.0
#include <lkt/gpu/cuda/compile_service.hpp>

#include "support.hpp"

#include <lkt/process/worker.hpp>

using namespace lkt::cuda_detail;

TEST_CASE("Requests and answers survive the way") {
    service_request const r{"/lib", {"text", "k", {"-a", "-b"}}, 7, "/pch"};
    service_request r2;
    REQUIRE(unpack(pack(r), r2));
    CHECK(r2.library == "/lib");
    CHECK(r2.program.options == std::vector<std::string>{"-a", "-b"});
    CHECK(r2.memory_limit == 7);
    CHECK(r2.pch_folder == "/pch");
    nvrtc_answer const a{true, "log", std::string{"i\0", 2}, "k", 13, 1};
    nvrtc_answer a2;
    REQUIRE(unpack(pack(a), a2));
    CHECK(a2.image == a.image);
    CHECK(a2.minor == 1);
    for (std::size_t n = 0; n < pack(r).size(); ++n)
        CHECK_FALSE(unpack(std::string_view{pack(r)}.substr(0, n), r2));
    for (std::size_t n = 0; n < pack(a).size(); ++n)
        CHECK_FALSE(unpack(std::string_view{pack(a)}.substr(0, n), a2));
}

TEST_CASE("A worker that is asked nonsense says so and goes on") {
    lkt::worker w;
    auto const r = w.call({compile_key, "nonsense", {}}, std::chrono::seconds{20});
    REQUIRE_FALSE(r.has_value());
    CHECK(r.error().code == "lkt.worker.protocol");
    CHECK(w.pid() > 0);
}

TEST_CASE("A compiler does not see the folder that its program runs in") {
    if (!cuda_support::have_nvrtc()) return;
    cuda_support::scratch const folder;
    cuda_support::write(folder.path() / "secret.h", "int secret;\n");
    auto const before = std::filesystem::current_path();
    std::filesystem::current_path(folder.path());
    lkt::worker w;
    auto const bytes = pack(service_request{
        find_nvrtc()->library, {"#include \"secret.h\"\n__global__ void k() {}", "k", {}}, 0, {}});
    auto const r = w.call({compile_key, bytes, {}}, std::chrono::seconds{60});
    std::filesystem::current_path(before);
    REQUIRE(r.has_value());
    nvrtc_answer a;
    REQUIRE(unpack(std::get<lkt::worker_message>(*r).bytes, a));
    CHECK_FALSE(a.compiled);
    CHECK(a.log.find("secret.h") != std::string::npos);
}
