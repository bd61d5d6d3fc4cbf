// A streaming replica of a test's PostgreSQL, by the embedded binaries: its folder copied while the primary runs.
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, chown, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type Db, openDb } from '../../../src/store/db.ts';
import { findBinaries } from '../../../src/store/embedded/binaries.ts';
import { makeSocketDir } from '../../../src/store/embedded/cluster.ts';
import { chooseRunner, type Runner, runProgram, startProgram } from '../../../src/store/embedded/run-as.ts';
import type { TestAddress, TestServer } from '../postgres.ts';
import { waitUntil } from '../processes.ts';

export interface TestReplica {
  readonly address: TestAddress;
  /** SIGKILL to its postmaster. */
  kill(): Promise<void>;
  /** After `kill`. */
  start(): Promise<void>;
  /** Removes it. */
  stop(): Promise<void>;
}

const COPY_TIMEOUT_MS = 60_000;

/** A copy of `primary` that follows it. A conflict with what it replays cancels a statement at once. */
export async function startReplica(primary: TestServer): Promise<TestReplica> {
  const cluster = join(primary.folder, 'postgres', 'cluster');
  const copy = join(primary.folder, 'postgres', 'replica');
  const { postgres } = await findBinaries();
  const owner = await stat(cluster);
  const runner = await chooseRunner({ postgres, folder: primary.folder, owner, account: 'postgres' });
  const db = openDb({
    connection: primary.address,
    maxConnections: 1,
    onError: err => process.emitWarning(err),
  });
  try {
    await copyCluster(db, runner, cluster, copy);
  } finally {
    await db.close();
  }
  const { socketDir, user } = primary.address;
  await follow(copy, { uid: owner.uid, gid: owner.gid }, `host=${socketDir} user=${user}`);
  const address = { ...primary.address, socketDir: await makeSocketDir(runner) };
  let server = await startStandby(runner, postgres, copy, address.socketDir);
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (server.exitCode !== null || server.signalCode !== null) return;
    const ended = once(server, 'exit');
    server.kill(signal);
    await ended;
  };
  return {
    address,
    kill: () => end('SIGKILL'),
    start: async () => {
      server = await startStandby(runner, postgres, copy, address.socketDir);
    },
    stop: async () => {
      await end('SIGINT');
      await rm(address.socketDir, { recursive: true, force: true });
    },
  };
}

/** The folder as it can be recovered from: what is copied between start and stop, and the label that says from where. */
async function copyCluster(db: Db, runner: Runner, cluster: string, copy: string): Promise<void> {
  await db.alone(async client => {
    await client.query(`select pg_backup_start('replica', true)`);
    await runProgram(runner, '/bin/cp', ['-a', cluster, copy], COPY_TIMEOUT_MS);
    const { rows } = await client.query<{ labelfile: string }>('select labelfile from pg_backup_stop(false)');
    await rm(join(copy, 'postmaster.pid'));
    await writeFile(join(copy, 'backup_label'), rows[0]?.labelfile ?? '');
  });
}

async function follow(
  copy: string,
  { uid, gid }: { readonly uid: number; readonly gid: number },
  primary: string,
): Promise<void> {
  await writeFile(join(copy, 'standby.signal'), '');
  await appendFile(
    join(copy, 'postgresql.auto.conf'),
    `primary_conninfo = '${primary}'\nmax_standby_streaming_delay = 0\nwal_retrieve_retry_interval = 100\n`,
  );
  for (const file of ['standby.signal', 'backup_label']) await chown(join(copy, file), uid, gid);
}

/** Tries again while processes of a killed postmaster still hold its shared memory. */
async function startStandby(
  runner: Runner,
  postgres: string,
  cluster: string,
  socketDir: string,
): Promise<ChildProcess> {
  const settings = ['listen_addresses=', `unix_socket_directories=${socketDir}`, 'max_connections=200'];
  const args = ['-D', cluster, ...settings.flatMap(setting => ['-c', setting])];
  const start = (): { child: ChildProcess; lines: string[] } => {
    const child = startProgram(runner, postgres, args);
    const lines: string[] = [];
    if (child.stderr !== null) createInterface({ input: child.stderr }).on('line', line => lines.push(line));
    return { child, lines };
  };
  let tried = start();
  await waitUntil('the replica to accept connections', () => {
    if (tried.child.exitCode !== null) {
      if (!tried.lines.some(line => line.includes('still in use'))) throw new Error(tried.lines.join('\n'));
      tried = start();
    }
    return tried.lines.some(line => line.includes('ready to accept read-only connections'));
  });
  return tried.child;
}
