/** Renders its content only near the visible part of a scrolled region; elsewhere it keeps the content's place. */
import { useEffect, useRef, useState, type ReactNode, type RefObject } from 'react';

export interface NearViewProps {
  /** The element that scrolls. */
  readonly region: RefObject<HTMLElement | null>;
  readonly width: number;
  /** About the content's height, in pixels. */
  readonly height: number;
  readonly name: string;
  readonly children: () => ReactNode;
}

/** Content this far outside is rendered already, so that slow scrolling shows no empty cards. */
const margin = '240px';

export function NearView({ region, width, height, name, children }: NearViewProps) {
  const place = useRef<HTMLDivElement>(null);
  const [near, setNear] = useState(typeof IntersectionObserver === 'undefined');
  useEffect(() => {
    if (place.current === null || typeof IntersectionObserver === 'undefined') return undefined;
    const observer = new IntersectionObserver(
      (entries) => setNear((now) => entries.at(-1)?.isIntersecting ?? now),
      { root: region.current, rootMargin: `${margin} 0px` },
    );
    observer.observe(place.current);
    return () => observer.disconnect();
  }, [region]);
  return (
    <div ref={place} data-scalar={name} style={{ width, minHeight: height }}>
      {near ? children() : null}
    </div>
  );
}
