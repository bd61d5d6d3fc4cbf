// Receives files that the user drops on the page or pastes.
import { useEffect, useState } from 'react';
import { getPastedFiles } from './pasted-files.ts';

/**
 * Calls `onFiles` with dropped or pasted files. Returns true while files are dragged over the page. `onFiles` must be a stable
 * function.
 */
export function useFileDrop(onFiles: (files: Iterable<File>) => void): boolean {
  const [isDragging, setDragging] = useState(false);
  useEffect(() => {
    const controller = new AbortController();
    const listen = <Kind extends keyof DocumentEventMap>(
      kind: Kind,
      listener: (event: DocumentEventMap[Kind]) => void,
    ): void => document.addEventListener(kind, listener, { signal: controller.signal });
    listen('dragover', event => {
      if (!event.dataTransfer?.types.includes('Files')) return;
      event.preventDefault();
      setDragging(true);
    });
    listen('dragleave', event => {
      if (event.relatedTarget === null) setDragging(false);
    });
    listen('drop', event => {
      setDragging(false);
      const files = event.dataTransfer?.files;
      if (files === undefined || files.length === 0) return;
      event.preventDefault();
      onFiles(files);
    });
    listen('paste', event => {
      const files = getPastedFiles(event);
      if (files.length > 0) onFiles(files);
    });
    return () => controller.abort();
  }, [onFiles]);
  return isDragging;
}
