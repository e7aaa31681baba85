/** What each kind of data source answers: where its folder is on the node, whether it is there, and how it comes there. */
import type { DataSource } from '../../../shared/lab/lab.ts';
import type { Foreseeing, StepContext } from '../engine/step.ts';
import type { PlannedChange } from '../node/planned-change.ts';
import type { Question } from '../node/questions.ts';

export type SourceKind = DataSource['type'];
export type SourceOf<K extends SourceKind> = Extract<DataSource, { type: K }>;

/** `shapes` and uploads are keyed by what is in them, so that a changed experiment finds or makes a folder of its own. */
export interface DataStrategy<K extends SourceKind> {
  /** What `find` and the count of classes will ask, where nothing but the node is asked; absent where this computer looks first. */
  foresee?(context: Foreseeing, data: SourceOf<K>): readonly Question[];
  /** The folder on the node where all of it is there; undefined where it must be brought. Changes nothing. */
  find(context: StepContext, data: SourceOf<K>): Promise<string | undefined>;
  /** Where the folder is once it was brought. */
  folder(context: StepContext, data: SourceOf<K>): Promise<string>;
  /** How it comes there; absent where a user puts it there. */
  readonly bring?: Bringing<K>;
}

interface Bringing<K extends SourceKind> {
  /** What `apply` would do. */
  plan(context: StepContext, data: SourceOf<K>): Promise<readonly PlannedChange[]>;
  apply(context: StepContext, data: SourceOf<K>): Promise<void>;
}

export type DataStrategies = { readonly [K in SourceKind]: DataStrategy<K> };

/** A source with the strategy of its kind. */
export function strategyOf(strategies: DataStrategies, data: DataSource): DataStrategy<SourceKind> {
  // A strategy is stored under the kind of the data that it takes; TypeScript cannot see that `data` is of this kind.
  return strategies[data.type] as DataStrategy<SourceKind>;
}
