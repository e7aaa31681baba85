/** The actions of a run: the ones a user needs next as buttons, all others in a menu. */
import { ActionIcon, Button, Menu, Tooltip } from '@mantine/core';
import { IconBell, IconDots, IconDownload, IconPlayerPlay } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { canResume, shownState, type RunRecord } from '../../../shared/run/run.ts';
import { CommandItems, commandOf, resume, useCommandContext } from '../../commands/index.ts';
import { useRunFiles } from '../../exchange/index.ts';
import classes from './RunActions.module.css';
import { runMenu } from '../actions/index.ts';

export function RunActions({ run }: { run: RunRecord }) {
  const { t } = useTranslation();
  const context = useCommandContext();
  const { busy, take } = useRunFiles(run.id);
  const [resuming, setResuming] = useState(false);
  const [listed, setListed] = useState(false);
  const hasModel = run.epochsCompleted > 0 || typeof run.bestTop1 === 'number';
  return (
    <div className={classes.actions}>
      {run.state === 'queued' && (
        <Button variant="default" onClick={() => commandOf('leaveQueue').run(context)}>
          {t('commands.name.leaveQueue')}
        </Button>
      )}
      {(canResume(run.state) || run.state === 'queued') && (
        <Tooltip label={t('runTable.held.follow')} disabled={shownState(run) !== 'held'}>
          <Button
            variant="light"
            loading={resuming}
            leftSection={<IconPlayerPlay size={14} />}
            onClick={() => {
              setResuming(true);
              void resume(run, context).finally(() => setResuming(false));
            }}
          >
            {t(run.state === 'queued' ? 'runTable.startNow' : 'runs.action.resume')}
          </Button>
        </Tooltip>
      )}
      {run.lab.experiment.script === undefined && (
        <Tooltip label={t('runs.action.noModel')} disabled={hasModel}>
          <Button
            variant="default"
            disabled={!hasModel}
            loading={busy.has('model_best.pth.tar')}
            leftSection={<IconDownload size={14} />}
            onClick={() => take('model_best.pth.tar')}
          >
            {t('commands.name.exportModel')}
          </Button>
        </Tooltip>
      )}
      <Tooltip label={t('watch.title')}>
        <ActionIcon aria-label={t('watch.title')} onClick={() => commandOf('watch').run(context)}>
          <IconBell size={16} />
        </ActionIcon>
      </Tooltip>
      <Menu
        withInitialFocusPlaceholder={false}
        position="bottom-end"
        width={300}
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
          <CommandItems groups={runMenu} impossible="hidden" />
        </Menu.Dropdown>
      </Menu>
    </div>
  );
}
