// SPDX-License-Identifier: BSL-1.0
// Both sides of the comparison: a launch as lkt gets it, and the reference in its worker.
#pragma once

#include "../../measure/common.hpp"
#include "kernels.hpp"
#include "reference.hpp"

#include <lkt/gpu/cuda.hpp>
#include <lkt/gpu/cuda/compile_pool.hpp>
#include <lkt/lang/find_kernel.hpp>
#include <lkt/process/worker.hpp>

#include <chrono>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace measure {

/// A launch as lkt gets it. Its contents are sent once.
class subject {
public:
    subject(lkt::cuda& gpu, std::string const& text, std::size_t which)
        : gpu_(&gpu), kernel_(&kernels()[which]) {
        lkt::compile_request request = request_of(text, *kernel_);
        compiled_ = must_be<lkt::compiled_kernel>(must(gpu.compile(request)));
        std::uint64_t seed = which * 8;
        for (auto const& b : kernel_->buffers) {
            auto const& declared = compiled_.signature.arguments[arguments_.size()];
            lkt::argument_data data{declared.type, true, lkt::byte_buffer(b.words * 4)};
            fill(data.bytes.data(), b, seed++);
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

    static lkt::compile_request request_of(std::string const& text, trial_kernel const& k) {
        lkt::compile_request request;
        request.source = {lkt::language::cuda, text, "kernels.cuh"};
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
    trial_kernel const* kernel_;
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
        arch_ = ask(lkt::packer{}.put(reference_request::open).bytes());
        for (auto const& k : kernels()) pool_.prefetch(job_of(text_, k.entry));
        auto const tools = image_of(reference_tools, "block_stream");
        ask(lkt::packer{}.put(reference_request::tools).bytes() + tools);
    }
    reference_answer measure_kernel(std::size_t which, std::uint64_t place, double limit) {
        lkt::packer out;
        out.put(reference_request::measure).put(std::uint64_t{which}).put(place);
        out.put(limit);
        auto const reply = ask(out.bytes() + image_of(text_, kernels()[which].entry));
        return unpack_reference(reply);
    }

private:
    static lkt::cuda_detail::compile_pool_options pool_options() {
        lkt::cuda_detail::compile_pool_options o;
        o.cache.limit = 0;
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
        job.source = {lkt::language::cuda, text, "kernels.cuh"};
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
        auto reply = must(worker_.call({reference_key, bytes}, std::chrono::minutes{5}));
        if (auto const* const lost = std::get_if<lkt::worker_failure>(&reply))
            throw std::runtime_error(to_string(lkt::to_error(*lost)));
        return std::move(std::get<lkt::worker_message>(reply).bytes);
    }

    std::string text_, arch_;
    lkt::cuda_detail::compile_pool pool_;
    lkt::worker worker_;
};

} // namespace measure
