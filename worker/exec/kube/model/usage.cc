// SPDX-License-Identifier: MIT
#include "worker/exec/kube/model/usage.h"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "worker/exec/json_read.h"
#include "worker/exec/kube/model/quantity.h"

namespace filecall::worker::kube {
namespace {

constexpr std::int64_t kMebibyte = 1024 * 1024;

/// Amounts of processors and of memory; nullopt: not said.
struct Amounts {
  std::optional<Quantity> cpu;
  std::optional<Quantity> memory;
};

std::optional<Quantity> amount_of(const Json& holder, const char* name) {
  return Quantity::parse(code_member(holder, name));
}

void add(std::optional<Quantity>& sum, const std::optional<Quantity>& more) {
  if (!more) return;
  if (sum) {
    *sum += *more;
  } else {
    sum = more;
  }
}

void add(Amounts& sum, const Amounts& more) {
  add(sum.cpu, more.cpu);
  add(sum.memory, more.memory);
}

Amounts amounts_of(const Json& holder) {
  return {amount_of(holder, "cpu"), amount_of(holder, "memory")};
}

const Json& list_of(const Json& holder, const char* name) {
  static const Json kNoList = Json::array();
  const Json& list = member(holder, name);
  return list.is_array() ? list : kNoList;
}

/// What is asked for: of a container, or of all of a pod.
struct Asked {
  Amounts requests;
  Amounts limits;
};

Asked asked_of(const Json& container) {
  const Json& resources = member(container, "resources");
  Asked out{amounts_of(member(resources, "requests")), amounts_of(member(resources, "limits"))};
  // The server fills this in for new pods; older ones may not say it.
  if (!out.requests.cpu) out.requests.cpu = out.limits.cpu;
  if (!out.requests.memory) out.requests.memory = out.limits.memory;
  return out;
}

/// An init container that is started before the others and runs as long as they do.
bool is_sidecar(const Json& init_container) {
  return text_member(init_container, "restartPolicy") == "Always";
}

void raise(std::optional<Quantity>& amount, const std::optional<Quantity>& least) {
  if (least && (!amount || *amount < *least)) amount = least;
}

/// Adds up the containers of a pod that run at the same time.
class RunningTogether {
 public:
  void add_container(const Json& container) {
    const Asked one = asked_of(container);
    add(sum_.requests, one.requests);
    add(sum_.limits, one.limits);
    has_cpu_limit_ = has_cpu_limit_ && one.limits.cpu.has_value();
    has_memory_limit_ = has_memory_limit_ && one.limits.memory.has_value();
  }
  const Amounts& requests() const { return sum_.requests; }
  Asked asked() const {
    Asked out = sum_;
    if (!has_cpu_limit_) out.limits.cpu.reset();
    if (!has_memory_limit_) out.limits.memory.reset();
    return out;
  }

 private:
  Asked sum_;
  bool has_cpu_limit_ = true;
  bool has_memory_limit_ = true;
};

/// As the scheduler counts it (PodRequests of k8s.io/component-helpers).
Asked asked_of_pod(const Json& pod) {
  const Json& spec = member(pod, "spec");
  RunningTogether together;
  Amounts at_start;
  for (const Json& container : list_of(spec, "initContainers")) {
    if (is_sidecar(container)) {
      together.add_container(container);
      continue;
    }
    // It runs alone, but for the sidecars that were started before it.
    Amounts sum = together.requests();
    add(sum, asked_of(container).requests);
    raise(at_start.cpu, sum.cpu);
    raise(at_start.memory, sum.memory);
  }
  for (const Json& container : list_of(spec, "containers")) together.add_container(container);
  Asked out = together.asked();
  raise(out.requests.cpu, at_start.cpu);
  raise(out.requests.memory, at_start.memory);
  const Asked own = asked_of(spec);
  if (own.requests.cpu) out.requests.cpu = own.requests.cpu;
  if (own.requests.memory) out.requests.memory = own.requests.memory;
  if (own.limits.cpu) out.limits.cpu = own.limits.cpu;
  if (own.limits.memory) out.limits.memory = own.limits.memory;
  const Amounts overhead = amounts_of(member(spec, "overhead"));
  add(out.requests, overhead);
  if (out.limits.cpu) add(out.limits.cpu, overhead.cpu);
  if (out.limits.memory) add(out.limits.memory, overhead.memory);
  return out;
}

bool has_ended(const Json& pod) {
  const std::string phase = text_member(member(pod, "status"), "phase");
  return phase == "Succeeded" || phase == "Failed";
}

Json cpu_cell(const std::optional<Quantity>& amount) {
  return amount ? Json(amount->thousandths()) : Json();
}
Json memory_cell(const std::optional<Quantity>& amount) {
  return amount ? Json(amount->whole() / kMebibyte) : Json();
}

struct Row {
  std::string name_space;
  std::string name;
  std::string container;
  std::optional<Amounts> used;
  Asked asked;
  Amounts allocatable;
};

using Key = std::pair<std::string, std::string>;
Key usage_key(const Json& object) {
  const Json& metadata = member(object, "metadata");
  return {text_member(metadata, "namespace"), text_member(metadata, "name")};
}

class Table {
 public:
  explicit Table(const UsageQuestion& question) : question_(question) {}

  void add_row(Row row) { rows_.push_back(std::move(row)); }

  void take_times(const Json& metrics) {
    const std::string time = text_member(metrics, "timestamp");
    if (time.empty()) return;
    oldest_ = oldest_.empty() ? time : std::min(oldest_, time);
    newest_ = std::max(newest_, time);
    if (const std::string window = text_member(metrics, "window"); !window.empty()) {
      window_ = window;
    }
  }

  template <typename Cells>
  Json give(Json columns, const Cells& cells_of) {
    sort();
    Json rows = Json::array();
    std::size_t without = 0;
    for (const Row& row : rows_) {
      if (!row.used) ++without;
      if (rows.size() < question_.rows_max) rows.push_back(cells_of(row));
    }
    Json data{{"columns", std::move(columns)}, {"returned", rows.size()}};
    if (rows.size() < rows_.size()) data["left_out"] = rows_.size() - rows.size();
    data["rows"] = std::move(rows);
    data["withoutMetrics"] = without;
    if (!oldest_.empty()) {
      data["oldest"] = oldest_;
      data["newest"] = newest_;
    }
    if (!window_.empty()) data["window"] = window_;
    return data;
  }

 private:
  std::int64_t weight_of(const Row& row) const {
    if (!row.used) return -1;
    const auto& amount = question_.sort_by == "memory" ? row.used->memory : row.used->cpu;
    if (!amount) return -1;
    return question_.sort_by == "memory" ? amount->whole() : amount->thousandths();
  }

  void sort() {
    std::ranges::stable_sort(rows_, [this](const Row& a, const Row& b) {
      const auto names = [](const Row& row) {
        return std::tie(row.name_space, row.name, row.container);
      };
      if (question_.sort_by == "name") return names(a) < names(b);
      const std::int64_t left = weight_of(a);
      const std::int64_t right = weight_of(b);
      return left != right ? left > right : names(a) < names(b);
    });
  }

  const UsageQuestion& question_;
  std::vector<Row> rows_;
  std::string oldest_;
  std::string newest_;
  std::string window_;
};

using Used = std::map<Key, std::map<std::string, Amounts>>;

Used used_by_pods(const Json& metrics, Table& table) {
  Used out;
  if (!metrics.is_array()) return out;
  for (const Json& pod : metrics) {
    table.take_times(pod);
    auto& containers = out[usage_key(pod)];
    for (const Json& container : list_of(pod, "containers")) {
      containers[text_member(container, "name")] = amounts_of(member(container, "usage"));
    }
  }
  return out;
}

Amounts sum_of(const std::map<std::string, Amounts>& containers) {
  Amounts out;
  for (const auto& [name, amounts] : containers) add(out, amounts);
  return out;
}

void add_pod(const Key& key, const std::map<std::string, Amounts>* used, const Json& pod,
             bool by_container, Table& table) {
  Row row{key.first, key.second, "", std::nullopt, {}, {}};
  if (!by_container) {
    if (used != nullptr) row.used = sum_of(*used);
    if (!pod.is_null()) row.asked = asked_of_pod(pod);
    return table.add_row(std::move(row));
  }
  std::map<std::string, Row> containers;
  const auto row_of = [&](const std::string& name) -> Row& {
    Row& one = containers.try_emplace(name, row).first->second;
    one.container = name;
    return one;
  };
  for (const Json& container : list_of(member(pod, "spec"), "containers")) {
    row_of(text_member(container, "name")).asked = asked_of(container);
  }
  for (const Json& container : list_of(member(pod, "spec"), "initContainers")) {
    if (is_sidecar(container)) row_of(text_member(container, "name")).asked = asked_of(container);
  }
  if (used != nullptr) {
    for (const auto& [name, amounts] : *used) row_of(name).used = amounts;
  }
  for (auto& [name, one] : containers) table.add_row(std::move(one));
}

}  // namespace

Json pod_usage(const Json& metrics, const Json& pods, const UsageQuestion& question) {
  Table table(question);
  Used used = used_by_pods(metrics, table);
  if (pods.is_array()) {
    for (const Json& pod : pods) {
      const Key key = usage_key(pod);
      const auto measured = used.find(key);
      const bool is_measured = measured != used.end();
      if (!is_measured && has_ended(pod)) continue;
      add_pod(key, is_measured ? &measured->second : nullptr, pod, question.by_container, table);
      if (is_measured) used.erase(measured);
    }
  }
  // Those that are gone, or that could not be read.
  for (const auto& [key, containers] : used) {
    add_pod(key, &containers, Json(), question.by_container, table);
  }
  Json columns = Json::array();
  if (question.has_namespaces) columns.push_back("namespace");
  columns.push_back("name");
  if (question.by_container) columns.push_back("container");
  for (const char* name : {"cpuMilli", "cpuRequestMilli", "cpuLimitMilli", "memoryMi",
                           "memoryRequestMi", "memoryLimitMi"}) {
    columns.push_back(name);
  }
  return table.give(std::move(columns), [&](const Row& row) {
    Json cells = Json::array();
    if (question.has_namespaces) cells.push_back(row.name_space);
    cells.push_back(row.name);
    if (question.by_container) cells.push_back(row.container);
    cells.push_back(row.used ? cpu_cell(row.used->cpu) : Json());
    cells.push_back(cpu_cell(row.asked.requests.cpu));
    cells.push_back(cpu_cell(row.asked.limits.cpu));
    cells.push_back(row.used ? memory_cell(row.used->memory) : Json());
    cells.push_back(memory_cell(row.asked.requests.memory));
    cells.push_back(memory_cell(row.asked.limits.memory));
    return cells;
  });
}

Json node_usage(const Json& metrics, const Json& nodes, const Json& pods,
                const UsageQuestion& question) {
  Table table(question);
  std::map<std::string, Row> rows;
  if (nodes.is_array()) {
    for (const Json& node : nodes) {
      Row& row = rows[usage_key(node).second];
      row.allocatable = amounts_of(member(member(node, "status"), "allocatable"));
    }
  }
  if (metrics.is_array()) {
    for (const Json& node : metrics) {
      table.take_times(node);
      rows[usage_key(node).second].used = amounts_of(member(node, "usage"));
    }
  }
  if (pods.is_array()) {
    for (const Json& pod : pods) {
      const auto row = rows.find(text_member(member(pod, "spec"), "nodeName"));
      if (row == rows.end() || has_ended(pod)) continue;
      add(row->second.asked.requests, asked_of_pod(pod).requests);
    }
  }
  for (auto& [name, row] : rows) {
    row.name = name;
    table.add_row(std::move(row));
  }
  const Json columns{"name",     "cpuMilli",         "cpuRequestsMilli",   "cpuAllocatableMilli",
                     "memoryMi", "memoryRequestsMi", "memoryAllocatableMi"};
  return table.give(columns, [](const Row& row) {
    Json cells = Json::array({row.name});
    cells.push_back(row.used ? cpu_cell(row.used->cpu) : Json());
    cells.push_back(cpu_cell(row.asked.requests.cpu));
    cells.push_back(cpu_cell(row.allocatable.cpu));
    cells.push_back(row.used ? memory_cell(row.used->memory) : Json());
    cells.push_back(memory_cell(row.asked.requests.memory));
    cells.push_back(memory_cell(row.allocatable.memory));
    return cells;
  });
}

}  // namespace filecall::worker::kube
