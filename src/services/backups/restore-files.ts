// Restores the files of a backup to media storage. After a failure, deletes the files that it has stored.
import { freeBlocksAfterUse, freeBuffer } from '../../lib/freeing.ts';
import { isId } from '../../lib/ids.ts';
import type { ByteSource, MediaStorage, StoredFile } from '../../media/storage.ts';
import type { ArchiveEntry } from './archive.ts';
import { createNotABackupError } from './backup-header.ts';
import { listMediaIds } from './store/backup.ts';
import type { Session } from './store/copy.ts';

export interface FileRestorer {
  /** Reads the entry completely. Without a content type, the media has no record and is not stored. */
  store(entry: ArchiveEntry, id: string, contentType: string | undefined): Promise<void>;
  /** Returns the files stored since the last call. */
  drainStored(): readonly (StoredFile & { readonly id: string })[];
  /** Resolves when all files of previous `store` calls are stored. */
  settle(): Promise<void>;
  count(): number;
  /** Records the ids of the media whose records are about to be deleted. */
  recordReplaced(session: Session): Promise<void>;
  /** Deletes the recorded files that the backup does not contain. */
  deleteReplaced(): Promise<void>;
  /** Deletes the stored files, except media that had a record before. */
  undo(): Promise<void>;
}

// Small files are written in parallel, since fsync takes longer than the copy.
const SMALL_BYTES = 8_388_608;
const MAX_PARALLEL_WRITES = 4;

export function createFileRestorer(storage: MediaStorage, signal: AbortSignal): FileRestorer {
  const previousIds = new Set<string>();
  const storedIds = new Set<string>();
  const active = new Set<Promise<void>>();
  let stored: (StoredFile & { readonly id: string })[] = [];

  const put = async (
    id: string,
    source: ByteSource,
    contentType: string,
    maxBytes: number,
  ): Promise<void> => {
    signal.throwIfAborted();
    storedIds.add(id);
    const file = await storage.put(id, source, { contentType, maxBytes, signal });
    // Read after the wait, since `drainStored` replaces the list.
    stored.push({ id, ...file });
  };
  const settle = async (): Promise<void> => {
    await Promise.all(active);
  };
  return {
    async store({ body, bytes }, id, contentType) {
      if (!isId('media', id)) throw createNotABackupError();
      if (contentType === undefined) return drain(body);
      if (bytes > SMALL_BYTES) return put(id, freeBlocksAfterUse(body), contentType, bytes);
      while (active.size >= MAX_PARALLEL_WRITES) await Promise.race(active);
      const content = await readIntoMemory(body, bytes);
      const writing = put(id, content, contentType, bytes).then(() => {
        freeBuffer(content);
        active.delete(writing);
      });
      // Awaited in `settle`, or by the next caller that waits for a slot.
      writing.catch(() => undefined);
      active.add(writing);
    },
    drainStored() {
      const newFiles = stored;
      stored = [];
      return newFiles;
    },
    settle,
    count: () => storedIds.size,
    async recordReplaced(session) {
      for (const id of await listMediaIds(session)) previousIds.add(id);
    },
    async deleteReplaced() {
      for (const id of previousIds) if (!storedIds.has(id)) await storage.remove(id);
    },
    async undo() {
      await Promise.allSettled(active);
      for (const id of storedIds) if (!previousIds.has(id)) await storage.remove(id);
    },
  };
}

async function readIntoMemory(body: AsyncIterable<Uint8Array>, bytes: number): Promise<Uint8Array> {
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
