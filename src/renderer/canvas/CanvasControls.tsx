/** Zoom and overview, in the canvas's corner. */
import { ActionIcon, Tooltip } from '@mantine/core';
import { IconFocusCentered, IconMap, IconMinus, IconPlus } from '@tabler/icons-react';
import { MiniMap, Panel } from '@xyflow/react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { camera, toggleOverview, useOverview } from '../state/index.ts';
import { nodeColour } from '../theme/index.ts';
import classes from './Canvas.module.css';
import type { CardNode } from './flow-parts.ts';

export function CanvasControls() {
  const { t } = useTranslation();
  const overview = useOverview();
  return (
    <>
      <Panel position="bottom-left" className={classes.controls ?? ''}>
        <Control label={t('canvas.zoomIn')} onClick={() => camera()?.zoomIn()}>
          <IconPlus size={15} />
        </Control>
        <Control label={t('canvas.zoomOut')} onClick={() => camera()?.zoomOut()}>
          <IconMinus size={15} />
        </Control>
        <Control label={t('canvas.fit')} onClick={() => camera()?.showAll()}>
          <IconFocusCentered size={15} />
        </Control>
        <Control label={t('canvas.minimap')} onClick={toggleOverview} pressed={overview}>
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
