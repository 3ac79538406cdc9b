// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "client/promptfoo/config_node.h"
#include "client/promptfoo/import_files.h"
#include "client/promptfoo/import_notes.h"

namespace filecall::client {

/// A model that promptfoo calls a provider: {provider, model, name, params}, as in a file of
/// models.
struct TakenModel {
  std::string provider;
  std::string model;
  std::string name;  ///< Its label; empty: the model's.
  Json params = Json::object();
};

/// Takes models, and keeps what a worker's configuration must say for them.
class ForeignModels {
 public:
  ForeignModels(ImportFiles& files, ImportNotes& notes) : files_(files), notes_(notes) {}

  /// `providers` or `targets`: a text, a list, or file://.
  std::vector<TakenModel> take_all(const ConfigNode& providers);
  /// One of them, or what grades. nullopt: it was not taken, and the notes say why.
  std::optional<TakenModel> take(const ConfigNode& provider);

  /// Servers that are named by their address, by the names that were made for them: as
  /// llm.providers of a worker's configuration has them.
  const Json& servers() const { return servers_; }

 private:
  void take_into(const ConfigNode& provider, std::vector<TakenModel>& models);
  std::optional<TakenModel> take_id(const std::string& id, const ConfigNode& at);
  void take_config(const ConfigNode& config, TakenModel& model);
  bool take_param(const std::string& key, const ConfigNode& value, TakenModel& model);
  void take_server(const ConfigNode& config, TakenModel& model);
  /// The variable that the worker takes the server's key from; empty: none is needed.
  std::string key_variable(const ConfigNode& config, const std::string& url);

  ImportFiles& files_;
  ImportNotes& notes_;
  Json servers_ = Json::object();
};

/// "openai:chat:gpt-4.1" as provider and model; nullopt: no such provider is here.
struct ForeignModelName {
  std::string provider;
  std::string model;
  std::string difference{};  ///< What is not the same here; empty: nothing.
};
std::optional<ForeignModelName> read_model_name(const std::string& id);

/// As a file of models has it.
Json model_json(const TakenModel& model);

}  // namespace filecall::client
