// What a video or audio file contains. By mediabunny, which is plain JavaScript, in processes of its own: a file that
// makes it run in circles or ask for memory without end takes one of them down and nothing else. A thread would not do:
// past its heap limit V8 has ended the process.
import { AppError } from '../../lib/errors.ts';
import { createGate } from '../../lib/gate.ts';
import type { MediaFacts } from '../facts.ts';
import { ProbeChild, type Probed, ReadFailure, type RemoteFile, Unreadable } from './child.ts';

const TIMEOUT_MS = 15_000;
const IDLE_MS = 10_000;
const gate = createGate({ concurrency: 2, maxWaiting: 200 });
/** Kept for a while: one takes 0.15 s to start, and a probe a few milliseconds. Each with what will end it. */
const idle = new Map<ProbeChild, NodeJS.Timeout>();

/** The facts of a file on disk, or of bytes. AppError `unreadable_media` where it is no video or audio, or is damaged. */
export async function probeMedia(source: string | Uint8Array, signal: AbortSignal): Promise<MediaFacts> {
  const file = typeof source === 'string' ? source : inMemory(source);
  return (await probe('facts', file, signal)) as MediaFacts;
}

/**
 * The content type that a file's tracks make it, for the price of its headers: at most 32 MB of it are read. AppError
 * `unreadable_media` as with `probeMedia`; what `file.read` throws is thrown on.
 */
export async function probeContentType(file: RemoteFile, signal: AbortSignal): Promise<string> {
  return (await probe('contentType', file, signal)) as string;
}

function inMemory(bytes: Uint8Array): RemoteFile {
  return { size: bytes.length, read: async (start, end) => bytes.subarray(start, end) };
}

function probe(
  what: 'facts' | 'contentType',
  file: string | RemoteFile,
  signal: AbortSignal,
): Promise<Probed> {
  return gate(async () => {
    const child = take();
    try {
      const deadline = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
      const probed = await child.ask(what, file, deadline);
      keep(child);
      return probed;
    } catch (err) {
      if (err instanceof Unreadable) keep(child);
      else child.end();
      signal.throwIfAborted();
      if (err instanceof ReadFailure) throw err.cause;
      throw new AppError(
        'unreadable_media',
        'The file is no video or audio that can be read: it is damaged, cut short or of another kind.',
        { cause: err },
      );
    }
  }, signal);
}

function take(): ProbeChild {
  for (const [child, timer] of idle) {
    clearTimeout(timer);
    idle.delete(child);
    if (child.isAlive) return child;
  }
  return new ProbeChild();
}

function keep(child: ProbeChild): void {
  const timer = setTimeout(() => {
    idle.delete(child);
    child.end();
  }, IDLE_MS);
  idle.set(child, timer.unref());
}
