// Tests the renderer's contracts, templates and previews over HTTP.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { type ApiUser, openTestApp, type TestApp } from '../../support/app.ts';
import { readPixels } from '../../support/media/pixels.ts';
import { assertRefused } from '../../support/workflows.ts';

interface Contract {
  readonly data: {
    readonly mode: string;
    readonly nodeType: string;
    readonly configPath: string;
    readonly doc?: string;
    readonly jsonSchema?: { readonly required: readonly string[]; readonly properties: object };
    readonly readerNote: string;
    readonly scopeNote: string;
  };
}
interface Template {
  readonly id: string;
  readonly category: string;
  readonly durationInFrames: number;
  readonly thumbnail: string;
  readonly inputMappings: readonly {
    readonly propPath: string;
    readonly portId: string;
    readonly required: boolean;
  }[];
}
interface Preview {
  readonly data: {
    readonly frames: readonly {
      readonly frame: number;
      readonly url: string;
      readonly width: number;
      readonly height: number;
    }[];
    readonly fps: number;
    readonly durationInFrames: number;
    readonly warnings: readonly string[];
  };
  readonly issues?: readonly { readonly path: string }[];
}

const PREVIEW = '/render/renderer/preview';
const createScene = (elements: readonly object[] = []) => ({
  fps: 10,
  width: 160,
  height: 90,
  background: '#336699',
  scenes: [{ duration: 2, elements }],
});

let test: TestApp;
let owner: ApiUser;
let reader: ApiUser;
before(async () => {
  test = await openTestApp();
  owner = await test.createUser();
  reader = await test.withScopes(owner, ['workflows:read']);
});
after(() => test.close());

const preview = (body: unknown, user: ApiUser = owner) => user.request<Preview>('POST', PREVIEW, body);

describe('the renderer API', () => {
  it('returns the scene-graph contract or the requested part', async () => {
    const { status, body } = await reader.request<Contract>('GET', '/renderer/scene-graph');
    assert.equal(status, 200);
    const { mode, nodeType, configPath, doc = '', jsonSchema } = body.data;
    assert.deepEqual(
      [mode, nodeType, configPath],
      ['sceneGraph', 'video:renderer', 'config.props.sceneGraph'],
    );
    assert.deepEqual(jsonSchema?.required, ['fps', 'width', 'height', 'scenes']);
    assert.equal(Object.keys(jsonSchema?.properties ?? {}).length, 15);
    assert.ok(doc.startsWith('# '));
    const readPart = async (include: string) =>
      (await reader.request<Contract>('GET', `/renderer/scene-graph?include=${include}`)).body.data;
    assert.equal('jsonSchema' in (await readPart('doc')), false);
    assert.equal('doc' in (await readPart('schema')), false);
  });

  it('returns a scene-graph schema of draft 2020-12', async () => {
    const { body } = await reader.request<Contract>('GET', '/renderer/scene-graph?include=schema');
    const validate = new Ajv2020({ strict: false }).compile(body.data.jsonSchema as object);
    assert.equal(validate(createScene([{ type: 'text', text: 'x' }])), true);
    assert.equal(validate(createScene([{ type: 'text', words: 'x' }])), false);
  });

  it('returns 304 for the scene-graph contract if the ETag matches', async () => {
    const { headers } = await reader.request('GET', '/renderer/scene-graph');
    const response = await reader.request('GET', '/renderer/scene-graph', undefined, {
      'if-none-match': headers.etag ?? '',
    });
    assert.equal(response.status, 304);
  });

  it('lists templates and returns each template by id', async () => {
    const { body } = await reader.request<{ data: readonly Template[] }>('GET', '/renderer/templates');
    assert.ok(body.data.length >= 8);
    assert.ok(body.data.some(({ category }) => category === 'reel'));
    for (const template of body.data) {
      assert.ok(template.durationInFrames > 0 && template.inputMappings.length > 0);
      const response = await reader.request<{ data: Template }>('GET', `/renderer/templates/${template.id}`);
      assert.deepEqual(response.body.data, template);
    }
  });

  it('returns the thumbnail of a template without authentication', async () => {
    const response = await test.app.inject({ url: '/api/v1/renderer/templates/quote-card/thumbnail' });
    assert.equal(response.headers['content-type'], 'image/webp');
    assert.equal((await readPixels(response.rawPayload)).width, 640);
  });

  it('draws a thumbnail for other clients if the first client disconnects', async () => {
    const url = '/api/v1/renderer/templates/before-after/thumbnail';
    const firstClient = new AbortController();
    const firstRejection = assert.rejects(test.app.inject({ url, signal: firstClient.signal }));
    const second = test.app.inject({ url });
    await test.app.inject({ url: '/healthz' });
    firstClient.abort();
    await firstRejection;
    assert.equal((await second).statusCode, 200);
  });

  it('renders stills and stores them as media', async () => {
    const { status, body } = await preview({
      sceneGraph: createScene([{ type: 'text', text: 'Hello' }]),
      frames: [0, 19],
      scale: 0.5,
      format: 'webp',
    });
    assert.equal(status, 200);
    const { frames, fps, durationInFrames, warnings } = body.data;
    assert.deepEqual([fps, durationInFrames, warnings], [10, 20, []]);
    assert.deepEqual(
      frames.map(({ frame, width, height }) => [frame, width, height]),
      [
        [0, 80, 45],
        [19, 80, 45],
      ],
    );
    const file = await test.app.inject({ url: new URL(frames[0]?.url ?? '').pathname });
    const pixels = await readPixels(file.rawPayload);
    assert.deepEqual([pixels.format, pixels.width], ['webp', 80]);
  });

  it('renders temporary stills as data URLs without storing them', async () => {
    const countMedia = async (): Promise<number> => {
      const { body } = await owner.request<{ data: readonly unknown[] }>('GET', '/api/v1/media?limit=100');
      return body.data.length;
    };
    const countBefore = await countMedia();
    const { status, body } = await preview({
      sceneGraph: createScene([{ type: 'text', text: 'Hello' }]),
      frames: [0, 19],
      format: 'png',
      keep: false,
    });
    assert.equal(status, 200);
    assert.equal(body.data.frames.length, 2);
    for (const { url } of body.data.frames) {
      const [, data = ''] = /^data:image\/png;base64,(.+)$/.exec(url) ?? [];
      assert.equal((await readPixels(Buffer.from(data, 'base64'))).width, 160);
    }
    assert.equal(await countMedia(), countBefore);
  });

  it('renders a template with props at a time in seconds', async () => {
    const { body } = await preview({
      templateId: 'quote-card',
      props: { quote: 'Less.' },
      timeSeconds: 2,
      scale: 0.1,
    });
    assert.equal(body.data.frames[0]?.frame, 60);
  });

  it('draws the values of connected inputs', async () => {
    const upload = await owner.request<{ mediaId: string; url: string }>('POST', '/media/upload', {
      dataUrl: `data:image/svg+xml;base64,${Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="16" height="9"><rect width="16" height="9" fill="#00ff00"/></svg>').toString('base64')}`,
    });
    const readColor = async (values: object): Promise<readonly number[]> => {
      const sceneGraph = createScene([{ type: 'image', src: '{{photo}}' }]);
      const { status, body } = await preview({ sceneGraph, values, keep: false });
      assert.equal(status, 200, JSON.stringify(body));
      assert.deepEqual(body.data.warnings, []);
      const bytes = Buffer.from(body.data.frames[0]?.url.split(',')[1] ?? '', 'base64');
      return (await readPixels(bytes)).at(0, 0).slice(0, 3);
    };
    const green = await readColor({ photo: { mediaId: upload.body.mediaId } });
    assert.deepEqual(green, [0, 255, 0]);
    assert.deepEqual(await readColor({ photo: upload.body.url }), green);
    assert.notDeepEqual(await readColor({}), green);
    const slides = { templateId: 'photo-slideshow', props: { photos: [{ image: '' }] } };
    assert.equal((await preview({ ...slides, values: { photo1: upload.body.url }, scale: 0.1 })).status, 200);
    assert.equal((await preview({ ...slides, scale: 0.1 })).status, 200);
  });

  it('lists elements that cannot be loaded as warnings', async () => {
    const { status, body } = await preview({
      sceneGraph: createScene([
        { type: 'image', src: 'http://127.0.0.1:9/private.png' },
        { type: 'image', src: 'data:image/png;base64,AAAA' },
        { type: 'image', src: './next.png' },
      ]),
    });
    assert.equal(status, 200);
    assert.deepEqual(
      body.data.warnings.map(warning => warning.split(' ')[0]),
      ['/scenes/0/elements/0', '/scenes/0/elements/1', '/scenes/0/elements/2'],
    );
  });
});

describe('errors of the renderer API', () => {
  it('include invalid_scene_graph with JSON pointers', async () => {
    const { status, body } = await preview({ sceneGraph: { ...createScene(), fps: 'fast', extra: 1 } });
    assert.deepEqual([status, body.code], [400, 'invalid_scene_graph']);
    assert.deepEqual(body.issues?.map(({ path }) => path).toSorted(), ['/extra', '/fps']);
  });

  it('include invalid_request for invalid frames, formats and sources', async () => {
    for (const body of [
      { sceneGraph: createScene(), frames: [20] },
      { sceneGraph: createScene(), frames: [0, 1, 2, 3, 4, 5, 6, 7, 8] },
      { sceneGraph: createScene(), format: 'bmp' },
      { sceneGraph: createScene(), scale: 2 },
      { sceneGraph: createScene(), templateId: 'quote-card' },
      {},
    ]) {
      const response = await preview(body);
      assert.deepEqual([response.status, response.body.code], [400, 'invalid_request'], JSON.stringify(body));
    }
    assert.equal((await reader.request('GET', '/renderer/scene-graph?include=half')).status, 400);
  });
});

describe('scopes of the renderer API', () => {
  it('are workflows:read for contracts and workflows:execute for previews', async () => {
    const writer = await test.withScopes(owner, ['workflows:write']);
    for (const path of ['/renderer/scene-graph', '/renderer/templates', '/renderer/templates/quote-card']) {
      assert.equal((await test.anonymous.request('GET', path)).body.code, 'unauthorized');
      assert.equal((await writer.request('GET', path)).body.code, 'insufficient_scope');
    }
    assertRefused(await preview({ sceneGraph: createScene() }, reader), 401, 'insufficient_scope');
  });
});

describe('404 of the renderer API', () => {
  it('is returned for an unknown template, workflow or renderer node', async () => {
    assert.equal((await reader.request('GET', '/renderer/templates/nobody')).body.code, 'not_found');
    assert.equal((await preview({ templateId: 'nobody' })).status, 404);
    assert.equal((await preview({ workflowId: 'wf_nobody', nodeId: 'a' })).status, 404);
  });
});
