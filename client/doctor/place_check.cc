// SPDX-License-Identifier: MIT
#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <sstream>

#include "client/doctor/checks.h"
#include "os/io.h"

namespace filecall::client {
namespace {

constexpr std::size_t kRulesBytesMax = 256 * 1024;
/// In the order in which a file hides one of the same name.
constexpr const char* kRuleFolders[] = {"/etc/tmpfiles.d", "/run/tmpfiles.d",
                                        "/usr/local/lib/tmpfiles.d", "/usr/lib/tmpfiles.d"};

bool lies_in(std::string_view path, std::string_view folder) {
  while (folder.size() > 1 && folder.ends_with('/')) folder.remove_suffix(1);
  return path == folder ||
         (path.starts_with(folder) && path.substr(folder.size()).starts_with('/'));
}

/// Folder by folder, a file's text by its path.
std::map<std::string, std::string> read_rules() {
  std::map<std::string, std::string> by_name;
  for (const char* folder : kRuleFolders) {
    std::error_code status;
    for (const auto& entry : std::filesystem::directory_iterator(folder, status)) {
      if (entry.path().extension() == ".conf") {
        by_name.try_emplace(entry.path().filename().string(), entry.path().string());
      }
    }
  }
  std::map<std::string, std::string> texts;
  for (const auto& [name, path] : by_name) {
    if (auto text = read_file(path, kRulesBytesMax)) texts[path] = std::move(*text);
  }
  return texts;
}

}  // namespace

std::string emptied_text(std::string_view root, std::string_view rules) {
  std::istringstream lines{std::string(rules)};
  std::string found;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string type, path, mode, user, group, age;
    words >> type >> path >> mode >> user >> group >> age;
    if (type.empty() || type.starts_with('#') || !lies_in(root, path)) continue;
    const char kind = type[0];
    if (kind == 'x') return {};  // Never cleaned.
    const bool is_removed = kind == 'D' || kind == 'R';
    const bool is_aged = std::string_view("dDeqQvC").find(kind) != std::string_view::npos &&
                         !age.empty() && age != "-";
    if (is_removed) found = fmt::format("{}, which is emptied at each start of the machine", path);
    if (is_aged && !is_removed) {
      found = fmt::format("{}, where what nobody has used for {} is removed", path, age);
    }
  }
  return found;
}

void check_place(const spool::Layout& layout, Findings& findings) {
  std::error_code status;
  const std::string root = std::filesystem::weakly_canonical(layout.root(), status).string();
  for (const auto& [file, text] : read_rules()) {
    const std::string emptied = emptied_text(root, text);
    if (emptied.empty()) continue;
    findings.push_back(
        {Severity::kNote, "root", fmt::format("{} lies in {} ({})", layout.root(), emptied, file),
         "requests and answers go with it: keep what must last elsewhere, with --root or "
         "$FILECALL_ROOT, such as ~/.local/state/filecall or /var/spool/filecall"});
    return;
  }
}

}  // namespace filecall::client
