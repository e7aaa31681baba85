/** From bare to ready: the steps of a node, live, each with its log. */
import { Button } from '@mantine/core';
import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { toWireError, type WireError } from '../../shared/errors.ts';
import type { LabNode } from '../../shared/lab.ts';
import type { StepId } from '../../shared/provision.ts';
import { useApi } from '../api/index.ts';
import { saveNow, useLabId, useReadiness } from '../state/index.ts';
import { ErrorNote } from './ErrorNote.tsx';
import { FieldGroup } from './fields.tsx';
import { StepList } from './StepList.tsx';
import classes from './Inspector.module.css';

export function Readiness({ node }: { node: LabNode }) {
  const { t } = useTranslation();
  const api = useApi();
  const labId = useLabId();
  const readiness = useReadiness(labId, node.id);
  const [error, setError] = useState<WireError>();
  const [asked, setAsked] = useState(false);
  const stop = useRef<AbortController>(undefined);
  if (labId === undefined) return null;
  const preparing = asked || readiness?.state === 'preparing';

  const prepare = async (redo?: StepId): Promise<void> => {
    const own = new AbortController();
    stop.current = own;
    setError(undefined);
    setAsked(true);
    try {
      await saveNow(api);
      await api.call(
        'provision.prepare',
        { labId, nodeIds: [node.id], ...(redo === undefined ? {} : { redo: [redo] }) },
        own.signal,
      );
    } catch (caught) {
      const wire = toWireError(caught);
      if (wire.code !== 'cancelled') setError(wire);
    } finally {
      if (stop.current === own) setAsked(false);
    }
  };
  const steps = readiness?.steps ?? [];
  return (
    <FieldGroup title={t('inspector.readiness.title')}>
      <div className={classes.buttons}>
        <Button variant="default" loading={preparing} onClick={() => void prepare()}>
          {t('inspector.readiness.prepare')}
        </Button>
        {asked && (
          <Button variant="subtle" color="gray" onClick={() => stop.current?.abort()}>
            {t('shell.cancel')}
          </Button>
        )}
      </div>
      {error !== undefined && <ErrorNote error={error} />}
      {steps.length === 0 ? (
        <p className={classes.note}>{t('inspector.readiness.none')}</p>
      ) : (
        <StepList
          steps={steps}
          label={t('inspector.readiness.title')}
          node={node.name}
          onRedo={preparing ? undefined : (step) => void prepare(step)}
        />
      )}
    </FieldGroup>
  );
}
