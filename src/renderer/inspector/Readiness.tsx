/** The preparation of a node: its steps, live, each with its log. */
import { Button } from '@mantine/core';
import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { RequestResult } from '../../shared/contract/api.ts';
import { isDeclined, toWireError, type WireError } from '../../shared/base/errors.ts';
import type { LabNode } from '../../shared/lab/lab.ts';
import type { NodePlan, StepId } from '../../shared/node/provision.ts';
import { useApi } from '../api/index.ts';
import { formatBytes } from '../ui/index.ts';
import { saveNow, useLabId, useLanguage, useReadiness } from '../state/index.ts';
import { ErrorNote } from '../ui/index.ts';
import { FieldGroup } from '../ui/index.ts';
import { LendField } from './LendField.tsx';
import { ShareField } from './ShareField.tsx';
import { PlanList } from './PlanList.tsx';
import { StepList } from '../nodes/index.ts';
import classes from './Inspector.module.css';

export function Readiness({ node }: { node: LabNode }) {
  const { t } = useTranslation();
  const api = useApi();
  const language = useLanguage();
  const labId = useLabId();
  const readiness = useReadiness(labId, node.id);
  const [error, setError] = useState<WireError>();
  const [asked, setAsked] = useState(false);
  const [plan, setPlan] = useState<NodePlan>();
  const [removed, setRemoved] = useState<RequestResult<'node.remove'>>();
  const stop = useRef<AbortController>(undefined);
  if (labId === undefined) return null;
  const preparing = asked || readiness?.state === 'preparing';

  /** One action at a time; each can be cancelled. */
  const attempt = async (work: (signal: AbortSignal) => Promise<void>): Promise<void> => {
    const own = new AbortController();
    stop.current = own;
    setError(undefined);
    setPlan(undefined);
    setRemoved(undefined);
    setAsked(true);
    try {
      await saveNow(api);
      await work(own.signal);
    } catch (caught) {
      const wire = toWireError(caught);
      if (wire.code !== 'cancelled') setError(wire);
    } finally {
      if (stop.current === own) setAsked(false);
    }
  };
  const prepare = (redo?: StepId): Promise<void> =>
    attempt(async (signal) => {
      const again = redo === undefined ? {} : { redo: [redo] };
      await api.call('provision.prepare', { labId, nodeIds: [node.id], ...again }, signal);
    });
  const look = (): Promise<void> =>
    attempt(async (signal) => {
      const [found] = await api.call('provision.plan', { labId, nodeIds: [node.id] }, signal);
      setPlan(found);
    });
  const remove = (): Promise<void> =>
    attempt(async (signal) => {
      try {
        setRemoved(await api.call('node.remove', { labId, nodeId: node.id }, signal));
      } catch (caught) {
        // The user has just said so: everything is as it was.
        if (!isDeclined(toWireError(caught))) throw caught;
      }
    });
  const steps = readiness?.steps ?? [];
  return (
    <FieldGroup title={t('inspector.readiness.title')}>
      <div className={classes.buttons}>
        <Button variant="default" loading={preparing} onClick={() => void prepare()}>
          {t('inspector.readiness.prepare')}
        </Button>
        <Button variant="subtle" disabled={preparing} onClick={() => void look()}>
          {t('inspector.readiness.showPlan')}
        </Button>
        {asked && (
          <Button variant="subtle" color="gray" onClick={() => stop.current?.abort()}>
            {t('shell.cancel')}
          </Button>
        )}
      </div>
      <LendField node={node} lent={readiness?.lent} disabled={preparing} />
      <ShareField node={node} disabled={preparing} />
      {error !== undefined && <ErrorNote error={error} />}
      <div role="status">
        {plan !== undefined && <PlanList plan={plan} />}
        {removed !== undefined && (
          <p className={classes.note}>
            {t('inspector.readiness.removed', { size: formatBytes(removed.freedBytes, language) })}
          </p>
        )}
        {removed !== undefined && removed.stays.length > 0 && (
          <>
            <p className={classes.note}>{t('inspector.readiness.stays')}</p>
            <ul className={classes.note}>
              {removed.stays.map(({ path, why }) => (
                <li key={path}>
                  {path}: {t(`inspector.readiness.staysWhy.${why}`)}
                </li>
              ))}
            </ul>
          </>
        )}
      </div>
      {steps.length === 0 ? (
        <p className={classes.note}>{t('inspector.readiness.none')}</p>
      ) : (
        <StepList
          steps={steps}
          label={t('inspector.readiness.title')}
          node={node.name}
          nodeId={node.id}
          onRedo={preparing ? undefined : (step) => void prepare(step)}
        />
      )}
      <div className={classes.buttons}>
        <Button
          variant="subtle"
          color="red"
          size="compact-sm"
          disabled={preparing}
          onClick={() => void remove()}
        >
          {t('inspector.readiness.remove')}
        </Button>
      </div>
    </FieldGroup>
  );
}
