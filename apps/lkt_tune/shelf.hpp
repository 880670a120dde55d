// SPDX-License-Identifier: BSL-1.0
// What `--store DIR` does: kernels that are there already, and what a run adds.
#pragma once

#include "device_turn.hpp"
#include "options.hpp"

#include "../models/asked_model.hpp"

#include <lkt/core/result.hpp>
#include <lkt/gpu/any_gpu_backend.hpp>
#include <lkt/kernel/problem.hpp>
#include <lkt/llm/with_settings.hpp>
#include <lkt/report/kernel_entries.hpp>
#include <lkt/store/journal.hpp>
#include <lkt/store/kernel_store.hpp>

#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace lkt_tune {

/// The store, and the key of the problem that is tuned.
class shelf {
public:
    /// Errors: `lkt.store.folder` where it cannot be written.
    [[nodiscard]] static lkt::result<shelf> open(options const& o);

    /// Before a kernel is looked for or kept. Errors: those of the device, and of reading what says
    /// what is right.
    [[nodiscard]] lkt::result<void> set_problem(lkt::problem const& task,
                                                lkt::any_gpu_backend& gpu,
                                                options const& o,
                                                lkt::call_context const& context);
    [[nodiscard]] bool has_problem() const { return key_.has_value(); }

    /// Accepted kernels for it, the fastest first. Says which entries cannot be read.
    [[nodiscard]] lkt::result<std::vector<lkt::kernel_entry>> find() const;
    /// So many kernels of similar operations that passed, and as many that did not.
    [[nodiscard]] lkt::result<std::vector<lkt::kernel_example>> examples(lkt::problem const& task,
                                                                         std::size_t most) const;
    void served(lkt::kernel_entry const& e) const { store_->mark_used(e); }
    /// It is wrong here: it is not served again.
    void reject(lkt::kernel_entry const& e, std::string const& why) const;
    /// Keeps what a run tried; how many kernels.
    [[nodiscard]] lkt::result<std::size_t> keep(lkt::tuning_outcome const& out,
                                                std::span<lkt::heard_reply const> heard) const;

private:
    std::shared_ptr<lkt::kernel_store> store_;
    std::optional<lkt::kernel_key> key_;
};

/// What a run asked a model, and what the model said. A journal, if there is one, holds it for the
/// next session, whose replies come from the journal, too.
class heard_replies {
public:
    explicit heard_replies(std::optional<lkt::journal> in);
    void add(lkt::heard_reply one);
    [[nodiscard]] std::vector<lkt::heard_reply> const& all() const { return all_; }

private:
    std::optional<lkt::journal> journal_;
    std::vector<lkt::heard_reply> all_;
};

/// The model of a run: with the settings of the command line, and what was said to it, if that is
/// kept. While it answers, the device is free (`turn`, which may be null).
class heard_model {
public:
    heard_model(lkt_apps::asked_model& model,
                lkt::sampling_settings settings,
                device_turn* turn,
                std::optional<heard_replies> kept)
        : model_(model), settings_(settings), turn_(turn), kept_(std::move(kept)) {}

    [[nodiscard]] lkt::result<lkt::chat_reply> complete(lkt::chat_request const& request,
                                                        lkt::call_context const& context);
    [[nodiscard]] std::vector<lkt::result<lkt::chat_reply>>
    complete_all(std::span<lkt::chat_request const> requests, lkt::call_context const& context);
    [[nodiscard]] std::string description() const { return model_.description(); }
    [[nodiscard]] auto header() const { return model_.header(); }

    /// Empty where it is not kept.
    [[nodiscard]] std::span<lkt::heard_reply const> heard() const;

private:
    void hear(lkt::chat_request const& request, lkt::result<lkt::chat_reply> const& reply);

    lkt_apps::asked_model& model_;
    lkt::sampling_settings settings_;
    device_turn* turn_;
    std::mutex lock_;
    std::optional<heard_replies> kept_;
};

} // namespace lkt_tune
