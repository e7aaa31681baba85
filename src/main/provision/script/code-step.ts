/**
 * The step that brings an own script's code to a node: what the node lacks comes from the repository, where the node
 * reaches it, and is else sent, into a folder that is named after the content. Python compiles the script before anything long is done, on the node that comes first.
 */
import { codeFolder } from '../../base/node-layout.ts';
import type { Phrase } from '../../../shared/base/phrase.ts';
import type { KeptCode } from '../../code/index.ts';
import { hasFolder, isIntact, sendFolder, verifyFolder } from '../../transfer/index.ts';
import { shellQuote } from '../../ssh/index.ts';
import { sendOptionsOf } from '../data/send-options.ts';
import { known, type Step, type StepContext } from '../engine/step.ts';
import { uploadWords } from '../node/planned-change.ts';
import { phrase } from '../../i18n/index.ts';
import type { NodeClones } from './clone-on-node.ts';
import { compileEarly } from './compile.ts';

/** Up to so many bytes the copy on the node is verified each time: a node may have changed it. */
const verifiedBytes = 64 * 1024 ** 2;

const codeOf = (context: StepContext): Promise<KeptCode> => {
  const { code, status, signal } = context;
  if (code === undefined) throw new Error('a preparation of an own script has its code');
  return code.take({
    signal,
    log: (line) => status.log.add(line),
    onProgress: ({ done, total }) => status.progress(done, total, 'bytes'),
  });
};

const targetOf = (context: StepContext, { manifest }: KeptCode): string =>
  codeFolder(known(context.work, 'facts').home, `${manifest.name}-${manifest.hash}`);

const summaryOf = ({ code }: KeptCode): Phrase =>
  phrase('summaries.code', {
    count: code.files,
    bytes: code.bytes,
    hash: code.commit === undefined ? code.hash : `${code.commit.slice(0, 8)} · ${code.hash}`,
  });

async function accept(context: StepContext, kept: KeptCode): Promise<Phrase> {
  const target = targetOf(context, kept);
  await context.code?.once(() => compileEarly(context, target));
  context.work.codeFolder = target;
  return summaryOf(kept);
}

/** @param clones of repositories on nodes that reach them; what they do not give is sent */
export const createCodeStep = (clones: NodeClones): Step => ({
  id: 'code',
  place: 'data',
  async check(context) {
    const kept = await codeOf(context);
    const target = targetOf(context, kept);
    const isThere =
      kept.manifest.bytes <= verifiedBytes || context.redo
        ? await isIntact(context.shell, target, context.signal)
        : await hasFolder(context.shell, target, context.signal);
    return isThere ? accept(context, kept) : undefined;
  },
  async plan(context) {
    const kept = await codeOf(context);
    const { root, files, bytes } = kept.manifest;
    context.work.codeFolder = targetOf(context, kept);
    const clone = clones.plan(context, kept);
    return [
      ...(clone === undefined ? [] : [clone]),
      {
        what: phrase('changes.code.send', { count: files.length, bytes }),
        command: uploadWords(root, context.work.codeFolder),
      },
    ];
  },
  async apply(context) {
    const kept = await codeOf(context);
    const target = targetOf(context, kept);
    // A damaged one is removed; it would not be replaced.
    await verifyFolder(context.shell, target, context.signal);
    const bring = (bytes: number): Promise<string | undefined> => clones.bring(context, kept, bytes);
    const options = { ...sendOptionsOf(context), bring };
    try {
      const { sent } = await sendFolder(context.shell.session, kept.manifest, target, options);
      context.status.log.add(phrase('stepLog.sent', { bytes: sent }));
    } finally {
      await clones.clear(context, kept);
    }
    // The original: each run works in a copy of its own.
    await context.shell.run(`find ${shellQuote(target)} -type f -exec chmod a-w {} +`);
  },
  async verify(context) {
    return accept(context, await codeOf(context));
  },
});
