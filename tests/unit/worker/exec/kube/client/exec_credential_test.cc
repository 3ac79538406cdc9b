// SPDX-License-Identifier: MIT
#include "worker/exec/kube/client/exec_credential.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace filecall::worker::kube {
namespace {

using testing::HasSubstr;
using testing::Not;

const std::string kV1 = "client.authentication.k8s.io/v1";

std::string output(const std::string& status, const std::string& version = kV1) {
  return R"({"kind": "ExecCredential", "apiVersion": ")" + version + R"(", "status": )" + status +
         "}";
}

ClusterAccess with_plugin() {
  ClusterAccess access;
  access.cluster.server = "https://h";
  access.user.exec.emplace();
  access.user.exec->api_version = kV1;
  return access;
}

TEST(ExecInfo, SaysThatNobodyIsThereToAsk) {
  const Json info = Json::parse(exec_info(with_plugin(), "PEM"));
  EXPECT_EQ(info["kind"], "ExecCredential");
  EXPECT_EQ(info["apiVersion"], kV1);
  EXPECT_EQ(info["spec"], (Json{{"interactive", false}}));
}

TEST(ExecInfo, TellsOfTheClusterWhenThePluginWantsIt) {
  ClusterAccess given = with_plugin();
  given.user.exec->wants_cluster = true;
  given.cluster.is_insecure = true;
  const Json cluster = Json::parse(exec_info(given, "ABC"))["spec"]["cluster"];
  EXPECT_EQ(cluster, (Json{{"server", "https://h"},
                           {"config", nullptr},
                           {"insecure-skip-tls-verify", true},
                           {"certificate-authority-data", "QUJD"}}));
}

TEST(ExecCredential, ReadsATokenWithItsEnd) {
  const auto read = parse_exec_credential(
      output(R"({"token": "t0", "expirationTimestamp": "2030-01-01T00:00:00Z"})"), kV1);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->token.reveal(), "t0");
  EXPECT_EQ(format_rfc3339(*read->expires_at).substr(0, 10), "2030-01-01");
}

TEST(ExecCredential, ReadsAKeyPair) {
  const auto read =
      parse_exec_credential(output(R"({"clientCertificateData": "c", "clientKeyData": "k"})"), kV1);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->certificate, "c");
  EXPECT_EQ(read->key.reveal(), "k");
  EXPECT_FALSE(read->expires_at);
}

TEST(ExecCredential, RefusesWhatIsNoCredentialAndRepeatsNoneOfIt) {
  const std::pair<std::string, const char*> cases[] = {
      {"canary-0123456789", "not a JSON object"},
      {R"({"token": "canary-0123456789"})", "kind is not ExecCredential"},
      {output(R"({"token": "canary-0123456789"})", "client.authentication.k8s.io/v1beta1"),
       "configured to use API version"},
      {output("null"), "didn't return a status"},
      {output("{}"), "didn't return a token"},
      {output(R"({"clientKeyData": "canary-0123456789"})"), "only certificate or key"},
      {output(R"({"token": "canary-0123456789", "expirationTimestamp": "soon"})"), "RFC 3339"},
  };
  for (const auto& [text, reason] : cases) {
    const auto read = parse_exec_credential(text, kV1);
    ASSERT_FALSE(read) << text;
    EXPECT_EQ(read.error().code, ErrorCode::kUnauthenticated);
    EXPECT_THAT(read.error().message, HasSubstr(reason));
    EXPECT_THAT(read.error().message, Not(HasSubstr("canary")));
  }
}

}  // namespace
}  // namespace filecall::worker::kube
