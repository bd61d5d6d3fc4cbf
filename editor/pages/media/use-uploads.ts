// Uploads files from dialogs, drops and pastes, two at a time, with progress.
import { useCallback, useRef, useState } from 'react';
import { uploadFile } from '../../../sdk/src/upload.ts';
import { toErrorMessage } from '../../kit/failure.tsx';
import { connection } from '../../lib/api.ts';
import { useFileDrop } from '../../lib/file-drop.ts';
import { useFinishChange } from '../../lib/finish-change.ts';
import { showToast } from '../../lib/toasts.ts';
import { messages } from './messages.ts';

export interface Upload {
  readonly id: number;
  readonly name: string;
  /** From 0 to 1. */
  readonly part: number;
  readonly cancel: () => void;
}

const AT_ONCE = 2;

export function useUploads(): {
  readonly running: readonly Upload[];
  readonly isDragging: boolean;
  readonly add: (files: Iterable<File>) => void;
} {
  const [running, setRunning] = useState<readonly Upload[]>([]);
  const finishChange = useFinishChange();
  const queue = useRef(createQueue(AT_ONCE));
  const add = useCallback(
    (files: Iterable<File>): void => {
      for (const file of files) {
        const aborting = new AbortController();
        const { signal } = aborting;
        const upload = { id: count++, name: file.name, part: 0, cancel: () => aborting.abort() };
        const show = (part: number): void =>
          setRunning(all => all.map(one => (one.id === upload.id ? { ...one, part } : one)));
        setRunning(all => [...all, upload]);
        void queue
          .current(async () => {
            if (signal.aborted) return;
            await uploadFile(connection, file, {
              signal,
              onProgress: ({ sentBytes, totalBytes }) => show(sentBytes / Math.max(1, totalBytes)),
            });
            await finishChange(messages.uploaded(file.name), ['/media']);
          })
          .catch((err: unknown) => {
            if (!signal.aborted)
              showToast(messages.failed(file.name, toErrorMessage(err)), { tone: 'failed' });
          })
          .finally(() => setRunning(all => all.filter(({ id }) => id !== upload.id)));
      }
    },
    [finishChange],
  );
  return { running, add, isDragging: useFileDrop(add) };
}

let count = 0;

/** Maximum number of workers; each handles files in order. */
function createQueue(atOnce: number): (work: () => Promise<void>) => Promise<void> {
  const tails = Array.from({ length: atOnce }, () => Promise.resolve());
  let next = 0;
  return work => {
    const slot = next++ % atOnce;
    const done = (tails[slot] ?? Promise.resolve()).then(work);
    tails[slot] = done.catch(() => undefined);
    return done;
  };
}
