// Forwards a host's loopback ports to the same ports of the parent machine, where provider doubles and the webhook
// receiver listen. argv: that machine's address, then the ports.
import { forward } from './forward.ts';

const [gateway = '', ...ports] = process.argv.slice(2);
for (const port of ports.map(Number))
  await forward({ host: '127.0.0.1', port }, () => ({ host: gateway, port }));
process.stderr.write('ready at loopback \n');
