/**
 * The shell functions that bring a temporary folder on a node into order after a relay: the list of files decides.
 * What is not on it or differs goes, what is verified stays.
 */
import { shellQuote } from '../ssh/index.ts';

/**
 * - `enter` goes to the folder, and makes it where there is none. One process at a time is in it, where the file system
 *   has locks: one whose connection was lost works on, and another app may send the same.
 * - `fresh` makes another in its place, with the same list: where the old one cannot be cleaned, as with files of another
 *   account. What cannot be removed of the old one stays beside it. The new one is made first: on a full disk that fails.
 * - `tidy` opens all folders, since find and rm stop at those without rights, and leaves only files and folders: the
 *   next tar would write through a link. A note that is a folder goes, too: nothing could be written to it.
 * - `judge` verifies all files by `.ringlab-manifest`, which must be the right one, and prints `+ FROM TO` for its lines
 *   that are there and `- PATH` for files to remove: those that are not on the list, and those of which sha256sum says
 *   that they differ. It fails where sha256sum did not get to its end, which is no verdict about the rest. Only escaped
 *   names may be without one: not every version of sha256sum can read all of them. Names are compared as they are
 *   escaped in the list; sha256sum escapes only those with a line break when it verifies. It prints the first files that differ to stderr.
 * - `recover` removes and notes in `.ringlab-have` what `judge` says. That is kept in memory: on a full disk a list would
 *   be short, and a note can be written only when what differs has gone.
 */
export const recoverFunctions = (incoming: string): string => `incoming=${shellQuote(incoming)}
enter() {
  mkdir -p "$incoming" || return
  cd "$incoming" 2>/dev/null || { chmod u+rwx "$incoming" && cd "$incoming"; } || return
  lock
  # Meanwhile another may have renamed it, or put one in its place.
  [ . -ef "$incoming" ] || { enter; return; }
  [ ! -e .ringlab-relayed ] || tidy
}
lock() { { command exec 9< . && flock 9; } 2>/dev/null || :; }
fresh() {
  left=$incoming-left-$(date +%s)-$$
  mkdir "$left-new" || return
  if [ -f "$incoming/.ringlab-manifest" ]; then
    cp "$incoming/.ringlab-manifest" "$left-new" || { rm -rf "$left-new"; return 1; }
  fi
  mv "$incoming" "$left" && mv "$left-new" "$incoming" && cd "$incoming" || return
  lock
  rm -rf "$left" 2>/dev/null || :
}
tidy() {
  find . -type d ! -perm -700 -exec chmod u+rwx {} \\; &&
    find . ! -type d ! -type f -delete &&
    find . -mindepth 1 -maxdepth 1 -type d -name '.ringlab-*' -exec rm -rf {} +
}
judge() {
  {
    { sha256sum -c .ringlab-manifest 2>/dev/null; echo "ended $?"; } | sed '/^\\\\/! { s/\\\\/\\\\\\\\/g; s/\\r/\\\\r/g }; s/^\\\\//'
    find . -type f ! -path './.ringlab-*' -print0 | sed -z 's/\\\\/\\\\\\\\/g; s/\\n/\\\\n/g; s/\\r/\\\\r/g' | tr '\\0' '\\n'
  } | awk '
    function read_line() {
      if ((got = getline line < ".ringlab-manifest") < 1) return 0
      lines++
      escaped = line ~ /^\\\\/
      path = substr(line, escaped ? 68 : 67)
      place = path == "./-" ? path : "./" path
      listed[place]
      return 1
    }
    function fail(why) {
      print "not all files were verified: " why > "/dev/stderr"
      failed = 1
      exit
    }
    ended { if (!($0 in listed)) print "- " $0; next }
    /^ended [0-9]+$/ {
      while (read_line()) if (!escaped) fail("sha256sum ended with " $2)
      if (got < 0 || $2 > 1) fail("sha256sum ended with " $2)
      if (to) print "+ " from, to
      ended = 1
      next
    }
    {
      do {
        if (!read_line()) fail("more lines than files")
        verdict = index($0, path ": ") == 1 ? substr($0, length(path) + 3) : ""
        known = verdict == "OK" || verdict == "FAILED" || verdict == "FAILED open or read"
      } while (!known && escaped)
      if (!known) fail("sha256sum says: " $0)
      if (verdict == "OK") {
        if (to && to == lines - 1) to = lines
        else { if (to) print "+ " from, to; from = to = lines }
        next
      }
      if (verdict == "FAILED") delete listed[place]
      if (shown++ < 20) print > "/dev/stderr"
    }
    END { exit failed || !ended }'
}
remove_others() {
  printf '%s\\n' "$judged" | sed -n 's/^- //p' | while IFS= read -r path; do printf '%b\\0' "$path"; done | xargs -0 rm -f -- &&
    find . -mindepth 1 -type d -empty -delete
}
recover() {
  export LC_ALL=C
  judged=$(judge) || return
  # Another may have removed the same at the same time.
  remove_others || remove_others || { fresh; return; }
  printf '%s\\n' "$judged" | awk '!list { if (/^\\+/) { from[++ranges] = $2; to[ranges] = $3 }; next }
    FNR == 1 { range = 1 } FNR > to[range] { range++ } range <= ranges && FNR >= from[range]' - list=1 .ringlab-manifest > .ringlab-have || return
  # Without any, those of older versions are looked at.
  [ -s .ringlab-have ] || rm -f .ringlab-have
  rm -f .ringlab-relayed
}
`;
