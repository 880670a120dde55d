// SPDX-License-Identifier: BSL-1.0
#include "shelf.hpp"

#include "../common/output.hpp"

#include <lkt/core/files.hpp>
#include <lkt/report/certificate.hpp>
#include <lkt/report/kernel_examples.hpp>
#include <lkt/store/codec.hpp>

#include <filesystem>
#include <system_error>
#include <utility>

namespace lkt_tune {

using lkt_apps::say;

lkt::result<shelf> shelf::open(options const& o) {
    std::error_code failed;
    std::filesystem::create_directories(o.store, failed);
    if (failed)
        return lkt::error{lkt::condition::unavailable,
                          "lkt.store.folder",
                          "the store " + o.store + " cannot be created: " + failed.message(),
                          "name another folder with --store"};
    if (auto blocked =
            lkt::check_writable((std::filesystem::path(o.store) / "entry.json").string()))
        return *blocked;
    shelf made;
    made.store_ = std::make_shared<lkt::kernel_store>(o.store);
    return made;
}

lkt::result<void> shelf::set_problem(lkt::problem const& task,
                                     lkt::any_gpu_backend& gpu,
                                     options const& o,
                                     lkt::call_context const& context) {
    auto const device = gpu.device(context);
    if (!device) return device.error();
    std::vector<std::string> judges;
    if (auto const file = oracle_of(o, task); !file.empty()) {
        auto const files = lkt::files_of_problem(file);
        if (!files) return files.error();
        for (lkt::certified_file const& f : *files) judges.push_back(f.role + " " + f.sha256);
    }
    if (!o.script_file.empty()) {
        auto const text = lkt::read_text_file(o.script_file);
        if (!text) return text.error();
        judges.push_back("script " + lkt::text_digest(*text));
    }
    auto key = lkt::key_of(task, *device, std::move(judges));
    if (!key) return key.error();
    key_ = std::move(*key);
    return {};
}

lkt::result<std::vector<lkt::kernel_entry>> shelf::find() const {
    auto found = store_->find(*key_);
    if (!found) return found.error();
    for (auto const& [name, why] : found->faults)
        say("lkt-tune: warning: an entry of the store is skipped: " + why.message);
    return std::move(found->entries);
}

lkt::result<std::vector<lkt::kernel_example>> shelf::examples(lkt::problem const& task,
                                                              std::size_t most) const {
    constexpr std::size_t latest = 2000; // of the entries: reading them takes a second
    if (most == 0) return std::vector<lkt::kernel_example>();
    auto const entries = store_->read_latest(latest);
    if (!entries) return entries.error();
    return lkt::examples_for(task, *key_, *entries, {.right = most, .wrong = most});
}

void shelf::reject(lkt::kernel_entry const& e, std::string const& why) const {
    if (auto const failed = store_->reject(e, why)) say("lkt-tune: warning: " + to_string(*failed));
}

lkt::result<std::size_t> shelf::keep(lkt::tuning_outcome const& out,
                                     std::span<lkt::heard_reply const> heard) const {
    auto const entries = lkt::entries_of(out, *key_, heard);
    for (lkt::kernel_entry const& e : entries)
        if (auto const name = store_->put(e); !name) return name.error();
    return entries.size();
}

namespace {
std::string heard_fact(std::size_t k) { return "heard " + std::to_string(k); }
} // namespace

heard_replies::heard_replies(std::optional<lkt::journal> in) : journal_(std::move(in)) {
    lkt::heard_reply one;
    for (auto text = journal_ ? journal_->fact(heard_fact(0)) : std::nullopt;
         text && lkt::decode(*text, one);
         text = journal_->fact(heard_fact(all_.size())))
        all_.push_back(one);
}

void heard_replies::add(lkt::heard_reply one) {
    if (journal_) // a journal that fails once says so again to who saves the run
        (void)journal_->put_fact(heard_fact(all_.size()), lkt::encoded(one));
    all_.push_back(std::move(one));
}

void heard_model::hear(lkt::chat_request const& request,
                       lkt::result<lkt::chat_reply> const& reply) {
    if (!kept_ || !reply) return;
    std::lock_guard const guard(lock_);
    kept_->add({request.messages, reply->text});
}

std::span<lkt::heard_reply const> heard_model::heard() const {
    return kept_ ? std::span(kept_->all()) : std::span<lkt::heard_reply const>();
}

lkt::result<lkt::chat_reply> heard_model::complete(lkt::chat_request const& request,
                                                   lkt::call_context const& context) {
    if (turn_ != nullptr) turn_->give();
    auto reply = model_.complete(settings_.applied_to(request), context);
    hear(request, reply);
    return reply;
}

std::vector<lkt::result<lkt::chat_reply>>
heard_model::complete_all(std::span<lkt::chat_request const> requests,
                          lkt::call_context const& context) {
    std::vector<lkt::chat_request> all;
    for (lkt::chat_request const& r : requests) all.push_back(settings_.applied_to(r));
    if (turn_ != nullptr) turn_->give();
    auto replies = model_.complete_all(all, context);
    for (std::size_t k = 0; k < replies.size() && k < requests.size(); ++k)
        hear(requests[k], replies[k]);
    return replies;
}

} // namespace lkt_tune
