// SPDX-License-Identifier: MIT
#include "client/approval/core/text_glob.h"

#include <vector>

namespace filecall::client {

bool fits_text_glob(std::string_view glob, std::string_view text, bool stops_at_slash) {
  // Which places of the glob may be reached after each character of the text.
  std::vector<char> here(glob.size() + 1, 0);
  std::vector<char> next(glob.size() + 1, 0);
  const auto spread = [&](std::vector<char>& places) {
    for (std::size_t i = 0; i < glob.size(); ++i) {
      if (places[i] != 0 && glob[i] == '*') places[i + 1] = 1;
    }
  };
  here[0] = 1;
  spread(here);
  for (const char c : text) {
    next.assign(glob.size() + 1, 0);
    for (std::size_t i = 0; i < glob.size(); ++i) {
      if (here[i] == 0) continue;
      const bool is_double = glob[i] == '*' && ((i + 1 < glob.size() && glob[i + 1] == '*') ||
                                                (i > 0 && glob[i - 1] == '*'));
      if (glob[i] == '*') {
        if (c != '/' || !stops_at_slash || is_double) next[i] = 1;
      } else if (glob[i] == c || (glob[i] == '?' && !(c == '/' && stops_at_slash))) {
        next[i + 1] = 1;
      }
    }
    spread(next);
    here.swap(next);
  }
  return here[glob.size()] != 0;
}

std::string plain_path(std::string_view path) {
  const bool is_absolute = path.starts_with('/');
  std::vector<std::string_view> parts;
  for (std::size_t at = 0; at <= path.size();) {
    const std::size_t end = std::min(path.find('/', at), path.size());
    const std::string_view part = path.substr(at, end - at);
    at = end + 1;
    if (part.empty() || part == ".") continue;
    if (part != "..") {
      parts.push_back(part);
    } else if (!parts.empty() && parts.back() != "..") {
      parts.pop_back();
    } else if (!is_absolute) {
      parts.push_back(part);
    }
  }
  std::string out = is_absolute ? "/" : "";
  for (const std::string_view part : parts) {
    if (!out.empty() && out.back() != '/') out += '/';
    out += part;
  }
  return out.empty() ? "." : out;
}

std::string absolute_path(std::string_view from, std::string_view path) {
  if (path.starts_with('/')) return plain_path(path);
  if (!from.starts_with('/')) return {};
  return plain_path(std::string(from) + "/" + std::string(path));
}

std::string relative_path(std::string_view from, std::string_view path) {
  const std::string whole = absolute_path(from, path);
  const std::string base = plain_path(from);
  if (whole.empty() || base.empty() || base == ".") return {};
  if (whole == base) return ".";
  const std::string folder = base == "/" ? base : base + "/";
  return whole.starts_with(folder) ? whole.substr(folder.size()) : std::string();
}

}  // namespace filecall::client
