/** Which scalars a user put on top, and which groups are collapsed: kept on this computer, for each lab. */
import { z } from 'zod';
import { create } from 'zustand';
import { longestScalarName } from '../../../shared/run/run-outputs.ts';

/** The newest labs are kept. */
const maxLabs = 100;
const maxNames = 200;

const Name = z.string().max(longestScalarName);
const LabView = z.object({
  pinned: z.array(Name).max(maxNames).catch([]),
  collapsed: z.array(Name).max(maxNames).catch([]),
});
export type LabView = z.infer<typeof LabView>;
const ScalarView = z.record(z.string().max(64), LabView).catch({});
type ScalarView = z.infer<typeof ScalarView>;

const key = 'ringlab.scalars';
const nothing: LabView = { pinned: [], collapsed: [] };

export function readScalarView(text: string | null): ScalarView {
  try {
    return ScalarView.parse(JSON.parse(text ?? '{}'));
  } catch {
    return {};
  }
}

const useScalarStore = create<{ readonly labs: ScalarView }>(() => ({
  labs: readScalarView(localStorage.getItem(key)),
}));

export const useScalarView = (labId: string): LabView => useScalarStore(({ labs }) => labs[labId] ?? nothing);

function change(labId: string, part: keyof LabView, name: string): void {
  const { [labId]: old = nothing, ...others } = useScalarStore.getState().labs;
  const names = old[part].includes(name)
    ? old[part].filter((one) => one !== name)
    : [...old[part], name].slice(-maxNames);
  const labs = Object.fromEntries(
    [...Object.entries(others), [labId, { ...old, [part]: names }] as const].slice(-maxLabs),
  );
  useScalarStore.setState({ labs });
  localStorage.setItem(key, JSON.stringify(labs));
}

/** Puts a scalar on top, or back into its group. */
export const pinScalar = (labId: string, name: string): void => change(labId, 'pinned', name);
export const collapseGroup = (labId: string, prefix: string): void => change(labId, 'collapsed', prefix);
