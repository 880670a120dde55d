// SPDX-License-Identifier: BSL-1.0
// What NVRTC may reach, with no screen before it: no text brings in a file outside its own.
#include "../reaching_texts.hpp"
#include "support.hpp"

#include <lkt/gpu/cuda/compile_service.hpp>
#include <lkt/process/worker.hpp>

#include <random>

using namespace lkt::cuda_detail;
using cuda_support::scratch;
using lkt::process_detail::kernel_lack;

namespace {

std::string random_word() {
    std::random_device source;
    std::string word = "lkt_canary_";
    for (int k = 0; k < 24; ++k) word += static_cast<char>('a' + source() % 26);
    return word;
}

/// All that comes back of a text.
std::string all_of(lkt::worker& w, service_request request, std::string const& text) {
    request.program = {text, "k", {"-arch=sm_90"}};
    auto const place = find_nvrtc();
    for (auto const& folder : place->includes) request.program.options.push_back("-I" + folder);
    auto const bytes = pack(request);
    auto const r = w.call({compile_key, bytes, {}}, std::chrono::seconds{120});
    if (!r) return lkt::to_string(r.error());
    if (auto const* const lost = std::get_if<lkt::worker_failure>(&*r)) return lost->detail;
    nvrtc_answer a;
    REQUIRE(unpack(std::get<lkt::worker_message>(*r).bytes, a));
    return (a.compiled ? "compiled " : "failed ") + std::string{a.confined ? "" : "unconfined "} +
           a.log + a.image;
}

service_request plain_request(nvrtc_place const& place, kernel_lack lack) {
    service_request request;
    request.library = place.library;
    request.readable = files_of(place);
    request.lack = lack;
    return request;
}

} // namespace

TEST_CASE("NVRTC, confined, brings no canary in, whatever the text; else this test could fail") {
    if (!cuda_support::have_nvrtc()) return;
    auto const place = find_nvrtc();
    scratch const folder;
    auto const word = random_word();
    auto const file = (folder.path() / "canary").string();
    cuda_support::write(file, word + "\n");
    for (auto const lack : {kernel_lack::nothing, kernel_lack::landlock}) {
        CAPTURE(static_cast<int>(lack));
        lkt::worker w;
        auto const request = plain_request(*place, lack);
        auto const plain = all_of(w, request, "#include <cuda_fp16.h>\n__global__ void k() {}\n");
        if (plain.find("lkt.sandbox.unavailable") != std::string::npos) {
            MESSAGE("skipped: " << plain);
            continue;
        }
        CHECK(plain.substr(0, 9) == (place->includes.empty() ? "failed ca" : "compiled "));
        auto const texts = support::reaching_texts(file);
        for (std::size_t k = 0; k < texts.size();
             k += support::stride(lack == kernel_lack::nothing ? 11 : 41)) {
            CAPTURE(texts[k]);
            CHECK(all_of(w, request, texts[k]).find(word) == std::string::npos);
        }
        CHECK(all_of(w, request, "#include </proc/self/environ>").find("PATH=") ==
              std::string::npos);
        CHECK(w.starts() == 1);
    }
    // The same, not confined: then the text does bring it in.
    lkt::worker w;
    auto request = plain_request(*place, kernel_lack::landlock_and_mounts);
    CHECK(all_of(w, request, "").find("lkt.sandbox.unavailable") != std::string::npos);
    request.unconfined_allowed = true;
    auto const seen = all_of(w, request, support::reaching_texts(file)[0]);
    CHECK(seen.find(word) != std::string::npos);
    CHECK(seen.find("unconfined") != std::string::npos);
}
