// SPDX-License-Identifier: MIT
#include "worker/exec/git/worktree_add.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <utility>
#include <vector>

#include "base/take_until.h"
#include "worker/exec/file/file_params.h"
#include "worker/exec/file/new_file.h"
#include "worker/exec/git/branch_switch.h"
#include "worker/exec/git/file_sides.h"
#include "worker/exec/git/git_library.h"
#include "worker/exec/git/remove_tree.h"
#include "worker/exec/git/revision.h"
#include "worker/exec/git/worktree_notes.h"

namespace filecall::worker::git {
namespace {

/// Of paths in one answer.
constexpr std::size_t kUnfilteredPaths = 20;

struct TreePaths {
  std::vector<std::string> files;
  const std::atomic<bool>& is_cancelled;
};

int add_tree_path(const char* directory, const git_tree_entry* entry, void* paths) {
  auto& out = *static_cast<TreePaths*>(paths);
  if (out.is_cancelled) return GIT_EUSER;
  if (::git_tree_entry_type(entry) == GIT_OBJECT_BLOB) {
    out.files.push_back(std::string(directory) + ::git_tree_entry_name(entry));
  }
  return 0;
}

Result<std::vector<std::string>> files_of(const git_tree* tree,
                                          const std::atomic<bool>& is_cancelled) {
  TreePaths paths{{}, is_cancelled};
  const int status = ::git_tree_walk(tree, GIT_TREEWALK_PRE, add_tree_path, &paths);
  if (status < 0) return git_failed(status, "the files of the branch");
  return std::move(paths.files);
}

/// A worktree does not lie in what git keeps, whatever file.protected says.
Result<void> check_is_outside(const OpenRepository& repository, std::string_view path,
                              const Location& place) {
  const RepositoryLayout& layout = repository.layout;
  const std::string whole = place.whole();
  bool is_inside = file::is_beneath(whole, layout.common.whole()) ||
                   file::is_beneath(whole, layout.directory.whole());
  std::string_view rest = whole;
  while (!rest.empty()) {
    if (take_until(&rest, '/') == ".git") is_inside = true;
  }
  if (!is_inside) return {};
  return fail(
      ErrorCode::kPermissionDenied,
      fmt::format("{}: '{}' lies in a repository's own directory", file::kPathPointer, path));
}

/// What one worktree hides by a pattern that counts from a root, another would show.
Result<void> check_stays_hidden(const OpenRepository& repository, const Location& place,
                                const std::vector<std::string>& files) {
  const bool shows = std::ranges::any_of(files, [&](const std::string& path) {
    return repository.hidden.hides(path) && !repository.hidden.hides_at(path, place);
  });
  if (!shows) return {};
  return fail(ErrorCode::kPermissionDenied,
              "/params/path: the branch has files that file.hidden hides where the repository "
              "lies, and would not hide there; let the pattern begin with no './' and no '/'");
}

/// The files of the branch, put into the new worktree.
Result<OpenRepository> fill_worktree(const file::FileJob& job, const std::string& name) {
  const Json params = {{"repository", name}};
  TRY_ASSIGN(OpenRepository made,
             open_repository({params, job.rules, job.all_rules, job.is_cancelled, job.request_id,
                              job.changes_folder},
                             Use::kWorktree));
  git_checkout_options options;
  ::git_checkout_options_init(&options, GIT_CHECKOUT_OPTIONS_VERSION);
  options.checkout_strategy = GIT_CHECKOUT_SAFE | GIT_CHECKOUT_RECREATE_MISSING;
  const int status = ::git_checkout_head(made.get(), &options);
  if (status < 0) return git_failed(status, "the files of the branch");
  return made;
}

/// Directories above a worktree that were made for it, and go with it when it fails.
class NewDirectories {
 public:
  NewDirectories() = default;
  NewDirectories(const NewDirectories&) = delete;
  NewDirectories& operator=(const NewDirectories&) = delete;
  ~NewDirectories() {
    if (!stays_) changes::remove_empty_directories(maker_.made());
  }
  changes::DirectoryMaker& maker() { return maker_; }
  void stay() { stays_ = true; }

 private:
  changes::DirectoryMaker maker_;
  bool stays_ = false;
};

/// The empty directory of the worktree.
Result<void> make_place(file::ChangePlace& place, const std::string& path,
                        NewDirectories& directories) {
  TRY(file::make_missing_directories(place, directories.maker()));
  if (::mkdirat(place.directory.fd.get(), place.name.c_str(), 0777) == 0) return {};
  return fail_errno(errno, fmt::format("{}: '{}'", file::kPathPointer, path));
}

Json unfiltered_of(const OpenRepository& made, const std::vector<std::string>& files,
                   std::size_t& count) {
  Json out = Json::array();
  for (const std::string& path : files) {
    if (filter_driver(made, path).empty()) continue;
    if (out.size() < kUnfilteredPaths && !made.hidden.hides(path)) out.push_back(path);
    ++count;
  }
  return out;
}

}  // namespace

Outcome add_worktree(const file::FileJob& job) {
  const std::string path = file::text_param(job.params, "path");
  const std::string name = file::text_param(job.params, "branch");
  TRY(file::check_may_change(job.rules, path, file::kPathPointer));
  TRY_ASSIGN(const OpenRepository repository, open_repository(job, Use::kChange));
  TRY_ASSIGN(const ReferenceHandle branch, find_branch(repository, name, "/params/branch"));
  const std::string reference = ::git_reference_name(branch.get());
  if (const std::string gone = gone_worktree_of(repository, reference); !gone.empty()) {
    return file::refused({ErrorCode::kFailedPrecondition,
                          fmt::format("/params/branch: '{}' is checked out in '{}', and nothing is "
                                      "there any more; git.worktree {{\"action\": \"remove\", "
                                      "\"path\": \"{}\"}} forgets it",
                                      name, gone, gone)});
  }
  if (const auto other = worktree_of(repository, reference)) {
    return file::refused({ErrorCode::kFailedPrecondition,
                          fmt::format("/params/branch: '{}' is checked out already{}", name,
                                      other->empty() ? "" : " in '" + *other + "'")});
  }
  TRY_ASSIGN(const CommitHandle commit, find_commit(repository.get(), reference, "/params/branch"));
  TRY_ASSIGN(const TreeHandle tree, tree_of(commit.get()));
  TRY_ASSIGN(const auto files, files_of(tree.get(), job.is_cancelled));
  TRY_ASSIGN(file::ChangePlace place, file::open_for_create(job.rules, path, file::kPathPointer));
  const Location location{place.directory.root, place.directory.root_path, place.path()};
  TRY(check_is_outside(repository, path, location));
  TRY(check_stays_hidden(repository, location, files));
  NewDirectories directories;
  TRY(make_place(place, path, directories));
  auto notes = write_worktree_notes(repository, location, place, reference);
  if (!notes) {
    (void)remove_tree(place.directory.fd.get(), place.name);
    return file::refused(std::move(notes).error());
  }
  const std::string answered = file::name_of(job.rules, location.root, location.path);
  auto made = fill_worktree(job, answered);
  if (!made) {
    (void)remove_tree(place.directory.fd.get(), place.name);
    (void)remove_worktree_notes(repository, *notes);
    return file::refused(std::move(made).error());
  }
  directories.stay();
  std::size_t unfiltered = 0;
  Json out = {{"repository", repository.name()},
              {"path", answered},
              {"directory", location.whole()},
              {"branch", name},
              {"commit", hex(*::git_commit_id(commit.get()))},
              {"files", files.size()}};
  out["unfiltered"] = unfiltered_of(*made, files, unfiltered);
  out["unfiltered_files"] = unfiltered;
  return out;
}

}  // namespace filecall::worker::git
