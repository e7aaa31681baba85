/** Data source `shapes`: images that the trainer generates on the node. */
import { dataFolder } from '../../base/node-layout.ts';
import { RinglabError } from '../../../shared/base/errors.ts';
import { shellQuote } from '../../ssh/index.ts';
import { freeBytes, needBytes, isDiskFullMessage } from '../../transfer/index.ts';
import { lastWords, codeOf } from '../node/node-shell.ts';
import { ifForeseen, inWords, type PlannedChange } from '../node/planned-change.ts';
import { libtorchAssignments } from '../node/libtorch.ts';
import { known, type StepContext } from '../engine/step.ts';
import { countScript } from './data-folder.ts';
import type { DataStrategy, SourceOf } from './strategy.ts';
import { phrase } from '../../i18n/index.ts';

type Shapes = SourceOf<'shapes'>;

const shapesFolder = (home: string, data: Shapes): string =>
  dataFolder(home, `shapes-${data.size}-${data.train}-${data.validation}-${data.seed}`);

/** Bytes on disk: a JPEG of this size, at least one block for each file. */
const shapesBytes = (data: Shapes): number =>
  (data.train + data.validation) * Math.max(4096, Math.ceil((data.size * data.size * 0.8) / 4096) * 4096);

const options = (data: Shapes): string =>
  `--train ${data.train} --val ${data.validation} --size ${data.size} --seed ${data.seed}`;

/** Reads the trainer's completion mark. */
function shapesQuestion(home: string, data: Shapes): string {
  const folder = shellQuote(shapesFolder(home, data));
  return `[ -d ${folder}/train ] && [ -d ${folder}/val ] && cat ${folder}/.ringlab-shapes 2>/dev/null`;
}

/** Whether the trainer's mark confirms a complete folder of these settings. */
async function hasShapes(context: StepContext, data: Shapes): Promise<boolean> {
  const { stdout } = await context.shell.ask(shapesQuestion(known(context.work, 'facts').home, data), {
    label: phrase('nodeCommands.lookFor', { path: shapesFolder('~', data) }),
    quiet: true,
  });
  const mark = new Set(stdout.split('\n'));
  return [`train ${data.train}`, `val ${data.validation}`, `size ${data.size}`, `seed ${data.seed}`].every(
    (line) => mark.has(line),
  );
}

function drawCommand({ work, redo }: StepContext, data: Shapes, trainer: string): string {
  const folder = shapesFolder(known(work, 'facts').home, data);
  const remove = redo ? `rm -rf ${shellQuote(folder)} && ` : '';
  return `${remove}mkdir -p ${shellQuote(folder.slice(0, folder.lastIndexOf('/')))} && ${libtorchAssignments(work.libtorch)}${shellQuote(trainer)} make-shapes ${shellQuote(folder)} ${options(data)}`;
}

/** In a dry run the trainer's path may not be known yet. */
function drawing(context: StepContext, data: Shapes): PlannedChange {
  const what = phrase('changes.data.draw');
  const { work } = context;
  const folder = shapesFolder(known(work, 'facts').home, data);
  return work.trainer === undefined
    ? inWords(phrase('changes.data.drawLater', { what, folder }))
    : { what: ifForeseen(work, what), command: drawCommand(context, data, work.trainer) };
}

/** Throws node_disk_full, command_failed. An incomplete folder never has the final name: the trainer renames it. */
async function makeShapes(context: StepContext, data: Shapes): Promise<void> {
  const { shell, work } = context;
  const folder = shapesFolder(known(work, 'facts').home, data);
  await needBytes(shell, folder, shapesBytes(data));
  const command = drawCommand(context, data, known(work, 'trainer'));
  const result = await shell.exec(command, { timeoutMs: 6 * 3_600_000 });
  if (result.code === 0) return;
  const detail = lastWords(result);
  if (isDiskFullMessage(detail)) {
    const free = await freeBytes(shell, folder);
    throw new RinglabError('node_disk_full', { path: folder, needed: shapesBytes(data), free }, { detail });
  }
  throw new RinglabError('command_failed', { command: 'make-shapes', code: codeOf(result) }, { detail });
}

export const shapesStrategy: DataStrategy<'shapes'> = {
  foresee({ work }, data) {
    const { home } = known(work, 'facts');
    return [shapesQuestion(home, data), countScript(shapesFolder(home, data))];
  },
  find: async (context, data) =>
    (await hasShapes(context, data)) ? shapesFolder(known(context.work, 'facts').home, data) : undefined,
  folder: ({ work }, data) => Promise.resolve(shapesFolder(known(work, 'facts').home, data)),
  bring: {
    plan: (context, data) => Promise.resolve([drawing(context, data)]),
    apply: makeShapes,
  },
};
