// Runs one part of a host as a process. argv: the part, then its arguments. Reports on stderr when it is ready.
import S3rver from '@20minutes/s3rver';
import { startEmbedded } from '../../src/store/embedded/embedded.ts';
import { forward } from './forward.ts';

const [part = '', ...args] = process.argv.slice(2);

const PARTS: Readonly<Record<string, (args: readonly string[]) => Promise<unknown>>> = {
  /** Forwards loopback ports to the same ports of the parent machine, where provider doubles and the webhook receiver listen. */
  loopback: ([gateway = '', ...ports]) =>
    Promise.all(
      ports.map(Number).map(port => forward({ host: '127.0.0.1', port }, () => ({ host: gateway, port }))),
    ),
  /** Runs an S3 server with one bucket. */
  bucket: ([directory = '', port = '', name = '']) =>
    new S3rver({
      address: '0.0.0.0',
      port: Number(port),
      silent: true,
      directory,
      configureBuckets: [{ name }],
    }).run(),
  /** Runs PostgreSQL, which listens on a Unix socket only, and makes it reachable by TCP on every address. */
  postgres: async ([dataDir = '', port = '', maxConnections = '']) => {
    const { socketDir } = await startEmbedded({
      dataDir,
      maxConnections: Number(maxConnections),
      onExit: err => {
        throw err;
      },
    });
    await forward({ host: '0.0.0.0', port: Number(port) }, () => ({ path: `${socketDir}/.s.PGSQL.5432` }));
  },
};

await PARTS[part]?.(args);
process.stderr.write(`ready at ${part} \n`);
