// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/context.hpp>
#include <lkt/core/result.hpp>
#include <lkt/core/secret_stream.hpp>
#include <lkt/core/units.hpp>
#include <lkt/gpu/branches.hpp>
#include <lkt/gpu/sampling.hpp>
#include <lkt/kernel/argument_data.hpp>
#include <lkt/kernel/device.hpp>
#include <lkt/kernel/failure.hpp>
#include <lkt/kernel/launch_dimensions.hpp>
#include <lkt/kernel/offered_evidence.hpp>
#include <lkt/kernel/problem.hpp>
#include <lkt/kernel/profile.hpp>
#include <lkt/kernel/signature.hpp>
#include <lkt/kernel/source.hpp>
#include <lkt/lang/expression/parameters.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace lkt {

/// How a line of `run_report::unchecked` begins where a kernel converts a number outside of an
/// integer's range, without a cast: what comes of it is another number on a device. The line's
/// number follows.
inline constexpr std::string_view open_conversion =
    "a device makes another integer of a number outside of its range, without a cast, in line ";

/// What to compile, and how.
struct compile_request {
    kernel_source source;
    lkt::signature signature;  ///< of the kernel to launch later
    configuration definitions; ///< tunable parameters, substituted as the language does it
    std::vector<std::string> options;
    bool checked = false; ///< find out-of-bounds accesses and races; slow, never timed
    seconds time_limit{60};
    /// Report what is compared and where the kernel goes on; slow, never timed. A back end that
    /// cannot do it compiles as ever, without `compiled_kernel::branches`.
    bool branches = false;
    /// Tell the numbers of its code, by another compilation: `compiled_kernel::constants`. What is
    /// compiled so may run on the CPU alone; a back end that cannot do it compiles as ever.
    bool constants = false;
};

/// What a kernel takes of the device: bytes of a thread, shared and constant memory of a block.
struct kernel_resources {
    int registers = 0;
    int spill_store_bytes = 0, spill_load_bytes = 0;
    int stack_bytes = 0;
    int static_shared_bytes = 0;
    int constant_bytes = 0; ///< all banks, the kernel's arguments included
    /// What the compiler says of the kernel's speed: `wgmma.mma_async instructions are serialized
    /// due to ...`.
    std::vector<std::string> remarks{};

    friend bool operator==(kernel_resources const&, kernel_resources const&) = default;
};

/// A variable that keeps its value from launch to launch: its name as the compiler mangles it.
struct kept_variable {
    std::string name;
    std::uint64_t bytes = 0;

    friend bool operator==(kept_variable const&, kept_variable const&) = default;
};

/// A kernel ready to launch. Copies share what was compiled; the last one frees it.
struct compiled_kernel {
    lkt::signature signature;
    bool checked = false;
    std::vector<std::string> notes;     ///< what a report should say: `fibres: Boost.Context`
    std::shared_ptr<void const> handle; ///< the back end's own
    std::optional<kernel_resources> resources{}; ///< where the back end's compiler tells them
    /// A digest of the machine code, or of the text for the device; 0: unknown. Equal digests mean
    /// the same program.
    std::uint64_t digest = 0;
    /// Bytes of variables that keep their values from launch to launch; nothing: unknown.
    std::optional<std::uint64_t> writable_bytes{};
    /// Of these, the bytes that begin with values: tables that nothing writes cannot be told apart.
    std::uint64_t initialised_bytes = 0;
    /// The others, which begin with zeros, where the back end knows their names. A compiler may
    /// keep constants among them.
    std::vector<kept_variable> zeroed{};
    /// Checked by a translation that runs on another device: its outputs are rounded differently
    /// and are not compared.
    bool stands_in = false;
    /// Of a checked kernel: which part of the checks is left out, and why; empty: none.
    std::string unchecked{};
    /// Where it decides, if that was asked for: its runs report `run_report::branches`.
    std::shared_ptr<std::vector<branch_site> const> branches{};
    /// Numbers of its code once the compiler has computed what it can, each once, those of the
    /// text's lines first where these are known; null unless they are asked for.
    std::shared_ptr<std::vector<double> const> constants{};
    /// Where threads take turns on a CPU: a launch with more of them takes longer than some
    /// seconds. 0: any number is well.
    std::uint64_t most_threads = 0;
};
using compile_outcome = std::variant<compiled_kernel, failure>;

/// The outputs of a correct kernel, for a back end that can compare them on the device, and that
/// fills memory with similar contents.
struct expected_outputs {
    std::uint64_t id = 0;                  ///< as `run_request::contents`; 0: nothing is compared
    std::span<argument_data const> values; ///< the arguments that are not `in`, in order
    std::span<tolerance const> bounds;     ///< one for each of them
};

/// Other arguments of the same types and sizes, with other addresses and values.
struct argument_variant {
    std::span<argument_data const> arguments;
    std::uint64_t contents = 0; ///< as `run_request::contents`
    expected_outputs expected{};
};

/// Launches of one compiled kernel. Before every launch, timed or not, `inout` arguments are
/// restored and `out` arguments filled as `fill_of_launch` says (`gpu/fill.hpp`): a launch that is
/// repeated with the same seed and arguments finds the same.
struct run_request {
    launch_dimensions dimensions;
    std::span<argument_data const> arguments; ///< in the signature's order
    std::span<direction const> directions;    ///< one for each argument
    int warmups = 0;
    int launches = 1; ///< timed ones, at most
    /// Timed launches whose outputs to return, ascending; the first one is always made. Launches
    /// after an early end of the series are left out. See `launches_to_keep`.
    std::vector<int> keep{0};
    /// The seed of all secrets of the run: fills, the contents around buffers, their addresses,
    /// sets of arguments, the order of threads. Each comes from a separate stream of the key that
    /// `secrets_of_run` makes; the kernel can reach neither seed nor key.
    std::uint64_t poison_seed = 0;
    seconds time_limit{10};   ///< for one launch
    lkt::sampling sampling{}; ///< when fewer launches will do
    /// Nonzero: identifies the arguments' contents. The same number in a later request promises the
    /// same contents, so a back end may keep them on its device. See `fresh_contents`.
    std::uint64_t contents = 0;
    expected_outputs expected{};
    /// Further sets of arguments. Each launch takes `arguments` or one of these, as `set_of_launch`
    /// draws, so that no launch is known to repeat the one before it. A back end may use fewer of
    /// them, or none; `run_report::sets` says how many it had.
    std::vector<argument_variant> ring{};
    /// The kernel is loaded again before the first launch, so its variables have their initial
    /// values.
    bool fresh = false;
    /// Bit k: argument k, a buffer, lies an element beyond an address that is aligned to 256 bytes.
    /// Only the host back end, whose device is `simulated`, places them so.
    std::uint64_t unaligned = 0;
};

/// All buffers in `run_request::unaligned`.
inline constexpr std::uint64_t every_buffer = ~std::uint64_t{0};

/// The key of all that a run keeps secret.
[[nodiscard]] secret_key secrets_of_run(run_request const& request);

/// Which set of arguments a launch takes: 0 is `arguments`, k is `ring[k - 1]`. Warm-ups are
/// counted -1, -2, ... It cannot be predicted without the seed or the key that `secrets_of_run`
/// makes of it.
[[nodiscard]] std::size_t set_of_launch(secret_key const& run, int launch, std::size_t sets);
[[nodiscard]] std::size_t set_of_launch(std::uint64_t poison_seed, int launch, std::size_t sets);

/// A choice of launches for `run_request::keep`: one of each ten, drawn by `seed`, from a stream
/// that reveals none of a run's other secrets; the first of them is one of the `certain` ones.
[[nodiscard]] std::vector<int> launches_to_keep(std::uint64_t seed, int certain, int launches);

/// How many of the timed launches are always made, however long they take.
[[nodiscard]] int certain_launches(run_request const& request);

/// What makes no sense in a request for a kernel of this signature, as a sentence; empty where it
/// can be served. A back end answers it with the error `lkt.<back end>.request`.
[[nodiscard]] std::string fault_in(run_request const& request, signature const& kernel);

/// A number that no other contents in this process have.
[[nodiscard]] std::uint64_t fresh_contents();

/// The outputs of one timed launch: the arguments that are not `in`, in order.
struct kept_outputs {
    int launch = 0;
    /// The device found each output within the bounds of what is expected; `outputs` is empty then.
    bool as_expected = false;
    std::vector<argument_data> outputs{};
    std::size_t set = 0; ///< the arguments that it had, as `set_of_launch` counts
};
struct run_report {
    std::vector<seconds> samples; ///< one a timed launch
    std::vector<kept_outputs> kept;
    sampling_end end = sampling_end::all_taken; ///< why there are no more samples
    std::vector<double>
        megahertz{};      ///< the multiprocessors' clock during each; empty where unknown
    int discarded = 0;    ///< launches that were not counted, the clock being too low
    double occupancy = 0; ///< resident warps, of those that fit; 0 where unknown
    std::string timing{}; ///< how the samples were taken, where a report should say it
    std::size_t sets = 1; ///< of arguments that were in use
    /// Of a checked kernel: what this run did not look at, and why; empty: nothing. What holds for
    /// all runs is in `compiled_kernel::unchecked`.
    std::string unchecked{};
    branches_seen branches{}; ///< of all launches, if `compiled_kernel::branches` is set
};
using run_outcome = std::variant<run_report, failure>;

/// A device that compiles and launches kernels. A kernel that does not compile, crashes or hangs
/// is an outcome; an error is a failure of the world (no compiler, no driver, cancelled).
/// Calls come from one thread at a time. A back end that cannot do what a request offers (stop
/// early, keep contents, compare on its device, use further sets of arguments) leaves it and is
/// right all the same.
template <class B>
concept gpu_backend = requires(B& b,
                               compile_request const& c,
                               compiled_kernel const& k,
                               run_request const& r,
                               call_context const& x) {
    { b.device(x) } -> std::same_as<result<device_description>>;
    { b.compile(c, x) } -> std::same_as<result<compile_outcome>>;
    { b.run(k, r, x) } -> std::same_as<result<run_outcome>>;
};

/// A back end that compiles ahead: `prefetch` starts and returns immediately, `compile` with an
/// equal request takes the result.
template <class B>
concept prefetching_backend = gpu_backend<B> && requires(B& b, compile_request const& c) {
    { b.prefetch(c) } -> std::same_as<void>;
};

/// One run of a batch; what it refers to must outlive the call.
struct kernel_run {
    compiled_kernel const& kernel;
    run_request const& request;
    bool timed = true; ///< its times will be compared with those of other runs
};

/// A back end that takes many requests at once. Results are in the order of the requests, one for
/// each, and a failure does not end the others; after a stop request those that have not begun are
/// `cancelled`. Timed runs are made in order on the device that `device` describes, with nothing
/// else on it; the others may run side by side, on any device where a kernel does the same.
/// `runs_at_once`: how many of these to request at once, at least 1. `gpu_ref` turns any back end
/// into one.
template <class B>
concept batch_gpu_backend = gpu_backend<B> && requires(B& b,
                                                       std::span<compile_request const> c,
                                                       std::span<kernel_run const> r,
                                                       call_context const& x) {
    { b.compile_all(c, x) } -> std::same_as<std::vector<result<compile_outcome>>>;
    { b.run_all(r, x) } -> std::same_as<std::vector<result<run_outcome>>>;
    { b.runs_at_once() } -> std::same_as<std::size_t>;
};

/// A back end that knows, or measures, the peaks of its device. That may take a second.
template <class B>
concept peak_backend = gpu_backend<B> && requires(B& b, call_context const& x) {
    { b.peaks(x) } -> std::same_as<result<device_peaks>>;
};

/// A back end whose device has readable counters. `profile` makes one launch of a request (its
/// first set of arguments; options of a series are ignored) and may take seconds. Errors say why
/// there is no profile; `can_profile` only promises that it will be tried.
template <class B>
concept profiling_backend =
    gpu_backend<B> &&
    requires(B& b, compiled_kernel const& k, run_request const& r, call_context const& x) {
        { b.can_profile() } -> std::same_as<bool>;
        { b.profile(k, r, x) } -> std::same_as<result<kernel_profile>>;
    };

/// The kernel that a question is about: its text, as it was compiled, what became of it, and a
/// launch of it. What it refers to must outlive the call.
struct evidence_subject {
    compile_request const& text;
    compiled_kernel const& kernel;
    run_request const& launch;
};

/// A back end that answers questions about a kernel. `offered_evidence` says which, at once and
/// without a device: it must be true when it is said, and may shrink when a tool turns out not to
/// work. `evidence` answers one of these, in at most `evidence_lines` lines; it may take seconds.
/// The names and numbers of a question are a model's: what is not offered is an error (rejected)
/// that names what is. `gpu_ref` turns any back end into one, which offers nothing.
template <class B>
concept evidence_backend =
    gpu_backend<B> &&
    requires(B& b, evidence_subject const& of, evidence_question const& q, call_context const& x) {
        { b.offered_evidence() } -> std::same_as<evidence_offer>;
        { b.evidence(of, q, x) } -> std::same_as<result<std::vector<std::string>>>;
    };

} // namespace lkt
