/** The page's address says which lab, run and view it shows (`#lab=…&run=…&view=table`): back, forward and links lead there. */
import * as z from 'zod';
import { notFound } from '../../../shared/base/errors.ts';
import type { LabClient } from '../../api/index.ts';
import { openOther } from '../autosave.ts';
import { useLabStore } from '../lab.ts';
import { showRun, shownRunId, useRunStore } from '../runs.ts';
import { report, useWindowStore } from '../window.ts';
import { runPages, showRunPage, showRunsView, useRunsView } from './runs-view.ts';

const Id = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/);
const Address = z.object({
  lab: Id,
  run: Id.optional().catch(undefined),
  view: z.enum(['run', 'table', 'compare']).catch('run'),
  page: z.enum(runPages).optional().catch(undefined),
});
export type Address = z.infer<typeof Address>;

/** Undefined where the address names no lab. */
const readAddress = (hash: string): Address | undefined =>
  Address.safeParse(Object.fromEntries(new URLSearchParams(hash.replace(/^#/, '')))).data;

export function addressOf({ lab, run, view, page }: Address): string {
  const parts = new URLSearchParams({ lab });
  if (run !== undefined) parts.set('run', run);
  if (view !== 'run') parts.set('view', view);
  if (page !== undefined) parts.set('page', page);
  return `#${parts.toString()}`;
}

/** A comparison of nothing is no place to lead to. */
const viewThere = (view: Address['view']): Address['view'] =>
  view === 'compare' && useRunsView.getState().compared.length === 0 ? 'run' : view;

/** What the window shows now. */
function shownNow(): Address | undefined {
  const lab = useLabStore.getState().lab?.id;
  if (lab === undefined) return undefined;
  const run = shownRunId(useRunStore.getState(), lab);
  const { page } = useRunsView.getState();
  return {
    lab,
    run,
    view: viewThere(useRunsView.getState().view),
    page: page?.runId === run ? page?.name : undefined,
  };
}

/** Shows what an address names within the open lab. */
export function showAddressed({ lab, run, view, page }: Address): void {
  // The newest run is not pinned: the next one is shown when it starts.
  if (run !== undefined && run !== shownRunId(useRunStore.getState(), lab)) showRun(lab, run);
  showRunsView(viewThere(view));
  if (run !== undefined && page !== undefined) showRunPage(run, page);
}

/**
 * Writes the address as the view changes, and follows it back, forward and to links. Another lab, another chosen run and another
 * view are steps back; a tab of a run and the newest run are not.
 * @param onError takes what goes wrong when another lab is opened
 */
export function followAddress(
  api: LabClient,
  page: Pick<Window, 'location' | 'history' | 'addEventListener' | 'removeEventListener'>,
  onError: (error: unknown) => void,
): () => void {
  let leading = false;
  let place: string | undefined;
  const write = (): void => {
    const now = shownNow();
    if (now === undefined || leading) return;
    const hash = addressOf(now);
    const chosen = useRunStore.getState().shown[now.lab] ?? '';
    const nextPlace = [now.lab, chosen, now.view].join(' ');
    const isStep = place !== undefined && place !== nextPlace;
    place = nextPlace;
    if (hash === page.location.hash) return;
    if (isStep) page.history.pushState(null, '', hash);
    else page.history.replaceState(null, '', hash);
  };
  const lead = async (): Promise<void> => {
    const wanted = readAddress(page.location.hash);
    if (wanted === undefined || useWindowStore.getState().phase === 'loading') return;
    leading = true;
    try {
      if (wanted.lab !== useLabStore.getState().lab?.id)
        await openOther(api, () => api.call('lab.open', { labId: wanted.lab }));
      showAddressed(wanted);
    } catch (error) {
      onError(error);
    } finally {
      leading = false;
      place = undefined;
      write();
    }
  };
  const onPop = (): void => void lead();
  page.addEventListener('popstate', onPop);
  const stops = [useLabStore.subscribe(write), useRunStore.subscribe(write), useRunsView.subscribe(write)];
  return () => {
    page.removeEventListener('popstate', onPop);
    for (const stop of stops) stop();
  };
}

/** The lab that the address asks for at the start; one that is not there is reported. */
export function askedLab(page: Pick<Window, 'location'>, labIds: readonly string[]): Address | undefined {
  const asked = readAddress(page.location.hash);
  if (asked === undefined || labIds.includes(asked.lab)) return asked;
  report(notFound('lab', asked.lab));
  return undefined;
}
