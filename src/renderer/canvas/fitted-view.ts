/** Where the canvas looks: at a lab as it was left, else at all of it, and wherever commands send it. */
import { useReactFlow, type FitViewOptions, type OnMove } from '@xyflow/react';
import { useCallback, useEffect, useRef, type RefObject } from 'react';
import { setCamera, useLabStore, flowIdOf } from '../state/index.ts';
import { keepView, keptView } from './kept-view.ts';

/** Smallest and largest zoom of the canvas. */
export const zoomRange = { min: 0.1, max: 2 };
const fitOptions = { padding: 0.18, maxZoom: 1 };
/** How much a click on 'Zoom in' changes the zoom, and how long the move takes in milliseconds. */
const zoomStep = { factor: 1.2, duration: 120 };
/** A move that another one interrupts never reports its end: it counts as over after this many milliseconds. */
const longestMove = 500;
/** A change of the canvas's size by this much at once, in pixels: the dock opened or closed. */
const sizeJump = 80;

/**
 * Shows a lab as it was left, or all of it where nobody chose otherwise, also when its room changes at once; never while it
 * is being drawn. Returns what is to be called when the view has moved.
 */
export function useFittedView(
  region: RefObject<HTMLElement | null>,
  labId: string | undefined,
  hasCards: boolean,
): OnMove {
  const flow = useReactFlow();
  const opened = useRef<string>(undefined);
  /** Moves of our own are no choice of the user: how many are under way, and where the last one led. */
  const own = useRef({ underWay: 0, led: { x: 0, y: 0, zoom: 1 } });
  const moveOurselves = useCallback(
    async (move: Promise<boolean>) => {
      own.current.underWay += 1;
      await Promise.race([move, new Promise((over) => setTimeout(over, longestMove))]);
      own.current.underWay -= 1;
      own.current.led = flow.getViewport();
    },
    [flow],
  );
  const showAll = useCallback(
    (options: FitViewOptions = {}) => {
      if (opened.current !== undefined) keepView(opened.current, undefined);
      void moveOurselves(flow.fitView({ ...fitOptions, ...options }));
    },
    [flow, moveOurselves],
  );
  useEffect(() => {
    if (labId === undefined || opened.current === labId) return;
    const { lab } = useLabStore.getState();
    const openedEmpty = lab?.nodes.length === 0 && lab.annotations === undefined;
    if (!openedEmpty && !hasCards) return;
    opened.current = labId;
    // A frame later the cards are measured.
    requestAnimationFrame(() => {
      const view = keptView(labId) ?? (openedEmpty ? { x: 0, y: 0, zoom: 1 } : undefined);
      if (view === undefined) showAll();
      else void moveOurselves(flow.setViewport(view));
    });
  }, [flow, labId, hasCards, showAll, moveOurselves]);
  useEffect(() => {
    const element = region.current;
    if (element === null) return undefined;
    let height = element.clientHeight;
    const observer = new ResizeObserver(() => {
      const grown = element.clientHeight - height;
      height = element.clientHeight;
      if (Math.abs(grown) < sizeJump) return;
      requestAnimationFrame(() => {
        const view = opened.current === undefined ? undefined : keptView(opened.current);
        if (view === undefined) showAll({ duration: 180 });
        // What the user was looking at stays in the middle.
        else void flow.setViewport({ ...view, y: view.y + grown / 2 }, { duration: 180 });
      });
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [flow, region, showAll]);
  /** Where a zoom that is under way leads: the next click goes on from there, not from halfway. */
  const zoomAim = useRef<{ zoom: number; until: number }>(undefined);
  const zoomBy = useCallback(
    (factor: number) => {
      const now = performance.now();
      const aim = zoomAim.current;
      const from = aim !== undefined && now < aim.until ? aim.zoom : flow.getZoom();
      const zoom = Math.min(zoomRange.max, Math.max(zoomRange.min, from * factor));
      zoomAim.current = { zoom, until: now + zoomStep.duration };
      void flow.zoomTo(zoom, { duration: zoomStep.duration });
    },
    [flow],
  );
  useEffect(
    () =>
      setCamera({
        zoomIn: () => zoomBy(zoomStep.factor),
        zoomOut: () => zoomBy(1 / zoomStep.factor),
        showAll: () => showAll({ duration: 150 }),
        showParts: ({ nodes, annotations = [] }) =>
          void flow.fitView({
            padding: 0.3,
            maxZoom: 1.4,
            duration: 200,
            nodes: [...nodes, ...annotations.map(flowIdOf)].map((id) => ({ id })),
          }),
        middle() {
          const box = region.current?.getBoundingClientRect();
          return box === undefined
            ? { x: 0, y: 0 }
            : flow.screenToFlowPosition(
                { x: box.left + box.width / 2, y: box.top + box.height / 2 },
                { snapToGrid: false },
              );
        },
      }),
    [flow, region, showAll, zoomBy],
  );
  return useCallback((_event, view) => {
    const { underWay, led } = own.current;
    const isOurs = underWay > 0 || (led.x === view.x && led.y === view.y && led.zoom === view.zoom);
    if (!isOurs && opened.current !== undefined) keepView(opened.current, view);
  }, []);
}
