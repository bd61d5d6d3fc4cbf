// Sets the title of the browser tab.
import { useEffect } from 'react';
import { messages } from '../messages.ts';

export function usePageTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · ${messages.product}`;
  }, [title]);
}
