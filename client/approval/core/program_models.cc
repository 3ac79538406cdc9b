// SPDX-License-Identifier: MIT
#include "client/approval/core/program_models.h"

#include <algorithm>

namespace filecall::client {
namespace {

// From the manual pages of the programs in Debian 12, and those of docker 27, podman 4,
// kubectl 1.30 and npm 10.
constexpr VerbModel kVerbPrograms[] = {
    {.name = "git",
     .valued = "-C -c --exec-path --git-dir --work-tree --namespace --super-prefix --config-env "
               "--attr-source --list-cmds",
     .flags =
         "-p --paginate -P --no-pager --bare --no-replace-objects --literal-pathspecs "
         "--glob-pathspecs --noglob-pathspecs --icase-pathspecs --no-optional-locks --no-advice "
         "--no-lazy-fetch --html-path --man-path --info-path --version -v --help -h",
     .harmless = "--no-pager -P --no-optional-locks --no-replace-objects --no-advice"},
    {.name = "docker",
     .valued = "-H --host --config -c --context -l --log-level --tlscacert --tlscert --tlskey",
     .flags = "-D --debug --tls --tlsverify -v --version --help"},
    {.name = "podman",
     .valued =
         "--connection --identity --root --runroot --url --storage-driver --storage-opt "
         "--runtime --runtime-flag --cgroup-manager --conmon --events-backend --hooks-dir "
         "--log-level --module --namespace --network-cmd-path --network-config-dir --out --ssh "
         "--tmpdir --volumepath --imagestore --default-mounts-file -c -r",
     .flags = "--remote --noout --syslog --trace --transient-store -v --version --help"},
    {.name = "kubectl",
     .valued = "-n --namespace --context --cluster --kubeconfig --user --as --as-group --as-uid "
               "--token -s --server --certificate-authority --client-certificate --client-key "
               "--request-timeout --cache-dir --tls-server-name -v --v --vmodule --profile "
               "--profile-output --username --password --log-backtrace-at --log-file --log-dir",
     .flags = "--insecure-skip-tls-verify --match-server-version --warnings-as-errors "
              "--disable-compression --help -h"},
    {.name = "helm",
     .valued =
         "-n --namespace --kube-context --kubeconfig --kube-apiserver --kube-as-group "
         "--kube-as-user --kube-ca-file --kube-token --kube-tls-server-name --registry-config "
         "--repository-cache --repository-config --burst-limit --qps",
     .flags = "--debug --kube-insecure-skip-tls-verify --help -h"},
    {.name = "npm",
     .valued =
         "--prefix -C -w --workspace --registry --userconfig --globalconfig --cache --loglevel "
         "--script-shell --node-options --otp --tag",
     .flags =
         "-s --silent -q --quiet -d -g --global --workspaces -ws --yes -y --no-audit --no-fund "
         "--offline --prefer-offline --legacy-peer-deps --force -f --ignore-scripts --json",
     .harmless = "-s --silent -q --quiet"},
    {.name = "pnpm",
     .valued = "-C --dir --filter -F --prefix --config --loglevel",
     .flags = "-r --recursive -s --silent -w --workspace-root -g"},
    {.name = "yarn",
     .valued = "--cwd --registry --modules-folder --cache-folder",
     .flags = "-s --silent --offline --verbose --json"},
    {.name = "cargo",
     .valued = "--config -Z -C --color --explain",
     .flags = "-v --verbose -q --quiet --locked --offline --frozen --list -V --version --help -h",
     .harmless = "-q --quiet -v --verbose --locked --offline --frozen"},
    {.name = "go", .valued = "-C"},
    {.name = "apt",
     .valued = "-o --option -c --config-file -t -a",
     .flags = "-y --yes -q --quiet -s --simulate"},
    {.name = "apt-get",
     .valued = "-o --option -c --config-file -t -a",
     .flags = "-y --yes -q -qq --quiet -s --simulate"},
    {.name = "systemctl",
     .valued = "-t --type -H --host -M --machine -n --lines -o --output --root "
               "--state -p --property",
     .flags = "--user --system -q --quiet --no-block --no-pager -f --force --now -a --all",
     .harmless = "--no-pager"},
    {.name = "terraform", .flags = "-version -help"},
    {.name = "pip",
     .valued = "--python --log --proxy --retries --timeout --exists-action --cert "
               "--client-cert --cache-dir",
     .flags = "-q --quiet -v --verbose --no-input --no-color --isolated"},
};

struct EscapeRow {
  std::string_view program;
  std::string_view verb;  ///< Empty: any.
  std::string_view words;
};

constexpr EscapeRow kEscapes[] = {
    {"git", "",
     "-C -c --config-env --exec-path --git-dir --work-tree --upload-pack --receive-pack "
     "--exec --ext-diff --textconv --output --open-files-in-pager --extcmd --template "
     "--config --run-command --show-signature"},
    {"git", "archive", "-o"},
    {"git", "clone", "-u"},
    {"git", "ls-remote", "-u"},
    {"git", "rebase", "-x -i"},
    {"git", "grep", "-O"},
    {"git", "difftool", "-x"},
    {"find", "", "-exec -execdir -ok -okdir -delete -fprint -fprint0 -fprintf -fls"},
    {"fd", "", "-x --exec -X --exec-batch"},
    {"rg", "", "--pre --hostname-bin --search-zip -z --pre-glob"},
    {"sort", "", "--compress-program -o --output -T --temporary-directory"},
    {"sed", "", "-i --in-place -f --file -s --separate"},
    {"tar", "",
     "-I --use-compress-program --checkpoint-action --to-command -F --info-script "
     "--new-volume-script --rsh-command --rmt-command -C --directory -T --files-from "
     "--index-file --volno-file -g --listed-incremental"},
    {"rsync", "", "-e --rsh --rsync-path --remote-option -M"},
    {"man", "", "-P --pager -H --html -l --local-file -C --config-file"},
    {"base64", "", "-o --output"},
    {"date", "", "-s --set -f --file"},
    {"tree", "", "-o"},
    {"zip", "", "-TT --unzip-command -T"},
    {"curl", "",
     "-o -O -K --output --config --remote-name -T --upload-file --output-dir -d --data "
     "--data-binary -F --form --proxy -x --unix-socket -c --cookie-jar -D --dump-header --trace "
     "--trace-ascii --stderr --libcurl --etag-save --hsts --alt-svc -w --write-out"},
    {"wget", "",
     "-O --output-document --post-file --body-file -e --execute --use-askpass -i "
     "--input-file -P --directory-prefix --config"},
    {"go", "", "-exec -toolexec -overlay -o -vettool -modfile"},
    {"cmake", "", "-P -E -C"},
    {"ctest", "", "-S --script -SP --script-new-process --build-and-test"},
    {"gradle", "", "-I --init-script -b --build-file -c --settings-file -p --project-dir"},
    {"mvn", "", "-f --file -s --settings -gs --global-settings -t --toolchains"},
    {"split", "", "--filter"},
    {"iconv", "", "-o --output"},
    {"yq", "", "-i --inplace -s --split-exp"},
    {"nc", "", "-e -c --exec --sh-exec"},
    {"ncat", "", "-e -c --exec --sh-exec"},
    {"nmap", "", "--script -oN -oX -oG -oA -oS"},
    {"ninja", "", "-f -C"},
    {"cargo", "", "--config -Z -C --target-dir --manifest-path"},
    {"npm", "", "--script-shell --prefix -C --registry --userconfig --node-options"},
    {"make", "", "-f --file --makefile --eval -E -C --directory -I --include-dir"},
    {"pytest", "", "-p -c --rootdir -o --override-ini --confcutdir --basetemp --pdbcls --pastebin"},
    {"docker", "", "-H --host --config -c --context"},
    {"podman", "", "--connection --url --root --runtime --hooks-dir"},
    {"kubectl", "", "--kubeconfig --server -s --token --context --cluster --as --user"},
    {"helm", "", "--post-renderer --kubeconfig --kube-context --kube-apiserver"},
    {"jq", "", "-f --from-file -L"},
    {"ip", "", "-b -batch netns"},
    {"openssl", "", "-engine -provider -out"},
    {"ssh", "", "-o -F -S -J -E -O -D -L -R -W"},
    {"gcc", "", "-wrapper -fplugin -B -specs"},
    {"less", "", "-o -O --log-file -k --lesskey-file"},
    {"diff", "", "--to-file --output"},
    {"xxd", "", "-r"},
    {"uniq", "", "--output"},
    {"file", "", "-C --compile -m --magic-file -z --uncompress"},
    {"column", "", "--output-file"},
};

constexpr std::string_view kShells =
    "sh bash dash zsh ksh mksh ash fish csh tcsh rbash pwsh powershell";
constexpr std::string_view kInterpreters =
    "python perl ruby node nodejs deno bun php lua luajit awk gawk mawk nawk osascript  tclsh "
    "expect Rscript R julia scala groovy guile sbcl ghci runghc irb pypy ipython gdb vim vi nvim "
    "emacs ed ex socat java dotnet wine at batch sqlite3 psql mysql jshell ts-node tsx npx bunx "
    "uvx pipx";

struct RunVerbs {
  std::string_view program;
  std::string_view verbs;
};

/// Verbs behind which another program stands.
constexpr RunVerbs kRunVerbs[] = {
    {"npm", "exec x run-script"},
    {"pnpm", "exec dlx"},
    {"yarn", "exec dlx"},
    {"bundle", "exec"},
    {"kubectl", "exec run debug"},
    {"oc", "exec run rsh debug"},
    {"docker", "run exec create"},
    {"podman", "run exec create"},
    {"git", "bisect submodule for-each-repo filter-branch rebase difftool mergetool"},
    {"cmake", "-E"},
};

/// They run none of their operands, whatever these are.
constexpr std::string_view kPlainPrograms =
    "echo printf true false test [ cat tac head tail wc cut paste tr nl fold fmt pr column expand "
    "unexpand sort uniq comm join diff diff3 cmp grep egrep fgrep rg ag ack ls dir vdir tree stat "
    "file du df find fd cp mv rm rmdir mkdir mkfifo mknod touch ln link unlink chmod chown chgrp "
    "readlink realpath basename dirname pwd tee dd truncate shred sync mktemp split csplit date "
    "cal seq yes sleep expr factor bc dc md5sum sha1sum sha224sum sha256sum sha384sum sha512sum "
    "b2sum cksum sum base32 base64 basenc od hexdump xxd strings iconv dos2unix unix2dos gzip "
    "gunzip zcat bzip2 bunzip2 xz unxz zstd unzstd lz4 zip unzip tar cpio jq yq xmllint id whoami "
    "who w users groups logname hostname uname uptime free vmstat ps pgrep pkill kill killall top "
    "lsof ss netstat ip ifconfig ping traceroute dig host nslookup whois getent locale localedef "
    "printenv tty stty clear tput which whereis type apropos whatis dpkg dpkg-query "
    "apt-cache rpm gcc g++ cc c++ clang clang++ cpp ld as ar nm objdump objcopy readelf size "
    "strip ranlib addr2line ctags cscope gofmt rustc rustfmt javac pylint flake8 mypy ruff black "
    "isort eslint prettier tsc shellcheck shfmt hadolint yamllint markdownlint codespell aspell "
    "hg svn cvs bzr fossil gpg ssh-keygen ssh-keyscan ssh-add scp sftp openssl curl wget ftp "
    "mount umount lsblk blkid fdisk lscpu lspci lsusb dmesg journalctl sed gsed less more most "
    "man info pytest";

/// Both are options, and one is the other with a value attached, or shortened as getopt_long does.
bool is_spelling(std::string_view option, std::string_view word) {
  if (word == option) return true;
  if (option.starts_with("--")) {
    const std::string_view name = word.substr(0, word.find('='));
    return name.size() > 3 && option.starts_with(name);
  }
  if (word.starts_with("--")) return false;
  // -oFILE, -xzIzstd: a letter anywhere in a cluster of short options.
  if (option.size() == 2 && word.size() > 2 && word[0] == '-') {
    return word.find(option[1], 1) != std::string_view::npos;
  }
  return word.starts_with(option) && word.size() > option.size() && word[option.size()] == '=';
}

/// "python" of "python3.11".
std::string_view without_version(std::string_view program) {
  const std::size_t end = program.find_last_not_of("0123456789.-");
  return end == std::string_view::npos ? program : program.substr(0, end + 1);
}

}  // namespace

bool has_word(std::string_view list, std::string_view name) {
  if (name.empty()) return false;
  for (std::size_t at = list.find(name); at != std::string_view::npos;
       at = list.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    if ((at == 0 || list[at - 1] == ' ') && (end == list.size() || list[end] == ' ')) return true;
  }
  return false;
}

const VerbModel* find_verb_program(std::string_view program) {
  for (const std::string_view name : {program, without_version(program)}) {
    for (const VerbModel& model : kVerbPrograms) {
      if (model.name == name) return &model;
    }
  }
  return nullptr;
}

bool is_shell(std::string_view program) { return has_word(kShells, program); }

bool is_interpreter(std::string_view program) {
  return has_word(kInterpreters, program) || has_word(kInterpreters, without_version(program));
}

bool is_escape(std::string_view program, std::string_view verb, std::string_view word) {
  if (program == "git" && word.find("%G") != word.npos) return true;  // A format that runs gpg.
  if (!word.starts_with("-")) {
    // tar xIf: the old form of its options. SHELL=..., MAKEFLAGS=...: variables that make hands on.
    if (program == "tar") return word.size() < 8 && word.find_first_of("IFC") != word.npos;
    return has_free_order(program) && word.find('=') != std::string_view::npos;
  }
  for (const EscapeRow& row : kEscapes) {
    if (row.program != program || (!row.verb.empty() && row.verb != verb)) continue;
    for (std::size_t at = 0; at < row.words.size();) {
      const std::size_t end = std::min(row.words.find(' ', at), row.words.size());
      if (is_spelling(row.words.substr(at, end - at), word)) return true;
      at = end + 1;
    }
  }
  return false;
}

bool runs_by_verb(std::string_view program, const std::vector<std::string>& words) {
  const auto* const row =
      std::find_if(std::begin(kRunVerbs), std::end(kRunVerbs),
                   [program](const RunVerbs& one) { return one.program == program; });
  if (row == std::end(kRunVerbs)) return false;
  const VerbModel* model = find_verb_program(program);
  bool may_be_value = false;
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (has_word(row->verbs, word)) return true;
    if (word.starts_with('-')) {
      // The word behind an option that is not known may be its value, or the verb.
      const bool is_flag = model != nullptr && has_word(model->flags, word);
      may_be_value = !is_flag && word.find('=') == std::string::npos;
    } else if (!may_be_value) {
      return false;
    } else {
      may_be_value = false;
    }
  }
  return false;
}

bool is_described(std::string_view program) {
  if (has_word(kPlainPrograms, program) || find_verb_program(program) != nullptr) return true;
  return has_free_order(program) ||
         std::any_of(std::begin(kEscapes), std::end(kEscapes),
                     [program](const EscapeRow& row) { return row.program == program; });
}

bool writes_second_operand(std::string_view program) {
  return program == "uniq" || program == "xxd";
}

bool has_free_order(std::string_view program) {
  return program == "make" || program == "gmake" || program == "ninja";
}

}  // namespace filecall::client
