// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "worker/exec/llm/llm_config.h"
#include "worker/net/http_client.h"

namespace filecall::worker::llm {

struct FoundServer {
  LocalServer server;
  std::string first_model;
};

/// Looks for a server of models on the usual ports of this machine, all at once, by asking for its
/// list of models; the first of the list that answers counts. Nothing is remembered. Loop thread.
class LocalSearch {
 public:
  explicit LocalSearch(HttpClient& http);
  ~LocalSearch();

  /// `then` is called later, with null when nobody answered. Searches that overlap are one.
  void find(std::function<void(const FoundServer*)> then);
  /// Why servers that answered the last search were left out: they are neither root's nor our
  /// own, and must be named in the configuration. Empty: none was.
  const std::string& left_out() const { return left_out_; }

 private:
  class Probe;

  void on_probe_end();

  HttpClient& http_;
  std::string left_out_;
  std::vector<std::unique_ptr<Probe>> probes_;
  std::vector<std::unique_ptr<Probe>> ended_;
  std::vector<std::function<void(const FoundServer*)>> waiting_;
};

/// The ids of a list of models; empty when it is none.
std::vector<std::string> model_ids(const std::string& body);

}  // namespace filecall::worker::llm
