/**
 * The interface of each kind of data source: where its folder is on the node, whether it exists, and how it is
 * provided.
 */
import type { DataSource } from '../../../shared/lab/lab.ts';
import type { Foreseeing, StepContext } from '../engine/step.ts';
import type { PlannedChange } from '../node/planned-change.ts';
import type { Question } from '../node/questions.ts';

export type SourceKind = DataSource['type'];
export type SourceOf<K extends SourceKind> = Extract<DataSource, { type: K }>;

/** Folders of `shapes` and uploads are named after their content, so that a changed experiment uses a separate folder. */
export interface DataStrategy<K extends SourceKind> {
  /**
   * The questions of `find` and of the class count, where only the node is asked; absent where this computer has to
   * look first.
   */
  foresee?(context: Foreseeing, data: SourceOf<K>): readonly Question[];
  /** The folder on the node if it is complete; undefined where it must be provided. Changes nothing. */
  find(context: StepContext, data: SourceOf<K>): Promise<string | undefined>;
  /** The folder after `bring`. */
  folder(context: StepContext, data: SourceOf<K>): Promise<string>;
  /** Provides the folder; absent where a user puts it there. */
  readonly bring?: Bringing<K>;
}

interface Bringing<K extends SourceKind> {
  /** What `apply` would do. */
  plan(context: StepContext, data: SourceOf<K>): Promise<readonly PlannedChange[]>;
  apply(context: StepContext, data: SourceOf<K>): Promise<void>;
}

export type DataStrategies = { readonly [K in SourceKind]: DataStrategy<K> };

/** The data source with the strategy of its kind. */
export function strategyOf(strategies: DataStrategies, data: DataSource): DataStrategy<SourceKind> {
  // A strategy is stored under its own kind; TypeScript cannot infer that `data` is of this kind.
  return strategies[data.type] as DataStrategy<SourceKind>;
}
