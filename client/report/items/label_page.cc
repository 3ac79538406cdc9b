// SPDX-License-Identifier: MIT
#include <fmt/core.h>

#include "client/core/digest.h"
#include "client/eval/subject.h"
#include "client/report/html_escape.h"
#include "client/report/items/html_page.h"
#include "client/report/items/label_task.h"

namespace filecall::client {
namespace {

Json subject_json(const LabelSubject& subject) {
  Json vars = Json::array();
  if (subject.vars.is_object()) {
    for (const auto& [name, value] : subject.vars.items()) {
      vars.push_back({name, plain_text(value)});
    }
  }
  return {{"id", subject.request_id},     {"digest", subject.response_digest},
          {"prompt", subject.prompt},     {"answer", subject.answer},
          {"expected", subject.expected}, {"vars", std::move(vars)}};
}

std::string guidance_html(const std::string& guidance) {
  if (guidance.empty()) return {};
  return fmt::format(
      "<details open><summary>The question to judges</summary>"
      "<p class=\"guide\">{}</p></details>\n",
      html_escape(guidance));
}

}  // namespace

std::vector<std::string> choice_keys(const LabelTask& task) {
  std::vector<std::string> keys;
  const auto scale = parse_scale(task.scale);
  const bool has_numbers = scale && !scale->has_labels();
  for (std::size_t i = 0; i < task.choices.size(); ++i) {
    const std::string key = has_numbers ? task.choices[i].name : std::to_string(i + 1);
    keys.push_back(key.size() == 1 ? key : std::string());
  }
  return keys;
}

std::string label_page(const LabelTask& task) {
  Json data = {{"evaluation", task.evaluation}, {"grader", task.grader},
               {"scale", task.scale},           {"by", task.by},
               {"choices", Json::array()},      {"items", Json::array()},
               {"labels", Json::array()}};
  const std::vector<std::string> keys = choice_keys(task);
  for (std::size_t i = 0; i < task.choices.size(); ++i) {
    data["choices"].push_back({keys[i], task.choices[i].name});
  }
  Digest identity;
  identity.add(task.evaluation + "\n" + task.grader + "\n" + task.scale + "\n");
  for (const LabelSubject& subject : task.subjects) {
    identity.add(subject.request_id + " " + subject.response_digest + "\n");
    data["items"].push_back(subject_json(subject));
    if (subject.label.empty()) continue;
    data["labels"].push_back({subject.request_id, subject.label, subject.note});
  }
  data["id"] = identity.finish();
  const std::string css =
      std::string(page_asset("page.css")) + std::string(page_asset("page.label.css"));
  const std::string script = script_of({"label.js"});
  return fill_page(page_asset("page.label.html"), {{"SCRIPT_HASHES", policy_hash(script)},
                                                   {"STYLE_HASH", policy_hash(css)},
                                                   {"CSS", css},
                                                   {"GRADER", html_escape(task.grader)},
                                                   {"EVALUATION", html_escape(task.evaluation)},
                                                   {"GUIDANCE", guidance_html(task.guidance)},
                                                   {"DATA", script_json(data)},
                                                   {"SCRIPT", script}});
}

}  // namespace filecall::client
