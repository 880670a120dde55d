// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/units.hpp>
#include <lkt/verify/static_policy.hpp>

#include <cstddef>
#include <cstdint>

namespace lkt {

/// When to profile the kernels that prompts show: the best one, and others that a strategy builds
/// on. A profile costs seconds per kernel, once.
enum class profiling : unsigned char {
    automatic, ///< where the strategy says that it reads profiles and the back end makes them
    always,    ///< for every strategy; a note says if the back end makes none
    never,
};

/// Whether a model may ask about a kernel before it is rewritten (`inquire`).
enum class asking_for : unsigned char {
    evidence, ///< where the strategy lets it and the back end answers
    nothing,
};

/// How thoroughly candidates are tried. The defaults follow what recorded measurements allow: a few
/// launches rank the configurations, and the best few are measured again in full, since ranking
/// without that second round has cost up to a factor of three.
struct evaluation_options {
    int warmups = 1;             ///< untimed launches before each series
    int screening_launches = 3;  ///< timed launches of each configuration
    int finalists = 8;           ///< configurations that are measured again, at most
    double finalist_range = 1.5; ///< times the fastest median: slower ones are not finalists
    /// Racing, on a real device: a configuration whose launches are all slower than this times the
    /// fastest median is launched no further; where launches are long, the square root of it and
    /// the first launch decide.
    double race_range = 1.25;
    int compile_ahead = 64;  ///< configurations that are compiled before their turn
    int final_launches = 21; ///< timed launches of a finalist, and of the kernel to beat
    int final_rounds = 7;    ///< in how many turns these are taken, interleaved
    /// The minimum gain as a share of the best kernel's time, in addition to the noise: the time of
    /// one kernel varies by half a per cent with the placement of its code and data.
    double min_gain = 0.01;
    seconds final_time{20}; ///< for one kernel; fewer launches are taken beyond, 6 at least
    std::size_t max_configurations = 1000; ///< of one candidate
    /// A sweep ends when this many configurations failed in the same way and none worked; the
    /// finals of a candidate end when this many failed in the same way, and then as many that
    /// differ most from them.
    int hopeless_after = 8;
    int repetitions = 100;   ///< of one launch of the winner, whose outputs must agree
    seconds repeating{0.02}; ///< fewer of them, three at least, once they took so long; 0: all
    /// Finalists are tested at a size where the original takes about so long, too; see
    /// `large_test_options`. 0: at no such size.
    seconds large_launch{0.02};
    bool checked = true; ///< run the winner in checked mode, where the back end has one
    /// In that mode, for tests beyond the first two, and as long for other configurations of a
    /// kernel that is verified.
    seconds checked_time{5};
    profiling profile = profiling::automatic;   ///< of the best kernels, with hardware counters
    asking_for evidence = asking_for::evidence; ///< what a model may ask about a kernel
    /// False: candidates are timed without being compared with anything, to see what verification
    /// costs. Nothing that comes out of such a run is to be trusted, and its notes say so.
    bool verify = true;
    static_policy static_checks; ///< what is done about findings in a text before it is compiled
    seconds compile_limit{60};   ///< for one configuration
    /// 0: 20 times what the original took, at least 5 s. In checked mode 12 times as much, if that
    /// is below a minute, or 200 times what the original took.
    seconds launch_limit{0};
    std::uint64_t seed = 1; ///< of the patterns that outputs are filled with before a launch
};

/// The budget of a run. Nothing is interrupted: the limits are checked before each model call, and
/// the time limit also before each batch of configurations (one, on one device).
struct run_budget {
    std::int64_t model_calls = 0; ///< 0: no limit
    std::int64_t tokens = 0;      ///< input and output; 0: no limit
    seconds time{0};              ///< 0: no limit
    /// No model is asked any more once the best kernel reaches this share of a measured roof
    /// (`roofline_of`), or is nearer to it than `evaluation_options::min_gain`; 0: no limit, and
    /// above 1 nothing but that share.
    double roof = 1;
};

} // namespace lkt
