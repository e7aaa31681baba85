/** Builds the shell text with which uv makes a virtual environment on a node, for plan and execution. */
import { randomUUID } from 'node:crypto';
import { shownAddress } from '../../../../shared/base/shown-address.ts';
import { shellQuote } from '../../../ssh/index.ts';
import { hashText } from '../../../transfer/index.ts';
import { takeTurn } from '../../node/turn.ts';
import type { IndexStrategy } from './named-indexes.ts';
import type { UvFolders } from './uv-folders.ts';
import type { WantedPackages } from './wheels-wanted.ts';

/** Written into an environment when it is complete, with its packages. */
const wheelsMark = '.ringlab-packages';

/**
 * A shell condition: an environment is complete, and its Python is there and finds its packages. That Python is outside of
 * it, and goes with an update of the system or by the user's hand.
 * @param prefix quoted
 */
export const isWhole = (prefix: string): string =>
  `[ -e ${prefix}/${wheelsMark} ] && ${prefix}/bin/python -I -c 'import importlib.util as u; raise SystemExit(u.find_spec("torch") is None)' 2>/dev/null`;

/** Exit codes of `createScript`, where uv's own does not say which step failed. */
export const noPython = 90;
export const noImport = 91;

const maxReason = 1000;

export interface WheelsEnvironment {
  /** Absolute path of uv on the node. */
  readonly uv: string;
  /** Absolute path of the environment. */
  readonly prefix: string;
  /** What uv is asked for as the interpreter: `3.11` or `>=3.10,<3.14`. */
  readonly python: string;
  /** Where on the node the files are; each attempt has its own. */
  readonly folder: string;
  /** Files to send into `folder`, `packages.txt` among them. */
  readonly files: Readonly<Record<string, string>>;
  /** Takes PyTorch from its own index of CPU builds. */
  readonly cpuBuild: boolean;
  /** With CUDA's headers that PyTorch does not require, to build the trainer. */
  readonly headers: boolean;
}

/** Each attempt has its own. */
export const filesFolder = (prefix: string): string => `${prefix}.files-${randomUUID().slice(0, 8)}`;

/** The files that are sent: the experiment's, and what is asked for beside them. */
export const filesFor = (
  { files, packages }: WantedPackages,
  torch: string,
): Readonly<Record<string, string>> => ({
  ...files,
  'packages.txt': `${[torch, ...packages].join('\n')}\n`,
});

/** How the account reaches indexes and Pythons; any other of uv's variables may contradict what is asked of it here. */
const kept = [
  ...['CONCURRENT_[A-Z]+', 'INDEX_[A-Z0-9_]+_(USERNAME|PASSWORD)', 'INDEX_STRATEGY', 'INSECURE_HOST'],
  ...['KEYRING_PROVIDER', 'NATIVE_TLS', 'PYTHON_DOWNLOADS_JSON_URL', 'PYTHON_INSTALL_MIRROR', 'SYSTEM_CERTS'],
].join('|');

/**
 * uv's variables: nothing of the user's own configuration or environments, all files in Ringlab's folders. Where the node
 * has certificates of its own they count: they include those of a company's proxy.
 */
export const settings = ({ cache, pythons }: UvFolders): string => `
unset VIRTUAL_ENV CONDA_PREFIX PYTHONPATH PYTHONHOME
for variable in $(env | sed -n 's/^\\(UV_[A-Z0-9_]*\\)=.*/\\1/p' | grep -Evx 'UV_(${kept})'); do unset "$variable"; done
export UV_CACHE_DIR=${shellQuote(cache)} UV_PYTHON_INSTALL_DIR=${shellQuote(pythons)}
export UV_NO_CONFIG=1 UV_NO_PROGRESS=1 UV_PYTHON_PREFERENCE=system UV_PYTHON_INSTALL_BIN=0 UV_HTTP_TIMEOUT=60 NO_COLOR=1
for certificates in /etc/ssl/certs/ca-certificates.crt /etc/pki/tls/certs/ca-bundle.crt; do
  [ -s "$certificates" ] && [ -z "$SSL_CERT_FILE" ] && export SSL_CERT_FILE="$certificates"
done`;

/** Prints the path of an existing Python that fits; exit ${noPython} where there is none. */
export const findPythonScript = (uv: string, folders: UvFolders, python: string): string =>
  `${settings(folders)}
${shellQuote(uv)} python find --system --no-python-downloads ${shellQuote(python)} 2>/dev/null || exit ${noPython}`;

/** Downloads a Python of uv's. @param mirror in place of where uv gets it */
export const bringPythonScript = (
  uv: string,
  folders: UvFolders,
  python: string,
  mirror: string | undefined,
): string =>
  `${settings(folders)}
export UV_HTTP_CONNECT_TIMEOUT=10 UV_HTTP_RETRIES=1
${shellQuote(uv)} python install ${mirror === undefined ? '' : `--mirror ${shellQuote(mirror)} `}${shellQuote(python)}`;

/**
 * One environment at a time for each cache: what the first downloads, the next links. The cache may be shared by nodes
 * whose homes are apart, and the home by machines.
 */
const waitForTurn = takeTurn('"$UV_CACHE_DIR/.ringlab-turn"');

/** A file in the cache that says that this PyTorch is in it. */
const inCache = (environment: Pick<WheelsEnvironment, 'files' | 'python' | 'cpuBuild'>): string => {
  const { files, python, cpuBuild } = environment;
  const torch = files['packages.txt']?.split('\n')[0];
  return `.ringlab-${hashText(JSON.stringify([torch, python, cpuBuild])).slice(0, 16)}`;
};

/** Exit 0 where PyTorch is in the cache already, and the environment's files will be links to those in it. */
export const cachedScript = (
  environment: Pick<WheelsEnvironment, 'files' | 'python' | 'cpuBuild' | 'prefix'>,
  { cache }: UvFolders,
): string => `
cache=${shellQuote(cache)} in=${shellQuote(environment.prefix)}
[ -e "$cache/${inCache(environment)}" ] || exit 1
while [ ! -d "$in" ]; do in=$(dirname "$in"); done
probe=$in/.ringlab-link.$$
ln "$cache/${inCache(environment)}" "$probe" 2>/dev/null && rm -f "$probe"`;

/** The files that uv reads packages from; `locked.txt` is what `exportLocked` writes. */
export const requirementFiles = (files: Readonly<Record<string, string>>): readonly string[] => {
  const names = Object.keys(files);
  return [
    'packages.txt',
    ...(names.includes('uv.lock')
      ? ['locked.txt']
      : names.filter((name) => name === 'requirements.txt' || name === 'pyproject.toml')),
  ];
};

export const exportLocked =
  '"$uv" export --quiet --frozen --no-dev --no-emit-project --no-header --output-file locked.txt >/dev/null || exit 1\n';

/** Indexes that uv takes wheels from. */
export interface IndexSource {
  /** Undefined where the experiment's files name it. */
  readonly index: string | undefined;
  /** Beside it and those that the files name. */
  readonly more?: readonly string[];
  readonly strategy?: IndexStrategy | undefined;
}

/** Where uv takes wheels from: indexes, or a folder on the node that has all of them. */
export type WheelSource = IndexSource | { readonly folder: string };

/** For logs and messages, which users pass on. */
export const withoutLogins = (source: WheelSource): WheelSource =>
  'folder' in source
    ? source
    : {
        ...source,
        index: source.index === undefined ? undefined : shownAddress(source.index),
        ...(source.more === undefined ? {} : { more: source.more.map(shownAddress) }),
      };

/** uv's options for indexes. */
export const indexOptions = ({ index, more = [], strategy }: IndexSource): string =>
  [
    ...(index === undefined ? [] : ['--default-index', shellQuote(index)]),
    ...more.flatMap((address) => ['--extra-index-url', shellQuote(address)]),
    ...(strategy === undefined ? [] : ['--index-strategy', strategy]),
  ].join(' ');

/**
 * Makes the environment under another name and renames it: one that was interrupted is never used. What has been
 * downloaded stays in uv's cache.
 */
export function createScript(
  environment: WheelsEnvironment,
  folders: UvFolders,
  source: WheelSource,
): string {
  const { uv, prefix, python, folder, files, cpuBuild, headers } = environment;
  const requirements = requirementFiles(files);
  const from =
    'index' in source
      ? `${indexOptions(source)}${cpuBuild ? ' --torch-backend cpu' : ''}`
      : `--offline --no-index --no-deps --require-hashes --find-links ${shellQuote(source.folder)}`;
  return `${settings(folders)}
uv=${shellQuote(uv)} to=${shellQuote(prefix)} part=${shellQuote(`${prefix}.part`)}
${waitForTurn}
ls -a "\${to%/*}" "$to" >/dev/null 2>&1
${isWhole('"$to"')} && exit 0
rm -rf "$part" "$to" && cd ${shellQuote(folder)} || exit 1
"$uv" venv --quiet --relocatable --no-project --no-python-downloads --python ${shellQuote(python)} "$part" || exit ${noPython}
${requirements.includes('locked.txt') ? exportLocked : ''}"$uv" pip install --python "$part/bin/python" ${from} ${requirements.map((name) => `-r ${name}`).join(' ')} || exit 1
"$part/bin/python" -c 'import torch; print("PyTorch", torch.__version__, "for CUDA", torch.version.cuda)' || exit ${noImport}
${headers && 'index' in source ? headersScript(source) : ''}"$uv" pip freeze --quiet --python "$part/bin/python" > "$part/${wheelsMark}" && mv "$part" "$to" && : > "$UV_CACHE_DIR/${inCache(environment)}"`;
}

/**
 * The compiler's part of CUDA's headers, and those that they include, of the same version; PyTorch's wheel requires all
 * others. Where they do not come, the trainer is built without names and memory of its GPUs, and without NCCL.
 */
const headersScript = (
  source: IndexSource,
): string => `cuda=$("$part/bin/python" -c 'import torch; print(torch.version.cuda or "")')
case $cuda in
  1[12].*) headers="nvidia-cuda-nvcc-cu\${cuda%%.*}==$cuda.* nvidia-cuda-cccl-cu\${cuda%%.*}==$cuda.*";;
  ?*) headers="nvidia-cuda-crt==$cuda.* nvidia-cuda-cccl==$cuda.*";;
  *) headers=;;
esac
[ -z "$headers" ] || "$uv" pip install --no-deps --python "$part/bin/python" ${indexOptions(source)} $headers || echo 'the trainer is built without CUDA’s headers' >&2
`;

/** Exit 0 where PyTorch's own index of builds without CUDA answers. */
export const cpuBuildScript = (uv: string, folders: UvFolders, index: string): string =>
  `${settings(folders)}
export UV_HTTP_CONNECT_TIMEOUT=5 UV_HTTP_RETRIES=0
echo torch | ${shellQuote(uv)} pip compile --quiet --no-deps --no-python-downloads --torch-backend cpu --default-index ${shellQuote(index)} - >/dev/null`;

/** Why uv found no set of packages: its own reason, on one line. Undefined where it failed otherwise. */
export function unsolvedReason(output: string): string | undefined {
  const [, ...rest] = output.split(/No solution found[^\n]*/);
  if (rest.length === 0) return undefined;
  const reason: string[] = [];
  const hints: string[] = [];
  let ended = false;
  for (const line of rest.join('\n').split('\n')) {
    const text = line.replace(/^[\s│╰─▶├]*(?:cause: *)?/u, '').trim();
    if (text === '' || /^hint:/.test(text)) ended ||= reason.length > 0;
    if (/^hint:/.test(text)) hints.push(text.replace(/^hint: */, ''));
    else if (text !== '' && !ended) reason.push(text);
  }
  // What uv says of its own protection explains why a version that exists does not count.
  const hint = hints.find((text) => /dependency confusion/.test(text));
  return [...reason, ...(hint === undefined ? [] : [hint])].join(' ').slice(0, maxReason);
}

/** The causes that uv names, from the outer to the inner one, on one line. */
export const failureReason = (output: string): string =>
  [...output.matchAll(/^\s*(?:error|cause): *(\S.*)$/gm)]
    .map(([, text = '']) => text.trim())
    .join('; ')
    .slice(0, maxReason);

/** The network's own failures, and an index's. */
const ofNetwork =
  /Failed to fetch|Request failed|error sending request|dns error|client error|connection|timed out|certificate|HTTP status|status code/i;

/** Why uv failed, in its own words, where it is not that an address did not give something. */
export function otherReason(output: string): string | undefined {
  const reason = failureReason(output);
  const isNetwork = ofNetwork.test(reason) && !/hash mismatch/i.test(reason);
  return reason === '' || isNetwork ? undefined : reason;
}

/** Why a package could not be built from its sources, in uv's words, whichever index they came from. */
export const buildReason = (output: string): string | undefined =>
  /^\s*cause: *The build backend returned an error/m.test(output) ? failureReason(output) : undefined;

const units: Readonly<Record<string, number>> = { KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3, B: 1 };

/** Bytes of uv's large downloads: announced (`Downloading torch (858.1MiB)`) and done (`Downloaded torch`). */
export function downloadProgress(): (text: string) => { done: number; total: number } {
  const announced = new Map<string, number>();
  let rest = '';
  let done = 0;
  return (text) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const [, name = '', size = '', unit = ''] =
        /^\s*Downloading (\S{1,200}) \(([\d.]{1,12})([KMG]?i?B)\)/.exec(line) ?? [];
      if (name !== '') announced.set(name, Number(size) * (units[unit] ?? 1));
      const finished = /^\s*Downloaded (\S{1,200})/.exec(line)?.[1];
      done += finished === undefined ? 0 : (announced.get(finished) ?? 0);
    }
    return { done, total: [...announced.values()].reduce((sum, size) => sum + size, 0) };
  };
}
