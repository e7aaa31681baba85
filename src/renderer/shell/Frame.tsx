import { useTranslation } from 'react-i18next';
import { RunDock } from '../runs/index.ts';
import { showRun, useLabId, useShownRunId } from '../state/index.ts';

export function Frame() {
  const { t } = useTranslation();
  const labId = useLabId();
  const runId = useShownRunId(labId);
  if (labId === undefined) return <p>{t('shell.loading')}</p>;
  return <RunDock labId={labId} runId={runId} onSelectRun={(id) => showRun(labId, id)} />;
}
