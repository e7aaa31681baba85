/** Which program trains: the native trainer or an own script. The other one's values are kept while the window is open. */
import type { Runtime } from '../../../shared/lab/runtime.ts';
import type { Script } from '../../../shared/lab/script.ts';
import { editLab, useLabStore } from '../lab.ts';

export type TrainerChoice = 'native' | 'script';

interface Sides {
  readonly native?: Runtime | undefined;
  readonly script?: { readonly script: Script; readonly runtime: Runtime | undefined };
}

/** By lab id. Training settings stay in the document, which is why they are not here. */
const kept = new Map<string, Sides>();

const newScript: Script = { source: { type: 'folder', path: '' }, file: '', arguments: '' };

/** Switches the open lab's experiment, as one undo step. */
export function chooseTrainer(choice: TrainerChoice): void {
  const { lab } = useLabStore.getState();
  if (lab === undefined) return;
  const { script, runtime } = lab.experiment;
  if ((script === undefined) === (choice === 'native')) return;
  const sides = kept.get(lab.id) ?? {};
  if (script === undefined) {
    kept.set(lab.id, { ...sides, native: runtime });
    // PyTorch's own wheels are what most scripts expect.
    const side = sides.script ?? { script: newScript, runtime: { type: 'wheels' as const } };
    editLab({ type: 'experiment', change: { script: side.script, runtime: side.runtime } });
  } else {
    kept.set(lab.id, { ...sides, script: { script, runtime } });
    editLab({ type: 'experiment', change: { script: undefined, runtime: sides.native } });
  }
}
