/** Reads containerlab files in a worker thread: YAML of a few megabytes takes seconds, and a hostile file minutes. */
import { toWireError, type WireError } from '../../shared/base/errors.ts';
import { fromContainerlab, type ReadTopology } from './containerlab.ts';

export interface TopologyFile {
  readonly text: string;
  /** The file's name, for messages. */
  readonly where: string;
}
export type TopologyAnswer = ReadTopology | { readonly error: WireError };

const answerTo = ({ text, where }: TopologyFile): TopologyAnswer => {
  try {
    return fromContainerlab(text, where);
  } catch (error) {
    return { error: toWireError(error) };
  }
};

globalThis.addEventListener('message', ({ data }: MessageEvent<TopologyFile>) => {
  globalThis.postMessage(answerTo(data));
});
