// SPDX-License-Identifier: BSL-1.0
// The definitions of this layer; <lkt/src.hpp> gathers all layers.
#pragma once

#include <lkt/problems/impl/kernel_note.ipp>
#include <lkt/problems/impl/problem_arguments.ipp>
#include <lkt/problems/impl/problem_bindings.ipp>
#include <lkt/problems/impl/problem_file.ipp>
#include <lkt/problems/impl/problem_operation.ipp>
#include <lkt/problems/impl/problem_parameters.ipp>
#include <lkt/problems/impl/problem_promises.ipp>
#include <lkt/problems/impl/problem_size_names.ipp>
#include <lkt/problems/impl/problem_tests.ipp>
#include <lkt/problems/impl/problem_text.ipp>
