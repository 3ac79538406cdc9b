// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "client/engine/orchestrator.h"
#include "ipc/request.h"
#include "ipc/response.h"
#include "spool/lock.h"
#include "spool/root.h"

namespace filecall::client {

/// A temporary root that is removed at the end.
class TemporaryRoot {
 public:
  TemporaryRoot();
  ~TemporaryRoot();
  const std::string& path() const { return path_; }
  std::string read(const std::string& name) const;  ///< Empty when missing.
  bool has(const std::string& name) const;
  void write(const std::string& name, const std::string& bytes) const;

 private:
  std::string path_;
};

/// A worker as a thread of the test: holds the root's lock, says it is ready, and answers each
/// pending request with what the script says for its n-th execution (nullopt: nothing).
/// system.cancel answers the target `cancelled`, if it is pending.
class FakeWorker {
 public:
  using Script = std::function<std::optional<std::string>(const std::string& id, int execution)>;

  FakeWorker(const std::string& root, Script script);
  ~FakeWorker();
  int executions(const std::string& id) const;

 private:
  void run(const std::stop_token& stop);
  void answer_pending();
  void answer(const std::string& stem);

  std::string path_;
  Script script_;
  spool::Root root_;
  std::optional<spool::FileLock> lock_;
  mutable std::mutex mutex_;
  std::map<std::string, int> executions_;
  std::map<std::string, bool> silent_;  ///< Being "executed" without an end.
  std::jthread thread_;
};

std::string success_text(const std::string& id);
std::string error_text(const std::string& id, const std::string& members);

/// Submissions from a list.
class ListFeed final : public SubmissionFeed {
 public:
  explicit ListFeed(std::vector<std::string> ids);
  Result<Offer> next() override;

 private:
  std::vector<Submission> submissions_;
  std::size_t next_ = 0;
};

class Recorder final : public RunObserver {
 public:
  void on_outcome(const RequestOutcome& outcome) override;
  void on_progress(const RunProgress& progress) override { last = progress; }
  void on_notice(const std::string& text) override { notices.push_back(text); }

  std::map<std::string, RequestOutcome> outcomes;
  std::function<void()> after_outcome;
  RunProgress last;
  std::vector<std::string> notices;
  int repeated = 0;  ///< Outcomes of an id that had one.
};

}  // namespace filecall::client
