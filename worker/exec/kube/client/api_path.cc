// SPDX-License-Identifier: MIT
#include "worker/exec/kube/client/api_path.h"

#include <fmt/core.h>

#include <algorithm>

namespace filecall::worker::kube {
namespace {

constexpr std::size_t kNameBytesMax = 253;
constexpr std::size_t kLabelBytesMax = 63;

std::string root_of(const Resource& resource) {
  // Discovery's words are a server's: they too stay in their segments.
  const std::string version = percent_encode(resource.version);
  return resource.group.empty()
             ? "/api/" + version
             : fmt::format("/apis/{}/{}", percent_encode(resource.group), version);
}

}  // namespace

std::string_view mistake_of_name(std::string_view name) {
  if (name.empty()) return "must not be empty";
  if (name.size() > kNameBytesMax) return "must have at most 253 bytes";
  if (name == "." || name == "..") return "must not be '.' or '..'";
  const bool is_clean = std::ranges::none_of(name, [](char c) {
    return c == '/' || c == '%' || static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
  });
  return is_clean ? "" : "must not hold '/', '%' or control characters";
}

std::string_view mistake_of_namespace(std::string_view name) {
  const auto is_alphanumeric = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
  };
  const bool is_label =
      !name.empty() && name.size() <= kLabelBytesMax && is_alphanumeric(name.front()) &&
      is_alphanumeric(name.back()) &&
      std::ranges::all_of(name, [&](char c) { return is_alphanumeric(c) || c == '-'; });
  return is_label ? "" : "must be a DNS label (a-z, 0-9 and '-', at most 63)";
}

std::string collection_path(const Resource& resource, std::string_view name_space) {
  const std::string plural = percent_encode(resource.plural);
  if (name_space.empty()) return fmt::format("{}/{}", root_of(resource), plural);
  return fmt::format("{}/namespaces/{}/{}", root_of(resource), percent_encode(name_space), plural);
}

std::string object_path(const Resource& resource, std::string_view name_space,
                        std::string_view name, std::string_view subresource) {
  std::string path =
      fmt::format("{}/{}", collection_path(resource, name_space), percent_encode(name));
  if (!subresource.empty()) path += fmt::format("/{}", subresource);
  return path;
}

std::string_view namespace_in(std::string_view path) {
  constexpr std::string_view kBefore = "/namespaces/";
  path = path.substr(0, path.find('?'));
  const std::size_t begin = path.find(kBefore);
  if (begin == std::string_view::npos) return {};
  path.remove_prefix(begin + kBefore.size());
  const std::size_t end = path.find('/');
  // Without more it is the path of the namespace itself.
  return end == std::string_view::npos ? std::string_view() : path.substr(0, end);
}

std::string collection_of(std::string_view path, std::string_view name) {
  path = path.substr(0, path.find('?'));
  if (name.empty() || is_discovery_path(path)) return "";
  const std::string segment = "/" + percent_encode(name);
  // From the end: a namespace may be called as its object, or as its collection.
  for (std::size_t at = path.rfind(segment); at != path.npos && at > 0;
       at = path.rfind(segment, at - 1)) {
    const std::size_t end = at + segment.size();
    if (end == path.size() || path[end] == '/') return std::string(path.substr(0, at));
  }
  return "";
}

bool is_discovery_path(std::string_view path) {
  path = path.substr(0, path.find('?'));
  const auto depth = std::ranges::count(path, '/');
  if (path.starts_with("/openapi/")) return true;
  if (path == "/version" || path == "/api" || path == "/apis") return true;
  return (path.starts_with("/api/") && depth == 2) || (path.starts_with("/apis/") && depth == 3);
}

std::string percent_encode(std::string_view text) {
  constexpr std::string_view kPlain = "-._~";
  std::string out;
  for (const char c : text) {
    const bool is_word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (is_word || kPlain.find(c) != std::string_view::npos) {
      out += c;
    } else {
      out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return out;
}

std::string with_query(std::string path,
                       const std::vector<std::pair<std::string, std::string>>& parameters) {
  char separator = '?';
  for (const auto& [name, value] : parameters) {
    if (value.empty()) continue;
    path += fmt::format("{}{}={}", separator, percent_encode(name), percent_encode(value));
    separator = '&';
  }
  return path;
}

}  // namespace filecall::worker::kube
