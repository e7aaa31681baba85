/**
 * Verifies each package of a bundle against what the distribution has signed: when a bundle is made, and again before
 * it is used.
 */
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { RinglabError } from '../../../shared/base/errors.ts';
import type { NodeFacts } from '../../../shared/node/provision.ts';
import {
  maxReleaseBytes,
  packageKey,
  readSignedList,
  readSignedRelease,
  refusedArchive,
  listForms,
  type ArchiveKind,
  type Keyring,
  type ListForm,
  type SignedPackage,
  type SignedRelease,
} from './signed-release.ts';
import type { AptClosure, AptList, AptPart } from './index-file.ts';
import type { BundleStore } from './contract.ts';
import { phrase } from '../../i18n/index.ts';
import type { Line } from '../../../shared/base/phrase.ts';

/** dpkg's architecture for an output of `uname -m`. */
const debArchitecture = (arch: string): string =>
  ({ x86_64: 'amd64', aarch64: 'arm64', ppc64le: 'ppc64el', armv7l: 'armhf' })[arch] ?? arch;

/** A node of one of these systems gets packages of that release only. */
const codenames: Readonly<Record<string, string>> = {
  'debian 11': 'bullseye',
  'debian 12': 'bookworm',
  'debian 13': 'trixie',
  'ubuntu 20.04': 'focal',
  'ubuntu 22.04': 'jammy',
  'ubuntu 24.04': 'noble',
};

/** As apt requests it: object stores read `+` as a space. */
const addressOf = (uri: string, { filename }: SignedPackage): string =>
  `${withSlash(uri)}${encodeURI(filename).replaceAll('+', '%2b')}`;

const maxBytes = 16 * 1024 ** 3;
const withSlash = (uri: string): string => (uri.endsWith('/') ? uri : `${uri}/`);

type List = Pick<AptClosure['lists'][number], 'uri' | 'suite'>;

/** The folder of the InRelease and the lists, without a trailing slash. */
function archiveOf({ uri, suite }: List): { address: string; kind: ArchiveKind } {
  if (suite !== '' && !suite.endsWith('/'))
    return { address: `${withSlash(uri)}dists/${suite}`, kind: 'suites' };
  return { address: `${withSlash(uri)}${suite.replace(/^\.?\/+/, '')}`.replace(/\/+$/, ''), kind: 'flat' };
}

/** The best signed form of a list; undefined where there is none. */
function signedForm(
  { files }: SignedRelease,
  path: string,
): { form: ListForm; file: { readonly sha256: string; readonly size: number } } | undefined {
  for (const form of listForms) {
    const file = files.get(`${path}.${form}`);
    if (file !== undefined) return { form, file };
  }
  return undefined;
}

/** `debian12`, as in NVIDIA's addresses: `…/cuda/repos/debian12/x86_64/`. */
const releaseFolder = /\/repos\/((?:debian|ubuntu)\d+)(?:\/|$)/;

/** Checks that the release is the requested suite, and that it belongs to the system that the packages are for. */
function checkSuite(
  release: SignedRelease,
  { uri, suite, path }: AptClosure['lists'][number],
  system: string,
  keyring: Keyring,
): void {
  const { address: archive, kind } = archiveOf({ uri, suite });
  if (kind === 'flat') {
    // A distribution's suite declared as a flat archive would bypass the checks below.
    if (path !== 'Packages') throw refusedArchive(archive, phrase('reasons.archive.flat', { path }), keyring);
    // It has no suite; if its address contains a system, that must be the node's.
    const named = releaseFolder.exec(`${archive}/`)?.[1];
    const own = system.replaceAll(/[ .]/g, '');
    if (named !== undefined && named !== own)
      throw refusedArchive(archive, phrase('reasons.archive.otherSystem', { named, system }), keyring);
    return;
  }
  const asked = suite.replace(/\/.*$/, '');
  if (![release.suite, release.codename].some((name) => name.replace(/\/.*$/, '') === asked))
    throw refusedArchive(
      archive,
      phrase('reasons.archive.otherSuite', { codename: release.codename, suite: release.suite }),
      keyring,
    );
  const expected = codenames[system];
  const base = (release.codename === '' ? release.suite : release.codename).replace(/[-/].*$/, '');
  if (expected !== undefined && base !== expected)
    throw refusedArchive(archive, phrase('reasons.archive.otherBase', { base, system, expected }), keyring);
}

export interface ProvenClosure {
  readonly lists: readonly AptList[];
  readonly packages: readonly (SignedPackage & { readonly url: string })[];
}

export interface ProofOptions {
  readonly store: BundleStore;
  readonly signal: AbortSignal;
  readonly now: Date;
  readonly log: (line: Line) => void;
}

/**
 * Downloads the signed lists that the node named, and finds its packages in them.
 * @param before the bundle's lists of this kind of node: lists are never replaced by older ones
 * @throws archive_refused, download_failed, download_too_large
 */
export async function proveClosure(
  { lists, packages }: AptClosure,
  { id, version }: NodeFacts['system'],
  arch: string,
  before: AptPart | undefined,
  { store, signal, now, log }: ProofOptions,
): Promise<ProvenClosure> {
  const { keyring } = store;
  const wanted = new Set(packages.map(packageKey));
  const found = new Map<string, SignedPackage & { url: string }>();
  const proven: AptList[] = [];
  const releases = new Map<string, { release: SignedRelease; sha256: string }>();
  for (const list of lists) {
    const at = archiveOf(list);
    const archive = at.address;
    let known = releases.get(archive);
    if (known === undefined) {
      const { bytes, sha256 } = await store.fetchSmall(`${archive}/InRelease`, maxReleaseBytes, signal);
      const release = await readSignedRelease(bytes, at, keyring, now);
      checkSuite(release, list, `${id} ${version}`, keyring);
      const last = before?.lists.find(({ suite, uri }) => suite === list.suite && uri === list.uri);
      const lastBytes =
        last === undefined ? undefined : await readFile(store.path(last.release)).catch(() => undefined);
      if (lastBytes !== undefined) {
        const { date } = await readSignedRelease(lastBytes, at, keyring, undefined);
        if (date > release.date)
          throw refusedArchive(
            archive,
            phrase('reasons.archive.older', { time: date.toISOString() }),
            keyring,
          );
      }
      known = { release, sha256 };
      releases.set(archive, known);
      log(phrase('stepLog.signed', { archive, time: release.date.toISOString() }));
    }
    const { release, sha256 } = known;
    const signed = signedForm(release, list.path);
    // An empty component may have no list.
    if (signed === undefined) continue;
    const { form, file } = signed;
    const url = `${archive}/${list.path}.${form}`;
    await store.fetch({ url, sha256: file.sha256, size: file.size }, signal);
    const here = await readSignedList(
      createReadStream(store.path(file.sha256)),
      form,
      wanted,
      debArchitecture(arch),
    );
    if (here.size === 0) continue;
    proven.push({ ...list, release: sha256, packages: file.sha256 });
    for (const [key, one] of here)
      if (!found.has(key)) found.set(key, { ...one, url: addressOf(list.uri, one) });
  }
  const missing = [...wanted].filter((key) => !found.has(key));
  if (missing.length > 0)
    throw refusedArchive(
      lists.map(({ uri }) => uri).join(', '),
      phrase('reasons.archive.unlisted', { packages: missing.slice(0, 5), count: missing.length }),
      keyring,
    );
  const all = [...found.values()];
  const total = all.reduce((sum, { size }) => sum + size, 0);
  if (total > maxBytes)
    throw new RinglabError('download_too_large', { path: 'apt', size: total, limit: maxBytes });
  return { lists: proven, packages: all };
}

/**
 * The packages of a part as signed by the distribution; the bundle's own entries are only compared with them.
 * @returns `lists`: those that its packages are from; `date`: when the newest of its lists was signed
 * @throws archive_refused
 */
export async function provenPart(
  { path, keyring }: Pick<BundleStore, 'path' | 'keyring'>,
  part: AptPart,
): Promise<{ packages: SignedPackage[]; lists: AptList[]; date: Date }> {
  let date = new Date(0);
  const wanted = new Set(part.packages.map(packageKey));
  const found = new Map<string, SignedPackage>();
  const lists: AptList[] = [];
  for (const list of part.lists) {
    const at = archiveOf(list);
    // Its expiry was checked when it was downloaded: a bundle is for nodes that download nothing.
    const release = await readSignedRelease(await readFile(path(list.release)), at, keyring, undefined);
    checkSuite(release, list, part.system, keyring);
    if (release.date > date) ({ date } = release);
    const signed = signedForm(release, list.path);
    if (signed?.file.sha256 !== list.packages)
      throw refusedArchive(at.address, phrase('reasons.archive.otherList', { path: list.path }), keyring);
    const here = await readSignedList(
      createReadStream(path(list.packages)),
      signed.form,
      wanted,
      debArchitecture(part.arch),
    );
    const own = [...here].filter(([key]) => !found.has(key));
    if (own.length > 0) lists.push(list);
    for (const [key, one] of own) found.set(key, one);
  }
  const packages = part.packages.map((claimed) => {
    const one = found.get(packageKey(claimed));
    if (one === undefined || one.sha256 !== claimed.sha256 || one.size !== claimed.size)
      throw refusedArchive(
        part.system,
        phrase('reasons.archive.notListed', { package: packageKey(claimed) }),
        keyring,
      );
    return one;
  });
  return { packages, lists, date };
}
