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

TEST(ApiError, HandsOnWhereAListGoesOn) {
  ApiProblem problem;
  problem.http_status = 410;
  problem.status = Json::parse(R"({"kind": "Status", "reason": "Expired", "message": "too old",
    "metadata": {"continue": "abc"}})");
  const Failure found = failure_of(problem);
  EXPECT_EQ(found.details["continue"], "abc");
  EXPECT_THAT(found.message, HasSubstr("error_details.continue goes on"));
  EXPECT_FALSE(found.is_retryable());
  EXPECT_THAT(failure(410, "Expired", "too old").message, HasSubstr("without a continue token"));
}

TEST(ApiError, TellsAWebhookFromRbac) {
  const char* denied = "admission webhook \"p.example\" denied the request: no latest tag";
  for (const int status : {400, 403, 500}) {
    const Failure found = failure(status, "Forbidden", denied);
    EXPECT_THAT(found.message, HasSubstr("not RBAC")) << status;
    EXPECT_FALSE(found.is_retryable()) << status;
  }
  const Failure silent =
      failure(500, "InternalError", "failed calling webhook \"p.example\": deadline exceeded");
  EXPECT_THAT(silent.message, HasSubstr("nothing was written"));
  EXPECT_TRUE(silent.is_retryable());
  EXPECT_THAT(
      failure(400, "BadRequest", "admission webhook \"p\" does not support dry run").message,
      HasSubstr("cannot preview"));
}

TEST(ApiError, SaysWhatRefusesAWrite) {
  const std::pair<const char*, const char*> cases[] = {
      {"Service \"s\" is invalid: spec.clusterIP: Invalid value: field is immutable",
       "cannot be changed"},
      {"pods \"p\" is forbidden: exceeded quota: q", "quota"},
      {"unable to create new content in namespace n because it is being terminated",
       "is being deleted"},
      {"pods \"p\" is forbidden: violates PodSecurity \"restricted:latest\"", "security level"},
  };
  for (const auto& [message, part] : cases) {
    EXPECT_THAT(failure(403, "Forbidden", message).message, HasSubstr(part));
  }
  EXPECT_EQ(failure(403, "Forbidden", "User \"u\" cannot get pods").message,
            "HTTP 403: User \"u\" cannot get pods");
}

TEST(ApiError, TakesARefusedCertificateForNoNetworkProblem) {
  ApiProblem problem;
  problem.end = HttpEnd::kReset;
  problem.transport_message = "OpenSSL SSL_read: sslv3 alert certificate expired, errno 0";
  EXPECT_EQ(failure_of(problem).code, ErrorCode::kUnauthenticated);
  EXPECT_FALSE(failure_of(problem).is_retryable());
}

TEST(ApiError, ListsTheOwnersOfAConflict) {
  ApiProblem problem;
  problem.http_status = 409;
  problem.status =
      Json::parse(R"({"kind": "Status", "reason": "Conflict", "message": "Apply failed",
    "details": {"name": "web", "kind": "deployments", "causes": [
      {"reason": "FieldManagerConflict", "field": ".spec.replicas",
       "message": "conflict with \"hpa\" using apps/v1 at 2030-01-01T00:00:00Z"},
      {"reason": "FieldManagerConflict", "field": ".spec.replicas",
       "message": "conflict with \"a \\\"b\\\"\" with subresource \"scale\" using apps/v1"},
      {"reason": "FieldManagerConflict", "field": ".spec.paused",
       "message": "conflict with \"argo using at\""},
      {"reason": "FieldManagerConflict", "field": 7, "message": "conflict"}]}})");
  const Failure found = failure_of(problem);
  EXPECT_EQ(found.code, ErrorCode::kAborted);
  EXPECT_EQ(found.details["conflicts"], (Json::parse(R"([
              {"manager": "hpa", "field": ".spec.replicas", "operation": "Update",
               "time": "2030-01-01T00:00:00Z"},
              {"manager": "a \"b\"", "field": ".spec.replicas", "operation": "Update",
               "subresource": "scale"},
              {"manager": "argo using at", "field": ".spec.paused", "operation": "Apply"},
              {"manager": "", "field": ""}])")));
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
  EXPECT_THAT(found.message, HasSubstr("not the response of an API server: <html>xxx"));
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

TEST(ApiError, TellsWhoseWordItIsThatAWriteWasNotDone) {
  const Json status = {{"kind", "Status"}, {"message", "no"}};
  const struct {
    int http_status;
    bool is_of_server;
    bool is_ambiguous;
  } cases[] = {
      {200, false, true}, {302, false, false}, {400, true, false},  {404, false, false},
      {408, false, true}, {408, true, true},   {409, true, false},  {429, false, false},
      {500, true, false}, {500, false, true},  {501, false, false}, {502, false, true},
      {503, true, false}, {503, false, true},  {504, true, true},   {504, false, true},
  };
  for (const auto& c : cases) {
    ApiProblem problem;
    problem.http_status = c.http_status;
    if (c.is_of_server) problem.status = status;
    EXPECT_FALSE(failure_of(problem).details.contains("ambiguous")) << "it was no write";
    problem.may_change = problem.was_sent = true;
    const Failure found = failure_of(problem);
    EXPECT_EQ(found.details.contains("ambiguous"), c.is_ambiguous) << c.http_status;
    if (c.is_ambiguous) {
      EXPECT_FALSE(found.is_retryable()) << c.http_status;
    }
  }
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
