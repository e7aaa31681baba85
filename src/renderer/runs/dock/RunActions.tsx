/** The actions of a run: resume, export its files, show its commands, rename, delete. */
import { ActionIcon, Button, Menu, Tooltip } from '@mantine/core';
import {
  IconBell,
  IconBraces,
  IconDatabaseExport,
  IconDots,
  IconDownload,
  IconFileSpreadsheet,
  IconPencil,
  IconPlayerPlay,
  IconRepeat,
  IconReport,
  IconTerminal2,
  IconTrash,
} from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { RenamedCheckpoint } from '../../../shared/run/checkpoint.ts';
import { canResume, isEnded, type RunRecord } from '../../../shared/run/run.ts';
import { useApi } from '../../api/index.ts';
import { asRinglabError, putRun, report } from '../../state/index.ts';
import { CommandsDialog } from '../dialogs/index.ts';
import { EditDialog } from '../dialogs/index.ts';
import classes from './RunActions.module.css';
import { SweepDialog } from '../dialogs/index.ts';
import { BinDialog } from '../table/index.ts';
import { WatchDialog } from '../dialogs/index.ts';
import { useExport } from '../actions/index.ts';

const renamed = [
  ['model_best.torchvision.pth.tar', 'runs.action.modelTorchvision'],
  ['model_best.ddp.pth.tar', 'runs.action.modelDdp'],
  ['checkpoint.torchvision.pth.tar', 'runs.action.checkpointTorchvision'],
  ['checkpoint.ddp.pth.tar', 'runs.action.checkpointDdp'],
] as const satisfies readonly (readonly [RenamedCheckpoint, string])[];

export function RunActions({ run }: { run: RunRecord }) {
  const { t } = useTranslation();
  const api = useApi();
  const [dialog, setDialog] = useState<'commands' | 'edit' | 'delete' | 'repeat' | 'watch'>();
  const [resuming, setResuming] = useState(false);
  const { busy, take } = useExport(run.id);
  const hasModel = run.epochsCompleted > 0 || typeof run.bestTop1 === 'number';
  /** An own script's files have names of its own: they are listed under Checkpoints. */
  const isNative = run.lab.experiment.script === undefined;
  const [listed, setListed] = useState(false);
  const close = (): void => setDialog(undefined);

  const resume = async (): Promise<void> => {
    setResuming(true);
    try {
      const { runId } = await api.call('run.resume', { runId: run.id });
      putRun(await api.call('run.get', { runId }));
    } catch (error) {
      report(asRinglabError(error));
    } finally {
      setResuming(false);
    }
  };
  return (
    <div className={classes.actions}>
      {run.state === 'queued' && (
        <Button
          variant="default"
          onClick={() => {
            api.call('run.stop', { runId: run.id }).catch((error: unknown) => report(asRinglabError(error)));
          }}
        >
          {t('runTable.leaveQueue')}
        </Button>
      )}
      {(canResume(run.state) || run.state === 'queued') && (
        <Button
          variant="light"
          loading={resuming}
          leftSection={<IconPlayerPlay size={14} />}
          onClick={() => void resume()}
        >
          {t(run.state === 'queued' ? 'runTable.startNow' : 'runs.action.resume')}
        </Button>
      )}
      {isNative && (
        <Tooltip label={t('runs.action.noModel')} disabled={hasModel}>
          <Button
            variant="default"
            disabled={!hasModel}
            loading={busy.has('model_best.pth.tar')}
            leftSection={<IconDownload size={14} />}
            onClick={() => take('model_best.pth.tar')}
          >
            {t('runs.action.exportModel')}
          </Button>
        </Tooltip>
      )}
      <Tooltip label={t('watch.title')}>
        <ActionIcon aria-label={t('watch.title')} onClick={() => setDialog('watch')}>
          <IconBell size={16} />
        </ActionIcon>
      </Tooltip>
      {dialog === 'watch' && <WatchDialog onClose={close} />}
      <Menu
        withInitialFocusPlaceholder={false}
        position="bottom-end"
        zIndex={320}
        opened={listed}
        onChange={setListed}
      >
        <Menu.Target>
          <Tooltip label={t('runs.action.more')} disabled={listed}>
            <ActionIcon aria-label={t('runs.action.more')}>
              <IconDots size={16} />
            </ActionIcon>
          </Tooltip>
        </Menu.Target>
        <Menu.Dropdown>
          {isNative && (
            <>
              <Menu.Item
                leftSection={<IconDatabaseExport size={14} />}
                onClick={() => take('checkpoint.pth.tar')}
              >
                {t('runs.action.exportCheckpoint')}
              </Menu.Item>
              <Menu.Label>{t('runs.action.otherNames')}</Menu.Label>
              {renamed.map(([file, label]) => (
                <Menu.Item
                  key={file}
                  disabled={!hasModel || busy.has(file)}
                  leftSection={<IconDatabaseExport size={14} />}
                  onClick={() => take(file)}
                >
                  {t(label)}
                </Menu.Item>
              ))}
              <Menu.Divider />
            </>
          )}
          <Menu.Item leftSection={<IconFileSpreadsheet size={14} />} onClick={() => take('metrics.csv')}>
            {t('runs.action.csv')}
          </Menu.Item>
          <Menu.Item leftSection={<IconBraces size={14} />} onClick={() => take('metrics.json')}>
            {t('runs.action.json')}
          </Menu.Item>
          <Menu.Item leftSection={<IconReport size={14} />} onClick={() => take('report.html')}>
            {t('runTable.report')}
          </Menu.Item>
          <Menu.Item leftSection={<IconTerminal2 size={14} />} onClick={() => setDialog('commands')}>
            {t('runs.action.commands')}
          </Menu.Item>
          <Menu.Divider />
          <Menu.Item leftSection={<IconRepeat size={14} />} onClick={() => setDialog('repeat')}>
            {t('runTable.repeat')}
          </Menu.Item>
          <Menu.Item leftSection={<IconPencil size={14} />} onClick={() => setDialog('edit')}>
            {t('runs.action.edit')}
          </Menu.Item>
          <Menu.Item
            color="var(--rl-state-failed)"
            leftSection={<IconTrash size={14} />}
            disabled={!isEnded(run.state) && run.state !== 'queued'}
            onClick={() => setDialog('delete')}
          >
            {t('runs.action.delete')}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {dialog === 'commands' && (
        <CommandsDialog runId={run.id} onClose={close} onSave={() => take('commands.sh')} />
      )}
      {dialog === 'edit' && <EditDialog run={run} onClose={close} />}
      {dialog === 'delete' && <BinDialog runs={[run]} onClose={close} />}
      {dialog === 'repeat' && <SweepDialog from={{ runId: run.id }} onClose={close} />}
    </div>
  );
}
