/**
 * Data source `s3`: each node downloads the objects of a bucket from signed addresses. The list is made here, once
 * for all nodes; the secret key stays here.
 */
import { dataFolder } from '../../base/node-layout.ts';
import { RinglabError, isCancelled } from '../../../shared/base/errors.ts';
import type { ExecResult, SshSession } from '../../ssh/index.ts';
import { lastWords, shellQuote } from '../../ssh/index.ts';
import {
  fetchObjects,
  hasFolder,
  hashText,
  partsOf,
  verifyFolder,
  type Bucket,
  type BucketObject,
  type RemoteObject,
} from '../../transfer/index.ts';
import type { BucketKeys } from './bucket-keys.ts';
import { withoutHidden } from '../node/hidden-mirrors.ts';
import { codeOf, type CommandOptions } from '../node/node-shell.ts';
import { inWords, type RunnableChange } from '../node/planned-change.ts';
import { known, type StepContext } from '../engine/step.ts';
import { createOnce } from '../../base/once.ts';
import { withoutBeside } from './apple-double.ts';
import { checkClasses, filesOfNode } from './data-parts.ts';
import { needSpace, unpackAgain, unpackArchive, unpacking } from './data-url.ts';
import { fileSetOf } from './file-sets.ts';
import { sendOptionsOf } from './send-options.ts';
import type { DataStrategy, SourceOf } from './strategy.ts';
import { phrase } from '../../i18n/index.ts';

export type S3Data = SourceOf<'s3'>;

/** A downloaded archive before it is unpacked. */
const packedIn = (target: string): string => `${target}.packed`;

/** The note that `sendFolder` writes, for data from an archive. */
const noting = (target: string): RunnableChange => ({
  what: phrase('changes.data.noteUnpacked'),
  command: `rm -rf ${shellQuote(packedIn(target))} && cd ${shellQuote(target)} && find . -type f ! -path './.ringlab-*' -print0 | xargs -0 sha256sum > .ringlab-new && mv .ringlab-new .ringlab-manifest`,
});

/** An object and its path below the data folder. */
interface Wanted {
  readonly path: string;
  readonly object: BucketObject;
}

interface Listing {
  readonly bucket: Bucket;
  readonly wanted: readonly Wanted[];
  /** Whether one object holds the whole data set. */
  readonly archive: boolean;
  /** Whether ETags are MD5 hashes, as they are except for multipart uploads. */
  readonly hashes: boolean;
}

/** How long a listing is cached: long enough for every node of one preparation. */
const believedMs = 60_000;
const archiveName = /\.(zip|tar|tgz|tbz2?|txz|tar\.(gz|bz2|xz|zst))$/i;

export function createDataS3(keys: BucketKeys, now: () => number = Date.now): DataStrategy<'s3'> {
  const once = createOnce<Listing>((error) => !isCancelled(error));
  let last: { key: string; at: number; listing: Listing } | undefined;

  const listingOf = (context: StepContext, data: S3Data): Promise<Listing> => {
    const key = JSON.stringify([data.endpoint, data.region, data.bucket, data.prefix, data.accessKeyId]);
    if (last?.key === key && now() - last.at < believedMs) return Promise.resolve(last.listing);
    return once(key, async () => {
      const { lab, node, signal, status } = context;
      status.log.add(phrase('stepLog.listing', { bucket: nameOf(data), endpoint: data.endpoint }));
      const asker = { labId: lab.id, nodeId: node.id, nodeName: node.name };
      const { bucket, found } = await keys.open(data, asker, signal, (one) => objectsOf(one, data, signal));
      const chosen = choose(withoutBeside(found), data);
      const [first] = chosen.wanted;
      const hashes = first !== undefined && !(await bucket.hidesHash(first.object.key, signal));
      const listing = { bucket, hashes, ...chosen };
      last = { key, at: now(), listing };
      return listing;
    });
  };

  /** The files of this node. */
  const ofNode = async (
    context: StepContext,
    data: S3Data,
  ): Promise<{ listing: Listing; wanted: readonly Wanted[]; target: string; hash: string }> => {
    const listing = await listingOf(context, data);
    const whole = listing.archive || data.split !== true;
    const wanted = whole ? listing.wanted : filesOfNode(context.lab, context.node.id, listing.wanted);
    const lines = wanted.map(({ path, object }) => `${object.etag} ${object.size} ${path}\n`).join('');
    const hash = hashText(`${data.endpoint} ${data.bucket}\n${lines}`).slice(0, 16);
    const target = dataFolder(known(context.work, 'facts').home, `s3-${data.bucket}-${hash}`);
    return { listing, wanted, target, hash };
  };

  return {
    folder: async (context, data) => (await ofNode(context, data)).target,
    async find(context, data) {
      const { target } = await ofNode(context, data);
      return (await hasFolder(context.shell, target, context.signal)) ? target : undefined;
    },
    bring: {
      async plan(context, data) {
        const { listing, wanted, target, hash } = await ofNode(context, data);
        const [archive] = wanted;
        const packed = listing.archive && archive !== undefined;
        const bytes = wanted.reduce((sum, { object }) => sum + object.size, 0);
        return [
          inWords(
            phrase('changes.data.objects', {
              count: wanted.length,
              bucket: nameOf(data),
              bytes,
              folder: packed ? packedIn(target) : target,
            }),
          ),
          ...(packed ? [unpacking(`${packedIn(target)}/${archive.path}`, target, hash), noting(target)] : []),
        ];
      },
      async apply(context, data) {
        const { signal, status } = context;
        const { listing, wanted, target, hash } = await ofNode(context, data);
        const node = throughShell(context);
        if (context.redo && (await verifyFolder(node, target, signal))) return;
        await unpackAgain(context, target);
        const objects = wanted.map(({ path, object }): RemoteObject => {
          const md5 = listing.hashes && /^[0-9a-f]{32}$/.test(object.etag) ? object.etag : undefined;
          const address = (): Promise<string> => listing.bucket.addressOf(object.key);
          return { path, size: object.size, md5, address };
        });
        const how = sendOptionsOf(context);
        const bySize = objects.filter(({ md5 }) => md5 === undefined).length;
        if (bySize > 0) status.log.add(phrase('stepLog.bySize', { count: bySize, all: objects.length }));
        const [archive] = wanted;
        if (archive !== undefined) {
          // Only the host of the signed address is shown: the rest is secret.
          const { origin } = new URL(await listing.bucket.addressOf(archive.object.key));
          await withoutHidden(context.shell, [origin], (line) => status.log.add(line));
        }
        if (!listing.archive || archive === undefined) {
          await fetchObjects(node, objects, target, how, nameOf(data));
          return;
        }
        const packed = packedIn(target);
        const path = `${packed}/${archive.path}`;
        const parts = partsOf(packed, how.who, archive.path);
        const { size } = archive.object;
        if (!(await needSpace(context, { archive: path, folder: target, sha256: hash, size, parts }))) {
          // Else an earlier attempt got as far as unpacking it.
          if (!(await verifyFolder(node, packed, signal)))
            await fetchObjects(node, objects, packed, how, nameOf(data));
          await unpackArchive(context, path, archive.path, target, hash);
        }
        await context.shell.run(noting(target).command, {
          label: phrase('nodeCommands.noteUnpacked'),
          timeoutMs: 6 * 3_600_000,
        });
      },
    },
  };
}

const nameOf = ({ bucket, prefix }: S3Data): string => `s3://${bucket}/${prefix.replace(/^\/+/, '')}`;

/** The step's log shows commands of the transfer by a label, without their secret input. */
function throughShell({ shell }: StepContext): Pick<SshSession, 'exec' | 'run'> {
  const exec = (script: string, options: CommandOptions = {}): Promise<ExecResult> => {
    const { stdin, timeoutMs, maxOutputBytes, onOutput } = options;
    return shell.exec(script, {
      label: phrase(`nodeCommands.${stdin === undefined ? 'listObjects' : 'nextObjects'}`),
      quiet: true,
      ...(stdin === undefined ? {} : { stdin }),
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
      ...(maxOutputBytes === undefined ? {} : { maxOutputBytes }),
      ...(onOutput === undefined ? {} : { onOutput }),
    });
  };
  return {
    exec,
    async run(script, options) {
      const result = await exec(script, options);
      if (result.code === 0) return result.stdout;
      const command = phrase('nodeCommands.listObjects');
      throw new RinglabError(
        'command_failed',
        { command, code: codeOf(result) },
        { detail: lastWords(result) },
      );
    },
  };
}

/** The objects below the prefix as a folder, or else the object with that name. */
async function objectsOf(bucket: Bucket, data: S3Data, signal: AbortSignal): Promise<Wanted[]> {
  const prefix = data.prefix.replace(/^\/+|\/+$/g, '');
  const below = prefix === '' ? '' : `${prefix}/`;
  const folder = await bucket.list(below, signal);
  const files = folder.filter(({ key }) => !key.endsWith('/'));
  if (files.length > 0 || prefix === '')
    return files.map((object) => ({ path: object.key.slice(below.length), object }));
  const named = (await bucket.list(prefix, signal)).filter(({ key }) => key === prefix);
  return named.map((object) => ({ path: prefix.slice(prefix.lastIndexOf('/') + 1), object }));
}

/** Refuses names that are unsafe as lines for a node or as paths there. */
function refuseOdd(wanted: readonly Wanted[], data: S3Data): void {
  const odd = wanted.find(({ path }) => /[\t\r\n]|(^|\/)\.\.?(\/|$)|\/\/|\/$/.test(path));
  if (odd === undefined) return;
  const reason = phrase('reasons.bucket.path', { key: odd.object.key });
  const { bucket, endpoint } = data;
  throw new RinglabError('bucket_refused', { bucket, endpoint, reason }, { where: nameOf(data) });
}

/** Selects from all objects: an ImageFolder's `train/` and `val/`, a data set stored as files, or one archive. */
function choose(found: readonly Wanted[], data: S3Data): { wanted: readonly Wanted[]; archive: boolean } {
  const root = nameOf(data);
  const [only] = found;
  if (found.length === 1 && only !== undefined && archiveName.test(only.path)) {
    if (data.split === true)
      throw new RinglabError('data_not_divisible', { name: only.path }, { where: root });
    refuseOdd(found, data);
    return { wanted: found, archive: true };
  }
  const set = fileSetOf(found.map(({ path }) => (path.includes('/') ? path : `./${path}`)));
  if (set !== undefined) {
    if (data.split === true)
      throw new RinglabError('data_not_divisible', { name: set.set.name }, { where: root });
    const files = new Set(set.files.map((path) => path.replace(/^\.\//, '')));
    return { wanted: found.filter(({ path }) => files.has(path)), archive: false };
  }
  // A single top-level folder is stripped.
  const tops = new Set(found.map(({ path }) => path.split('/')[0] ?? ''));
  const [top = ''] = tops;
  if (
    tops.size === 1 &&
    top !== 'train' &&
    top !== 'val' &&
    found.some(({ path }) => path.startsWith(`${top}/train/`))
  )
    return choose(
      found.map(({ path, object }) => ({ path: path.slice(top.length + 1), object })),
      data,
    );
  const wanted = found.filter(({ path }) => /^(train|val)\//.test(path));
  if (wanted.length === 0) throw new RinglabError('data_missing', { path: root }, { where: root });
  refuseOdd(wanted, data);
  checkClasses(
    root,
    wanted.map(({ path }) => path),
  );
  return { wanted, archive: false };
}
