/**
 * Dry run of the network step: the commands that would raise the emulated network on this computer. Nodes are not
 * changed.
 */
import { plain } from '../../../shared/base/phrase.ts';
import { toWireError } from '../../../shared/base/errors.ts';
import type { LabDocument } from '../../../shared/lab/lab.ts';
import type { PlannedStep } from '../../../shared/node/provision.ts';
import type { Networks } from '../../net/index.ts';
import { phrase } from '../../i18n/index.ts';

/** Never throws. */
export async function planNetwork(
  networks: Pick<Networks, 'changes'> | undefined,
  lab: LabDocument,
): Promise<PlannedStep> {
  try {
    const changes = (await networks?.changes(lab)) ?? [];
    if (changes.length === 0)
      return { id: 'network', state: 'done', summary: phrase('summaries.networkTried'), changes: [] };
    return {
      id: 'network',
      state: 'change',
      summary: plain(''),
      changes: changes.map(({ what, script }) => ({
        what: phrase(`changes.network.${what}`),
        command: script,
      })),
    };
  } catch (error) {
    return { id: 'network', state: 'blocked', summary: plain(''), changes: [], error: toWireError(error) };
  }
}
