// SPDX-License-Identifier: MIT
#include "client/cli/interrupt.h"

#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <string_view>

#include "base/check.h"
#include "client/cli/exit_code.h"

namespace filecall::client {
namespace {

constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP};
std::atomic<Interruption*> g_target{nullptr};
std::atomic<int> g_count{0};

void on_signal(int) {
  if (g_count.fetch_add(1) > 1) {
    constexpr std::string_view kText =
        "\nfilecall: interrupted at once; the worker goes on with what it has\n";
    static_cast<void>(!::write(STDERR_FILENO, kText.data(), kText.size()));
    ::_exit(kExitInterrupted);
  }
  if (Interruption* target = g_target.load()) target->request();
}

}  // namespace

InterruptScope::InterruptScope(Interruption& target) {
  CHECK(g_target.load() == nullptr, "one run at a time");
  g_count = 0;
  g_target = &target;
  struct sigaction action {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;
  for (const int number : kSignals) {
    struct sigaction old {};
    ::sigaction(number, nullptr, &old);
    // Under nohup the terminal's end is no reason to stop.
    if (old.sa_handler != SIG_IGN) ::sigaction(number, &action, nullptr);
  }
  ::signal(SIGPIPE, SIG_IGN);
}

InterruptScope::~InterruptScope() {
  for (const int number : kSignals) ::signal(number, SIG_DFL);
  g_target = nullptr;
}

}  // namespace filecall::client
