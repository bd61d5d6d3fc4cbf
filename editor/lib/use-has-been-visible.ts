// Returns whether an element has been visible, so that rows load their details only then.
import { type RefObject, useEffect, useState } from 'react';

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
