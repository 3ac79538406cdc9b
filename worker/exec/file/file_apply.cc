// SPDX-License-Identifier: MIT
#include <fmt/core.h>
#include <sys/stat.h>

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "worker/changes/change_answer.h"
#include "worker/changes/change_work.h"
#include "worker/changes/step_files.h"
#include "worker/exec/file/apply_answer.h"
#include "worker/exec/file/chosen_change.h"
#include "worker/exec/file/draft_file.h"
#include "worker/exec/file/file_functions.h"
#include "worker/exec/file/file_params.h"
#include "worker/exec/file/kept_attributes.h"
#include "worker/exec/file/part_choice.h"
#include "worker/exec/file/proposal_digest.h"
#include "worker/exec/json_read.h"

namespace filecall::worker::file {
namespace {

/// Until its attributes are those of the file that it replaces.
constexpr mode_t kReplacingMode = 0600;
/// The umask takes what it is for.
constexpr mode_t kCreatedMode = 0666;

/// The changes as steps, with what they are made with.
struct StepPlan {
  changes::ChangeSet set;
  std::vector<changes::StepDirectory> directories;
  std::vector<std::string> missing;
  std::vector<const ChosenChange*> chosen;  ///< Of each step.
};

std::string beneath(const std::string& directory, std::string_view below) {
  if (below.empty()) return directory;
  return fmt::format("{}{}{}", directory, directory.ends_with('/') ? "" : "/", below);
}

/// The whole name of a directory on the way to a file, which answers name `directory`.
std::string whole_of(const ChosenChange& chosen, const std::string& directory) {
  const std::string below = chosen.name.substr(directory.size() + 1);
  std::string whole = chosen.file.place.directory.whole();
  for (auto count = std::ranges::count(below, '/'); count > 0; --count) {
    whole.resize(whole.rfind('/'));
  }
  return whole;
}

/// Notes the directories that a step makes, each after the one that it lies in.
void note_made(changes::ChangeSet& set, const std::string& directory, std::string_view missing) {
  for (std::size_t at = 0; at <= missing.size() && !missing.empty(); ++at) {
    if (at < missing.size() && missing[at] != '/') continue;
    std::string whole = beneath(directory, missing.substr(0, at));
    if (std::ranges::find(set.makes, whole) == set.makes.end()) {
      set.makes.push_back(std::move(whole));
    }
  }
}

class StepMaker {
 public:
  /// Takes the open directory of the change.
  Result<void> add(ChosenChange& chosen) {
    ChangePlace& place = chosen.file.place;
    const std::size_t slash = place.name.rfind('/');
    const bool is_missing = slash != std::string::npos;
    const std::string missing = is_missing ? place.name.substr(0, slash) : "";
    const std::string nearest = place.directory.whole();
    changes::ChangeStep step;
    step.kind = !chosen.before  ? changes::StepKind::kCreate
                : !chosen.after ? changes::StepKind::kRemove
                                : changes::StepKind::kReplace;
    step.shown = chosen.name;
    step.directory = beneath(nearest, missing);
    step.name = is_missing ? place.name.substr(slash + 1) : place.name;
    step.aside = make_aside_name(step.name);
    if (chosen.before) step.before = changes::mark_of(*chosen.before);
    if (chosen.after) step.after = changes::mark_of(*chosen.after);
    note_made(plan_.set, nearest, missing);
    for (const std::string& directory : chosen.directories) {
      plan_.set.empties.push_back(whole_of(chosen, directory));
    }
    plan_.set.steps.push_back(std::move(step));
    plan_.missing.push_back(missing);
    plan_.chosen.push_back(&chosen);
    TRY_ASSIGN(auto directory, share(place));
    plan_.directories.push_back(std::move(directory));
    return {};
  }

  StepPlan take() {
    std::vector<std::string>& empties = plan_.set.empties;
    // The deepest first; equal ones beside each other.
    std::sort(empties.begin(), empties.end(), [](const std::string& a, const std::string& b) {
      return a.size() != b.size() ? a.size() > b.size() : a < b;
    });
    empties.erase(std::unique(empties.begin(), empties.end()), empties.end());
    return std::move(plan_);
  }

 private:
  Result<changes::StepDirectory> share(ChangePlace& place) {
    struct stat info {};
    if (::fstat(place.directory.fd.get(), &info) != 0) return fail_errno(errno, place.path());
    changes::StepDirectory& known = known_[{info.st_dev, info.st_ino}];
    if (known == nullptr) {
      known = std::make_shared<const UniqueFd>(std::move(place.directory.fd));
    }
    return known;
  }

  StepPlan plan_;
  std::map<std::pair<dev_t, ino_t>, changes::StepDirectory> known_;
};

/// Puts the new content of a file beside it, with what is kept of the old one.
Result<void> write_beside(const ChosenChange& chosen, const changes::ChangeStep& step,
                          int directory) {
  TRY_ASSIGN(DraftFile draft, DraftFile::create(directory, step.aside, step.shown,
                                                chosen.before ? kReplacingMode : kCreatedMode));
  TRY(draft.write(*chosen.after));
  if (chosen.before) {
    TRY(keep_attributes(chosen.file.fd.get(), chosen.file.info, draft.fd(), step.shown));
  }
  if (chosen.mode && ::fchmod(draft.fd(), static_cast<mode_t>(*chosen.mode)) != 0) {
    return fail_errno(errno, step.shown);
  }
  TRY(draft.sync());
  TRY(draft.publish());
  return changes::sync_entries(directory, step.directory);
}

Result<void, Failure> check_digest(const Json& params) {
  if (!params.contains("digest") || proposal_digest(params["changes"]) == params["digest"]) {
    return {};
  }
  return Failure::of({ErrorCode::kInvalidArgument,
                      "/params/digest: is of other changes; what was decided on was changed since, "
                      "and nothing of it is made"});
}

}  // namespace

Outcome file_apply(const FileJob& job) {
  const Json& changes = job.params["changes"];
  TRY(check_digest(job.params));
  TRY_ASSIGN(const auto parts, choose_parts(changes, member(job.params, "hunks")));
  TRY_ASSIGN(HeldChanges held, hold_changes(job.rules, changes, parts));
  auto answer = apply_answer(job.rules, changes, held.changes);
  if (!answer) return refused(std::move(answer).error());
  StepMaker maker;
  for (ChosenChange& chosen : held.changes) {
    if (!chosen.is_effective()) continue;
    if (auto added = maker.add(chosen); !added) return refused(std::move(added).error());
  }
  StepPlan plan = maker.take();
  if (plan.set.steps.empty()) return *std::move(answer);
  plan.set.request_id = job.request_id;
  plan.set.answer = *std::move(answer);
  const changes::ChangeWork work{plan.set, plan.directories, plan.missing,
                                 [&plan](std::size_t step, int directory) {
                                   return write_beside(*plan.chosen[step], plan.set.steps[step],
                                                       directory);
                                 },
                                 [&job] { return job.is_cancelled.load(); }};
  auto made = changes::make_changes(job.changes_folder, work);
  if (!made) return Unexpected(changes::failure_of(std::move(made).error()));
  return std::move(plan.set.answer);
}

}  // namespace filecall::worker::file
