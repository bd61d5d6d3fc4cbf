// Measures the backup of a running service and its restore into an empty folder, with media and large workflows.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { wav } from '../../test/support/media/files.ts';
import { node } from '../../test/support/workflows.ts';
import { runLoad } from '../load.ts';
import type { Row } from '../row.ts';
import {
  API_KEY,
  type BenchService,
  EMBEDDED,
  makeFolder,
  removeFolder,
  startBenchService,
} from '../service.ts';

const MB = 1_048_576;
const FILE_BYTES = 4 * MB;
const WORKFLOW_BYTES = MB;
const TARGET_MB_PER_SECOND = 200;

/** The `--json` output of a backup and of a restore. */
interface CommandResult {
  readonly bytes: number;
  readonly durationMs: number;
}

export async function* runBackupRows(isShort: boolean): AsyncGenerator<Row> {
  const folder = await makeFolder();
  const service = await startBenchService(folder, EMBEDDED);
  const file = join(folder, 'backup.tar');
  try {
    await storeData(service, isShort ? { files: 2, workflows: 2 } : { files: 224, workflows: 128 });
    yield createRow('backup, the service running', await runCommand(['backup', file], join(folder, 'data')));
  } finally {
    await service.stop();
  }
  try {
    yield createRow(
      'restore into an empty folder',
      await runCommand(['restore', file], join(folder, 'other')),
    );
    await rm(file);
  } finally {
    await removeFolder(folder);
  }
}

function createRow(name: string, { bytes, durationMs }: CommandResult): Row {
  const megabytes = Math.round(bytes / MB);
  return {
    figure: `${name}: ${megabytes} MB of media and rows`,
    value: bytes / MB / (durationMs / 1000),
    unit: 'MB/s',
    target: { value: TARGET_MB_PER_SECOND, is: 'at least' },
    note: `${(durationMs / 1000).toFixed(1)} s`,
  };
}

async function storeData(
  service: BenchService,
  { files, workflows }: { readonly files: number; readonly workflows: number },
): Promise<void> {
  const media = wav(FILE_BYTES);
  const headers = { authorization: `Bearer ${API_KEY}` };
  const nodes = [node('a', 'input:text', { value: 'w'.repeat(WORKFLOW_BYTES) })];
  const workflow = JSON.stringify({ name: 'W', nodes, edges: [] });
  await runLoad(4, { count: files }, async () => {
    const form = new FormData();
    form.set('file', new Blob([new Uint8Array(media)], { type: 'audio/wav' }), 'a.wav');
    await requireSuccess(
      fetch(`${service.url}/api/v1/media/upload`, { method: 'POST', headers, body: form }),
    );
  });
  await runLoad(4, { count: workflows }, () =>
    requireSuccess(service.fetch('/api/v1/workflows', { method: 'POST', body: workflow })),
  );
}

async function requireSuccess(request: Promise<Response>): Promise<void> {
  const response = await request;
  if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
  await response.arrayBuffer();
}

async function runCommand(args: readonly string[], dataDir: string): Promise<CommandResult> {
  const child = spawn(
    process.execPath,
    [join(import.meta.dirname, '../../bin/graphwright.js'), ...args, '--json'],
    {
      env: { ...process.env, DATA_DIR: dataDir, SECRETS_KEY: '07'.repeat(32) },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const [stdout] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  return JSON.parse(stdout) as CommandResult;
}
