// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "os/unique_fd.h"

namespace filecall::client {

/// A result file that is written piece by piece as "{path}.part" and gets its name, replacing an
/// older one, only when it is complete. It is locked meanwhile, so that two processes do not write
/// it together. Buffered. Removed when it is destroyed unfinished, unless
/// the process dies. Not thread-safe.
class OutputFile {
 public:
  /// unavailable: another process writes it.
  static Result<OutputFile> create(std::string path);
  OutputFile(OutputFile&&) noexcept = default;
  OutputFile& operator=(OutputFile&&) = delete;
  ~OutputFile();

  /// The first failure is kept and returned by finish(): the run itself does not end for it.
  void write(std::string_view bytes);
  /// Writes what is buffered and gives the file its name. Failure: it is not there.
  Result<void> finish();
  /// As finish(), of a file that lacks `lost` answers which an older one may have: that one stays
  /// as it is, and the new one is "{path}.incomplete". Fails with data_loss, and says where it is.
  Result<void> finish_incomplete(std::int64_t lost);
  /// As finish(), of a run that stopped early: an older file that has more lines stays as it is,
  /// and the new one is "{path}.incomplete". Fails with aborted then, and says where it is.
  Result<void> finish_stopped();
  const std::string& path() const { return path_; }

 private:
  OutputFile(std::string path, UniqueFd fd) : path_(std::move(path)), fd_(std::move(fd)) {}
  void flush();
  Result<void> finish_as(const std::string& name);
  std::string part() const { return path_ + ".part"; }

  std::string path_;
  UniqueFd fd_;
  std::string buffer_;
  std::int64_t lines_ = 0;
  Result<void> status_;
};

}  // namespace filecall::client
