/**
 * The shell functions that bring a temporary folder on a node into order after a relay: the list of files decides.
 * What is not on it or differs goes, what is verified stays.
 */
import { shellQuote } from '../ssh/index.ts';

/**
 * - `enter` goes to the folder, and makes it where there is none.
 * - `fresh` makes another in its place, with the same list: where the old one cannot be cleaned, as with files of another
 *   account. What cannot be removed of the old one stays beside it.
 * - `tidy` opens all folders, since find and rm stop at those without rights, and leaves only files and folders: the
 *   next tar would write through a link. A note that is a folder goes, too: nothing could be written to it.
 * - `recover` verifies all files by `.ringlab-manifest`, which must be the right one, removes all others, and writes
 *   `.ringlab-have`. It prints the first files that differ. The output of sha256sum has a line for each of the list,
 *   in its order; names are compared as they are escaped in the list.
 */
export const recoverFunctions = (incoming: string): string => `incoming=${shellQuote(incoming)}
enter() {
  mkdir -p "$incoming" || return
  cd "$incoming" 2>/dev/null || { chmod u+rwx "$incoming" && cd "$incoming"; } || return
  [ ! -e .ringlab-relayed ] || tidy
}
fresh() {
  left=$incoming-left-$(date +%s)-$$
  mv "$incoming" "$left" && mkdir "$incoming" && cd "$incoming" || return
  [ ! -f "$left/.ringlab-manifest" ] || cp "$left/.ringlab-manifest" .
  rm -rf "$left" 2>/dev/null || :
}
tidy() {
  find . -type d ! -perm -700 -exec chmod u+rwx {} \\; &&
    find . ! -type d ! -type f -delete &&
    find . -mindepth 1 -maxdepth 1 -type d -name '.ringlab-*' -exec rm -rf {} +
}
remove_others() {
  find . -type f ! -path './.ringlab-*' -print0 | sed -z 's/\\\\/\\\\\\\\/g; s/\\n/\\\\n/g; s/\\r/\\\\r/g' | tr '\\0' '\\n' |
    awk '!found { have["./" (/^\\\\/ ? substr($0, 68) : substr($0, 67))]; next } !($0 in have)' .ringlab-have found=1 - |
    while IFS= read -r path; do printf '%b\\0' "$path"; done | xargs -0 rm -f -- &&
    find . -mindepth 1 -type d -empty -delete
}
recover() {
  export LC_ALL=C
  sha256sum -c .ringlab-manifest > .ringlab-sums 2>/dev/null
  [ "$(wc -l < .ringlab-sums)" -eq "$(wc -l < .ringlab-manifest)" ] || : > .ringlab-sums
  awk '!list { good[FNR] = /: OK$/; next } good[FNR]' .ringlab-sums list=1 .ringlab-manifest > .ringlab-have || return
  grep -v ': OK$' .ringlab-sums | head -n 20
  remove_others || { fresh; return; }
  # Without any, those of older versions are looked at.
  [ -s .ringlab-have ] || rm -f .ringlab-have
  rm -f .ringlab-sums .ringlab-relayed
}
`;
