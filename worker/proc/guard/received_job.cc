// SPDX-License-Identifier: MIT
#include "worker/proc/guard/received_job.h"

#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "worker/proc/guard/passed_descriptors.h"

namespace filecall::worker::guard {

Received receive_job(int socket, Job* job) {
  int count = kJobDescriptors;
  const ssize_t size =
      receive_with_descriptors(socket, &job->message, sizeof job->message, job->fds, &count);
  if (size < 0 && (errno == EINTR || errno == EMFILE || errno == ENOMEM)) return Received::kNothing;
  if (size <= 0) return Received::kEnd;
  if (size == sizeof job->message && job->message.magic == kReportMagic &&
      count == kJobDescriptors) {
    return Received::kJob;
  }
  // The worker sees its pipes end.
  for (int i = 0; i < count; ++i) ::close(job->fds[i]);
  return Received::kNothing;
}

bool send_job(int socket, const Job& job) {
  return send_with_descriptors(socket, &job.message, sizeof job.message, job.fds, kJobDescriptors);
}

void close_job(const Job& job) {
  for (const int fd : job.fds) ::close(fd);
}

JobText::JobText(const JobMessage& message, int fd)
    : size_(std::max<std::size_t>(static_cast<std::size_t>(message.text_bytes), 1)),
      text_(::mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_POPULATE, fd, 0)) {
  is_understood_ =
      text_ != MAP_FAILED &&
      split_job(message, static_cast<char*>(text_), &arguments_, &variables_) &&
      parse_options(static_cast<int>(message.arguments), arguments_.data(), &options_) == nullptr;
  options_.environment = variables_.data();
}

JobText::~JobText() {
  if (text_ != MAP_FAILED) ::munmap(text_, size_);
}

}  // namespace filecall::worker::guard
