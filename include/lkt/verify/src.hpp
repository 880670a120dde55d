// SPDX-License-Identifier: BSL-1.0
// The definitions of this layer; <lkt/src.hpp> gathers all layers.
#pragma once

#include <lkt/verify/impl/all_of.ipp>
#include <lkt/verify/impl/classify.ipp>
#include <lkt/verify/impl/compare.ipp>
#include <lkt/verify/impl/convert_array.ipp>
#include <lkt/verify/impl/declared_tests.ipp>
#include <lkt/verify/impl/draw.ipp>
#include <lkt/verify/impl/draw_special.ipp>
#include <lkt/verify/impl/draw_structured.ipp>
#include <lkt/verify/impl/function_oracle.ipp>
#include <lkt/verify/impl/generated_sizes.ipp>
#include <lkt/verify/impl/guards.ipp>
#include <lkt/verify/impl/npy.ipp>
#include <lkt/verify/impl/oracle.ipp>
#include <lkt/verify/impl/oracle_checks.ipp>
#include <lkt/verify/impl/other_oracle.ipp>
#include <lkt/verify/impl/output_oracle.ipp>
#include <lkt/verify/impl/pattern.ipp>
#include <lkt/verify/impl/problem_oracle.ipp>
#include <lkt/verify/impl/properties.ipp>
#include <lkt/verify/impl/python_script.ipp>
#include <lkt/verify/impl/random.ipp>
#include <lkt/verify/impl/recorded_oracle.ipp>
#include <lkt/verify/impl/script_oracle.ipp>
#include <lkt/verify/impl/script_tests.ipp>
#include <lkt/verify/impl/signature_tests.ipp>
#include <lkt/verify/impl/static_checks.ipp>
#include <lkt/verify/impl/suite.ipp>
#include <lkt/verify/impl/test_check.ipp>
#include <lkt/verify/impl/test_inputs.ipp>
#include <lkt/verify/impl/timed_size.ipp>
#include <lkt/verify/impl/tolerance.ipp>
#include <lkt/verify/impl/user_tests.ipp>
#include <lkt/verify/impl/verify.ipp>
