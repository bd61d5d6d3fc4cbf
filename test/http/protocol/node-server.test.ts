// Tests which connections are closed while the server stops.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { it } from 'node:test';
import { createNodeServer, drain } from '../../../src/http/node-server.ts';

it('drain closes connections that never sent a request', async t => {
  const server = createNodeServer((_req, res) => res.end(), {
    headersFor: () => ({}),
    onRejection: () => undefined,
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  await once(server, 'connection');
  t.mock.timers.enable({ apis: ['setTimeout', 'setInterval'] });
  drain(server);
  server.close();
  const closed = once(server, 'close');
  // Far less than the time after which all connections are closed.
  t.mock.timers.tick(1000);
  await closed;
  assert.equal(server.listening, false);
  socket.destroy();
});
