// SPDX-License-Identifier: MIT
#include "client/promptfoo/import_disk.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <glob.h>
#include <sys/stat.h>

#include <filesystem>
#include <utility>

#include "client/batch/table_reader.h"
#include "ipc/limits.h"
#include "os/io.h"
#include "os/regular_file.h"

namespace filecall::client {
namespace {

constexpr std::size_t kForeignFileBytesMax = 64 * 1024 * 1024;
constexpr unsigned kScriptMode = 0700;
constexpr unsigned kFileMode = 0600;

}  // namespace

std::string DiskImportFiles::full(const std::string& path) const {
  return (std::filesystem::path(folder_) / path).string();
}

Result<std::string> DiskImportFiles::read(const std::string& path) {
  return read_named_file(full(path), kForeignFileBytesMax);
}

Result<std::vector<ForeignRow>> DiskImportFiles::read_table(const std::string& path) {
  struct stat info {};
  if (::stat(full(path).c_str(), &info) != 0) return fail_errno(errno, full(path));
  if (!S_ISREG(info.st_mode)) {  // To open a FIFO waits for its writer.
    return fail(ErrorCode::kInvalidArgument, full(path) + ": not a regular file");
  }
  TRY_ASSIGN(UniqueFd file, open_file(full(path), O_RDONLY));
  const auto table = TableReader::open(std::move(file), path, ',', limits::kRequestBytes);
  std::vector<ForeignRow> rows;
  for (;;) {
    TRY_ASSIGN(auto row, table->next());
    if (!row) return rows;
    if (!row->problem.empty()) {
      return fail(ErrorCode::kInvalidArgument,
                  fmt::format("{}:{}: {}", path, row->line, row->problem));
    }
    rows.push_back({Json::parse(row->object), row->line});
  }
}

Result<std::vector<std::string>> DiskImportFiles::list(const std::string& pattern) {
  if (pattern.find_first_of("*?[") == std::string::npos) return std::vector{pattern};
  glob_t found{};
  const int status = ::glob(full(pattern).c_str(), 0, nullptr, &found);
  std::vector<std::string> paths;
  for (std::size_t i = 0; status == 0 && i < found.gl_pathc; ++i) {
    paths.push_back(std::filesystem::path(found.gl_pathv[i])
                        .lexically_relative(std::filesystem::path(folder_).lexically_normal())
                        .string());
    if (folder_.empty()) paths.back() = found.gl_pathv[i];
  }
  ::globfree(&found);
  if (status == 0 || status == GLOB_NOMATCH) return paths;
  return fail(ErrorCode::kUnknown, pattern + ": cannot be listed");
}

Result<void> write_imported(const std::string& folder,
                            const std::map<std::string, std::string>& files) {
  std::error_code status;
  if (std::filesystem::exists(folder, status) && !std::filesystem::is_empty(folder, status)) {
    return fail(ErrorCode::kAlreadyExists,
                folder + ": is there and not empty; name a new directory, or empty this one");
  }
  TRY(make_directories(folder));
  for (const auto& [name, text] : files) {
    const std::string path = folder + "/" + name;
    if (const auto slash = name.find('/'); slash != std::string::npos) {
      TRY(make_directories(folder + "/" + name.substr(0, slash)));
    }
    TRY_ASSIGN(const UniqueFd file, open_file(path, O_WRONLY | O_CREAT | O_EXCL,
                                              name.ends_with(".sh") ? kScriptMode : kFileMode));
    TRY(write_all(file.get(), text, path));
  }
  return {};
}

}  // namespace filecall::client
