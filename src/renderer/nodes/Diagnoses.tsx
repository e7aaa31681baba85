/** Diagnoses of a failure: the cause, what to do, and a button if the app can safely do it. */
import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { Diagnosed, DiagnosisAction } from '../../shared/node/diagnosis.ts';
import type { Experiment } from '../../shared/lab/lab.ts';
import { editLab, useLabStore, useLanguage, useNode } from '../state/index.ts';
import classes from './Diagnoses.module.css';

/** Actions that the step itself takes when it starts again: it repairs, reboots or asks, with the user's consent. */
const doneByStep = ['retry', 'repair_driver', 'reboot', 'ask_password'] as const;
type DoneByStep = (typeof doneByStep)[number];
const isDoneByStep = (action: DiagnosisAction | undefined): action is DoneByStep =>
  doneByStep.some((one) => one === action);

/** The change of the experiment that an action makes in the open lab; it can be undone like any edit. */
function editOf(
  action: DiagnosisAction | undefined,
  { batchSize, port }: Experiment,
): Pick<Experiment, 'batchSize'> | Pick<Experiment, 'port'> | undefined {
  if (action === 'halve_batch' && batchSize > 1) return { batchSize: Math.floor(batchSize / 2) };
  if (action === 'other_port') return { port: port < 65_535 ? port + 1 : 29_500 };
  return undefined;
}

export interface DiagnosesProps {
  readonly diagnoses: readonly Diagnosed[];
  /** Undefined while another action is running. */
  readonly onRetry: (() => void) | undefined;
  /** The node whose preparation failed; undefined for a run. */
  readonly nodeId?: string | undefined;
}

export function Diagnoses({ diagnoses, onRetry, nodeId }: DiagnosesProps) {
  const { t } = useTranslation();
  const language = useLanguage();
  return (
    <ul className={classes.list} aria-label={t('inspector.diagnosis.title')}>
      {diagnoses.map(({ code, cause, remedy, action, line }) => (
        <li key={code} data-diagnosis={code}>
          <p className={classes.cause}>{cause[language]}</p>
          <p className={classes.remedy}>{remedy[language]}</p>
          {line !== '' && <code className={classes.line}>{line}</code>}
          {isDoneByStep(action) && onRetry !== undefined && (
            <Button size="compact-xs" variant="default" onClick={onRetry}>
              {t(`inspector.diagnosis.${action}`)}
            </Button>
          )}
          <EditButton action={action} />
          {action === 'lend_internet' && nodeId !== undefined && onRetry !== undefined && (
            <LendButton nodeId={nodeId} onRetry={onRetry} />
          )}
        </li>
      ))}
    </ul>
  );
}

/** Lends this computer's connection from now on, and starts again; if it is lent already, only starts again. */
function LendButton({ nodeId, onRetry }: { nodeId: string; onRetry: () => void }) {
  const { t } = useTranslation();
  const node = useNode(nodeId);
  if (node === undefined || node.access.type === 'local') return null;
  const lent = node.lendInternet === true;
  return (
    <Button
      size="compact-xs"
      variant="default"
      onClick={() => {
        if (!lent) editLab({ type: 'node', nodeId, change: { lendInternet: true } });
        onRetry();
      }}
    >
      {t(`inspector.diagnosis.${lent ? 'retry' : 'lend_internet'}`)}
    </Button>
  );
}

function EditButton({ action }: { action: DiagnosisAction | undefined }) {
  const { t } = useTranslation();
  const experiment = useLabStore((state) => state.lab?.experiment);
  const change = experiment === undefined ? undefined : editOf(action, experiment);
  if (change === undefined) return null;
  return (
    <Button size="compact-xs" variant="default" onClick={() => editLab({ type: 'experiment', change })}>
      {'batchSize' in change
        ? t('inspector.diagnosis.halve_batch', { batch: change.batchSize })
        : t('inspector.diagnosis.other_port', { port: change.port })}
    </Button>
  );
}
