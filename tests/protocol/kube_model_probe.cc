// SPDX-License-Identifier: MIT
// Answers questions about the pure half of the Kubernetes commands: one JSON object a line in, one
// a line out. test_kube_model.py compares the answers with those of other programs.

#include <cstdio>
#include <string>
#include <vector>

#include "ipc/json.h"
#include "tests/protocol/input_line.h"
#include "worker/exec/kube/model/impact.h"
#include "worker/exec/kube/model/yaml_reader.h"

namespace filecall::worker::kube {
namespace {

/// For each object what breaks without it.
Json impacts(const Json& objects) {
  ObjectGraph graph(ReferenceTable::builtin());
  for (const Json& entry : objects) {
    const Json& object = entry["object"];
    graph.add({entry["group"], object["kind"]}, object);
  }
  graph.link();
  Json reports = Json::array();
  for (std::size_t i = 0; i < graph.size(); ++i) {
    reports.push_back(analyze_impact(graph, i, {}, {.resources_max = 100'000}));
  }
  return {{"reports", std::move(reports)}};
}

Json answer(const Json& question) {
  const std::string op = question.value("op", "");
  if (op == "yaml") {
    const Result<std::vector<Json>> documents = read_yaml(question.value("text", ""));
    if (!documents) return {{"error", documents.error().message}};
    return {{"documents", *documents}};
  }
  if (op == "impacts") return impacts(question["objects"]);
  return {{"error", "unknown op"}};
}

}  // namespace
}  // namespace filecall::worker::kube

int main() {
  std::string line;
  while (filecall::read_input_line(&line)) {
    const auto question = filecall::Json::parse(line, nullptr, false);
    const filecall::Json out = question.is_object() ? filecall::worker::kube::answer(question)
                                                    : filecall::Json{{"error", "not JSON"}};
    std::puts(filecall::dump_json(out).c_str());
    std::fflush(stdout);
  }
  return 0;
}
