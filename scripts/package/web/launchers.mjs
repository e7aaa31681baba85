/** The programs in the packages of the web host: how it is started, installed for one user, and removed. */

/** `bin/ringlab` of the packages with their own Node. */
export const launcher = `#!/bin/sh
# Starts Ringlab on the Node of this package. Without arguments it opens the window.
set -e
self=$0
while [ -h "$self" ]; do
  to=$(readlink "$self")
  case $to in
    /*) self=$to ;;
    *) self=$(dirname "$self")/$to ;;
  esac
done
home=$(CDPATH= cd -- "$(dirname "$self")/.." && pwd -P)
[ $# -gt 0 ] || set -- app
exec "$home/node/bin/node" --disable-warning=ExperimentalWarning "$home/dist/main/cli.js" "$@"
`;

/**
 * The desktop entry (freedesktop.org's Desktop Entry Specification).
 * @param {string} program as in its key Exec @param {string} version
 */
export const desktopEntry = (program, version) => `[Desktop Entry]
Type=Application
Version=1.5
Name=Ringlab
GenericName=Lab for distributed training
GenericName[zh_CN]=分布式训练实验台
Comment=Draw nodes and links, train over SSH, watch it learn
Comment[zh_CN]=绘制节点和链路，通过 SSH 训练并实时观察
Exec=${program} app
Icon=ringlab
Terminal=false
Categories=Science;Education;
Keywords=deep learning;training;PyTorch;SSH;
StartupWMClass=Ringlab
X-Ringlab-Version=${version}
`;

/**
 * What both scripts do first: the folder where they are, and the one that they write to. With CDPATH `cd` prints where it went.
 * @param {string} choose sets `prefix`
 */
const begin = (choose) => `set -eu
here=$(CDPATH= cd -- "$(dirname "$0")" && pwd -P)
${choose}
if [ "\${1-}" = --prefix ] && [ $# -eq 2 ]; then
  prefix=$2
elif [ $# -gt 0 ]; then
  echo "Usage: sh $0 [--prefix FOLDER]" >&2
  exit 2
fi
fail() { echo "ringlab: $1" >&2; exit 1; }
lib=$prefix/lib/ringlab
`;

/** Where the package's files go beside its own folder. @param {readonly string[]} icons below share/icons */
const beside = (icons) => ['bin/ringlab', 'share/applications/ringlab.desktop', ...icons];

/** `install.sh`: for one user, without root. An older version is replaced when the new one is complete. */
export const installScript = (icons) => `#!/bin/sh
# Installs Ringlab for this user: sh install.sh [--prefix FOLDER], by default ~/.local. Running it again updates.
${begin('prefix=${HOME:?}/.local')}case $prefix in
  /*) ;;
  *) fail "the folder has to be given from the root on: $prefix" ;;
esac
# A desktop entry cannot name such a program.
case $prefix in
  *[\\"\\\`\\$\\\\%]*) fail "these characters cannot be in the folder's name: \\" \\\` \\$ \\\\ %" ;;
esac
[ "$here" != "$(CDPATH= cd -- "$lib" 2>/dev/null && pwd -P)" ] || fail "this is the installed one; unpack the archive elsewhere and run its install.sh"
[ ! -e "$lib" ] || [ -x "$lib/bin/ringlab" ] || fail "$lib is something else and was left alone"
new=$prefix/lib/.ringlab-new.$$
old=$prefix/lib/.ringlab-old.$$
# A full disk or an interruption leaves the version that was there.
tidy() {
  rm -rf "$new"
  [ -e "$old" ] || return 0
  if [ -e "$lib" ]; then rm -rf "$old"; else mv "$old" "$lib"; fi
}
trap tidy EXIT
trap 'exit 130' INT HUP TERM
mkdir -p "$prefix/lib" "$prefix/bin" "$prefix/share/applications"
cp -R "$here" "$new"
printf '%s\\n' "$prefix" > "$new/prefix"
[ ! -e "$lib" ] || mv "$lib" "$old"
mv "$new" "$lib"
ln -sf ../lib/ringlab/bin/ringlab "$prefix/bin/ringlab"
for icon in ${icons.join(' ')}; do
  mkdir -p "$(dirname "$prefix/$icon")"
  cp "$here/$icon" "$prefix/$icon"
done
sed "s|^Exec=ringlab |Exec=\\"$(printf %s "$prefix" | sed 's/[|&]/\\\\&/g')/bin/ringlab\\" |" "$here/share/applications/ringlab.desktop" > "$prefix/share/applications/ringlab.desktop"
echo "Installed in $lib."
case :$PATH: in
  *":$prefix/bin:"*) echo "Start it: ringlab, or 'Ringlab' in the menu of applications." ;;
  *) echo "Start it: $prefix/bin/ringlab, or 'Ringlab' in the menu of applications." ;;
esac
echo "Remove it: sh '$lib/uninstall.sh'"
`;

/** Where the folder's `lib` is a link it is not the one above the installed files; where all was moved since, it is. */
const installedIn = `prefix=$(cat "$here/prefix" 2>/dev/null) || prefix=
[ "$(CDPATH= cd -- "$prefix/lib/ringlab" 2>/dev/null && pwd -P)" = "$here" ] || prefix=$(dirname "$(dirname "$here")")`;

/** `uninstall.sh`: removes what install.sh wrote, and leaves the user's data. */
export const uninstallScript = (icons) => `#!/bin/sh
# Removes Ringlab of this user; labs, runs and settings stay.
${begin(installedIn)}[ -x "$lib/bin/ringlab" ] || fail "there is no Ringlab in $lib"
for file in ${beside(icons).join(' ')}; do
  rm -f "$prefix/$file"
done
rm -rf "$lib"
# Folders that nothing else uses.
for folder in ${foldersOf(beside(icons)).join(' ')} lib; do
  rmdir "$prefix/$folder" 2>/dev/null || true
done
echo "Removed. Your labs and runs are left in \${RINGLAB_DATA:-\${XDG_DATA_HOME:-$HOME/.local/share}/ringlab}."
`;

/** The folders of files, the deepest first. @param {readonly string[]} paths */
function foldersOf(paths) {
  const folders = new Set();
  for (const path of paths)
    for (let at = path.lastIndexOf('/'); at > 0; at = path.lastIndexOf('/', at - 1))
      folders.add(path.slice(0, at));
  return [...folders].sort((a, b) => b.split('/').length - a.split('/').length || (a < b ? -1 : 1));
}
