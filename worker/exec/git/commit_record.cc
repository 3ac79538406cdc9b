// SPDX-License-Identifier: MIT
#include "worker/exec/git/commit_record.h"

#include <fcntl.h>
#include <fmt/core.h>

#include <cerrno>
#include <utility>

#include "os/io.h"
#include "worker/changes/step_files.h"
#include "worker/exec/git/git_library.h"

namespace filecall::worker::git {
namespace {

/// Of symbolic references that lead to each other, as git allows.
constexpr int kReferencesMax = 5;
constexpr std::size_t kReferenceBytes = 4096;

/// The reference that a commit moves: HEAD's branch, or HEAD.
Result<std::string> moved_reference(git_repository* repository) {
  std::string name = "HEAD";
  for (int depth = 0; depth < kReferencesMax; ++depth) {
    ReferenceHandle reference;
    const int status = ::git_reference_lookup(Out(reference), repository, name.c_str());
    // A branch without a commit.
    if (status == GIT_ENOTFOUND) return name;
    if (status < 0) return git_failed(status, "HEAD");
    const char* target = ::git_reference_symbolic_target(reference.get());
    if (target == nullptr) return name;
    name = target;
  }
  return fail(ErrorCode::kFailedPrecondition, "HEAD: leads through too many references");
}

/// The content of its file; of none (it is packed, or not there yet): an empty mark.
Result<changes::ContentMark> mark_of_reference(const file::OpenPlace& place,
                                               const std::string& name) {
  const UniqueFd fd = file::open_without_links(place.fd.get(), name, O_RDONLY | O_NOFOLLOW);
  if (!fd.is_open()) {
    if (errno == ENOENT || errno == ENOTDIR) return changes::ContentMark();
    return fail_errno(errno, name);
  }
  TRY_ASSIGN(const std::string text, read_all(fd.get(), kReferenceBytes, name));
  return changes::mark_of(text);
}

}  // namespace

Result<CommitRecord> CommitRecord::begin(const file::FileJob& job, const OpenRepository& repository,
                                         const git_oid& commit, const Json& answer) {
  TRY_ASSIGN(const std::string reference, moved_reference(repository.get()));
  const RepositoryLayout& layout = repository.layout;
  const file::OpenPlace& place = reference == "HEAD" ? layout.directory : layout.common;
  const std::size_t slash = reference.rfind('/');
  changes::ChangeStep step;
  step.kind = changes::StepKind::kWatch;
  step.shown = reference;
  step.directory = place.whole();
  if (slash != reference.npos) step.directory += "/" + reference.substr(0, slash);
  step.name = reference.substr(slash == reference.npos ? 0 : slash + 1);
  TRY_ASSIGN(step.before, mark_of_reference(place, reference));
  step.after = changes::mark_of(hex(commit) + "\n");
  changes::ChangeSet set;
  set.request_id = job.request_id;
  set.steps.push_back(std::move(step));
  set.answer = answer;
  TRY_ASSIGN(auto journal, changes::ChangeJournalFile::begin(job.changes_folder, set));
  return CommitRecord(std::move(journal));
}

void CommitRecord::end(bool is_made) {
  // Without this line the next look at the branch comes to the same end.
  static_cast<void>(
      journal_.end(is_made ? changes::ChangeEnd::kMade : changes::ChangeEnd::kUndone));
}

}  // namespace filecall::worker::git
