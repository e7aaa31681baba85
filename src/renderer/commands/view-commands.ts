/** Commands that change the view: zoom, panels, theme, language. */
import {
  IconColumns2,
  IconDeviceDesktop,
  IconFlask,
  IconFocusCentered,
  IconHelp,
  IconLanguage,
  IconLayoutBottombar,
  IconLayoutSidebar,
  IconLayoutSidebarRight,
  IconMap,
  IconMoon,
  IconNotes,
  IconRoute,
  IconSettings,
  IconSun,
  IconZoomIn,
  IconZoomOut,
  IconZoomScan,
} from '@tabler/icons-react';
import type { Settings } from '../../shared/contract/api.ts';
import {
  asRinglabError,
  camera,
  canToggleBeside,
  putSettings,
  report,
  resolveLanguage,
  selectedCount,
  showDialog,
  showPage,
  toggleBeside,
  toggleDock,
  toggleOverview,
  togglePanel,
  useLabStore,
  useSettingsStore,
} from '../state/index.ts';
import type { LabClient } from '../api/index.ts';
import type { Command } from './command.ts';

/** Applies a setting at once and stores it; if main refuses, the old value returns. */
export function changeSettings(api: LabClient, change: Partial<Settings>): void {
  const before = useSettingsStore.getState();
  putSettings({ ...before, ...change });
  api.call('settings.set', change).then(putSettings, (error: unknown) => {
    putSettings(before);
    report(asRinglabError(error));
  });
}

const hasNodes = (): boolean => {
  const { lab } = useLabStore.getState();
  return lab !== undefined && lab.nodes.length + (lab.annotations?.length ?? 0) > 0;
};

export const viewCommands: readonly Command[] = [
  {
    id: 'showAll',
    section: 'view',
    Icon: IconFocusCentered,
    keys: 'Shift+1',
    isPossible: hasNodes,
    run: () => camera()?.showAll(),
  },
  {
    id: 'showSelection',
    section: 'view',
    Icon: IconZoomScan,
    keys: 'Shift+2',
    isPossible: () => selectedCount(useLabStore.getState().selection) > 0,
    run() {
      const { lab, selection } = useLabStore.getState();
      const links = new Set(selection.links);
      const ends = lab?.links.filter((link) => links.has(link.id)).flatMap((link) => link.ends) ?? [];
      camera()?.showParts({ ...selection, nodes: [...selection.nodes, ...ends] });
    },
  },
  { id: 'zoomIn', section: 'view', Icon: IconZoomIn, isPossible: hasNodes, run: () => camera()?.zoomIn() },
  { id: 'zoomOut', section: 'view', Icon: IconZoomOut, isPossible: hasNodes, run: () => camera()?.zoomOut() },
  { id: 'overview', section: 'view', Icon: IconMap, isPossible: hasNodes, run: toggleOverview },
  {
    id: 'experimentPage',
    section: 'view',
    Icon: IconFlask,
    isPossible: () => useLabStore.getState().lab !== undefined,
    run: () => showPage('experiment'),
  },
  {
    id: 'labPage',
    section: 'view',
    Icon: IconNotes,
    isPossible: () => useLabStore.getState().lab !== undefined,
    run: () => showPage('lab'),
  },
  {
    id: 'togglePalette',
    section: 'view',
    Icon: IconLayoutSidebar,
    keys: 'Mod+B',
    isPossible: () => useLabStore.getState().lab !== undefined,
    run: () => togglePanel('palette'),
  },
  {
    id: 'toggleInspector',
    section: 'view',
    Icon: IconLayoutSidebarRight,
    keys: 'Mod+Alt+B',
    isPossible: () => useLabStore.getState().lab !== undefined,
    run: () => togglePanel('inspector'),
  },
  {
    id: 'toggleRuns',
    section: 'view',
    Icon: IconLayoutBottombar,
    keys: 'Mod+J',
    isPossible: () => useLabStore.getState().lab !== undefined,
    run: toggleDock,
  },
  {
    id: 'toggleBeside',
    section: 'view',
    Icon: IconColumns2,
    isPossible: canToggleBeside,
    run: toggleBeside,
  },
  {
    id: 'settings',
    section: 'view',
    Icon: IconSettings,
    keys: 'Mod+,',
    run: () => showDialog('settings'),
  },
  {
    id: 'help',
    section: 'view',
    Icon: IconHelp,
    keys: 'F1',
    otherKeys: '?',
    run: () => showDialog('help'),
  },
  { id: 'tour', section: 'view', Icon: IconRoute, run: () => showDialog('tour') },
  { id: 'light', section: 'view', Icon: IconSun, run: ({ api }) => changeSettings(api, { theme: 'light' }) },
  { id: 'dark', section: 'view', Icon: IconMoon, run: ({ api }) => changeSettings(api, { theme: 'dark' }) },
  {
    id: 'systemTheme',
    section: 'view',
    Icon: IconDeviceDesktop,
    run: ({ api }) => changeSettings(api, { theme: 'system' }),
  },
  {
    id: 'otherLanguage',
    section: 'view',
    Icon: IconLanguage,
    run({ api }) {
      const now = resolveLanguage(useSettingsStore.getState().language);
      changeSettings(api, { language: now === 'en' ? 'zh-CN' : 'en' });
    },
  },
];
