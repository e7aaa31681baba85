/** The run views below the canvas: the lab's runs, and the one that is shown. */
import { useEffect, useRef, useState } from 'react';
import { useSize } from '../../ui/index.ts';
import { showRunsView, useRun, useRunsView } from '../../state/index.ts';
import { CompareView } from '../compare/index.ts';
import { NoRunYet } from './NoRunYet.tsx';
import { RunList } from './RunList.tsx';
import { RunTable } from '../table/index.ts';
import { RunTitle } from './RunTitle.tsx';
import { RunView } from '../detail/index.ts';
import classes from './RunDock.module.css';
import { usePassedNotices } from './use-passed-notices.ts';

export interface RunDockProps {
  readonly labId: string;
  readonly runId: string | undefined;
  readonly onSelectRun: (runId: string) => void;
}

/** From this width on, the list of runs fits beside the charts. */
const listedFrom = 860;

export function RunDock({ labId, runId, onSelectRun }: RunDockProps) {
  const root = useRef<HTMLDivElement>(null);
  const { width } = useSize(root);
  const [chosen, setChosen] = useState<boolean>();
  const [full, setFull] = useState(false);
  const top = useTop(root, full);
  const run = useRun(runId);
  const view = useRunsView((desk) => desk.view);
  usePassedNotices();
  const listed = chosen ?? width >= listedFrom;
  if (runId === undefined) return <NoRunYet labId={labId} />;
  return (
    <div
      ref={root}
      className={classes.dock}
      data-full={full}
      style={full ? { top } : undefined}
      onKeyDown={(event) => {
        // Dialogs and menus are elsewhere in the page: this Escape was pressed in the view itself. One that closes a list is over.
        if (!full || event.key !== 'Escape' || !(event.target instanceof Element)) return;
        if (root.current?.contains(event.target) !== true) return;
        if (!event.target.matches('[aria-haspopup=listbox][aria-expanded=true]')) setFull(false);
      }}
    >
      {view === 'run' && listed && <RunList labId={labId} runId={runId} onSelectRun={onSelectRun} />}
      <div className={classes.main}>
        <RunTitle
          run={run}
          view={view}
          onView={showRunsView}
          listed={listed}
          onList={() => setChosen(!listed)}
          full={full}
          onFull={() => setFull(!full)}
        />
        {view === 'run' && <RunView key={runId} runId={runId} run={run} />}
        {view === 'compare' && <CompareView />}
        {view === 'table' && <RunTable labId={labId} onSelectRun={onSelectRun} />}
      </div>
    </div>
  );
}

/** The top of the area that the view may fill: below the header and its banners. */
function useTop(root: React.RefObject<HTMLElement | null>, wanted: boolean): number {
  const [top, setTop] = useState(0);
  useEffect(() => {
    const desk = root.current?.closest('main')?.parentElement;
    if (!wanted || desk === null || desk === undefined) return undefined;
    const measure = (): void => setTop(desk.getBoundingClientRect().top);
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(desk);
    return () => observer.disconnect();
  }, [root, wanted]);
  return top;
}
