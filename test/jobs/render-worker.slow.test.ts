// Tests renders of clips and of runs in workers, and a worker that is killed during a render.
import assert from 'node:assert/strict';
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { getBackend } from '../../src/codecs/backend.ts';
import { decodeFrames } from '../../src/codecs/decode.ts';
import { probeMedia } from '../../src/codecs/probe/probe.ts';
import { readSettings } from '../../src/lib/settings.ts';
import { renderVideo } from '../../src/render/video/render-video.ts';
import { type Execution, mapStates } from '../support/client.ts';
import { blockWrites } from '../support/database.ts';
import { readPixels } from '../support/media/pixels.ts';
import { waitUntil } from '../support/processes.ts';
import { startTakeoverSetup } from '../support/runs/dying-workers.ts';
import { spawnService, startTestService, type TestService } from '../support/service.ts';
import { edge, node } from '../support/workflows.ts';

interface Render {
  readonly data: {
    readonly renderId: string;
    readonly status: string;
    readonly progress: number;
    readonly url: string | null;
    readonly posterUrl: string | null;
    readonly result: { readonly width: number; readonly duration: number; readonly backend: string } | null;
    readonly urls: { readonly cancel: string };
  };
}

const { signal } = new AbortController();
const backend = await getBackend(readSettings(), signal).catch(() => undefined);
const skip = backend === undefined && 'this machine has no codec';
const ENDED = ['COMPLETED', 'FAILED', 'CANCELLED'];

const scene = (seconds: number, more: object = {}) => ({
  fps: 10,
  width: 160,
  height: 90,
  scenes: [{ duration: seconds, background: '#336699' }],
  ...more,
});

/** A scene of ten minutes whose frames all differ, so that there is always time to cancel its render. */
const longScene = (more: object = {}) => {
  const keyframes = [0, 600].map(time => ({ time, value: 1 + time / 100 }));
  const moving = { type: 'text', text: 'Long', filters: [{ type: 'blur', amount: { keyframes } }] };
  return scene(600, { scenes: [{ duration: 600, background: '#336699', elements: [moving] }], ...more });
};

describe('a worker that renders', { skip }, () => {
  let service: TestService;
  before(async () => {
    service = await startTestService();
  });
  after(() => service.close());

  const startClip = async (body: object): Promise<Render['data']> => {
    const response = await service.request<Render>('POST', '/render/renderer/preview', {
      format: 'mp4',
      ...body,
    });
    assert.equal(response.status, 202, JSON.stringify(response.body));
    return response.body.data;
  };
  const readRender = async (id: string): Promise<Render['data']> =>
    (await service.request<Render>('GET', `/render/renderer/${id}`)).body.data;
  const waitForRender = async (
    id: string,
    isMet: (render: Render['data']) => boolean,
  ): Promise<Render['data']> => {
    let render = await readRender(id);
    await waitUntil(`the clip ${id}`, async () => {
      if (!isMet(render)) render = await readRender(id);
      return isMet(render);
    });
    return render;
  };
  const countParts = async () => (await service.db.query('select from render_parts')).rowCount;
  const waitForEnd = (id: string) => waitForRender(id, ({ status }) => ENDED.includes(status));
  /** Downloads a file from the service, whose address differs from BASE_URL in media URLs. */
  const download = async (url: string | null): Promise<Buffer> => {
    const response = await fetch(`${service.url}${new URL(url ?? '').pathname}`);
    assert.equal(response.status, 200);
    return Buffer.from(await response.arrayBuffer());
  };

  it('completes a clip with its poster and metadata', async () => {
    const { renderId } = await startClip({ sceneGraph: scene(2), range: [5, 15], scale: 0.5 });
    const clip = await waitForEnd(renderId);
    assert.deepEqual([clip.status, clip.progress], ['COMPLETED', 1]);
    assert.deepEqual(
      [clip.result?.width, clip.result?.duration, clip.result?.backend],
      [80, 1, backend?.name],
    );
    const info = await probeMedia(await download(clip.url), signal);
    assert.deepEqual([info.video?.width, info.durationSeconds], [80, 1]);
    assert.equal((await readPixels(await download(clip.posterUrl))).format, 'jpeg');
  });

  it('stops a cancelled clip and renders the next clip', async () => {
    const { renderId, urls } = await startClip({ sceneGraph: longScene() });
    await waitForRender(renderId, ({ progress }) => progress > 0);
    await waitUntil('a stored segment', async () => (await countParts()) > 0);
    const { body } = await service.request<Render>('POST', urls.cancel);
    assert.equal(body.data.status, 'CANCELLED');
    const next = await startClip({ sceneGraph: scene(1) });
    assert.equal((await waitForEnd(next.renderId)).status, 'COMPLETED');
    const { status, url } = await readRender(renderId);
    assert.deepEqual([status, url], ['CANCELLED', null]);
    await waitUntil('the render parts to be deleted', async () => (await countParts()) === 0);
  });

  const graph = (config: object, wires: readonly string[] = ['title.text > video.title']) => ({
    nodes: [
      node('title', 'input:text', { value: 'Hello' }),
      node('video', 'video:renderer', { ...config }),
      node('end', 'output:preview'),
    ],
    edges: [...wires, 'video.video > end.input'].map(edge),
  });
  const titledScene = scene(1, { overlays: [{ type: 'text', text: '{{title}}' }] });

  it('completes a run with a video that has a size, a duration and a poster', async () => {
    const workflow = await service.createWorkflow(graph({ props: { sceneGraph: titledScene } }));
    const execution: Execution = await service.runWorkflow(workflow);
    assert.equal(execution.status, 'COMPLETED', JSON.stringify(execution.error));
    const { outputUrl, render } = mapStates(execution).video as unknown as {
      outputUrl: string;
      render: { posterUrl: string; width: number; duration: number; warnings: string[] };
    };
    assert.deepEqual([render.width, render.duration, render.warnings], [160, 1, []]);
    assert.equal((await probeMedia(await download(outputUrl), signal)).durationSeconds, 1);
    await download(render.posterUrl);
    const [output] = execution.outputs;
    assert.deepEqual([output?.type, output?.url], ['VIDEO', outputUrl]);
    // The result is stored while its run continues.
    await waitUntil(
      'the result to be stored',
      async () => (await service.db.query('select from node_cache')).rowCount === 1,
    );
    const cachedRun = await service.runWorkflow(workflow);
    assert.equal(mapStates(cachedRun).video?.cached, true);
    const { rows } = await service.db.query(
      'select width, height, duration from media where content_type = $1',
      ['video/mp4'],
    );
    assert.ok(rows.length > 0 && rows.every(row => Number((row as { duration: number }).duration) > 0));
  });

  it('deletes partial files when the run is cancelled', async () => {
    const longTitledScene = longScene({ overlays: [{ type: 'text', text: '{{title}}' }] });
    const id = await service.startRun(
      await service.createWorkflow(graph({ props: { sceneGraph: longTitledScene } })),
    );
    await waitUntil('a part', async () => (await countParts()) > 0);
    await service.request('POST', `/executions/${id}/cancel`);
    assert.equal((await service.waitForStatus(id)).status, 'CANCELLED');
    await waitUntil('the render parts to be deleted', async () => (await countParts()) === 0);
  });

  it('fails a run whose required port is not connected and names the port', async () => {
    const workflow = await service.createWorkflow(
      graph({ templateId: 'product-reel' }, ['title.text > video.product']),
    );
    const { status, error } = await service.runWorkflow(workflow);
    assert.deepEqual([status, error?.code, error?.nodeId], ['FAILED', 'missing_input', 'video']);
    assert.match(error?.message ?? '', /Product picture/);
  });
});

const FPS = 12;
const SCENE_SECONDS = 2;
const SLOW_SCENE_COUNT = 4;
const FIRST_SCENE_FRAMES = FPS * SCENE_SECONDS;

const blurAt = (time: number) => ({ time, value: 2 + 6 * time });

/** A video whose first scene is drawn quickly and whose other scenes are slow, so that there is time for a kill. */
const slowGraph = (color: string) => ({
  fps: FPS,
  width: 640,
  height: 360,
  scenes: [
    { duration: SCENE_SECONDS, background: color },
    ...Array.from({ length: SLOW_SCENE_COUNT }, (_, index) => ({
      duration: SCENE_SECONDS,
      background: '#101010',
      elements: [
        {
          type: 'text',
          text: `Scene ${index}`,
          filters: [{ type: 'blur', amount: { keyframes: [0, SCENE_SECONDS].map(blurAt) } }],
        },
      ],
    })),
  ],
});

describe('a worker that is killed during a render', { skip }, () => {
  it('leaves its finished segments to the next worker', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'graphwright-render-'));
    const setup = await startTakeoverSetup();
    const services = [await spawnService(folder, setup.env)];
    try {
      const [victim] = services;
      assert.ok(victim);
      // The database accepts no media, so the render cannot finish before its worker is killed.
      const blockedWrites = await blockWrites(setup.db, 'insert', 'media');
      const workflow = await victim.createWorkflow({
        nodes: [node('video', 'video:renderer', { props: { sceneGraph: slowGraph('#ff0000') } })],
        edges: [],
      });
      const id = await victim.startRun(workflow);
      let firstSegmentId = '';
      await waitUntil('the first segment to be stored', async () => {
        const { rows } = await setup.db.query<{ file_id: string }>(
          'select file_id from render_parts order by file_id limit 1',
        );
        firstSegmentId = rows[0]?.file_id ?? '';
        return firstSegmentId !== '';
      });
      await victim.end('SIGKILL');
      await blockedWrites.release();

      // Replaces the segment by a segment of another color, which shows that the next worker uses stored segments.
      await copyFile(
        await renderSegment(folder, slowGraph('#0000ff')),
        join(folder, 'media', firstSegmentId.slice(-2), firstSegmentId),
      );
      const successor = await spawnService(folder, setup.env);
      services.push(successor);
      const { video } = mapStates(await successor.waitForStatus(id, 'COMPLETED', 'FAILED'));
      assert.deepEqual([video?.status, video?.attempt], ['COMPLETED', 2]);
      const media = await fetch(`${successor.url}${new URL(video?.outputUrl ?? '').pathname}`);
      const bytes = Buffer.from(await media.arrayBuffer());
      assert.deepEqual(await readColor(bytes, folder, 1), 'blue');
      const { rowCount } = await setup.db.query('select from render_parts');
      assert.equal(rowCount, 0);
    } finally {
      for (const service of services) await service.end('SIGKILL');
      await setup.close();
      await rm(folder, { recursive: true, force: true });
    }
  });
});

/** Renders the first segment of the graph, and returns the path of the segment. */
async function renderSegment(folder: string, graph: object): Promise<string> {
  const segmentFolder = join(folder, 'other');
  await mkdir(segmentFolder);
  const segments: string[] = [];
  const job = { graph, files: new Map(), range: [0, FIRST_SCENE_FRAMES], scale: 1 } as const;
  const onSegment = (path: string) => segments.push(path);
  await renderVideo({ ...job, path: join(folder, 'other.mp4'), segmentFolder }, { onSegment }, signal);
  assert.equal(segments.length, 1);
  return segments[0] ?? '';
}

async function readColor(bytes: Buffer, folder: string, startSeconds: number): Promise<string> {
  const path = join(folder, 'result.mp4');
  await writeFile(path, bytes);
  const info = await probeMedia(path, signal);
  assert.equal(info.durationSeconds, (1 + SLOW_SCENE_COUNT) * SCENE_SECONDS);
  const request = { startSeconds, frameCount: 1, fps: FPS, width: 16, height: 16, pixels: 'rgba' } as const;
  assert.ok(backend);
  for await (const [red = 0, , blue = 0] of decodeFrames(backend, { path, info }, request, signal))
    return red > blue ? 'red' : 'blue';
  return 'nothing';
}
