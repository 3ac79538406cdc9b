// SPDX-License-Identifier: MIT
#include "client/approval/approval_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <thread>
#include <vector>

#include "client/approval/core/bundle.h"
#include "client/approval/core/signature.h"
#include "client/approval/policy_files.h"
#include "os/unique_fd.h"
#include "tests/unit/client/approval/decided_calls.h"
#include "tests/unit/spool/temporary_root.h"

namespace filecall::client {
namespace {

using ::testing::HasSubstr;

class ApprovalFilesTest : public ::testing::Test {
 protected:
  ApprovalFilesTest() {
    auto opened = ApprovalFiles::open(layout_, true, Durability::kNone);
    CHECK(opened.has_value(), "the root can be written");
    files_.emplace(*std::move(opened));
    Bundle bundle{"run-a.1", "run-a", "main", "code", "sha256:p", "sha256:s"};
    const CallToDecide call = program_call({"make", "test"});
    bundle.calls.push_back({1, call, Policy().decide(call)});
    request_ = bundle_request(bundle);
    CHECK(files_->publish_request(request_).has_value(), "the root can be written");
  }

  Json decision_by(const std::string& name, bool approved = true) const {
    ApprovalDecision decision;
    decision.calls = {{1, approved}};
    decision.source = "cli";
    decision.by = name;
    decision.decided_at = *parse_rfc3339("2026-11-25T11:00:00Z");
    return *decision_file(request_, decision, *files_->key());
  }

  std::string response_path() const { return layout_.root() + "/approvals/responses/run-a.1.json"; }
  void put_response(const std::string& text) const { std::ofstream(response_path()) << text; }
  std::vector<std::string> refused() const {
    std::vector<std::string> texts;
    for (const auto& entry :
         std::filesystem::directory_iterator(layout_.root() + "/approvals/refused")) {
      std::ifstream file(entry.path());
      texts.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
    }
    return texts;
  }

  spool::TemporaryRoot root_;
  spool::Layout layout_{root_.path()};
  std::optional<ApprovalFiles> files_;
  Json request_;
};

TEST_F(ApprovalFilesTest, TheFirstOfTwoDecidesAndTheOtherIsSaidWho) {
  ASSERT_TRUE(files_->publish_decision(decision_by("ada")).has_value());
  const auto second = files_->publish_decision(decision_by("bob", false));
  ASSERT_FALSE(second.has_value());
  EXPECT_EQ(second.error().code, ErrorCode::kAlreadyExists);
  EXPECT_THAT(second.error().message, HasSubstr("already approved by ada"));
  const auto decision = files_->read_decision("run-a.1", {});
  ASSERT_TRUE(decision.has_value() && decision->has_value());
  EXPECT_EQ((*decision)->by, "ada");
}

TEST_F(ApprovalFilesTest, AForgedDecisionIsSetAsideAndATrueOneTakesItsPlace) {
  for (const std::string& text : {std::string("{\"id\": \"run-a.1\", \"approved\": true}"),
                                  std::string("{"), std::string()}) {
    put_response(text);
    std::string why;
    const auto decision = files_->read_decision("run-a.1", {}, &why);
    ASSERT_TRUE(decision.has_value()) << decision.error().message;
    EXPECT_FALSE(decision->has_value());
    EXPECT_FALSE(why.empty());
    EXPECT_FALSE(std::filesystem::exists(response_path()));
  }
  EXPECT_EQ(refused().size(), 6U);
  put_response("{\"id\": \"run-a.1\", \"approved\": true}");
  EXPECT_TRUE(files_->publish_decision(decision_by("ada")).has_value());
  EXPECT_EQ(refused().size(), 8U);
}

TEST_F(ApprovalFilesTest, WhatIsNoRegularFileIsSetAsideWithoutWaitingForIt) {
  ASSERT_EQ(::mkfifo(response_path().c_str(), 0600), 0);
  auto decision = files_->read_decision("run-a.1", {});
  ASSERT_TRUE(decision.has_value()) << decision.error().message;
  EXPECT_FALSE(decision->has_value());
  ASSERT_EQ(::symlink("/etc/passwd", response_path().c_str()), 0);
  decision = files_->read_decision("run-a.1", {});
  ASSERT_TRUE(decision.has_value()) << decision.error().message;
  EXPECT_FALSE(decision->has_value());
  EXPECT_FALSE(std::filesystem::is_symlink(response_path()));
}

TEST_F(ApprovalFilesTest, ADecisionUnderAnOlderPolicyIsSetAside) {
  ASSERT_TRUE(files_->publish_decision(decision_by("ada")).has_value());
  std::string why;
  const auto decision = files_->read_decision(
      "run-a.1", {.digest = request_["digest"], .policy_digest = "sha256:new"}, &why);
  ASSERT_TRUE(decision.has_value());
  EXPECT_FALSE(decision->has_value());
  EXPECT_THAT(why, HasSubstr("the policy has changed"));
}

TEST_F(ApprovalFilesTest, ARequestThatWasChangedAfterItWasAskedDecidesNothing) {
  const std::string asked = request_["digest"];
  request_["calls"][0]["previewText"] = "harmless";
  request_["digest"] = bundle_digest(request_);
  ASSERT_TRUE(files_->publish_request(request_).has_value());
  ASSERT_TRUE(files_->publish_decision(decision_by("ada")).has_value());
  std::string why;
  const auto decision = files_->read_decision("run-a.1", {.digest = asked}, &why);
  ASSERT_TRUE(decision.has_value());
  EXPECT_FALSE(decision->has_value());
  EXPECT_THAT(why, HasSubstr("changed after it was asked"));
}

TEST_F(ApprovalFilesTest, OnlyThoseThatWaitAreListedAndDamagedOnesAreNamed) {
  std::ofstream(layout_.root() + "/approvals/requests/run-b.1.json") << "{\"id\": \"run-b.1\"}";
  auto listed = files_->list(false);
  ASSERT_TRUE(listed.has_value()) << listed.error().message;
  ASSERT_EQ(listed->size(), 2U);
  EXPECT_THAT((*listed)[0].problem, HasSubstr("not as it was written"));
  EXPECT_EQ((*listed)[1].id, "run-a.1");
  ASSERT_TRUE(files_->publish_decision(decision_by("ada")).has_value());
  EXPECT_EQ(files_->list(false)->size(), 1U);
  EXPECT_EQ(files_->list(true)->size(), 2U);
  ASSERT_TRUE(files_->withdraw("run-a.1", "its run was cancelled").has_value());
  EXPECT_EQ(files_->list(true)->size(), 1U);
}

TEST_F(ApprovalFilesTest, OfTwoDecisionsOneCountsAlsoWhenTheRequestIsTakenBackMeanwhile) {
  const Json decisions[] = {decision_by("ada", true), decision_by("bob", false)};
  for (int round = 0; round < 100; ++round) {
    ASSERT_TRUE(files_->publish_request(request_).has_value());
    std::atomic<int> ready{0};
    const auto begin_together = [&ready] {
      for (++ready; ready < 3;) std::this_thread::yield();
    };
    bool counts[2] = {};
    std::vector<std::thread> threads;
    for (int i = 0; i < 2; ++i) {
      threads.emplace_back([&, i] {
        auto files = ApprovalFiles::open(layout_, false, Durability::kNone);
        begin_together();
        counts[i] = files->publish_decision(decisions[i]).has_value();
      });
    }
    threads.emplace_back([&] {
      auto files = ApprovalFiles::open(layout_, false, Durability::kNone);
      begin_together();
      while (!std::filesystem::exists(response_path()) && round % 2 == 0 && ++ready < 1000) {
      }
      EXPECT_TRUE(files->withdraw("run-a.1", "its run was cancelled").has_value());
    });
    for (std::thread& thread : threads) thread.join();
    ASSERT_FALSE(counts[0] && counts[1]) << "round " << round;
    ASSERT_FALSE(std::filesystem::exists(response_path())) << "round " << round;
  }
}

TEST_F(ApprovalFilesTest, RulesThatTwoStoreAtOnceAreAllKept) {
  const PolicyPlaces places{.configuration = root_.path() + "-config", .project = "/work/shop"};
  constexpr int kEach = 10;
  const auto store = [&](const std::string& target) {
    for (int i = 0; i < kEach; ++i) {
      const Json rule = {{"tool", "tool.run"},
                         {"argv", {"make", target + std::to_string(i)}},
                         {"decision", "allow"}};
      EXPECT_TRUE(store_project_rules(places, layout_.root(), {rule}).has_value());
    }
  };
  {
    const std::jthread one(store, "a");
    const std::jthread two(store, "b");
  }
  const auto policy = Policy::read(*read_policy_texts(places));
  EXPECT_EQ(policy->rule_count(), 2U * kEach);
  std::filesystem::remove_all(places.configuration);
}

// Tells when the file was opened by somebody.
class OpenWatch {
 public:
  explicit OpenWatch(const std::string& path) {
    CHECK(::inotify_add_watch(fd_.get(), path.c_str(), IN_OPEN) >= 0, "the file is there");
  }
  bool sees_it_opened() const {
    pollfd ready{fd_.get(), POLLIN, 0};
    return ::poll(&ready, 1, 10'000) == 1;
  }

 private:
  UniqueFd fd_{::inotify_init1(IN_CLOEXEC)};
};

TEST_F(ApprovalFilesTest, ADecisionThatIsMovedWhileItsRequestIsTakenBackDoesNotComeAgain) {
  // A large request is read for so long that another can act between the look at a response, which
  // does not hold, and its removal. Where that did not happen in time, try again.
  const std::string other = decision_by("bob").dump();
  for (int tries = 0; tries < 20; ++tries) {
    Bundle bundle{"run-a.1", "run-a", "main", "code", "sha256:p", "sha256:s"};
    const CallToDecide call = program_call({"make", std::string(std::size_t{128} << 10, 'x')});
    bundle.calls.push_back({1, call, Policy().decide(call)});
    ASSERT_TRUE(files_->publish_request(bundle_request(bundle)).has_value());
    put_response("{}");
    const std::string request_path = layout_.root() + "/approvals/requests/run-a.1.json";
    const OpenWatch watch(request_path);
    std::jthread reader([this] { (void)files_->read_decision("run-a.1", {}); });
    ASSERT_TRUE(watch.sees_it_opened());
    std::filesystem::remove(request_path);  // It is taken back while the decision is moved.
    put_response(other);
    reader.join();
    if (std::ranges::count(refused(), "{}") == tries) {
      EXPECT_FALSE(std::filesystem::exists(response_path()));
      EXPECT_EQ(std::ranges::count(refused(), other), 1);
      return;
    }
    std::filesystem::remove(response_path());
  }
  FAIL() << "the reader was always faster";
}

TEST_F(ApprovalFilesTest, TheKeyIsItsOwnersAlone) {
  const auto key = files_->key();
  ASSERT_TRUE(key.has_value());
  EXPECT_EQ(key->size(), 64U);
  EXPECT_EQ(*files_->key(), *key);
  const std::string path = layout_.root() + "/client/approval.key";
  ASSERT_EQ(::chmod(path.c_str(), 0640), 0);
  ASSERT_FALSE(files_->key().has_value());
  EXPECT_THAT(files_->key().error().message, HasSubstr("must be yours alone"));
  std::filesystem::remove(path);
  EXPECT_NE(*files_->key(), *key);
}

TEST_F(ApprovalFilesTest, RulesOfAProjectAreStoredBesideTheConfigurationAndForItAlone) {
  const PolicyPlaces places{.configuration = layout_.root() + "/config", .project = "/work/shop"};
  const Json rule = {{"tool", "tool.run"}, {"argv", {"make", "test"}}, {"decision", "allow"}};
  ASSERT_FALSE(store_project_rules(places, layout_.root(), {rule}).has_value());
  for (int times = 0; times < 2; ++times) {
    const auto path = store_project_rules(places, "/elsewhere", {rule});
    ASSERT_TRUE(path.has_value()) << path.error().message;
  }
  const auto policy = Policy::read(*read_policy_texts(places));
  ASSERT_TRUE(policy.has_value()) << policy.error().message;
  EXPECT_EQ(policy->rule_count(), 1U);
  EXPECT_EQ(policy->decide(program_call({"make", "test"})).decision, Decision::kAllow);
  PolicyPlaces other = places;
  other.project = "/work/other";
  EXPECT_EQ(read_policy_texts(other)->size(), 0U);
}

}  // namespace
}  // namespace filecall::client
