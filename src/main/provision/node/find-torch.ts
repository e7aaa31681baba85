/** Finds every libtorch and Python torch outside a node's packages by reading files: starts nothing. */
import { shellQuote } from '../../ssh/index.ts';
import type { NodeShell } from './node-shell.ts';
import { cudaInName, upstreamVersion } from './hardware-facts.ts';
import type { Libtorch } from './libtorch.ts';
import { phrase } from '../../i18n/index.ts';

export interface FoundTorch extends Libtorch {
  readonly prefix: string;
  /** Without headers nothing can be built with it. */
  readonly headers: boolean;
}

/**
 * Customary folders: an unpacked libtorch archive, virtual environments in the home folder and in the folders of projects, conda's
 * environments, and pip's own folders; and the environment of the `python3` on the PATH. Symbolic links to the same folder are one.
 */
const defaultPlaces = `
$HOME/libtorch /opt/libtorch /usr/local/libtorch $HOME/*/libtorch
$HOME/.local/lib/python3*/site-packages/torch /usr/local/lib/python3*/dist-packages/torch /usr/local/lib/python3*/site-packages/torch
$HOME/*/lib/python3*/site-packages/torch $HOME/.*/lib/python3*/site-packages/torch
$HOME/*/venv/lib/python3*/site-packages/torch $HOME/*/.venv/lib/python3*/site-packages/torch
/opt/*/venv/lib/python3*/site-packages/torch /opt/*/.venv/lib/python3*/site-packages/torch
$HOME/*/envs/*/lib/python3*/site-packages/torch $HOME/.conda/envs/*/lib/python3*/site-packages/torch
/opt/*/lib/python3*/site-packages/torch /opt/*/envs/*/lib/python3*/site-packages/torch
$HOME/*/envs/* $HOME/.conda/envs/* /opt/*/envs/* $HOME/miniconda3 $HOME/anaconda3 $HOME/miniforge3 /opt/conda
"$active"/lib/python3*/site-packages/torch`;

/** A folder that a user names may be the torch, its environment, or the environment's `bin`. */
const namedPlaces = (path: string): string =>
  ['', '/lib/python3*/site-packages/torch', '/../lib/python3*/site-packages/torch']
    .map((below) => `${shellQuote(path)}${below}`)
    .join(' ');

/** Prints `kind|version|cuda|abi|headers|folder` for each. */
const script = (places: string): string => `
seen=' '
active=$(command -v python3) && active=\${active%/bin/python3} || active=/nowhere
for folder in ${places.trim().replaceAll('\n', ' ')}; do
  [ -e "$folder/lib/libtorch.so" ] && [ -e "$folder/lib/libc10.so" ] || continue
  folder=$(cd "$folder" && pwd -P) || continue
  case $seen in *" $folder "*) continue;; esac
  seen="$seen$folder "
  kind= version= cuda=
  if [ -r "$folder/version.py" ]; then
    kind=python
    version=$(sed -n "s/^__version__[^=]*= *['\\"]\\([^'\\"]*\\).*/\\1/p" "$folder/version.py" | head -n 1)
    cuda=$(sed -n "s/^cuda[^=]*= *['\\"]\\([0-9.]*\\).*/\\1/p" "$folder/version.py" | head -n 1)
  elif [ -r "$folder/build-version" ]; then
    kind=archive; read -r version < "$folder/build-version"
  else
    for record in "$folder"/conda-meta/libtorch-[0-9]*.json; do
      [ -e "$record" ] && kind=conda && version=\${record##*/libtorch-} && version=\${version%.json}
    done
  fi
  [ -n "$version" ] || continue
  abi=cxx11
  grep -q 'GLIBCXX_USE_CXX11_ABI=0' "$folder/share/cmake/Torch/TorchConfig.cmake" 2>/dev/null && abi=pre-cxx11
  headers=no; [ -e "$folder/include/torch/csrc/api/include/torch/torch.h" ] && headers=yes
  printf '%s|%s|%s|%s|%s|%s\\n' "$kind" "$version" "$cuda" "$abi" "$headers" "$folder"
done
`;

export function parseFound(output: string): FoundTorch[] {
  return output.split('\n').flatMap((line) => {
    const [kind, version, cuda, abi, headers, ...rest] = line.split('|');
    const prefix = rest.join('|');
    if (kind === undefined || version === undefined || !prefix.startsWith('/')) return [];
    if (!/^\d[\w.+-]*$/.test(version)) return [];
    const level = cuda === '' ? cudaInName(version) : cuda;
    return [
      {
        version: upstreamVersion(version),
        prefix,
        abi: abi === 'pre-cxx11' ? ('pre-cxx11' as const) : ('cxx11' as const),
        headers: headers === 'yes',
        ...(level === undefined ? {} : { cuda: level }),
      },
    ];
  });
}

/** @param path given by a user; without it the customary folders are searched */
export async function findTorch(shell: NodeShell, path?: string): Promise<FoundTorch[]> {
  const places = path === undefined ? defaultPlaces : namedPlaces(path);
  return parseFound(await shell.run(script(places), { label: phrase('nodeCommands.findTorch') }));
}
