// Starts the service as a child process, with its own folder and port.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { listSettings } from '../src/lib/settings.ts';
import { findFreePort } from '../test/support/network/free-port.ts';

const READY_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 15_000;
const POLL_MS = 25;

export interface DemoService extends AsyncDisposable {
  readonly url: string;
}

/** Starts `graphwright serve` and resolves when `/readyz` responds with 200. Disposing of the result stops the service. */
export async function startService(options: {
  readonly folder: string;
  readonly apiKey: string;
  readonly signal: AbortSignal;
}): Promise<DemoService> {
  const port = await findFreePort();
  const url = `http://127.0.0.1:${port}`;
  const logPath = join(options.folder, 'service.log');
  const logFile = openSync(logPath, 'a');
  // The shell's settings are removed, so that the demo does not write into a real database.
  const env = { ...process.env };
  for (const { name } of listSettings()) delete env[name];
  const child = spawn(
    process.execPath,
    [join(dirname(import.meta.dirname), 'bin', 'graphwright.js'), 'serve'],
    {
      env: {
        ...env,
        PORT: String(port),
        BASE_URL: url,
        DATA_DIR: join(options.folder, 'data'),
        BOOTSTRAP_API_KEY: options.apiKey,
      },
      stdio: ['ignore', logFile, logFile],
      // The service has its own process group, so that Ctrl-C reaches only the demo, which then stops the service.
      detached: true,
    },
  );
  const exited = once(child, 'exit');
  const stop = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGTERM');
    const killTimer = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
    await exited;
    clearTimeout(killTimer);
  };
  try {
    const signal = AbortSignal.any([options.signal, AbortSignal.timeout(READY_TIMEOUT_MS)]);
    while (!(await isReady(url))) {
      signal.throwIfAborted();
      if (child.exitCode !== null || child.signalCode !== null)
        throw new Error(`the service exited during startup: ${await readLastLine(logPath)}`);
      await sleep(POLL_MS);
    }
  } catch (thrown) {
    await stop();
    throw thrown;
  }
  return { url, [Symbol.asyncDispose]: stop };
}

async function isReady(url: string): Promise<boolean> {
  const response = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(1000) }).catch(() => undefined);
  await response?.arrayBuffer();
  return response?.status === 200;
}

async function readLastLine(path: string): Promise<string> {
  const lines = (await readFile(path, 'utf8')).trim().split('\n');
  return `${lines.at(-1)} (full log in ${path})`;
}
