// Tests the limits of still previews, and the ports of templates with a variable number of inputs.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type ApiUser, openTestApp, type TestApp } from '../../support/app.ts';
import { assertRefused, createWorkflow, node, putWorkflow } from '../../support/workflows.ts';

interface Preview {
  readonly data: { readonly frames: readonly { readonly frame: number; readonly width: number }[] };
}
interface Mapping {
  readonly propPath: string;
  readonly portId: string;
}
interface Template {
  readonly id: string;
  readonly category: string;
  readonly inputMappings: readonly Mapping[];
}

let test: TestApp;
let owner: ApiUser;
before(async () => {
  test = await openTestApp();
  owner = await test.createUser();
});
after(() => test.close());

const sceneGraph = {
  fps: 10,
  width: 160,
  height: 90,
  background: '#336699',
  scenes: [{ duration: 2, elements: [] }],
};
const preview = (body: object, user = owner) =>
  user.request<Preview>('POST', '/render/renderer/preview', body);

describe('POST /render/renderer/preview', () => {
  const VALID_REQUESTS: readonly (readonly [
    label: string,
    body: object,
    frames: readonly number[],
    width: number,
  ])[] = [
    ['eight frames', { frames: [0, 1, 2, 3, 4, 5, 6, 19], scale: 0.1 }, [0, 1, 2, 3, 4, 5, 6, 19], 16],
    ['the scale 0.1', { frames: [0], scale: 0.1 }, [0], 16],
    ['the scale 1', { frames: [0], scale: 1 }, [0], 160],
    ['no scale', { frames: [0] }, [0], 160],
    ['a time', { timeSeconds: 1.5 }, [15], 160],
    ['the time 0', { timeSeconds: 0 }, [0], 160],
    ...['png', 'jpeg', 'webp'].map(format => [format, { frames: [1], format }, [1], 160] as const),
  ];
  for (const [label, body, frames, width] of VALID_REQUESTS)
    it(`accepts ${label}`, async () => {
      const response = await preview({ sceneGraph, ...body });
      assert.equal(response.status, 200, response.body.error);
      assert.deepEqual(
        response.body.data.frames.map(still => still.frame),
        frames,
      );
      assert.ok(response.body.data.frames.every(still => still.width === width));
    });

  const INVALID_REQUESTS: readonly (readonly [label: string, body: object])[] = [
    ['nine frames', { sceneGraph, frames: [0, 1, 2, 3, 4, 5, 6, 7, 8] }],
    ['no frames', { sceneGraph, frames: [] }],
    ['a frame before the first', { sceneGraph, frames: [-1] }],
    ['a frame after the last', { sceneGraph, frames: [20] }],
    ['half a frame', { sceneGraph, frames: [0.5] }],
    ['a time before the first', { sceneGraph, timeSeconds: -1 }],
    ['a scale below a tenth', { sceneGraph, scale: 0.09 }],
    ['a scale above 1', { sceneGraph, scale: 1.01 }],
    ['another format', { sceneGraph, format: 'gif' }],
    ['two sources', { sceneGraph, templateId: 'quote-card' }],
    ['a node without its workflow', { nodeId: 'video' }],
    ['a workflow without a node', { workflowId: 'wf_x' }],
    ['an unknown property', { sceneGraph, quality: 3 }],
  ];
  for (const [label, body] of INVALID_REQUESTS)
    it(`refuses ${label}`, async () => {
      assertRefused(await preview(body), 400, 'invalid_request');
    });

  it('charges no credits', async () => {
    const grant = { userId: owner.userId, amount: 5, note: 'n' };
    assert.ok((await owner.request('POST', '/admin/credits', grant)).status < 300);
    const readCredits = async () => (await owner.request('GET', '/credits')).body;
    const creditsBefore = await readCredits();
    assert.equal(creditsBefore.balance, 5);
    assert.equal((await preview({ sceneGraph })).status, 200);
    assert.deepEqual(await readCredits(), creditsBefore);
  });

  it('returns 403 for a workflow of another user', async () => {
    const video = node('video', 'video:renderer', { props: { sceneGraph } });
    const { id } = await createWorkflow(owner, { nodes: [video], edges: [] });
    const body = { workflowId: id, nodeId: 'video' };
    assert.equal((await preview(body)).status, 200);
    assertRefused(await preview(body, await test.createUser()), 403, 'forbidden');
  });
});

describe('ports of video templates', () => {
  const listTemplates = async () =>
    (await owner.request<{ data: readonly Template[] }>('GET', '/renderer/templates')).body.data;

  it('can have other names than their props', async () => {
    const mappings = (await listTemplates()).flatMap(({ inputMappings }) => inputMappings);
    assert.ok(mappings.some(({ propPath, portId }) => !propPath.includes('.') && propPath !== portId));
    assert.ok(mappings.some(({ propPath }) => /^\w+\.\d+\.\w+$/.test(propPath)));
  });

  it('are stored for each item of a list', async () => {
    const createPhotos = (count: number) =>
      Array.from({ length: count }, () => ({ image: 'sample:x', caption: '' }));
    const toGraph = (count: number) => ({
      nodes: [
        node('video', 'video:renderer', {
          templateId: 'photo-slideshow',
          props: { photos: createPhotos(count) },
        }),
      ],
      edges: [],
    });
    const listPortIds = (nodes: readonly { readonly data: Record<string, unknown> }[]) =>
      ((nodes[0]?.data.inputs ?? []) as readonly { id: string }[])
        .map(({ id }) => id)
        .filter(id => id.startsWith('photo'));
    const { id, nodes } = await createWorkflow(owner, toGraph(1));
    assert.deepEqual(listPortIds(nodes), ['photo1']);
    for (const count of [3, 2]) {
      const expected = Array.from({ length: count }, (_, index) => `photo${index + 1}`);
      assert.deepEqual(listPortIds((await putWorkflow(owner, id, toGraph(count))).body.nodes), expected);
    }
  });
});

describe('GET /renderer/scene-graph', () => {
  it('returns a schema with 15 properties, four of them required', async () => {
    const { body } = await owner.request<{
      data: { jsonSchema: { properties: object; required: readonly string[] } };
    }>('GET', '/renderer/scene-graph?include=schema');
    const { properties, required } = body.data.jsonSchema;
    assert.deepEqual([...required].sort(), ['fps', 'height', 'scenes', 'width']);
    assert.deepEqual(
      Object.keys(properties).sort(),
      [
        ...['fps', 'width', 'height', 'scenes', 'background', 'tracks', 'overlays', 'captionTrack'],
        ...['audioTrack', 'durationInFrames', 'fonts', 'theme', 'assets', 'defaults', 'metadata'],
      ].sort(),
    );
  });
});
