// Runs in the render process: receives one request by message and sends back progress and a result. The parent then kills
// the process. If the parent exits first, this process kills itself and its codecs.
import { rmSync } from 'node:fs';
import { flushCompileCache } from 'node:module';
import { AppError, toError } from '../../lib/errors.ts';
import type { ProcessMessage, ProcessRequest } from './video-request.ts';
import { writeVideoFile } from './write-video-file.ts';

function report(message: ProcessMessage): void {
  // The `disconnect` event reports a closed channel.
  process.send?.(message, undefined, undefined, () => undefined);
}

function toFailure(err: unknown): ProcessMessage {
  const { message, stack } = toError(err);
  if (!(err instanceof AppError))
    return { kind: 'failure', code: undefined, issues: undefined, message: stack ?? message };
  return { kind: 'failure', code: err.code, issues: err.issues, message };
}

/** Kills the process group, which the parent created for this process and its codecs. */
function killProcessGroup(): void {
  process.kill(process.platform === 'win32' ? process.pid : -process.pid, 'SIGKILL');
}

let workFolder: string | undefined;
process.once('disconnect', () => {
  try {
    // Codecs may add files meanwhile, so that the folder is not empty when it is removed.
    if (workFolder !== undefined)
      rmSync(workFolder, { recursive: true, force: true, maxRetries: 20, retryDelay: 10 });
  } finally {
    killProcessGroup();
  }
});
process.once('message', async (request: ProcessRequest) => {
  workFolder = request.workFolder;
  const message = await writeVideoFile(request, report).then(
    (result): ProcessMessage => ({ kind: 'result', result }),
    (err: unknown) => toFailure(err),
  );
  // The parent kills this process with all its threads and codecs. Node itself writes the cache only on a normal exit.
  flushCompileCache();
  report(message);
});
