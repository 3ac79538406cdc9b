// SPDX-License-Identifier: MIT
#include "client/batch/image_file.h"

#include <fmt/core.h>

#include <utility>

#include "base/base64.h"
#include "ipc/json_text.h"
#include "os/regular_file.h"

namespace filecall::client {
namespace {

Result<std::string> read_image(const std::string& path) {
  auto bytes = read_regular_file(path, kImageBytesMax);
  if (!bytes && bytes.error().code == ErrorCode::kResourceExhausted) {
    return fail(ErrorCode::kResourceExhausted,
                fmt::format("{}: larger than {} bytes, the largest image", path, kImageBytesMax));
  }
  if (!bytes) return Unexpected(bytes.error());
  const auto type = image_type(*bytes);
  if (!type) {
    return fail(ErrorCode::kInvalidArgument, path + ": is no PNG, JPEG, GIF or WebP");
  }
  return fmt::format("data:{};base64,{}", *type, base64_encode(*bytes));
}

}  // namespace

std::optional<std::string_view> image_type(std::string_view bytes) {
  using namespace std::string_view_literals;
  if (bytes.starts_with("\x89PNG\r\n\x1a\n"sv)) return "image/png"sv;
  if (bytes.starts_with("\xff\xd8\xff"sv)) return "image/jpeg"sv;
  if (bytes.starts_with("GIF87a"sv) || bytes.starts_with("GIF89a"sv)) return "image/gif"sv;
  const bool is_webp = bytes.starts_with("RIFF"sv) && bytes.size() >= 12;
  if (is_webp && bytes.substr(8, 4) == "WEBP"sv) return "image/webp"sv;
  return std::nullopt;
}

ImageReader image_reader(std::vector<std::string> folders) {
  return [folders = std::move(folders)](const std::string& place) -> Result<std::string> {
    for (const char* prefix : {"http://", "https://", "data:image/"}) {
      if (place.starts_with(prefix)) return place;
    }
    if (place.find('\0') != std::string::npos) {
      return fail(ErrorCode::kInvalidArgument, "the path has a NUL character");
    }
    if (place.starts_with('/')) return read_image(place);
    for (const std::string& folder : folders) {
      auto read = read_image(folder + "/" + place);
      if (read || read.error().code != ErrorCode::kNotFound) return read;
    }
    return fail(ErrorCode::kNotFound,
                fmt::format("{}: no such file beside the input", excerpt(place, 200)));
  };
}

}  // namespace filecall::client
