/**
 * The step that provides the data set: generated (`shapes`), already there (`folder`), sent (`upload`), or downloaded
 * (`url`, `s3`).
 */
import type { Phrase } from '../../../shared/base/phrase.ts';
import { checkData } from '../../../shared/lab/data-check.ts';
import { labError } from '../../../shared/lab/issue-texts.ts';
import type { DataSource } from '../../../shared/lab/lab.ts';
import type { Step, StepContext } from '../engine/step.ts';
import { checkDataFolder } from './data-folder.ts';
import { givenFolder } from './given-folder.ts';
import { shapesStrategy } from './data-shapes.ts';
import { urlStrategy } from './data-url.ts';
import { strategyOf, type DataStrategies, type DataStrategy } from './strategy.ts';
import { phrase } from '../../i18n/index.ts';

const describe = (path: string, classes: number): Phrase =>
  phrase('summaries.classes', { path, count: classes });

async function accept(context: StepContext, path: string): Promise<Phrase> {
  const classes = await checkDataFolder(context.shell, path);
  context.work.data = path;
  return describe(path, classes);
}

/**
 * What the lab names, once it is whole: its addresses and its hash stand in paths and commands. A node is also prepared without a
 * check of the lab before.
 */
function sourceOf({ lab }: Pick<StepContext, 'lab'>): DataSource {
  const { data } = lab.experiment;
  const [first, ...others] = checkData(data);
  if (first !== undefined) throw labError(first, undefined, others.length + 1);
  return data;
}

/** @param upload and s3 cache what they have read, for all nodes */
export function createDataStep(upload: DataStrategy<'upload'>, s3: DataStrategy<'s3'>): Step {
  const strategies: DataStrategies = {
    shapes: shapesStrategy,
    folder: givenFolder,
    upload,
    url: urlStrategy,
    s3,
  };
  return {
    id: 'data',
    foresee(context) {
      const { data } = context.lab.experiment;
      // The step itself says what is wrong.
      const isWhole = checkData(data).length === 0;
      return Promise.resolve((isWhole && strategyOf(strategies, data).foresee?.(context, data)) || []);
    },
    async check(context) {
      const data = sourceOf(context);
      const strategy = strategyOf(strategies, data);
      if (context.redo && strategy.bring !== undefined) return undefined;
      const folder = await strategy.find(context, data);
      return folder === undefined ? undefined : accept(context, folder);
    },
    async plan(context) {
      const data = sourceOf(context);
      return (await strategyOf(strategies, data).bring?.plan(context, data)) ?? [];
    },
    async apply(context) {
      const data = sourceOf(context);
      await strategyOf(strategies, data).bring?.apply(context, data);
    },
    async verify(context) {
      const data = sourceOf(context);
      return accept(context, await strategyOf(strategies, data).folder(context, data));
    },
  };
}
