/** The lab menu: new, open, examples, import, duplicate, export, delete. */
import { ActionIcon, Menu, Text, Tooltip } from '@mantine/core';
import { modals } from '@mantine/modals';
import {
  IconAlertTriangle,
  IconChevronDown,
  IconDownload,
  IconFlask,
  IconFolder,
  IconShape,
  IconTerminal2,
  type Icon,
} from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { LabSummary } from '../../shared/contract/api.ts';
import { useApi } from '../api/index.ts';
import { ErrorNote, shownName } from '../ui/index.ts';
import {
  refreshLabs,
  refreshRunLabs,
  templates,
  useLabStore,
  useLanguage,
  useWindowStore,
} from '../state/index.ts';
import classes from './Header.module.css';
import { CommandItems, useLabActions, type CommandId } from '../commands/index.ts';

export function LabMenu() {
  const { t } = useTranslation();
  const api = useApi();
  const actions = useLabActions();
  const labs = useWindowStore((state) => state.labs);
  const runLabs = useWindowStore((state) => state.runLabs);
  const language = useLanguage();
  const examples = useWindowStore((state) => state.examples);
  const lab = useLabStore((state) => state.lab);
  return (
    <Menu
      width={270}
      withInitialFocusPlaceholder={false}
      onOpen={() => void Promise.all([refreshLabs(api), refreshRunLabs(api)])}
    >
      <Menu.Target>
        <Tooltip label={t('shell.menu.open')}>
          <ActionIcon aria-label={t('shell.menu.open')}>
            <IconChevronDown size={17} />
          </ActionIcon>
        </Tooltip>
      </Menu.Target>
      <Menu.Dropdown className={classes.menu ?? ''}>
        <CommandItems groups={[['newLab', 'importFile', 'importSsh']]} impossible="hidden" />
        {lab !== undefined && (
          <CommandList
            title={t('shell.menu.templates')}
            Icon={IconShape}
            ids={templates.map((template) => `template_${template}` as const)}
          />
        )}
        {labs.length > 0 && (
          <>
            <Menu.Divider />
            <Menu.Label>{t('shell.menu.labs')}</Menu.Label>
            <div className={classes.menuList}>
              {labs.map((one) => (
                <LabItem key={one.id} lab={one} current={one.id === lab?.id} onOpen={actions.open} />
              ))}
            </div>
          </>
        )}
        {runLabs.length > 0 && (
          <>
            <Menu.Divider />
            <Menu.Label>{t('shell.menu.runLabs')}</Menu.Label>
            <div className={classes.menuList}>
              {runLabs.map((one) => (
                <Menu.Item
                  key={one.labId}
                  leftSection={<IconTerminal2 size={15} />}
                  rightSection={
                    <Text size="xs" c="dimmed">
                      {t('shell.menu.runs', { count: one.runs })}
                    </Text>
                  }
                  onClick={() => actions.openOfRun(one.runId)}
                >
                  {shownName(one.name, t)}
                </Menu.Item>
              ))}
            </div>
          </>
        )}
        <Menu.Divider />
        <Menu.Label>{t('shell.menu.examples')}</Menu.Label>
        {examples.map((example) => (
          <Menu.Item
            key={example.name}
            leftSection={<IconFlask size={15} />}
            onClick={() => actions.fromExample(example.name)}
          >
            {example.title[language]}
          </Menu.Item>
        ))}
        {lab !== undefined && (
          <>
            <Menu.Divider />
            <CommandItems groups={[['duplicateLab', 'bundle']]} impossible="hidden" />
            <CommandList
              title={t('shell.menu.exportAs')}
              Icon={IconDownload}
              ids={['exportLab', 'exportPng', 'exportSvg', 'exportContainerlab', 'exportAnsible']}
            />
            <CommandItems groups={[['deleteLab']]} impossible="hidden" />
          </>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}

/** A submenu of commands. */
function CommandList(props: { title: string; Icon: Icon; ids: readonly CommandId[] }) {
  return (
    <Menu.Sub>
      <Menu.Sub.Target>
        <Menu.Sub.Item leftSection={<props.Icon size={15} />}>{props.title}</Menu.Sub.Item>
      </Menu.Sub.Target>
      <Menu.Sub.Dropdown>
        <CommandItems groups={[props.ids]} impossible="disabled" />
      </Menu.Sub.Dropdown>
    </Menu.Sub>
  );
}

function LabItem(props: { lab: LabSummary; current: boolean; onOpen: (labId: string) => void }) {
  const { t } = useTranslation();
  const { lab } = props;
  const { error } = lab;
  if (error !== undefined) {
    return (
      <Menu.Item
        leftSection={<IconAlertTriangle size={15} color="var(--rl-state-failed)" />}
        onClick={() =>
          modals.open({
            title: t('shell.damaged.title'),
            children: (
              <>
                <Text size="sm">
                  {t('shell.damaged.file')}: <code>{lab.path}</code>
                </Text>
                <ErrorNote error={error} />
              </>
            ),
          })
        }
      >
        {lab.name}
        <div className={classes.damaged}>{t('shell.menu.damaged')}</div>
      </Menu.Item>
    );
  }
  return (
    <Menu.Item
      leftSection={<IconFolder size={15} />}
      rightSection={
        <Text size="xs" c="dimmed">
          {t('shell.menu.nodes', { count: lab.nodes })}
        </Text>
      }
      aria-current={props.current}
      fw={props.current ? 620 : undefined}
      onClick={() => props.onOpen(lab.id)}
    >
      {shownName(lab.name, t)}
    </Menu.Item>
  );
}
