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
  IconTrash,
  IconUpload,
} from '@tabler/icons-react';
import { useRef } from 'react';
import { useTranslation } from 'react-i18next';
import type { LabSummary } from '../../shared/api.ts';
import { formatLab } from '../../shared/lab.ts';
import { ErrorNote } from '../inspector/index.ts';
import { useLabStore, useWindowStore } from '../state/index.ts';
import classes from './Header.module.css';
import { useLabActions } from './lab-actions.ts';

export function LabMenu() {
  const { t } = useTranslation();
  const actions = useLabActions();
  const labs = useWindowStore((state) => state.labs);
  const examples = useWindowStore((state) => state.examples);
  const lab = useLabStore((state) => state.lab);
  const file = useRef<HTMLInputElement>(null);
  return (
    <>
      <Menu width={270} withInitialFocusPlaceholder={false}>
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
              {example.title}
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
              <Menu.Item
                leftSection={<IconDownload size={15} />}
                onClick={() => download(`${fileName(lab.name)}.lab.json`, formatLab(lab))}
              >
                {t('shell.menu.export')}
              </Menu.Item>
              <Menu.Item
                color="var(--rl-state-failed)"
                leftSection={<IconTrash size={15} />}
                onClick={() =>
                  modals.openConfirmModal({
                    title: t('shell.deleteLab.title'),
                    children: <Text size="sm">{t('shell.deleteLab.text', { name: lab.name })}</Text>,
                    labels: { confirm: t('shell.deleteLab.confirm'), cancel: t('shell.cancel') },
                    confirmProps: { color: 'red' },
                    onConfirm: () => actions.remove(lab.id),
                  })
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
        accept=".json,application/json"
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

/** A name that every file system takes. */
const fileName = (name: string): string => {
  const safe = name.trim().replace(/[\\/:*?"<>|\p{Cc}]+/gu, '-');
  return safe === '' ? 'lab' : safe.slice(0, 100);
};

function download(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'application/json' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // The browser has taken its own reference once the click was handled.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
