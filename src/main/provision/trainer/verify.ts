/**
 * The verify step: runs the trainer's `verify` (memory, a convolution, and an all-reduce of one rank on each device
 * that ranks will use). Success is recorded beside the trainer, and repeated only when the trainer, libtorch, the
 * driver, the kernel or the GPUs have changed.
 */
import * as z from 'zod';
import { plain } from '../../../shared/base/phrase.ts';
import { RinglabError } from '../../../shared/base/errors.ts';
import { counted } from '../../../shared/node/hardware.ts';
import { shellQuote, type ExecResult } from '../../ssh/index.ts';
import { hashText } from '../../transfer/index.ts';
import { lastWords, codeOf } from '../node/node-shell.ts';
import { ifForeseen, inWords } from '../node/planned-change.ts';
import { libtorchAssignments, wantsGpu } from '../node/libtorch.ts';
import { known, type Foreseeing, type Step, type StepContext } from '../engine/step.ts';
import { phrase } from '../../i18n/index.ts';

/** The one line of `ringlab-train verify`; PROTOCOL.md. */
const Verified = z.object({
  kind: z.literal('verify'),
  ok: z.boolean(),
  backend: z.string(),
  seconds: z.number(),
  devices: z
    .array(
      z.object({
        device: z.string(),
        ok: z.boolean(),
        name: z.string().optional(),
        failed: z.string().optional(),
        error: z.string().optional(),
      }),
    )
    .min(1),
});
type Verified = z.infer<typeof Verified>;

/** Time-out: a first use of a GPU may compile kernels; NCCL may wait for a network for ever. */
const limitSeconds = 180;

/** GPUs that ranks will use; 0 for the CPU. */
function gpusUsed({ work, node, lab }: Foreseeing): number {
  const facts = known(work, 'facts');
  return work.libtorch?.cuda !== undefined && wantsGpu(node, facts, lab.experiment.backend)
    ? facts.gpus.length
    : 0;
}

/** The state on which the verification depends. The trainer's content is recorded separately. */
function circumstances(context: Foreseeing): string {
  const { kernel, driver, gpus } = known(context.work, 'facts');
  const { version, cuda, prefix } = context.work.libtorch ?? {};
  const used = gpusUsed(context);
  const cards = gpus.slice(0, used).map(({ name, pciId }) => [name, pciId ?? '']);
  return hashText(JSON.stringify([kernel, driver, cards, version, cuda, prefix])).slice(0, 24);
}

/** The record, where it is about this trainer in this state. */
function question(context: Foreseeing, trainer: string): string {
  const file = shellQuote(trainer);
  return `[ "$(cut -d ' ' -f 1,2 ${file}.verified 2>/dev/null)" = "$(cat ${file}.sha256) ${circumstances(context)}" ] && cut -d ' ' -f 3- ${file}.verified`;
}

const commandOf = (context: StepContext, trainer: string): string =>
  `${libtorchAssignments(context.work.libtorch)}timeout -k 5 ${limitSeconds} ${shellQuote(trainer)} verify --gpus ${gpusUsed(context)}`;

export const verifyStep: Step = {
  id: 'verify',
  foresee: (context) =>
    Promise.resolve(
      context.work.trainer === undefined ? undefined : [question(context, context.work.trainer)],
    ),
  async check(context) {
    const { trainer } = context.work;
    // In a dry run on a node without a trainer.
    if (trainer === undefined || context.redo) return undefined;
    const { stdout } = await context.shell.ask(question(context, trainer), {
      label: phrase('nodeCommands.lookAt', { path: `${trainer}.verified` }),
      quiet: true,
    });
    const summary = stdout.trim();
    context.work.backend = backendIn(summary);
    return summary === '' ? undefined : plain(summary);
  },
  plan(context) {
    const { trainer } = context.work;
    const what = phrase('changes.trainer.try');
    const note = inWords(phrase('changes.trainer.noteTried'));
    return Promise.resolve([
      trainer === undefined
        ? inWords(what)
        : { what: ifForeseen(context.work, what), command: commandOf(context, trainer) },
      note,
    ]);
  },
  // This step only verifies: it changes nothing but the record.
  apply: () => Promise.resolve(),
  async verify(context) {
    const trainer = known(context.work, 'trainer');
    const verified = await verifyOn(context, trainer);
    const summary = summaryOf(verified);
    context.work.backend = backendIn(summary);
    const file = shellQuote(trainer);
    // Another lab may verify the same node: each writes a file of its own.
    await context.shell.run(
      `printf '%s %s %s\\n' "$(cat ${file}.sha256)" ${circumstances(context)} ${shellQuote(summary)} > ${file}.verified.$$ && mv ${file}.verified.$$ ${file}.verified`,
      { label: phrase('nodeCommands.write', { path: `${trainer}.verified` }) },
    );
    return plain(summary);
  },
};

/** Throws verification_failed with libtorch's output in `detail`, for the doctor. */
async function verifyOn(context: StepContext, trainer: string): Promise<Verified> {
  const result = await context.shell.exec(commandOf(context, trainer), {
    timeoutMs: (limitSeconds + 30) * 1000,
  });
  const verified = Verified.safeParse(jsonIn(result.stdout));
  if (!verified.success) {
    const ended = describeEnd(result);
    throw new RinglabError(
      'verification_failed',
      { device: gpusUsed(context) > 0 ? 'cuda' : 'cpu', check: 'start' },
      { detail: `${lastWords(result)}\n${ended}`.trim() },
    );
  }
  const failed = verified.data.devices.find(({ ok }) => !ok);
  if (failed === undefined && verified.data.ok) return verified.data;
  throw new RinglabError(
    'verification_failed',
    { device: failed?.device ?? '?', check: failed?.failed ?? '?' },
    { detail: [failed?.error ?? '', result.stderr.trim()].join('\n').trim() },
  );
}

/** A shell reports 128 plus the signal's number. */
const describeEnd = (result: ExecResult): string =>
  result.code === 132
    ? 'Illegal instruction'
    : result.code === 124
      ? `timeout ${limitSeconds} s`
      : `exit ${codeOf(result)}`;

/** Libraries may print before the JSON. */
function jsonIn(text: string): unknown {
  const line = text.split('\n').findLast((one) => one.startsWith('{'));
  try {
    return line === undefined ? undefined : JSON.parse(line);
  } catch {
    return undefined;
  }
}

const backendIn = (summary: string): 'gloo' | 'nccl' | undefined =>
  / · nccl · /.test(summary) ? 'nccl' : / · gloo · /.test(summary) ? 'gloo' : undefined;

/** `2 × NVIDIA H200 · nccl · 3.1 s`, and `NVIDIA H200 · …` of a single one */
function summaryOf({ devices, backend, seconds }: Verified): string {
  const names = devices.map(({ name, device }) => name ?? device);
  const all = names.length === 1 ? (names[0] ?? '') : counted(names).join(', ');
  return `${all} · ${backend} · ${seconds.toFixed(1)} s`;
}
