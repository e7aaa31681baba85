/** Whether a question has been shown for long enough to be read: a double click answers one question, not the next, too. */
import { useEffect, useState } from 'react';

/** Systems count two clicks as a double click within half a second. */
const unreadMs = 500;

/** False for half a second after the component appears. */
export function useReady(): boolean {
  const [ready, setReady] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setReady(true), unreadMs);
    return () => clearTimeout(timer);
  }, []);
  return ready;
}
