// Tests the progress of ComfyUI graphs from the WebSocket of a server to the stream of a run, also with servers that lie.
import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import { createClient } from '../../../sdk/src/client.ts';
import type { RunEvent } from '../../../sdk/src/types.ts';
import type { Client, TestUser } from '../../support/client.ts';
import { plainImage } from '../../support/media/pixels.ts';
import { waitUntil } from '../../support/processes.ts';
import { type ComfyServer, startComfyServer } from '../../support/providers/comfyui-server.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { encodeHeader, type ServerSocket } from '../../support/socket-server.ts';
import { node } from '../../support/workflows.ts';

const STEPS = 40;
const GRAPH = {
  '1': { class_type: 'EmptyImage', inputs: { width: 8, height: 8, batch_size: 1, color: 5 } },
  '2': { class_type: 'Sampler', inputs: { image: ['1', 0], steps: STEPS }, _meta: { title: 'Second pass' } },
  '3': { class_type: 'SaveImage', inputs: { images: ['2', 0], filename_prefix: 'a' } },
};
const OUTPUTS = [{ id: 'result', label: 'Result', type: 'IMAGE', node: '3' }];
const BOARD = { nodes: [node('comfy', 'comfyui:workflow', { graph: GRAPH, outputs: OUTPUTS })], edges: [] };

type ProgressEvent = Extract<RunEvent, { event: 'progress' }>['data'];

let comfyui: ComfyServer;
let service: TestService;
let user: TestUser;
before(async () => {
  comfyui = await startComfyServer(await plainImage(8, 8, '#336699'));
  service = await startTestService({ COMFYUI_URL: comfyui.url });
  user = await service.createUser();
});
after(async () => {
  await service.close();
  await comfyui.close();
});
afterEach(() => {
  release();
  Object.assign(comfyui.state, { stepMs: 5, hasSockets: true });
});

const startRun = async (): Promise<string> => user.startRun(await user.createWorkflow(BOARD));
/** Lets the graphs continue that `hold` holds before their first step. */
let release = (): void => undefined;
const hold = (): void => {
  const { promise, resolve } = Promise.withResolvers<void>();
  comfyui.state.gate = promise;
  release = resolve;
};
/** Starts a run whose graph does not end before the test has its socket. */
const startHeldRun = (): Promise<string> => {
  hold();
  return startRun();
};
const getSocket = async (isNew: (socket: ServerSocket) => boolean = () => true): Promise<ServerSocket> => {
  await waitUntil('the socket', () => [...comfyui.sockets.values()].some(isNew));
  return [...comfyui.sockets.values()].find(isNew) as ServerSocket;
};
const assertCompleted = async (id: string): Promise<void> => {
  const { status, error } = await user.waitForStatus(id);
  assert.equal(status, 'COMPLETED', JSON.stringify(error));
  await waitUntil('the sockets to close', () => comfyui.sockets.size === 0);
};
const readProgress = async (
  url: string,
  id: string,
  onEvent: (data: ProgressEvent) => Promise<void> | void,
) => {
  const run = createClient({ url, apiKey: user.key }).attach(id);
  for await (const { event, data } of run.events()) if (event === 'progress') await onEvent(data);
};
const fetchPreview = (url: string, reader: Client = user) =>
  fetch(url.replace(/^.*?\/api/, `${service.url}/api`), {
    headers: { authorization: `Bearer ${reader.key}` },
  });

describe('a ComfyUI graph that runs', () => {
  it('streams its share of steps, the node that executes, and a preview until it ends', async () => {
    comfyui.state.stepMs = 100;
    const id = await startRun();
    const seen: ProgressEvent[] = [];
    let previewUrl: string | undefined;
    await readProgress(service.url, id, async data => {
      seen.push(data);
      if (data.previewUrl === undefined || previewUrl !== undefined) return;
      previewUrl = data.previewUrl;
      const response = await fetchPreview(previewUrl);
      assert.deepEqual([response.status, response.headers.get('content-type')], [200, 'image/png']);
      assert.deepEqual(Buffer.from(await response.arrayBuffer()), comfyui.state.preview);
      const other = await service.createUser();
      assert.equal((await fetchPreview(previewUrl, other)).status, 403);
      comfyui.state.stepMs = 5;
    });
    assert.ok(previewUrl !== undefined, JSON.stringify(seen));
    assert.ok(seen.every(({ nodeId }) => nodeId === 'comfy'));
    const shares = seen.map(({ progress }) => progress);
    assert.deepEqual(
      shares,
      shares.toSorted((a, b) => a - b),
    );
    assert.ok(seen.some(({ detail, progress }) => detail === 'Second pass' && progress > 0 && progress < 1));
    await assertCompleted(id);
    assert.equal((await fetchPreview(previewUrl)).status, 404);
  });

  it('streams its progress from another process too', async () => {
    comfyui.state.stepMs = 100;
    const another = await service.startAnother({ ROLE: 'api' });
    const id = await startRun();
    let detail: string | undefined;
    await readProgress(another.url, id, data => {
      detail ??= data.detail;
      comfyui.state.stepMs = 5;
    });
    assert.equal(detail, 'Second pass');
    await assertCompleted(id);
    await another.close();
  });

  it('is polled if the server has no WebSocket, or it breaks', async () => {
    comfyui.state.hasSockets = false;
    await assertCompleted(await startRun());
    comfyui.state.hasSockets = true;
    const id = await startHeldRun();
    (await getSocket()).destroy();
    release();
    await assertCompleted(id);
  });

  it('is refused before the run if none of its outputs can run', async () => {
    const graph = { ...GRAPH, '3': { class_type: 'SaveImage', inputs: { filename_prefix: 'a' } } };
    const config = { graph, outputs: OUTPUTS };
    const workflow = await user.createWorkflow({
      nodes: [node('comfy', 'comfyui:workflow', config)],
      edges: [],
    });
    const { status, body } = await user.request('POST', `/workflows/${workflow}/run`, {});
    assert.deepEqual([status, body.code], [400, 'invalid_graph'], JSON.stringify(body));
    assert.match(String(body.error), /The node “SaveImage” of the ComfyUI graph has no images/);
  });

  it('closes its connection when it is cancelled', async () => {
    const id = await startHeldRun();
    await getSocket();
    await user.request('POST', `/executions/${id}/cancel`);
    release();
    assert.equal((await user.waitForStatus(id)).status, 'CANCELLED');
    await waitUntil('the sockets to close', () => comfyui.sockets.size === 0);
  });
});

it('a ComfyUI graph ends without waiting for the next poll', async () => {
  const rarePolls = { minCallPollMs: 3_600_000, maxCallPollMs: 3_600_000, maxFarCallPollMs: 3_600_000 };
  const slowService = await startTestService({ COMFYUI_URL: comfyui.url }, rarePolls);
  hold();
  const id = await slowService.startRun(await slowService.createWorkflow(BOARD));
  await getSocket();
  release();
  assert.equal((await slowService.waitForStatus(id)).status, 'COMPLETED');
  await slowService.close();
});

describe('a server that lies', () => {
  const toFrame = (opcode: number, payload: string | Buffer): Buffer => {
    const bytes = Buffer.from(payload);
    return Buffer.concat([encodeHeader(opcode, bytes.length), bytes]);
  };
  const other = (type: string, data: object): Buffer =>
    toFrame(1, JSON.stringify({ type, data: { prompt_id: 'other', ...data } }));
  const LIES: Readonly<Record<string, (socket: ServerSocket) => void>> = {
    'sends 100 MB': socket => {
      socket.sendRaw(encodeHeader(2, 100_000_000));
      for (let part = 0; part < 100; part++) socket.sendRaw(Buffer.alloc(1_000_000));
    },
    'sends thousands of messages': socket => {
      for (let count = 0; count < 5000; count++)
        socket.sendRaw(other('progress', { node: '2', value: 1, max: 2 }));
    },
    'names other prompts': socket => {
      socket.sendRaw(other('executing', { node: null }));
      socket.sendRaw(other('executing', { node: '3' }));
    },
    'says that it ended': socket => {
      const [id = ''] = comfyui.executed.slice(-1);
      socket.send(JSON.stringify({ type: 'executing', data: { node: null, prompt_id: id } }));
    },
    'sends a preview that is no image': socket => {
      socket.sendRaw(toFrame(2, Buffer.concat([Buffer.of(0, 0, 0, 1, 0, 0, 0, 1), Buffer.from('<script>')])));
      socket.sendRaw(toFrame(2, Buffer.concat([Buffer.of(0, 0, 0, 1, 0, 0, 0, 1), Buffer.from('<svg/>')])));
    },
    'sends bytes that are no frames': socket => socket.sendRaw(Buffer.alloc(1000, 0xff)),
    'sends deep JSON': socket => socket.send('['.repeat(60_000)),
  };

  for (const [name, lie] of Object.entries(LIES))
    it(`${name}, and the run completes`, async () => {
      const { preview } = comfyui.state;
      comfyui.state.preview = Buffer.from('no image');
      const id = await startHeldRun();
      lie(await getSocket());
      release();
      const previews: unknown[] = [];
      await readProgress(service.url, id, data => void (data.previewUrl && previews.push(data.previewUrl)));
      assert.deepEqual(previews, []);
      await assertCompleted(id);
      comfyui.state.preview = preview;
    });
});
