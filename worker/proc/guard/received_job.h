// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "worker/proc/guard/job.h"
#include "worker/proc/guard/options.h"

namespace filecall::worker::guard {

/// A job as it comes over a socket.
struct Job {
  JobMessage message;
  int fds[kJobDescriptors];  ///< Of the receiver, which closes them.
};

enum class Received { kJob, kNothing, kEnd };

/// The next message of `socket`; waits for it. kNothing: it is no job, or there was no room for it.
Received receive_job(int socket, Job* job);

/// Sends a job on; its descriptors stay the caller's. False: the other side is gone.
bool send_job(int socket, const Job& job);

void close_job(const Job& job);

/// What is asked for, read from a job's text; it points into the text, which is mapped meanwhile.
class JobText {
 public:
  JobText(const JobMessage& message, int fd);
  ~JobText();
  JobText(const JobText&) = delete;
  JobText& operator=(const JobText&) = delete;

  bool is_understood() const { return is_understood_; }
  const Options& options() const { return options_; }

 private:
  std::size_t size_;
  void* text_;
  std::vector<char*> arguments_, variables_;
  Options options_;
  bool is_understood_ = false;
};

}  // namespace filecall::worker::guard
