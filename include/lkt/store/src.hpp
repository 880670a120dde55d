// SPDX-License-Identifier: BSL-1.0
// The definitions of this layer; <lkt/src.hpp> gathers all layers.
#pragma once

#include <lkt/store/impl/checkpoint.ipp>
#include <lkt/store/impl/checksum.ipp>
#include <lkt/store/impl/codec.ipp>
#include <lkt/store/impl/journal.ipp>
#include <lkt/store/impl/journal_body.ipp>
#include <lkt/store/impl/journal_file.ipp>
#include <lkt/store/impl/journalled.ipp>
#include <lkt/store/impl/kernel_entry.ipp>
#include <lkt/store/impl/kernel_store.ipp>
#include <lkt/store/impl/record.ipp>
