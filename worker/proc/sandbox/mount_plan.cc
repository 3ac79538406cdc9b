// SPDX-License-Identifier: MIT
#include "worker/proc/sandbox/mount_plan.h"

#include <algorithm>
#include <set>

namespace filecall::worker::guard {
namespace {

using Kind = MountStep::Kind;

bool lies_beneath_any(const std::string& path, const std::vector<std::string>& folders) {
  return std::any_of(folders.begin(), folders.end(),
                     [&](const std::string& folder) { return is_beneath(path, folder); });
}

void add_devices(std::vector<MountStep>* plan) {
  for (const std::string& path : device_paths()) plan->push_back({Kind::kDevice, path, "", true});
  plan->push_back({Kind::kLink, "/dev/ptmx", "pts/ptmx"});
  plan->push_back({Kind::kLink, "/dev/fd", "/proc/self/fd"});
  plan->push_back({Kind::kLink, "/dev/stdin", "/proc/self/fd/0"});
  plan->push_back({Kind::kLink, "/dev/stdout", "/proc/self/fd/1"});
  plan->push_back({Kind::kLink, "/dev/stderr", "/proc/self/fd/2"});
}

/// Roots and readable paths; a path that its parent already shows in the same way is left out. So
/// is "/": it would take the place of the whole tree.
std::vector<MountStep> choose_binds(const SandboxOptions& options) {
  const bool writable = options.level == Level::kWorkspaceWrite;
  std::vector<MountStep> binds;
  for (const auto& path : options.readable) {
    if (path != "/") binds.push_back({Kind::kBind, path, "", false});
  }
  for (const auto& path : options.roots) binds.push_back({Kind::kBind, path, "", writable});
  // A path that is both is a root.
  std::stable_sort(binds.begin(), binds.end(), [](const MountStep& a, const MountStep& b) {
    return a.path != b.path ? a.path < b.path : a.writable > b.writable;
  });
  std::vector<MountStep> chosen;
  for (MountStep& bind : binds) {
    const auto above = std::find_if(
        chosen.rbegin(), chosen.rend(),
        [&](const MountStep& candidate) { return is_beneath(bind.path, candidate.path); });
    const bool is_same = above != chosen.rend() && above->path == bind.path;
    if (is_same || (above != chosen.rend() && above->writable == bind.writable)) continue;
    chosen.push_back(std::move(bind));
  }
  return chosen;
}

/// The mounts that no two runs share.
std::vector<MountStep> private_mounts(const SandboxOptions& options) {
  std::vector<MountStep> mounts = {{Kind::kTmpfs, "/tmp", "", true},
                                   {Kind::kTmpfs, "/dev/shm", "", true},
                                   {Kind::kTerminals, "/dev/pts", "", true}};
  if (options.uses(kProc)) mounts.push_back({Kind::kProc, "/proc", "", false});
  return mounts;
}

/// What of the host lies beneath the mount `above` of a run; what lies deeper comes with it.
void add_carried(const std::vector<MountStep>& binds, const std::string& above,
                 std::vector<MountStep>* plan) {
  std::string carried;
  for (const MountStep& bind : binds) {  // In the order of their paths.
    if (!is_beneath(bind.path, above)) continue;
    if (!carried.empty() && is_beneath(bind.path, carried)) continue;
    carried = bind.path;
    plan->push_back({Kind::kCarry, bind.path, "", bind.writable});
  }
}

/// What of the hidden paths would be seen: by anything that is shown, the system's own too.
std::vector<std::string> visible_hidden(const SandboxOptions& options) {
  std::vector<std::string> visible;
  for (const std::string& path : options.hidden) {
    if (lies_beneath_any(path, options.roots) || lies_beneath_any(path, options.readable) ||
        lies_beneath_any(path, system_paths())) {
      visible.push_back(path);
    }
  }
  return visible;
}

/// The folders between a root that holds `path` and `path` itself; renaming one of them would move
/// what is mounted on `path` away and leave its name free.
void add_pins(const SandboxOptions& options, const std::string& path, std::set<std::string>* pins) {
  for (const std::string& root : options.roots) {
    if (!is_beneath(path, root)) continue;
    for (std::size_t end = path.rfind('/'); end != std::string::npos && end > root.size();
         end = path.rfind('/', end - 1)) {
      pins->insert(path.substr(0, end));
    }
  }
}

}  // namespace

const std::vector<std::string>& device_paths() {
  static const std::vector<std::string> kPaths = {"/dev/null",   "/dev/zero",    "/dev/full",
                                                  "/dev/random", "/dev/urandom", "/dev/tty"};
  return kPaths;
}

std::vector<MountStep> plan_shared_mounts(const SandboxOptions& options) {
  std::vector<MountStep> plan;
  for (const std::string& path : system_paths()) plan.push_back({Kind::kSystem, path, "", false});
  add_devices(&plan);
  for (const MountStep& mount : private_mounts(options)) {
    plan.push_back({Kind::kDirectory, mount.path, "", false});
    // The kernel lets a user namespace mount a /proc only where one is seen already.
    if (mount.kind == Kind::kProc) plan.push_back(mount);
  }
  if (!visible_hidden(options).empty()) plan.push_back({Kind::kCovers, "", "", false});
  for (MountStep& bind : choose_binds(options)) plan.push_back(std::move(bind));
  return plan;
}

std::vector<MountStep> plan_private_mounts(const SandboxOptions& options) {
  std::vector<MountStep> plan;
  const std::vector<MountStep> binds = choose_binds(options);
  for (MountStep& mount : private_mounts(options)) {
    // What the configuration shows at its place, or above it, is meant to be seen.
    const bool is_replaced = std::any_of(binds.begin(), binds.end(), [&](const MountStep& bind) {
      return is_beneath(mount.path, bind.path);
    });
    if (is_replaced) continue;
    const std::string place = mount.path;
    plan.push_back(std::move(mount));
    add_carried(binds, place, &plan);
  }
  return plan;
}

std::vector<MountStep> plan_covers(const SandboxOptions& options,
                                   const std::vector<std::string>& protected_paths) {
  std::vector<MountStep> plan;
  const std::vector<std::string> hidden = visible_hidden(options);
  if (options.level == Level::kWorkspaceWrite) {
    std::set<std::string> pins;
    for (const std::string& path : hidden) add_pins(options, path, &pins);
    for (const std::string& path : protected_paths) add_pins(options, path, &pins);
    for (const std::string& path : pins) plan.push_back({Kind::kPin, path, "", true});
    for (const std::string& path : protected_paths) {
      plan.push_back({Kind::kReadOnly, path, "", false});
    }
  }
  for (const std::string& path : hidden) plan.push_back({Kind::kHide, path, "", false});
  return plan;
}

}  // namespace filecall::worker::guard
