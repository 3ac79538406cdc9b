// SPDX-License-Identifier: MIT
#include "worker/file_setup.h"

#include <fmt/core.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include "worker/exec/file/file_rules.h"
#include "worker/exec/tool/tool_sandbox.h"

namespace filecall::worker {
namespace {

/// As it is written, from "/" on; "." and ".." are taken out.
std::string absolute_path(const std::string& path) {
  std::error_code error;
  std::string text = std::filesystem::absolute(path, error).lexically_normal().string();
  if (error) return path;
  while (text.size() > 1 && text.ends_with('/')) text.pop_back();
  return text;
}

Result<void> check_writable(const Config& config, const file::FileConfig& files,
                            const std::string& home) {
  for (const std::string& path : files.writable) {
    const std::string real = canonical_path(path);
    const bool has_root = std::ranges::any_of(files.roots, [&](const std::string& root) {
      return file::is_beneath(real, canonical_path(root));
    });
    if (!has_root) {
      return fail(ErrorCode::kInvalidArgument,
                  fmt::format("file.writable: {} is beneath none of file.roots", path));
    }
    const bool is_home = !home.empty() && real == canonical_path(home);
    if (config.tool.allow_home || (real != "/" && !is_home)) continue;
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("file.writable: {} is {}, so that requests could change all of it; "
                            "name the directories that they work in, or accept it with "
                            "--allow-home",
                            path, is_home ? "the home directory" : "the root directory"));
  }
  return {};
}

}  // namespace

Result<file::FileConfig> complete_file_config(const Config& config) {
  const char* home = std::getenv("HOME");
  file::FileConfig files = config.file;
  for (auto* paths : {&files.roots, &files.writable}) {
    for (std::string& path : *paths) path = absolute_path(path);
  }
  TRY(check_writable(config, files, home == nullptr ? "" : home));
  for (const auto* paths : {&config.tool.own_files, &config.roots}) {
    for (const std::string& path : *paths) files.own_paths.push_back(canonical_path(path));
  }
  files.own_paths.emplace_back("/proc");
  if (!config.log.path.empty()) {
    files.own_log = canonical_path(config.log.path);
    files.own_paths.push_back(files.own_log);
  }
  for (const std::string& path : files.own_paths) {
    struct stat info {};
    if (::stat(path.c_str(), &info) == 0) files.own_ids.emplace_back(info.st_dev, info.st_ino);
  }
  for (const std::string& root : files.roots) files.real_roots.push_back(canonical_path(root));
  TRY(file::FileRules::compile(files));
  return files;
}

std::vector<std::string> missing_file_roots(const file::FileConfig& config) {
  std::vector<std::string> missing;
  const auto look = [&missing](std::string_view setting, const std::vector<std::string>& paths) {
    for (const std::string& path : paths) {
      std::error_code status;
      if (std::filesystem::is_directory(path, status)) continue;
      missing.push_back(fmt::format(
          "{}: {}: {}; requests find nothing there until it is made, or the path corrected",
          setting, path,
          std::filesystem::exists(path, status) ? "is no directory" : "there is none"));
    }
  };
  look("file.roots", config.roots);
  look("file.writable", config.writable);
  return missing;
}

}  // namespace filecall::worker
