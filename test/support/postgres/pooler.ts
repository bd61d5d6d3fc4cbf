// Runs PgBouncer in front of a test's database, as operators do.
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chown, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { findOnPath } from '../../../src/lib/settings.ts';
import { chooseRunner, startProgram } from '../../../src/store/embedded/run-as.ts';
import { findFreePort } from '../network/free-port.ts';
import { waitUntil } from '../processes.ts';
import type { TestAddress } from './address.ts';

/** The path of PgBouncer. Undefined if it is not installed. Debian installs it in a folder of root's PATH only. */
export const PGBOUNCER = findOnPath('pgbouncer', { PATH: `${process.env.PATH}:/usr/sbin` });

export interface TestPooler {
  readonly url: string;
  stop(): Promise<void>;
}

/** Starts PgBouncer with these settings. The pool is small, so that clients share connections. */
export async function startPooler(
  program: string,
  { socketDir, user, database }: TestAddress,
  settings: Readonly<Record<string, string>>,
  fixedPort?: number,
): Promise<TestPooler> {
  const port = fixedPort ?? (await findFreePort());
  const folder = await mkdtemp('/tmp/graphwright-pool-');
  const file = join(folder, 'pgbouncer.ini');
  const lines = Object.entries({
    listen_addr: '127.0.0.1',
    listen_port: String(port),
    unix_socket_dir: '',
    auth_type: 'any',
    default_pool_size: '4',
    ...settings,
  }).map(([name, value]) => `${name} = ${value}`);
  const target = `${database} = host=${socketDir} port=5432 user=${user} dbname=${database}`;
  await writeFile(file, ['[databases]', target, '[pgbouncer]', ...lines, ''].join('\n'));
  // PgBouncer refuses to run as root, as PostgreSQL does, and needs access to PostgreSQL's socket folder.
  const owner = await stat(socketDir);
  const runner = await chooseRunner({ postgres: program, folder: socketDir, owner, account: 'postgres' });
  for (const path of [folder, file]) await chown(path, owner.uid, owner.gid);
  const child = startProgram(runner, program, [file]);
  await waitUntilListening(child, port);
  return {
    url: `postgres://${user}@127.0.0.1:${port}/${database}`,
    stop: async () => {
      const exited = once(child, 'exit');
      child.kill('SIGQUIT');
      await exited;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function waitUntilListening(child: ChildProcess, port: number): Promise<void> {
  let output = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  await waitUntil('PgBouncer to listen', async () => {
    if (child.exitCode !== null) throw new Error(`PgBouncer ended:\n${output}`);
    const socket = connect(port, '127.0.0.1');
    return await new Promise<boolean>(resolve => {
      socket.once('connect', () => resolve(true));
      socket.once('error', () => resolve(false));
    }).finally(() => socket.destroy());
  });
}
