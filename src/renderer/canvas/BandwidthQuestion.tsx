/** Asks for a new link's bandwidth in a field at the link: Enter confirms, Escape keeps the default. */
import { Button, Group, Paper } from '@mantine/core';
import { useStore, ViewportPortal, type ReactFlowState } from '@xyflow/react';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useShallow } from 'zustand/react/shallow';
import { LabLink } from '../../shared/lab/lab.ts';
import { cardSize } from '../../shared/drawing/card-size.ts';
import { NumberField } from '../ui/index.ts';
import {
  askBandwidth,
  dropDraft,
  editLab,
  newLinkKey,
  putDraft,
  sealHistory,
  select,
  useDraftStore,
  useLab,
  useLink,
  useViewStore,
} from '../state/index.ts';
import { canvasId } from './canvas-id.ts';
import classes from './Canvas.module.css';
import { intoSight, type Sight } from './positions.ts';

/** In pixels of the screen, with a message: the width is that of Canvas.module.css. */
const size = { width: 190, height: 150 };
/** Below the middle of the link, in pixels of the screen. */
const below = 14;
const inSight = ({ transform, width, height }: ReactFlowState): Sight => ({ transform, width, height });

export function BandwidthQuestion() {
  const asking = useViewStore((state) => state.asking);
  return asking === undefined ? null : <Question key={asking} linkId={asking} />;
}

function Question({ linkId }: { linkId: string }) {
  const { t } = useTranslation();
  const lab = useLab();
  const link = useLink(linkId);
  const sight = useStore(useShallow(inSight));
  const [, , zoom] = sight.transform;
  const box = useRef<HTMLDivElement>(null);
  const [isConfirmed, setConfirmed] = useState(false);
  const fieldKey = `link.${linkId}.new-bandwidth`;
  const isRemoved = link === undefined;
  useEffect(() => {
    if (isRemoved) askBandwidth(undefined);
  }, [isRemoved]);
  useEffect(() => {
    const input = box.current?.querySelector('input');
    input?.focus({ preventScroll: true });
    input?.select();
  }, []);
  if (lab === undefined || link === undefined) return null;
  const ends = link.ends.map((id) => lab.nodes.find((node) => node.id === id)?.position ?? { x: 0, y: 0 });
  const at = intoSight(
    {
      x: ends.reduce((sum, end) => sum + end.x, 0) / 2 + cardSize.width / 2,
      y: ends.reduce((sum, end) => sum + end.y, 0) / 2 + cardSize.height / 2 + below / zoom,
    },
    sight,
    size,
  );
  const close = (): void => {
    askBandwidth(undefined);
    dropDraft(fieldKey);
    sealHistory();
  };
  const badText = () => {
    const draft = useDraftStore.getState().drafts[fieldKey];
    return draft?.problem === undefined ? undefined : draft;
  };
  /** The next key applies to the link: with the focus on the node from which it was drawn, Delete would remove that. */
  const goToLink = (): void => {
    close();
    const canvas = document.getElementById(canvasId);
    const line = canvas?.querySelector<SVGElement>(`.react-flow__edge[data-id="${CSS.escape(linkId)}"]`);
    (line ?? canvas)?.focus({ preventScroll: true });
    select({ nodes: [], links: [linkId] });
  };
  const confirm = (): void => {
    if (badText() === undefined) {
      goToLink();
      return;
    }
    setConfirmed(true);
    box.current?.querySelector('input')?.focus({ preventScroll: true });
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
        style={{ transform: `translate(${at.x}px, ${at.y}px) scale(${1 / zoom}) translate(-50%, 0)` }}
        onBlur={(event) => {
          const next = event.relatedTarget;
          if (next === null || box.current?.contains(next) !== false) return;
          // Losing the focus closes the field; text that is not valid waits in the inspector, in the same field of the link.
          const draft = badText();
          close();
          if (draft !== undefined) putDraft(`link.${linkId}.bandwidthMbps`, draft);
        }}
        onKeyDown={(event) => {
          event.stopPropagation();
          // An input method takes this key.
          if (event.nativeEvent.isComposing) return;
          if (event.key === 'Escape') goToLink();
          if (event.key === 'Enter' && event.target instanceof HTMLInputElement) {
            event.preventDefault();
            confirm();
          }
        }}
        // A button that is pressed leaves the focus in the field: its message would move the button away from the pointer.
        onMouseDown={(event) => {
          if (event.target instanceof Element && event.target.closest('button') !== null)
            event.preventDefault();
        }}
      >
        <div className={classes.questionTitle}>{title}</div>
        <NumberField
          fieldKey={fieldKey}
          label={t('inspector.link.bandwidth')}
          unit="Mbps"
          value={link.bandwidthMbps}
          schema={LabLink.shape.bandwidthMbps}
          demanded={isConfirmed}
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
              goToLink();
              editLab({ type: 'remove', nodeIds: [], linkIds: [linkId] });
            }}
          >
            {t('canvas.removeLink')}
          </Button>
          <Button size="compact-xs" onClick={confirm}>
            {t('canvas.done')}
          </Button>
        </Group>
      </Paper>
    </ViewportPortal>
  );
}
