/** The time in Unix seconds, updated while a component uses it: once a second, or as quarters of an hour begin. */
import { useEffect, useState } from 'react';

export function useNow(moving: boolean): number {
  const [now, setNow] = useState(() => Date.now() / 1000);
  useEffect(() => {
    if (!moving) return undefined;
    setNow(Date.now() / 1000);
    const timer = setInterval(() => setNow(Date.now() / 1000), 1000);
    return () => clearInterval(timer);
  }, [moving]);
  return now;
}

const quarterS = 900;
const quarter = (): number => Math.floor(Date.now() / 1000 / quarterS) * quarterS;

/** When the present quarter of an hour began. In every time zone a day begins with one, and few components are rendered again. */
export function useQuarter(): number {
  const [now, setNow] = useState(quarter);
  useEffect(() => {
    const timer = setInterval(() => setNow(quarter()), 30_000);
    return () => clearInterval(timer);
  }, []);
  return now;
}
