// Tests the connections of the server: pipelined requests, and which connections are closed while it stops.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { it } from 'node:test';
import { createNodeServer, drain } from '../../../src/http/node-server.ts';

const OPTIONS = { headersFor: () => ({}), onRejection: () => undefined };

it('handles pipelined requests one by one, each in a turn of its own', async t => {
  const log: string[] = [];
  const server = createNodeServer((req, res) => {
    log.push(`${req.url}`);
    setImmediate(() => log.push('turn'));
    res.end();
  }, OPTIONS);
  t.after(() => server.close());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const head = 'HTTP/1.1\r\nhost: a\r\n';
  socket.write(
    `GET /1 ${head}\r\nPOST /2 ${head}content-length: 1\r\n\r\nxGET /3 ${head}connection: close\r\n\r\n`,
  );
  const answer = await text(socket);
  assert.equal(answer.match(/^HTTP\/1\.1 200/gm)?.length, 3);
  assert.deepEqual(log, ['/1', 'turn', '/2', 'turn', '/3', 'turn']);
});

it('drain closes connections that never sent a request', async t => {
  const server = createNodeServer((_req, res) => res.end(), OPTIONS);
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
