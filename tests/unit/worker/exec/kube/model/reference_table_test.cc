// SPDX-License-Identifier: MIT
#include "worker/exec/kube/model/reference_table.h"

#include <gtest/gtest.h>

#include <set>

#include "embedded/reference_files.h"
#include "ipc/schema_validator.h"
#include "worker/exec/kube/model/references.h"

namespace filecall::worker::kube {
namespace {

Json embedded(std::string_view name) {
  for (const EmbeddedFile& file : reference_files()) {
    if (file.name == name) return Json::parse(file.bytes);
  }
  return {};
}

/// Puts a value where a path of the table leads, with one item in every list.
void put(Json& object, std::string_view path, const Json& value) {
  Json* at = &object;
  while (!path.empty()) {
    std::string key;
    if (path.starts_with("[\"")) {
      const std::size_t end = path.find("\"]");
      key = path.substr(2, end - 2);
      path.remove_prefix(end + 2);
    } else {
      const std::size_t end = std::min(path.find_first_of(".["), path.size());
      key = path.substr(0, end);
      path.remove_prefix(end);
    }
    at = &(*at)[key];
    if (path.starts_with("[]")) {
      if (at->is_null()) *at = Json::array({nullptr});
      at = &(*at)[0];
      path.remove_prefix(2);
    }
    if (path.starts_with('.')) path.remove_prefix(1);
  }
  *at = value;
}

/// A value that a field with this way of referring may hold, naming "target" of namespace "there".
Json value_for(const Json& row) {
  const std::string match = row["match"];
  const Json fields = row.value("fields", Json::object());
  if (match == "labels") return {{"app", "x"}};
  if (match == "selector") return {{"matchLabels", {{"app", "x"}}}};
  if (match == "node-selector")
    return {{"matchExpressions", {{{"key", "a"}, {"operator", "Exists"}}}}};
  if (match == "subject") {
    return {{"kind", "ServiceAccount"}, {"name", "target"}, {"namespace", "there"}};
  }
  if (match == "istio-principal") return "cluster.local/ns/there/sa/target";
  if (match == "istio-sidecar-host") return "./target";
  if (match == "url-host") return "https://target.there.svc/keys";
  if (match == "host") return "target.there.svc.cluster.local";
  if (match == "implied") return row["map"].begin().key();
  if (match == "traefik" && row["namespace"] == "any") return "there-target@kubernetescrd";
  if (match == "param") return {{"name", "target"}};
  if (fields.contains("name")) {
    Json out = {{fields["name"], "target"}};
    const std::string kind = row["to"].empty() ? "Thing" : row["to"][0].get<std::string>();
    if (fields.contains("kind")) out[fields["kind"]] = parse_kind(kind).kind;
    if (fields.contains("group")) out[fields["group"]] = parse_kind(kind).group;
    if (fields.contains("apiVersion")) {
      const std::string group = parse_kind(kind).group;
      out[fields["apiVersion"]] = group.empty() ? "v1" : group + "/v1";
    }
    return out;
  }
  return "target";
}

TEST(ReferenceTable, FitsItsSchema) {
  const auto schema = SchemaValidator::compile(embedded("reference_table.schema.json"));
  ASSERT_TRUE(schema) << schema.error().message;
  const auto violation = schema->check(embedded("reference_table.json"));
  EXPECT_FALSE(violation) << violation->pointer << ": " << violation->rule;
}

TEST(ReferenceTable, SaysNothingTwice) {
  std::set<std::string> seen;
  const Json rows = embedded("reference_table.json")["references"];
  for (const Json& row : rows) {
    EXPECT_TRUE(seen.insert(dump_json(row)).second) << dump_json(row);
  }
}

TEST(ReferenceTable, TypesEveryEffectThatItHas) {
  const Json rows = embedded("reference_table.json")["references"];
  for (const Json& row : rows) {
    if (row["from"] == "*") continue;  // What goes along is no effect.
    EXPECT_EQ(row.contains("effect_type"), row["target_deleted"] != "info") << dump_json(row);
    EXPECT_EQ(row.contains("source_effect_type"), row["source_deleted"] != "info") << row;
  }
}

TEST(ReferenceTable, RefusesARowThatItDoesNotKnow) {
  Json table = embedded("reference_table.json");
  table["references"][0]["match"] = "by-feeling";
  EXPECT_FALSE(ReferenceTable::parse(table));
}

/// What an object refers to can be read off it after redaction as well, even where another object
/// keeps one of the names as a secret.
void expect_kept(const ObjectKind& kind, const Json& object) {
  Redactor redactor(DigestKey{});
  redactor.learn({{"kind", "Secret"}, {"stringData", {{"k", "target"}}}}, {"", "Secret"});
  const auto read = [&](const Json& from) {
    return references_json(references_of(ReferenceTable::builtin(), kind, from));
  };
  EXPECT_EQ(read(redactor.redact(object, kind)), read(object)) << dump_json(object);
}

/// Every row, on an object that has just the field of that row.
TEST(ReferenceTable, EveryRowFindsItsReference) {
  const ReferenceTable& table = ReferenceTable::builtin();
  int checked = 0;
  const Json rows = embedded("reference_table.json")["references"];
  for (const Json& row : rows) {
    if (row["match"] == "group-kind") continue;  // No field: the kind itself.
    const bool is_pod_spec = row["from"] == "PodSpec";
    const std::string from = is_pod_spec ? "Pod" : row["from"] == "*" ? "Pod" : row["from"];
    std::string path = row["path"];
    if (const std::size_t open = path.find('{'); open != std::string::npos) {
      const std::size_t comma = path.find(',', open);
      path = path.substr(0, open) + path.substr(open + 1, comma - open - 1) +
             path.substr(path.find('}') + 1);
    }
    if (is_pod_spec) path = "spec." + path;
    Json object = {{"kind", parse_kind(from).kind},
                   {"metadata", {{"name", "source"}, {"namespace", "here"}}}};
    if (row["match"] == "istio-subset") {
      const std::string host = path.substr(0, path.rfind('.') + 1) +
                               (path.find("cluster.") == std::string::npos ? "host" : "service");
      put(object, host, "target");
    }
    put(object, path, value_for(row));
    if (row.contains("when") && row["when"] != "mesh") {
      const std::string when = row["when"];
      put(object, when.substr(0, when.find('=')), when.substr(when.find('=') + 1));
    }
    int found = 0;
    for (const Reference& reference : references_of(table, parse_kind(from), object)) {
      if (reference.rule->match_name == row["match"] &&
          reference.path.find("metadata/n") == std::string::npos) {
        ++found;
      }
      if (row["path"] == "metadata.namespace" || row["match"] == "same-name" ||
          path.find("metadata.name") != std::string::npos) {
        ++found;
      }
    }
    EXPECT_GE(found, 1) << dump_json(row) << "\n" << dump_json(object);
    expect_kept(parse_kind(from), object);
    ++checked;
  }
  EXPECT_GT(checked, 200);
}

TEST(ReferenceTable, NoRowTakesAFieldOfAnotherTypeForAReference) {
  const ReferenceTable& table = ReferenceTable::builtin();
  const Json rows = embedded("reference_table.json")["references"];
  for (const Json& row : rows) {
    const std::string from = row["from"] == "*" || row["from"] == "PodSpec" ? "Pod" : row["from"];
    for (const Json& odd : {Json(), Json(7), Json::array({Json()}), Json::array({1}), Json("")}) {
      Json object = {{"kind", parse_kind(from).kind}, {"metadata", {{"name", "source"}}}};
      std::string path = row["path"];
      if (path.find('{') != std::string::npos) continue;
      if (row["from"] == "PodSpec") path = "spec." + path;
      put(object, path, odd);
      EXPECT_NO_THROW(references_of(table, parse_kind(from), object)) << dump_json(object);
    }
  }
}

TEST(ReferenceTable, KnowsWhatAClusterDependsOn) {
  const ReferenceTable& table = ReferenceTable::builtin();
  ASSERT_NE(table.well_known({"", "Namespace"}, "", "kube-system"), nullptr);
  EXPECT_EQ(table.well_known({"", "Namespace"}, "", "kube-system")->severity, Severity::kCritical);
  EXPECT_NE(table.well_known({"", "Secret"}, "shop", "sh.helm.release.v1.web.v1"), nullptr);
  EXPECT_EQ(table.well_known({"", "Secret"}, "shop", "db"), nullptr);
}

}  // namespace
}  // namespace filecall::worker::kube
