// Runs one service of a host as a process. The arguments are its name and options. Reports on stderr when it is ready.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import S3rver from '@20minutes/s3rver';
import { startEmbedded } from '../../src/store/embedded/embedded.ts';
import { forward } from './forward.ts';

const READY_POLL_MS = 200;

const [name = '', ...args] = process.argv.slice(2);

const SERVICES: Readonly<Record<string, (args: readonly string[]) => Promise<unknown>>> = {
  /** Forwards loopback ports to the same ports of the real machine, where the doubles and the webhook receiver listen. */
  loopback: ([gateway = '', ...ports]) =>
    Promise.all(
      ports.map(Number).map(port => forward({ host: '127.0.0.1', port }, () => ({ host: gateway, port }))),
    ),
  /** Runs another program, which is ready when the URL, if there is one, responds with success. Ends with the program. */
  program: async ([readyUrl = '', command = '', ...commandArgs]) => {
    const child = spawn(command, commandArgs, { stdio: 'inherit' });
    child.once('exit', code => process.exit(code ?? 1));
    process.once('SIGTERM', () => child.kill());
    await once(child, 'spawn');
    while (readyUrl !== '' && !(await fetch(readyUrl).catch(() => undefined))?.ok) await sleep(READY_POLL_MS);
  },
  /** Runs an S3 server with one bucket. */
  bucket: ([directory = '', port = '', bucket = '']) =>
    new S3rver({
      address: '0.0.0.0',
      port: Number(port),
      silent: true,
      directory,
      configureBuckets: [{ name: bucket }],
    }).run(),
  /**
   * Runs PostgreSQL until SIGTERM. Forwards TCP connections, because the embedded PostgreSQL listens only on a Unix socket.
   */
  postgres: async ([dataDir = '', port = '', maxConnections = '']) => {
    const server = await startEmbedded({
      dataDir,
      maxConnections: Number(maxConnections),
      onExit: err => {
        throw err;
      },
    });
    process.once('SIGTERM', () => void server.stop().then(() => process.exit(0)));
    await forward({ host: '0.0.0.0', port: Number(port) }, () => ({
      path: `${server.socketDir}/.s.PGSQL.5432`,
    }));
  },
};

await SERVICES[name]?.(args);
process.stderr.write(`ready at ${name} \n`);
