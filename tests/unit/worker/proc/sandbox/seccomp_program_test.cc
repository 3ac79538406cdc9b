// SPDX-License-Identifier: MIT
#include "worker/proc/sandbox/seccomp_program.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/audit.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "worker/proc/sandbox/usual_calls.h"

namespace filecall::worker::guard {
namespace {

#if defined(__x86_64__)
constexpr std::uint32_t kHere = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr std::uint32_t kHere = AUDIT_ARCH_AARCH64;
#else
constexpr std::uint32_t kHere = AUDIT_ARCH_RISCV64;
#endif
constexpr std::uint32_t kAllowed = SECCOMP_RET_ALLOW;
constexpr std::uint32_t kRefused = SECCOMP_RET_ERRNO | EPERM;

/// What the kernel would answer: the few instructions that such programs are made of.
std::uint32_t judge(const std::vector<struct sock_filter>& program, const seccomp_data& call,
                    int* steps = nullptr) {
  std::uint32_t loaded = 0;
  for (std::size_t at = 0; at < program.size(); ++at) {
    if (steps != nullptr) ++*steps;
    const struct sock_filter& line = program[at];
    bool holds = false;
    switch (line.code) {
      case BPF_LD | BPF_W | BPF_ABS:
        std::memcpy(&loaded, reinterpret_cast<const char*>(&call) + line.k, sizeof loaded);
        continue;
      case BPF_RET | BPF_K:
        return line.k;
      case BPF_JMP | BPF_JA:
        at += line.k;
        continue;
      case BPF_JMP | BPF_JEQ | BPF_K:
        holds = loaded == line.k;
        break;
      case BPF_JMP | BPF_JGE | BPF_K:
        holds = loaded >= line.k;
        break;
      case BPF_JMP | BPF_JSET | BPF_K:
        holds = (loaded & line.k) != 0;
        break;
      default:
        ADD_FAILURE() << "no such instruction: " << line.code;
        return 0;
    }
    at += holds ? line.jt : line.jf;
  }
  ADD_FAILURE() << "the program ends without an answer";
  return 0;
}

class Filter {
 public:
  Filter(Level level, bool network, std::uint32_t protections = kAllProtections) {
    SandboxOptions options;
    options.protections = protections;
    options.level = level;
    options.network = network;
    program_ = make_seccomp_program(options);
  }
  std::uint32_t call(long number, std::uint64_t first = 0, std::uint64_t second = 0,
                     std::uint32_t architecture = kHere) const {
    return call_with(number, {first, second}, architecture);
  }
  std::uint32_t call_with(long number, std::initializer_list<std::uint64_t> arguments,
                          std::uint32_t architecture = kHere) const {
    seccomp_data data{};
    data.nr = static_cast<int>(number);
    data.arch = architecture;
    std::copy(arguments.begin(), arguments.end(), data.args);
    return judge(program_, data);
  }

  /// Instructions that the kernel executes for a call.
  int steps(long number) const {
    seccomp_data data{};
    data.nr = static_cast<int>(number);
    data.arch = kHere;
    int steps = 0;
    judge(program_, data, &steps);
    return steps;
  }

 private:
  std::vector<struct sock_filter> program_;
};

TEST(SeccompProgram, RefusesWhatASandboxIsNotFor) {
  const Filter filter(Level::kReadOnly, true);
  for (const long number : std::initializer_list<long>{SYS_mount,
                                                       SYS_umount2,
                                                       SYS_pivot_root,
                                                       SYS_ptrace,
                                                       SYS_unshare,
                                                       SYS_setns,
                                                       SYS_bpf,
                                                       SYS_keyctl,
                                                       SYS_io_uring_setup,
                                                       SYS_io_uring_enter,
                                                       SYS_process_vm_writev,
                                                       SYS_perf_event_open,
                                                       SYS_userfaultfd,
                                                       SYS_open_by_handle_at,
                                                       SYS_init_module,
                                                       SYS_kexec_load,
                                                       SYS_reboot,
                                                       SYS_clock_settime,
                                                       SYS_chroot,
                                                       428L,
                                                       429L,
                                                       442L,
                                                       438L}) {
    EXPECT_EQ(filter.call(number), kRefused) << number;
  }
  for (const long number : {SYS_mmap, SYS_futex, SYS_execve, SYS_clone, SYS_ioctl, SYS_kill,
                            SYS_fchmodat, SYS_prctl, SYS_seccomp, SYS_getpid}) {
    EXPECT_EQ(filter.call(number), kAllowed) << number;
  }
}

TEST(SeccompProgram, LeavesOnlyUsualCallsWhereNothingIsWritten) {
  const Filter listed(Level::kReadOnly, true);
  const Filter open(Level::kWorkspaceWrite, true);
  for (const long number : std::initializer_list<long>{
           SYS_io_setup, SYS_io_submit, SYS_vmsplice, SYS_personality, SYS_mq_open, SYS_mbind,
           SYS_migrate_pages, SYS_move_pages, SYS_set_mempolicy, 447L, 457L, 470L, 1000L}) {
    EXPECT_EQ(listed.call(number), SECCOMP_RET_ERRNO | ENOSYS) << number;
    EXPECT_EQ(open.call(number), kAllowed) << number;
  }
  for (const long number : kUsualCalls) {
    // An argument that no rule refuses.
    EXPECT_EQ(listed.call(number, AF_UNIX) != kAllowed, open.call(number, AF_UNIX) != kAllowed)
        << number;
  }
}

TEST(SeccompProgram, LooksAtTheFlagsOfClone) {
  const Filter filter(Level::kReadOnly, true);
  EXPECT_EQ(filter.call(SYS_clone, CLONE_VM | CLONE_FILES | CLONE_THREAD), kAllowed);
  for (const unsigned flag :
       std::initializer_list<unsigned>{CLONE_NEWUSER, CLONE_NEWNS, CLONE_NEWPID, CLONE_NEWNET,
                                       CLONE_NEWIPC, CLONE_NEWUTS, CLONE_NEWCGROUP}) {
    EXPECT_EQ(filter.call(SYS_clone, flag | CLONE_VM), kRefused) << flag;
  }
  // Its flags lie in memory: libraries are told to use clone.
  EXPECT_EQ(filter.call(435), SECCOMP_RET_ERRNO | ENOSYS);
}

TEST(SeccompProgram, RefusesModesThatLendTheOwnersRights) {
  const Filter filter(Level::kWorkspaceWrite, true);
  for (const unsigned bit : std::initializer_list<unsigned>{S_ISUID, S_ISGID}) {
    const std::uint64_t mode = 0755u | bit;
    EXPECT_EQ(filter.call_with(SYS_fchmod, {3, mode}), kRefused);
    EXPECT_EQ(filter.call_with(SYS_fchmodat, {3, 0, mode}), kRefused);
    EXPECT_EQ(filter.call_with(452, {3, 0, mode, 0}), kRefused) << "fchmodat2";
    EXPECT_EQ(filter.call_with(SYS_mknodat, {3, 0, S_IFREG | mode}), kRefused);
    EXPECT_EQ(filter.call_with(SYS_openat, {3, 0, O_CREAT | O_WRONLY, mode}), kRefused);
    EXPECT_EQ(filter.call_with(SYS_openat, {3, 0, O_TMPFILE | O_RDWR, mode}), kRefused);
    // Without O_CREAT the argument is whatever lay in the register.
    EXPECT_EQ(filter.call_with(SYS_openat, {3, 0, O_DIRECTORY, mode}), kAllowed);
#if defined(SYS_chmod)
    EXPECT_EQ(filter.call_with(SYS_chmod, {0, mode}), kRefused);
    EXPECT_EQ(filter.call_with(SYS_creat, {0, mode}), kRefused);
    EXPECT_EQ(filter.call_with(SYS_mknod, {0, S_IFREG | mode}), kRefused);
    EXPECT_EQ(filter.call_with(SYS_open, {0, O_CREAT, mode}), kRefused);
    EXPECT_EQ(filter.call_with(SYS_open, {0, O_RDONLY, mode}), kAllowed);
#endif
  }
  EXPECT_EQ(filter.call_with(SYS_fchmodat, {3, 0, 01777}), kAllowed);
  EXPECT_EQ(filter.call_with(SYS_openat, {3, 0, O_CREAT, 0644}), kAllowed);
  EXPECT_EQ(filter.call(437), SECCOMP_RET_ERRNO | ENOSYS) << "the mode of openat2 lies in memory";
  EXPECT_EQ(Filter(Level::kNone, false).call_with(SYS_fchmod, {3, 04755}), kAllowed);
}

TEST(SeccompProgram, RefusesLeasesWhichMakeOthersWait) {
  const Filter filter(Level::kReadOnly, true);
  EXPECT_EQ(filter.call(SYS_fcntl, 3, F_SETLEASE), kRefused);
  EXPECT_EQ(filter.call(SYS_fcntl, 3, F_SETLEASE | (1ULL << 32)), kRefused);
  for (const int command :
       {F_GETFL, F_SETFL, F_DUPFD_CLOEXEC, F_SETLK, F_OFD_SETLK, F_SETPIPE_SZ}) {
    EXPECT_EQ(filter.call(SYS_fcntl, 3, static_cast<unsigned>(command)), kAllowed) << command;
  }
}

TEST(SeccompProgram, RefusesTypingIntoATerminal) {
  const Filter filter(Level::kWorkspaceWrite, true);
  EXPECT_EQ(filter.call(SYS_ioctl, 0, TIOCSTI), kRefused);
  // The kernel looks at 32 bits of the request, and so must the filter.
  EXPECT_EQ(filter.call(SYS_ioctl, 0, TIOCSTI | (1ULL << 40)), kRefused);
  EXPECT_EQ(filter.call(SYS_ioctl, 0, 0x541C), kRefused);
  EXPECT_EQ(filter.call(SYS_ioctl, 0, TIOCGWINSZ), kAllowed);
}

TEST(SeccompProgram, TakesTheSocketsThatANetworkIsMadeOf) {
  const Filter open(Level::kReadOnly, true);
  for (const unsigned family :
       std::initializer_list<unsigned>{AF_UNIX, AF_INET, AF_INET6, AF_NETLINK}) {
    EXPECT_EQ(open.call(SYS_socket, family), kAllowed) << family;
  }
  for (const unsigned family : std::initializer_list<unsigned>{AF_PACKET, AF_VSOCK, AF_ALG}) {
    EXPECT_EQ(open.call(SYS_socket, family), kRefused) << family;
  }
  for (const Level level : {Level::kNone, Level::kReadOnly}) {
    const Filter closed(level, false);
    EXPECT_EQ(closed.call(SYS_socket, AF_UNIX), kAllowed);
    EXPECT_EQ(closed.call(SYS_socketpair, AF_UNIX), kAllowed);
    EXPECT_EQ(closed.call(SYS_socket, AF_INET), kRefused);
    EXPECT_EQ(closed.call(SYS_socket, AF_NETLINK), kRefused);
    EXPECT_EQ(closed.call(SYS_io_uring_setup), kRefused);
  }
}

TEST(SeccompProgram, RefusesWhatReachesTheHostsFileTreeWhereThereIsNoOther) {
  for (const bool network : {true, false}) {
    const Filter filter(Level::kWorkspaceWrite, network, kAllProtections & ~kNamespaces);
    for (const long number : {SYS_fchmod, SYS_fchmodat, SYS_fchown, SYS_fchownat, SYS_utimensat,
                              SYS_setxattr, SYS_lsetxattr, SYS_fsetxattr, SYS_removexattr}) {
      EXPECT_EQ(filter.call(number), kRefused) << number;
      EXPECT_EQ(Filter(Level::kWorkspaceWrite, network).call(number), kAllowed) << number;
    }
    EXPECT_EQ(filter.call(SYS_socket, AF_UNIX), kRefused);
    EXPECT_EQ(filter.call(SYS_socketpair, AF_UNIX), kAllowed);
    EXPECT_EQ(filter.call(SYS_socket, AF_INET), network ? kAllowed : kRefused);
  }
  const Filter none(Level::kNone, false, kAllProtections & ~kNamespaces);
  EXPECT_EQ(none.call(SYS_socket, AF_UNIX), kAllowed);
  EXPECT_EQ(none.call(SYS_fchmodat), kAllowed);
}

TEST(SeccompProgram, LeavesOtherCallsAloneWithoutASandbox) {
  const Filter filter(Level::kNone, false);
  EXPECT_EQ(filter.call(SYS_mount), kAllowed);
  EXPECT_EQ(filter.call(SYS_ptrace), kAllowed);
  EXPECT_EQ(filter.call(SYS_clone, CLONE_NEWUSER), kAllowed);
}

TEST(SeccompProgram, DecidesEveryCallInFewSteps) {
  for (const bool network : {true, false}) {
    for (const Level level : {Level::kNone, Level::kReadOnly, Level::kWorkspaceWrite}) {
      const Filter filter(level, network);
      int refused = 0;
      for (long number = 0; number < 600; ++number) {
        EXPECT_LE(filter.steps(number), 24) << number;
        // AF_UNIX is a family that is allowed, and no flag or request that is refused.
        if (filter.call(number, AF_UNIX) != kAllowed) ++refused;
      }
      EXPECT_GE(refused, level == Level::kNone ? 4 : 50);
      if (level != Level::kReadOnly) {
        EXPECT_LE(refused, 65) << "what is not named is allowed";
      }
    }
  }
}

TEST(SeccompProgram, IsKeptForEachKindOfRun) {
  const auto same = [](const struct sock_filter& a, const struct sock_filter& b) {
    return a.code == b.code && a.jt == b.jt && a.jf == b.jf && a.k == b.k;
  };
  for (int round = 0; round < 2; ++round) {
    for (const Level level : {Level::kNone, Level::kReadOnly, Level::kWorkspaceWrite}) {
      for (const bool network : {true, false}) {
        SandboxOptions options;
        options.level = level;
        options.network = network;
        for (const std::uint32_t protections : {kAllProtections, kAllProtections & ~kNamespaces}) {
          options.protections = protections;
          const auto& kept = kept_seccomp_program(options);
          const auto made = make_seccomp_program(options);
          EXPECT_TRUE(std::equal(kept.begin(), kept.end(), made.begin(), made.end(), same));
        }
      }
    }
  }
}

TEST(SeccompProgram, EndsAProgramOfAnotherArchitecture) {
  const Filter filter(Level::kReadOnly, true);
  EXPECT_EQ(filter.call(SYS_getpid, 0, 0, AUDIT_ARCH_I386), SECCOMP_RET_KILL_PROCESS);
#if defined(__x86_64__)
  EXPECT_EQ(filter.call(SYS_getpid | 0x40000000), kRefused) << "x32 has numbers of its own";
#endif
}

}  // namespace
}  // namespace filecall::worker::guard
