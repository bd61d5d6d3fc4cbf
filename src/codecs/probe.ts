// Tells what a video or audio file holds. By mediabunny, which is plain JavaScript, in a process of its own: a file that
// makes it run in circles or ask for memory without end takes that down and nothing else. A thread would not do: past
// its heap limit V8 has ended the whole process.
import { type ChildProcess, fork } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
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
  const file = new URL(`./probe-process${extname(import.meta.filename)}`, import.meta.url);
  const child = fork(file, [path], {
    execArgv: [`--max-old-space-size=${MAX_HEAP_MB}`],
    env: {},
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    killSignal: 'SIGKILL',
  });
  try {
    const deadline = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
    const answer = await answerOf(child, deadline);
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
    child.kill('SIGKILL');
  }
}

/** The channel closes behind the last message, so a process that died without one is told by that. */
function answerOf(child: ChildProcess, deadline: AbortSignal): Promise<ProbeAnswer> {
  return new Promise((resolve, reject) => {
    child.once('message', message => resolve(message as ProbeAnswer));
    child.once('error', reject);
    child.once('disconnect', () => reject(new Error('The probe ended without an answer.')));
    deadline.addEventListener('abort', () => reject(deadline.reason), { once: true });
  });
}
