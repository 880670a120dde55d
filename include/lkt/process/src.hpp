// SPDX-License-Identifier: BSL-1.0
// The definitions of this layer; <lkt/src.hpp> gathers all layers.
#pragma once

#include <lkt/process/impl/cell.ipp>
#include <lkt/process/impl/cell_outcome.ipp>
#include <lkt/process/impl/child.ipp>
#include <lkt/process/impl/confined_helper.ipp>
#include <lkt/process/impl/kept_child.ipp>
#include <lkt/process/impl/sandbox.ipp>
#include <lkt/process/impl/service.ipp>
#include <lkt/process/impl/shared_memory.ipp>
#include <lkt/process/impl/unique_fd.ipp>
#include <lkt/process/impl/wire.ipp>
#include <lkt/process/impl/worker.ipp>
#include <lkt/process/impl/worker_main.ipp>
