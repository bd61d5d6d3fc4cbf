// Stores rendered segments of videos, so that another worker can continue a render. Their files have no media row, so
// the media sweep deletes segments that nobody deleted within a day.
import { createWriteStream } from 'node:fs';
import { rename } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { ignoreNotFound } from '../../lib/errors.ts';
import { readFileChunks } from '../../lib/files.ts';
import { newId } from '../../lib/ids.ts';
import type { NodeSegments } from '../../nodes/define.ts';
import { recordOrphan } from '../../store/media/orphans.ts';
import type { Deps } from '../deps.ts';
import { dropFile } from '../media/receive-file.ts';
import { deleteParts, insertPart, listParts, type RenderPart } from './store.ts';

const MAX_SEGMENT_BYTES = 1_073_741_824;

/** Creates the store for the segments of one scope, which is a node of an execution or a clip. */
export function createSegmentStore(deps: Deps, scope: string): NodeSegments {
  const storedPaths = new Set<string>();
  const dropped = new AbortController();
  // Segments are stored one after another, to leave disk and network to the rendering.
  let lastStored = Promise.resolve();
  return {
    async restore(folder, signal) {
      for (const part of await listParts(deps.db, scope)) {
        if (await restoreSegment(deps, part, folder, signal)) storedPaths.add(part.name);
      }
    },
    store(path) {
      const name = basename(path);
      if (storedPaths.has(name)) return;
      storedPaths.add(name);
      lastStored = lastStored
        .then(() => (dropped.signal.aborted ? undefined : storeSegment(deps, scope, path, dropped.signal)))
        .catch((err: unknown) => {
          if (!dropped.signal.aborted)
            deps.log.warn({ err, scope }, 'a segment of a video could not be stored');
        });
    },
    async drop() {
      dropped.abort();
      await lastStored;
      for (const { file_id } of await deleteParts(deps.db, scope)) await dropFile(deps, file_id);
    },
  };
}

/** Copies a stored segment to the folder. Returns false if the file was deleted meanwhile. */
async function restoreSegment(
  deps: Deps,
  { name, file_id }: RenderPart,
  folder: string,
  signal: AbortSignal,
): Promise<boolean> {
  const partialPath = join(folder, `.${name}`);
  const file = await deps.storage.read(file_id).catch(ignoreNotFound);
  if (file === undefined) return false;
  await pipeline(file.stream, createWriteStream(partialPath, { mode: 0o600 }), { signal });
  // Renamed when complete, so that the name never refers to a partial file.
  await rename(partialPath, join(folder, name));
  return true;
}

async function storeSegment(deps: Deps, scope: string, path: string, signal: AbortSignal): Promise<void> {
  const file_id = newId('media', deps.now());
  await recordOrphan(deps.db, file_id);
  const bounds = { contentType: 'application/octet-stream', maxBytes: MAX_SEGMENT_BYTES, signal };
  await deps.storage.put(file_id, readFileChunks(path), bounds);
  await insertPart(deps.db, scope, { name: basename(path), file_id });
}
