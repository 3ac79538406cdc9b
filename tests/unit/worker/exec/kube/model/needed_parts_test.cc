// SPDX-License-Identifier: MIT
#include "worker/exec/kube/model/needed_parts.h"

#include <gtest/gtest.h>

#include "worker/exec/kube/model/references.h"

namespace filecall::worker::kube {
namespace {

Json rows_of(const ObjectKind& kind, const Json& object) {
  Json rows = references_json(references_of(ReferenceTable::builtin(), kind, object));
  tell_needed_parts(object, rows);
  return rows;
}

Json row_at(const Json& rows, std::string_view path) {
  for (const Json& row : rows) {
    if (row["path"] == path) return row;
  }
  return {};
}

Json pod_with(Json volumes, Json mounts) {
  return {{"metadata", {{"name", "p"}, {"namespace", "shop"}}},
          {"spec",
           {{"volumes", std::move(volumes)},
            {"containers", {{{"name", "c"}, {"volumeMounts", std::move(mounts)}}}}}}};
}

TEST(NeededParts, AreTheItemsOfAVolume) {
  const Json pod = pod_with(
      {{{"name", "v"},
        {"configMap", {{"name", "conf"}, {"items", {{{"key", "a.yaml"}, {"path", "etc/a"}}}}}}},
       {{"name", "p"},
        {"projected",
         {{"sources",
           {{{"secret", {{"name", "keys"}, {"items", {{{"key", "k"}, {"path", "k"}}}}}}}}}}}}},
      {{{"name", "v"}, {"mountPath", "/x"}, {"subPath", "etc"}},
       {{"name", "v"}, {"mountPath", "/y"}, {"subPath", "gone"}},
       {{"name", "p"}, {"mountPath", "/z"}, {"subPath", "other"}}});
  const Json rows = rows_of({"", "Pod"}, pod);
  const Json row = row_at(rows, "/spec/volumes/0/configMap/name");
  EXPECT_EQ(row["keys"], Json({"a.yaml"}));
  EXPECT_EQ(row["lostFiles"], Json({"gone"})) << "the items make no such file";
  EXPECT_EQ(row_at(rows, "/spec/volumes/1/projected/sources/0/secret/name")["keys"], Json({"k"}));
}

TEST(NeededParts, AreTheFilesThatContainersMountAlone) {
  const Json rows =
      rows_of({"", "Pod"}, pod_with({{{"name", "v"}, {"secret", {{"secretName", "s"}}}}},
                                    {{{"name", "v"}, {"mountPath", "/a"}, {"subPath", "tls.crt"}},
                                     {{"name", "other"}, {"mountPath", "/b"}, {"subPath", "no"}}}));
  const Json row = row_at(rows, "/spec/volumes/0/secret/secretName");
  EXPECT_EQ(row["keys"], Json({"tls.crt"}));
  EXPECT_EQ(missing_keys(row, {{"data", {{"tls.key", ""}}}}), std::vector<std::string>{"tls.crt"});
  EXPECT_TRUE(missing_keys(row, {{"binaryData", {{"tls.crt", ""}}}}).empty());
}

TEST(NeededParts, AreNoneOfAVolumeThatIsMountedAsAWhole) {
  const Json rows = rows_of({"", "Pod"}, pod_with({{{"name", "v"}, {"configMap", {{"name", "c"}}}}},
                                                  {{{"name", "v"}, {"mountPath", "/a"}}}));
  EXPECT_FALSE(rows[0].contains("keys")) << rows;
}

TEST(NeededParts, AreThePortsOfAService) {
  const auto ingress = [](const Json& port) {
    return Json{{"metadata", {{"name", "i"}, {"namespace", "shop"}}},
                {"spec", {{"defaultBackend", {{"service", {{"name", "web"}, {"port", port}}}}}}}};
  };
  const ObjectKind kind{"networking.k8s.io", "Ingress"};
  const Json by_name = rows_of(kind, ingress({{"name", "http"}}))[0];
  const Json by_number = rows_of(kind, ingress({{"number", 80}}))[0];
  EXPECT_EQ(by_name["port"], "http");
  EXPECT_EQ(by_number["port"], 80);
  const Json service = {{"spec", {{"ports", {{{"name", "http"}, {"port", 8080}}}}}}};
  EXPECT_EQ(has_port(by_name, service), Json(true));
  EXPECT_EQ(has_port(by_number, service), Json(false));
  EXPECT_EQ(has_port({{"port", "8080"}}, service), Json(true)) << "a number as a text";
  EXPECT_EQ(has_port(by_name, {{"spec", {{"type", "ExternalName"}}}}), Json());
  const Json route = {
      {"metadata", {{"name", "r"}, {"namespace", "shop"}}},
      {"spec", {{"rules", {{{"backendRefs", {{{"name", "web"}, {"port", 80}}}}}}}}}};
  EXPECT_EQ(rows_of({"gateway.networking.k8s.io", "HTTPRoute"}, route)[0]["port"], 80);
}

TEST(NeededParts, OfOddObjectsAreNone) {
  for (const Json& odd : {Json(), Json(7), Json("x"), Json::array(), Json::array({1})}) {
    Json rows = rows_of({"", "Pod"}, pod_with(odd, odd));
    EXPECT_NO_THROW(tell_needed_parts(odd, rows));
    EXPECT_EQ(has_port({{"port", 80}}, odd), Json(false));
  }
}

Json middlewares(std::string_view text, std::string_view ns = "shop") {
  return rows_of(
      {"networking.k8s.io", "Ingress"},
      {{"metadata",
        {{"name", "i"},
         {"namespace", ns},
         {"annotations", {{"traefik.ingress.kubernetes.io/router.middlewares", text}}}}}});
}

TEST(TraefikNames, AreOfTheNamespaceThatStandsBeforeTheDash) {
  const Json rows = middlewares("shop-auth@kubernetescrd, infra-limit@kubernetescrd,x@file,plain");
  ASSERT_EQ(rows.size(), 2u) << rows;
  EXPECT_EQ(rows[0]["name"], "auth");
  EXPECT_EQ(rows[0]["namespace"], "shop");
  EXPECT_EQ(rows[0]["kind"], "Middleware");
  EXPECT_EQ(rows[1]["name"], "limit");
  EXPECT_EQ(rows[1]["namespace"], "infra");
  EXPECT_FALSE(rows[0].contains("ambiguous"));
}

TEST(TraefikNames, OfSeveralDashesAreReadInEveryWay) {
  const Json own = middlewares("team-a-auth@kubernetescrd", "team-a");
  ASSERT_EQ(own.size(), 1u) << own;
  EXPECT_EQ(own[0]["name"], "auth");
  EXPECT_EQ(own[0]["ambiguous"], true);
  EXPECT_EQ(middlewares("team-a-auth@kubernetescrd").size(), 2u);
}

}  // namespace
}  // namespace filecall::worker::kube
