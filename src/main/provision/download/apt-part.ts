/** The distribution's packages in a bundle: which ones a fresh node needs, and how a node installs from the bundle. */
import { RinglabError } from '../../../shared/base/errors.ts';
import { inEveryLanguage } from '../../../shared/base/phrase.ts';
import type { NodeFacts } from '../../../shared/node/provision.ts';
import { codeOf, lastWords } from '../node/node-shell.ts';
import { inWords, uploadWords, type PlannedChange } from '../node/planned-change.ts';
import type { StepContext } from '../engine/step.ts';
import { aptTimeouts } from './apt-call.ts';
import {
  askScript,
  folderOnNode,
  nodeRepository,
  rootCopy,
  type NodeRepository,
  type RootCopy,
} from './node-repository.ts';
import { provenPart } from '../bundle/proof.ts';
import type { AptClosure, AptPart } from '../bundle/index-file.ts';
import type { BundleStore } from '../bundle/contract.ts';
import { phrase } from '../../i18n/index.ts';

export const systemOf = ({ system }: NodeFacts): string => `${system.id} ${system.version}`;

export const partFor = (parts: readonly AptPart[], facts: NodeFacts): AptPart | undefined =>
  parts.find(({ system, arch }) => system === systemOf(facts) && arch === facts.arch);

const maxLists = 60;
const maxPackages = 5000;

/**
 * Asks apt what a node without installed packages would download, with separate lists: reads only the node's sources,
 * changes nothing, does not need root.
 * @param pick shell text that sets `packages`, using a function `cache`
 */
const closureScript = (pick: string): string => `
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/lists/partial" "$work/archives/partial"
: > "$work/status"
own="-o Dir::State::lists=$work/lists -o Dir::State::status=$work/status -o Dir::Cache=$work -o Dir::Cache::archives=$work/archives -o Debug::NoLocking=1 -o APT::Sandbox::User=root ${aptTimeouts}"
get() { env LC_ALL=C apt-get $own "$@"; }
cache() { env LC_ALL=C apt-cache $own "$@"; }
get -q update >&2 || exit 1
${pick}
[ -n "$packages" ] || exit 100
get indextargets --format 'list $(REPO_URI) $(RELEASE) $(METAKEY)' 'Created-By: Packages'
get install -s --no-install-recommends $packages | sed -n 's/^Inst \\([^ :]*\\)[^ ]* (\\([^ ]*\\) .*/package \\1 \\2/p'
`;

/** Parses the output of `closureScript`; undefined where a line is invalid. */
export function parseClosure(output: string): AptClosure | undefined {
  const lists: { uri: string; suite: string; path: string }[] = [];
  const packages: { name: string; version: string }[] = [];
  for (const line of output.split('\n')) {
    if (line === '') continue;
    const list =
      /^list ([a-z+]{1,20}:[\x21-\x7e]{1,500}) ((?:\.?\/|[A-Za-z0-9][A-Za-z0-9._/-]{0,99})?) ([A-Za-z0-9][A-Za-z0-9._/-]{0,199})$/.exec(
        line,
      );
    const one = /^package ([a-z0-9][a-z0-9+.-]{1,199}) ([A-Za-z0-9][A-Za-z0-9.+~:-]{0,199})$/.exec(line);
    if (list !== null) {
      const [, uri = '', suite = '', path = ''] = list;
      if (`${suite}/${path}`.includes('..')) return undefined;
      if (!lists.some((known) => known.uri === uri && known.suite === suite && known.path === path))
        lists.push({ uri, suite, path });
    } else if (one !== null) packages.push({ name: one[1] ?? '', version: one[2] ?? '' });
    else return undefined;
    if (lists.length > maxLists || packages.length > maxPackages) return undefined;
  }
  return { lists, packages };
}

/** Throws command_failed, or an error like node_offline where the node has no internet. */
export async function aptClosure(context: StepContext, pick: string): Promise<AptClosure> {
  const result = await context.shell.exec(closureScript(pick), {
    label: phrase('nodeCommands.aptClosure'),
    quiet: true,
    online: true,
    timeoutMs: 15 * 60_000,
    maxOutputBytes: 4 * 1024 * 1024,
  });
  const closure = result.code === 0 ? parseClosure(result.stdout) : undefined;
  if (closure !== undefined && closure.lists.length > 0 && closure.packages.length > 0) return closure;
  throw new RinglabError(
    'command_failed',
    { command: 'apt-get install -s', code: codeOf(result) },
    { detail: result.code === 0 ? lastWords(result) : lastWords({ ...result, stdout: '' }) },
  );
}

export interface PreparedPackages {
  readonly store: BundleStore;
  readonly part: AptPart;
  readonly repository: NodeRepository;
  /** On the node, in the account's own folder. */
  readonly folder: string;
  readonly root: RootCopy;
  /** Turns the folder into a repository, and prints the packages missing in it. */
  readonly ask: string;
  /** The changes of `sendPackages`, all in the app's own folder. */
  readonly changes: readonly PlannedChange[];
}

/** Verifies the bundle's lists; sends nothing. */
export async function preparePackages(
  { home }: NodeFacts,
  store: BundleStore,
  part: AptPart,
  pick: string,
): Promise<PreparedPackages> {
  const { packages, date } = await provenPart(store, part);
  const repository = await nodeRepository(packages, date);
  const { path: folder, word } = folderOnNode(home, repository);
  const ask = askScript(word, repository, pick);
  const changes: readonly PlannedChange[] = [
    {
      what: phrase('changes.bundle.lists'),
      command: inEveryLanguage((language) =>
        ['Packages', 'InRelease'].map((name) => uploadWords(name, `${folder}/${name}`)[language]).join('\n'),
      ),
    },
    {
      what: phrase('changes.bundle.missing'),
      command: ask,
    },
    inWords(phrase('changes.bundle.packages', { count: part.packages.length, folder })),
  ];
  return { store, part, repository, folder, root: rootCopy(word, repository), ask, changes };
}

/** @returns the bytes sent */
export async function sendPackages(
  { shell, status }: StepContext,
  { store, part, repository, folder, ask }: PreparedPackages,
): Promise<number> {
  const { list, release } = repository;
  for (const [name, text] of Object.entries({ Packages: list, InRelease: release }))
    await shell.upload({ bytes: Buffer.from(text) }, `${folder}/${name}`, { quiet: true });
  const output = await shell.run(ask, {
    label: phrase('nodeCommands.aptMissing'),
    timeoutMs: 5 * 60_000,
  });
  const missing = output.split('\n').filter((line) => /^[0-9a-f]{64}$/.test(line));
  const sizes = new Map(part.packages.map(({ sha256, size }) => [sha256, size]));
  const total = missing.reduce((sum, sha256) => sum + (sizes.get(sha256) ?? 0), 0);
  status.log.add(
    phrase('stepLog.missingPackages', {
      missing: missing.length,
      count: part.packages.length,
      bytes: total,
    }),
  );
  let [done, sent] = [0, 0];
  for (const sha256 of missing) {
    const one = await shell.upload({ path: store.path(sha256) }, `${folder}/${sha256}.deb`, { quiet: true });
    sent += one.sent;
    done += sizes.get(sha256) ?? 0;
    status.progress(done, total, 'bytes');
  }
  return sent;
}
