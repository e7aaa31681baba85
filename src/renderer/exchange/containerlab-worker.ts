/** Reads containerlab files in a worker thread: YAML of a few megabytes takes seconds, and a hostile file minutes. */
import { toWireError, type WireError } from '../../shared/base/errors.ts';
import type { LabDocument } from '../../shared/lab/lab.ts';
import { fromContainerlab } from './containerlab.ts';

export interface TopologyFile {
  readonly text: string;
  /** The file's name, for messages. */
  readonly where: string;
}
export type TopologyAnswer = { readonly lab: LabDocument } | { readonly error: WireError };

const answerTo = ({ text, where }: TopologyFile): TopologyAnswer => {
  try {
    return { lab: fromContainerlab(text, where) };
  } catch (error) {
    return { error: toWireError(error) };
  }
};

globalThis.addEventListener('message', ({ data }: MessageEvent<TopologyFile>) => {
  globalThis.postMessage(answerTo(data));
});
