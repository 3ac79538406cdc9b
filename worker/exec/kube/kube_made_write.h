// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <string>

#include "worker/exec/kube/kube_write_run.h"

namespace filecall::worker::kube {

/// A write whose patch the command makes itself, out of what is there: scale, restart, undo. Its
/// dry run answers with a precondition and a digest, which let exactly that write through at that
/// state. Another object of the same name is never written. Loop thread only.
class MadeWriteRun : public WriteRun {
 public:
  using WriteRun::WriteRun;

 protected:
  /// Reads what is there, and checks the precondition that was given; then `then`.
  void read(std::function<void(ApiReply&)> then);
  /// What was read, redacted.
  const Json& before() const { return before_; }

  struct Made {
    WriteStrategy strategy = WriteStrategy::kMerge;
    Json patch;
    std::string done;            ///< "scaled": what is answered as the action.
    bool binds_version = false;  ///< It must not have changed since it was read.
    Json data = Json::object();  ///< More members of the answer.
  };
  /// Sends it, and answers.
  void send_patch(Made made);
  /// The answer when nothing would change.
  void succeed_unchanged(Json data);

 private:
  Precondition precondition_for(const Made& made) const;
  void answer(const Made& made, const WritePlan& plan, ApiReply& reply);

  Json before_;
  std::string fingerprint_;
};

}  // namespace filecall::worker::kube
