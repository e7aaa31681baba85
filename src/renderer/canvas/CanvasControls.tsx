/** Zoom buttons and overview map in the canvas's corner. */
import { seriesColour } from '../../shared/base/series-colour.ts';
import { ActionIcon, Tooltip } from '@mantine/core';
import { IconFocusCentered, IconMap, IconMinus, IconPlus, IconZoomScan } from '@tabler/icons-react';
import { MiniMap, Panel, useReactFlow, useStore, type MiniMapNodeProps } from '@xyflow/react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { commandOf, useCommandContext } from '../commands/index.ts';
import { camera, selectedCount, toggleOverview, useLabStore, useOverview } from '../state/index.ts';
import { annotationColour } from '../theme/index.ts';
import classes from './Canvas.module.css';
import { useShift } from './carried.ts';
import type { FlowNode } from './flow-parts.ts';
import { noShift } from './moves.ts';

/** A canvas that is lower than this, in pixels, has its buttons side by side. */
const lowBelow = 230;

export function CanvasControls() {
  const { t } = useTranslation();
  const overview = useOverview();
  const context = useCommandContext();
  const flow = useReactFlow();
  const low = useStore((state) => state.height < lowBelow);
  const nothingSelected = useLabStore(({ selection }) => selectedCount(selection) === 0);
  return (
    <>
      <Panel position="bottom-left" className={classes.controls ?? ''} data-low={low}>
        <Control label={t('canvas.zoomIn')} onClick={() => camera()?.zoomIn()}>
          <IconPlus size={15} />
        </Control>
        <Control label={t('canvas.zoomOut')} onClick={() => camera()?.zoomOut()}>
          <IconMinus size={15} />
        </Control>
        <Control label={t('canvas.fit')} onClick={() => camera()?.showAll()}>
          <IconFocusCentered size={15} />
        </Control>
        <Control
          label={t('commands.name.showSelection')}
          disabled={nothingSelected}
          onClick={() => commandOf('showSelection').run(context)}
        >
          <IconZoomScan size={15} />
        </Control>
        <Control label={t('canvas.minimap')} onClick={toggleOverview} pressed={overview}>
          <IconMap size={15} />
        </Control>
      </Panel>
      {overview && (
        <MiniMap<FlowNode>
          pannable
          zoomable
          onClick={(_event, { x, y }) => void flow.setCenter(x, y, { zoom: flow.getZoom(), duration: 150 })}
          className={classes.minimap ?? ''}
          nodeColor={colourOf}
          nodeBorderRadius={12}
          nodeComponent={MapNode}
        />
      )}
    </>
  );
}

/** An area is as light in the map as on the drawing. */
const colourOf = (node: FlowNode): string =>
  node.type === 'card'
    ? seriesColour(node.data.index)
    : `color-mix(in srgb, ${annotationColour(node.data.annotation.colour)} 25%, transparent)`;

/** A card in the map. It follows cards that are dragged outside of React Flow. */
function MapNode({ id, x, y, width, height, borderRadius, color, selected }: MiniMapNodeProps) {
  const { dx, dy } = useShift(id) ?? noShift;
  return (
    <rect
      className={`react-flow__minimap-node ${selected ? 'selected' : ''}`}
      x={x + dx}
      y={y + dy}
      width={width}
      height={height}
      rx={borderRadius}
      ry={borderRadius}
      // As an inline style, since React Flow's style sheet overrides an attribute.
      style={{ fill: color }}
      shapeRendering="crispEdges"
    />
  );
}

interface ControlProps {
  readonly label: string;
  readonly pressed?: boolean;
  readonly disabled?: boolean;
  readonly onClick: () => void;
  readonly children: ReactNode;
}
function Control(props: ControlProps) {
  return (
    <Tooltip label={props.label} position="right">
      <ActionIcon
        aria-label={props.label}
        aria-pressed={props.pressed}
        disabled={props.disabled === true}
        onClick={props.onClick}
      >
        {props.children}
      </ActionIcon>
    </Tooltip>
  );
}
