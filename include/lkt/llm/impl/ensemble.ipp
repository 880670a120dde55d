// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/llm/ensemble.hpp>

#include <algorithm>
#include <cmath>
#include <mutex>

namespace lkt::detail {

namespace ensemble_parts {

/// Random numbers that are the same with every standard library (SplitMix64).
class random_numbers {
public:
    explicit random_numbers(std::uint64_t seed) : state_(seed) {}

    /// Above 0, below 1.
    [[nodiscard]] double uniform() {
        std::uint64_t x = state_ += 0x9e3779b97f4a7c15u;
        x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
        x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
        x ^= x >> 31;
        return (static_cast<double>(x >> 11) + 0.5) * 0x1p-53;
    }
    /// Box and Muller.
    [[nodiscard]] double normal() {
        double const radius = std::sqrt(-2 * std::log(uniform()));
        return radius * std::cos(2 * 3.14159265358979323846 * uniform());
    }
    /// Marsaglia and Tsang 2000, for shapes from 1 on.
    [[nodiscard]] double gamma(double shape) {
        double const d = shape - 1.0 / 3, c = 1 / std::sqrt(9 * d);
        for (;;) {
            double const x = normal(), v = std::pow(1 + c * x, 3);
            if (v > 0 && std::log(uniform()) < 0.5 * x * x + d - d * v + d * std::log(v))
                return d * v;
        }
    }
    [[nodiscard]] double beta(double a, double b) {
        double const x = gamma(a), y = gamma(b);
        return x / (x + y);
    }

private:
    std::uint64_t state_;
};

} // namespace ensemble_parts

class chooser::state {
public:
    state(std::vector<std::string> models, ensemble_options options)
        : choice_(options.choice), weights_(std::move(options.weights)),
          random_numbers_(options.seed), records_(models.size()) {
        for (std::size_t i = 0; i < models.size(); ++i) records_[i].model = std::move(models[i]);
        weights_.resize(models.size(), 1);
        for (double& w : weights_)
            if (!(w > 0) || !std::isfinite(w)) w = 0;
    }

    [[nodiscard]] std::size_t choose() {
        std::lock_guard const lock(mutex_);
        std::size_t const chosen = pick();
        ++records_[chosen].calls;
        return chosen;
    }

    void answered(std::size_t model, result<chat_reply>& outcome) {
        std::lock_guard const lock(mutex_);
        if (outcome) {
            if (outcome->model.empty())
                outcome->model = records_[model].model.empty()
                                     ? "model " + std::to_string(model + 1)
                                     : records_[model].model;
            for (auto& [name, index] : names_)
                if (name == outcome->model) {
                    index = model;
                    return;
                }
            names_.emplace_back(outcome->model, model);
            return;
        }
        auto const kind = outcome.error().kind;
        if (kind == condition::transient || kind == condition::exhausted ||
            kind == condition::unavailable)
            add(model, 0);
    }

    void reward(std::size_t model, double value) {
        std::lock_guard const lock(mutex_);
        add(model, value);
    }
    void reward(std::string_view name, double value) {
        std::lock_guard const lock(mutex_);
        for (auto const& [known, index] : names_)
            if (known == name) add(index, value);
    }

    [[nodiscard]] std::vector<ensemble_record> records() const {
        std::lock_guard const lock(mutex_);
        return records_;
    }

private:
    void add(std::size_t model, double value) {
        if (model >= records_.size() || std::isnan(value)) return;
        ++records_[model].rewards;
        records_[model].reward += std::clamp(value, 0.0, 1.0);
    }

    [[nodiscard]] std::size_t pick() {
        switch (choice_) {
        case ensemble_choice::weights:
            return by_weight();
        case ensemble_choice::ucb1:
            return best([this](ensemble_record const& r) { return upper_bound(r); });
        case ensemble_choice::thompson:
            return best([this](ensemble_record const& r) {
                return random_numbers_.beta(1 + r.reward,
                                            1 + static_cast<double>(r.rewards) - r.reward);
            });
        }
        return 0;
    }

    [[nodiscard]] std::size_t by_weight() {
        double sum = 0;
        for (double const w : weights_) sum += w;
        double left = random_numbers_.uniform() * sum;
        std::size_t last = 0;
        for (std::size_t i = 0; i < weights_.size(); ++i) {
            if (weights_[i] == 0) continue;
            last = i;
            left -= weights_[i];
            if (left < 0) break;
        }
        return last;
    }

    /// Calls under way count as tries, so that calls made together are not all of one model.
    [[nodiscard]] double upper_bound(ensemble_record const& r) const {
        if (r.calls == 0) return HUGE_VAL;
        std::int64_t all = 0;
        for (auto const& each : records_) all += each.calls;
        double const mean = r.rewards > 0 ? r.reward / static_cast<double>(r.rewards) : 0;
        return mean +
               std::sqrt(2 * std::log(static_cast<double>(all)) / static_cast<double>(r.calls));
    }

    /// A weight of 0 leaves a model out.
    template <class Score>
    [[nodiscard]] std::size_t best(Score const& score) {
        std::size_t found = 0;
        double highest = -1;
        for (std::size_t i = 0; i < records_.size(); ++i) {
            if (weights_[i] == 0) continue;
            double const s = score(records_[i]);
            if (s <= highest) continue;
            highest = s;
            found = i;
        }
        return found;
    }

    mutable std::mutex mutex_;
    ensemble_choice choice_;
    std::vector<double> weights_;
    ensemble_parts::random_numbers random_numbers_;
    std::vector<ensemble_record> records_;
    std::vector<std::pair<std::string, std::size_t>> names_; ///< who answers under which
};

chooser::chooser(std::vector<std::string> models, ensemble_options options)
    : state_(std::make_shared<state>(std::move(models), std::move(options))) {}

std::size_t chooser::choose() { return state_->choose(); }
void chooser::answered(std::size_t model, result<chat_reply>& outcome) {
    state_->answered(model, outcome);
}
void chooser::reward(std::size_t model, double value) { state_->reward(model, value); }
void chooser::reward(std::string_view name, double value) { state_->reward(name, value); }
std::vector<ensemble_record> chooser::records() const { return state_->records(); }

std::string all_of_them(std::vector<std::string> const& descriptions) {
    std::string text;
    for (std::string const& d : descriptions)
        if (!d.empty()) text += (text.empty() ? "one of " : ", ") + d;
    return text;
}

} // namespace lkt::detail
