// SPDX-License-Identifier: MIT
#include "client/threads/spilled_data.h"

#include <fmt/core.h>
#include <sys/stat.h>

#include <algorithm>
#include <utility>

#include "base/utf8.h"
#include "client/core/digest.h"
#include "ipc/limits.h"
#include "ipc/strict_parser.h"
#include "os/regular_file.h"
#include "spool/own_directory.h"
#include "spool/publish.h"

namespace filecall::client {
namespace {

constexpr std::size_t kHeadBytes = 1024;
constexpr std::size_t kSha256Digits = 64;
constexpr std::string_view kDigestPrefix = "sha256:";

bool is_sha256(std::string_view text) {
  return text.size() == kSha256Digits && std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
         });
}

std::string hex_sha256(std::string_view bytes) {
  return digest_of(bytes).substr(kDigestPrefix.size());
}

std::string head_of(std::string_view text) {
  std::string_view head = text.substr(0, kHeadBytes);
  head.remove_suffix(unfinished_utf8_end(head));
  return std::string(head);
}

}  // namespace

bool is_spilled(const Json& value) {
  if (!value.is_object() || value.size() != 3) return false;
  const auto digest = value.find("spilled");
  return digest != value.end() && digest->is_string() &&
         is_sha256(digest->get_ref<const std::string&>()) && value.contains("bytes") &&
         value.contains("head");
}

Result<Json> spill_if_large(const spool::Layout& layout, Json value, std::size_t bytes_max,
                            Durability durability) {
  const std::string text = dump_json(value);
  // What looks like a stand-in and is none would be taken for one.
  if (text.size() <= bytes_max && !is_spilled(value)) return value;
  TRY(spool::open_own_directory(layout.threads(), true));
  TRY_ASSIGN(const UniqueFd folder, spool::open_own_directory(layout.threads_data(), true));
  const std::string sha256 = hex_sha256(text);
  const std::string name = spool::Layout::file_name(sha256);
  // A file of that name that is not right (a crash before its sync) is written again.
  const auto there = read_regular_file(layout.thread_data(sha256), text.size());
  if (!there || *there != text) {
    TRY(spool::replace_file(folder.get(), name, text, durability));
  }
  return Json{{"spilled", sha256}, {"bytes", text.size()}, {"head", head_of(text)}};
}

Result<Json> read_spilled(const spool::Layout& layout, std::string_view sha256) {
  if (!is_sha256(sha256)) {
    return fail(ErrorCode::kInvalidArgument, fmt::format("'{}': no SHA-256 of 64 hex digits",
                                                         sanitize_utf8(sha256.substr(0, 80))));
  }
  const std::string path = layout.thread_data(sha256);
  TRY(spool::open_own_directory(layout.threads_data(), false));
  TRY_ASSIGN(const std::string text, read_regular_file(path, limits::kResponseBytesMax));
  if (hex_sha256(text) != sha256) {
    return fail(ErrorCode::kDataLoss,
                path + ": its bytes are not those that its name says; it was damaged or changed");
  }
  auto json = parse_strict(text, limits::kDepthMax, Strictness::kForeign, "data");
  if (!json) return fail(ErrorCode::kDataLoss, path + ": " + json.error().message);
  return std::move(*json);
}

Result<Json> whole_value(const spool::Layout& layout, const Json& value) {
  if (!is_spilled(value)) return value;
  return read_spilled(layout, value["spilled"].get_ref<const std::string&>());
}

}  // namespace filecall::client
