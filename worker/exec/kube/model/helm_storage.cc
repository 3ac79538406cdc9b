// SPDX-License-Identifier: MIT
#include "worker/exec/kube/model/helm_storage.h"

#include <fmt/core.h>
#include <zlib.h>

#include <algorithm>
#include <charconv>

#include "base/base64.h"
#include "worker/exec/json_read.h"
#include "worker/exec/kube/model/yaml_reader.h"

namespace filecall::worker::kube {
namespace {

constexpr std::string_view kHelmPrefix = "sh.helm.release.v1.";
constexpr std::string_view kGzipMagic = "\x1f\x8b\x08";
constexpr std::size_t kInflateBytes = 64 * 1024;
constexpr std::size_t kHelmDocumentsMax = 5000;

Result<std::string> gunzip(std::string_view packed, std::size_t bytes_max) {
  z_stream stream{};
  constexpr int kGzip = 16;  // Beside the size of the window: a gzip header is expected.
  if (::inflateInit2(&stream, MAX_WBITS + kGzip) != Z_OK) {
    return fail(ErrorCode::kResourceExhausted, "no memory to unpack the release");
  }
  std::string out;
  std::string piece(kInflateBytes, '\0');
  std::string input(packed);  // zlib's input is not const.
  stream.next_in = reinterpret_cast<Bytef*>(input.data());
  stream.avail_in = static_cast<uInt>(input.size());
  int result = Z_OK;
  while (result == Z_OK && out.size() <= bytes_max) {
    stream.next_out = reinterpret_cast<Bytef*>(piece.data());
    stream.avail_out = static_cast<uInt>(piece.size());
    result = ::inflate(&stream, Z_NO_FLUSH);
    out.append(piece, 0, piece.size() - stream.avail_out);
  }
  ::inflateEnd(&stream);
  if (out.size() > bytes_max) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("the release has more than {} bytes when it is unpacked", bytes_max));
  }
  if (result != Z_STREAM_END) {
    return fail(ErrorCode::kInvalidArgument, "the release is no whole gzip data");
  }
  return out;
}

/// The documents of a manifest, one bad one apart from the others.
std::vector<std::string> documents_of(std::string_view manifest) {
  std::vector<std::string> out(1);
  while (!manifest.empty()) {
    const std::size_t end = std::min(manifest.find('\n'), manifest.size() - 1) + 1;
    const std::string_view line = manifest.substr(0, end);
    const bool is_border = line.starts_with("---") && (line.size() == 3 || line[3] <= ' ');
    if (is_border) {
      out.emplace_back(line.substr(3));  // A document may begin on the line of its border.
    } else {
      out.back() += line;
    }
    manifest.remove_prefix(end);
  }
  return out;
}

void add_objects(std::string_view manifest, bool is_hook, HelmRelease& out) {
  for (const std::string& text : documents_of(manifest)) {
    auto documents = out.objects.size() < kHelmDocumentsMax
                         ? read_yaml(text)
                         : fail(ErrorCode::kInvalidArgument, "too many documents");
    if (!documents) {
      ++out.unreadable;
      out.may_hide_secret = out.may_hide_secret || text.find("Secret") != text.npos;
      continue;
    }
    for (Json& document : *documents) {
      if (!document.is_object()) continue;
      if (is_hook) document["hook"] = true;
      out.objects.push_back(std::move(document));
    }
  }
}

}  // namespace

std::optional<HelmObjectName> parse_helm_object_name(std::string_view name) {
  if (!name.starts_with(kHelmPrefix)) return std::nullopt;
  name.remove_prefix(kHelmPrefix.size());
  const std::size_t dot = name.rfind(".v");
  if (dot == name.npos || dot == 0) return std::nullopt;
  HelmObjectName out{std::string(name.substr(0, dot))};
  const std::string_view digits = name.substr(dot + 2);
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), out.revision);
  const bool is_number = error == std::errc() && end == digits.data() + digits.size();
  if (!is_number || out.revision < 1) return std::nullopt;
  return out;
}

Result<std::string> unpack_helm_release(std::string_view packed, std::size_t bytes_max) {
  auto bytes = base64_decode(packed);
  if (!bytes) return fail(ErrorCode::kInvalidArgument, "the release is no base64");
  // Helm reads releases that old versions did not pack.
  if (bytes->starts_with(kGzipMagic)) return gunzip(*bytes, bytes_max);
  if (bytes->size() > bytes_max) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("the release has more than {} bytes", bytes_max));
  }
  return *std::move(bytes);
}

HelmRelease read_helm_release(const Json& release) {
  HelmRelease out;
  const Json& info = member(release, "info");
  const Json& chart = member(member(release, "chart"), "metadata");
  Json& summary = out.summary;
  summary = Json::object();
  const auto add = [&summary](const char* name, std::string text) {
    if (!text.empty()) summary[name] = std::move(text);
  };
  add("name", text_member(release, "name"));
  add("namespace", text_member(release, "namespace"));
  if (member(release, "version").is_number_integer())
    summary["revision"] = member(release, "version");
  add("status", text_member(info, "status"));
  add("description", text_member(info, "description"));
  add("firstDeployed", text_member(info, "first_deployed"));
  add("lastDeployed", text_member(info, "last_deployed"));
  add("chart", text_member(chart, "name"));
  add("chartVersion", text_member(chart, "version"));
  add("appVersion", text_member(chart, "appVersion"));
  const Json& config = member(release, "config");
  out.values = config.is_object() ? config : Json::object();
  add_objects(text_member(release, "manifest"), false, out);
  if (const Json& hooks = member(release, "hooks"); hooks.is_array()) {
    for (const Json& hook : hooks) add_objects(text_member(hook, "manifest"), true, out);
  }
  return out;
}

}  // namespace filecall::worker::kube
