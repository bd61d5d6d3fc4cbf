// Measures backup of a running service and restore into an empty folder by command line: media of 4 MB, and rows.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { wav } from '../../test/support/media/files.ts';
import { node } from '../../test/support/workflows.ts';
import { load } from '../load.ts';
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
const ROW_BYTES = MB;
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
    await fill(service, isShort ? { files: 2, rows: 2 } : { files: 224, rows: 128 });
    yield row('backup, the service running', await graphwright(['backup', file], join(folder, 'data')));
  } finally {
    await service.stop();
  }
  try {
    yield row('restore into an empty folder', await graphwright(['restore', file], join(folder, 'other')));
    await rm(file);
  } finally {
    await removeFolder(folder);
  }
}

function row(name: string, { bytes, durationMs }: CommandResult): Row {
  const megabytes = Math.round(bytes / MB);
  return {
    figure: `${name}: ${megabytes} MB of media and rows`,
    value: bytes / MB / (durationMs / 1000),
    unit: 'MB/s',
    target: { value: TARGET_MB_PER_SECOND, is: 'at least' },
    note: `${(durationMs / 1000).toFixed(1)} s`,
  };
}

async function fill(service: BenchService, { files, rows }: { files: number; rows: number }): Promise<void> {
  const media = wav(FILE_BYTES);
  const headers = { authorization: `Bearer ${API_KEY}` };
  const nodes = [node('a', 'input:text', { value: 'w'.repeat(ROW_BYTES) })];
  const workflow = JSON.stringify({ name: 'W', nodes, edges: [] });
  await load(4, { count: files }, async () => {
    const form = new FormData();
    form.set('file', new Blob([new Uint8Array(media)], { type: 'audio/wav' }), 'a.wav');
    await succeed(fetch(`${service.url}/api/v1/media/upload`, { method: 'POST', headers, body: form }));
  });
  await load(4, { count: rows }, () =>
    succeed(service.fetch('/api/v1/workflows', { method: 'POST', body: workflow })),
  );
}

async function succeed(request: Promise<Response>): Promise<void> {
  const response = await request;
  if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
  await response.arrayBuffer();
}

async function graphwright(args: readonly string[], folder: string): Promise<CommandResult> {
  const child = spawn(
    process.execPath,
    [join(import.meta.dirname, '../../bin/graphwright.js'), ...args, '--json'],
    {
      env: { ...process.env, DATA_DIR: folder, SECRETS_KEY: '07'.repeat(32) },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const [out] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  return JSON.parse(out) as CommandResult;
}
