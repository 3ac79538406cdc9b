// SPDX-License-Identifier: MIT
#include "plan.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <mutex>

#include "libc.h"
#include "shadow.h"

namespace faults {
namespace {

constexpr std::array<std::string_view, kOpCount> kOpNames = {
    "open",   "create", "read",   "write", "close", "sync", "truncate",
    "rename", "link",   "unlink", "mkdir", "list",  "watch"};

struct ErrorName {
  std::string_view name;
  int value;
};
constexpr ErrorName kErrors[] = {{"EIO", EIO},     {"ENOSPC", ENOSPC}, {"EMFILE", EMFILE},
                                 {"EINTR", EINTR}, {"ENOENT", ENOENT}, {"EACCES", EACCES},
                                 {"EROFS", EROFS}};

/// Lives in a file mapped by whoever asks, so that it survives the crash.
struct Report {
  std::atomic<std::uint64_t> seen;
  std::atomic<std::uint64_t> injected;
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

Report g_no_report;
Report* g_report = &g_no_report;
int g_trace_fd = -1;
std::recursive_mutex g_turn;
thread_local int t_depth = 0;

[[noreturn]] void refuse(const std::string& what) {
  const std::string text = "faults: " + what + "\n";
  (void)!libc::write(STDERR_FILENO, text.data(), text.size());
  std::_Exit(99);
}

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::string program_name() {
  std::array<char, 4096> path{};
  const ssize_t size = ::readlink("/proc/self/exe", path.data(), path.size());
  const std::string_view all(path.data(), size > 0 ? static_cast<std::size_t>(size) : 0);
  return std::string(all.substr(all.rfind('/') + 1));
}

std::uint32_t parse_ops(std::string_view names) {
  if (names.empty()) return ~0U;
  std::uint32_t ops = 0;
  while (!names.empty()) {
    const std::string_view name = names.substr(0, names.find(','));
    names.remove_prefix(std::min(names.size(), name.size() + 1));
    std::uint32_t bit = 0;
    for (std::uint32_t i = 0; i < kOpNames.size(); ++i) {
      if (kOpNames[i] == name) bit = 1U << i;
    }
    if (bit == 0) refuse("no operation is named '" + std::string(name) + "'");
    ops |= bit;
  }
  return ops;
}

int parse_error(std::string_view name) {
  for (const ErrorName& row : kErrors) {
    if (row.name == name) return row.value;
  }
  refuse("FAULTS_ERRNO '" + std::string(name) + "' is not known");
}

Mode parse_mode(std::string_view name) {
  if (name.empty() || name == "count") return Mode::kCount;
  if (name == "fail") return Mode::kFail;
  if (name == "short") return Mode::kShort;
  if (name == "crash-before") return Mode::kCrashBefore;
  if (name == "crash-after") return Mode::kCrashAfter;
  if (name == "crash-torn") return Mode::kCrashTorn;
  refuse("FAULTS_MODE '" + std::string(name) + "' is not known");
}

std::uint64_t number(const char* name, std::uint64_t fallback) {
  const std::string text = variable(name);
  return text.empty() ? fallback : std::strtoull(text.c_str(), nullptr, 10);
}

void open_report(const std::string& path) {
  const int fd = libc::openat(AT_FDCWD, path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0 || libc::ftruncate(fd, sizeof(Report)) != 0) refuse(path + ": cannot be written");
  void* page = ::mmap(nullptr, sizeof(Report), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (page == MAP_FAILED) refuse(path + ": cannot be mapped");
  libc::close(fd);
  g_report = static_cast<Report*>(page);
}

Plan read_plan() {
  Plan out;
  const std::string only = variable("FAULTS_PROGRAM");
  if (!only.empty() && only != program_name()) return out;
  out.root = variable("FAULTS_ROOT");
  if (out.root.empty()) return out;
  out.pid = ::getpid();
  out.mode = parse_mode(variable("FAULTS_MODE"));
  out.at = number("FAULTS_AT", 0);
  out.times = number("FAULTS_TIMES", 1);
  out.crash_at = number("FAULTS_CRASH_AT", 0);
  out.ops = parse_ops(variable("FAULTS_OPS"));
  if (out.mode == Mode::kFail) out.error = parse_error(variable("FAULTS_ERRNO"));
  out.forget = variable("FAULTS_FORGET");
  out.grave = variable("FAULTS_GRAVE");
  out.boot = variable("FAULTS_BOOT");
  if (!out.forget.empty() && out.grave.empty()) refuse("FAULTS_FORGET needs FAULTS_GRAVE");
  if (const std::string path = variable("FAULTS_REPORT"); !path.empty()) open_report(path);
  if (const std::string path = variable("FAULTS_TRACE"); !path.empty()) {
    constexpr int kFlags = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC;
    g_trace_fd = libc::openat(AT_FDCWD, path.c_str(), kFlags, 0600);
  }
  return out;
}

void trace(std::uint64_t n, Op op, std::string_view path) {
  if (g_trace_fd < 0) return;
  std::string line = std::to_string(n);
  line.append(" ").append(to_string(op)).append(" ").append(path).append("\n");
  (void)!libc::write(g_trace_fd, line.data(), line.size());
}

Verdict verdict_of(Mode mode) {
  switch (mode) {
    case Mode::kCount:
      return Verdict::kPass;
    case Mode::kFail:
      return Verdict::kFail;
    case Mode::kShort:
      return Verdict::kShort;
    case Mode::kCrashBefore:
      return Verdict::kCrashBefore;
    case Mode::kCrashAfter:
      return Verdict::kCrashAfter;
    case Mode::kCrashTorn:
      return Verdict::kCrashTorn;
  }
  return Verdict::kPass;
}

/// Other threads run on while files are cut to what was synced. One that has such a file mapped
/// (SQLite's -shm) would die of SIGBUS, which no power cut sends: it waits for the end instead.
void hold_threads_at_lost_pages() {
  struct sigaction action = {};
  action.sa_handler = [](int) {
    for (;;) ::pause();
  };
  ::sigaction(SIGBUS, &action, nullptr);
}

}  // namespace

std::string_view to_string(Op op) { return kOpNames[static_cast<std::size_t>(op)]; }

bool Plan::covers(std::string_view path) const {
  return path.starts_with(root) && (path.size() == root.size() || path[root.size()] == '/');
}

const Plan& plan() {
  static const Plan instance = [] {
    ++t_depth;
    Plan read = read_plan();
    --t_depth;
    return read;
  }();
  return instance;
}

bool is_on() {
  if (t_depth != 0) return false;
  const Plan& now = plan();
  return !now.root.empty() && now.pid == ::getpid();
}

Verdict judge(Op op, std::string_view path) {
  if ((plan().ops >> static_cast<unsigned>(op) & 1U) == 0) return Verdict::kPass;
  const std::uint64_t n = g_report->seen.fetch_add(1) + 1;
  trace(n, op, path);
  if (n == plan().crash_at) return Verdict::kCrashBefore;
  if (n < plan().at || n - plan().at >= plan().times) return Verdict::kPass;
  const Verdict verdict = verdict_of(plan().mode);
  if (verdict != Verdict::kPass) g_report->injected.fetch_add(1);
  return verdict;
}

void fail_with_planned_error() { errno = plan().error; }

void crash() {
  if (!plan().forget.empty()) {
    hold_threads_at_lost_pages();
    shadow::forget();
  }
  ::kill(::getpid(), SIGKILL);
  for (;;) ::pause();
}

Turn::Turn() : locked_(!plan().forget.empty()) {
  if (locked_) g_turn.lock();
  ++t_depth;
}

Turn::~Turn() {
  --t_depth;
  if (locked_) g_turn.unlock();
}

}  // namespace faults
