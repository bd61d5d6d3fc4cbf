// The render process: one job by message, progress and a result back. It ends with its work, and at once where its
// parent goes away; whatever it has started goes with it.
import { rmSync } from 'node:fs';
import { keepCompiled } from '../../lib/compile-cache.ts';
import { AppError, toError } from '../../lib/errors.ts';
import type { ProcessJob, ProcessMessage } from './job.ts';
import { makeFile } from './work.ts';

function report(message: ProcessMessage): void {
  // A closed channel is reported by `disconnect`.
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
  const message = await makeFile(job, report).then(
    (result): ProcessMessage => ({ kind: 'result', result }),
    (err: unknown) => failureOf(err),
  );
  // The parent kills this process, and with it what is left of threads and codecs.
  keepCompiled();
  report(message);
});
