// The render process: one job by message, progress and a result back. It ends with its work, and at once where its
// parent goes away; whatever it has started goes with it.
import { rmSync } from 'node:fs';
import { restoreBackend } from '../codecs/backend.ts';
import { encode } from '../codecs/encode.ts';
import { encodeHere } from '../codecs/encode-here.ts';
import type { BackendRef } from '../codecs/job.ts';
import { AppError, type ErrorCode, type Issue, toError } from '../lib/errors.ts';
import { openScene } from './scene.ts';
import type { VideoJob, VideoResult } from './video.ts';
import { openFrames } from './video-frames.ts';

export interface ProcessJob extends Omit<VideoJob, 'codecs'> {
  readonly backend: BackendRef;
  readonly threadCount: number;
}

export type ProcessMessage =
  | { readonly kind: 'frame'; readonly done: number; readonly total: number }
  | { readonly kind: 'segment'; readonly path: string }
  | { readonly kind: 'result'; readonly result: VideoResult }
  | {
      readonly kind: 'failure';
      readonly code: ErrorCode | undefined;
      readonly message: string;
      readonly issues: readonly Issue[] | undefined;
    };

const even = (side: number): number => Math.max(2, Math.floor(side / 2) * 2);

async function render(job: ProcessJob): Promise<VideoResult> {
  const { graph, files, range, scale, path } = job;
  const timeline = openScene(graph);
  const { fps } = timeline;
  const [from, to] = range;
  const [width, height] = [
    even(Math.round(timeline.width * scale)),
    even(Math.round(timeline.height * scale)),
  ];
  const frames = openFrames(
    { graph, files, scale, width, height, backend: job.backend },
    [range],
    job.threadCount,
  );
  const total = to - from;
  const encodeWith =
    job.backend.name === 'ffmpeg' ? encode.bind(undefined, restoreBackend(job.backend)) : encodeHere;
  const encoded = await encodeWith(
    {
      path,
      maxSeconds: total / fps,
      video: { width, height, fps, pixels: 'i420', frames: frames.read(range) },
      onFrame: done => tell({ kind: 'frame', done, total }),
    },
    never,
  );
  frames.close();
  return {
    ...encoded,
    width,
    height,
    fps,
    hasAudio: false,
    warnings: [...timeline.warnings, ...frames.warnings],
  };
}

/** Nothing is aborted within: whoever wants to stop a render ends its process. */
const never = new AbortController().signal;

function tell(message: ProcessMessage): void {
  // A channel that is closed is told by `disconnect`.
  process.send?.(message, undefined, undefined, () => undefined);
}

function failureOf(err: unknown): ProcessMessage {
  const { code, issues } = err instanceof AppError ? err : { code: undefined, issues: undefined };
  return { kind: 'failure', code, issues, message: toError(err).stack ?? toError(err).message };
}

process.once('message', async (job: ProcessJob) => {
  process.once('disconnect', () => {
    rmSync(job.path, { force: true });
    // Its own group, of which its parent made it the first: codecs and this process.
    process.kill(process.platform === 'win32' ? process.pid : -process.pid, 'SIGKILL');
  });
  const message = await render(job).then(
    (result): ProcessMessage => ({ kind: 'result', result }),
    (err: unknown) => failureOf(err),
  );
  process.removeAllListeners('disconnect');
  process.send?.(message, () => process.exit(0));
});
