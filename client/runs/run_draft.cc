// SPDX-License-Identifier: MIT
#include "client/runs/run_draft.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <utility>

#include "ipc/json_text.h"
#include "os/io.h"
#include "os/regular_file.h"
#include "spool/publish.h"

namespace filecall::client {
namespace {

constexpr std::size_t kBufferBytes = 256 * 1024;
constexpr const char* kWhere = "runs";

}  // namespace

RunDraft::RunDraft(int directory_fd, UniqueFd fd, std::string temporary_name)
    : directory_fd_(directory_fd), fd_(std::move(fd)), temporary_name_(std::move(temporary_name)) {}

RunDraft::RunDraft(RunDraft&& other) noexcept
    : directory_fd_(other.directory_fd_),
      fd_(std::move(other.fd_)),
      temporary_name_(std::exchange(other.temporary_name_, {})),
      buffer_(std::move(other.buffer_)),
      digest_(other.digest_),
      requests_(other.requests_) {}

RunDraft::~RunDraft() {
  if (!temporary_name_.empty()) ::unlinkat(directory_fd_, temporary_name_.c_str(), 0);
}

Result<RunDraft> RunDraft::create(int directory_fd) {
  std::string name = spool::next_temporary_name();
  TRY_ASSIGN(UniqueFd fd, open_regular_at(directory_fd, name, O_WRONLY | O_CREAT | O_EXCL, kWhere));
  return RunDraft(directory_fd, std::move(fd), std::move(name));
}

Result<void> RunDraft::add(std::string_view request_id, std::string_view metadata,
                           std::string_view after) {
  buffer_ += "{\"request_id\":";
  append_json_string(buffer_, request_id);
  if (!metadata.empty()) {
    buffer_ += ",\"metadata\":";
    buffer_ += metadata;
  }
  if (!after.empty()) (buffer_ += ',') += after;
  buffer_ += "}\n";
  ++requests_;
  return buffer_.size() < kBufferBytes ? Result<void>() : flush();
}

Result<void> RunDraft::flush() {
  digest_.add(buffer_);
  TRY(write_all(fd_.get(), buffer_, kWhere));
  buffer_.clear();
  return {};
}

Result<std::string> RunDraft::finish() {
  TRY(flush());
  return digest_.finish();
}

Result<void> RunDraft::keep_as(const std::string& name, Durability durability) {
  if (durability != Durability::kNone && ::fsync(fd_.get()) != 0) {
    return fail_errno(errno, std::string(kWhere) + "/" + name + ": fsync");
  }
  if (::renameat(directory_fd_, temporary_name_.c_str(), directory_fd_, name.c_str()) != 0) {
    return fail_errno(errno, std::string(kWhere) + "/" + name + ": rename");
  }
  temporary_name_.clear();
  return {};
}

}  // namespace filecall::client
