// SPDX-License-Identifier: BSL-1.0
// What back ends with a device in a worker share; <lkt/src.hpp> gathers all layers.
#pragma once

#include <lkt/gpu/device/impl/client.ipp>
#include <lkt/gpu/device/impl/compile_image.ipp>
#include <lkt/gpu/device/impl/compile_record.ipp>
#include <lkt/gpu/device/impl/compiler_worker.ipp>
#include <lkt/gpu/device/impl/fills.ipp>
#include <lkt/gpu/device/impl/job.ipp>
#include <lkt/gpu/device/impl/job_options.ipp>
#include <lkt/gpu/device/impl/job_pool.ipp>
#include <lkt/gpu/device/impl/kernel_job.ipp>
#include <lkt/gpu/device/impl/module_bare.ipp>
#include <lkt/gpu/device/impl/module_driver.ipp>
#include <lkt/gpu/device/impl/module_load.ipp>
#include <lkt/gpu/device/impl/module_memory.ipp>
#include <lkt/gpu/device/impl/module_run.ipp>
#include <lkt/gpu/device/impl/module_service.ipp>
#include <lkt/gpu/device/impl/module_session.ipp>
#include <lkt/gpu/device/impl/series.ipp>
#include <lkt/gpu/device/impl/standard_headers.ipp>
