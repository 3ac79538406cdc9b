// SPDX-License-Identifier: MIT
#pragma once

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>
#include <uv.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "os/clock.h"
#include "worker/proc/child.h"

namespace filecall::worker {

/// A loop and a folder; runs real programs under the real guard.
class ChildFixture : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(uv_loop_init(&loop_), 0);
    uv_timer_init(&loop_, &look_again_);
    char name[] = "/tmp/filecall-child-XXXXXX";
    ASSERT_NE(::mkdtemp(name), nullptr);
    folder_ = name;
  }
  void TearDown() override {
    child_.reset();
    uv_close(reinterpret_cast<uv_handle_t*>(&look_again_), nullptr);
    uv_run(&loop_, UV_RUN_DEFAULT);
    EXPECT_EQ(uv_loop_close(&loop_), 0) << "a handle was left open";
    std::filesystem::remove_all(folder_);
  }

  ChildSpec spec(std::vector<std::string> argv) const {
    ChildSpec spec;
    spec.program = argv.front();
    spec.argv = std::move(argv);
    spec.env = {"PATH=/usr/local/bin:/usr/bin:/bin"};
    spec.cwd = UniqueFd(::open(folder_.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    return spec;
  }
  ChildSpec shell(const std::string& script) const { return spec({"/bin/sh", "-c", script}); }

  void start(ChildSpec child_spec) {
    auto started =
        Child::start(&loop_, server_, std::move(child_spec), [this](const ChildResult& result) {
          EXPECT_FALSE(result_.has_value()) << "done is called once";
          result_ = result;
        });
    ASSERT_TRUE(started.has_value()) << started.error().message;
    child_ = std::move(*started);
  }
  ChildResult run(ChildSpec child_spec) {
    result_.reset();
    start(std::move(child_spec));
    wait_until([this] { return result_.has_value(); }, "the child has ended");
    return result_.value_or(ChildResult{});
  }

  /// Turns the loop until the condition holds; fails after twenty seconds.
  void wait_until(const std::function<bool()>& condition, const char* what) {
    // The loop wakes for its own events and, for conditions outside of it, every two milliseconds.
    uv_timer_start(
        &look_again_, [](uv_timer_t*) {}, 2, 2);
    const Deadline deadline = Deadline::after(monotonic_now(), seconds(20));
    while (!condition()) {
      ASSERT_FALSE(deadline.is_reached(monotonic_now())) << "never: " << what;
      uv_run(&loop_, UV_RUN_ONCE);
    }
    uv_timer_stop(&look_again_);
  }

  std::string out() const { return child_->standard_output().render(); }
  std::string err() const { return child_->standard_error().render(); }

  /// The pid that a program wrote into folder_/name; waits for it.
  pid_t pid_in(const std::string& name) {
    pid_t pid = 0;
    wait_until(
        [&] {
          std::ifstream file(folder_ + "/" + name);
          std::string line;
          // A whole line: the writer may be between creating and filling the file.
          if (!std::getline(file, line) || file.eof()) return false;
          pid = std::stoi(line);
          return pid > 0;
        },
        name.c_str());
    return pid;
  }

  /// What /proc tells of it after its name; empty: it is gone.
  static std::string stat_of(pid_t pid) {
    std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
    std::string text;
    std::getline(file, text);
    return text.substr(std::min(text.size(), text.rfind(')') + 2));
  }
  static bool is_alive(pid_t pid) {
    const std::string stat = stat_of(pid);
    return !stat.empty() && stat[0] != 'Z';
  }
  static bool sleeps(pid_t pid) { return stat_of(pid).substr(0, 1) == "S"; }
  /// Living children of `parent` in the process group `group` (0: any).
  static std::set<pid_t> children(pid_t parent, pid_t group = 0) {
    std::set<pid_t> found;
    for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
      const std::string name = entry.path().filename();
      if (name.find_first_not_of("0123456789") != std::string::npos) continue;
      char state = 0;
      pid_t ppid = 0;
      pid_t pgrp = 0;
      const pid_t pid = std::stoi(name);
      std::istringstream(stat_of(pid)) >> state >> ppid >> pgrp;
      if (ppid == parent && state != 'Z' && (group == 0 || pgrp == group)) found.insert(pid);
    }
    return found;
  }
  std::set<pid_t> spares() const {
    std::set<pid_t> found = children(::getpid(), server_->pid());
    found.erase(server_->pid());
    return found;
  }
  /// Waits until a guard waits for a job, with a process of its own that does.
  pid_t await_spare() {
    pid_t spare = -1;
    wait_until(
        [&] {
          const auto found = spares();
          if (found.size() != 1 || !sleeps(*found.begin())) return false;
          spare = *found.begin();
          const auto own = children(spare);
          return own.size() == 1 && sleeps(*own.begin());
        },
        "a spare guard waits");
    // -1 would name every process to kill().
    if (spare < 0) throw std::runtime_error("there is no spare guard");
    return spare;
  }

  uv_loop_t loop_{};
  uv_timer_t look_again_{};
  std::string folder_;
  std::shared_ptr<GuardServer> server_ = std::make_shared<GuardServer>(FILECALL_TEST_GUARD);
  std::unique_ptr<Child> child_;
  std::optional<ChildResult> result_;
};

/// With a guard that was made ahead, or with one that is made for the run.
class ChildOfEitherGuard : public ChildFixture, public testing::WithParamInterface<bool> {
 public:
  static std::string name_of(const testing::TestParamInfo<bool>& info) {
    return info.param ? "GuardMadeAhead" : "NewGuard";
  }

 protected:
  void SetUp() override {
    ChildFixture::SetUp();
    if (!GetParam()) return;
    run(spec({"/bin/true"}));
    await_spare();
    child_.reset();
    result_.reset();
  }
};

}  // namespace filecall::worker
