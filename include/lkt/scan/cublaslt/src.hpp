// SPDX-License-Identifier: BSL-1.0
// The definitions of the engine cuBLASLt; <lkt/src.hpp> gathers all layers.
#pragma once

#include <lkt/scan/cublaslt/impl/api.ipp>
#include <lkt/scan/cublaslt/impl/cublaslt.ipp>
#include <lkt/scan/cublaslt/impl/device_parts.ipp>
#include <lkt/scan/cublaslt/impl/hipblaslt.ipp>
#include <lkt/scan/cublaslt/impl/product.ipp>
#include <lkt/scan/cublaslt/impl/product_service.ipp>
#include <lkt/scan/cublaslt/impl/session.ipp>
