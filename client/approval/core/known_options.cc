// SPDX-License-Identifier: MIT
// Programs with so many options that only the harmless ones can be listed.
#include <algorithm>

#include "client/approval/core/escape_models.h"
#include "client/approval/core/program_models.h"

namespace filecall::client {
namespace {

struct KnownOptions {
  std::string_view programs;
  /// A word that ends with '*' stands for all that begin so; the letters of `clusters` may stand
  /// together behind one dash.
  std::string_view words;
  std::string_view clusters{};
};

// From the manual pages of the programs in Debian 12. What is not here may write a file
// (-fopt-info,
// --linecoverage-report), load code (-fmodule-mapper) or run a program (zip -TT, hg bisect -c).
constexpr KnownOptions kKnown[] = {
    {"gcc g++ cc c++ clang clang++ cpp",
     "-c -S -E -g -g0 -g1 -g2 -g3 -ggdb -gdwarf* -O* -w -W* -std=* -ansi -D* -U* -I* -l* -L* -m* "
     "-x "
     "-M -MM -MP -MG -pthread -shared -static -pie -no-pie -pedantic -pedantic-errors -pipe -v "
     "--version --help -isystem -iquote -idirafter -include -nostdlib -nostdinc -nodefaultlibs "
     "-print-* -dumpversion -dumpmachine -fPIC -fpic -fPIE -fpie -fno-* -fsyntax-only -fsanitize=* "
     "-fvisibility=* -fopenmp -fstack-protector* -fexceptions -frtti -flto* -fwrapv -fstrict-* "
     "-fdata-sections -ffunction-sections -fcolor-diagnostics -fdiagnostics-color* -ffast-math "
     "-funroll-loops -fomit-frame-pointer -fmax-errors=* -ferror-limit=* -fanalyzer -fcoroutines "
     "-fconcepts* -fshort-enums -funsigned-char -fsigned-char -fcommon -fms-extensions"},
    {"ld as", "-v -V --version --help"},
    {"hg",
     "-r --rev -l --limit --stat -v --verbose -q --quiet -g --git -I --include -X --exclude -n "
     "--line-number -d --date -k --keyword -b --branch --version --help -w --ignore-all-space -B "
     "--ignore-blank-lines -U --unified -a --all -A --addremove -m --message -f --follow -i -c "
     "--change -y --noninteractive -C --copies -M --no-merges --active --closed --color --debug "
     "--traceback --time --no-status --mq -u --user --graph -G --patch --print0 -0"},
    {"zip",
     "-r --recurse-paths -q --quiet -v --verbose -l -u --update -f --freshen -x --exclude -i "
     "--include -j --junk-paths -y --symlinks -X --no-extra -e --show-files -sf -n --suffixes -h "
     "-9 --version -D --no-dir-entries -o --latest-time",
     "rqvluj0123456789yXD"},
    {"zstd unzstd",
     "-d --decompress -k --keep -f --force -q --quiet -v --verbose -c --stdout -t --test -l --list "
     "-T* --threads=* -z --compress --ultra --fast* --long* -V --version -h --help -H "
     "--no-progress "
     "--progress --check --no-check -r --adapt -B* --rsyncable --sparse --no-sparse",
     "dkfqvctlz0123456789"},
    {"mypy",
     "--strict --strict-* --no-* --warn-* --disallow-* --allow-* --check-* --show-* --hide-* "
     "--ignore-missing-imports --follow-imports* --pretty -p --package -m --module -v --verbose "
     "--version -V -h --help --python-version* --platform* --exclude* --enable-error-code* "
     "--disable-error-code* --namespace-packages --explicit-package-bases --implicit-* "
     "--local-partial-types --incremental --error-summary --color-output --skip-* --tb --stats"},
    {"openssl",
     "-in -text -noout -subject -issuer -dates -fingerprint -sha1 -sha256 -sha384 -sha512 -md5 "
     "-inform -modulus -serial -enddate -startdate -hash -r -hex -base64 -d -a -CAfile -pubin "
     "-pubkey -purpose -email -alias -checkend -checkhost -checkip -nameopt -connect -servername "
     "-showcerts -v -help -list -c -verify -check"},
    {"uniq",
     "-c -d -D -i -u -z -f* -s* -w* --count --repeated --all-repeated* --ignore-case "
     "--unique --zero-terminated --skip-fields* --skip-chars* --check-chars* --group* "
     "--help --version",
     "cdDiuz"},
    {"cmake",
     "--build --target -t -j* --parallel -S* -B* -N -L* -LA -LAH --version -version --help* "
     "--log-level* -W* --verbose -v --config --preset --list-presets* --clean-first --fresh "
     "--check-system-vars --warn-uninitialized --log-context"},
    {"ctest",
     "-N --show-only* -R --tests-regex -E --exclude-regex -j* --parallel* -V -VV --verbose "
     "--extra-verbose --output-on-failure -L --label-regex -LE --label-exclude --progress -C "
     "--build-config --timeout -I --tests-information --rerun-failed --stop-on-failure -Q --quiet "
     "--version --help* --print-labels --no-label-summary --schedule-random --repeat* --preset "
     "--list-presets --max-width --no-tests* --test-load"},
};

bool fits_known(std::string_view list, std::string_view word) {
  const std::string_view name = word.substr(0, word.find('='));
  for (std::size_t begin = 0; begin < list.size();) {
    const std::size_t end = std::min(list.find(' ', begin), list.size());
    std::string_view one = list.substr(begin, end - begin);
    begin = end + 1;
    if (one.ends_with('*')) {
      one.remove_suffix(1);
      if (word.starts_with(one)) return true;
    } else if (word == one || (one.starts_with("--") && name == one)) {
      return true;
    }
  }
  return false;
}

}  // namespace

bool is_unknown_option(std::string_view program, std::string_view word) {
  if (word.size() < 2 || word[0] != '-' || word == "--") return false;
  for (const KnownOptions& row : kKnown) {
    if (!has_word(row.programs, program) && !has_word(row.programs, unversioned(program))) continue;
    if (fits_known(row.words, word)) return false;
    const bool is_cluster = !row.clusters.empty() && word[1] != '-' &&
                            word.find_first_not_of(row.clusters, 1) == std::string_view::npos;
    return !is_cluster;
  }
  return false;
}

}  // namespace filecall::client
