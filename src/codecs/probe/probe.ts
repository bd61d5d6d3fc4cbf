// Reads the properties of a video or audio file. Child processes parse the file with mediabunny, so that a file that makes
// it loop or exhaust memory ends only a child. Threads would not suffice, because V8 ends the whole process at a thread's
// heap limit.
import { AppError, toError } from '../../lib/errors.ts';
import { IdlePool } from '../../lib/idle-pool.ts';
import { createLimiter } from '../../lib/limiter.ts';
import { limitProcessorTime, readProcessTime } from '../../lib/threads/processor-time.ts';
import { describeUnsupportedCodec, findUnsupportedCodec } from '../command.ts';
import type { MediaInfo } from '../media-info.ts';
import {
  FileReadError,
  ProbeChild,
  type ProbeResult,
  type RemoteFile,
  UnreadableFileError,
} from './child.ts';

/** Maximum processor time of a probe. */
const TIMEOUT_MS = 15_000;
const IDLE_MS = 10_000;
const limit = createLimiter({ concurrency: 2, maxPerAccount: 1, maxWaiting: 200 });
/** Starting a child takes 0.15 s, a probe only a few milliseconds. */
const idleChildren = new IdlePool<ProbeChild>(IDLE_MS, child => child.end());

/** Probes a file on disk, or bytes. Throws `unreadable_media` if it is damaged or not video or audio. */
export async function probeMedia(source: string | Uint8Array, signal: AbortSignal): Promise<MediaInfo> {
  const file = typeof source === 'string' ? source : toRemoteFile(source);
  return (await probe('info', file, signal)) as MediaInfo;
}

/**
 * Returns the content type of a file. Reads only headers, at most 32 MB. Throws `unreadable_media` like `probeMedia`.
 * Rethrows errors of `file.read`.
 */
export async function probeContentType(file: RemoteFile, signal: AbortSignal): Promise<string> {
  return (await probe('contentType', file, signal)) as string;
}

function toRemoteFile(bytes: Uint8Array): RemoteFile {
  return { size: bytes.length, read: async (start, end) => bytes.subarray(start, end) };
}

function probe(
  kind: 'info' | 'contentType',
  file: string | RemoteFile,
  signal: AbortSignal,
): Promise<ProbeResult> {
  return limit(async () => {
    const child = acquireChild();
    using timeLimit = limitProcessorTime(() => readProcessTime(child.pid), TIMEOUT_MS);
    try {
      const result = await child.probe(kind, file, AbortSignal.any([signal, timeLimit.signal]));
      idleChildren.add(child);
      return result;
    } catch (err) {
      if (err instanceof UnreadableFileError) idleChildren.add(child);
      else child.end();
      signal.throwIfAborted();
      if (err instanceof FileReadError) throw err.cause;
      const { message } = toError(err);
      throw new AppError(
        'unreadable_media',
        findUnsupportedCodec(message) === undefined
          ? 'The file is not a readable video or audio file: it is damaged, incomplete or of another type.'
          : describeUnsupportedCodec(message),
        { cause: err },
      );
    }
  }, signal);
}

function acquireChild(): ProbeChild {
  for (let child = idleChildren.take(); child !== undefined; child = idleChildren.take())
    if (child.isAlive) return child;
  return new ProbeChild();
}
