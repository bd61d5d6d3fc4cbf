// Provides hooks for what the browser shows: media queries, and whether an element has been visible.
import { type RefObject, useCallback, useEffect, useState, useSyncExternalStore } from 'react';

/** Matches windows without space for the canvas beside the inspector. They show the outline first. */
export const PHONE = '(max-width: 48rem)';

/** Returns whether a media query of the window matches, and updates when it changes. */
export function useMediaQuery(query: string): boolean {
  const subscribe = useCallback(
    (onChange: () => void) => {
      const list = matchMedia(query);
      list.addEventListener('change', onChange);
      return () => list.removeEventListener('change', onChange);
    },
    [query],
  );
  return useSyncExternalStore(subscribe, () => matchMedia(query).matches);
}

/** Returns whether an element has been visible, so that rows load their details only then. */
export function useHasBeenVisible(ref: RefObject<Element | null>): boolean {
  const [isSeen, setSeen] = useState(false);
  useEffect(() => {
    if (isSeen || ref.current === null) return;
    const observer = new IntersectionObserver(entries => {
      if (entries.some(({ isIntersecting }) => isIntersecting)) setSeen(true);
    });
    observer.observe(ref.current);
    return () => observer.disconnect();
  }, [isSeen, ref]);
  return isSeen;
}
