// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "client/batch/scripted_request.h"

namespace filecall::client {

/// The largest image that goes into a request: what providers take.
inline constexpr std::size_t kImageBytesMax = 5 * 1024 * 1024;

/// "image/png", "image/jpeg", "image/gif" or "image/webp", by the first bytes; nullopt: none of
/// these. Pure.
std::optional<std::string_view> image_type(std::string_view bytes);

/// Reads what a row names: http(s) URLs and data URIs are as they are, all else is the path of a
/// file, looked for below `folders`, in order, when it is relative. Failures: not_found,
/// invalid_argument (no image), resource_exhausted (larger than kImageBytesMax), the file's.
ImageReader image_reader(std::vector<std::string> folders);

}  // namespace filecall::client
