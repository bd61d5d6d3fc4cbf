// Opens the files of shipped templates for requests: their cards, and the recorded results of samples.
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '../../lib/errors.ts';
import { type MediaRequest, toMediaResponse } from '../../media/serve.ts';
import type { OpenedMedia } from '../../services/media/serve-media.ts';
import type { RunDeps } from '../deps.ts';
import { CARD_PATH, getSamplePath } from './template-files.ts';

/** Opens a file that the template lists. Throws 404. */
export async function openTemplateFile(
  { shippedTemplates }: Pick<RunDeps, 'shippedTemplates'>,
  { id, file: name }: { readonly id: string; readonly file: string },
  request: MediaRequest,
): Promise<OpenedMedia> {
  const template = shippedTemplates.find(id);
  const path = name === CARD_PATH ? name : getSamplePath(name);
  const file = template?.files.get(path);
  if (template === undefined || file === undefined) throw new AppError('not_found', 'File not found.');
  const fullPath = join(template.folder, path);
  const { mtime } = await stat(fullPath);
  const { status, headers, range } = toMediaResponse(request, { ...file, name, createdAt: mtime });
  const hasBody = request.method === 'GET' && (status === 200 || status === 206);
  return { status, headers, stream: hasBody ? createReadStream(fullPath, range) : undefined };
}
