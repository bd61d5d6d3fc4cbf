// Tells what a video or audio file holds. By mediabunny, which is plain JavaScript, in a thread of its own: a file that
// makes it run in circles or ask for memory without end takes the thread down and nothing else.
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { AppError } from '../lib/errors.ts';
import { createGate } from '../lib/gate.ts';
import type { MediaFacts } from './facts.ts';
import { withScratch } from './scratch.ts';

export type ProbeAnswer = { readonly facts: MediaFacts } | { readonly failure: string };

const TIMEOUT_MS = 10_000;
const MAX_HEAP_MB = 256;
const gate = createGate({ concurrency: 2, maxWaiting: 200 });

/** The facts of a file on disk, or of bytes. AppError `unreadable_media` where it is no video or audio, or is damaged. */
export async function probeMedia(source: string | Uint8Array, signal: AbortSignal): Promise<MediaFacts> {
  signal.throwIfAborted();
  if (typeof source === 'string') return gate(() => ask(source, signal), signal);
  return withScratch(async folder => {
    const path = join(folder, 'media');
    await writeFile(path, source);
    return probeMedia(path, signal);
  });
}

async function ask(path: string, signal: AbortSignal): Promise<MediaFacts> {
  // Sources run as .ts; the published package holds .js.
  const file = new URL(`./probe-worker${extname(import.meta.filename)}`, import.meta.url);
  const worker = new Worker(file, {
    workerData: path,
    env: {},
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
  });
  try {
    const deadline = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
    const [answer] = (await once(worker, 'message', { signal: deadline })) as [ProbeAnswer];
    if ('facts' in answer) return answer.facts;
    throw new Error(answer.failure);
  } catch (err) {
    signal.throwIfAborted();
    throw new AppError(
      'unreadable_media',
      'The file is no video or audio that can be read: it is damaged, cut short or of another kind.',
      { cause: err },
    );
  } finally {
    await worker.terminate();
  }
}
