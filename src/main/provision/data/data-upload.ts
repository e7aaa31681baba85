/**
 * Data source `upload`: an ImageFolder or data files of this computer, sent to a folder on the node that is named
 * after its content.
 */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { dataFolder } from '../../base/node-layout.ts';
import { RinglabError, isCancelled } from '../../../shared/base/errors.ts';
import { isSplit, trainingNodes } from '../../../shared/lab/lab.ts';
import {
  hasFolder,
  partOf,
  readFolder,
  relayFolder,
  sendFolder,
  verifyFolder,
  type FolderManifest,
} from '../../transfer/index.ts';
import { candidateAddresses } from '../node/addresses.ts';
import { uploadWords } from '../node/planned-change.ts';
import { known, type StepContext } from '../engine/step.ts';
import { createOnce } from '../../base/once.ts';
import { expandHome } from '../node/home-path.ts';
import { withoutAppleDouble } from './apple-double.ts';
import { contentOf } from './class-folders.ts';
import { checkClasses, filesOfNode, images } from './data-parts.ts';
import { createFolderSwarm, type Holder } from './data-relay.ts';
import { fileSetFolders, fileSetOf } from './file-sets.ts';
import { sendOptionsOf } from './send-options.ts';
import type { DataStrategy, SourceOf } from './strategy.ts';
import { phrase } from '../../i18n/index.ts';
import { reasonOf } from '../../base/reason.ts';

/** How long a folder's hashes are believed by the next preparation. */
const believedMs = 10_000;

/** @param home the user's home folder, for a path that begins with `~` */
export function createDataUpload(home: string, now: () => number = Date.now): DataStrategy<'upload'> {
  // Read once for all nodes. A cancelled reader's failure is not shared.
  const once = createOnce<FolderManifest>((error) => !isCancelled(error));
  const swarm = createFolderSwarm(now);
  let last: { path: string; at: number; manifest: FolderManifest } | undefined;
  /**
   * What each preparation has read, by its signal, which all its nodes share: they are prepared a few at a time, and all get the same
   * files, also where one changes meanwhile.
   */
  const ofPreparations = new WeakMap<AbortSignal, Map<string, FolderManifest>>();

  const manifestOf = async (context: StepContext, written: string): Promise<FolderManifest> => {
    const path = expandHome(written, home);
    const own = ofPreparations.get(context.signal) ?? new Map<string, FolderManifest>();
    ofPreparations.set(context.signal, own);
    const manifest = own.get(path) ?? (await newest(context, path));
    // Another node's may have come first.
    const first = own.get(path) ?? manifest;
    own.set(path, first);
    return first;
  };
  const newest = (context: StepContext, path: string): Promise<FolderManifest> => {
    if (last?.path === path && now() - last.at < believedMs) return Promise.resolve(last.manifest);
    return once(path, async () => {
      context.status.log.add(phrase('stepLog.reading', { path }));
      const set = fileSetOf(await filesBelow(path));
      const read = await readFolder(path, {
        parts: set?.files ?? ['train', 'val'],
        only: images,
        signal: context.signal,
        onProgress: ({ done, total }) => context.status.progress(done, total, 'bytes'),
      });
      const manifest = await withoutAppleDouble(read, context.signal);
      if (set === undefined) {
        const { classes, others, first } = await contentOf(manifest.root, images, context.signal);
        const paths = manifest.files.map((file) => file.path);
        checkClasses(manifest.root, paths, classes);
        if (first !== undefined)
          context.status.log.add(phrase('stepLog.notSent', { count: others, path: first }));
      }
      last = { path, at: now(), manifest };
      return manifest;
    });
  };
  /** The files of this node. */
  const ofNode = async (context: StepContext, data: SourceOf<'upload'>): Promise<FolderManifest> => {
    const whole = await manifestOf(context, data.path.trim());
    if (!isSplit(data)) return whole;
    const set = fileSetOf(whole.files.map((file) => `./${file.path}`));
    if (set !== undefined)
      throw new RinglabError('data_not_divisible', { name: set.set.name }, { where: whole.root });
    return partOf(whole, filesOfNode(context.lab, context.node.id, whole.files));
  };
  const folderOf = (context: StepContext, manifest: FolderManifest): string =>
    dataFolder(known(context.work, 'facts').home, `${manifest.name}-${manifest.hash}`);

  return {
    async folder(context, data) {
      return folderOf(context, await ofNode(context, data));
    },
    async find(context, data) {
      const manifest = await ofNode(context, data);
      const target = folderOf(context, manifest);
      if (!(await hasFolder(context.shell, target, context.signal))) return undefined;
      if (sharesFolders(context)) swarm.offer(manifest.hash, holderOf(context, target));
      return target;
    },
    bring: {
      async plan(context, data) {
        const manifest = await ofNode(context, data);
        const { root, files, bytes } = manifest;
        const others = sharesFolders(context) && trainingNodes(context.lab).length > 1;
        const what = phrase('changes.data.send', { count: files.length, bytes });
        return [
          {
            what: others ? phrase('changes.data.sendShared', { what }) : what,
            command: uploadWords(root, folderOf(context, manifest)),
          },
        ];
      },
      async apply(context, data) {
        const { shell, signal, status } = context;
        const manifest = await ofNode(context, data);
        const target = folderOf(context, manifest);
        if (context.redo && (await verifyFolder(shell, target, signal))) return;
        const how = sendOptionsOf(context);
        const facts = known(context.work, 'facts');
        const holder = holderOf(context, target);
        const first = async (): Promise<Holder> => {
          const { files, bytes } = manifest;
          status.log.add(phrase('stepLog.sending', { count: files.length, bytes, target }));
          const { sent } = await sendFolder(shell.session, manifest, target, how);
          status.log.add(phrase('stepLog.sent', { bytes: sent }));
          return holder;
        };
        if (!sharesFolders(context)) {
          await first();
          return;
        }
        const passOn = async (from: Holder, began: () => void): Promise<Holder> => {
          status.log.add(phrase('stepLog.fromNode', { node: from.nodeName, target }));
          const giver = await from.connect();
          const addresses = candidateAddresses(from.facts, giver.target.host, [facts]);
          const same = from.facts.bootId === facts.bootId ? ['127.0.0.1'] : [];
          const way = { source: from.folder, target, addresses: [...same, ...addresses] };
          const { relayed } = await relayFolder(giver, shell.session, manifest, way, {
            ...how,
            onProgress(progress) {
              began();
              how.onProgress(progress);
            },
          });
          status.log.add(phrase('stepLog.received', { bytes: relayed }));
          return holder;
        };
        const onFallback = (error: unknown): void =>
          status.log.add(phrase('stepLog.fromNodeFailed', { problem: reasonOf(error) }));
        const order = trainingNodes(context.lab).map(({ id }) => id);
        await swarm.bring(manifest.hash, {
          nodeId: context.node.id,
          before: isSplit(data) ? [] : order.slice(0, order.indexOf(context.node.id)),
          first,
          passOn,
          signal,
          onFallback,
        });
      },
    },
  };
}

/**
 * Whether the node gets the folder from other nodes and passes it on. Local nodes share this computer's disk: no uplink to save.
 * What nodes pass on is not encrypted, and the tunnel of an encrypted lab is raised only when all nodes are ready.
 */
const sharesFolders = ({ lab, node }: StepContext): boolean =>
  node.access.type !== 'local' && lab.experiment.encrypt !== true;

const holderOf = (context: StepContext, folder: string): Holder => ({
  nodeId: context.node.id,
  nodeName: context.node.name,
  connect: context.connect,
  facts: known(context.work, 'facts'),
  folder,
});

/** The files in every folder where a data set of files may be. */
async function filesBelow(root: string): Promise<string[]> {
  const places = fileSetFolders.map(async (folder) => {
    const entries = await readdir(join(root, folder), { withFileTypes: true }).catch(() => []);
    return entries.filter((entry) => !entry.isDirectory()).map(({ name }) => `${folder}/${name}`);
  });
  return (await Promise.all(places)).flat();
}
