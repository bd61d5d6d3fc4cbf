// Tries the npm package as a new user does: packs the package, installs it in an empty folder with this machine's npm, starts
// the service with npx, runs two examples and requests the web application. A CI step and not a test, because it needs the
// registry.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { listSettings } from '../../src/lib/settings.ts';
import { findFreePort } from '../../test/support/network/free-port.ts';

const ROOT = join(import.meta.dirname, '../..');
const READY_TIMEOUT_MS = 60_000;
const KEY = `sk-${'7'.repeat(32)}`;

const folder = mkdtempSync(join(tmpdir(), 'graphwright-package-'));
// npm puts this checkout's node_modules on the PATH. They are removed, so that the package's own Node is used.
const env: NodeJS.ProcessEnv = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name)),
);
for (const { name } of listSettings()) delete env[name];
env.PATH = (env.PATH ?? '')
  .split(delimiter)
  .filter(part => !part.startsWith(ROOT))
  .join(delimiter);

let service: ReturnType<typeof spawn> | undefined;
try {
  const tarball = run('npm', ['pack', '--silent', join(ROOT, 'dist/graphwright')]).trim();
  run('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error', `./${tarball}`]);
  const url = await startService();
  const client = { GRAPHWRIGHT_URL: url, GRAPHWRIGHT_API_KEY: KEY };
  for (const example of ['postcard', 'logo-sting']) {
    const file = `node_modules/graphwright/examples/${example}.json`;
    const execution = JSON.parse(run('npx', ['graphwright', 'run', file, '--json'], client)) as {
      status: string;
    };
    if (execution.status !== 'COMPLETED') throw new Error(`${example} ended as ${execution.status}`);
    process.stdout.write(`${example}: ${execution.status}\n`);
  }
  const page = await fetch(`${url}/sign-in`);
  const script = /src="(?<path>[^"]+\.js)"/.exec(await page.text())?.groups?.path ?? '/nosuch.js';
  const { status, headers } = await fetch(new URL(script, url));
  if (status !== 200) throw new Error(`the application's ${script} answered ${status}`);
  process.stdout.write(`web application: ${script}, ${headers.get('content-type')}\n`);
  run('npm', [
    'install',
    '--prefer-offline',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
    `${url}/sdk/graphwright-sdk.tgz`,
  ]);
  run('node', [
    '--input-type=module',
    '-e',
    'import { createClient } from "@graphwright/sdk"; createClient({ url: "http://x" })',
  ]);
} finally {
  await stopService();
  rmSync(folder, { recursive: true, force: true });
}

function run(program: string, args: readonly string[], settings: NodeJS.ProcessEnv = {}): string {
  return execFileSync(program, args, {
    cwd: folder,
    env: { ...env, ...settings },
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

async function startService(): Promise<string> {
  const port = String(await findFreePort());
  const settings = { PORT: port, DATA_DIR: join(folder, 'data'), BOOTSTRAP_API_KEY: KEY, LOG_LEVEL: 'warn' };
  service = spawn('npx', ['graphwright', 'serve'], {
    cwd: folder,
    env: { ...env, ...settings },
    stdio: ['ignore', 'inherit', 'inherit'],
    detached: true,
  });
  const url = `http://127.0.0.1:${port}`;
  const deadlineMs = Date.now() + READY_TIMEOUT_MS;
  for (;;) {
    const response = await fetch(`${url}/readyz`).catch(() => undefined);
    if (response?.ok) return url;
    if (Date.now() > deadlineMs || service.exitCode !== null)
      throw new Error('the service did not become ready');
    await new Promise(resolve => setTimeout(resolve, 100));
  }
}

async function stopService(): Promise<void> {
  if (service?.pid === undefined || service.exitCode !== null) return;
  const exited = once(service, 'exit');
  process.kill(-service.pid, 'SIGTERM');
  await exited;
}
