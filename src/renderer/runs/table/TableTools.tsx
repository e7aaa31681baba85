/** The toolbar of the table of runs: which are listed, and actions on the marked ones. */
import { Button, SegmentedControl, Switch, TextInput } from '@mantine/core';
import {
  IconArchive,
  IconArchiveOff,
  IconArrowBackUp,
  IconChartDots3,
  IconSearch,
  IconTag,
  IconTrash,
} from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { RunSummary } from '../../../shared/contract/api.ts';
import { isEnded } from '../../../shared/run/run.ts';
import { compare, showRunDialog, showRunsView, useRunsView } from '../../state/index.ts';
import { scopes, type Scope } from './run-filter.ts';
import { ScalarChoice } from './ScalarChoice.tsx';
import type { ScalarColumn } from './scalar-columns.ts';
import { BinDialog } from '../dialogs/index.ts';
import { TagsDialog } from './TagsDialog.tsx';
import { askBeforeDestroying, clearOnEscape } from '../../ui/index.ts';
import classes from './table.module.css';
import { useRunActions } from '../actions/index.ts';

export interface TableToolsProps {
  readonly labId: string;
  readonly query: string;
  readonly onQuery: (query: string) => void;
  readonly scope: Scope;
  readonly onScope: (scope: Scope) => void;
  readonly allColumns: boolean;
  readonly onAllColumns: (all: boolean) => void;
  /** Scalars that runs have. */
  readonly scalarNames: readonly string[];
  readonly scalars: readonly ScalarColumn[];
  readonly onScalars: (columns: readonly ScalarColumn[]) => void;
  readonly parallel: boolean;
  readonly onParallel: (parallel: boolean) => void;
  readonly count: number;
  readonly marked: readonly RunSummary[];
  readonly onBinChanged: () => void;
}

export function TableTools(props: TableToolsProps) {
  const { t } = useTranslation();
  const actions = useRunActions();
  const [open, setOpen] = useState<'tags' | 'delete'>();
  const compared = useRunsView((view) => view.compared.length);
  const { marked, scope } = props;
  const ended = marked.filter((run) => isEnded(run.state) || run.state === 'queued');
  const close = (): void => setOpen(undefined);
  return (
    <div className={classes.tools} role="toolbar" aria-label={t('runTable.tools')}>
      <TextInput
        className={classes.search ?? ''}
        aria-label={t('runs.list.filter')}
        placeholder={t('runTable.filterHint')}
        leftSection={<IconSearch size={13} />}
        value={props.query}
        onChange={(event) => props.onQuery(event.currentTarget.value)}
        onKeyDown={clearOnEscape(props.query, () => props.onQuery(''))}
      />
      <SegmentedControl
        aria-label={t('runTable.scopeLabel')}
        value={scope}
        onChange={props.onScope}
        data={scopes.map((value) => ({ value, label: t(`runTable.scope.${value}`) }))}
      />
      <Switch
        size="xs"
        label={t('runTable.allColumns')}
        checked={props.allColumns}
        onChange={(event) => props.onAllColumns(event.currentTarget.checked)}
      />
      {props.scalarNames.length > 0 && (
        <ScalarChoice names={props.scalarNames} columns={props.scalars} onChoose={props.onScalars} />
      )}
      {scope !== 'bin' && (
        <Switch
          size="xs"
          label={t('parallel.open')}
          checked={props.parallel}
          onChange={(event) => props.onParallel(event.currentTarget.checked)}
        />
      )}
      <span className={classes.count} role="status">
        {marked.length > 0
          ? t('runTable.marked', { marked: marked.length, count: props.count })
          : t('runTable.count', { count: props.count })}
      </span>
      {scope === 'bin' ? (
        <>
          <Button
            variant="default"
            disabled={marked.length === 0}
            leftSection={<IconArrowBackUp size={14} />}
            onClick={() => void actions.restore(marked).then(props.onBinChanged)}
          >
            {t('runTable.restore')}
          </Button>
          <Button
            variant="default"
            color="red"
            disabled={marked.length === 0}
            leftSection={<IconTrash size={14} />}
            onClick={() =>
              askBeforeDestroying(
                {
                  title: t('runTable.forGoodTitle', { count: marked.length, name: marked[0]?.name ?? '' }),
                  text: t('runTable.forGoodText', { count: marked.length }),
                  confirm: t('runTable.deleteForGood'),
                  cancel: t('shell.cancel'),
                },
                () =>
                  void actions
                    .removeForGood(marked.map((run) => ({ ...run, nodes: run.binned?.nodes === true })))
                    .then(props.onBinChanged),
              )
            }
          >
            {t('runTable.deleteForGood')}
          </Button>
        </>
      ) : (
        <>
          <Button variant="default" onClick={() => showRunDialog({ kind: 'sweep', labId: props.labId })}>
            {t('commands.name.sweep')}
          </Button>
          {marked.length === 0 && compared > 1 && (
            <Button variant="default" onClick={() => showRunsView('compare')}>
              {t('runTable.lastComparison', { count: compared })}
            </Button>
          )}
          {marked.length > 0 && (
            <>
              <Button variant="default" leftSection={<IconTag size={14} />} onClick={() => setOpen('tags')}>
                {t('runTable.tags')}
              </Button>
              <Button
                variant="default"
                leftSection={scope === 'archived' ? <IconArchiveOff size={14} /> : <IconArchive size={14} />}
                onClick={() => void actions.archive(marked, scope !== 'archived')}
              >
                {t(scope === 'archived' ? 'runTable.unarchive' : 'runTable.archive')}
              </Button>
              <Button
                variant="default"
                disabled={ended.length === 0}
                leftSection={<IconTrash size={14} />}
                onClick={() => setOpen('delete')}
              >
                {t('runTable.delete')}
              </Button>
              <Button
                disabled={marked.length < 2}
                leftSection={<IconChartDots3 size={14} />}
                onClick={() => compare(marked.map(({ id }) => id))}
              >
                {t('runTable.compare')}
              </Button>
            </>
          )}
        </>
      )}
      {open === 'tags' && <TagsDialog runs={marked} onClose={close} />}
      {open === 'delete' && <BinDialog runs={ended} onClose={close} />}
    </div>
  );
}
