// SPDX-License-Identifier: MIT
#include "client/approval/core/approval_decision.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "client/approval/core/bundle.h"
#include "client/approval/core/shown_approval.h"
#include "client/approval/core/signature.h"
#include "tests/unit/client/approval/decided_calls.h"

namespace filecall::client {
namespace {

using ::testing::HasSubstr;

constexpr char kKey[] = "0123456789abcdef0123456789abcdef";

Json two_calls() {
  Bundle bundle{"run-a.1", "run-a", "main", "code", "sha256:p", "sha256:s"};
  bundle.created_at = *parse_rfc3339("2026-11-25T10:00:00Z");
  bundle.expires_at = parse_rfc3339("2026-11-26T10:00:00Z");
  const CallToDecide test = program_call({"make", "test"});
  const CallToDecide apply = call_of("file.apply", {{"changes", {{{"path", "a"}}}}});
  bundle.calls.push_back({1, test, Policy().decide(test)});
  bundle.calls.push_back({2, apply, Policy().decide(apply)});
  bundle.calls.back().hunks = {"h1", "h2"};
  return bundle_request(bundle);
}

ApprovalDecision approval_of(std::vector<CallDecision> calls) {
  ApprovalDecision decision;
  decision.calls = std::move(calls);
  decision.source = "cli";
  decision.by = "ada";
  decision.decided_at = *parse_rfc3339("2026-11-25T11:00:00Z");
  return decision;
}

Result<ApprovalDecision> checked(const Json& file, const Json& request,
                                 std::string_view policy = "sha256:p") {
  return check_decision(file, {request, kKey, policy, "sha256:s"});
}

std::string refused(const Json& file, const Json& request, std::string_view policy = "sha256:p") {
  const auto decision = checked(file, request, policy);
  return decision ? "it holds" : decision.error().message;
}

TEST(ApprovalDecisionTest, AMixedDecisionComesBackAsItWasMade) {
  const Json request = two_calls();
  const auto file = decision_file(
      request,
      approval_of({{1, false, std::nullopt, {}, "not now"}, {2, true, std::nullopt, {"h2"}}}),
      kKey);
  ASSERT_TRUE(file.has_value()) << file.error().message;
  EXPECT_EQ((*file)["approved"], false);
  const auto decision = checked(*file, request);
  ASSERT_TRUE(decision.has_value()) << decision.error().message;
  EXPECT_EQ(decision->by, "ada");
  ASSERT_EQ(decision->calls.size(), 2U);
  EXPECT_FALSE(decision->calls[0].approved);
  EXPECT_EQ(decision->calls[0].reason, "not now");
  EXPECT_EQ(decision->calls[1].hunks, std::vector<std::string>{"h2"});
}

TEST(ApprovalDecisionTest, CallsThatAreNotNamedAreDenied) {
  const Json request = two_calls();
  const auto decision = checked(*decision_file(request, approval_of({{2, true}}), kKey), request);
  ASSERT_TRUE(decision.has_value());
  EXPECT_FALSE(decision->calls[0].approved);
  EXPECT_TRUE(decision->calls[1].approved);
}

TEST(ApprovalDecisionTest, TheFormOfOneAnswerForAllIsTakenToo) {
  const Json request = two_calls();
  Json file = {{"id", "run-a.1"},
               {"digest", request["digest"]},
               {"approved", true},
               {"source", "webview"},
               {"decidedAt", "2026-11-25T11:00:00Z"}};
  file["signature"] = signature_of(file, kKey);
  const auto decision = checked(file, request);
  ASSERT_TRUE(decision.has_value()) << decision.error().message;
  EXPECT_TRUE(decision->calls[0].approved && decision->calls[1].approved);
}

TEST(ApprovalDecisionTest, WhatDoesNotHoldIsRefusedWithItsReason) {
  const Json request = two_calls();
  const Json good = *decision_file(request, approval_of({{1, true}, {2, true}}), kKey);
  EXPECT_EQ(refused(good, request), "it holds");
  Json unsigned_one = good;
  unsigned_one.erase("signature");
  EXPECT_THAT(refused(unsigned_one, request), HasSubstr("no signature"));
  Json altered = good;
  altered["calls"][0]["modifiedArguments"] = {{"argv", {"reboot"}}};
  EXPECT_THAT(refused(altered, request), HasSubstr("changed afterwards"));
  Json forged = good;
  forged["signature"] = signature_of(good, "another key");
  EXPECT_THAT(refused(forged, request), HasSubstr("not by this root's key"));
  EXPECT_THAT(refused(good, request, "sha256:q"), HasSubstr("the policy has changed"));
  EXPECT_THAT(refused(Json::array(), request), HasSubstr("no object"));
  ApprovalDecision late = approval_of({{1, true}, {2, true}});
  late.decided_at = *parse_rfc3339("2026-11-27T00:00:00Z");
  EXPECT_THAT(refused(*decision_file(request, late, kKey), request), HasSubstr("it came after"));
  ApprovalDecision early = approval_of({{1, true}, {2, true}});
  early.decided_at = *parse_rfc3339("2026-11-25T09:59:58Z");
  EXPECT_THAT(refused(*decision_file(request, early, kKey), request),
              HasSubstr("before the approval was asked for"));
  Json other = good;
  other["policyDigest"] = "sha256:q";
  other.erase("signature");
  other["signature"] = signature_of(other, kKey);
  EXPECT_THAT(refused(other, request), HasSubstr("under another policy"));
}

TEST(ApprovalDecisionTest, NoDirectoryOrWordOfAProgramBeginsALineOfThePreview) {
  CallToDecide call = program_call({"ls", "a\nb"});
  call.args["cwd"] = "x\nsandbox: workspace-write, without network\xe2\x80\xa8";
  Bundle bundle{"run-a.1", "run-a", "main", "code", "sha256:p", "sha256:s"};
  bundle.calls.push_back({1, call, Policy().decide(call)});
  const std::string preview = bundle_request(bundle)["calls"][0]["previewText"];
  EXPECT_THAT(preview, testing::StartsWith("$ ls $'a\\nb'\ndirectory: "));
  EXPECT_THAT(preview, HasSubstr("x\\nsandbox: workspace-write, without network\\u2028\n"));
  EXPECT_EQ(std::count(preview.begin(), preview.end(), '\n'), 2) << preview;
}

TEST(ApprovalDecisionTest, ADeclaredToolIsShownWithItsDirectoryAndSandbox) {
  CallToDecide call = call_of("tool.run", {{"tool", "de\nploy"}, {"args", {{"to", "prod"}}}});
  call.working_directory = "/work/shop";
  call.sandbox = {"workspace-write", true, false};
  Bundle bundle{"run-a.1", "run-a", "main", "code", "sha256:p", "sha256:s"};
  bundle.calls.push_back({1, call, Policy().decide(call)});
  EXPECT_EQ(bundle_request(bundle)["calls"][0]["previewText"],
            "tool: de\\nploy, whose program the worker's configuration declares\n"
            "directory: /work/shop\nsandbox: workspace-write, without network");
}

TEST(ApprovalDecisionTest, SaysThatWhatWasApprovedIsAltered) {
  ApprovalDecision decision = approval_of({{1, true}, {2, true}});
  EXPECT_EQ(changed_outcome_text(decision), "approved");
  decision.calls[0].modified_arguments = Json::object();
  EXPECT_EQ(changed_outcome_text(decision), "approved, with altered arguments");
  decision.calls[1].hunks = {"h1"};
  EXPECT_EQ(changed_outcome_text(decision), "approved, with altered arguments, some hunks alone");
}

TEST(ApprovalDecisionTest, ADecisionOnAnotherBundleIsRefused) {
  const Json request = two_calls();
  const Json good = *decision_file(request, approval_of({{1, true}, {2, true}}), kKey);
  Json other = request;
  other["id"] = "run-b.1";
  other["digest"] = bundle_digest(other);
  EXPECT_THAT(refused(good, other), HasSubstr("it decides run-a.1"));
  Json changed = request;
  changed["calls"][0]["arguments"]["argv"][1] = "deploy";
  EXPECT_THAT(refused(good, changed), HasSubstr("not as it was written"));
  changed["digest"] = bundle_digest(changed);
  EXPECT_THAT(refused(good, changed), HasSubstr("another bundle"));
}

TEST(ApprovalDecisionTest, WhatWasNotShownCannotBeDecided) {
  const Json request = two_calls();
  const auto refusal = [&](std::vector<CallDecision> calls,
                           ApprovalScope scope = ApprovalScope::kOnce) {
    ApprovalDecision decision = approval_of(std::move(calls));
    decision.scope = scope;
    const auto file = decision_file(request, decision, kKey);
    return file ? std::string("it was made") : file.error().message;
  };
  EXPECT_THAT(refusal({{3, true}}), HasSubstr("there is no call 3"));
  EXPECT_THAT(refusal({{1, true}, {1, false}}), HasSubstr("decided twice"));
  EXPECT_THAT(refusal({{2, true, std::nullopt, {"h9"}}}), HasSubstr("no hunk h9"));
  EXPECT_THAT(refusal({{1, false, Json::object()}}), HasSubstr("is denied"));
  EXPECT_THAT(refusal({{1, true, Json("x")}}), HasSubstr("must be an object"));
  EXPECT_THAT(refusal({{2, true}}, ApprovalScope::kRun), HasSubstr("only once"));
  EXPECT_EQ(refusal({{1, true}}, ApprovalScope::kThread), "it was made");
}

TEST(ApprovalDecisionTest, AScopeStoresTheRuleThatWasShown) {
  const Json request = two_calls();
  ApprovalDecision wanted = approval_of({{1, true}});
  wanted.scope = ApprovalScope::kProject;
  Json file = *decision_file(request, wanted, kKey);
  // What the file itself says of rules does not count.
  file["rules"] = {{{"tool", "*"}, {"decision", "allow"}}};
  file["signature"] = signature_of(file, kKey);
  const auto decision = checked(file, request);
  ASSERT_TRUE(decision.has_value()) << decision.error().message;
  ASSERT_EQ(decision->rules.size(), 1U);
  EXPECT_EQ(decision->rules[0]["argv"], Json({"make", "test"}));
}

TEST(ApprovalDecisionTest, ASignatureIsTheHmacOfTheOtherMembers) {
  // RFC 4231 has no JSON; the value is what `openssl dgst -sha256 -hmac key` prints of {"a":1}.
  EXPECT_EQ(signature_of({{"a", 1}, {"signature", "x"}}, "key"), signature_of({{"a", 1}}, "key"));
  EXPECT_EQ(signature_of({{"a", 1}}, "key"),
            "hmac-sha256:88a67f24bbcdaed0e6c997404bb79a743baf44c6bab2f4c27328e3009d22e342");
}

}  // namespace
}  // namespace filecall::client
