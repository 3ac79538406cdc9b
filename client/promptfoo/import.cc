// SPDX-License-Identifier: MIT
#include "client/promptfoo/import.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "client/promptfoo/foreign_models.h"
#include "client/promptfoo/foreign_prompts.h"
#include "client/promptfoo/foreign_tests.h"
#include "client/promptfoo/grader_slots.h"
#include "ipc/json_text.h"
#include "yaml/yaml_document.h"

namespace filecall::client {
namespace {

constexpr const char* kGradersColumn = "graders";
/// What is read; of the rest, what says nothing of the evaluation.
const std::set<std::string, std::less<>> kReadKeys = {
    "prompts",         "providers",   "targets", "tests", "defaultTest",
    "evaluateOptions", "description", "$schema", "tags",  "assertionTemplates"};

/// Where results go: here the options of other subcommands say that.
const std::set<std::string, std::less<>> kOutputKeys = {
    "outputPath", "sharing", "writeLatestResults", "commandLineOptions", "metadata"};

/// The text of a specification's name.
std::string spec_name(const ConfigNode& config) {
  const std::string name = name_from(config.text("description"));
  return name.empty() ? "promptfoo" : name;
}

class ConfigImporter {
 public:
  ConfigImporter(const ConfigNode& config, const ImportOptions& options, ImportFiles& files)
      : config_(config), options_(options), files_(files), models_(files, imported_.notes) {}

  ImportedConfig take() && {
    note_unread();
    if (const auto prompts = config_.find("prompts")) {
      prompts_ = take_prompts(*prompts, files_, imported_.notes);
    } else {
      imported_.notes.not_taken(config_, "prompts", "there are none");
    }
    take_models();
    tests_ = take_tests(config_, files_, imported_.notes);
    for (ForeignTest& test : tests_) take_graders(test);
    take_threshold();
    put_prompts();
    put_models();
    put_rows();
    put_graders();
    put_worker();
    put_script();
    return std::move(imported_);
  }

 private:
  void note_unread() {
    for (const auto& [key, value] : config_.members()) {
      if (kReadKeys.contains(key)) continue;
      if (kOutputKeys.contains(key)) {
        imported_.notes.differs(value, key,
                                "results are in the root; `filecall report` writes them");
        continue;
      }
      imported_.notes.not_taken(
          value, key,
          key == "scenarios" ? "write their tests under tests" : "there is nothing like it here");
    }
    const auto options = config_.find("evaluateOptions");
    if (!options) return;
    for (const auto& [key, value] : options->members()) {
      const bool is_count =
          value.json().is_number_integer() && value.json().get<std::int64_t>() > 0;
      if (key == "repeat" && is_count) {
        repeat_ = value.json().get<std::int64_t>();
      } else if (key == "maxConcurrency" && is_count) {
        window_ = value.json().get<std::int64_t>();
      } else if (key != "showProgressBar") {
        imported_.notes.not_taken(value, key, "there is nothing like it here");
      }
    }
  }

  void take_models() {
    auto providers = config_.find("providers");
    if (!providers) providers = config_.find("targets");
    if (providers) {
      taken_models_ = models_.take_all(*providers);
    } else {
      imported_.notes.not_taken(config_, "providers", "there are none");
    }
  }

  void take_graders(const ForeignTest& test) {
    GraderSlots::Row& row = rows_.emplace_back();
    for (const ConfigNode& assertion : test.assertions) {
      const std::string what = "assertion " + assertion.text("type");
      auto taken = take_assertion(assertion, test.vars, files_);
      if (!taken) {
        imported_.notes.not_taken(assertion, what, taken.error().message);
        continue;
      }
      if (taken->asks_judge && !choose_judge(assertion, test, *taken)) continue;
      if (!taken->difference.empty()) imported_.notes.differs(assertion, what, taken->difference);
      slots_.add(*std::move(taken), row);
    }
  }

  bool choose_judge(const ConfigNode& assertion, const ForeignTest& test, TakenAssertion& taken) {
    auto named = assertion.find("provider");
    if (!named) named = test.judge;
    if (named && named->json().is_object() && named->find("text")) named = named->find("text");
    std::optional<TakenModel> model;
    if (named) {
      model = models_.take(*named);
    } else if (const std::size_t slash = options_.judge.find('/'); slash != std::string::npos) {
      model = TakenModel{.provider = options_.judge.substr(0, slash),
                         .model = options_.judge.substr(slash + 1),
                         .name = {}};
    }
    if (!model) {
      imported_.notes.not_taken(assertion, "assertion " + assertion.text("type"),
                                named ? "its model was not taken"
                                      : "no model that grades is named; give --judge "
                                        "PROVIDER/MODEL");
      return false;
    }
    taken.grader["judges"] = {judge_name(*model)};
    return true;
  }

  std::string judge_name(const TakenModel& model) {
    Json params = model.params;
    params["model"] = model.model;
    params["provider"] = model.provider;
    for (const auto& [name, known] : judges_.items()) {
      if (known == params) return name;
    }
    std::string name = judges_.empty() ? "judge" : fmt::format("judge-{}", judges_.size() + 1);
    judges_[name] = std::move(params);
    return name;
  }

  /// A specification has one threshold; tests have theirs.
  void take_threshold() {
    if (!tests_.empty()) threshold_ = tests_.front().threshold;
    const bool is_one = std::all_of(tests_.begin(), tests_.end(), [this](const ForeignTest& test) {
      return test.threshold == threshold_;
    });
    if (is_one && (!threshold_ || (*threshold_ >= 0 && *threshold_ <= 1))) return;
    threshold_.reset();
    for (const ForeignTest& test : tests_) {
      if (!test.threshold) continue;
      imported_.notes.not_taken(test.node, "threshold",
                                "a specification has one from 0 to 1 for all rows; here a row "
                                "passes when all of its graders do");
    }
  }

  void put_prompts() {
    for (const TakenPrompt& prompt : prompts_) {
      const char* ending = prompt.is_json ? ".json" : ".txt";
      imported_.files["prompts/" + prompt.name + ending] = prompt.text;
      used_.insert(prompt.names.begin(), prompt.names.end());
    }
    imported_.prompts = static_cast<std::int64_t>(prompts_.size());
  }

  void put_models() {
    imported_.models = static_cast<std::int64_t>(taken_models_.size());
    if (taken_models_.empty()) return;
    Json list = Json::array();
    for (const TakenModel& model : taken_models_) list.push_back(model_json(model));
    imported_.files["models.yaml"] = yaml_text({{"models", std::move(list)}});
  }

  /// The variables of a test as columns, so that every place of every prompt has a value.
  Json columns_of(const ForeignTest& test) const {
    Json row = test.vars;
    for (const std::string& name : used_) {
      if (!row.contains(name) || row[name].is_null()) row[name] = "";
    }
    for (const auto& [name, value] : test.metadata.items()) {
      row[row.contains(name) ? "metadata_" + name : name] = value;
    }
    return row;
  }

  void put_rows() {
    std::vector<Json> rows;
    std::set<std::string> columns = {"id"};
    for (const ForeignTest& test : tests_) {
      rows.push_back(columns_of(test));
      for (const auto& [name, value] : rows.back().items()) columns.insert(name);
    }
    graders_column_ = kGradersColumn;
    while (!columns.insert(graders_column_).second) graders_column_ += "_";
    slots_.finish(columns);
    names_graders_ = slots_.differ(rows_);
    std::string text;
    std::set<std::string> ids;
    std::set<std::string> shown;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (!name_row(i, rows[i], ids, shown)) continue;
      rows[i].update(slots_.columns_of(rows_[i]));
      if (names_graders_) {
        Json names = Json::array();
        for (const std::size_t slot : rows_[i].slots) names.push_back(slots_.name_of(slot));
        rows[i][graders_column_] = std::move(names);
      }
      text += dump_json(rows[i]) + "\n";
      ++imported_.rows;
    }
    if (!text.empty()) imported_.files["tests.jsonl"] = std::move(text);
  }

  /// By its own id, its description, or what the prompts show of it; by its number where another
  /// test shows the same. False: the row cannot be asked.
  bool name_row(std::size_t index, Json& row, std::set<std::string>& ids,
                std::set<std::string>& shown) {
    const ForeignTest& test = tests_[index];
    if (const auto own = row.find("id"); own != row.end()) {
      const std::string id = own->is_string() ? own->get<std::string>() : dump_json(*own);
      if (!id.empty() && ids.insert(id).second) return true;
      imported_.notes.not_taken(test.node, "test",
                                "a column 'id' names the row here, and another one has this name, "
                                "or it is empty; call the variable otherwise");
      return false;
    }
    Json visible = Json::object();
    for (const std::string& name : used_) visible[name] = row[name];
    const bool is_new = shown.insert(dump_json(visible)).second;
    std::string id = name_from(test.description);
    if (id.empty() && is_new && !used_.empty()) return true;
    if (id.empty()) id = fmt::format("test-{}", index + 1);
    std::string free = id;
    for (int i = 2; !ids.insert(free).second; ++i) free = fmt::format("{}-{}", id, i);
    row["id"] = free;
    return true;
  }

  void put_graders() {
    imported_.graders = static_cast<std::int64_t>(slots_.size());
    if (slots_.empty()) return;
    Json spec = {{"name", spec_name(config_)}, {"graders", slots_.graders()}};
    if (const std::string text = config_.text("description"); !text.empty()) {
      spec["description"] = text;
    }
    if (names_graders_) spec["graders_var"] = graders_column_;
    if (threshold_) spec["threshold"] = *threshold_;
    if (!judges_.empty()) spec["judges"] = judges_;
    imported_.files["graders.yaml"] = yaml_text(spec);
  }

  void put_worker() {
    if (models_.servers().empty()) return;
    imported_.files["worker.yaml"] = yaml_text({{"llm", {{"providers", models_.servers()}}}});
  }

  void put_script() {
    const bool has_worker = !models_.servers().empty();
    const std::string worker = has_worker ? " --worker-config \"$here/worker.yaml\"" : "";
    std::string script =
        "#!/bin/sh\n"
        "# Asks, grades and reports. Options go to `filecall run`; FILECALL_ROOT names the root.\n"
        "set -eu\n"
        "here=$(cd \"$(dirname \"$0\")\" && pwd)\n"
        "filecall=${FILECALL:-filecall}\n"
        "\"$filecall\" run \"$here/tests.jsonl\"";
    for (const TakenPrompt& prompt : prompts_) {
      script += fmt::format(" \\\n  --template \"$here/prompts/{}{}\"", prompt.name,
                            prompt.is_json ? ".json" : ".txt");
    }
    if (!taken_models_.empty()) script += " \\\n  --models \"$here/models.yaml\"";
    if (repeat_ > 1) script += fmt::format(" --repeat {}", repeat_);
    if (window_ > 0) script += fmt::format(" --window {}", window_);
    // Code 1: some requests were given up, and the others are graded all the same.
    script += worker + " \"$@\" || [ $? -eq 1 ]\n";
    if (!slots_.empty()) {
      script += "\"$filecall\" eval \"$here/graders.yaml\"" + worker + " || [ $? -eq 1 ]\n";
    }
    const std::string report = slots_.empty() ? "" : " --eval " + spec_name(config_);
    imported_.files["run.sh"] = script + "\"$filecall\" report" + report + "\n";
  }

  const ConfigNode& config_;
  const ImportOptions& options_;
  ImportFiles& files_;
  ImportedConfig imported_;
  ForeignModels models_;
  std::vector<TakenPrompt> prompts_;
  std::set<std::string> used_;  ///< Variables of prompts.
  std::vector<TakenModel> taken_models_;
  std::vector<ForeignTest> tests_;
  GraderSlots slots_;
  std::vector<GraderSlots::Row> rows_;  ///< One for each test.
  Json judges_ = Json::object();
  std::string graders_column_;
  bool names_graders_ = false;
  std::optional<double> threshold_;
  std::int64_t repeat_ = 1;
  std::int64_t window_ = 0;
};

}  // namespace

Result<ImportedConfig> import_promptfoo(const std::string& text, const std::string& file_name,
                                        const ImportOptions& options, ImportFiles& files) {
  TRY_ASSIGN(const ConfigNode config, ConfigNode::parse(text, file_name));
  if (!config.json().is_object()) {
    return fail(ErrorCode::kInvalidArgument,
                file_name + ":1: must be a mapping with prompts, providers and tests");
  }
  return ConfigImporter(config, options, files).take();
}

Json import_json(const ImportedConfig& imported) {
  Json files = Json::array();
  for (const auto& [path, text] : imported.files) files.push_back(path);
  return {{"files", std::move(files)},
          {"prompts", imported.prompts},
          {"models", imported.models},
          {"rows", imported.rows},
          {"graders", imported.graders},
          {"not_taken", notes_json(imported.notes.not_taken())},
          {"differs", notes_json(imported.notes.differing())}};
}

}  // namespace filecall::client
