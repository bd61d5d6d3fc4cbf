// A process of a host: its own loopback ports lead to the same ports of the machine that made it, where the providers'
// doubles and the webhooks' receiver listen. argv: that machine's address, then the ports.
import { forward } from './forward.ts';

const [gateway = '', ...ports] = process.argv.slice(2);
for (const port of ports.map(Number))
  await forward({ host: '127.0.0.1', port }, () => ({ host: gateway, port }));
process.stderr.write('ready at loopback \n');
