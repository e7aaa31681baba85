/** What the open lab needs from this computer and does not find: asked of main soon after each edit that can change it. */
import type { LabClient } from '../../api/index.ts';
import { putHere, useLabStore } from '../lab.ts';

/** Debounce time in milliseconds. */
const pause = 300;

/** Asks now; what was known stays where main does not answer. */
export async function checkHere(api: LabClient): Promise<void> {
  const { lab } = useLabStore.getState();
  if (lab === undefined) return;
  const found = await api.call('lab.checkHere', { lab }).catch(() => undefined);
  if (found !== undefined) putHere(lab, found);
}

/** Follows the open lab, and looks again when the user comes back to the window. Returns a function that stops it. */
export function followHere(api: LabClient, page: Window): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const soon = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => void checkHere(api), pause);
  };
  const stop = useLabStore.subscribe((now, before) => {
    if (now.lab === before.lab) return;
    const isSame =
      now.lab?.id === before.lab?.id &&
      now.lab?.experiment === before.lab?.experiment &&
      now.lab?.nodes.length === before.lab?.nodes.length &&
      now.lab?.nodes.every((node, index) => {
        const old = before.lab?.nodes[index];
        return node.access === old?.access && node.driverFile === old.driverFile && node.kind === old.kind;
      });
    if (isSame !== true) soon();
  });
  page.addEventListener('focus', soon);
  return () => {
    clearTimeout(timer);
    page.removeEventListener('focus', soon);
    stop();
  };
}
