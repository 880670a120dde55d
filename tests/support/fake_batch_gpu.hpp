// SPDX-License-Identifier: BSL-1.0
// A fake GPU that takes batches, and writes down how many came at once.
#pragma once

#include "fake_gpu.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace lkt_test {

class fake_batch_gpu : public fake_gpu {
public:
    fake_batch_gpu(behave_fn behave, std::size_t at_once)
        : fake_gpu(std::move(behave)), at_once_(at_once) {}

    std::vector<std::size_t> builds, runs; ///< in each batch

    std::vector<lkt::result<lkt::compile_outcome>>
    compile_all(std::span<lkt::compile_request const> requests, lkt::call_context const& x) {
        builds.push_back(requests.size());
        std::vector<lkt::result<lkt::compile_outcome>> all;
        for (auto const& r : requests) all.push_back(compile(r, x));
        return all;
    }
    std::vector<lkt::result<lkt::run_outcome>> run_all(std::span<lkt::kernel_run const> asked,
                                                       lkt::call_context const& x) {
        runs.push_back(asked.size());
        std::vector<lkt::result<lkt::run_outcome>> all;
        for (auto const& r : asked) all.push_back(run(r.kernel, r.request, x));
        return all;
    }
    [[nodiscard]] std::size_t runs_at_once() const { return at_once_; }

private:
    std::size_t at_once_;
};
static_assert(lkt::batch_gpu_backend<fake_batch_gpu>);

} // namespace lkt_test
