/** The dialog about runs that is open: commands open them from menus, keys and the palette alike. */
import { useRunFiles } from '../../exchange/index.ts';
import { showRunDialog, useRunsView, useRunStore } from '../../state/index.ts';
import { BinDialog } from './BinDialog.tsx';
import { CodeDialog } from './CodeDialog.tsx';
import { CommandsDialog } from './CommandsDialog.tsx';
import { EditDialog } from './EditDialog.tsx';
import { SweepDialog } from './SweepDialog.tsx';
import { WatchDialog } from './WatchDialog.tsx';

const close = (): void => showRunDialog(undefined);

export function RunDialogs() {
  const dialog = useRunsView((view) => view.dialog);
  if (dialog === undefined) return null;
  if (dialog.kind === 'watch') return <WatchDialog onClose={close} />;
  if (dialog.kind === 'sweep') return <SweepDialog from={{ labId: dialog.labId }} onClose={close} />;
  return <OfRun key={dialog.runId} kind={dialog.kind} runId={dialog.runId} />;
}

function OfRun({ kind, runId }: { kind: 'code' | 'commands' | 'edit' | 'delete' | 'repeat'; runId: string }) {
  const run = useRunStore((state) => state.summaries[runId]);
  const { take } = useRunFiles(runId);
  // Deleted meanwhile, in another window.
  if (run === undefined) return null;
  switch (kind) {
    case 'code':
      return <CodeDialog run={run} onClose={close} />;
    case 'commands':
      return <CommandsDialog runId={runId} onClose={close} onSave={() => take('commands.sh')} />;
    case 'edit':
      return <EditDialog run={run} onClose={close} />;
    case 'delete':
      return <BinDialog runs={[run]} onClose={close} />;
    case 'repeat':
      return <SweepDialog from={{ runId }} onClose={close} />;
  }
}
