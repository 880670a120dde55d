// SPDX-License-Identifier: BSL-1.0
// The definitions of this layer; <lkt/src.hpp> gathers all layers.
#pragma once

#include <lkt/scan/impl/accelerators.ipp>
#include <lkt/scan/impl/ck_compiler.ipp>
#include <lkt/scan/impl/ck_instance.ipp>
#include <lkt/scan/impl/ck_output.ipp>
#include <lkt/scan/impl/ck_profiler.ipp>
#include <lkt/scan/impl/ck_source.ipp>
#include <lkt/scan/impl/convolution_place.ipp>
#include <lkt/scan/impl/convolution_spec.ipp>
#include <lkt/scan/impl/elementwise_check.ipp>
#include <lkt/scan/impl/elementwise_spec.ipp>
#include <lkt/scan/impl/gemm_check.ipp>
#include <lkt/scan/impl/gemm_spec.ipp>
#include <lkt/scan/impl/gemm_values.ipp>
#include <lkt/scan/impl/kernel_engine.ipp>
#include <lkt/scan/impl/run_scan.ipp>
#include <lkt/scan/impl/scan_axis.ipp>
#include <lkt/scan/impl/scan_check.ipp>
#include <lkt/scan/impl/scan_engine.ipp>
#include <lkt/scan/impl/scan_page.ipp>
#include <lkt/scan/impl/scan_query.ipp>
#include <lkt/scan/impl/scan_records.ipp>
#include <lkt/scan/impl/scan_spec.ipp>
#include <lkt/scan/impl/scan_table.ipp>
#include <lkt/scan/impl/simulated_engine.ipp>
#include <lkt/scan/impl/spec_records.ipp>
#include <lkt/scan/impl/spec_scan.ipp>
