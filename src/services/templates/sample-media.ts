// Stores the recorded results of a template as media, once for all copies.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { MediaRef } from '../../graph/types.ts';
import { newId } from '../../lib/ids.ts';
import type { Tx } from '../../store/db.ts';
import type { NewMedia } from '../../store/media/media.ts';
import { noteOrphan } from '../../store/media/orphans.ts';
import {
  insertSampleMedia,
  lockSampleMedia,
  NO_USER,
  TEMPLATES_WORKSPACE,
} from '../../store/media/samples.ts';
import type { Deps } from '../deps.ts';
import { toRef } from '../media/media-record.ts';
import { dropFile } from '../media/receive-file.ts';
import type { Sample, ShippedTemplate } from './template-files.ts';

/** Stores the files that are not stored yet. */
export async function storeSampleFiles(
  deps: Deps,
  { sample, folder }: ShippedTemplate,
  signal: AbortSignal,
): Promise<void> {
  if (sample === undefined) return;
  const stored = await readStored(deps.db, sample);
  for (const [name, file] of Object.entries(sample.files)) {
    if (stored.has(file.sha256)) continue;
    const bytes = await readFile(join(folder, 'sample', name), { signal });
    const id = newId('media', deps.now());
    await noteOrphan(deps.db, id);
    const { contentType, bytes: maxBytes } = file;
    const { sha256 } = await deps.storage.put(id, bytes, { contentType, maxBytes, signal });
    if (sha256 !== file.sha256)
      throw new Error(`sample/${name} of ${folder} was changed after it was recorded.`);
    if (!(await insertSampleMedia(deps.db, toRow(id, name, file)))) await dropFile(deps, id);
  }
}

function toRow(id: string, name: string, file: Sample['files'][string]): NewMedia {
  const { contentType, bytes, sha256, width, height, duration } = file;
  return {
    id,
    user_id: NO_USER,
    workspace: TEMPLATES_WORKSPACE,
    name,
    content_type: contentType,
    bytes,
    sha256,
    width,
    height,
    duration,
    origin: 'output',
    execution_id: null,
  };
}

const readStored = async (tx: Tx, { files }: Sample): Promise<ReadonlyMap<string, NewMedia>> => {
  const rows = await lockSampleMedia(
    tx,
    Object.values(files).map(({ sha256 }) => sha256),
  );
  return new Map(rows.map(row => [row.sha256, row]));
};

/**
 * Returns references to the stored files by their names in the sample. No sweep deletes the files until the transaction
 * ends. undefined: a sweep has just deleted one, and they must be stored again.
 */
export async function lockSampleFiles(
  deps: Pick<Deps, 'settings'>,
  tx: Tx,
  sample: Sample,
): Promise<ReadonlyMap<string, MediaRef> | undefined> {
  const stored = await readStored(tx, sample);
  const references = Object.entries(sample.files).flatMap(([name, { sha256 }]) => {
    const row = stored.get(sha256);
    return row === undefined ? [] : [[name, toRef(deps, row)] as const];
  });
  return references.length === Object.keys(sample.files).length ? new Map(references) : undefined;
}
