// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <string>

#include "worker/exec/kube/kube_owned_write.h"

namespace filecall::worker::kube {

/// A write whose patch the command makes itself, out of what is there: scale, restart, undo. Its
/// dry run answers with a precondition and a digest, which let exactly that write through at that
/// state. Another object of the same name is never written. Loop thread only.
class MadeWriteRun : public OwnedWriteRun {
 public:
  using OwnedWriteRun::OwnedWriteRun;

 protected:
  /// Reads what is there, and checks the precondition that was given; then `then`. Ends the command
  /// where there is nothing (not_found, with near names), where the precondition does not hold
  /// (aborted), and with the failures of a read.
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
  /// Sends it, and answers. Failures: permission_denied (kube.writable), failed_precondition
  /// (expectedDigest), aborted (what the patch was made from was changed since), and those of a
  /// write.
  void send_patch(Made made);
  /// An object as its changes are shown: with what a server leaves out of it.
  virtual Json shown(const Json& object) const { return object; }
  /// The answer when nothing would change.
  void succeed_unchanged(Json data);

 private:
  Precondition precondition_for(const Made& made) const;
  void answer(const Made& made, const WritePlan& plan, ApiReply& reply);

  Json before_;
  std::string fingerprint_;
};

}  // namespace filecall::worker::kube
