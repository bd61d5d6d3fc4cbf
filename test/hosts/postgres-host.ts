// Runs PostgreSQL as a host's process, reachable by TCP on every address. argv: its folder, the port, the connection
// limit.
import { startEmbedded } from '../../src/store/embedded/embedded.ts';
import { forward } from './forward.ts';

const [dataDir = '', port = '', maxConnections = ''] = process.argv.slice(2);
const { socketDir } = await startEmbedded({
  dataDir,
  maxConnections: Number(maxConnections),
  onExit: err => {
    throw err;
  },
});
// It listens on a Unix socket only.
await forward({ host: '0.0.0.0', port: Number(port) }, () => ({ path: `${socketDir}/.s.PGSQL.5432` }));
process.stderr.write('ready at postgres \n');
