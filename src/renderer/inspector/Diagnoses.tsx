/** What the doctor recognised in a failed step: why it happens, what to do, and a button where doing it again helps. */
import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { Diagnosed, DiagnosisAction } from '../../shared/diagnosis.ts';
import { useLanguage } from '../state/index.ts';
import classes from './Inspector.module.css';

/** What the step itself does when it is begun again: it mends, reboots and asks, with the person's consent. */
const doneByStep = ['retry', 'repair_driver', 'reboot', 'ask_password'] as const;
type DoneByStep = (typeof doneByStep)[number];
const isDoneByStep = (action: DiagnosisAction | undefined): action is DoneByStep =>
  doneByStep.some((one) => one === action);

export interface DiagnosesProps {
  readonly diagnoses: readonly Diagnosed[];
  /** Undefined while something is under way. */
  readonly onRetry: (() => void) | undefined;
}

export function Diagnoses({ diagnoses, onRetry }: DiagnosesProps) {
  const { t } = useTranslation();
  const language = useLanguage();
  return (
    <ul className={classes.diagnoses} aria-label={t('inspector.diagnosis.title')}>
      {diagnoses.map(({ code, cause, remedy, action, line }) => (
        <li key={code} data-diagnosis={code}>
          <p className={classes.diagnosisCause}>{cause[language]}</p>
          <p className={classes.errorHint}>{remedy[language]}</p>
          {line !== '' && <code className={classes.diagnosisLine}>{line}</code>}
          {isDoneByStep(action) && onRetry !== undefined && (
            <Button size="compact-xs" variant="default" onClick={onRetry}>
              {t(`inspector.diagnosis.${action}`)}
            </Button>
          )}
        </li>
      ))}
    </ul>
  );
}
