// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "worker/exec/kube/client/api_call.h"
#include "worker/exec/kube/client/discovery_document.h"
#include "worker/exec/kube/client/resource_table.h"

namespace filecall::worker::kube {

/// What a cluster serves, kept for ten minutes, on disk too: asked for when somebody needs it, and
/// once more when a name is not found in what is kept. A request that asks meanwhile waits for the
/// same answer. Loop thread only.
class Discovery {
 public:
  using Table = std::shared_ptr<const ResourceTable>;
  using Then = std::function<void(const Result<Table, Failure>&)>;

  /// `cache_file`: empty keeps nothing on disk.
  Discovery(ApiCall::Line line, std::string cache_file);
  ~Discovery();

  /// Calls `then` with the table, at once when one is kept (and `is_fresh` is not asked for).
  void with_table(bool is_fresh, Then then);

 private:
  void ask();
  void ask_page(const std::string& path, std::size_t page);
  void take_page(std::size_t page, const std::string& path, ApiAnswer answer);
  void ask_lists();
  void take_list(std::size_t index, ApiAnswer answer);
  void finish();
  void tell(const Result<Table, Failure>& result);
  void load();
  void store() const;

  ApiCall::Line line_;
  std::string cache_file_;
  Table table_;
  Deadline fresh_until_;
  bool is_loaded_ = false;
  std::vector<Then> waiting_;

  /// One round of questions.
  std::uint64_t round_ = 0;
  struct List {
    std::string path;
    std::vector<Resource> resources;
    bool has_failed = false;
  };
  std::optional<DiscoveryPage> pages_[2];
  std::vector<List> lists_;
  std::size_t next_list_ = 0;
  std::size_t unanswered_ = 0;
  std::vector<std::unique_ptr<ApiCall>> calls_;
};

}  // namespace filecall::worker::kube
