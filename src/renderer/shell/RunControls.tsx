/** 'Run experiment' and 'Stop', the run's state, and the list of problems that prevent a run. */
import { ActionIcon, Button, Popover, Tooltip } from '@mantine/core';
import {
  IconAlertTriangle,
  IconInfoCircle,
  IconPlayerPlayFilled,
  IconPlayerStopFilled,
} from '@tabler/icons-react';
import { useEffect, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { isToFillIn, type LabIssue } from '../../shared/lab/lab-issue.ts';
import { trainingNodes } from '../../shared/lab/lab.ts';
import { isEnded, type RunState } from '../../shared/run/run.ts';
import { useApi } from '../api/index.ts';
import { commandOf, keysInWords, useCommandContext } from '../commands/index.ts';
import { useIssueText } from '../ui/index.ts';
import {
  asRinglabError,
  badDrafts,
  focusField,
  forgetProblems,
  goToIssue,
  listProblems,
  report,
  runExperiment,
  select,
  showPage,
  useDraftStore,
  useIssues,
  useLab,
  useLabStore,
  useProvisionStore,
  useActiveRunId,
  useRun,
  useRunStart,
  useShownRunId,
  type BadDraft,
} from '../state/index.ts';
import { runLook, StateIcon } from '../theme/index.ts';
import { EstimateLine } from './EstimateLine.tsx';
import classes from './Header.module.css';

export function RunControls({ labId }: { labId: string }) {
  const { t } = useTranslation();
  const api = useApi();
  // An active run can be stopped even while an older one is shown.
  const activeId = useActiveRunId(labId);
  const shownId = useShownRunId(labId);
  const runId = activeId ?? shownId;
  const run = useRun(runId);
  const issues = useIssues();
  const drafts = useBadDrafts();
  const { starting, problemsListed } = useRunStart();
  const issueText = useIssueText();
  const errors = issues.filter(({ severity }) => severity === 'error');
  const blocked = errors.length > 0 || drafts.length > 0;
  const isIncomplete = blocked && drafts.length === 0 && errors.every(isToFillIn);
  const reasons = [
    ...drafts.map(({ label, problem }) => t('shell.run.drafts', { label, problem })),
    ...errors.map(issueText),
  ];
  const count = issues.length + drafts.length;
  useEffect(() => forgetProblems(), [labId]);
  useEffect(() => {
    // Once all problems are corrected, the next one does not open the list by itself.
    if (count === 0) forgetProblems();
  }, [count]);

  const stop = (): void => {
    if (activeId !== undefined) {
      api.call('run.stop', { runId: activeId }).catch((error: unknown) => report(asRinglabError(error)));
    }
  };
  return (
    <div className={classes.run} data-tour="run">
      {run !== undefined && (
        <RunStatus
          labId={labId}
          state={run.state}
          epochsCompleted={run.epochsCompleted}
          epochs={run.epochs}
          isScript={run.lab.experiment.script !== undefined}
        />
      )}
      {activeId === undefined && <EstimateLine />}
      {count > 0 && (
        <Popover
          opened={problemsListed}
          onChange={listProblems}
          position="bottom-end"
          trapFocus={false}
          // Its button is always in sight. Measured in the middle of a layout it counted as hidden, and the list with it.
          hideDetached={false}
        >
          <Popover.Target>
            <Button
              variant="subtle"
              flex="none"
              color={blocked ? 'red' : 'gray'}
              aria-expanded={problemsListed}
              leftSection={blocked ? <IconAlertTriangle size={14} /> : <IconInfoCircle size={14} />}
              onClick={() => listProblems(!problemsListed)}
            >
              {isIncomplete
                ? t('shell.run.missing', { count: errors.length })
                : blocked
                  ? t('shell.run.problems', { count })
                  : t('shell.run.hints', { count })}
            </Button>
          </Popover.Target>
          <Popover.Dropdown className={classes.issues ?? ''}>
            <IssueList issues={issues} drafts={drafts} onChosen={() => listProblems(false)} />
          </Popover.Dropdown>
        </Popover>
      )}
      {activeId !== undefined && <QueueButton />}
      {activeId !== undefined ? (
        <Button
          color="red"
          variant="outline"
          size="sm"
          flex="none"
          leftSection={<IconPlayerStopFilled size={14} />}
          onClick={stop}
        >
          {run?.state === 'stopping' ? t('shell.run.stopNow') : t('shell.run.stop')}
        </Button>
      ) : (
        <Tooltip
          multiline
          maw={320}
          // The list says the same.
          disabled={!blocked || problemsListed}
          label={
            <>
              {t('shell.run.blocked')}
              {reasons.slice(0, 3).map((reason) => (
                <div key={reason}>{reason}</div>
              ))}
            </>
          }
        >
          <Button
            size="sm"
            flex="none"
            loading={starting}
            variant={blocked ? 'default' : 'filled'}
            data-blocked={blocked}
            leftSection={<IconPlayerPlayFilled size={14} />}
            onClick={() => void runExperiment(api)}
          >
            {t('shell.run.start')}
          </Button>
        </Tooltip>
      )}
    </div>
  );
}

/** Adds a run of the lab as it is drawn now. */
function QueueButton() {
  const { t } = useTranslation();
  const context = useCommandContext();
  const { starting } = useRunStart();
  const { Icon, keys = '', run } = commandOf('queueExperiment');
  const name = t('commands.name.queueExperiment');
  return (
    <Tooltip label={`${name} (${keysInWords(keys)})`}>
      <ActionIcon aria-label={name} loading={starting} onClick={() => run(context)}>
        <Icon size={18} />
      </ActionIcon>
    </Tooltip>
  );
}

function RunStatus(props: {
  labId: string;
  state: RunState;
  epochsCompleted: number;
  epochs: number;
  /** Its own epochs are shown with the run, as far as they are known. */
  isScript: boolean;
}) {
  const { t } = useTranslation();
  const { labId, state } = props;
  const total = useLabStore((now) => (now.lab === undefined ? 0 : trainingNodes(now.lab).length));
  const ready = useProvisionStore(
    (now) => Object.values(now.nodes).filter((node) => node.labId === labId && node.state === 'ready').length,
  );
  const look = runLook[state];
  const preparing = state === 'preparing' || state === 'starting';
  return (
    <span
      className={classes.state}
      data-ended={isEnded(state)}
      role="status"
      aria-label={t('shell.run.state')}
    >
      <StateIcon look={look} size={15} />
      <span style={{ color: look.colour }}>{t(`runStates.${state}`)}</span>
      <small>
        {preparing
          ? t('shell.run.preparing', { ready: Math.min(ready, total), count: total })
          : props.isScript
            ? ''
            : t('shell.run.epochs', { done: props.epochsCompleted, total: props.epochs })}
      </small>
    </span>
  );
}

function useBadDrafts(): readonly BadDraft[] {
  const drafts = useDraftStore((state) => state.drafts);
  const lab = useLab();
  return useMemo(() => badDrafts(drafts, lab), [drafts, lab]);
}

function IssueList(props: {
  issues: readonly LabIssue[];
  drafts: readonly BadDraft[];
  onChosen: () => void;
}) {
  const { t } = useTranslation();
  const issueText = useIssueText();
  const errors = props.issues.filter((issue) => issue.severity === 'error');
  const warnings = props.issues.filter((issue) => issue.severity === 'warning');
  const item = (issue: LabIssue) => (
    <li key={`${issue.code} ${issue.path}`}>
      <button
        type="button"
        className={classes.issue}
        onClick={() => {
          goToIssue(issue);
          props.onChosen();
        }}
      >
        {issue.severity === 'error' ? (
          <IconAlertTriangle size={14} color="var(--rl-state-failed)" aria-hidden />
        ) : (
          <IconInfoCircle size={14} color="var(--rl-state-waiting)" aria-hidden />
        )}
        {issueText(issue)}
      </button>
    </li>
  );
  return (
    <>
      {errors.length + props.drafts.length > 0 && (
        <>
          <h3>{t('shell.run.problemsTitle')}</h3>
          <ul>
            {props.drafts.map((draft) => (
              <li key={draft.key}>
                <button
                  type="button"
                  className={classes.issue}
                  onClick={() => {
                    goToDraft(draft.key);
                    props.onChosen();
                  }}
                >
                  <IconAlertTriangle size={14} color="var(--rl-state-failed)" aria-hidden />
                  {t('shell.run.drafts', { label: draft.label, problem: draft.problem })}
                </button>
              </li>
            ))}
            {errors.map(item)}
          </ul>
        </>
      )}
      {warnings.length > 0 && (
        <>
          <h3>{t('shell.run.warnings')}</h3>
          <ul>{warnings.map(item)}</ul>
        </>
      )}
    </>
  );
}

function goToDraft(key: string): void {
  const [part = '', id = ''] = key.split('.');
  if (part === 'node') select({ nodes: [id], links: [] });
  else if (part === 'link') select({ nodes: [], links: [id] });
  else if (part === 'annotation') select({ nodes: [], links: [], annotations: [id] });
  showPage(part === 'experiment' ? 'experiment' : part === 'lab' ? 'lab' : 'selection');
  focusField(key);
}
