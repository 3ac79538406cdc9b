// SPDX-License-Identifier: MIT
#include "worker/exec/git/kept_settings.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <set>

namespace filecall::worker::git {
namespace {

constexpr std::string_view kExtension = "extensions.";

char lower(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }

std::string lower_case(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), lower);
  return out;
}

const std::set<std::string, std::less<>>& kept_names() {
  static const std::set<std::string, std::less<>> names = {
      "core.repositoryformatversion",
      "core.bare",
      "core.worktree",
      "core.filemode",
      "core.symlinks",
      "core.ignorecase",
      "core.precomposeunicode",
      "core.protecthfs",
      "core.protectntfs",
      "core.autocrlf",
      "core.eol",
      "core.safecrlf",
      "core.logallrefupdates",
      "core.trustctime",
      "index.version",
      "user.name",
      "user.email",
  };
  return names;
}

std::string quoted_value(std::string_view value) {
  std::string out = "\"";
  for (const char c : value) {
    switch (c) {
      case '"':
      case '\\':
        out += '\\';
        out += c;
        break;
      case '\n':
        out += "\\n";
        break;
      case '\t':
        out += "\\t";
        break;
      case '\b':
        out += "\\b";
        break;
      default:
        out += c;
    }
  }
  return out + "\"";
}

}  // namespace

Result<void> check_no_includes(std::string_view text) {
  const std::string plain = lower_case(text);
  for (std::size_t at = plain.find('['); at != plain.npos; at = plain.find('[', at + 1)) {
    const std::size_t name = plain.find_first_not_of(" \t\r\n\\", at + 1);
    if (name == plain.npos || !std::string_view(plain).substr(name).starts_with("include")) {
      continue;
    }
    return fail(ErrorCode::kPermissionDenied,
                "its configuration takes in other files (include.path), which may lie anywhere; "
                "put into it what they say, and take the [include] out");
  }
  return {};
}

Settings kept_settings(const Settings& settings) {
  Settings kept;
  for (const auto& [name, value] : settings) {
    if (kept_names().contains(name) || name.starts_with(kExtension)) kept[name] = value;
  }
  return kept;
}

std::string settings_text(const Settings& settings) {
  std::string text;
  for (const auto& [name, value] : settings) {
    const std::size_t dot = name.find('.');
    if (name.starts_with(kExtension)) continue;
    text += fmt::format("[{}]\n\t{} = {}\n", name.substr(0, dot), name.substr(dot + 1),
                        quoted_value(value));
  }
  return text;
}

Result<void> check_repository_form(const Settings& settings) {
  const auto version = settings.find("core.repositoryformatversion");
  const std::string text = version == settings.end() ? "0" : version->second;
  if (text != "0" && text != "1") {
    return fail(
        ErrorCode::kUnimplemented,
        fmt::format("its form (core.repositoryformatversion) is {}; 0 and 1 are known", text));
  }
  for (const auto& [name, value] : settings) {
    if (!name.starts_with(kExtension)) continue;
    const std::string extension = name.substr(kExtension.size());
    if (extension == "noop" || extension == "preciousobjects") continue;
    if (extension == "objectformat" && lower_case(value) == "sha1") continue;
    return fail(ErrorCode::kUnimplemented,
                fmt::format("it uses the extension '{}', which is not known here; use git for this "
                            "repository",
                            extension));
  }
  return {};
}

bool is_true(const Settings& settings, const std::string& name) {
  const auto found = settings.find(name);
  if (found == settings.end()) return false;
  const std::string value = lower_case(found->second);
  return value == "true" || value == "yes" || value == "on" || value == "1";
}

}  // namespace filecall::worker::git
