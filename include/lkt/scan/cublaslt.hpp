// SPDX-License-Identifier: BSL-1.0
// NVIDIA's cuBLASLt, or AMD's hipBLASLt, as an engine: every algorithm that its heuristics name for
// a product.
#pragma once

#include <lkt/core/units.hpp>
#include <lkt/process/worker_options.hpp>
#include <lkt/scan/scan_engine.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace lkt {

enum class lt_library : unsigned char { cublaslt, hipblaslt };

/// `cublaslt`, `hipblaslt`.
[[nodiscard]] constexpr std::string_view to_string(lt_library l) {
    return l == lt_library::cublaslt ? "cublaslt" : "hipblaslt";
}

/// How the library is found, and how it measures.
struct cublaslt_options {
    lt_library which = lt_library::cublaslt; ///< whose library measures
    std::string library{};                   ///< its file; empty: searched for
    std::string device{};     ///< an index, as the driver counts them; empty: the first
    scan_settings settings{}; ///< warm-ups, iterations, verification, time limit
    bytes workspace{std::uint64_t{32} << 20}; ///< that an algorithm may use
    /// An instance is timed for as long as this at most, with fewer launches if need be, and for a
    /// tenth where it is far behind the best before it.
    seconds instance_limit{0.25};
    std::uint64_t seed = 1; ///< of the matrices
};

/// Measures in a worker process, which a crash or a time limit costs; the next product starts
/// another. Matrices are random. Where `settings.verify` is on, the result of each algorithm is
/// compared with products in double precision on the CPU (docs/lkt-scan.md). Times are those of
/// groups of launches between two events: of ten groups, the median, the extremes and the standard
/// deviation. The fastest instance is measured a second time at the end. hipBLASLt was never run on
/// a device of AMD's; see docs/lkt-scan.md. What they can do: types of
/// outputs, layouts, gaps and epilogues as the library's heuristics accept them; not int4.
///
/// A program that uses it begins its main with `worker_main`, and includes
/// `lkt/scan/cublaslt/product_service.hpp`.
class cublaslt_engine {
public:
    explicit cublaslt_engine(cublaslt_options options = {}, worker_options worker = {});
    cublaslt_engine(cublaslt_engine&&) noexcept;
    cublaslt_engine& operator=(cublaslt_engine&&) noexcept;
    ~cublaslt_engine();

    /// `cublaslt` or `hipblaslt`.
    [[nodiscard]] std::string_view name() const;
    [[nodiscard]] std::string refuses(scan_spec const& spec) const;
    /// Opens the device; the settings name the library's version. Errors: the unavailable ones of
    /// `measure`.
    [[nodiscard]] result<scan_setup> setup(call_context const& context = {});
    /// Errors: `lkt.scan.refused` (rejected); unavailable: `lkt.scan.cublaslt` or
    /// `lkt.scan.hipblaslt` (no such library), `lkt.cuda.*` or `lkt.hip.*` (no driver or device),
    /// `lkt.worker.*`; of this product: `lkt.scan.memory`, `lkt.scan.cublaslt-failed` (of either),
    /// `lkt.scan.time-limit`.
    [[nodiscard]] result<scanned_product> measure(scan_spec const& spec,
                                                  call_context const& context = {});

private:
    struct state;
    std::unique_ptr<state> state_;
};
static_assert(scan_engine<cublaslt_engine>);

} // namespace lkt
