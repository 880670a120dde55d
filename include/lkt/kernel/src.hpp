// SPDX-License-Identifier: BSL-1.0
// The definitions of this layer; <lkt/src.hpp> gathers all layers.
#pragma once

#include <lkt/kernel/impl/argument_data.ipp>
#include <lkt/kernel/impl/definitions.ipp>
#include <lkt/kernel/impl/device.ipp>
#include <lkt/kernel/impl/diagnostic_words.ipp>
#include <lkt/kernel/impl/diagnostics.ipp>
#include <lkt/kernel/impl/expanded_text.ipp>
#include <lkt/kernel/impl/expression.ipp>
#include <lkt/kernel/impl/failure.ipp>
#include <lkt/kernel/impl/instantiation.ipp>
#include <lkt/kernel/impl/launch.ipp>
#include <lkt/kernel/impl/launch_dimensions.ipp>
#include <lkt/kernel/impl/launch_formula.ipp>
#include <lkt/kernel/impl/measurement.ipp>
#include <lkt/kernel/impl/own_text.ipp>
#include <lkt/kernel/impl/parameters.ipp>
#include <lkt/kernel/impl/parse_parameter.ipp>
#include <lkt/kernel/impl/preprocess.ipp>
#include <lkt/kernel/impl/problem.ipp>
#include <lkt/kernel/impl/problem_arguments.ipp>
#include <lkt/kernel/impl/problem_bindings.ipp>
#include <lkt/kernel/impl/problem_file.ipp>
#include <lkt/kernel/impl/problem_parameters.ipp>
#include <lkt/kernel/impl/problem_promises.ipp>
#include <lkt/kernel/impl/problem_tests.ipp>
#include <lkt/kernel/impl/problem_text.ipp>
#include <lkt/kernel/impl/signature.ipp>
#include <lkt/kernel/impl/similarity.ipp>
#include <lkt/kernel/impl/text_location.ipp>
#include <lkt/kernel/impl/tokens.ipp>
#include <lkt/kernel/impl/value_type.ipp>
#include <lkt/kernel/impl/wgsl.ipp>
#include <lkt/kernel/impl/wgsl_cpp.ipp>
#include <lkt/kernel/impl/wgsl_kernel.ipp>
#include <lkt/kernel/impl/wgsl_zeros.ipp>
