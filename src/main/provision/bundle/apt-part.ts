/** The packages of a distribution in a bundle: what a fresh node would need, and how a node installs from it. */
import { createHash } from 'node:crypto';
import { RinglabError } from '../../../shared/errors.ts';
import type { NodeFacts } from '../../../shared/provision.ts';
import { shellQuote } from '../../ssh/index.ts';
import { lastWords } from '../node-shell.ts';
import { known, type StepContext } from '../step.ts';
import type { AptPart, BundleStore } from './store.ts';

export const systemOf = ({ system }: NodeFacts): string => `${system.id} ${system.version}`;

export const partFor = (parts: readonly AptPart[], facts: NodeFacts): AptPart | undefined =>
  parts.find(({ system, arch }) => system === systemOf(facts) && arch === facts.arch);

/** A package of the closure: where it is fetched from, and its paragraph. */
export interface AptSource {
  readonly url: string;
  readonly stanza: string;
  readonly sha256: string;
  readonly size: number;
}

/**
 * Asks apt what a node on which nothing is installed would fetch, with lists of its own: nothing of the node's is read
 * but its sources, nothing is changed, and root is not needed.
 * @param pick shell text that sets `packages`, asking a function `cache`
 */
const closureScript = (pick: string): string => `
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/lists/partial" "$work/archives/partial"
: > "$work/status"
own="-o Dir::State::lists=$work/lists -o Dir::State::status=$work/status -o Dir::Cache=$work -o Dir::Cache::archives=$work/archives -o Debug::NoLocking=1 -o APT::Sandbox::User=root"
get() { env LC_ALL=C apt-get $own "$@"; }
cache() { env LC_ALL=C apt-cache $own "$@"; }
get -q update >&2 || exit 1
${pick}
[ -n "$packages" ] || exit 100
get install -y --no-install-recommends --print-uris $packages | sed -n "s/^'\\([^']*\\)' .*/uri \\1/p"
cache show $(get install -s --no-install-recommends $packages | sed -n 's/^Inst \\([^ ]*\\) (\\([^ ]*\\) .*/\\1=\\2/p') | sed 's/^/= /'
`;

const field = (stanza: string, name: string): string | undefined =>
  new RegExp(`^${name}: *(.+)$`, 'm').exec(stanza)?.[1]?.trim();

/** A compiler with all that it needs has some hundred. */
const mostPackages = 3000;

/** As it stands where an escape is none. */
function decoded(url: string): string {
  try {
    return decodeURIComponent(url);
  } catch {
    return url;
  }
}

/**
 * What `closureScript` printed. apt writes addresses with `%2b` for `+`.
 * @returns fewer than `expected` where a package has no SHA-256 or no paragraph
 */
export function parseClosure(said: string): { found: AptSource[]; expected: number } {
  const lines = said.split('\n');
  const urls = lines.flatMap((line) => (line.startsWith('uri ') ? [line.slice(4)] : []));
  const plain = urls.slice(0, mostPackages).map((url) => ({ url, name: decoded(url) }));
  const paragraphs = lines
    .flatMap((line) => (line.startsWith('= ') ? [line.slice(2)] : line === '=' ? [''] : []))
    .join('\n')
    .split(/\n{2,}/)
    .slice(0, mostPackages);
  const found = paragraphs.flatMap((stanza) => {
    const [file, sha256] = [field(stanza, 'Filename'), field(stanza, 'SHA256')];
    const end = `/${(file ?? '').replace(/^\.\//, '')}`;
    const url = file === undefined ? undefined : plain.find(({ name }) => name.endsWith(end))?.url;
    if (sha256 === undefined || url === undefined) return [];
    return [{ url, sha256, size: Number(field(stanza, 'Size') ?? 0), stanza: stanza.trim() }];
  });
  return { found, expected: urls.length };
}

/** Throws command_failed, or node_offline's kin where the node has no way out. */
export async function aptClosure(context: StepContext, pick: string): Promise<AptSource[]> {
  const result = await context.shell.exec(closureScript(pick), {
    label: 'ask apt what a fresh node would need',
    quiet: true,
    online: true,
    timeoutMs: 15 * 60_000,
    maxOutputBytes: 64 * 1024 * 1024,
  });
  const { found, expected } = parseClosure(result.stdout);
  // One that is missing would be missed only on the node without internet.
  const whole = found.length > 0 && found.length >= expected;
  if (result.code === 0 && whole) return found;
  throw new RinglabError(
    'command_failed',
    { command: 'apt-get install --print-uris', code: result.code ?? 'signal' },
    { detail: `${found.length} of ${expected} packages\n${lastWords({ ...result, stdout: '' })}` },
  );
}

/** A repository of apt's simplest kind: a folder with a list. Its hashes are apt's to check. */
const listOf = ({ packages }: AptPart): string =>
  packages
    .map(({ stanza, sha256 }) => `${stanza.replace(/^Filename:.*$/m, `Filename: ./${sha256}.deb`)}\n\n`)
    .join('');

/** @returns shell text that makes apt use the bundle alone, and how many bytes crossed the wire */
export async function sendPackages(
  context: StepContext,
  store: BundleStore,
  part: AptPart,
  pick: string,
): Promise<{ options: string; sent: number }> {
  const { shell, status } = context;
  const { home } = known(context.work, 'facts');
  const list = listOf(part);
  const folder = `${home}/.ringlab/packages/${createHash('sha256').update(list).digest('hex').slice(0, 12)}`;
  await shell.upload({ bytes: Buffer.from(list) }, `${folder}/Packages`, { quiet: true });
  const at = shellQuote(folder);
  const options = [
    `-o Dir::Etc::sourcelist=${at}/sources.list -o Dir::Etc::sourceparts=/dev/null`,
    `-o Dir::State::lists=${at}/lists -o Dir::Cache=${at}/cache -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache= -o APT::Sandbox::User=root`,
  ].join(' ');
  const said = await shell.run(
    `mkdir -p ${at}/lists/partial ${at}/cache/archives/partial
printf 'deb [trusted=yes] file:%s ./\\n' ${at} > ${at}/sources.list
get() { env LC_ALL=C apt-get ${options} -o Debug::NoLocking=1 "$@"; }
cache() { env LC_ALL=C apt-cache ${options} "$@"; }
get -q update >&2 || exit 1
${pick}
[ -n "$packages" ] || exit 100
get install -y --no-install-recommends --print-uris $packages | sed -n "s/^'file:[^']*\\/\\([0-9a-f]\\{64\\}\\)\\.deb' .*/\\1/p"`,
    { label: 'ask apt what is missing of the bundle', timeoutMs: 5 * 60_000 },
  );
  const missing = said.split('\n').filter((line) => /^[0-9a-f]{64}$/.test(line));
  const sizes = new Map(part.packages.map(({ sha256, size }) => [sha256, size]));
  const total = missing.reduce((sum, sha256) => sum + (sizes.get(sha256) ?? 0), 0);
  status.log.add(`${missing.length} of ${part.packages.length} packages are missing here: ${total} bytes`);
  let [done, sent] = [0, 0];
  for (const sha256 of missing) {
    const one = await shell.upload({ path: store.path(sha256) }, `${folder}/${sha256}.deb`, { quiet: true });
    sent += one.sent;
    done += sizes.get(sha256) ?? 0;
    status.progress(done, total, 'bytes');
  }
  return { options, sent };
}
