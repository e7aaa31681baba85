/**
 * Turns a bundle's packages into an apt repository on a node. Its index is signed here with a temporary key whose
 * private half is discarded at once. Root copies what was sent, compares each file with its SHA-256, and installs
 * only from that copy: the account can change its own folder, but not the copy.
 */
import { createHash } from 'node:crypto';
import { loadPart } from '../../base/load-part.ts';
import { packagesFolder } from '../../base/node-layout.ts';
import { shellQuote } from '../../ssh/index.ts';
import { aptTimeouts } from './apt-call.ts';
import type { SignedPackage } from '../bundle/signed-release.ts';

export interface NodeRepository {
  /** Identifies it: the first digits of its list's SHA-256. */
  readonly id: string;
  /** `Packages`: the paragraphs signed by the distribution, verified on this computer. */
  readonly list: string;
  /** The `InRelease` of the list. */
  readonly release: string;
  /** The public key of `release`, armored. */
  readonly key: string;
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Plan, consent and installation must show the same text: an index is signed once in this process. */
const signed = new Map<string, Promise<NodeRepository>>();
const maxSigned = 100;

/** @param date of the distribution's signature, which must not be later than a node's clock */
export function nodeRepository(packages: readonly SignedPackage[], date: Date): Promise<NodeRepository> {
  const list = packages
    .map((one) => `${one.stanza.replace(/^Filename:.*$/m, `Filename: ./${one.sha256}.deb`)}\n\n`)
    .join('');
  const whole = sha256(list);
  const known = signed.get(whole);
  if (known !== undefined) return known;
  const making = signRepository(list, whole, date);
  signed.set(whole, making);
  making.catch(() => signed.delete(whole));
  const oldest = signed.keys().next().value;
  if (signed.size > maxSigned && oldest !== undefined) signed.delete(oldest);
  return making;
}

async function signRepository(list: string, whole: string, date: Date): Promise<NodeRepository> {
  const { createCleartextMessage, generateKey, sign } = await loadPart(() => import('openpgp'));
  const { privateKey, publicKey } = await generateKey({
    userIDs: [{ name: 'Ringlab, for one bundle' }],
    date,
    format: 'object',
  });
  const text = [
    'Origin: Ringlab',
    'Label: Ringlab',
    `Date: ${date.toUTCString()}`,
    'SHA256:',
    ` ${whole} ${Buffer.byteLength(list)} Packages`,
    '',
  ].join('\n');
  const message = await createCleartextMessage({ text });
  const release = await sign({ message, signingKeys: privateKey, date });
  return { id: whole.slice(0, 12), list, release, key: publicKey.armor().replaceAll('\r', '').trim() };
}

/** Accessible only to root, and only while packages are installed. */
export const rootCopies = '/var/cache/ringlab';

const aptOptions = (folder: string): string =>
  [
    `-o Dir::Etc::sourcelist=${folder}/sources.list -o Dir::Etc::sourceparts=/dev/null`,
    `-o Dir::State::lists=${folder}/lists -o Dir::Cache=${folder}/cache -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache= -o APT::Sandbox::User=root ${aptTimeouts}`,
  ].join(' ');

/** Makes apt read a folder with `Packages` and `InRelease`; the key is passed here and not read from the folder. */
const sources = (
  folder: string,
  key: string,
): string => `mkdir -p ${folder}/lists/partial ${folder}/cache/archives/partial
cat > ${folder}/key.asc <<'KEY'
${key}
KEY
printf 'deb [signed-by=%s/key.asc] file:%s ./\\n' ${folder} ${folder} > ${folder}/sources.list`;

/** Run by the account: prints the SHA-256 of each package that is missing on the node. Not security-relevant. */
export const askScript = (at: string, { key }: NodeRepository, pick: string): string => `${sources(at, key)}
get() { env LC_ALL=C apt-get ${aptOptions(at)} -o Debug::NoLocking=1 "$@"; }
cache() { env LC_ALL=C apt-cache ${aptOptions(at)} "$@"; }
get -q update >&2 || exit 1
${pick}
[ -n "$packages" ] || exit 100
get install -y --no-install-recommends --print-uris $packages | sed -n "s/^'file:[^']*\\/\\([0-9a-f]\\{64\\}\\)\\.deb' .*/\\1/p"`;

/** The exit code where a file differs from what was sent. */
export const swapped = 65;

export interface RootCopy {
  /** Shell text to run before apt: makes the copy, which is removed when the script ends. */
  readonly take: string;
  /** Shell text of options that make apt use only the copy. */
  readonly options: string;
}

/** @param from the folder that was sent, as a shell word */
export function rootCopy(from: string, { id, list, release, key }: NodeRepository): RootCopy {
  const own = `${rootCopies}/${id}`;
  return {
    options: aptOptions(own),
    // The account may have replaced a file with a link, a pipe or something endless.
    take: `umask 022
trap 'rm -rf ${own}; rmdir ${rootCopies} 2>/dev/null' EXIT
rm -rf ${own}
${sources(own, key)}
take() {
  dd if=${from}/"$1" of=${own}/"$1" iflag=nofollow,nonblock,fullblock,count_bytes bs=1M count="$(($3 + 1))" status=none
  printf '%s  %s\\n' "$2" ${own}/"$1" | sha256sum -c --status - && return
  echo "$1 in ${from.replaceAll(/['"\\$`]/g, '')} is not what was sent: nothing is installed" >&2
  exit ${swapped}
}
take Packages ${sha256(list)} ${Buffer.byteLength(list)}
take InRelease ${sha256(release)} ${Buffer.byteLength(release)}
for one in $(awk '/^Size: / { size = $2 } /^Filename: / { name = $2 } /^$/ { print substr(name, 3) ":" size }' ${own}/Packages); do
  name=\${one%:*}
  if [ -e ${from}/"$name" ] || [ -L ${from}/"$name" ]; then take "$name" "\${name%.deb}" "\${one#*:}"; fi
done
[ -s ${own}/Packages ] || exit ${swapped}`,
  };
}

/** As shell words. */
export const folderOnNode = (home: string, { id }: NodeRepository): { path: string; word: string } => {
  const path = packagesFolder(home, id);
  return { path, word: shellQuote(path) };
};
