// SPDX-License-Identifier: BSL-1.0
// The definitions of this layer; <lkt/src.hpp> gathers all layers.
#pragma once

#include <lkt/kernel/impl/argument_data.ipp>
#include <lkt/kernel/impl/bound_scalars.ipp>
#include <lkt/kernel/impl/device.ipp>
#include <lkt/kernel/impl/failure.ipp>
#include <lkt/kernel/impl/launch.ipp>
#include <lkt/kernel/impl/launch_dimensions.ipp>
#include <lkt/kernel/impl/launch_formula.ipp>
#include <lkt/kernel/impl/measurement.ipp>
#include <lkt/kernel/impl/peaks.ipp>
#include <lkt/kernel/impl/problem.ipp>
#include <lkt/kernel/impl/roofline.ipp>
#include <lkt/kernel/impl/signature.ipp>
#include <lkt/kernel/impl/tensor_map.ipp>
#include <lkt/kernel/impl/text_location.ipp>
#include <lkt/kernel/impl/value_type.ipp>
