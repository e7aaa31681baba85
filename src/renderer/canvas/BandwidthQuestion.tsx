/** Asks for a new link's bandwidth in a field at the link: Enter confirms, Escape keeps the default. */
import { Button, Group, Paper } from '@mantine/core';
import { useStore, ViewportPortal } from '@xyflow/react';
import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { LabLink } from '../../shared/lab/lab.ts';
import { cardSize } from '../../shared/drawing/card-size.ts';
import { NumberField } from '../ui/index.ts';
import {
  askBandwidth,
  dropDraft,
  editLab,
  newLinkKey,
  sealHistory,
  select,
  useLab,
  useLink,
  useViewStore,
} from '../state/index.ts';
import classes from './Canvas.module.css';

export function BandwidthQuestion() {
  const asking = useViewStore((state) => state.asking);
  return asking === undefined ? null : <Question key={asking} linkId={asking} />;
}

function Question({ linkId }: { linkId: string }) {
  const { t } = useTranslation();
  const lab = useLab();
  const link = useLink(linkId);
  const zoom = useStore((state) => state.transform[2]);
  const box = useRef<HTMLDivElement>(null);
  const returnTo = useRef<Element | null>(null);
  const fieldKey = `link.${linkId}.new-bandwidth`;
  const isRemoved = link === undefined;
  useEffect(() => {
    if (isRemoved) askBandwidth(undefined);
  }, [isRemoved]);
  useEffect(() => {
    returnTo.current = document.activeElement;
    const input = box.current?.querySelector('input');
    input?.focus({ preventScroll: true });
    input?.select();
  }, []);
  if (lab === undefined || link === undefined) return null;
  const ends = link.ends.map((id) => lab.nodes.find((node) => node.id === id)?.position ?? { x: 0, y: 0 });
  const at = {
    x: ends.reduce((sum, end) => sum + end.x, 0) / 2 + cardSize.width / 2,
    y: ends.reduce((sum, end) => sum + end.y, 0) / 2 + cardSize.height / 2,
  };
  const close = (giveFocusBack = true): void => {
    askBandwidth(undefined);
    dropDraft(fieldKey);
    sealHistory();
    if (giveFocusBack) select({ nodes: [], links: [linkId] });
    if (giveFocusBack && returnTo.current instanceof HTMLElement)
      returnTo.current.focus({ preventScroll: true });
  };
  const nameOf = (id: string): string => lab.nodes.find((node) => node.id === id)?.name ?? id;
  const title = t('canvas.newLink', { a: nameOf(link.ends[0]), b: nameOf(link.ends[1]) });
  return (
    <ViewportPortal>
      <Paper
        ref={box}
        role="dialog"
        aria-label={title}
        className={`${classes.question ?? ''} nopan nodrag nowheel`}
        style={{ transform: `translate(${at.x}px, ${at.y}px) scale(${1 / zoom}) translate(-50%, 14px)` }}
        onBlur={(event) => {
          // Losing the focus closes the field; the link keeps its bandwidth.
          const next = event.relatedTarget;
          if (next !== null && box.current?.contains(next) === false) close(false);
        }}
        onKeyDown={(event) => {
          event.stopPropagation();
          if (event.key === 'Escape') close();
          // Invalid text stays in the field, with its message, until it is corrected.
          if (event.key === 'Enter' && box.current?.querySelector('[aria-invalid="true"]') === null) {
            event.preventDefault();
            close();
          }
        }}
      >
        <div className={classes.questionTitle}>{title}</div>
        <NumberField
          fieldKey={fieldKey}
          label={t('inspector.link.bandwidth')}
          unit="Mbps"
          value={link.bandwidthMbps}
          schema={LabLink.shape.bandwidthMbps}
          onChange={(bandwidthMbps) =>
            editLab({ type: 'link', linkId, change: { bandwidthMbps } }, newLinkKey(linkId))
          }
        />
        <Group gap={6} justify="space-between" mt={8}>
          <Button
            variant="subtle"
            color="gray"
            size="compact-xs"
            onClick={() => {
              close();
              editLab({ type: 'remove', nodeIds: [], linkIds: [linkId] });
            }}
          >
            {t('canvas.removeLink')}
          </Button>
          <Button size="compact-xs" onClick={() => close()}>
            {t('canvas.done')}
          </Button>
        </Group>
      </Paper>
    </ViewportPortal>
  );
}
