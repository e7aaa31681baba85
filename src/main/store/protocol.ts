/** Messages between main's thread and the store's worker. Both are of the same build, so types suffice. */
import type { WireError } from '../../shared/base/errors.ts';
import type { Engine } from './engine.ts';

/** The engine's methods that can be called from main. */
type Operations = Pick<
  Engine,
  | 'listRuns'
  | 'problems'
  | 'getRun'
  | 'saveRun'
  | 'deleteRun'
  | 'append'
  | 'offset'
  | 'lastSeq'
  | 'restart'
  | 'series'
  | 'catalogue'
  | 'lines'
  | 'countPoints'
  | 'page'
  | 'getSetting'
  | 'setSetting'
  | 'close'
>;
export type OperationName = keyof Operations;
export type OperationArgs<N extends OperationName> = Parameters<Operations[N]>;
export type OperationResult<N extends OperationName> = Awaited<ReturnType<Operations[N]>>;

export interface Ask {
  readonly id: number;
  readonly name: OperationName;
  readonly args: readonly unknown[];
}

export type WorkerMessage =
  | { readonly type: 'open'; readonly repaired: readonly WireError[] }
  | { readonly type: 'refused'; readonly error: WireError }
  | { readonly type: 'repaired'; readonly damage: WireError }
  | { readonly type: 'answer'; readonly id: number; readonly value: unknown }
  | { readonly type: 'failure'; readonly id: number; readonly error: WireError };

export interface WorkerData {
  readonly dataFolder: string;
}
