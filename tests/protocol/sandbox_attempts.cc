// SPDX-License-Identifier: MIT
//
// sandbox_attempts: tries what a confined program must not be able to do. Reads one attempt a line
// ("NAME [ARGUMENT]...") from standard input, makes each in a process of its own, and prints a JSON
// object of the results: "ok", the name of an errno value, or a signal.

#include <fcntl.h>
#include <linux/capability.h>
#include <linux/keyctl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <string>
#include <utility>

#include "sandbox_attempts.h"

namespace {

/// ENOENT: none but the three standard ones is open.
int find_descriptor() {
  for (int fd = 3; fd < 4096; ++fd) {
    if (::fcntl(fd, F_GETFD) >= 0) return 0;
  }
  return ENOENT;
}

/// ENOENT: the environment has no such name.
int find_variable(const std::string& name) {
  return ::getenv(name.c_str()) != nullptr ? 0 : ENOENT;
}

/// EPERM: every set of capabilities is empty.
int find_capability() {
  FILE* file = ::fopen("/proc/self/status", "re");
  if (file == nullptr) return errno;
  char line[256];
  unsigned long long all = 0;
  while (::fgets(line, sizeof line, file) != nullptr) {
    unsigned long long set = 0;
    if (::sscanf(line, "Cap%*3s: %llx", &set) == 1) all |= set;
  }
  ::fclose(file);
  return all != 0 ? 0 : EPERM;
}

int raise_capabilities() {
  struct __user_cap_header_struct header {
    _LINUX_CAPABILITY_VERSION_3, 0
  };
  struct __user_cap_data_struct data[2] = {};
  data[0].effective = data[0].permitted = 1U << CAP_SYS_ADMIN;
  return errno_of(::syscall(SYS_capset, &header, data));
}

/// Executes `program` (a copy of this one, set-user-ID) and sees whether that changes the user.
int gain_user(const std::string& program) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::execl(program.c_str(), program.c_str(), "--is-somebody-else", nullptr);
    ::_exit(errno);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : EINTR;
}

int clone_with(unsigned long flags) {
  const long pid = ::syscall(SYS_clone, flags | SIGCHLD, 0L, 0L, 0L, 0L);
  if (pid == 0) ::_exit(0);
  return errno_of(pid);
}

int clone3_with(std::uint64_t flags) {
  std::uint64_t arguments[11] = {flags};
  arguments[4] = SIGCHLD;
  const long pid = ::syscall(SYS_clone3, arguments, sizeof arguments);
  if (pid == 0) ::_exit(0);
  return errno_of(pid);
}

int read_memory(pid_t pid) {
  char bytes[8];
  struct iovec here {
    bytes, sizeof bytes
  };
  struct iovec there {
    reinterpret_cast<void*>(0x1000), sizeof bytes
  };
  const long got = ::process_vm_readv(pid, &here, 1, &there, 1, 0);
  return errno_of(got) == EFAULT ? 0 : errno_of(got);  // Only the address was wrong.
}

/// Types into a terminal of its own, or pastes what a console has selected.
int ask_terminal(unsigned long request) {
  ::setsid();
  const int master = ::posix_openpt(O_RDWR | O_CLOEXEC);
  if (master < 0 || ::grantpt(master) != 0 || ::unlockpt(master) != 0) return EIO;
  const int terminal = ::open(::ptsname(master), O_RDWR | O_CLOEXEC);
  if (terminal < 0) return EIO;
  ::ioctl(terminal, TIOCSCTTY, 0);
  constexpr char kPaste = 3;  // TIOCL_PASTESEL
  char argument[] = {request == TIOCSTI ? 'x' : kPaste, '\0'};
  return errno_of(::ioctl(terminal, request, argument));
}

int set_up_io_uring() {
  char parameters[256] = {};
  return errno_of(::syscall(SYS_io_uring_setup, 1, parameters));
}

/// Ends its guard, and leaves itself and a process that holds a lock on `path`, with no tie to it.
[[noreturn]] void outlive(const std::string& path) {
  const pid_t guard = ::getppid();
  ::prctl(PR_SET_PDEATHSIG, 0);
  ::prctl(PR_SET_DUMPABLE, 0);
  if (leave_daemon(path) == 0) ::kill(guard, SIGKILL);
  for (;;) ::pause();
}

int call_foreign_architecture() {
#if defined(__x86_64__)
  // A kernel without that table answers with a fault.
  ::signal(SIGSEGV, [](int) { ::_exit(EOPNOTSUPP); });
  long result = 20;  // getpid of the 32-bit table.
  __asm__ volatile("int $0x80" : "+a"(result) : : "memory", "r8", "r9", "r10", "r11");
  return result > 0 ? 0 : static_cast<int>(-result);
#else
  return ENOSYS;
#endif
}

void add_processes(Attempts* all) {
  const auto pid_of = [](const Words& w) { return static_cast<pid_t>(::atoi(w[1].c_str())); };
  (*all)["environment"] = [](const Words& w) {
    return read_something("/proc/" + w[1] + "/environ");
  };
  (*all)["variable"] = [](const Words& w) { return find_variable(w[1]); };
  (*all)["descriptor"] = [](const Words&) { return find_descriptor(); };
  (*all)["signal"] = [=](const Words& w) { return errno_of(::kill(pid_of(w), SIGWINCH)); };
  (*all)["ptrace"] = [=](const Words& w) {
    return errno_of(::ptrace(PTRACE_SEIZE, pid_of(w), nullptr, nullptr));
  };
  (*all)["memory"] = [=](const Words& w) { return read_memory(pid_of(w)); };
  (*all)["capability"] = [](const Words&) { return find_capability(); };
  (*all)["capset"] = [](const Words&) { return raise_capabilities(); };
  (*all)["setuid-program"] = [](const Words& w) { return gain_user(w[1]); };
  (*all)["new-user-namespace"] = [](const Words&) { return errno_of(::unshare(CLONE_NEWUSER)); };
  (*all)["clone-user-namespace"] = [](const Words&) { return clone_with(CLONE_NEWUSER); };
  (*all)["clone3-user-namespace"] = [](const Words&) { return clone3_with(CLONE_NEWUSER); };
  (*all)["setns"] = [](const Words& w) {
    const int fd = ::open(w[1].c_str(), O_RDONLY | O_CLOEXEC);
    return fd < 0 ? errno : errno_of(::setns(fd, 0));
  };
}

void add_kernel(Attempts* all) {
  (*all)["mount"] = [](const Words& w) {
    return errno_of(::mount("tmpfs", w[1].c_str(), "tmpfs", 0, nullptr));
  };
  (*all)["umount"] = [](const Words& w) { return errno_of(::umount2(w[1].c_str(), MNT_DETACH)); };
  (*all)["remount"] = [](const Words& w) {
    return errno_of(::mount(nullptr, w[1].c_str(), nullptr, MS_REMOUNT | MS_BIND, nullptr));
  };
  (*all)["open-tree"] = [](const Words& w) {
    return errno_of(::syscall(428, AT_FDCWD, w[1].c_str(), 1 | AT_RECURSIVE));
  };
  (*all)["chroot"] = [](const Words& w) { return errno_of(::chroot(w[1].c_str())); };
  (*all)["tiocsti"] = [](const Words&) { return ask_terminal(TIOCSTI); };
  (*all)["paste"] = [](const Words&) { return ask_terminal(0x541C); };  // TIOCLINUX
  (*all)["keyctl"] = [](const Words&) {
    return errno_of(::syscall(SYS_keyctl, KEYCTL_GET_KEYRING_ID, KEY_SPEC_SESSION_KEYRING, 1));
  };
  (*all)["io-uring"] = [](const Words&) { return set_up_io_uring(); };
  (*all)["userfaultfd"] = [](const Words&) { return errno_of(::syscall(SYS_userfaultfd, 1)); };
  (*all)["hostname"] = [](const Words&) {
    char name[256] = {};
    ::gethostname(name, sizeof name - 1);
    return errno_of(::sethostname(name, ::strlen(name)));
  };
  (*all)["foreign-call"] = [](const Words&) { return call_foreign_architecture(); };
}

std::string result_of(const Attempt& attempt, const Words& words) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(10);
    ::_exit(attempt(words));
  }
  int status = 0;
  if (child < 0 || ::waitpid(child, &status, 0) != child) return "fork failed";
  if (WIFSIGNALED(status)) return std::string("SIG") + ::sigabbrev_np(WTERMSIG(status));
  if (WEXITSTATUS(status) == 0) return "ok";
  const char* name = ::strerrorname_np(WEXITSTATUS(status));
  return name != nullptr ? name : "?";
}

Words split(const std::string& line) {
  Words words;
  std::string word;
  for (const char c : line + ' ') {
    if (c != ' ') {
      word += c;
    } else if (!word.empty()) {
      words.push_back(std::exchange(word, ""));
    }
  }
  return words;
}

}  // namespace

int leave_daemon(const std::string& path) {
  int told[2];
  if (::pipe2(told, O_CLOEXEC) != 0) return errno;
  if (::fork() == 0) {
    ::setsid();
    if (::fork() != 0) ::_exit(0);
    const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    const int error = fd < 0 ? errno : errno_of(::flock(fd, LOCK_EX | LOCK_NB));
    signal(SIGTERM, SIG_IGN);
    [[maybe_unused]] const ssize_t written = ::write(told[1], &error, sizeof error);
    for (int open = 0; open < 64; ++open) {
      if (open != fd) ::close(open);
    }
    for (;;) ::pause();
  }
  ::close(told[1]);
  int error = ECHILD;
  [[maybe_unused]] const ssize_t got = ::read(told[0], &error, sizeof error);
  return error;
}

int main(int argc, char** argv) {
  if (argc == 2 && ::strcmp(argv[1], "--is-somebody-else") == 0) {
    return ::geteuid() != ::getuid() ? 0 : EPERM;
  }
  if (argc == 3 && ::strcmp(argv[1], "--outlive") == 0) outlive(argv[2]);
  Attempts all;
  add_files(&all);
  add_talk(&all);
  add_others(&all);
  add_calls(&all);
  add_processes(&all);
  add_kernel(&all);
  char* line = nullptr;
  std::size_t room = 0;
  const char* separator = "{";
  while (::getline(&line, &room, stdin) > 0) {
    std::string text = line;
    if (text.ends_with('\n')) text.pop_back();
    const Words words = split(text);
    const auto found = words.empty() ? all.end() : all.find(words[0]);
    const std::string result =
        found == all.end() ? "no such attempt" : result_of(found->second, words);
    ::printf("%s\"%s\": \"%s\"", separator, text.c_str(), result.c_str());
    ::fflush(stdout);
    separator = ",\n";
  }
  ::printf("}\n");
  return 0;
}
