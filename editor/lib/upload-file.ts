// Uploads a file, and shows what the service removed from it.

import type { Media } from '../../sdk/src/schemas.ts';
import { type UploadOptions, uploadFile } from '../../sdk/src/upload.ts';
import { connection } from './api.ts';
import { showToast } from './toasts.ts';

export async function uploadAndWarn(file: File, options: UploadOptions = {}): Promise<Media> {
  const media = await uploadFile(connection, file, options);
  for (const warning of media.warnings ?? []) showToast(`${file.name}: ${warning}`, { tone: 'failed' });
  return media;
}
