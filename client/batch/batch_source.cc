// SPDX-License-Identifier: MIT
#include "client/batch/batch_source.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "os/clock.h"
#include "os/io.h"
#include "spool/publish.h"

namespace filecall::client {
namespace {

spool::FileIdentity identity_of(const struct stat& info) {
  return {info.st_ino, info.st_mtim.tv_sec * 1'000'000'000LL + info.st_mtim.tv_nsec, info.st_size};
}

std::string last_component(std::string path) {
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  return path.substr(path.rfind('/') + 1);
}

Result<void> copy_all(int from, int to, const std::string& path) {
  std::string buffer(256 * 1024, '\0');
  for (;;) {
    const ssize_t got = ::read(from, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail_errno(errno, "standard input: read");
    if (got == 0) return {};
    TRY(write_all(to, std::string_view(buffer).substr(0, static_cast<std::size_t>(got)), path));
  }
}

/// A stream can be read once but a batch is read twice, and again after an interruption.
Result<std::string> keep_stdin(const std::string& directory, int stdin_fd) {
  TRY(make_directories(directory));
  std::string stamp = format_rfc3339(wall_now());
  std::erase_if(stamp, [](char c) { return c == ':' || c == '-' || c == '.'; });
  const std::string name = fmt::format("stdin-{}-{}.jsonl", stamp, ::getpid());
  const std::string path = directory + "/" + name;
  TRY_ASSIGN(UniqueFd directory_fd, open_file(directory, O_RDONLY | O_DIRECTORY));
  TRY_ASSIGN(UniqueFd file, open_file(path, O_WRONLY | O_CREAT | O_EXCL));
  TRY(copy_all(stdin_fd, file.get(), path));
  if (::fsync(file.get()) != 0) return fail_errno(errno, path + ": fsync");
  TRY(spool::sync_directory(directory_fd.get()));
  return path;
}

RowSyntax syntax_of(const std::string& path) {
  if (path.ends_with(".csv")) return RowSyntax::kCommas;
  return path.ends_with(".tsv") ? RowSyntax::kTabs : RowSyntax::kLines;
}

/// Debian has no library that reads it. Its content tells, whatever the file is called.
Result<void> refuse_parquet(const std::string& path) {
  constexpr std::string_view kMark = "PAR1";
  TRY_ASSIGN(const UniqueFd file, open_file(path, O_RDONLY));
  std::string begin(kMark.size(), '\0');
  const ssize_t got = ::read(file.get(), begin.data(), begin.size());
  if (got != static_cast<ssize_t>(begin.size()) || begin != kMark) return {};
  return fail(ErrorCode::kInvalidArgument,
              fmt::format("{}: is Parquet, which filecall does not read. Make JSON Lines of it, "
                          "which keep the types: python3 -c \"import pandas; "
                          "pandas.read_parquet('{}').to_json('rows.jsonl', orient='records', "
                          "lines=True)\", or with DuckDB: COPY (FROM '{}') TO 'rows.jsonl'",
                          path, path, path));
}

Result<BatchSource> open_source(const std::string& path, std::optional<RowSyntax> syntax) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) return fail_errno(errno, path);
  const bool is_folder = S_ISDIR(info.st_mode);
  if (!is_folder && !S_ISREG(info.st_mode)) {
    return fail(ErrorCode::kInvalidArgument,
                path +
                    ": neither a file nor a folder; give a JSONL file, a folder of request "
                    "files, or - for standard input");
  }
  if (::access(path.c_str(), is_folder ? R_OK | X_OK : R_OK) != 0) return fail_errno(errno, path);
  const RowSyntax rows = is_folder ? RowSyntax::kLines : syntax.value_or(syntax_of(path));
  if (!is_folder) TRY(refuse_parquet(path));
  BatchSource source{path, last_component(path), is_folder, rows, {}, identity_of(info)};
  return source;
}

}  // namespace

Result<spool::FileIdentity> identify_file(const std::string& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) return fail_errno(errno, path);
  return identity_of(info);
}

Result<std::vector<BatchSource>> open_batch_sources(const std::vector<std::string>& inputs,
                                                    const std::string& batches_directory,
                                                    int stdin_fd, std::optional<RowSyntax> syntax) {
  if (std::count(inputs.begin(), inputs.end(), "-") > 1) {
    return fail(ErrorCode::kInvalidArgument, "-: standard input can be read only once");
  }
  std::vector<BatchSource> sources;
  for (const std::string& input : inputs) {
    std::string path = input;
    if (input != "-") {
      TRY_ASSIGN(BatchSource source, open_source(path, syntax));
      sources.push_back(std::move(source));
    }
  }
  // Last, so that a wrong name beside it does not leave a copy behind.
  const auto dash = std::find(inputs.begin(), inputs.end(), "-");
  if (dash != inputs.end()) {
    TRY_ASSIGN(std::string path, keep_stdin(batches_directory, stdin_fd));
    TRY_ASSIGN(BatchSource source, open_source(path, syntax));
    sources.insert(sources.begin() + (dash - inputs.begin()), std::move(source));
  }
  return sources;
}

}  // namespace filecall::client
