// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include "worker/exec/kube/model/learned_values.h"
#include "worker/exec/kube/model/redaction.h"
#include "worker/exec/kube/model/references.h"

namespace filecall::worker::kube {
namespace {

const ObjectKind kConfigMapKind{"", "ConfigMap"};
const ObjectKind kServiceKind{"", "Service"};

Json redacted_body(Json body, const ObjectKind& asked) {
  Redactor redactor(DigestKey{});
  return redactor.redact(std::move(body), asked);
}

/// What a typed list says of a ConfigMap: neither kind nor apiVersion.
const Json kItem = Json::parse(R"({
    "metadata": {"name": "app", "namespace": "shop"},
    "data": {"api-key": "abcdefgh1", "level": "info", "app.yaml": "password: hunter2\nport: 1"},
    "binaryData": {"blob": "AAECAw=="}})");

void expect_hidden(const Json& item, const char* where) {
  const std::string text = dump_json(item);
  for (const char* secret : {"abcdefgh1", "hunter2", "AAECAw=="}) {
    EXPECT_EQ(text.find(secret), std::string::npos) << where << ": " << text;
  }
  EXPECT_EQ(item["data"]["level"], "info") << where;
}

TEST(Structure, AnItemWithoutAKindIsOfTheKindOfItsList) {
  Json alone = kItem;
  alone["kind"] = "ConfigMap";
  const Json expected = redacted_body(alone, kConfigMapKind);
  expect_hidden(expected, "alone");
  const auto expect_same = [&](Json item, const char* where) {
    expect_hidden(item, where);
    item["kind"] = "ConfigMap";
    EXPECT_EQ(item, expected) << where;
  };
  const Json typed = {{"kind", "ConfigMapList"}, {"items", {kItem}}};
  expect_same(redacted_body(typed, kConfigMapKind)["items"][0], "list");
  expect_same(redacted_body(typed, kServiceKind)["items"][0], "list, asked for something else");
  expect_same(redacted_body({{"kind", "List"}, {"items", {kItem}}}, kConfigMapKind)["items"][0],
              "List");
  expect_same(redacted_body({{"items", {kItem}}}, kConfigMapKind)["items"][0],
              "list without a kind");
  expect_same(redacted_body({{"type", "MODIFIED"}, {"object", kItem}}, kConfigMapKind)["object"],
              "watch");
  expect_same(redacted_body(kItem, kConfigMapKind), "by what was asked for");
  const Json table = {{"kind", "Table"}, {"rows", {{{"cells", {"app"}}, {"object", kItem}}}}};
  expect_same(redacted_body(table, kConfigMapKind)["rows"][0]["object"], "table");
  const Json inside = {{"kind", "Bundle"}, {"spec", {{"objects", typed}}}};
  expect_same(redacted_body(inside, {"example.com", "Bundle"})["spec"]["objects"]["items"][0],
              "inside");
}

TEST(Structure, AnItemOfAListOfSecretsIsASecretWhereverTheListStands) {
  const Json list = {{"kind", "SecretList"}, {"items", {{{"data", {{"k", "aHVudGVyMg=="}}}}}}};
  const Json inside = {{"kind", "Bundle"}, {"spec", {{"objects", list}}}};
  EXPECT_EQ(redacted_body(inside, {"example.com",
                                   "Bundle"})["spec"]["objects"]["items"][0]["data"]["k"]["bytes"],
            7);
}

/// Two Deployments, and the Service of one; the other's password is what everything here is called.
Json shop(const std::string& value) {
  return Json::parse(R"({"kind": "List", "items": [
    {"kind": "Deployment", "metadata": {"name": "broker", "namespace": "other"},
     "spec": {"containers": [{"name": "c", "env": [
       {"name": "RABBITMQ_DEFAULT_PASS", "value": ")" +
                     value + R"("}]}]}},
    {"kind": "Deployment", "metadata": {"name": ")" +
                     value + R"(", "namespace": "shop",
       "labels": {"app": ")" +
                     value + R"("}},
     "spec": {"selector": {"matchLabels": {"app": ")" +
                     value + R"("}}, "template": {
       "metadata": {"labels": {"app": ")" +
                     value + R"("}},
       "spec": {"serviceAccountName": ")" +
                     value + R"(", "containers": [
         {"name": ")" +
                     value + R"(", "image": "docker.io/bitnami/)" + value + R"(:3.12",
          "env": [{"name": "HOST", "value": ")" +
                     value + R"("}],
          "envFrom": [{"configMapRef": {"name": ")" +
                     value + R"("}}]}]}}}},
    {"kind": "Service", "metadata": {"name": ")" +
                     value + R"(", "namespace": "shop"},
     "spec": {"selector": {"app": ")" +
                     value + R"("}}}]})");
}

TEST(Structure, IsNotMaskedForAValueThatIsSecretElsewhere) {
  for (const std::string value : {"rabbitmq", "s3cr3t-value-17"}) {
    const Json out = redacted_body(shop(value), kServiceKind);
    Json expected = shop(value);
    Json& password = expected["items"][0]["spec"]["containers"][0]["env"][0]["value"];
    const Json& mark = out["items"][0]["spec"]["containers"][0]["env"][0]["value"];
    EXPECT_TRUE(mark.get<std::string>().starts_with("[redacted bytes=")) << mark;
    password = mark;
    EXPECT_EQ(out, expected) << "what is equal to a name is no secret elsewhere";
  }
}

TEST(Structure, AValueThatIsNoNameIsStillFoundInOtherTexts) {
  const Json body = Json::parse(R"({"kind": "Pod", "metadata": {"name": "p"}, "spec": {
      "env": [{"name": "DB_PASSWORD", "value": "correct-horse"}],
      "note": "signs in with correct-horse"}})");
  EXPECT_EQ(dump_json(redacted_body(body, {"", "Pod"})).find("correct-horse"), std::string::npos);
}

TEST(Structure, PlainValuesAreNotLookedForElsewhere) {
  for (const char* value : {"ab", "true", "123456", "changeme", "postgres", "10.0.0.1"}) {
    EXPECT_TRUE(is_plain_value(value)) << value;
  }
  for (const char* value : {"hunter2", "correct-horse", "123456789012", "Tr0ub4dor&3"}) {
    EXPECT_FALSE(is_plain_value(value)) << value;
  }
}

TEST(Structure, NamesAndTheirPartsAreNoSecrets) {
  std::vector<std::string> values = {"rabbitmq", "bitnami", "hunter2", "shop/rabbitmq"};
  take_out_names({"docker.io/bitnami/rabbitmq:3.12", "shop/rabbitmq", "hunter22"}, values);
  EXPECT_EQ(values, std::vector<std::string>{"hunter2"});
}

TEST(Structure, AnnotationsThatReferStayAndSoDoTheirReferences) {
  const Json ingress = Json::parse(R"({"kind": "Ingress",
      "metadata": {"name": "web", "namespace": "shop", "annotations": {
        "nginx.ingress.kubernetes.io/auth-secret": "shop/basic-auth-users",
        "nginx.ingress.kubernetes.io/auth-secret-type": "auth-file",
        "nginx.ingress.kubernetes.io/auth-tls-secret": "shop/client-ca-bundle",
        "nginx.ingress.kubernetes.io/proxy-ssl-secret": "shop/upstream-certificate",
        "haproxy.org/auth-secret": "shop/basic-auth-users",
        "haproxy-ingress.github.io/auth-secret": "basic-auth-users",
        "ingress.kubernetes.io/auth-secret": "basic-auth-users",
        "traefik.ingress.kubernetes.io/router.middlewares": "shop-basic-auth@kubernetescrd",
        "traefik.ingress.kubernetes.io/router.tls.options": "shop-token-options@kubernetescrd",
        "cert-manager.io/cluster-issuer": "letsencrypt-production"}},
      "spec": {"rules": []}})");
  const ObjectKind kind{"networking.k8s.io", "Ingress"};
  const Json out = redacted_body(ingress, kind);
  EXPECT_EQ(out, ingress);
  const Json references = references_json(references_of(ReferenceTable::builtin(), kind, out));
  const std::string text = dump_json(references);
  for (const char* name : {"basic-auth-users", "client-ca-bundle", "upstream-certificate"}) {
    EXPECT_NE(text.find(name), std::string::npos) << name << " in " << text;
  }
}

TEST(Structure, IsNoPlaceForAssignments) {
  const Json object = Json::parse(R"({"kind": "Thing", "apiVersion": "example.com/v1",
    "metadata": {"name": "t", "annotations":
      {"nginx.ingress.kubernetes.io/auth-url": "https://auth.shop.svc/?token=hunter2-x"}},
    "spec": {"host": "Server=db;Password=hunter2-y", "address": "db:1433;password=hunter2-z"}})");
  const std::string out = dump_json(Redactor(DigestKey{}).redact(object, {"example.com", "Thing"}));
  EXPECT_EQ(out.find("hunter2"), std::string::npos) << out;
  EXPECT_NE(out.find("https://auth.shop.svc/"), std::string::npos) << out;
}

}  // namespace
}  // namespace filecall::worker::kube
