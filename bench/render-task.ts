// Runs one render in its own process, so that its memory can be measured separately. Reads the task as JSON from stdin and
// prints the duration in seconds.
import { closeSync, openSync, readSync, writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { getBackend } from '../src/codecs/backend.ts';
import { type EncodeRequest, encode } from '../src/codecs/encode.ts';
import { encodeInProcess } from '../src/codecs/host/encode-in-process.ts';
import { getI420Size } from '../src/codecs/pixels/i420.ts';
import { readRenderFiles } from '../src/render/read-files.ts';
import { openScene } from '../src/render/scene.ts';
import { openFrames } from '../src/render/video/frame-source.ts';
import { renderVideo } from '../src/render/video/render-video.ts';
import { FPS, HEIGHT, WIDTH } from './render-scenes.ts';

export type RenderTask = { readonly path: string; readonly frameCount: number } & (
  | { readonly kind: 'graphwright'; readonly graph: unknown; readonly ffmpegPath: string }
  /** Writes the frames to `path` as I420, one after the other. */
  | { readonly kind: 'draw'; readonly graph: unknown }
  | { readonly kind: 'encode'; readonly frames: string; readonly ffmpegPath: string }
  | {
      readonly kind: 'remotion';
      readonly id: string;
      readonly bundle: string;
      readonly inputProps: object;
      readonly browser: string;
    }
);

// Declares only the functions used here, because the package and its types are installed separately.
interface Remotion {
  selectComposition(options: object): Promise<object>;
  renderMedia(options: object): Promise<unknown>;
}

const signal = AbortSignal.timeout(900_000);

async function readSceneFiles(graph: unknown) {
  const { resources } = openScene(graph);
  const read = () => Promise.reject(new Error('The scenes name no files.'));
  return readRenderFiles(resources.values(), read, '/nonexistent', signal);
}

/** Functions that prepare a task and resolve to the function to measure. */
const TASKS = {
  async graphwright({ graph, ffmpegPath, path, frameCount }: Extract<RenderTask, { kind: 'graphwright' }>) {
    const files = await readSceneFiles(graph);
    const codecs = { FFMPEG_PATH: ffmpegPath };
    await getBackend(codecs, signal);
    return () => renderVideo({ graph, files, range: [0, frameCount], scale: 1, path, codecs }, {}, signal);
  },
  async encode({ frames, ffmpegPath, path, frameCount }: Extract<RenderTask, { kind: 'encode' }>) {
    const backend = await getBackend({ FFMPEG_PATH: ffmpegPath }, signal);
    const file = openSync(frames, 'r');
    async function* read(): AsyncGenerator<Uint8Array> {
      const slots = Array.from({ length: 3 }, () => Buffer.alloc(getI420Size(WIDTH, HEIGHT)));
      for (let index = 0; index < frameCount; index++) {
        const slot = slots[index % 3] ?? Buffer.alloc(0);
        readSync(file, slot, 0, slot.length, index * slot.length);
        yield slot;
      }
      closeSync(file);
    }
    const video = { width: WIDTH, height: HEIGHT, fps: FPS, pixels: 'i420', frames: read() } as const;
    const request: EncodeRequest = { path, maxSeconds: frameCount / FPS, video };
    return () => (backend.name === 'ffmpeg' ? encode(backend, request, signal) : encodeInProcess(request));
  },
  async draw({ graph, path, frameCount }: Extract<RenderTask, { kind: 'draw' }>) {
    const files = await readSceneFiles(graph);
    return async () => {
      const backend = { name: 'ffmpeg', detail: '', encoderId: '', path: 'none' } as const;
      const source = openFrames(
        { graph, files, peaks: new Map(), scale: 1, width: WIDTH, height: HEIGHT, backend },
        0,
      );
      const out = openSync(path, 'w');
      source.request([0, frameCount]);
      for await (const frame of source.read([0, frameCount])) writeSync(out, frame);
    };
  },
  async remotion({
    id,
    bundle,
    inputProps,
    browser,
    path,
    frameCount,
  }: Extract<RenderTask, { kind: 'remotion' }>) {
    const { selectComposition, renderMedia } = createRequire(join(import.meta.dirname, 'remotion/index.js'))(
      '@remotion/renderer',
    ) as Remotion;
    const shared = {
      serveUrl: bundle,
      inputProps,
      browserExecutable: browser,
      logLevel: 'error',
    };
    const composition = await selectComposition({ ...shared, id });
    // Remotion's default settings, except for the preset and the quality, which are those of Graphwright.
    return () =>
      renderMedia({
        ...shared,
        composition,
        codec: 'h264',
        x264Preset: 'veryfast',
        crf: 20,
        muted: true,
        concurrency: 2,
        frameRange: [0, frameCount - 1],
        outputLocation: path,
      });
  },
};

const task = JSON.parse(await text(process.stdin)) as RenderTask;
const run = await TASKS[task.kind](task as never);
const start = performance.now();
await run();
const seconds = (performance.now() - start) / 1000;
process.stdout.write(`\n${JSON.stringify({ seconds })}\n`, () => process.exit(0));
