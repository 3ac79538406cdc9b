// SPDX-License-Identifier: MIT
#include "client/report/output_file.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <utility>

#include "os/io.h"

namespace filecall::client {
namespace {

constexpr std::size_t kBufferBytes = 64 * 1024;

}  // namespace

Result<OutputFile> OutputFile::create(std::string path) {
  TRY_ASSIGN(UniqueFd fd, open_file(path + ".part", O_WRONLY | O_CREAT | O_TRUNC, 0666));
  return OutputFile(std::move(path), std::move(fd));
}

OutputFile::~OutputFile() {
  if (fd_.is_open()) ::unlink(part().c_str());
}

void OutputFile::write(std::string_view bytes) {
  buffer_ += bytes;
  if (buffer_.size() >= kBufferBytes) flush();
}

void OutputFile::flush() {
  if (status_) status_ = write_all(fd_.get(), buffer_, path_);
  buffer_.clear();
}

Result<void> OutputFile::finish() {
  CHECK(fd_.is_open(), "a result file is finished once");
  flush();
  if (status_ && ::rename(part().c_str(), path_.c_str()) != 0) {
    status_ = fail_errno(errno, path_);
  }
  if (!status_) return status_;
  fd_.reset();
  return {};
}

}  // namespace filecall::client
