/** Which scalars a user put on top, and which groups are collapsed: kept on this computer, for each lab. */
import * as z from 'zod';
import { longestScalarName } from '../../../shared/run/run-outputs.ts';
import { keptByLab } from '../../state/index.ts';

const maxNames = 200;

const Name = z.string().max(longestScalarName);
const LabView = z.object({
  pinned: z.array(Name).max(maxNames).catch([]),
  collapsed: z.array(Name).max(maxNames).catch([]),
});
export type LabView = z.infer<typeof LabView>;
const ScalarView = z.record(z.string().max(64), LabView).catch({});
type ScalarView = z.infer<typeof ScalarView>;

const nothing: LabView = { pinned: [], collapsed: [] };

export function readScalarView(text: string | null): ScalarView {
  try {
    return ScalarView.parse(JSON.parse(text ?? '{}'));
  } catch {
    return {};
  }
}

const views = keptByLab('ringlab.scalars', readScalarView);

export const useScalarView = (labId: string): LabView => views.use(labId) ?? nothing;

/** Adds or removes the name, whichever the user sees as a change, and leaves those of other windows. */
const change = (labId: string, part: keyof LabView, name: string): void =>
  views.change(labId, (stored = nothing, shown = nothing) => {
    const others = stored[part].filter((one) => one !== name);
    const names = shown[part].includes(name) ? others : [...others, name].slice(-maxNames);
    return { ...stored, [part]: names };
  });

/** Puts a scalar on top, or back into its group. */
export const pinScalar = (labId: string, name: string): void => change(labId, 'pinned', name);
export const collapseGroup = (labId: string, prefix: string): void => change(labId, 'collapsed', prefix);
