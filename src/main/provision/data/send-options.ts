/** Options with which steps report transfers, the same for all that send or download. */
import type { SendOptions } from '../../transfer/index.ts';
import type { StepContext } from '../engine/step.ts';
import type { Line } from '../../../shared/base/phrase.ts';

export const sendOptionsOf = ({ node, signal, status }: StepContext) =>
  ({
    who: node.id,
    signal,
    onProgress: ({ done, total }: { done: number; total: number }) => status.progress(done, total, 'bytes'),
    log: (line: Line) => status.log.add(line),
  }) satisfies SendOptions;
