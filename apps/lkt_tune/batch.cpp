// SPDX-License-Identifier: BSL-1.0
#include "batch.hpp"

#include "batch_child.hpp"
#include "batch_plan.hpp"
#include "batch_text.hpp"

#include "../common/interrupt.hpp"
#include "../common/output.hpp"
#include "../common/status.hpp"

#include <lkt/core/files.hpp>
#include <lkt/core/plain_text.hpp>
#include <lkt/core/string_tools.hpp>

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <thread>
#include <utility>

namespace lkt_tune {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;
namespace status = lkt_apps::status;

/// The operations of a plan, as they start and end.
class batch_run {
public:
    batch_run(batch_plan plan, bool quiet) : plan_(std::move(plan)), display_(quiet) {
        for (std::string const& name : plan_.names())
            rows_.push_back({name, end_in(plan_.folder_of(name)), {}, {}, false});
    }

    lkt::result<int> run() {
        for (batch_row& row : rows_)
            if (!row.end.finished) waiting_.push_back(&row);
        display_.begin(rows_.size(), rows_.size() - waiting_.size(), plan_.folder());
        std::reverse(waiting_.begin(), waiting_.end());
        lkt_apps::interrupt signals;
        wait_for_earlier_runs(signals);
        bool told = false;
        while (!running_.empty() || (!waiting_.empty() && !signals.requested())) {
            if (signals.requested() && !std::exchange(told, true))
                for (auto& [row, child] : running_) child.interrupt();
            while (!signals.requested() && !waiting_.empty() &&
                   running_.size() < static_cast<std::size_t>(plan_.jobs()))
                if (auto failed = start_next()) return *failed;
            if (auto failed = reap(signals.requested())) return *failed;
            if (running_.empty()) continue;
            for (auto& [row, child] : running_) row->line = child.last_line();
            display_.show(rows_, waiting_.size());
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
        }
        display_.finish();
        return conclude(signals.requested());
    }

private:
    /// What a batch that was killed had started ends soon, but not at once.
    void wait_for_earlier_runs(lkt_apps::interrupt const& signals) const {
        constexpr double longest = 60; // seconds; who still runs then was not started by a batch
        double const began = seconds_now();
        bool told = false;
        for (batch_row const* row : waiting_)
            while (plan_.is_busy(row->name) && !signals.requested() &&
                   seconds_now() - began < longest) {
                if (!std::exchange(told, true))
                    lkt_apps::say("waiting for runs that an earlier start of this batch left");
                std::this_thread::sleep_for(std::chrono::milliseconds(50));
            }
    }

    /// On which the fewest operations run.
    std::string freest_device() const {
        auto const devices = plan_.devices();
        return *std::min_element(devices.begin(), devices.end(), [&](auto const& a, auto const& b) {
            auto const on = [&](std::string const& device) {
                return std::count_if(running_.begin(), running_.end(), [&](auto const& one) {
                    return one.first->device == device;
                });
            };
            return on(a) < on(b);
        });
    }

    /// An operation that cannot be read is one that has ended.
    std::optional<lkt::error> start_next() {
        batch_row& row = *waiting_.back();
        waiting_.pop_back();
        std::string const folder = plan_.folder_of(row.name);
        auto const begun = plan_.begun(row.name);
        bool const goes_on = begun && *begun;
        row.device = goes_on && !plan_.moves() ? (*begun)->device : freest_device();
        auto const what = !begun    ? lkt::result<batch_plan::start>(begun.error())
                          : goes_on ? plan_.going_on(row.name, row.device, **begun)
                                    : plan_.beginning(row.name, row.device);
        if (!what) {
            row.end.status = status::environment;
            row.end.message = to_string(what.error());
            display_.ended(row);
            return write_end(folder, row.end);
        }
        auto child = batch_child::start(*what, folder);
        if (!child) return child.error();
        running_.emplace_back(&row, std::move(*child));
        row.running = true;
        display_.started(row, goes_on);
        return std::nullopt;
    }

    std::optional<lkt::error> reap(bool interrupted) {
        std::optional<lkt::error> failed;
        std::erase_if(running_, [&](auto& one) {
            auto& [row, child] = one;
            auto const ended = child.ended();
            if (!ended) return false;
            row->end = child.outcome(*ended, row->end.time);
            if (interrupted && !row->end.finished) row->end.status = status::interrupted;
            row->running = false;
            if (auto wrong = write_end(plan_.folder_of(row->name), row->end)) failed = wrong;
            display_.ended(*row);
            return true;
        });
        return failed;
    }

    lkt::result<int> conclude(bool interrupted) {
        auto const any = [&](int which) {
            return std::any_of(rows_.begin(), rows_.end(), [&](batch_row const& row) {
                return row.end.status == which;
            });
        };
        bool const without = std::any_of(rows_.begin(), rows_.end(), [](batch_row const& row) {
            return !row.end.has_kernel() && row.end.status != status::suspended;
        });
        int const ended = interrupted              ? status::interrupted
                          : without                ? status::environment
                          : any(status::suspended) ? status::suspended
                          : any(status::unchecked) ? status::unchecked
                                                   : status::done;
        json::array operations;
        for (batch_row const& row : rows_) {
            auto one = to_json(row.end);
            one["operation"] = row.name;
            operations.push_back(std::move(one));
        }
        json::object const summary{
            {"lkt_batch", 1}, {"status", ended}, {"operations", std::move(operations)}};
        auto const file = (fs::path(plan_.folder()) / "summary.json").string();
        if (auto failed =
                lkt::write_text_file(file, lkt::plain_json(json::serialize(summary)) + "\n"))
            return *failed;
        if (auto failed = lkt_apps::write_output("-", table_text(rows_))) return *failed;
        if (std::any_of(rows_.begin(), rows_.end(), [](auto const& r) { return !r.end.finished; }))
            lkt_apps::say("the batch is saved; to try what is missing: lkt-tune --resume " +
                          lkt::shell_word(plan_.folder()));
        return ended;
    }

    batch_plan plan_;
    batch_display display_;
    std::vector<batch_row> rows_;
    std::vector<batch_row*> waiting_; // the next one last
    std::vector<std::pair<batch_row*, batch_child>> running_;
};

} // namespace

bool holds_batch(std::string const& folder) {
    std::error_code none;
    return !folder.empty() && fs::exists(fs::path(folder) / "batch.json", none);
}

lkt::result<int> begin_batch(options const& o, std::vector<std::string> const& words) {
    auto plan = batch_plan::begin(o, words);
    if (!plan) return plan.error();
    return batch_run(std::move(*plan), o.quiet).run();
}

lkt::result<int> resume_batch(options const& o, std::vector<std::string> const& words) {
    auto plan = batch_plan::resume(o, words);
    if (!plan) return plan.error();
    return batch_run(std::move(*plan), o.quiet).run();
}

} // namespace lkt_tune
