/** Runs one of the scripts of an emulated network. */
import { RinglabError } from '../../shared/base/errors.ts';
import { exitWords, phrase } from '../i18n/index.ts';
import type { NetworkChange } from './contract.ts';
import type { RootShell } from './root-shell.ts';

/** Rejects with `network_failed` and the script's last words. */
export async function runScript(
  shell: RootShell,
  what: NetworkChange['what'] | 'link',
  script: string,
  where: string,
): Promise<void> {
  const { code, stderr } = await shell.run(script);
  if (code === 0) return;
  const reason = stderr.trim().split('\n').slice(-3).join(' ') || exitWords(code);
  throw new RinglabError(
    'network_failed',
    { what: phrase(`reasons.network.${what}`), reason },
    { where, detail: stderr.trim() },
  );
}
