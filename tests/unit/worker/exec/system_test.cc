// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

#include "worker/exec/system/cancel.h"
#include "worker/exec/system/describe.h"
#include "worker/exec/system/discard.h"
#include "worker/exec/system/echo.h"

namespace filecall::worker {
namespace {

Outcome execute(Executor& executor, const Request& request) {
  std::optional<Outcome> outcome;
  EXPECT_EQ(executor.start(request, {"/root-a"}, [&](Outcome o) { outcome = std::move(o); }),
            nullptr);
  return outcome.value_or(Failure{});
}

Request make_request(Json params) {
  Request request;
  request.request_id = "r";
  request.params = std::move(params);
  return request;
}

class FakeTarget final : public CancelTarget {
 public:
  void cancel(std::string_view root, std::uint32_t, std::string_view request_id, CancelWish wish,
              std::function<void(CancelResult)> done) override {
    asked = std::string(root) + " " + std::string(request_id);
    wished = wish;
    done(result);
  }
  DiscardResult discard(std::string_view root, std::uint32_t, std::string_view request_id,
                        const ResponseFile& response) override {
    asked = std::string(root) + " " + std::string(request_id);
    named = response;
    return discarding;
  }
  CancelResult result = CancelResult::kUnknown;
  DiscardResult discarding = DiscardResult::kAbsent;
  ResponseFile named;
  std::string asked;
  CancelWish wished;
};

TEST(SystemEcho, AnswersItsParams) {
  SystemEcho echo("{}");
  const Json params = {{"x", {1, nullptr, "ä"}}};
  EXPECT_EQ(*execute(echo, make_request(params)), params);
}

TEST(SystemCommands, RunInlineAndLeaveNothing) {
  SystemEcho echo("{}");
  SystemDescribe describe("{}", [] { return Json(); });
  SystemCancel cancel("{}", [] { return nullptr; });
  for (Executor* executor : std::initializer_list<Executor*>{&echo, &describe, &cancel}) {
    const auto plan = executor->plan(make_request({{"request_id", "other"}}));
    ASSERT_TRUE(plan) << executor->info().name;
    EXPECT_TRUE(plan->destination.empty());
    EXPECT_EQ(executor->info().effects, Effects::kNone);
  }
}

TEST(SystemDescribe, AnswersTheCatalogOrOneCommand) {
  const Json catalog = {{"commands", {{{"name", "system.echo"}}, {{"name", "tool.run"}}}},
                        {"tools", {{{"name", "lint"}}}}};
  SystemDescribe describe("{}", [&] { return catalog; });
  EXPECT_EQ(*execute(describe, make_request(Json::object())), catalog);
  const Json one = *execute(describe, make_request({{"command", "tool.run"}}));
  EXPECT_EQ(one.at("commands").size(), 1u);
  EXPECT_EQ(one.at("tools").size(), 1u);
  const Json echo = *execute(describe, make_request({{"command", "system.echo"}}));
  EXPECT_TRUE(echo.at("tools").empty());
  const auto failure = execute(describe, make_request({{"command", "tool.rum"}})).error();
  EXPECT_EQ(failure.code, ErrorCode::kNotFound);
  EXPECT_THAT(failure.message, testing::HasSubstr("did you mean tool.run?"));
}

TEST(SystemCancel, SaysWhereTheRequestWas) {
  const struct {
    CancelResult result;
    const char* state;
    bool cancelled;
  } cases[] = {{CancelResult::kQueued, "queued", true},
               {CancelResult::kExecuting, "executing", true},
               {CancelResult::kAnswered, "answered", false}};
  FakeTarget target;
  SystemCancel cancel("{}", [&] { return &target; });
  for (const auto& c : cases) {
    target.result = c.result;
    const auto data = *execute(cancel, make_request({{"request_id", "x"}}));
    EXPECT_EQ(data, (Json{{"request_id", "x"}, {"cancelled", c.cancelled}, {"state", c.state}}));
    EXPECT_EQ(target.asked, "/root-a x");
  }
}

TEST(SystemCancel, DoesNotFindWhatIsNotThere) {
  FakeTarget target;
  SystemCancel cancel("{}", [&] { return &target; });
  const auto failure = execute(cancel, make_request({{"request_id", "x"}})).error();
  EXPECT_EQ(failure.code, ErrorCode::kNotFound);
  EXPECT_FALSE(failure.is_retryable());
}

TEST(SystemCancel, RefusesToCancelItself) {
  SystemCancel cancel("{}", [] { return nullptr; });
  EXPECT_FALSE(cancel.plan(make_request({{"request_id", "r"}})));
}

TEST(SystemDiscard, SaysWhatBecameOfTheResponse) {
  const struct {
    DiscardResult result;
    const char* state;
    std::optional<ErrorCode> code;
  } cases[] = {{DiscardResult::kDiscarded, "discarded", std::nullopt},
               {DiscardResult::kAbsent, "absent", std::nullopt},
               {DiscardResult::kOther, "other", std::nullopt},
               {DiscardResult::kForbidden, "", ErrorCode::kPermissionDenied},
               {DiscardResult::kUnsupported, "", ErrorCode::kUnimplemented},
               {DiscardResult::kFailed, "", ErrorCode::kInternal}};
  FakeTarget target;
  SystemDiscard discard("{}", [&] { return &target; });
  for (const auto& c : cases) {
    target.discarding = c.result;
    const auto outcome = execute(
        discard, make_request({{"request_id", "x"}, {"inode", 7}, {"mtime_ns", -5}, {"size", 9}}));
    EXPECT_EQ(target.asked, "/root-a x");
    EXPECT_EQ(target.named.inode, 7u);
    EXPECT_EQ(target.named.mtime_ns, -5);
    EXPECT_EQ(target.named.size, 9);
    ASSERT_EQ(outcome.has_value(), !c.code);
    if (c.code) {
      EXPECT_EQ(outcome.error().code, *c.code);
      EXPECT_FALSE(outcome.error().is_retryable());
      continue;
    }
    const bool is_gone = c.result == DiscardResult::kDiscarded;
    EXPECT_EQ(*outcome, (Json{{"request_id", "x"}, {"discarded", is_gone}, {"state", c.state}}));
  }
}

TEST(SystemDiscard, IsOfAnotherRequest) {
  SystemDiscard discard("{}", [] { return nullptr; });
  EXPECT_FALSE(discard.plan(make_request({{"request_id", "r"}})));
  EXPECT_FALSE(discard.plan(make_request({{"request_id", "../r"}})));
  EXPECT_TRUE(discard.plan(make_request({{"request_id", "other"}})));
}

}  // namespace
}  // namespace filecall::worker
