/** Replaces "a peer was lost" by the link that was down, which the user can repair. */
import type { WireError } from '../../../shared/base/errors.ts';
import type { RecordKeeper } from '../record/record.ts';
import type { RunServices } from '../record/services.ts';

/** A function that gives the run's error; a link, once blamed, stays the cause. */
export function createLinkBlame(
  services: Pick<RunServices, 'linksDown'>,
  keeper: Pick<RecordKeeper, 'current'>,
): (error: WireError | undefined) => WireError | undefined {
  let blamed: WireError | undefined;
  return (error) => {
    if (error?.code !== 'peer_lost') return error;
    const { labId, epochsCompleted } = keeper.current;
    const [link] = services.linksDown?.(labId) ?? [];
    if (link !== undefined) {
      blamed ??= { ...error, code: 'link_down', params: { link, epoch: epochsCompleted }, where: link };
    }
    return blamed ?? error;
  };
}
