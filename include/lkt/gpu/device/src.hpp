// SPDX-License-Identifier: BSL-1.0
// What back ends with a device in a worker share; <lkt/src.hpp> gathers all layers.
#pragma once

#include <lkt/gpu/device/impl/client.ipp>
#include <lkt/gpu/device/impl/fills.ipp>
#include <lkt/gpu/device/impl/job.ipp>
#include <lkt/gpu/device/impl/series.ipp>
