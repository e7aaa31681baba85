/** The lab menu: new, open, examples, import, duplicate, export, delete. */
import { ActionIcon, Menu, Text, Tooltip } from '@mantine/core';
import { modals } from '@mantine/modals';
import {
  IconAlertTriangle,
  IconChevronDown,
  IconCopy,
  IconDownload,
  IconFilePlus,
  IconFlask,
  IconFolder,
  IconShape,
  IconTerminal,
  IconTrash,
  IconUpload,
  type Icon,
} from '@tabler/icons-react';
import { useRef } from 'react';
import { useTranslation } from 'react-i18next';
import type { LabSummary } from '../../shared/contract/api.ts';
import { useApi } from '../api/index.ts';
import { askBeforeDestroying, ErrorNote } from '../ui/index.ts';
import {
  refreshLabs,
  showDialog,
  templates,
  useLabStore,
  useLanguage,
  useWindowStore,
} from '../state/index.ts';
import classes from './Header.module.css';
import { commandOf, useCommandContext, useLabActions, type CommandId } from '../commands/index.ts';

export function LabMenu() {
  const { t } = useTranslation();
  const api = useApi();
  const actions = useLabActions();
  const labs = useWindowStore((state) => state.labs);
  const language = useLanguage();
  const examples = useWindowStore((state) => state.examples);
  const lab = useLabStore((state) => state.lab);
  const file = useRef<HTMLInputElement>(null);
  return (
    <>
      <Menu width={270} withInitialFocusPlaceholder={false} onOpen={() => void refreshLabs(api)}>
        <Menu.Target>
          <Tooltip label={t('shell.menu.open')}>
            <ActionIcon aria-label={t('shell.menu.open')}>
              <IconChevronDown size={17} />
            </ActionIcon>
          </Tooltip>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<IconFilePlus size={15} />} onClick={actions.create}>
            {t('shell.menu.new')}
          </Menu.Item>
          <Menu.Item leftSection={<IconUpload size={15} />} onClick={() => file.current?.click()}>
            {t('shell.menu.import')}
          </Menu.Item>
          {lab !== undefined && (
            <>
              <Menu.Item leftSection={<IconTerminal size={15} />} onClick={() => showDialog('sshImport')}>
                {t('commands.name.importSsh')}
              </Menu.Item>
              <CommandList
                title={t('shell.menu.templates')}
                Icon={IconShape}
                ids={templates.map((template) => `template_${template}` as const)}
              />
            </>
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
              <Menu.Item
                leftSection={<IconCopy size={15} />}
                onClick={() => actions.duplicate(lab.id, t('shell.menu.copyName', { name: lab.name }))}
              >
                {t('shell.menu.duplicate')}
              </Menu.Item>
              <CommandList
                title={t('shell.menu.exportAs')}
                Icon={IconDownload}
                ids={['exportLab', 'exportPng', 'exportSvg', 'exportContainerlab', 'exportAnsible']}
              />
              <Menu.Item
                color="var(--rl-state-failed)"
                leftSection={<IconTrash size={15} />}
                onClick={() =>
                  askBeforeDestroying(
                    {
                      title: t('shell.deleteLab.title'),
                      text: t('shell.deleteLab.text', { name: lab.name }),
                      confirm: t('shell.deleteLab.confirm'),
                      cancel: t('shell.cancel'),
                    },
                    () => actions.remove(lab.id),
                  )
                }
              >
                {t('shell.menu.delete')}
              </Menu.Item>
            </>
          )}
        </Menu.Dropdown>
      </Menu>
      <input
        ref={file}
        type="file"
        accept=".json,.yml,.yaml,application/json"
        hidden
        aria-label={t('shell.menu.import')}
        onChange={(event) => {
          const chosen = event.currentTarget.files?.[0];
          if (chosen !== undefined) actions.importFile(chosen);
          event.currentTarget.value = '';
        }}
      />
    </>
  );
}

/** A submenu of commands. */
function CommandList(props: { title: string; Icon: Icon; ids: readonly CommandId[] }) {
  const { t } = useTranslation();
  const context = useCommandContext();
  return (
    <Menu.Sub>
      <Menu.Sub.Target>
        <Menu.Sub.Item leftSection={<props.Icon size={15} />}>{props.title}</Menu.Sub.Item>
      </Menu.Sub.Target>
      <Menu.Sub.Dropdown>
        {props.ids.map(commandOf).map(({ id, Icon, run, isPossible }) => (
          <Menu.Item
            key={id}
            leftSection={<Icon size={15} />}
            disabled={isPossible?.() === false}
            onClick={() => run(context)}
          >
            {t(`commands.name.${id}`)}
          </Menu.Item>
        ))}
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
      {lab.name}
    </Menu.Item>
  );
}
