/** The time in Unix seconds, updated once a second while a component uses it. */
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
