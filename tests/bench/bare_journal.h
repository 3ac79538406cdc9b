// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "bare_answer.h"

namespace filecall::bench {

/// Appends a batch of answers to a log whose blocks are written already, syncs it once, and then
/// publishes them without syncs. The log goes round and round: no checkpoint, no recovery.
class Journal {
 public:
  Journal(const Directories& at, const std::string& path) : at_(at) {
    fd_ = open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    must(fd_ >= 0, path.c_str());
    const std::string zeros(1 << 20, '\0');
    for (off_t i = 0; i < kSize; i += static_cast<off_t>(zeros.size())) {
      must(pwrite(fd_, zeros.data(), zeros.size(), i) > 0, "pwrite");
    }
    must(fsync(fd_) == 0, "fsync");
  }

  void run(const std::vector<std::string>& batch) {
    log_.clear();
    sizes_.clear();
    for (const auto& name : batch) {
      char response[1024];
      sizes_.push_back(make_answer(at_, name, response));
      const std::uint64_t header[2] = {name.size(), sizes_.back()};
      log_.append(reinterpret_cast<const char*>(header), sizeof header).append(name);
      log_.append(response, sizes_.back());
    }
    if (offset_ + static_cast<off_t>(log_.size()) > kSize) offset_ = 0;
    must(pwrite(fd_, log_.data(), log_.size(), offset_) == static_cast<ssize_t>(log_.size()),
         "log");
    must(fdatasync(fd_) == 0, "fdatasync");
    offset_ += static_cast<off_t>(log_.size());
    const char* entry = log_.data();
    for (std::size_t i = 0; i < batch.size(); ++i) {
      entry += 2 * sizeof(std::uint64_t) + batch[i].size();
      if (sizes_[i] > 0) {
        publish(at_.stage, "t", at_.responses, batch[i].c_str(), entry, sizes_[i], false);
      }
      entry += sizes_[i];
    }
  }

 private:
  static constexpr off_t kSize = 64 << 20;

  Directories at_;
  int fd_ = -1;
  off_t offset_ = 0;
  std::string log_;
  std::vector<std::size_t> sizes_;
};

}  // namespace filecall::bench
