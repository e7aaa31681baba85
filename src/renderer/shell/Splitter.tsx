/** A splitter between two parts, moved by the pointer or the arrow keys. The size is kept on this computer. */
import { useCallback, useRef, useState, type PointerEvent } from 'react';
import { keepText } from '../state/index.ts';
import classes from './Splitter.module.css';

export interface SplitBounds {
  readonly initial: number;
  readonly min: number;
  readonly max: number;
}

export interface Split {
  /** The size in pixels of the part behind the line (right of it, or below). */
  readonly size: number;
  readonly bounds: SplitBounds;
  resize(size: number): void;
}

export function useSplit(name: string, bounds: SplitBounds): Split {
  const key = `ringlab.split.${name}`;
  const clamp = (size: number): number => Math.round(Math.min(bounds.max, Math.max(bounds.min, size)));
  const [size, setSize] = useState(() => {
    const kept = Number(localStorage.getItem(key));
    return Number.isFinite(kept) && kept > 0 ? kept : bounds.initial;
  });
  const resize = useCallback(
    (next: number) => {
      setSize(next);
      keepText(key, String(next));
    },
    [key],
  );
  return { size: clamp(size), bounds, resize: (next) => resize(clamp(next)) };
}

const keyStep = 24;

export function Splitter(props: { split: Split; direction: 'vertical' | 'horizontal'; label: string }) {
  const { split, direction } = props;
  const start = useRef<{ at: number; size: number }>(undefined);
  const along = (event: PointerEvent): number => (direction === 'vertical' ? event.clientX : event.clientY);
  const [grow, shrink] = direction === 'vertical' ? ['ArrowLeft', 'ArrowRight'] : ['ArrowUp', 'ArrowDown'];
  return (
    <div
      role="separator"
      tabIndex={0}
      aria-label={props.label}
      aria-orientation={direction}
      aria-valuenow={split.size}
      aria-valuemin={split.bounds.min}
      aria-valuemax={split.bounds.max}
      className={classes.splitter}
      data-direction={direction}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        start.current = { at: along(event), size: split.size };
      }}
      onPointerMove={(event) => {
        if (start.current !== undefined) split.resize(start.current.size + start.current.at - along(event));
      }}
      onPointerUp={() => (start.current = undefined)}
      onPointerCancel={() => (start.current = undefined)}
      onDoubleClick={() => split.resize(split.bounds.initial)}
      onKeyDown={(event) => {
        if (event.key === grow) split.resize(split.size + keyStep);
        else if (event.key === shrink) split.resize(split.size - keyStep);
        else return;
        event.preventDefault();
      }}
    />
  );
}
