/** What the run dock shows: one run, the table of all, or several side by side. Kept while the window is open. */
import * as z from 'zod';
import { create } from 'zustand';
import type { SettingName } from '../../../shared/run/run-settings.ts';
import { keptByLab } from '../kept/kept-by-lab.ts';
import { showRun } from '../runs.ts';

export type RunsViewName = 'run' | 'table' | 'compare';
/** The tabs of one run. */
export const runPages = ['charts', 'nodes', 'ranks', 'logs', 'checkpoints', 'preparation'] as const;
export type RunPage = (typeof runPages)[number];

/** What compared runs are grouped by; with `seed` all settings of a group are the same but the seed. */
export type Grouping = 'none' | SettingName;

/** A dialog about one run, or about the runs of a lab. */
export type RunDialog =
  | { readonly kind: 'code' | 'commands' | 'edit' | 'delete' | 'repeat'; readonly runId: string }
  | { readonly kind: 'sweep'; readonly labId: string }
  | { readonly kind: 'watch' };

export interface RunsView {
  readonly view: RunsViewName;
  /** The tab that the user chose for a run; another run begins with its own. */
  readonly page: { readonly runId: string; readonly name: RunPage } | undefined;
  /** The runs marked in the table, for its next action. */
  readonly marked: readonly string[];
  /** The runs of the comparison: it takes the marks over, so that none is left for 'Delete'. */
  readonly compared: readonly string[];
  /** The baseline that the others are compared with. */
  readonly baseline: string | undefined;
  /** The setting that the compared runs are grouped by. */
  readonly grouping: Grouping;
  /** Whether the parallel-coordinates chart is shown above the table. */
  readonly parallel: boolean;
  readonly dialog: RunDialog | undefined;
}

export const useRunsView = create<RunsView>(() => ({
  view: 'run',
  page: undefined,
  marked: [],
  compared: [],
  baseline: undefined,
  grouping: 'none',
  parallel: false,
  dialog: undefined,
}));

export const showParallel = (parallel: boolean): void => useRunsView.setState({ parallel });
export const showRunsView = (view: RunsViewName): void => useRunsView.setState({ view });
/** Shows this run, also where the table or a comparison was shown. */
export function openRun(labId: string, runId: string): void {
  showRun(labId, runId);
  showRunsView('run');
}
export const showRunPage = (runId: string, name: RunPage): void =>
  useRunsView.setState({ page: { runId, name } });
export const showRunDialog = (dialog: RunDialog | undefined): void => useRunsView.setState({ dialog });
export const mark = (marked: readonly string[]): void => useRunsView.setState({ marked });
/** Shows these runs side by side. */
export const compare = (runIds: readonly string[]): void =>
  useRunsView.setState({ view: 'compare', compared: runIds, marked: [], baseline: undefined });
/** Archived and deleted runs are neither marked nor compared any more. */
export const unmark = (runs: readonly { readonly id: string }[]): void =>
  useRunsView.setState(({ marked, compared, baseline }) => {
    const kept = (ids: readonly string[]): string[] => ids.filter((id) => !runs.some((run) => run.id === id));
    return {
      marked: kept(marked),
      compared: kept(compared),
      baseline: runs.some(({ id }) => id === baseline) ? undefined : baseline,
    };
  });
export const compareWith = (baseline: string): void => useRunsView.setState({ baseline });
/** Grouping changes the columns: the old baseline is none of them. */
export const groupBy = (grouping: Grouping): void => useRunsView.setState({ grouping, baseline: undefined });

type Chosen = Pick<RunsView, 'marked' | 'compared' | 'baseline'>;
const noneChosen: Chosen = { marked: [], compared: [], baseline: undefined };
/** What was chosen in labs that were open before. */
const chosenIn = new Map<string, Chosen>();
let chosenLab: string | undefined;

/** More than can be told apart side by side, and what the storage has room for. */
const maxKept = 300;
const Kept = z.record(z.string().max(64), z.array(z.string().max(64)).max(maxKept)).catch({});

function readKept(text: string | null): z.infer<typeof Kept> {
  try {
    return Kept.parse(JSON.parse(text ?? '{}'));
  } catch {
    return {};
  }
}
/** A page that is loaded again shows its comparison again. */
const keptComparison = keptByLab<readonly string[]>('ringlab.compared', readKept);
useRunsView.subscribe(({ compared }, before) => {
  if (chosenLab !== undefined && compared !== before.compared && compared.length <= maxKept)
    keptComparison.change(chosenLab, () => compared);
});
const keptChoice = (labId: string): Chosen => ({
  ...noneChosen,
  compared: keptComparison.now(labId) ?? noneChosen.compared,
});

/** Another lab is open: marks, comparison and baseline are its own, and no other lab's comparison or dialog stays on the screen. */
export function enterLab(labId: string | undefined): void {
  if (labId === undefined || labId === chosenLab) return;
  const { view, marked, compared, baseline, dialog } = useRunsView.getState();
  if (chosenLab !== undefined) chosenIn.set(chosenLab, { marked, compared, baseline });
  chosenLab = labId;
  useRunsView.setState({
    ...(chosenIn.get(labId) ?? keptChoice(labId)),
    view: view === 'compare' ? 'run' : view,
    // They read and change the lab that is drawn.
    dialog: dialog?.kind === 'sweep' || dialog?.kind === 'watch' ? undefined : dialog,
  });
}
