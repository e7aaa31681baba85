/** Language and theme. */
import { ActionIcon, Popover, SegmentedControl, Stack, Text, Tooltip } from '@mantine/core';
import { IconSettings } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Settings } from '../../shared/api.ts';
import { useApi } from '../api/index.ts';
import { changeSettings } from '../commands/index.ts';
import { useSettingsStore, useWindowStore } from '../state/index.ts';

const languageNames = { en: 'English', 'zh-CN': '简体中文' } as const;

export function SettingsMenu() {
  const { t } = useTranslation();
  const api = useApi();
  const settings = useSettingsStore();
  const version = useWindowStore((state) => state.info?.version);
  const [open, setOpen] = useState(false);
  const set = (change: Partial<Settings>): void => changeSettings(api, change);
  return (
    <Popover opened={open} onChange={setOpen} position="bottom-end" trapFocus>
      <Popover.Target>
        <Tooltip label={t('shell.settings.open')}>
          <ActionIcon
            aria-label={t('shell.settings.open')}
            aria-expanded={open}
            onClick={() => setOpen(!open)}
          >
            <IconSettings size={17} />
          </ActionIcon>
        </Tooltip>
      </Popover.Target>
      <Popover.Dropdown aria-label={t('shell.settings.open')}>
        <Stack gap="sm">
          <div>
            <Text size="xs" fw={600} mb={4}>
              {t('shell.settings.language')}
            </Text>
            <SegmentedControl
              aria-label={t('shell.settings.language')}
              value={settings.language}
              data={Settings.shape.language.options.map((value) => ({
                value,
                label: value === 'system' ? t('shell.settings.system') : languageNames[value],
              }))}
              // Made of the schema's own options just above.
              onChange={(language) => set({ language: language })}
            />
          </div>
          <div>
            <Text size="xs" fw={600} mb={4}>
              {t('shell.settings.theme')}
            </Text>
            <SegmentedControl
              aria-label={t('shell.settings.theme')}
              value={settings.theme}
              data={Settings.shape.theme.options.map((value) => ({
                value,
                label: t(`shell.settings.${value}`),
              }))}
              onChange={(theme) => set({ theme: theme })}
            />
          </div>
          {version !== undefined && (
            <Text size="xs" c="dimmed">
              {t('shell.settings.about', { version })}
            </Text>
          )}
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}
