// SPDX-License-Identifier: MIT
#include "worker/exec/kube/model/redaction.h"

#include <gtest/gtest.h>

namespace filecall::worker::kube {
namespace {

const ObjectKind kSecretKind{"", "Secret"};
const ObjectKind kPodKind{"", "Pod"};
const DigestKey kKey{};

Json redacted(Json body, const ObjectKind& asked) {
  Redactor redactor(kKey);
  return redactor.redact(std::move(body), asked);
}

/// A text with the digests of what is hidden in it left out.
std::string shown(const Json& text) {
  std::string out = text.get<std::string>();
  constexpr std::string_view kDigest = " digest=";
  for (std::size_t at; (at = out.find(kDigest)) != std::string::npos;) {
    out.erase(at, out.find(']', at) - at);
  }
  return out;
}

TEST(Redaction, ReplacesTheValuesOfASecretByLengthAndDigest) {
  const Json out =
      redacted({{"kind", "Secret"},
                {"metadata", {{"name", "db"}}},
                {"data", {{"a", "aHVudGVyMg=="}, {"b", "aHVudGVyMg=="}, {"c", "b3RoZXI="}}},
                {"stringData", {{"d", "hunter2"}}}},
               kSecretKind);
  EXPECT_EQ(out["data"]["a"]["redacted"], true);
  EXPECT_EQ(out["data"]["a"]["bytes"], 7);
  EXPECT_EQ(out["data"]["a"], out["data"]["b"]) << "equal values can be seen to be equal";
  EXPECT_EQ(out["data"]["a"], out["stringData"]["d"]);
  EXPECT_NE(out["data"]["a"]["digest"], out["data"]["c"]["digest"]);
  DigestKey other;
  other.bytes.fill(7);
  EXPECT_NE(Redactor(other).mark("hunter2"), out["data"]["a"]) << "no other process can compare";
}

TEST(Redaction, DecidesByWhatWasAskedForWhereTheBodyDoesNotSayItsKind) {
  const Json item = {{"metadata", {{"name", "x"}}}, {"data", {{"k", "aHVudGVyMg=="}}}};
  const Json list = {{"kind", "SecretList"}, {"items", {item}}};
  const Json table = {{"kind", "Table"}, {"rows", {{{"cells", {"x", 1}}, {"object", item}}}}};
  const Json event = {{"type", "ADDED"}, {"object", item}};
  EXPECT_EQ(redacted(list, kSecretKind)["items"][0]["data"]["k"]["bytes"], 7);
  EXPECT_EQ(redacted(table, kSecretKind)["rows"][0]["object"]["data"]["k"]["bytes"], 7);
  EXPECT_EQ(redacted(event, kSecretKind)["object"]["data"]["k"]["bytes"], 7);
  EXPECT_EQ(redacted(item, kSecretKind)["data"]["k"]["bytes"], 7);
}

TEST(Redaction, ShowsTheSameOfAnObjectAloneAndInAListOrTable) {
  const Json pod = {
      {"kind", "Pod"},
      {"spec", {{"env", {{{"name", "DB_PASSWORD"}, {"value", "hunter2"}}}}, {"token", "hunter3"}}}};
  const Json alone = redacted(pod, kPodKind);
  const Json list = {{"kind", "PodList"}, {"items", {pod}}};
  const Json table = {{"kind", "Table"}, {"rows", {{{"cells", {"x"}}, {"object", pod}}}}};
  const Json event = {{"type", "ADDED"}, {"object", pod}};
  EXPECT_EQ(redacted(list, kPodKind)["items"][0], alone);
  EXPECT_EQ(redacted(table, kPodKind)["rows"][0]["object"], alone);
  EXPECT_EQ(redacted(event, kPodKind)["object"], alone);
}

TEST(Redaction, HidesCellsUnderACredentialsColumn) {
  const auto column = [](const char* name) { return Json{{"name", name}, {"type", "string"}}; };
  const Json item = {{"kind", "Db"}, {"spec", {{"note", "it is correct-horse"}}}};
  const Json table = {
      {"kind", "Table"},
      {"columnDefinitions", {column("Name"), column("Admin Password"), column("Secret")}},
      {"rows",
       {{{"cells", {"a", "correct-horse", "a-tls"}}, {"object", item}},
        {{"cells", {"b", "<none>", "b-tls"}}},
        {{"cells", {"c"}}},
        {{"cells", {"d", 7, nullptr}}}}}};
  const Json rows = redacted(table, {"example.com", "Db"})["rows"];
  EXPECT_EQ(rows[0]["cells"][0], "a");
  EXPECT_TRUE(rows[0]["cells"][1].get<std::string>().starts_with("[redacted bytes=13 digest="));
  EXPECT_EQ(rows[0]["cells"][2], "a-tls") << "the name of one";
  EXPECT_EQ(dump_json(rows).find("correct-horse"), std::string::npos) << "elsewhere too";
  EXPECT_EQ(rows[1]["cells"], Json({"b", "<none>", "b-tls"}));
  EXPECT_EQ(rows[2]["cells"], Json({"c"}));
  EXPECT_EQ(rows[3]["cells"], Json({"d", 7, nullptr}));
}

TEST(Redaction, FindsASecretWhereverItStands) {
  const Json secret = {{"kind", "Secret"}, {"stringData", {{"k", "hunter2"}}}};
  const Json list = {{"kind", "List"}, {"items", {secret}}};
  EXPECT_EQ(redacted(list, kPodKind)["items"][0]["stringData"]["k"]["bytes"], 7);
  const Json inside = {{"kind", "Bundle"}, {"spec", {{"manifests", {secret}}}}};
  const Json out = redacted(inside, {"example.com", "Bundle"});
  EXPECT_EQ(out["spec"]["manifests"][0]["stringData"]["k"]["bytes"], 7);
}

TEST(Redaction, LeavesAReferenceToASecretAsItIs) {
  const Json gateway = {
      {"kind", "Gateway"},
      {"spec", {{"certificateRefs", {{{"group", ""}, {"kind", "Secret"}, {"name", "cert"}}}}}}};
  EXPECT_EQ(redacted(gateway, {"gateway.networking.k8s.io", "Gateway"}), gateway);
  const Json event = {{"kind", "Event"},
                      {"involvedObject", {{"kind", "Secret"}, {"name", "s"}, {"namespace", "n"}}}};
  EXPECT_EQ(redacted(event, {"", "Event"}), event);
}

TEST(Redaction, RemovesCopiesOfTheObjectFromEveryKind) {
  const Json out =
      redacted({{"kind", "ConfigMap"},
                {"metadata",
                 {{"name", "c"},
                  {"managedFields", {{{"manager", "kubectl"}}}},
                  {"annotations",
                   {{"kubectl.kubernetes.io/last-applied-configuration", "{}"},
                    {"kapp.k14s.io/original", "{}"},
                    {"other", R"({"apiVersion":"v1","kind":"Secret","data":{"a":"eA=="}})"},
                    {"kept", "yes"}}}}}},
               {"", "ConfigMap"});
  EXPECT_EQ(out["metadata"], Json({{"name", "c"}, {"annotations", {{"kept", "yes"}}}}));
}

TEST(Redaction, SearchesTheBodyForTheValuesOfItsSecret) {
  const Json out =
      redacted({{"kind", "Secret"},
                {"metadata",
                 {{"name", "db"},
                  {"labels", {{"echo", "hunter2-x"}}},
                  {"annotations", {{"note", "was hunter2-x"}, {"encoded", "aHVudGVyMi14"}}}}},
                {"unknown", "hunter2-x"},
                {"data", {{"a", "aHVudGVyMi14"}}}},
               kSecretKind);
  EXPECT_EQ(shown(out["metadata"]["labels"]["echo"]), "[redacted]");
  EXPECT_EQ(shown(out["metadata"]["annotations"]["note"]), "was [redacted]");
  EXPECT_EQ(shown(out["metadata"]["annotations"]["encoded"]), "[redacted]");
  EXPECT_FALSE(out.contains("unknown"));
}

TEST(Redaction, KeepsTheIdentityOfASecretThatRepeatsIt) {
  const Json out = redacted({{"kind", "Secret"},
                             {"metadata", {{"name", "token"}, {"namespace", "default"}}},
                             {"data", {{"namespace", "ZGVmYXVsdA=="}}}},
                            kSecretKind);
  EXPECT_EQ(out["metadata"]["namespace"], "default");
  EXPECT_EQ(out["data"]["namespace"]["bytes"], 7);
}

TEST(Redaction, MasksWhatHasACredentialsName) {
  const Json out =
      redacted({{"kind", "Pod"},
                {"spec",
                 {{"containers",
                   {{{"name", "c"},
                     {"env",
                      {{{"name", "DB_PASSWORD"}, {"value", "hunter2!"}},
                       {{"name", "LEVEL"}, {"value", "info"}},
                       {{"name", "OPTS"}, {"value", "-Ddb.password=xyz -Da=b"}},
                       {{"name", "TOKEN"}, {"value", "$(OTHER)"}}}},
                     {"args", {"--token", "abc", "--password=def", "--level", "info"}},
                     {"command", {"sh", "-c", "echo hunter2!"}},
                     {"livenessProbe",
                      {{"httpGet",
                        {{"httpHeaders", {{{"name", "Authorization"}, {"value", "x1"}}}}}}}}}}}}}},
               kPodKind);
  const Json& container = out["spec"]["containers"][0];
  EXPECT_TRUE(container["env"][0]["value"].get<std::string>().starts_with("[redacted bytes=8"));
  EXPECT_EQ(container["env"][1]["value"], "info");
  EXPECT_EQ(shown(container["env"][2]["value"]), "-Ddb.password=[redacted] -Da=b");
  EXPECT_EQ(container["env"][3]["value"], "$(OTHER)");
  EXPECT_TRUE(container["args"][1].get<std::string>().starts_with("[redacted bytes=3"));
  EXPECT_EQ(shown(container["args"][2]), "--password=[redacted]");
  EXPECT_EQ(container["args"][4], "info");
  EXPECT_EQ(shown(container["command"][2]), "echo [redacted]")
      << "a known value is found elsewhere";
  EXPECT_TRUE(container["livenessProbe"]["httpGet"]["httpHeaders"][0]["value"]
                  .get<std::string>()
                  .starts_with("[redacted bytes=2"));
}

TEST(Redaction, MasksWhatStandsBelowACredentialsName) {
  const Json shown = redacted(Json::parse(R"json({"kind": "Broker", "spec": {
        "passwords": {"alice": "hunter2", "bob": "hunter3"},
        "token": {"value": "hunter4", "type": "opaque"},
        "credentials": [{"username": "app", "current": {"secretText": "hunter5"}}],
        "apiKeys": ["hunter6", "$(FROM_ENV)"],
        "password": {"valueFrom": {"secretKeyRef": {"name": "db", "key": "password-key"}}},
        "privateKey": {"algorithm": "RSA", "encoding": "PKCS1", "size": 2048},
        "imagePullSecrets": [{"name": "registry"}],
        "volumes": [{"secret": {"secretName": "db", "items": [{"key": "a", "path": "b"}]}}]
}
})json"),
                              {"example.org", "Broker"});
  const std::string text = dump_json(shown);
  EXPECT_EQ(text.find("hunter"), std::string::npos) << text;
  for (const char* kept : {"alice", "opaque", "app", "$(FROM_ENV)", "password-key", "PKCS1",
                           "registry", R"("secretName":"db")", R"("key":"a")"}) {
    EXPECT_NE(text.find(kept), std::string::npos) << kept << " in " << text;
  }
}

const ObjectKind kCustomKind{"example.com", "Widget"};

TEST(Redaction, MasksNumbersUnderAPasswordsName) {
  const Json body = {{"kind", "Widget"},
                     {"spec",
                      {{"adminPassword", 12345678},
                       {"passwordLength", 12},
                       {"passwordHistory", 5},
                       {"pass", 41},
                       {"maxTokens", 4096},
                       {"passwords", {{"alice", 87654321}}},
                       {"settings", R"({"password": 23456789, "port": 23456})"}}}};
  Redactor redactor(kKey);
  const Json spec = redactor.redact(body, kCustomKind)["spec"];
  EXPECT_EQ(dump_json(spec).find("12345678"), std::string::npos) << spec;
  EXPECT_EQ(dump_json(spec).find("87654321"), std::string::npos) << spec;
  EXPECT_EQ(dump_json(spec).find("23456789"), std::string::npos) << spec;
  EXPECT_NE(dump_json(spec).find("23456"), std::string::npos) << spec;
  EXPECT_EQ(spec["passwordLength"], 12);
  EXPECT_EQ(spec["passwordHistory"], 5);
  EXPECT_EQ(spec["maxTokens"], 4096);
  EXPECT_EQ(spec["pass"], 41) << "tests that were passed";
  EXPECT_EQ(redactor.notes()[0].path, "/spec/adminPassword");
}

TEST(Redaction, MasksNamesOfMembersThatAreTokens) {
  const std::string token = "ghp_" + std::string("abcdefghijklmnopqrstuvwxyz0123456789");
  const Json body = {{"kind", "Widget"}, {"spec", {{"users", {{token, {{"name", "alice"}}}}}}}};
  Redactor redactor(kKey);
  const Json out = redactor.redact(body, kCustomKind);
  EXPECT_EQ(dump_json(out).find(token), std::string::npos) << out;
  EXPECT_EQ(out["spec"]["users"].size(), 1u);
  EXPECT_EQ(out["spec"]["users"].begin()->at("name"), "alice");
  Redactor own(kKey);
  own.learn_value("t0ken-0f-the-request-0123456789");
  const Json echoed = own.redact({{"x", {{"t0ken-0f-the-request-0123456789", 1}}}}, kCustomKind);
  EXPECT_EQ(dump_json(echoed).find("t0ken"), std::string::npos) << echoed;
}

TEST(Redaction, LeavesTheSchemaOfACustomKindReadable) {
  const Json definition = Json::parse(R"({"kind": "CustomResourceDefinition", "spec": {
      "properties": {"password": {"type": "string", "description": "What to sign in with."}}}})");
  EXPECT_EQ(redacted(definition, {"apiextensions.k8s.io", "CustomResourceDefinition"}), definition);
}

TEST(Redaction, MasksAssignmentsInEventsAndErrors) {
  const Json event = redacted(
      Json::parse(R"({"kind": "Event", "message": "failed: --db-password=hunter2 was refused"})"),
      {"", "Event"});
  EXPECT_EQ(dump_json(event).find("hunter2"), std::string::npos);
  EXPECT_EQ(Redactor(DigestKey{}).scrub("login user=app password=hunter2"),
            "login user=app password=[redacted]");
}

TEST(Redaction, MasksConfigMapsByKeyAndByContent) {
  const Json out = redacted(
      {{"kind", "ConfigMap"},
       {"data",
        {{"api-key", "abc"}, {"level", "info"}, {"app.properties", "db.password=hunter2\nport=1"}}},
       {"binaryData", {{"blob", "AAECAw=="}}}},
      {"", "ConfigMap"});
  EXPECT_TRUE(out["data"]["api-key"].get<std::string>().starts_with("[redacted bytes=3"));
  EXPECT_EQ(out["data"]["level"], "info");
  EXPECT_EQ(shown(out["data"]["app.properties"]), "db.password=[redacted]\nport=1");
  EXPECT_TRUE(out["binaryData"]["blob"].get<std::string>().starts_with("[binary bytes=4 digest="));
}

TEST(Redaction, TellsHiddenTextsApart) {
  const auto argument = [](const char* text) {
    return redacted({{"kind", "Pod"}, {"spec", {{"args", {text}}}}}, kPodKind)["spec"]["args"][0];
  };
  EXPECT_NE(argument("--password=one"), argument("--password=two"));
  EXPECT_EQ(argument("--password=one"), argument("--password=one"));
}

TEST(Redaction, LeavesLabelsToTheSelectorsThatMustFitThem) {
  const Json service = {{"kind", "Service"},
                        {"metadata", {{"name", "s"}, {"labels", {{"token", "abcdefgh"}}}}},
                        {"spec", {{"selector", {{"token", "abcdefgh"}}}}}};
  EXPECT_EQ(redacted(service, {"", "Service"}), service);
}

TEST(Redaction, LeavesReferencesToSecretsAlone) {
  const Json pod = {
      {"kind", "Pod"},
      {"spec",
       {{"serviceAccountName", "app"},
        {"imagePullSecrets", {{{"name", "regcred"}}}},
        {"volumes", {{{"name", "s"}, {"secret", {{"secretName", "db"}}}}}},
        {"containers",
         {{{"name", "c"},
           {"env",
            {{{"name", "DB_PASSWORD"},
              {"valueFrom", {{"secretKeyRef", {{"name", "db"}, {"key", "password"}}}}}}}}}}}}}};
  EXPECT_EQ(redacted(pod, kPodKind), pod);
}

TEST(Redaction, ScrubsErrorsOfWhatWasSent) {
  Redactor redactor(kKey);
  redactor.learn({{"kind", "Secret"}, {"stringData", {{"k", "hunter2-x"}, {"s", "ab"}}}},
                 kSecretKind);
  const Json status = {{"kind", "Status"},
                       {"message", "Invalid value: \"hunter2-x\": must be \"ab\""},
                       {"details", {{"causes", {{{"message", "got aHVudGVyMi14"}}}}}}};
  const Json out = redactor.redact(status, kSecretKind);
  EXPECT_EQ(shown(out["message"]), "Invalid value: \"[redacted]\": must be \"[redacted]\"");
  EXPECT_EQ(shown(out["details"]["causes"][0]["message"]), "got [redacted]");
  EXPECT_EQ(redactor.scrub("hunter2-x"), "[redacted]");
}

TEST(Redaction, NamesInAnErrorTheObjectWhoseNameIsAPasswordToo) {
  Redactor redactor(kKey);
  redactor.learn(Json::parse(R"({"kind": "Deployment", "metadata": {"name": "rabbitmq"},
      "spec": {"template": {"spec": {"containers": [{"name": "c", "env": [
        {"name": "RABBITMQ_DEFAULT_PASS", "value": "rabbitmq"},
        {"name": "ADMIN_PASSWORD", "value": "hunter2-x"}]}]}}}})"),
                 {"apps", "Deployment"});
  const Json status = {{"kind", "Status"},
                       {"message", "Deployment.apps \"rabbitmq\" is invalid: \"hunter2-x\""}};
  EXPECT_EQ(redactor.scrub(shown(redactor.redact(status, {"apps", "Deployment"})["message"])),
            "Deployment.apps \"rabbitmq\" is invalid: \"[redacted]\"");
}

TEST(Redaction, LearnsFromACopyInAnAnnotation) {
  Redactor redactor(kKey);
  const Json body = {
      {"kind", "Secret"},
      {"metadata",
       {{"annotations",
         {{"kubectl.kubernetes.io/last-applied-configuration",
           R"({"apiVersion":"v1","kind":"Secret","stringData":{"k":"older-value"}})"}}}}}};
  redactor.redact(body, kSecretKind);
  EXPECT_EQ(redactor.scrub("older-value"), "[redacted]");
}

TEST(Redaction, RevealsOnlyWhenToldAndNeverTheConnectionsOwnToken) {
  Redactor redactor(kKey, Redactor::Secrets::kRevealed);
  redactor.learn_value("bearer-token-1");
  const Json body = {{"kind", "Secret"},
                     {"metadata", {{"name", "n"}, {"managedFields", Json::array()}}},
                     {"data", {{"a", "aHVudGVyMg=="}}}};
  const Json out = redactor.redact(body, kSecretKind);
  EXPECT_EQ(out["data"]["a"], "aHVudGVyMg==");
  EXPECT_FALSE(out["metadata"].contains("managedFields"));
  EXPECT_EQ(redactor.scrub("sent bearer-token-1"), "sent [redacted]");
}

TEST(Redaction, RedactsTwiceAsOnce) {
  const Json body = {{"kind", "Secret"}, {"data", {{"a", "aHVudGVyMg=="}}}};
  const Json once = redacted(body, kSecretKind);
  EXPECT_EQ(redacted(once, kSecretKind), once);
}

TEST(Redaction, TakesBodiesOfAnyShape) {
  for (const Json& body :
       {Json(), Json(1), Json("text"), Json::array({1}), Json{{"kind", 1}, {"metadata", 2}},
        Json{{"kind", "Secret"}, {"data", "hunter2"}}, Json{{"kind", "Secret"}, {"data", nullptr}},
        Json{{"items", 1}, {"rows", {1, Json::object()}}}}) {
    EXPECT_EQ(dump_json(redacted(body, kSecretKind)).find("hunter2"), std::string::npos);
  }
}

}  // namespace
}  // namespace filecall::worker::kube
