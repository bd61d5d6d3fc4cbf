// Delays a value until it no longer changes.
import { useEffect, useState } from 'react';

/** Returns the value once it has been stable for a while. */
export function useDebounced<T>(value: T, pauseMs: number): T {
  const [settled, setSettled] = useState(value);
  const content = JSON.stringify(value);
  // biome-ignore lint/correctness/useExhaustiveDependencies: compares the content, not the object
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), pauseMs);
    return () => clearTimeout(timer);
  }, [content, pauseMs]);
  return settled;
}
