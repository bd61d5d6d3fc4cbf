// Tests the HTTP client of the command line: requests, lists, exact numbers and errors.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { type Client, createServiceClient } from '../../src/cli/client.ts';
import { parseInputOptions } from '../../src/cli/run.ts';
import type { WorkflowFile } from '../../src/cli/workflow-file.ts';
import { readSettings } from '../../src/lib/settings.ts';

const KEY = 'sk-0123456789abcdef';

async function serve(t: TestContext, listener: RequestListener): Promise<Client> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const settings = readSettings({ GRAPHWRIGHT_URL: `http://127.0.0.1:${port}`, GRAPHWRIGHT_API_KEY: KEY });
  return createServiceClient(settings, t.signal);
}

describe('the service client', () => {
  it('sends the key and the body and returns the response', async t => {
    const client = await serve(t, async (req, res) => {
      const chunks = await req.toArray();
      res
        .writeHead(200, { 'content-type': 'application/json' })
        .end(
          JSON.stringify([req.method, req.url, req.headers.authorization, Buffer.concat(chunks).toString()]),
        );
    });
    assert.deepEqual(await client.post('/workflows', { a: 1 }), [
      'POST',
      '/api/v1/workflows',
      `Bearer ${KEY}`,
      '{"a":1}',
    ]);
  });

  it('sends and returns numbers that JavaScript would round', async t => {
    const exact = '{"id":12345678901234567890,"e":1e400,"f":0.1234567890123456789}';
    const client = await serve(t, async (req, res) => {
      const requestBody = Buffer.concat(await req.toArray()).toString();
      res
        .writeHead(200, { 'content-type': 'application/json' })
        .end(requestBody === `{"inputs":{"j":${exact}}}` ? exact : JSON.stringify({ sent: requestBody }));
    });
    const nodes = [{ id: 'j', data: { nodeType: 'input:json' } }] as unknown as WorkflowFile['nodes'];
    const inputs = parseInputOptions([`j=${exact}`], { nodes });
    assert.equal(JSON.stringify(await client.post('/x', { inputs })), exact);
  });

  it('keeps the digits of numbers in options and in the events of a run', async t => {
    const nodes = [{ id: 'n', data: { nodeType: 'input:number' } }] as unknown as WorkflowFile['nodes'];
    const inputsOf = (text: string) => JSON.stringify(parseInputOptions([`n=${text}`], { nodes }));
    assert.equal(inputsOf('7615917337495251231'), '{"n":7615917337495251231}');
    assert.equal(inputsOf(' 12 '), '{"n":12}');
    assert.equal(inputsOf('+.5'), '{"n":0.5}');
    assert.throws(() => inputsOf('twelve'), /must be a number/);
    const snapshot = '{"id":"run_1","status":"COMPLETED","value":7615917337495251231}';
    const client = await serve(t, (_req, res) => {
      res
        .writeHead(200, { 'content-type': 'text/event-stream' })
        .end(`id: 1\nevent: snapshot\ndata: ${snapshot}\n\n`);
    });
    const events: string[] = [];
    for await (const event of client.attach('run_1').events()) events.push(JSON.stringify(event.data));
    assert.deepEqual(events, [snapshot]);
  });

  it('rejects with the message and every issue of the response', async t => {
    const client = await serve(t, (_, res) => {
      res
        .writeHead(400)
        .end(JSON.stringify({ error: 'It is wrong.', issues: [{ nodeId: 'n1', message: 'has no type.' }] }));
    });
    await assert.rejects(client.get('/x'), {
      message: 'It is wrong.\n  n1: has no type.',
    });
  });

  it('collects all pages of a list', async t => {
    const client = await serve(t, (req, res) => {
      const { searchParams } = new URL(req.url ?? '', 'http://localhost');
      const isLast = searchParams.get('cursor') === 'second';
      const page = { data: [searchParams.get('owner'), isLast], nextCursor: isLast ? null : 'second' };
      res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(page));
    });
    assert.deepEqual(await client.list('/x', { owner: 'ana' }), ['ana', false, 'ana', true]);
  });

  it('rejects with the status if the response has no message', async t => {
    const client = await serve(t, (_, res) => void res.writeHead(405).end('<html>'));
    await assert.rejects(client.get('/x'), { message: 'The service responded with status 405.' });
  });
});
