// SPDX-License-Identifier: MIT
#include "worker/exec/git/history.h"

#include <algorithm>
#include <list>
#include <set>
#include <utility>

#include "worker/exec/git/git_library.h"
#include "worker/exec/git/revision.h"

namespace filecall::worker::git {
namespace {

/// Commits that one search of a path looks at.
constexpr std::size_t kLooksMax = 1'000'000;

struct IdOrder {
  bool operator()(const git_oid& a, const git_oid& b) const { return ::git_oid_cmp(&a, &b) < 0; }
};

/// What a commit has at a path; nothing: it is not there.
struct PathState {
  git_oid id{};
  git_filemode_t mode = GIT_FILEMODE_UNREADABLE;
  bool operator==(const PathState& other) const {
    return ::git_oid_equal(&id, &other.id) != 0 && mode == other.mode;
  }
};

Result<PathState> state_at(const git_commit* commit, const std::string& path) {
  PathState state;
  TRY_ASSIGN(const TreeHandle tree, tree_of(commit));
  TreeEntryHandle entry;
  const int status = ::git_tree_entry_bypath(Out(entry), tree.get(), path.c_str());
  if (status == GIT_ENOTFOUND) return state;
  if (status < 0) return git_failed(status, "the files of a commit");
  state.id = *::git_tree_entry_id(entry.get());
  state.mode = ::git_tree_entry_filemode(entry.get());
  return state;
}

class Walk {
 public:
  Walk(git_repository* repository, const std::string& path, History& history)
      : repository_(repository), path_(path), history_(history) {
    history_.is_shallow = ::git_repository_is_shallow(repository) == 1;
  }

  void put(CommitHandle commit) {
    if (!seen_.insert(*::git_commit_id(commit.get())).second) return;
    const git_time_t time = ::git_commit_time(commit.get());
    // Behind those of the same time, as git does.
    const auto place = std::ranges::find_if(ahead_, [time](const CommitHandle& other) {
      return ::git_commit_time(other.get()) < time;
    });
    ahead_.insert(place, std::move(commit));
  }

  bool has_more() const { return !ahead_.empty(); }

  /// Takes the next commit, and says whether it is shown.
  Result<void> step() {
    CommitHandle commit = std::move(ahead_.front());
    ahead_.pop_front();
    ++history_.looked_at;
    TRY_ASSIGN(std::vector<CommitHandle> parents, parents_of(commit.get()));
    bool is_shown = true;
    if (!path_.empty()) {
      TRY_ASSIGN(is_shown, simplify(commit.get(), parents));
    }
    for (CommitHandle& parent : parents) put(std::move(parent));
    if (is_shown) history_.commits.push_back(std::move(commit));
    return {};
  }

 private:
  Result<std::vector<CommitHandle>> parents_of(const git_commit* commit) const {
    std::vector<CommitHandle> parents;
    for (unsigned i = 0; i < ::git_commit_parentcount(commit); ++i) {
      CommitHandle parent;
      const int status =
          ::git_commit_lookup(Out(parent), repository_, ::git_commit_parent_id(commit, i));
      if (status == GIT_ENOTFOUND && history_.is_shallow) continue;
      if (status < 0) return git_failed(status, "a parent of a commit");
      parents.push_back(std::move(parent));
    }
    return parents;
  }

  /// Whether the commit changed the path; keeps the parents that are followed.
  Result<bool> simplify(const git_commit* commit, std::vector<CommitHandle>& parents) const {
    TRY_ASSIGN(const PathState own, state_at(commit, path_));
    if (parents.empty()) return !(own == PathState{});
    for (CommitHandle& parent : parents) {
      TRY_ASSIGN(const PathState before, state_at(parent.get(), path_));
      if (!(before == own)) continue;
      std::vector<CommitHandle> followed;
      followed.push_back(std::move(parent));
      parents = std::move(followed);
      return false;
    }
    return true;
  }

  git_repository* repository_;
  const std::string& path_;
  History& history_;
  std::list<CommitHandle> ahead_;
  std::set<git_oid, IdOrder> seen_;
};

}  // namespace

Result<History> read_history(git_repository* repository, CommitHandle from, const std::string& path,
                             std::size_t max, const std::atomic<bool>& is_cancelled) {
  History history;
  Walk walk(repository, path, history);
  if (from) walk.put(std::move(from));
  while (walk.has_more()) {
    if (is_cancelled) return fail(ErrorCode::kCancelled, "git.log was cancelled");
    // One more than are shown tells whether there are more.
    if (history.commits.size() > max || history.looked_at == kLooksMax) break;
    TRY(walk.step());
  }
  history.is_complete = !walk.has_more() && history.commits.size() <= max;
  if (history.commits.size() > max) history.commits.resize(max);
  return history;
}

}  // namespace filecall::worker::git
