// SPDX-License-Identifier: MIT
#include "worker/exec/kube/client/kubeconfig.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "worker/exec/kube/client/cluster_access.h"
#include "worker/exec/kube/client/kubeconfig_document.h"

namespace filecall::worker::kube {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Result<Kubeconfig> read(const std::string& yaml, const std::string& directory = "/d") {
  const auto document = read_kubeconfig_text(yaml, "f");
  if (!document) return Unexpected(document.error());
  return parse_kubeconfig(*document, directory, "f");
}

TEST(Kubeconfig, ReadsEveryMember) {
  const auto config = read(R"(
apiVersion: v1
kind: Config
clusters:
- name: c
  cluster:
    server: https://h:6443/p
    tls-server-name: name.n
    certificate-authority-data: QUJD
    proxy-url: http://p:1
    disable-compression: true
    extensions:
    - {name: client.authentication.k8s.io/exec, extension: {audience: x}}
users:
- name: u
  user:
    client-certificate: u.crt
    client-key-data: S0VZ
    token: t
    tokenFile: /abs/token
    username: me
    password: pw
    as: other
    as-uid: "7"
    as-groups: [a, b]
    as-user-extra: {k: [v, w]}
    exec:
      apiVersion: client.authentication.k8s.io/v1
      command: ./plugin
      args: [x]
      env: [{name: A, value: "1"}]
      installHint: get it
      provideClusterInfo: true
      interactiveMode: Never
contexts:
- {name: x, context: {cluster: c, user: u, namespace: shop}}
current-context: x
)");
  ASSERT_TRUE(config) << config.error().message;
  const ClusterEntry& cluster = config->clusters.at("c");
  EXPECT_EQ(cluster.server, "https://h:6443/p");
  EXPECT_EQ(cluster.tls_server_name, "name.n");
  EXPECT_EQ(cluster.authority_data, "ABC");
  EXPECT_EQ(cluster.proxy_url, "http://p:1");
  EXPECT_TRUE(cluster.is_compression_disabled);
  EXPECT_EQ(cluster.exec_config, (Json{{"audience", "x"}}));
  const UserEntry& user = config->users.at("u");
  EXPECT_EQ(user.certificate_file, "/d/u.crt");
  EXPECT_EQ(user.key_data.reveal(), "KEY");
  EXPECT_EQ(user.token.reveal(), "t");
  EXPECT_EQ(user.token_file, "/abs/token");
  EXPECT_EQ(user.password.reveal(), "pw");
  EXPECT_THAT(user.as_groups, ElementsAre("a", "b"));
  ASSERT_EQ(user.as_extra.size(), 1u);
  EXPECT_THAT(user.as_extra[0].second, ElementsAre("v", "w"));
  ASSERT_TRUE(user.exec);
  EXPECT_EQ(user.exec->command, "/d/./plugin");
  EXPECT_EQ(user.exec->env[0].second, "1");
  EXPECT_TRUE(user.exec->wants_cluster);
  EXPECT_EQ(config->contexts.at("x").name_space, "shop");
}

TEST(Kubeconfig, LeavesABareCommandToThePath) {
  const auto config = read("users: [{name: u, user: {exec: {command: aws}}}]");
  EXPECT_EQ(config->users.at("u").exec->command, "aws");
}

TEST(Kubeconfig, RefusesWhatIsNotWhatItShouldBe) {
  const std::pair<const char*, const char*> cases[] = {
      {"clusters: [{name: y, cluster: {server: a}}]", "clusters[0].name: must be a text"},
      {"clusters: [{name: a, cluster: {server: 7}}]", "clusters[0].cluster.server: must be a text"},
      {"clusters: [{name: a}, {name: a}]", "clusters[1].name: 'a' is given twice"},
      {"users: [{name: a, user: {client-key-data: '%%'}}]", "client-key-data: is not base64"},
      {"users: [{name: a, user: {as-groups: b}}]", "as-groups: must be a list"},
      {"contexts: {a: b}", "contexts: must be a list"},
      {"kind: Pod", "kind: is 'Pod'"},
      {"apiVersion: v2", "apiVersion: is 'v2'"},
      {"[]", "must be a mapping"},
      {"a: [", "YAML"},
  };
  for (const auto& [yaml, reason] : cases) {
    const auto config = read(yaml);
    ASSERT_FALSE(config) << yaml;
    EXPECT_THAT(config.error().message, HasSubstr(reason));
  }
}

TEST(Kubeconfig, RepeatsNoSecretWhenItIsBroken) {
  const auto config = read("users: [{name: a, user: {token: hunter2-hunter2, as-groups: [{}]}}]");
  ASSERT_FALSE(config);
  EXPECT_THAT(config.error().message, testing::Not(HasSubstr("hunter2")));
}

TEST(Kubeconfig, MergesWholeEntriesAndTheFirstCurrentContext) {
  std::vector<Kubeconfig> files;
  files.push_back(*read("{clusters: [{name: c, cluster: {server: first}}]}"));
  files.push_back(
      *read("{clusters: [{name: c, cluster: {server: second, proxy-url: p}}, "
            "{name: d, cluster: {server: d}}], current-context: two}"));
  files.push_back(*read("current-context: three"));
  const Kubeconfig merged = merge_kubeconfigs(std::move(files));
  EXPECT_EQ(merged.clusters.at("c").server, "first");
  EXPECT_EQ(merged.clusters.at("c").proxy_url, "") << "entries are not mixed";
  EXPECT_EQ(merged.clusters.at("d").server, "d");
  EXPECT_EQ(merged.current_context, "two");
}

/// A configuration with one context, whose cluster and user are given.
Result<ClusterAccess> access(const std::string& cluster, const std::string& user) {
  return choose_access(
      *read("{clusters: [{name: c, cluster: " + cluster + "}], users: [{name: u, user: " + user +
            "}], contexts: [{name: x, context: {cluster: c, user: u}}], "
            "current-context: x}"),
      "");
}

TEST(ClusterAccess, RefusesContradictions) {
  const std::string good = "{server: 'https://h'}";
  const std::string exec = "{exec: {command: p, apiVersion: client.authentication.k8s.io/";
  const std::pair<std::pair<std::string, std::string>, const char*> cases[] = {
      {{"{}", "{}"}, "no server found for cluster c"},
      {{"{server: h, certificate-authority: a, certificate-authority-data: QUJD}", "{}"},
       "are both specified for cluster c"},
      {{"{server: h, certificate-authority: a, insecure-skip-tls-verify: true}", "{}"},
       "with the insecure flag is not allowed"},
      {{good, "{client-certificate: a}"}, "client-key must be specified for user u"},
      {{good, "{client-certificate: a, client-key: b, client-key-data: QUJD}"},
       "client-key are both specified"},
      {{good, "{token: t, username: me}"},
       "more than one authentication method found for u; found [token basicAuth]"},
      {{good, exec + "v1alpha1}}"}, "invalid apiVersion"},
      {{good, exec + "v1}}"}, "interactiveMode must be specified"},
      {{good, exec + "v1, interactiveMode: Always}}"}, "needs a terminal"},
      {{good, "{exec: {apiVersion: client.authentication.k8s.io/v1}}"}, "command must be"},
      {{good, "{auth-provider: {name: oidc}}"}, "auth-provider 'oidc'"},
      {{good, "{as-groups: [a]}"}, "without impersonating a user"},
      {{"{server: 'ftp://h'}", "{}"}, "must be an http or https URL"},
      {{"{server: 'https://me:pw@h'}", "{}"}, "without a user"},
  };
  for (const auto& [given, reason] : cases) {
    const auto found = access(given.first, given.second);
    ASSERT_FALSE(found) << given.first << given.second;
    EXPECT_THAT(found.error().message, HasSubstr(reason));
  }
  EXPECT_TRUE(access(good, exec + "v1beta1}}"));
}

TEST(ClusterAccess, NamesTheContextsThatThereAre) {
  const auto config = read("{contexts: [{name: a}, {name: b, context: {cluster: gone}}]}");
  EXPECT_THAT(choose_access(*config, "").error().message, HasSubstr("there are a, b"));
  const auto missing = choose_access(*config, "q");
  EXPECT_EQ(missing.error().code, ErrorCode::kNotFound);
  EXPECT_THAT(missing.error().message, HasSubstr("context \"q\" does not exist"));
  EXPECT_THAT(choose_access(*config, "b").error().message,
              HasSubstr("cluster \"gone\" does not exist"));
}

TEST(ClusterAccess, BringsTheServerIntoItsNormalForm) {
  EXPECT_EQ(*normal_server("https://h:1/p/?q#f", false), "https://h:1/p");
  EXPECT_EQ(*normal_server("h:1", true), "https://h:1");
  EXPECT_EQ(*normal_server("h:1/", false), "http://h:1");
  EXPECT_FALSE(normal_server("https://", false));
  EXPECT_FALSE(normal_server("https://a b", false));
}

}  // namespace
}  // namespace filecall::worker::kube
