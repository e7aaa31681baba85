/** What a run's entry in a list or table does beside a click: its menu by right click or keys, and renaming. */
import { useCallback, useState, type KeyboardEvent, type MouseEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { CommandMenuAt, type MenuPoint } from '../../commands/index.ts';
import { showRun, showRunDialog } from '../../state/index.ts';
import { runMenu } from './run-menu.ts';

export interface RunEntryEvents {
  onContextMenu(event: MouseEvent<HTMLElement>): void;
  onKeyDown(event: KeyboardEvent<HTMLElement>): void;
}

/** Events of the element that holds entries with `data-run`, and the menu to draw beside it. */
export function useRunMenu(labId: string): {
  readonly events: RunEntryEvents;
  readonly menu: React.ReactNode;
} {
  const { t } = useTranslation();
  const [point, setPoint] = useState<MenuPoint>();
  const onContextMenu = useCallback(
    (event: MouseEvent<HTMLElement>) => {
      const runId = runOf(event.target);
      if (runId === undefined) return;
      event.preventDefault();
      // A menu is about what is shown, as on the canvas it is about what is selected.
      showRun(labId, runId);
      setPoint({ x: event.clientX, y: event.clientY });
    },
    [labId],
  );
  const onKeyDown = useCallback(
    (event: KeyboardEvent<HTMLElement>) => {
      const runId = runOf(event.target);
      if (runId === undefined) return;
      const isMenu = event.key === 'ContextMenu' || (event.shiftKey && event.key === 'F10');
      if (!isMenu && event.key !== 'F2') return;
      event.preventDefault();
      event.stopPropagation();
      if (!isMenu) {
        showRunDialog({ kind: 'edit', runId });
        return;
      }
      const box = event.target instanceof Element ? event.target.getBoundingClientRect() : undefined;
      showRun(labId, runId);
      setPoint({ x: (box?.left ?? 0) + 12, y: (box?.top ?? 0) + 12 });
    },
    [labId],
  );
  const menu =
    point === undefined ? null : (
      <CommandMenuAt
        groups={runMenu}
        point={point}
        label={t('runs.list.menu')}
        onClose={() => setPoint(undefined)}
      />
    );
  return { events: { onContextMenu, onKeyDown }, menu };
}

const runOf = (target: EventTarget): string | undefined =>
  target instanceof Element ? target.closest<HTMLElement>('[data-run]')?.dataset.run : undefined;
