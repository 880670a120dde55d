// SPDX-License-Identifier: BSL-1.0
// Every definition of lkt that is no template, and those of Boost.JSON: for one translation unit of
// a program. CMake's lkt::lkt does this by itself; elsewhere, one file says #include <lkt/src.hpp>.
#pragma once

#include <lkt/core/src.hpp>
#include <lkt/evaluate/src.hpp>
#include <lkt/gpu/cuda/src.hpp>
#include <lkt/gpu/device/src.hpp>
#include <lkt/gpu/hip/src.hpp>
#include <lkt/gpu/src.hpp>
#include <lkt/gpu/webgpu/src.hpp>
#include <lkt/graph/src.hpp>
#include <lkt/kernel/src.hpp>
#include <lkt/lang/cuda/src.hpp>
#include <lkt/lang/diagnostics/src.hpp>
#include <lkt/lang/expression/src.hpp>
#include <lkt/lang/src.hpp>
#include <lkt/lang/wgsl/src.hpp>
#include <lkt/lang/wgsl_as_cpp/src.hpp>
#include <lkt/llm/src.hpp>
#include <lkt/nodes/src.hpp>
#include <lkt/problems/src.hpp>
#include <lkt/process/src.hpp>
#include <lkt/report/src.hpp>
#include <lkt/scan/cublaslt/src.hpp>
#include <lkt/scan/src.hpp>
#include <lkt/search/src.hpp>
#include <lkt/store/src.hpp>
#include <lkt/strategies/src.hpp>
#include <lkt/tuner/src.hpp>
#include <lkt/verify/src.hpp>

#include <boost/json/src.hpp>
