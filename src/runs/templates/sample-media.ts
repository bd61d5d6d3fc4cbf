// Stores the card and the recorded results of a template as media, once for all copies.
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { MediaRef } from '../../graph/types.ts';
import { newId } from '../../lib/ids.ts';
import { toMediaRef } from '../../services/media/media-record.ts';
import { dropFile } from '../../services/media/receive-file.ts';
import type { Tx } from '../../store/db.ts';
import { type NewMedia, TEMPLATES_WORKSPACE } from '../../store/media/media.ts';
import { recordOrphan } from '../../store/media/orphans.ts';
import { insertSampleMedia, lockSampleMedia, NO_USER } from '../../store/media/samples.ts';
import type { RunDeps } from '../deps.ts';
import type { SampleFile, ShippedTemplate } from './template-files.ts';

/** Stores the files that are not stored yet. Returns references to all of them. */
export async function storeSampleFiles(
  deps: RunDeps,
  { folder, files }: ShippedTemplate,
  signal: AbortSignal,
): Promise<SampleFiles> {
  const storedByHash = await lockStored(deps.db, files);
  const missing = [...files].filter(([, { sha256 }]) => !storedByHash.has(sha256));
  for (const [path, file] of missing) {
    const bytes = await readFile(join(folder, path), { signal });
    const id = newId('media', deps.now());
    await recordOrphan(deps.db, id);
    const { contentType, bytes: maxBytes } = file;
    const { sha256 } = await deps.storage.put(id, bytes, { contentType, maxBytes, signal });
    if (sha256 !== file.sha256) throw new Error(`${path} of ${folder} was changed after it was recorded.`);
    if (!(await insertSampleMedia(deps.db, toRow(id, path, file)))) await dropFile(deps, id);
  }
  return toSampleFiles(deps, missing.length === 0 ? storedByHash : await lockStored(deps.db, files), files);
}

/** Media references by path in the template's folder. Lacks a file that a sweep has just deleted. */
export type SampleFiles = ReadonlyMap<string, MediaRef>;

function toSampleFiles(
  deps: Pick<RunDeps, 'settings'>,
  stored: ReadonlyMap<string, NewMedia>,
  files: ShippedTemplate['files'],
): SampleFiles {
  return new Map(
    [...files].flatMap(([path, { sha256 }]) => {
      const row = stored.get(sha256);
      return row === undefined ? [] : [[path, toMediaRef(deps, row)] as const];
    }),
  );
}

function toRow(id: string, path: string, file: SampleFile): NewMedia {
  const { contentType, bytes, sha256, width, height, duration } = file;
  return {
    id,
    user_id: NO_USER,
    workspace: TEMPLATES_WORKSPACE,
    name: basename(path),
    content_type: contentType,
    bytes,
    sha256,
    width,
    height,
    duration,
    origin: 'output',
    execution_id: null,
    prompt: null,
    poster_id: null,
    node_type: null,
    seed: null,
  };
}

/** Returns the rows of stored files by hash, and prevents sweeps from deleting them until the transaction ends. */
async function lockStored(tx: Tx, files: ShippedTemplate['files']): Promise<ReadonlyMap<string, NewMedia>> {
  const hashes = [...files.values()].map(({ sha256 }) => sha256);
  return new Map((await lockSampleMedia(tx, hashes)).map(row => [row.sha256, row]));
}

/** Prevents sweeps from deleting the files until the transaction ends. Returns false if one has been deleted. */
export async function lockSampleFiles(
  tx: Tx,
  { files }: ShippedTemplate,
  stored: SampleFiles,
): Promise<boolean> {
  const rows = await lockStored(tx, files);
  return [...files].every(([path, { sha256 }]) => rows.get(sha256)?.id === stored.get(path)?.mediaId);
}
