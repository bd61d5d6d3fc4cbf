// Restores the files of a backup to media storage. Small files are written in parallel, and all are deleted again after
// a failure.
import { freeBlocksAfterUse, freeBuffer } from '../../lib/freeing.ts';
import { isId } from '../../lib/ids.ts';
import type { MediaStorage, Source, StoredFile } from '../../media/storage.ts';
import { listMediaIds } from '../../store/backup.ts';
import type { Session } from '../../store/copy.ts';
import type { ArchiveEntry } from './archive.ts';
import { notABackup } from './backup-header.ts';

export interface FileRestorer {
  /** Reads the entry completely. Media without a record is not stored. */
  store(entry: ArchiveEntry, id: string, contentType: string | undefined): Promise<void>;
  /** Returns the bytes stored since the last call. */
  drainStored(): readonly (StoredFile & { readonly id: string })[];
  /** Resolves when everything is stored. */
  settle(): Promise<void>;
  count(): number;
  /** Records the ids of the media whose records are about to be deleted. */
  recordReplaced(session: Session): Promise<void>;
  /** Deletes those files that the backup does not have. */
  deleteReplaced(): Promise<void>;
  /** Deletes the stored files, except media that had a record before. */
  undo(): Promise<void>;
}

// In parallel, since each waits for the disk: fsync takes longer than the copy.
const SMALL_BYTES = 8_388_608;
const SMALL_AT_ONCE = 4;

export function createFileRestorer(storage: MediaStorage, signal: AbortSignal): FileRestorer {
  const before = new Set<string>();
  const ids = new Set<string>();
  const active = new Set<Promise<void>>();
  let stored: (StoredFile & { readonly id: string })[] = [];

  const put = async (id: string, source: Source, contentType: string, maxBytes: number): Promise<void> => {
    signal.throwIfAborted();
    ids.add(id);
    const file = await storage.put(id, source, { contentType, maxBytes, signal });
    // The list may have changed during the wait.
    stored.push({ id, ...file });
  };
  const settle = async (): Promise<void> => {
    await Promise.all(active);
  };
  return {
    async store({ body, bytes }, id, contentType) {
      if (!isId('media', id)) throw notABackup();
      if (contentType === undefined) return drain(body);
      if (bytes > SMALL_BYTES) return put(id, freeBlocksAfterUse(body), contentType, bytes);
      while (active.size >= SMALL_AT_ONCE) await Promise.race(active);
      const content = await gather(body, bytes);
      const done = put(id, content, contentType, bytes).then(() => {
        freeBuffer(content);
        active.delete(done);
      });
      // Awaited in `settle`, or by the next caller that waits for a slot.
      done.catch(() => undefined);
      active.add(done);
    },
    drainStored() {
      const newFiles = stored;
      stored = [];
      return newFiles;
    },
    settle,
    count: () => ids.size,
    async recordReplaced(session) {
      for (const id of await listMediaIds(session)) before.add(id);
    },
    async deleteReplaced() {
      for (const id of before) if (!ids.has(id)) await storage.remove(id);
    },
    async undo() {
      await Promise.allSettled(active);
      for (const id of ids) if (!before.has(id)) await storage.remove(id);
    },
  };
}

async function gather(body: AsyncIterable<Uint8Array>, bytes: number): Promise<Uint8Array> {
  const content = Buffer.allocUnsafeSlow(bytes);
  let used = 0;
  for await (const piece of freeBlocksAfterUse(body)) {
    content.set(piece, used);
    used += piece.length;
  }
  return content;
}

async function drain(body: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const _ of body);
}
