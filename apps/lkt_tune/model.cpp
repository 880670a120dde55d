// SPDX-License-Identifier: BSL-1.0
#include "model.hpp"

namespace lkt_tune {
namespace {

constexpr std::string_view replay = "replay:", mail = "mailbox:";

std::variant<lkt::replay_model, lkt::mailbox_model> make(std::string const& spec) {
    if (spec.starts_with(mail))
        return lkt::mailbox_model(spec.substr(mail.size()), {.suspend = false});
    return lkt::replay_model(spec.substr(replay.size()));
}

} // namespace

bool is_model(std::string const& spec) {
    return (spec.starts_with(replay) && spec.size() > replay.size()) ||
           (spec.starts_with(mail) && spec.size() > mail.size());
}

std::string_view to_string(reply_origin origin) {
    switch (origin) {
    case reply_origin::live:
        return "live";
    case reply_origin::recorded:
        return lkt::to_string(lkt::cassette_origin::recorded);
    case reply_origin::written_by_hand:
        return lkt::to_string(lkt::cassette_origin::written_by_hand);
    }
    return "unknown";
}

asked_model::asked_model(std::string const& spec)
    : folder_(spec.starts_with(mail) ? spec.substr(mail.size()) : ""), model_(make(spec)) {}

lkt::result<lkt::chat_reply> asked_model::complete(lkt::chat_request const& request,
                                                   lkt::call_context const& context) {
    return std::visit([&](auto& model) { return model.complete(request, context); }, model_);
}

std::string asked_model::description() const {
    return std::visit([](auto const& model) { return model.description(); }, model_);
}

std::optional<lkt::error> asked_model::defect() const {
    auto const* tape = std::get_if<lkt::replay_model>(&model_);
    return tape != nullptr ? tape->defect() : std::nullopt;
}

std::string const* asked_model::mailbox() const { return folder_.empty() ? nullptr : &folder_; }

asked_model::its_header asked_model::header() const {
    auto const* tape = std::get_if<lkt::replay_model>(&model_);
    if (tape == nullptr) return {reply_origin::live};
    return {tape->header().origin == lkt::cassette_origin::recorded
                ? reply_origin::recorded
                : reply_origin::written_by_hand};
}

} // namespace lkt_tune
