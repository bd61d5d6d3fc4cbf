// Chooses the codec back end of this machine, and passes it to other threads and processes.
import { AppError } from '../lib/errors.ts';
import { findOnPath, type Settings } from '../lib/settings.ts';
import type { Backend, BackendRef } from './command.ts';
import { checkFfmpeg, restoreFfmpeg } from './ffmpeg.ts';
import { checkCodecHost, isHostInstalled, restoreCodecHost } from './host/codec-host.ts';

export type CodecSettings = Partial<Pick<Settings, 'FFMPEG_PATH'>>;

const backends = new Map<string, Backend>();

/**
 * Returns the back end: an ffmpeg with x264 if there is one, because its files are half as large, otherwise the codec
 * host. If there is neither, throws `unavailable` with what to install.
 */
export async function getBackend(settings: CodecSettings, signal: AbortSignal): Promise<Backend> {
  const path = findFfmpeg(settings);
  const cached = backends.get(path ?? '');
  if (cached !== undefined) return cached;
  const reasons: string[] = [];
  const ffmpeg = path === undefined ? 'no ffmpeg is on the PATH' : await checkFfmpeg(path, signal);
  if (typeof ffmpeg === 'string') reasons.push(ffmpeg);
  const backend = typeof ffmpeg === 'string' ? await checkCodecHost(reasons, signal) : ffmpeg;
  if (typeof backend === 'string') {
    throw new AppError(
      'unavailable',
      `Video and audio need a codec: ${[...reasons, backend].join('; ')}. Install ffmpeg (apt-get install ffmpeg) or set FFMPEG_PATH.`,
    );
  }
  backends.set(path ?? '', backend);
  return backend;
}

/** Returns plain data that can be sent to another thread or process. */
export const toBackendRef = ({ name, detail, encoderId, path }: Backend): BackendRef => ({
  name,
  detail,
  encoderId,
  ...(path !== undefined && { path }),
});

/** Restores the back end that another thread or process found, without checking it again. */
export function restoreBackend({ detail, encoderId, path }: BackendRef): Backend {
  return path === undefined ? restoreCodecHost(detail) : restoreFfmpeg(path, encoderId);
}

/** Returns whether the files of a back end exist. Starts no process. */
export function hasBackend(settings: CodecSettings): boolean {
  return findFfmpeg(settings) !== undefined || isHostInstalled();
}

function findFfmpeg(settings: CodecSettings): string | undefined {
  return settings.FFMPEG_PATH ?? findOnPath('ffmpeg');
}
