/** The code of one preparation: read once for all nodes, compiled on one of them. */
import { isCancelled, RinglabError } from '../../../shared/base/errors.ts';
import type { LabDocument } from '../../../shared/lab/lab.ts';
import type { RunCode } from '../../../shared/run/run-code.ts';
import type { CodeShelf, KeptCode, TakeOptions } from '../../code/index.ts';
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
  const askers: TakeOptions[] = [];
  const read = (signal: AbortSignal): Promise<KeptCode> =>
    used === undefined
      ? shelf.take(script, {
          signal,
          log: (line) => askers.forEach(({ log }) => log?.(line)),
          onProgress: (progress) => askers.forEach(({ onProgress }) => onProgress?.(progress)),
        })
      : shelf.kept(used);
  return {
    begin(signal) {
      taking ??= read(signal);
      // Each node that takes it fails with it.
      taking.catch(() => undefined);
    },
    take(how) {
      askers.push(how);
      return (taking ??= read(how.signal ?? new AbortController().signal));
    },
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
