// Runs the tasks of local nodes in a child process, which may read only models. A native call blocks the process until it
// ends, so the service stops the process to stop the call.
import { Socket } from 'node:net';
import type { LocalAnswer, LocalTask, LocalTaskKind, LocalTasks } from '../tasks.ts';
import { detectFaces } from './faces.ts';
import { detectLanguage } from './language.ts';
import { InvalidModelError } from './onnx.ts';
import { runOwnModel } from './own-model.ts';
import { findPerson, refineMask } from './person.ts';
import { readText } from './read-text.ts';
import { cleanSpeech } from './speech.ts';
import { upscaleTile } from './upscale.ts';
import { vectorizeImage } from './vectorize.ts';

// Node's permissions do not cover the network.
Socket.prototype.connect = () => {
  throw new Error('Local nodes have no network.');
};
Object.assign(globalThis, { fetch: undefined, WebSocket: undefined, EventSource: undefined });

type Perform<K extends LocalTaskKind> = (
  input: LocalTasks[K]['input'],
) => LocalTasks[K]['output'] | Promise<LocalTasks[K]['output']>;

const TASKS: { readonly [K in LocalTaskKind]: Perform<K> } = {
  upscale: upscaleTile,
  faces: detectFaces,
  person: findPerson,
  model: runOwnModel,
  refine: ({ mask, guide }) => refineMask(mask, guide),
  ocr: readText,
  speech: cleanSpeech,
  vectorize: vectorizeImage,
  language: detectLanguage,
};

async function answer({ kind, input }: LocalTask): Promise<LocalAnswer> {
  try {
    return { value: await (TASKS[kind] as (input: unknown) => unknown)(input) };
  } catch (err) {
    if (err instanceof InvalidModelError) return { invalid: err.message };
    throw err;
  }
}

process.on('message', async ({ input }: { readonly input: LocalTask }) => {
  const result = await answer(input).then(
    output => ({ output }),
    (err: unknown) => ({ failure: err instanceof Error ? String(err.stack) : String(err) }),
  );
  process.send?.(result);
});
process.send?.('ready');
