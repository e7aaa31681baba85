/**
 * Verifies a distribution's signed InRelease with this computer's own keys, and the package lists that it names by
 * hash. Neither the node that named them nor the mirror that sent them is trusted.
 */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { ReadableStream } from 'node:stream/web';
import { createGunzip } from 'node:zlib';
import type { PublicKey } from 'openpgp';
import { loadPart } from '../../base/load-part.ts';
import { RinglabError } from '../../../shared/base/errors.ts';
import { phrase } from '../../i18n/index.ts';
import type { Phrase } from '../../../shared/base/phrase.ts';

/** A signed release has 250 kB; a full package list of a distribution 50 MB, unpacked. */
export const maxReleaseBytes = 4 * 1024 ** 2;
const maxListBytes = 512 * 1024 ** 2;
const maxKeyBytes = 1024 ** 2;
const clockSlackMs = 24 * 3_600_000;

export interface SignedRelease {
  /** Empty in a flat archive. */
  readonly suite: string;
  readonly codename: string;
  readonly date: Date;
  readonly validUntil: Date | undefined;
  /** By path below the folder of the InRelease: `dists/<suite>/` of a distribution. */
  readonly files: ReadonlyMap<string, { readonly sha256: string; readonly size: number }>;
}

/** `flat`: one folder with its own InRelease and no suites, like NVIDIA's. `suites`: a distribution's. */
export type ArchiveKind = 'flat' | 'suites';

export interface Keyring {
  /** Folders of armored or binary public keys; users add keys of other archives to one of them. */
  readonly folders: readonly string[];
  /** The keys accepted for this kind of archive: NVIDIA's key must not sign a distribution's lists. */
  read(kind: ArchiveKind): Promise<PublicKey[]>;
}

/** Shipped keys that are accepted for one kind only; keys that the user added are accepted for both. */
const onlyFor: Readonly<Record<ArchiveKind, RegExp>> = { flat: /^nvidia-/, suites: /^(?:debian-|ubuntu\.)/ };

/** A file may contain several; openpgp reads only the first. */
export const armoredBlocks = (text: string): string[] =>
  text.match(/-----BEGIN PGP PUBLIC KEY BLOCK-----[\s\S]*?-----END PGP PUBLIC KEY BLOCK-----/g) ?? [];

/** @param folders on this computer; a missing one has no keys */
export function createKeyring(folders: readonly string[]): Keyring {
  let reading: Promise<{ name: string; key: PublicKey }[]> | undefined;
  const readAll = async (): Promise<{ name: string; key: PublicKey }[]> => {
    const { readKeys } = await loadPart(() => import('openpgp'));
    const keys: { name: string; key: PublicKey }[] = [];
    for (const folder of folders) {
      const names = await readdir(folder).catch(() => []);
      for (const name of names.filter((one) => /\.(asc|gpg|pgp)$/.test(one)).sort()) {
        const bytes = await readFile(join(folder, name));
        if (bytes.length > maxKeyBytes) continue;
        const text = bytes.toString('latin1');
        const blocks = armoredBlocks(text);
        const found =
          blocks.length === 0
            ? await readKeys({ binaryKeys: new Uint8Array(bytes) })
            : (await Promise.all(blocks.map((block) => readKeys({ armoredKeys: block })))).flat();
        keys.push(...found.map((key) => ({ name, key: key.toPublic() })));
      }
    }
    return keys;
  };
  return {
    folders,
    async read(kind) {
      const all = await (reading ??= readAll());
      const other = onlyFor[kind === 'flat' ? 'suites' : 'flat'];
      return all.filter(({ name }) => !other.test(name)).map(({ key }) => key);
    },
  };
}

export const refusedArchive = (archive: string, reason: Phrase, keyring: Keyring): RinglabError =>
  new RinglabError('archive_refused', { archive, reason, folder: keyring.folders.at(-1) ?? '' });

/**
 * @param archive its address, for messages, and its kind
 * @param now when it must be valid; undefined for one that was checked at download
 * @throws archive_refused
 */
export async function readSignedRelease(
  bytes: Uint8Array,
  archive: { readonly address: string; readonly kind: ArchiveKind },
  keyring: Keyring,
  now: Date | undefined,
): Promise<SignedRelease> {
  const refused = (reason: Phrase): RinglabError => refusedArchive(archive.address, reason, keyring);
  if (bytes.length > maxReleaseBytes) throw refused(phrase('reasons.archive.large'));
  const { readCleartextMessage, verify } = await loadPart(() => import('openpgp'));
  let text: string;
  try {
    const message = await readCleartextMessage({ cleartextMessage: Buffer.from(bytes).toString('utf8') });
    const { data, signatures } = await verify({
      message,
      verificationKeys: await keyring.read(archive.kind),
    });
    // One accepted signature is enough; only the signed text is read below.
    await Promise.any(signatures.map(({ verified }) => verified));
    text = data;
  } catch (error) {
    const first: unknown = error instanceof AggregateError ? error.errors[0] : error;
    throw refused(
      first instanceof Error
        ? phrase('reasons.archive.signature', { message: first.message })
        : phrase('reasons.archive.unsigned'),
    );
  }
  const release = parseRelease(text);
  if (release === undefined) throw refused(phrase('reasons.archive.form'));
  if (now !== undefined) {
    if (release.validUntil !== undefined && release.validUntil.getTime() < now.getTime())
      throw refused(phrase('reasons.archive.expired', { time: release.validUntil.toISOString() }));
    if (release.date.getTime() > now.getTime() + clockSlackMs)
      throw refused(phrase('reasons.archive.future', { time: release.date.toISOString() }));
  }
  return release;
}

const word = /^[A-Za-z0-9][A-Za-z0-9._+~/-]{0,99}$/;

export function parseRelease(text: string): SignedRelease | undefined {
  const [head = ''] = text.split(/^SHA256: *$/m);
  const field = (name: string): string | undefined =>
    new RegExp(`^${name}: *(.+?)\\s*$`, 'm').exec(head)?.[1];
  const date = new Date(field('Date') ?? '');
  const until = field('Valid-Until');
  const validUntil = until === undefined ? undefined : new Date(until);
  const [suite = '', codename = ''] = [field('Suite'), field('Codename')];
  if (Number.isNaN(date.getTime()) || Number.isNaN(validUntil?.getTime())) return undefined;
  const files = new Map<string, { sha256: string; size: number }>();
  const [, lines = ''] = /^SHA256: *\r?\n((?: [^\n]*\n?)+)/m.exec(text) ?? [];
  for (const [, sha256 = '', size = '', path = ''] of lines.matchAll(
    /^ ([0-9a-f]{64}) +(\d{1,12}) (\S{1,300})\s*$/gm,
  ))
    files.set(path, { sha256, size: Number(size) });
  const named = suite === '' ? codename : suite;
  return files.size === 0 || (named !== '' && !word.test(named))
    ? undefined
    : { suite, codename, date, validUntil, files };
}

export interface SignedPackage {
  readonly name: string;
  readonly version: string;
  readonly architecture: string;
  /** Path below the archive's address. */
  readonly filename: string;
  readonly sha256: string;
  readonly size: number;
  /** Its paragraph, verbatim. */
  readonly stanza: string;
}

const field = (stanza: string, name: string): string | undefined =>
  new RegExp(`^${name}: *(.+)$`, 'm').exec(stanza)?.[1]?.trim();

/** Undefined for a paragraph without an installable package. */
export function parseStanza(stanza: string): SignedPackage | undefined {
  const [name = '', version = '', architecture = '', filename = '', sha256 = '', size = ''] = [
    'Package',
    'Version',
    'Architecture',
    'Filename',
    'SHA256',
    'Size',
  ].map((one) => field(stanza, one));
  const isWhole =
    /^[a-z0-9][a-z0-9+.-]+$/.test(name) &&
    /^[A-Za-z0-9.+~:-]+$/.test(version) &&
    /^[0-9a-f]{64}$/.test(sha256) &&
    /^\d{1,12}$/.test(size) &&
    /^(?:\.\/)?[A-Za-z0-9][A-Za-z0-9._+~%:/-]*\.deb$/.test(filename) &&
    !/(^|\/)\.\.(\/|$)/.test(filename);
  return isWhole
    ? { name, version, architecture, filename, sha256, size: Number(size), stanza: stanza.trim() }
    : undefined;
}

export const packageKey = ({ name, version }: { name: string; version: string }): string =>
  `${name}=${version}`;

/** The supported compressions of a list, the best first. */
export const listForms = ['xz', 'gz'] as const;
export type ListForm = (typeof listForms)[number];

async function unpacked(
  packed: AsyncIterable<Uint8Array>,
  form: ListForm,
): Promise<AsyncIterable<Uint8Array>> {
  if (form === 'gz') {
    const gunzip = createGunzip();
    // The reader of the stream gets the error.
    pipeline(packed, gunzip).catch(() => undefined);
    return gunzip as AsyncIterable<Uint8Array>;
  }
  // A CommonJS module, whose named exports Node cannot detect.
  const {
    default: { XzReadableStream },
  } = await loadPart(() => import('xz-decompress'));
  // Node's web streams and those of the DOM types are compatible here.
  const Unpacking: new (packed: never) => unknown = XzReadableStream;
  return new Unpacking(ReadableStream.from(packed) as never) as AsyncIterable<Uint8Array>;
}

/**
 * The wanted packages of a list, by `packageKey`.
 * @param packed the list as `Packages.xz` or `Packages.gz`; the caller has compared its hash with the signed one
 */
export async function readSignedList(
  packed: AsyncIterable<Uint8Array>,
  form: ListForm,
  wanted: ReadonlySet<string>,
  arch: string,
): Promise<Map<string, SignedPackage>> {
  const found = new Map<string, SignedPackage>();
  // Skips quickly: sixty thousand paragraphs, of which a few hundred are wanted.
  const names = new Set([...wanted].map((key) => key.slice(0, key.indexOf('='))));
  const take = (paragraph: string): void => {
    const start = paragraph.indexOf('Package: ');
    const end = paragraph.indexOf('\n', start);
    if (start < 0 || !names.has(paragraph.slice(start + 9, end < 0 ? undefined : end))) return;
    const one = parseStanza(paragraph);
    if (one === undefined || !wanted.has(packageKey(one))) return;
    if (one.architecture === arch || one.architecture === 'all') found.set(packageKey(one), one);
  };
  const decoder = new TextDecoder();
  let [rest, bytes] = ['', 0];
  for await (const chunk of await unpacked(packed, form)) {
    bytes += chunk.length;
    if (bytes > maxListBytes)
      throw new RinglabError('download_too_large', { path: form, size: bytes, limit: maxListBytes });
    const paragraphs = (rest + decoder.decode(chunk, { stream: true })).split('\n\n');
    rest = paragraphs.pop() ?? '';
    for (const paragraph of paragraphs) take(paragraph);
  }
  take(rest);
  return found;
}
