/**
 * Secret environment variables of own scripts: each value is asked for once and kept as passwords are. It reaches a node
 * over standard input as a file of mode 600, which the rank's launcher reads and removes before the script runs.
 */
import { RinglabError } from '../../../shared/base/errors.ts';
import type { LabDocument } from '../../../shared/lab/lab.ts';
import type { SecretStore } from '../../base/platform.ts';
import { createSecretMemory, shellQuote, type Prompter } from '../../ssh/index.ts';

export interface ScriptSecrets {
  /**
   * Values by name; undefined where the script has no secret variable.
   * @throws prompt_unanswered
   */
  values(lab: LabDocument, signal: AbortSignal): Promise<Readonly<Record<string, string>> | undefined>;
  /** The next run asks again. */
  forget(labId: string, name: string): Promise<void>;
}

const keyOf = (labId: string, name: string): string => `script-variable:${labId}:${name}`;

export function createScriptSecrets(prompter: Prompter, store: SecretStore): ScriptSecrets {
  const memory = createSecretMemory(store);
  return {
    async values(lab, signal) {
      const names = (lab.experiment.script?.environment ?? []).filter(({ secret }) => secret === true);
      if (names.length === 0) return undefined;
      const values: Record<string, string> = {};
      for (const { name } of names) {
        const known = await memory.get(keyOf(lab.id, name));
        if (known !== undefined) {
          values[name] = known;
          continue;
        }
        const place = { labId: lab.id, nodeId: '', nodeName: lab.name, host: lab.name };
        const answer = await prompter.ask({ ...place, kind: 'script-variable', variable: name }, signal);
        if (answer.kind !== 'secret') throw new RinglabError('prompt_unanswered', { host: name });
        values[name] = answer.secret;
        await memory.keep(keyOf(lab.id, name), answer.secret, answer.remember);
      }
      return values;
    },
    forget: (labId, name) => memory.forget(keyOf(labId, name)),
  };
}

/** Removed with all of an earlier start's secrets, by its beginning. */
export const variablesFileOf = (attempt: number): string => `secret-variables-${attempt}`;

/** A shell's assignments, one a line: what the launcher reads. A line break in a value would end the file early. */
export const assignments = (values: Readonly<Record<string, string>>): string =>
  Object.entries(values)
    .map(([name, value]) => `export ${name}=${shellQuote(value.replace(/[\r\n\0]+/g, ' '))}`)
    .join('\n');
