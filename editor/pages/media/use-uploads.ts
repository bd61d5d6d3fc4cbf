// Uploads chosen, dropped and pasted files, two at a time, and reports their progress.

import { useCallback, useRef, useState } from 'react';
import { toErrorMessage } from '../../kit/failure.tsx';
import { useFileDrop } from '../../lib/file-drop.ts';
import { useReloadAndToast } from '../../lib/reload-and-toast.ts';
import { showToast } from '../../lib/toasts.ts';
import { uploadAndWarn } from '../../lib/upload-file.ts';
import { messages } from './messages.ts';

export interface Upload {
  readonly id: number;
  readonly name: string;
  /** From 0 to 1. */
  readonly fraction: number;
  readonly cancel: () => void;
}

const MAX_PARALLEL = 2;

export function useUploads(): {
  readonly uploads: readonly Upload[];
  readonly isDragging: boolean;
  readonly add: (files: Iterable<File>) => void;
} {
  const [uploads, setUploads] = useState<readonly Upload[]>([]);
  const reloadAndToast = useReloadAndToast();
  const queue = useRef(createQueue(MAX_PARALLEL));
  const add = useCallback(
    (files: Iterable<File>): void => {
      for (const file of files) {
        const controller = new AbortController();
        const { signal } = controller;
        const upload = { id: nextId++, name: file.name, fraction: 0, cancel: () => controller.abort() };
        const setFraction = (fraction: number): void =>
          setUploads(uploads => uploads.map(item => (item.id === upload.id ? { ...item, fraction } : item)));
        setUploads(uploads => [...uploads, upload]);
        void queue
          .current(async () => {
            if (signal.aborted) return;
            await uploadAndWarn(file, {
              signal,
              onProgress: ({ sentBytes, totalBytes }) => setFraction(sentBytes / Math.max(1, totalBytes)),
            });
            await reloadAndToast(messages.uploaded(file.name), ['/media']);
          })
          .catch((err: unknown) => {
            if (!signal.aborted)
              showToast(messages.failed(file.name, toErrorMessage(err)), { tone: 'failed' });
          })
          .finally(() => setUploads(uploads => uploads.filter(({ id }) => id !== upload.id)));
      }
    },
    [reloadAndToast],
  );
  return { uploads, add, isDragging: useFileDrop(add) };
}

let nextId = 0;

/** Returns a function that runs a task when its slot is free. The slots receive the tasks in rotation. */
function createQueue(slotCount: number): (task: () => Promise<void>) => Promise<void> {
  const slots = Array.from({ length: slotCount }, () => Promise.resolve());
  let nextSlot = 0;
  return task => {
    const slot = nextSlot++ % slotCount;
    const done = (slots[slot] ?? Promise.resolve()).then(task);
    slots[slot] = done.catch(() => undefined);
    return done;
  };
}
