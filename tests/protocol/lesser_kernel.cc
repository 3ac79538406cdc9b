// SPDX-License-Identifier: MIT
//
// lesser_kernel WORD... -- PROGRAM [ARG]...: runs a program as on a kernel, or in a container, that
// lacks something: no-namespaces, no-landlock, no-seccomp. By a filter of system calls.

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace {

std::vector<struct sock_filter> code;

void load(std::size_t offset) {
  code.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset)));
}

void answer(std::uint32_t action) { code.push_back(BPF_STMT(BPF_RET | BPF_K, action)); }

void fail_call(long number, int error) {
  code.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(number), 0, 1));
  answer(SECCOMP_RET_ERRNO | static_cast<std::uint32_t>(error));
}

/// Fails the call when its first argument holds one of the bits, or is the value.
void fail_call_with(long number, std::uint16_t test, std::uint32_t first_argument, int error) {
  code.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(number), 0, 4));
  load(offsetof(struct seccomp_data, args));
  code.push_back(
      BPF_JUMP(static_cast<std::uint16_t>(BPF_JMP | test | BPF_K), first_argument, 0, 1));
  answer(SECCOMP_RET_ERRNO | static_cast<std::uint32_t>(error));
  answer(SECCOMP_RET_ALLOW);
}

bool lack(const char* word) {
  if (::strcmp(word, "no-namespaces") == 0) {
    constexpr std::uint32_t kNew =
        CLONE_NEWNS | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET;
    fail_call(SYS_unshare, EPERM);
    fail_call(SYS_mount, EPERM);
    fail_call_with(SYS_clone, BPF_JSET, kNew, EPERM);
  } else if (::strcmp(word, "no-landlock") == 0) {
    fail_call(444, ENOSYS);
  } else if (::strcmp(word, "no-seccomp") == 0) {
    fail_call(SYS_seccomp, ENOSYS);
    fail_call_with(SYS_prctl, BPF_JEQ, PR_SET_SECCOMP, EINVAL);
  } else {
    return false;
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  load(offsetof(struct seccomp_data, nr));
  int next = 1;
  for (; next < argc && ::strcmp(argv[next], "--") != 0; ++next) {
    if (!lack(argv[next])) return ::fprintf(stderr, "lesser_kernel: %s?\n", argv[next]), 2;
  }
  if (next + 1 >= argc) return 2;
  answer(SECCOMP_RET_ALLOW);
  const struct sock_fprog program { static_cast<unsigned short>(code.size()), code.data() };
  ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  if (::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) return ::perror("prctl"), 2;
  ::execv(argv[next + 1], argv + next + 1);
  ::perror(argv[next + 1]);
  return 127;
}
