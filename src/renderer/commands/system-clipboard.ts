/** The system's clipboard for commands of menus; keys have the browser's own events (`clipboard.ts`). */
import { notifications } from '@mantine/notifications';
import { hasCopied, pasteParts } from '../state/index.ts';
import type { CommandContext } from './command.ts';

/** Browsers have none in pages of unencrypted addresses. */
const clipboard = (): Clipboard | undefined => navigator.clipboard;

/** Without the permission the copy can still be pasted in the app's windows. */
export const writeCopy = (text: string): void =>
  void clipboard()
    ?.writeText(text)
    .catch(() => undefined);

/** Undefined where the browser does not allow it. */
async function readText(): Promise<string | undefined> {
  try {
    return await clipboard()?.readText();
  } catch {
    return undefined;
  }
}

/** Whether there may be something to paste: what the clipboard holds is seen only when it is read. */
export const canPaste = (): boolean => hasCopied() || clipboard() !== undefined;

export async function paste({ at, t }: Pick<CommandContext, 'at' | 't'>): Promise<void> {
  if (!pasteParts(await readText(), at)) sayNothingToPaste({ t });
}

export const sayNothingToPaste = ({ t }: Pick<CommandContext, 't'>): string =>
  notifications.show({ id: 'nothingToPaste', message: t('canvas.nothingToPaste'), autoClose: 5000 });
