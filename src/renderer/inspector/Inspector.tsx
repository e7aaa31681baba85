/** The inspector at the right: the fields of the selection, the experiment, or the lab. */
import { Tabs } from '@mantine/core';
import { useDeferredValue, useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import {
  pageChoices,
  selectedCount,
  showPage,
  useLabId,
  useLabStore,
  useViewStore,
  type InspectorPage,
  flowIdOf,
} from '../state/index.ts';
import { AnnotationPanel } from './AnnotationPanel.tsx';
import { ExperimentPanel } from './ExperimentPanel.tsx';
import classes from './Inspector.module.css';
import { LabPanel } from './LabPanel.tsx';
import { LinkPanel } from './LinkPanel.tsx';
import { NodePanel } from './NodePanel.tsx';
import { SeveralPanel } from './SeveralPanel.tsx';

export function Inspector() {
  const { t } = useTranslation();
  const labId = useLabId();
  const page = useViewStore((state) => state.page);
  // Deferred: the drawing shows the selection first, as rendering many fields would delay the first frame of a drag.
  const selection = useDeferredValue(useLabStore((state) => state.selection));
  const count = selectedCount(selection);
  // On a busy machine that takes a while: a page that the user chooses in the meantime stays.
  const choicesAtSelection = useRef(pageChoices());
  useEffect(
    () =>
      useLabStore.subscribe((now, before) => {
        if (now.selection !== before.selection) choicesAtSelection.current = pageChoices();
      }),
    [],
  );
  useEffect(() => {
    // Not by showPage, which records a choice of the user.
    const turnTo = (next: InspectorPage): void => useViewStore.setState({ page: next });
    if (count > 0) {
      if (choicesAtSelection.current === pageChoices()) turnTo('selection');
    } else if (useViewStore.getState().page === 'selection') turnTo('experiment');
  }, [count, selection]);
  const [nodeId] = selection.nodes;
  const [linkId] = selection.links;
  const [annotationId] = selection.annotations ?? [];
  const partId = nodeId ?? linkId ?? (annotationId === undefined ? '' : flowIdOf(annotationId));
  const title =
    count === 1 && linkId !== undefined
      ? t('inspector.page.link')
      : count > 1
        ? t('inspector.page.several')
        : annotationId !== undefined
          ? t('inspector.annotation.page')
          : t('inspector.page.node');
  return (
    <aside
      className={classes.inspector}
      aria-label={t('inspector.title')}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || event.defaultPrevented || page !== 'selection') return;
        // An input method takes this one.
        if (event.nativeEvent.isComposing) return;
        // There Escape closes an open drop-down list.
        if (event.target instanceof Element && event.target.getAttribute('aria-expanded') === 'true') return;
        const card = document.querySelector<HTMLElement>(`.react-flow [data-id="${partId}"]`);
        card?.focus();
      }}
    >
      <Tabs
        value={page}
        // The tabs below have these values only.
        onChange={(value) => value !== null && showPage(value as InspectorPage)}
        classNames={{ root: classes.tabs ?? '', panel: classes.panel ?? '', tab: classes.tab ?? '' }}
        keepMounted={false}
      >
        <Tabs.List grow>
          <Tabs.Tab value="selection" disabled={count === 0}>
            {title}
          </Tabs.Tab>
          <Tabs.Tab value="experiment">{t('inspector.page.experiment')}</Tabs.Tab>
          <Tabs.Tab value="lab">{t('inspector.page.lab')}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="selection">
          {count > 1 ? (
            <SeveralPanel />
          ) : nodeId !== undefined ? (
            <NodePanel nodeId={nodeId} />
          ) : linkId !== undefined ? (
            <LinkPanel linkId={linkId} />
          ) : annotationId !== undefined ? (
            <AnnotationPanel id={annotationId} />
          ) : null}
        </Tabs.Panel>
        <Tabs.Panel value="experiment">
          {/* What it keeps of a choice that the user has left belongs to this lab. */}
          <ExperimentPanel key={labId} />
        </Tabs.Panel>
        <Tabs.Panel value="lab">
          <LabPanel />
        </Tabs.Panel>
      </Tabs>
    </aside>
  );
}
