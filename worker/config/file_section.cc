// SPDX-License-Identifier: MIT
#include "worker/config/file_section.h"

#include <algorithm>
#include <iterator>

#include "worker/exec/file/file_rules.h"

namespace filecall::worker {
namespace {

void read_size(YamlSection& section, std::string_view key, std::size_t max, std::size_t& out) {
  std::uint64_t bytes = out;
  section.read_bytes(key, 1, max, bytes);
  out = bytes;
}

void read_limits_of_files(YamlSection& section, file::FileConfig& files) {
  read_size(section, "read_bytes", file::kReadBytesMax, files.read_bytes);
  read_size(section, "file_bytes", file::kFileBytesMax, files.file_bytes);
  auto results = static_cast<std::int64_t>(files.results);
  section.read_integer("results", 1, static_cast<std::int64_t>(file::kFileResultsMax), results);
  files.results = static_cast<std::size_t>(results);
}

void complain_of_globs(YamlSection& section, std::string_view key,
                       const std::vector<std::string>& globs) {
  // An absolute one is compared with the roots once these are absolute as well.
  std::vector<std::string> relative;
  std::ranges::copy_if(globs, std::back_inserter(relative),
                       [](const std::string& glob) { return !glob.starts_with('/'); });
  if (const auto list = file::NameList::compile(relative, {}); !list) {
    section.complain(key, list.error().message);
  }
}

}  // namespace

void read_file_section(YamlSection& section, Config& config) {
  file::FileConfig& files = config.file;
  section.read("roots", files.roots);
  section.read("writable", files.writable);
  std::vector<std::string> hidden;
  section.read("hidden", hidden);
  complain_of_globs(section, "hidden", hidden);
  files.hidden.insert(files.hidden.end(), hidden.begin(), hidden.end());
  std::vector<std::string> protect;
  section.read("protected", protect);
  complain_of_globs(section, "protected", protect);
  files.protect.insert(files.protect.end(), protect.begin(), protect.end());
  section.section("limits", [&](YamlSection& s) { read_limits_of_files(s, files); });
}

}  // namespace filecall::worker
