/**
 * Classifies an image with a checkpoint on the node that saved it: sends the image, runs the trainer's `classify`, removes
 * the image.
 */
import { createHash } from 'node:crypto';
import * as z from 'zod';
import type { CheckpointFile, ClassifiedImage } from '../../../shared/run/checkpoint.ts';
import { RinglabError } from '../../../shared/base/errors.ts';
import { imageSizeOf } from '../../../shared/lab/lab.ts';
import type { RunRecord } from '../../../shared/run/run.ts';
import { shellQuote } from '../../ssh/index.ts';
import type { RunServices } from '../record/services.ts';
import { checkpointWriter } from './checkpoint-writer.ts';
import { isImage } from './image-kind.ts';
import { trainerOf } from './run-trainer.ts';
import { exitWords } from '../../i18n/index.ts';
import type { Phrase } from '../../../shared/base/phrase.ts';

/** The output of `ringlab-train classify` (native/PROTOCOL.md). */
const Said = z.union([
  z.object({
    kind: z.literal('classified'),
    error: z.object({ code: z.string(), message: z.string(), path: z.string().optional() }),
  }),
  z.object({
    kind: z.literal('classified'),
    arch: z.string(),
    epoch: z.number().int(),
    image_size: z.number().int(),
    seconds: z.number(),
    classes: z
      .array(z.object({ index: z.number().int(), name: z.string().optional(), probability: z.number() }))
      .min(1),
  }),
]);

export interface ImageFile {
  /** The file's name for the user. */
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** Exit codes of the script below, beside the trainer's own. */
const noCheckpoint = 90;
const noTrainer = 91;
const shown = 5;
/** Few threads, since it runs beside a training. */
const threads = 2;
const timeoutMs = 120_000;

/** Rejects with `image_unreadable`, `checkpoint_gone`, `classify_failed`, or a connection error. */
export async function classifyImage(
  { reach, store }: Pick<RunServices, 'reach' | 'store'>,
  run: RunRecord,
  file: CheckpointFile,
  image: ImageFile,
  signal?: AbortSignal,
): Promise<ClassifiedImage> {
  const writer = await checkpointWriter(store, run, file);
  if (writer === undefined || writer.directory === '')
    throw new RinglabError('nothing_to_export', { artifact: file }, { where: run.name });
  const where = writer.nodeName;
  const { name, bytes } = image;
  // Nothing else is sent.
  if (!isImage(bytes)) throw new RinglabError('image_kind', { name });
  const trainer = trainerOf(writer);

  const session = await reach.session(run.lab, writer.nodeId, signal);
  const checkpoint = `${writer.directory}/${file}`;
  const folder = writer.directory.replace(/\/rank-\d+$/, '/images');
  const path = `${folder}/${createHash('sha256').update(bytes).digest('hex').slice(0, 24)}`;
  const there = await session.exec(
    `[ -s ${shellQuote(checkpoint)} ] || exit ${noCheckpoint}
[ -x ${shellQuote(trainer.path)} ] || exit ${noTrainer}
mkdir -p ${shellQuote(folder)}`,
    { signal },
  );
  if (there.code === noCheckpoint) throw new RinglabError('checkpoint_gone', { file }, { where });
  const failed = (reason: string | Phrase, detail: string): RinglabError =>
    new RinglabError('classify_failed', { reason }, { where, detail });
  if (there.code === noTrainer) throw new RinglabError('trainer_gone', {}, { where, detail: trainer.path });
  if (there.code !== 0) throw failed(lastLine(there.stderr) ?? folder, there.stderr);
  await session.upload({ bytes }, path, { signal });

  const size = String(imageSizeOf(run.lab.experiment.data));
  const command = ['classify', checkpoint, path, '--top', String(shown)];
  const options = ['--threads', String(threads), '--image-size', size];
  const result = await session.exec(
    `${trainer.command([...command, ...options])}
code=$?
rm -f ${shellQuote(path)}
exit $code`,
    { signal, timeoutMs },
  );
  const answer = parseAnswer(result.stdout);
  if (answer === undefined) throw failed(lastLine(result.stderr) ?? exitWords(result.code), result.stderr);
  if ('error' in answer) {
    const { message, path: about } = answer.error;
    if (about === path)
      throw new RinglabError('image_unreadable', { name, reason: message.replace(`${path}: `, '') });
    throw failed(message, result.stderr);
  }
  return {
    architecture: answer.arch,
    epoch: answer.epoch,
    size: answer.image_size,
    node: where,
    seconds: answer.seconds,
    classes: answer.classes.map(({ index, name, probability }) => ({
      index,
      ...(name === undefined ? {} : { name }),
      probability,
    })),
  };
}

function parseAnswer(stdout: string): z.infer<typeof Said> | undefined {
  const line = lastLine(stdout);
  try {
    return Said.parse(JSON.parse(line ?? ''));
  } catch {
    return undefined; // An older trainer, or one that could not start: its standard error has the reason.
  }
}

const lastLine = (text: string): string | undefined => text.trimEnd().split('\n').findLast(Boolean);
