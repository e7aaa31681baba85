/** Gives a Debian node's package sources the components that have NVIDIA's driver, in a file of Ringlab's own. */

const place = '/etc/apt/sources.list.d/ringlab-nonfree';
/** Of which one is written, in the form of the entry that it is made from. */
export const nonfreeFiles = [`${place}.list`, `${place}.sources`] as const;
const [asLine, asStanza] = nonfreeFiles;

/** Prints the entry of `site` and `suite` with other components; all its options count for these, too. */
const ofLines = `
  { sub(/#.*/, "") }
  /^[ \\t]*deb[ \\t]/ {
    rest = $0; options = ""
    sub(/^[ \\t]*deb[ \\t]+/, "", rest)
    if (match(rest, /^\\[[^]]*\\][ \\t]*/)) { options = substr(rest, 1, RLENGTH); rest = substr(rest, RLENGTH + 1) }
    count = split(rest, word)
    sub(/\\/+$/, "", word[1])
    if (word[1] != site || word[2] != suite) next
    for (i = 3; i <= count; i++) if (word[i] == "main") { print "deb " options site " " suite " " components; exit }
  }`;
const ofStanzas = `
  function has(text, wanted,   count, i, word) {
    count = split(text, word, /[ \\t\\n]+/)
    for (i = 1; i <= count; i++) { sub(/\\/+$/, "", word[i]); if (word[i] == wanted) return 1 }
    return 0
  }
  BEGIN { RS = ""; FS = "\\n" }
  {
    options = name = ""; split("", field)
    for (i = 1; i <= NF; i++) {
      line = $i
      if (line ~ /^#/) continue
      if (line !~ /^[ \\t]/) { name = tolower(line); sub(/:.*/, "", name); sub(/^[^:]*:/, "", line) }
      field[name] = field[name] " " line
      if (name !~ /^(types|uris|suites|components)$/) options = options $i "\\n"
    }
    if (has(field["types"], "deb") && has(field["uris"], site) && has(field["suites"], suite) && has(field["components"], "main")) {
      printf "Types: deb\\nURIs: %s\\nSuites: %s\\nComponents: %s\\n%s", site, suite, components, options
      exit
    }
  }`;

/**
 * The mirror that the node already uses for Debian's own packages, by what its archive says it is: other archives have
 * Debian's names of suites and components, too. apt refuses all sources where two entries of one archive differ in an
 * option such as `Signed-By`, so that these are kept, and our file is removed where apt refuses it.
 * @param apt apt-get with its options
 */
export const addComponents = (apt: string, components: string): string => `rm -f ${nonfreeFiles.join(' ')}
. /etc/os-release
${apt} update
set -- $(apt-get indextargets --format '$(ORIGIN) $(CODENAME) $(COMPONENT) $(RELEASE) $(SITE) $(SOURCESENTRY)' 'Created-By: Packages' 2>/dev/null | sed -n "s/^Debian $VERSION_CODENAME main //p" | head -n 1)
from=\${3%:*}
entry() { [ -e "$from" ] && awk -v suite="$1" -v site="\${2%/}" -v components='${components}' "$3" "$from"; }
case $from in
  *.sources) entry "$1" "$2" '${ofStanzas}' > ${asStanza};;
  *) entry "$1" "$2" '${ofLines}' > ${asLine};;
esac
[ -s ${asLine} ] || [ -s ${asStanza} ] || {
  rm -f ${asStanza}
  key=/usr/share/keyrings/debian-archive-keyring.gpg options=
  [ -e "$key" ] && options="[signed-by=$key] "
  echo "deb \${options}http://deb.debian.org/debian $VERSION_CODENAME main ${components}" > ${asLine}
}
${apt} update || { code=$?; rm -f ${nonfreeFiles.join(' ')}; exit "$code"; }`;
