// Stores the recorded results of a template as media, once for all copies.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { MediaRef } from '../../graph/types.ts';
import { newId } from '../../lib/ids.ts';
import type { Tx } from '../../store/db.ts';
import { type NewMedia, TEMPLATES_WORKSPACE } from '../../store/media/media.ts';
import { noteOrphan } from '../../store/media/orphans.ts';
import { insertSampleMedia, lockSampleMedia, NO_USER } from '../../store/media/samples.ts';
import type { Deps } from '../deps.ts';
import { toRef } from '../media/media-record.ts';
import { dropFile } from '../media/receive-file.ts';
import type { Sample, ShippedTemplate } from './template-files.ts';

/** Stores the files that are not stored yet. Returns references to all of them by name. */
export async function storeSampleFiles(
  deps: Deps,
  { folder }: ShippedTemplate,
  sample: Sample,
  signal: AbortSignal,
): Promise<SampleFiles> {
  const stored = await readStored(deps.db, sample);
  const missing = Object.entries(sample.files).filter(([, { sha256 }]) => !stored.has(sha256));
  for (const [name, file] of missing) {
    const bytes = await readFile(join(folder, 'sample', name), { signal });
    const id = newId('media', deps.now());
    await noteOrphan(deps.db, id);
    const { contentType, bytes: maxBytes } = file;
    const { sha256 } = await deps.storage.put(id, bytes, { contentType, maxBytes, signal });
    if (sha256 !== file.sha256)
      throw new Error(`sample/${name} of ${folder} was changed after it was recorded.`);
    if (!(await insertSampleMedia(deps.db, toRow(id, name, file)))) await dropFile(deps, id);
  }
  return listFiles(deps, missing.length === 0 ? stored : await readStored(deps.db, sample), sample);
}

/** Media references by the names of the files. A file that a sweep has just deleted is missing. */
export type SampleFiles = ReadonlyMap<string, MediaRef>;

function listFiles(
  deps: Pick<Deps, 'settings'>,
  stored: ReadonlyMap<string, NewMedia>,
  { files }: Sample,
): SampleFiles {
  return new Map(
    Object.entries(files).flatMap(([name, { sha256 }]) => {
      const row = stored.get(sha256);
      return row === undefined ? [] : [[name, toRef(deps, row)] as const];
    }),
  );
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

/** Keeps every sweep from deleting the files until the transaction ends. Returns false if one has been deleted. */
export async function lockSampleFiles(tx: Tx, sample: Sample, files: SampleFiles): Promise<boolean> {
  const stored = await readStored(tx, sample);
  return Object.entries(sample.files).every(
    ([name, { sha256 }]) => stored.get(sha256)?.id === files.get(name)?.mediaId,
  );
}
