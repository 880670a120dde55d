// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/evaluate/trial_log.hpp>

#include <lkt/store/codec.hpp>

namespace lkt {

trial_log::trial_log(std::optional<journal> in) : journal_(std::move(in)) {
    if (!journal_) return;
    for (std::string const& bytes : journal_->results()) {
        std::pair<std::uint64_t, tried_configuration> one;
        if (decode(bytes, one)) kept_.push_back(std::move(one));
    }
}

tried_configuration const* trial_log::find(std::uint64_t search, configuration const& c) const {
    for (auto const& [of, tried] : kept_)
        if (of == search && tried.config == c) return &tried;
    return nullptr;
}

result<void> trial_log::keep(std::uint64_t search, tried_configuration const& t) {
    if (auto const* why = t.failed(); why != nullptr && may_compile_later(*why)) return {};
    kept_.emplace_back(search, t);
    return journal_ ? journal_->add_result(encoded(kept_.back())) : result<void>();
}

result<void> trial_log::keep_again() const {
    for (auto const& one : kept_)
        if (auto ok = journal_ ? journal_->add_result(encoded(one)) : result<void>(); !ok)
            return ok;
    return {};
}

std::vector<tried_configuration> trial_log::all(std::uint64_t search) const {
    std::vector<tried_configuration> found;
    for (auto const& [of, tried] : kept_)
        if (of == search) found.push_back(tried);
    return found;
}

} // namespace lkt
