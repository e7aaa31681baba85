/** Controls the canvas's view: restores the view of a lab, otherwise fits all of it, and runs the commands that move it. */
import { useReactFlow, type FitViewOptions, type OnMove } from '@xyflow/react';
import { useCallback, useEffect, useRef, type RefObject } from 'react';
import { setCamera, useLabStore, flowIdOf } from '../state/index.ts';
import { keepView, keptView } from './kept-view.ts';

/** Smallest and largest zoom of the canvas. */
export const zoomRange = { min: 0.02, max: 2 };
/** Below this zoom text cannot be read: details that are expensive to draw are left out. */
export const farBelow = 0.35;
const fitOptions = { padding: 0.18, maxZoom: 1 };
/** The zoom factor of a click on 'Zoom in', and the animation's length in milliseconds. */
const zoomStep = { factor: 1.2, duration: 120 };
/** An interrupted animation never reports its end: it counts as over after this many milliseconds. */
const longestMove = 500;
/** A size change of this many pixels at once: the dock or a panel was opened or closed. */
const sizeJump = 80;

/**
 * Restores a lab's view, or fits all of it if the user never chose one, also when the canvas is resized at once; never
 * during a drawing gesture. Returns a callback for when the view has moved.
 */
export function useFittedView(
  region: RefObject<HTMLElement | null>,
  labId: string | undefined,
  hasCards: boolean,
): OnMove {
  const flow = useReactFlow();
  const opened = useRef<string>(undefined);
  /** Animations that the program started are not the user's choice: their count, and where the last one leads. */
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
    // The cards are measured one frame later.
    requestAnimationFrame(() => {
      const view = keptView(labId) ?? (openedEmpty ? { x: 0, y: 0, zoom: 1 } : undefined);
      if (view === undefined) showAll();
      else void moveOurselves(flow.setViewport(view));
    });
  }, [flow, labId, hasCards, showAll, moveOurselves]);
  useEffect(() => {
    const element = region.current;
    if (element === null) return undefined;
    let { clientWidth: width, clientHeight: height } = element;
    const observer = new ResizeObserver(() => {
      const grown = { x: element.clientWidth - width, y: element.clientHeight - height };
      ({ clientWidth: width, clientHeight: height } = element);
      if (Math.abs(grown.x) < sizeJump && Math.abs(grown.y) < sizeJump) return;
      requestAnimationFrame(() => {
        const view = opened.current === undefined ? undefined : keptView(opened.current);
        if (view === undefined || opened.current === undefined) {
          showAll({ duration: 180 });
          return;
        }
        // The centre of the user's view stays in the middle; at the next size change, too, which may come before the animation's end.
        const moved = { ...view, x: view.x + grown.x / 2, y: view.y + grown.y / 2 };
        keepView(opened.current, moved);
        void moveOurselves(flow.setViewport(moved, { duration: 180 }));
      });
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [flow, region, showAll, moveOurselves]);
  /** The target of a zoom animation that is running: the next click continues from there. */
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
  const visible = useCallback(() => {
    const box = region.current?.getBoundingClientRect();
    if (box === undefined) return { x: 0, y: 0, width: 0, height: 0 };
    const corner = flow.screenToFlowPosition({ x: box.left, y: box.top }, { snapToGrid: false });
    return { ...corner, width: box.width / flow.getZoom(), height: box.height / flow.getZoom() };
  }, [flow, region]);
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
          const { x, y, width, height } = visible();
          return { x: x + width / 2, y: y + height / 2 };
        },
        visible,
      }),
    [flow, showAll, visible, zoomBy],
  );
  return useCallback((_event, view) => {
    const { underWay, led } = own.current;
    const isOurs = underWay > 0 || (led.x === view.x && led.y === view.y && led.zoom === view.zoom);
    if (!isOurs && opened.current !== undefined) keepView(opened.current, view);
  }, []);
}
