/** Where the canvas looks: at all of a lab when it is opened, and wherever commands send it. */
import { useReactFlow } from '@xyflow/react';
import { useEffect, useRef, type RefObject } from 'react';
import { setCamera, useLabStore } from '../state/index.ts';

const fitOptions = { padding: 0.18, maxZoom: 1 };
/** A change of the canvas's size by this much at once, in pixels: the dock opened or closed. */
const sizeJump = 80;

/** Shows all of a lab when it is opened, and again when its room changes at once; never while it is being drawn. */
export function useFittedView(
  region: RefObject<HTMLElement | null>,
  labId: string | undefined,
  hasCards: boolean,
): void {
  const flow = useReactFlow();
  const fitted = useRef<string>(undefined);
  useEffect(() => {
    if (labId === undefined || fitted.current === labId) return;
    const openedEmpty = useLabStore.getState().lab?.nodes.length === 0;
    if (!openedEmpty && !hasCards) return;
    fitted.current = labId;
    // A frame later the cards are measured.
    requestAnimationFrame(() => {
      if (openedEmpty) void flow.setViewport({ x: 0, y: 0, zoom: 1 });
      else void flow.fitView(fitOptions);
    });
  }, [flow, labId, hasCards]);
  useEffect(() => {
    const element = region.current;
    if (element === null) return undefined;
    let height = element.clientHeight;
    const observer = new ResizeObserver(() => {
      const jumped = Math.abs(element.clientHeight - height) >= sizeJump;
      height = element.clientHeight;
      if (jumped) requestAnimationFrame(() => void flow.fitView({ ...fitOptions, duration: 180 }));
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [flow, region]);
  useEffect(
    () =>
      setCamera({
        zoomIn: () => void flow.zoomIn({ duration: 120 }),
        zoomOut: () => void flow.zoomOut({ duration: 120 }),
        showAll: () => void flow.fitView({ ...fitOptions, duration: 150 }),
        showNodes: (ids) =>
          void flow.fitView({
            padding: 0.3,
            maxZoom: 1.4,
            duration: 200,
            nodes: ids.map((id) => ({ id })),
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
    [flow, region],
  );
}
