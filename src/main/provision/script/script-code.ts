/** The code of one preparation: read once for all nodes, compiled on one of them. */
import { isCancelled, RinglabError } from '../../../shared/base/errors.ts';
import type { LabDocument } from '../../../shared/lab/lab.ts';
import type { RunCode } from '../../../shared/run/run-code.ts';
import type { CodeShelf, KeptCode } from '../../code/index.ts';
import type { ScriptCode } from '../engine/step.ts';

/** @param used the code of an earlier attempt, which is used again; undefined for the source as it is now */
export function createScriptCode(
  shelf: CodeShelf,
  { experiment }: LabDocument,
  used: RunCode | undefined,
): ScriptCode | undefined {
  const { script } = experiment;
  if (script === undefined) return undefined;
  let taking: Promise<KeptCode> | undefined;
  let checking: Promise<void> | undefined;
  return {
    take: (how) => (taking ??= used === undefined ? shelf.take(script, how) : shelf.kept(used)),
    async once(check) {
      if (checking === undefined) {
        checking = check();
        try {
          await checking;
        } catch (error) {
          // A lost connection is this node's own: the next one checks.
          if (!(error instanceof RinglabError) || error.code !== 'script_syntax') checking = undefined;
          throw error;
        }
        return;
      }
      await checking.catch((error: unknown) => {
        if (isCancelled(error) || !(error instanceof RinglabError) || error.code === 'script_syntax')
          throw new RinglabError('cancelled', {}, { cause: error });
      });
    },
  };
}
