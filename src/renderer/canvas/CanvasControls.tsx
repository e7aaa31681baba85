/** Zoom and overview, in the canvas's corner. */
import { ActionIcon, Tooltip } from '@mantine/core';
import { IconFocusCentered, IconMap, IconMinus, IconPlus } from '@tabler/icons-react';
import { MiniMap, Panel, useReactFlow } from '@xyflow/react';
import { useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useLabStore } from '../state/index.ts';
import { nodeColour } from '../theme/index.ts';
import classes from './Canvas.module.css';
import type { CardNode } from './flow-parts.ts';

/** From so many nodes on the overview is shown unasked. */
const overviewFrom = 12;

export function CanvasControls() {
  const { t } = useTranslation();
  const flow = useReactFlow();
  const many = useLabStore((state) => (state.lab?.nodes.length ?? 0) >= overviewFrom);
  const [chosen, setChosen] = useState<boolean>();
  const overview = chosen ?? many;
  return (
    <>
      <Panel position="bottom-left" className={classes.controls ?? ''}>
        <Control label={t('canvas.zoomIn')} onClick={() => void flow.zoomIn({ duration: 120 })}>
          <IconPlus size={15} />
        </Control>
        <Control label={t('canvas.zoomOut')} onClick={() => void flow.zoomOut({ duration: 120 })}>
          <IconMinus size={15} />
        </Control>
        <Control
          label={t('canvas.fit')}
          onClick={() => void flow.fitView({ padding: 0.18, maxZoom: 1, duration: 150 })}
        >
          <IconFocusCentered size={15} />
        </Control>
        <Control label={t('canvas.minimap')} onClick={() => setChosen(!overview)} pressed={overview}>
          <IconMap size={15} />
        </Control>
      </Panel>
      {overview && (
        <MiniMap<CardNode>
          pannable
          zoomable
          className={classes.minimap ?? ''}
          nodeColor={(card) => nodeColour(card.data.index)}
          nodeBorderRadius={12}
        />
      )}
    </>
  );
}

function Control(props: { label: string; pressed?: boolean; onClick: () => void; children: ReactNode }) {
  return (
    <Tooltip label={props.label} position="right">
      <ActionIcon aria-label={props.label} aria-pressed={props.pressed} onClick={props.onClick}>
        {props.children}
      </ActionIcon>
    </Tooltip>
  );
}
