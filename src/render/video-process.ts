// The render process: one job by message, progress and a result back. It ends with its work, and at once where its
// parent goes away; whatever it has started goes with it.
import { rmSync } from 'node:fs';
import type { BackendRef } from '../codecs/job.ts';
import { AppError, type ErrorCode, type Issue, toError } from '../lib/errors.ts';
import type { VideoJob, VideoResult } from './video.ts';
import { makeFile } from './video-work.ts';

export interface ProcessJob extends Omit<VideoJob, 'codecs'> {
  readonly backend: BackendRef;
  readonly threadCount: number;
  /** Where unfinished files lie; removed by whoever sees the render end. */
  readonly workFolder: string;
}

export type ProcessMessage =
  | { readonly kind: 'frame'; readonly done: number; readonly total: number }
  | { readonly kind: 'segment'; readonly path: string }
  | { readonly kind: 'sound' }
  | { readonly kind: 'result'; readonly result: VideoResult }
  | {
      readonly kind: 'failure';
      readonly code: ErrorCode | undefined;
      readonly message: string;
      readonly issues: readonly Issue[] | undefined;
    };

function tell(message: ProcessMessage): void {
  // A channel that is closed is told by `disconnect`.
  process.send?.(message, undefined, undefined, () => undefined);
}

function failureOf(err: unknown): ProcessMessage {
  const { message, stack } = toError(err);
  if (!(err instanceof AppError))
    return { kind: 'failure', code: undefined, issues: undefined, message: stack ?? message };
  return { kind: 'failure', code: err.code, issues: err.issues, message };
}

/** Its own group, of which its parent made it the first: codecs and this process. */
function endGroup(): void {
  process.kill(process.platform === 'win32' ? process.pid : -process.pid, 'SIGKILL');
}

let workFolder: string | undefined;
process.once('disconnect', () => {
  if (workFolder !== undefined) rmSync(workFolder, { recursive: true, force: true });
  endGroup();
});
process.once('message', async (job: ProcessJob) => {
  workFolder = job.workFolder;
  const message = await makeFile(job, tell).then(
    (result): ProcessMessage => ({ kind: 'result', result }),
    (err: unknown) => failureOf(err),
  );
  // What is left of threads and codecs is ended by the parent.
  tell(message);
});
