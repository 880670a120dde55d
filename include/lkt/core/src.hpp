// SPDX-License-Identifier: BSL-1.0
// The definitions of this layer; <lkt/src.hpp> gathers all layers.
#pragma once

#include <lkt/core/impl/byte_buffer.ipp>
#include <lkt/core/impl/error.ipp>
#include <lkt/core/impl/files.ipp>
#include <lkt/core/impl/folder_store.ipp>
#include <lkt/core/impl/json_keys.ipp>
#include <lkt/core/impl/log.ipp>
#include <lkt/core/impl/near_name.ipp>
#include <lkt/core/impl/parallel.ipp>
#include <lkt/core/impl/plain_text.ipp>
#include <lkt/core/impl/quantity.ipp>
#include <lkt/core/impl/secret_stream.ipp>
#include <lkt/core/impl/sha256.ipp>
#include <lkt/core/impl/string_tools.ipp>
#include <lkt/core/impl/units.ipp>
#include <lkt/core/impl/wait.ipp>
