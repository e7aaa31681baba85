/** The palette of nodes and annotations: dragged to the canvas, or added in its middle by click or Enter. */
import { IconNote, IconOvalVertical, IconRectangle, type Icon } from '@tabler/icons-react';
import { useReactFlow } from '@xyflow/react';
import { useRef, useState, type PointerEvent } from 'react';
import { createPortal } from 'react-dom';
import { useTranslation } from 'react-i18next';
import { AnnotationKind } from '../../shared/lab/annotation.ts';
import { NodeKind } from '../../shared/lab/lab.ts';
import { addAnnotation, addNode } from '../state/index.ts';
import { canvasId } from './canvas-id.ts';
import { kindIcon } from './NodeCard.tsx';
import classes from './Palette.module.css';

const annotationIcon = { note: IconNote, rectangle: IconRectangle, ellipse: IconOvalVertical } as const;

/** A press that moves less than this, in pixels, is a click. */
const dragFrom = 5;

export function Palette() {
  const { t } = useTranslation();
  return (
    <section className={classes.palette} data-tour="draw" aria-label={t('canvas.palette')}>
      <h2 className={classes.title}>{t('canvas.add')}</h2>
      {NodeKind.options.map((kind) => (
        <PaletteItem
          key={kind}
          Icon={kindIcon[kind]}
          name={t(`lab.kind.${kind}`)}
          add={(at, avoid) => addNode(kind, at, avoid)}
        />
      ))}
      <div className={classes.annotations} role="group" aria-label={t('canvas.annotate')}>
        {AnnotationKind.options.map((kind) => (
          <PaletteItem
            key={kind}
            small
            Icon={annotationIcon[kind]}
            name={t(`canvas.annotation.kind.${kind}`)}
            add={(at) => addAnnotation(kind, at)}
          />
        ))}
      </div>
      <p className={classes.hint}>{t('canvas.paletteHint')}</p>
    </section>
  );
}

interface Press {
  readonly x: number;
  readonly y: number;
  moved: boolean;
}

interface PaletteItemProps {
  readonly Icon: Icon;
  readonly name: string;
  readonly small?: boolean;
  /** With `avoid` the new part does not cover existing ones. */
  readonly add: (centre: { x: number; y: number }, avoid: boolean) => void;
}

function PaletteItem({ Icon, name, small = false, add }: PaletteItemProps) {
  const { t } = useTranslation();
  const flow = useReactFlow();
  const press = useRef<Press>(undefined);
  const suppressClick = useRef(false);
  const [ghost, setGhost] = useState<{ x: number; y: number; over: boolean }>();

  const move = (event: PointerEvent): void => {
    const start = press.current;
    if (start === undefined) return;
    start.moved ||= Math.hypot(event.clientX - start.x, event.clientY - start.y) >= dragFrom;
    if (start.moved) setGhost({ x: event.clientX, y: event.clientY, over: overCanvas(event) });
  };
  const end = (event: PointerEvent, drop: boolean): void => {
    const start = press.current;
    // Escape has ended it: the click that follows adds nothing.
    if (start === undefined) return;
    press.current = undefined;
    setGhost(undefined);
    suppressClick.current = start.moved;
    if (start.moved && drop && overCanvas(event)) {
      add(flow.screenToFlowPosition({ x: event.clientX, y: event.clientY }, { snapToGrid: false }), false);
    }
  };
  return (
    <>
      <button
        type="button"
        className={classes.item}
        data-small={small || undefined}
        title={t('canvas.paletteHint')}
        onPointerDown={(event) => {
          if (event.button !== 0) return;
          event.currentTarget.setPointerCapture(event.pointerId);
          press.current = { x: event.clientX, y: event.clientY, moved: false };
          suppressClick.current = false;
        }}
        onPointerMove={move}
        onPointerUp={(event) => end(event, true)}
        onPointerCancel={(event) => end(event, false)}
        onKeyDown={(event) => {
          if (event.key !== 'Escape' || press.current === undefined) return;
          press.current = undefined;
          suppressClick.current = true;
          setGhost(undefined);
        }}
        onClick={() => {
          if (!suppressClick.current) add(middleOfCanvas(flow), true);
          suppressClick.current = false;
        }}
      >
        <Icon size={small ? 17 : 20} stroke={1.6} aria-hidden />
        <span>{name}</span>
      </button>
      {ghost !== undefined &&
        createPortal(
          <div className={classes.ghost} data-over={ghost.over} style={{ left: ghost.x, top: ghost.y }}>
            <Icon size={18} stroke={1.6} aria-hidden />
            {name}
          </div>,
          document.body,
        )}
    </>
  );
}

const canvasBox = (): DOMRect | undefined => document.getElementById(canvasId)?.getBoundingClientRect();

function overCanvas(event: PointerEvent): boolean {
  const box = canvasBox();
  return (
    box !== undefined &&
    event.clientX >= box.left &&
    event.clientX <= box.right &&
    event.clientY >= box.top &&
    event.clientY <= box.bottom
  );
}

function middleOfCanvas(flow: ReturnType<typeof useReactFlow>): { x: number; y: number } {
  const box = canvasBox();
  if (box === undefined) return { x: 0, y: 0 };
  return flow.screenToFlowPosition(
    { x: box.left + box.width / 2, y: box.top + box.height / 2 },
    { snapToGrid: false },
  );
}
