// SPDX-License-Identifier: BSL-1.0
// The definitions of this layer; <lkt/src.hpp> gathers all layers.
#pragma once

#include <lkt/report/impl/attack_jsonl.ipp>
#include <lkt/report/impl/certificate.ipp>
#include <lkt/report/impl/certificate_reader.ipp>
#include <lkt/report/impl/certificate_replay.ipp>
#include <lkt/report/impl/chrome_trace.ipp>
#include <lkt/report/impl/header_launch.ipp>
#include <lkt/report/impl/json.ipp>
#include <lkt/report/impl/kernel_entries.ipp>
#include <lkt/report/impl/kernel_examples.ipp>
#include <lkt/report/impl/kernel_file.ipp>
#include <lkt/report/impl/kernel_header.ipp>
#include <lkt/report/impl/text.ipp>
#include <lkt/report/impl/trace_file.ipp>
#include <lkt/report/impl/trace_jsonl.ipp>
#include <lkt/report/impl/verification.ipp>
