/** The command palette (Ctrl+K): finds every command, node, lab and run by name. */
import { Spotlight, useSpotlight, type SpotlightActionGroupData } from '@mantine/spotlight';
import { IconChartLine, IconDownload, IconFlask, IconFolder, IconSearch } from '@tabler/icons-react';
import { useEffect, useRef, useState, type Dispatch, type RefObject, type SetStateAction } from 'react';
import { useTranslation } from 'react-i18next';
import { codes } from '../../shared/i18n/say.ts';
import { shownState } from '../../shared/run/run.ts';
import { kindIcon } from '../canvas/index.ts';
import { exportableCharts, exportKinds } from '../charts/index.ts';
import { commands, keysInWords, useCommandContext, type CommandContext } from '../commands/index.ts';
import {
  camera,
  resolveLanguage,
  select,
  openRun,
  sortRuns,
  useLabStore,
  useRunStore,
  useSettingsStore,
  useWindowStore,
} from '../state/index.ts';
import { shownName } from '../ui/index.ts';
import classes from './CommandPalette.module.css';
import { paletteStore } from './shortcuts.ts';

/** The maximum number of entries shown; typing finds the others. */
const maxShown = 60;

export function CommandPalette() {
  const { t } = useTranslation();
  const { opened } = useSpotlight(paletteStore);
  const context = useCommandContext();
  const search = useRef<HTMLInputElement>(null);
  const [query, setQuery] = useState('');
  useTypedAtOnce(search, setQuery);
  return (
    <Spotlight
      store={paletteStore}
      shortcut={null}
      query={query}
      onQueryChange={setQuery}
      // At once: keys that are typed meanwhile are meant for it.
      transitionProps={{ duration: 0 }}
      // Computed when it is opened: which commands are possible depends on the selection.
      actions={opened ? entries(context) : []}
      limit={maxShown}
      scrollable
      maxHeight={420}
      scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}
      highlightQuery
      nothingFound={t('commands.nothing')}
      searchProps={{
        ref: search,
        leftSection: <IconSearch size={16} aria-hidden />,
        placeholder: t('commands.search'),
        'aria-label': t('commands.search'),
      }}
      classNames={{ action: classes.action ?? '' }}
    />
  );
}

/**
 * The search field has the focus a moment after the palette has opened. Until then keys would reach the drawing or press a button:
 * characters are added to the search, Enter and Tab do nothing.
 */
function useTypedAtOnce(
  search: RefObject<HTMLInputElement | null>,
  setQuery: Dispatch<SetStateAction<string>>,
): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (!paletteStore.getState().opened) return;
      const { key, ctrlKey, metaKey } = event;
      const dialog = search.current?.closest('[role="dialog"]');
      if (key === 'Escape' || ctrlKey || metaKey || dialog?.contains(document.activeElement) === true) return;
      event.preventDefault();
      event.stopPropagation();
      if (key.length === 1) setQuery((now) => now + key);
      search.current?.focus();
    };
    window.addEventListener('keydown', onKey, { capture: true });
    return () => window.removeEventListener('keydown', onKey, { capture: true });
  }, [search, setQuery]);
}

/** Found by their names, and by the name of their group: 'example' lists the examples. Commands also by their names in the other languages. */
function entries(context: CommandContext): SpotlightActionGroupData[] {
  return [
    ...commandEntries(context),
    ...nodeEntries(context),
    ...labEntries(context),
    ...exampleEntries(context),
    ...chartEntries(context),
    ...runEntries(context),
  ].map(({ group, actions }) => ({
    group,
    actions: actions.map((action) => ({ ...action, keywords: [group, action.keywords ?? []].flat() })),
  }));
}

function commandEntries(context: CommandContext): SpotlightActionGroupData[] {
  const { t } = context;
  const groups = new Map<string, SpotlightActionGroupData>();
  for (const { id, section, Icon, keys, isPossible, run } of commands) {
    if (isPossible?.() === false) continue;
    const group = t(`commands.section.${section}`);
    const known = groups.get(group) ?? { group, actions: [] };
    groups.set(group, known);
    known.actions.push({
      id: `command ${id}`,
      label: t(`commands.name.${id}`),
      keywords: Object.values(codes).map((lng) => t(`commands.name.${id}`, { lng })),
      leftSection: <Icon size={16} aria-hidden />,
      ...(keys === undefined
        ? {}
        : { rightSection: <kbd className={classes.keys}>{keysInWords(keys)}</kbd> }),
      onClick: () => run({ ...context, at: camera()?.middle() }),
    });
  }
  return [...groups.values()];
}

function nodeEntries({ t }: CommandContext): SpotlightActionGroupData[] {
  const nodes = useLabStore.getState().lab?.nodes ?? [];
  const actions = nodes.map((node) => {
    const Icon = kindIcon[node.kind];
    return {
      id: `node ${node.id}`,
      label: shownName(node.name, t),
      description: t(`lab.kind.${node.kind}`),
      leftSection: <Icon size={16} aria-hidden />,
      onClick() {
        select({ nodes: [node.id], links: [] });
        camera()?.showParts({ nodes: [node.id] });
      },
    };
  });
  return actions.length === 0 ? [] : [{ group: t('commands.section.nodes'), actions }];
}

function labEntries({ t, labs }: CommandContext): SpotlightActionGroupData[] {
  const current = useLabStore.getState().lab?.id;
  const actions = useWindowStore
    .getState()
    .labs.filter((lab) => lab.error === undefined && lab.id !== current)
    .map((lab) => ({
      id: `lab ${lab.id}`,
      label: shownName(lab.name, t),
      leftSection: <IconFolder size={16} aria-hidden />,
      onClick: () => labs.open(lab.id),
    }));
  return actions.length === 0 ? [] : [{ group: t('commands.section.labs'), actions }];
}

function exampleEntries({ t, labs }: CommandContext): SpotlightActionGroupData[] {
  const language = resolveLanguage(useSettingsStore.getState().language);
  const actions = useWindowStore.getState().examples.map(({ name, title }) => ({
    id: `example ${name}`,
    label: title[language],
    leftSection: <IconFlask size={16} aria-hidden />,
    onClick: () => labs.fromExample(name),
  }));
  return actions.length === 0 ? [] : [{ group: t('commands.section.examples'), actions }];
}

/** The charts that are drawn now, in each format. */
function chartEntries({ t }: CommandContext): SpotlightActionGroupData[] {
  const actions = exportableCharts().flatMap(({ id, title, save }) =>
    exportKinds.map((kind) => ({
      id: `chart ${id} ${kind}`,
      label: t('charts.saveAs', { chart: title, kind: t(`charts.as.${kind}`) }),
      leftSection: <IconDownload size={16} aria-hidden />,
      onClick: () => save(kind),
    })),
  );
  return actions.length === 0 ? [] : [{ group: t('commands.section.charts'), actions }];
}

function runEntries({ t }: CommandContext): SpotlightActionGroupData[] {
  const labId = useLabStore.getState().lab?.id;
  if (labId === undefined) return [];
  const runs = Object.values(useRunStore.getState().summaries).filter((run) => run.labId === labId);
  const actions = sortRuns(runs).map((run) => ({
    id: `run ${run.id}`,
    label: run.name,
    description: t(`runStates.${shownState(run)}`),
    leftSection: <IconChartLine size={16} aria-hidden />,
    onClick: () => openRun(labId, run.id),
  }));
  return actions.length === 0 ? [] : [{ group: t('commands.section.runs'), actions }];
}
