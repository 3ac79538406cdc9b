// SPDX-License-Identifier: MIT
#include "worker/exec/kube/client/api_error.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "worker/exec/kube/client/api_path.h"

namespace filecall::worker::kube {
namespace {

using testing::HasSubstr;

Failure failure(int http_status, const std::string& reason = "", const std::string& message = "") {
  ApiProblem problem;
  problem.http_status = http_status;
  problem.status = Json{{"kind", "Status"}, {"reason", reason}, {"message", message}};
  return failure_of(problem);
}

TEST(ApiError, HasACodeForEveryAnswer) {
  struct Case {
    int http_status;
    const char* reason;
    ErrorCode code;
    bool is_retryable;
  };
  const Case cases[] = {
      {400, "BadRequest", ErrorCode::kInvalidArgument, false},
      {401, "Unauthorized", ErrorCode::kUnauthenticated, false},
      {403, "Forbidden", ErrorCode::kPermissionDenied, false},
      {404, "NotFound", ErrorCode::kNotFound, false},
      {405, "MethodNotAllowed", ErrorCode::kUnimplemented, false},
      {409, "AlreadyExists", ErrorCode::kAlreadyExists, false},
      {409, "Conflict", ErrorCode::kAborted, false},
      {410, "Expired", ErrorCode::kOutOfRange, false},
      {413, "RequestEntityTooLarge", ErrorCode::kInvalidArgument, false},
      {415, "UnsupportedMediaType", ErrorCode::kUnimplemented, false},
      {422, "Invalid", ErrorCode::kInvalidArgument, false},
      {429, "TooManyRequests", ErrorCode::kResourceExhausted, true},
      {500, "InternalError", ErrorCode::kUnavailable, true},
      {502, "", ErrorCode::kUnavailable, true},
      {503, "ServiceUnavailable", ErrorCode::kUnavailable, true},
      {504, "Timeout", ErrorCode::kUnavailable, true},
      {302, "", ErrorCode::kUnavailable, false},
      {418, "", ErrorCode::kInvalidArgument, false},
  };
  for (const Case& c : cases) {
    const Failure found = failure(c.http_status, c.reason, "m");
    EXPECT_EQ(found.code, c.code) << c.http_status << c.reason;
    EXPECT_EQ(found.is_retryable(), c.is_retryable) << c.http_status << c.reason;
    EXPECT_EQ(found.details["http_status"], c.http_status);
  }
}

TEST(ApiError, TakesAnApplysUnknownFieldForBadInput) {
  const Failure found =
      failure(500, "",
              "failed to create typed patch object (a/b; apps/v1, Kind=Deployment): .spec.x: field "
              "not declared in schema");
  EXPECT_EQ(found.code, ErrorCode::kInvalidArgument);
  EXPECT_FALSE(found.is_retryable());
}

TEST(ApiError, ListsTheOwnersOfAConflict) {
  ApiProblem problem;
  problem.http_status = 409;
  problem.status =
      Json::parse(R"({"kind": "Status", "reason": "Conflict", "message": "Apply failed",
    "details": {"name": "web", "kind": "deployments", "causes": [
      {"reason": "FieldManagerConflict", "field": ".spec.replicas",
       "message": "conflict with \"hpa\" using apps/v1 at 2030-01-01T00:00:00Z"}]}})");
  const Failure found = failure_of(problem);
  EXPECT_EQ(found.code, ErrorCode::kAborted);
  EXPECT_EQ(found.details["conflicts"],
            (Json::array({{{"manager", "hpa"}, {"field", ".spec.replicas"}}})));
  EXPECT_EQ(found.details["name"], "web");
}

TEST(ApiError, WaitsAsLongAsTheServerAsks) {
  ApiProblem problem;
  problem.http_status = 429;
  problem.status = Json::parse(R"({"kind": "Status", "details": {"retryAfterSeconds": 3}})");
  EXPECT_EQ(failure_of(problem).retry_after_ms, 3000);
  problem.retry_after = milliseconds(500);
  EXPECT_EQ(failure_of(problem).retry_after_ms, 500) << "the header is nearer";
}

TEST(ApiError, ShowsTheBeginningOfWhatIsNoAnswerOfAnApiServer) {
  ApiProblem problem;
  problem.http_status = 502;
  problem.body_text = "<html>" + std::string(5000, 'x');
  const Failure found = failure_of(problem);
  EXPECT_THAT(found.message, HasSubstr("not the answer of an API server: <html>xxx"));
  EXPECT_LT(found.message.size(), 800u);
}

TEST(ApiError, TellsWhenAWriteMayHaveBeenDone) {
  ApiProblem problem;
  problem.end = HttpEnd::kReset;
  EXPECT_TRUE(failure_of(problem).is_retryable());
  problem.may_change = problem.was_sent = true;
  const Failure lost = failure_of(problem);
  EXPECT_FALSE(lost.is_retryable());
  EXPECT_EQ(lost.details["ambiguous"], true);
  EXPECT_EQ(lost.details["transport"], "reset");
  problem.end = HttpEnd::kTimeoutTotal;
  problem.may_change = false;
  EXPECT_EQ(failure_of(problem).code, ErrorCode::kDeadlineExceeded);
}

TEST(ApiPath, KeepsEveryNameInItsSegment) {
  Resource pods = core_resource("Pod", "pods");
  EXPECT_EQ(object_path(pods, "shop", "a b", "log"), "/api/v1/namespaces/shop/pods/a%20b/log");
  EXPECT_EQ(collection_path(pods, ""), "/api/v1/pods");
  Resource roles = core_resource("ClusterRole", "clusterroles");
  roles.group = "rbac.authorization.k8s.io";
  EXPECT_EQ(object_path(roles, "", "system:node"),
            "/apis/rbac.authorization.k8s.io/v1/clusterroles/system%3Anode");
  EXPECT_EQ(with_query("/p", {{"a", "x=y,z"}, {"b", ""}, {"c", "1"}}), "/p?a=x%3Dy%2Cz&c=1");
  for (const char* bad : {"", ".", "..", "a/b", "../../secrets/x", "a%2fb", "a\nb"}) {
    EXPECT_NE(mistake_of_name(bad), "") << bad;
  }
  EXPECT_EQ(mistake_of_name("system:node_1.x"), "");
  for (const char* bad : {"", "A", "-a", "a.b", "a/..", "kube system"}) {
    EXPECT_NE(mistake_of_namespace(bad), "") << bad;
  }
  EXPECT_EQ(mistake_of_namespace("kube-system"), "");
}

TEST(ApiPath, KnowsWhatDescribesTheServerAlone) {
  for (const char* path :
       {"/api", "/apis", "/version", "/api/v1", "/apis/apps/v1", "/api?x=/a/b"}) {
    EXPECT_TRUE(is_discovery_path(path)) << path;
  }
  for (const char* path : {"/api/v1/secrets", "/apis/apps/v1/deployments", "/", "/metrics",
                           "/api/v1/namespaces/a/secrets/b"}) {
    EXPECT_FALSE(is_discovery_path(path)) << path;
  }
}

}  // namespace
}  // namespace filecall::worker::kube
