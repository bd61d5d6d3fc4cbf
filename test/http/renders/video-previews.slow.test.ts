// Tests how video previews are started, read and cancelled over HTTP. No worker renders them.
import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import { getBackend } from '../../../src/codecs/backend.ts';
import { readSettings } from '../../../src/lib/settings.ts';
import { type ApiUser, createTestApp, type TestApp, type TestResponse } from '../../support/app.ts';
import { assertRateRefusal } from '../../support/http/rate-refusal.ts';
import { assertRefused } from '../../support/workflows.ts';

interface Render {
  readonly data: {
    readonly renderId: string;
    readonly status: string;
    readonly progress: number;
    readonly range: readonly number[];
    readonly url: string | null;
    readonly error: unknown;
    readonly finishedAt: string | null;
    readonly urls: { readonly self: string; readonly cancel: string };
  };
}

const PREVIEW = '/render/renderer/preview';
const scene = { fps: 10, width: 160, height: 90, scenes: [{ duration: 2, background: '#336699' }] };
const backend = await getBackend(readSettings(), AbortSignal.timeout(30_000)).catch(() => undefined);

describe('video previews', { skip: backend === undefined && 'this machine has no codec' }, () => {
  let test: TestApp;
  let owner: ApiUser;
  let unfinishedIds: string[] = [];
  const nowMs = Date.now();
  before(async () => {
    test = await createTestApp({ now: () => nowMs });
    owner = await test.createUser();
  });
  afterEach(async () => {
    for (const id of unfinishedIds) await owner.request('POST', `/render/renderer/${id}/cancel`);
    unfinishedIds = [];
  });
  after(() => test.close());

  const sendRequest = async (body: object = {}, user: ApiUser = owner): Promise<TestResponse<Render>> => {
    const response = await user.request<Render>('POST', PREVIEW, {
      sceneGraph: scene,
      format: 'mp4',
      ...body,
    });
    if (response.status === 202 && user === owner) unfinishedIds.push(response.body.data.renderId);
    return response;
  };
  const read = (id: string, user: ApiUser = owner) => user.request<Render>('GET', `/render/renderer/${id}`);

  describe('POST /render/renderer/preview with mp4', () => {
    it('accepts the whole video or a range', async () => {
      const wholeResponse = await sendRequest();
      assert.equal(wholeResponse.status, 202);
      const { renderId, status, urls } = wholeResponse.body.data;
      assert.equal(status, 'QUEUED');
      assert.equal(wholeResponse.headers.location, urls.self);
      const { data } = (await owner.request<Render>('GET', urls.self)).body;
      assert.deepEqual([data.renderId, data.status, data.progress], [renderId, 'QUEUED', 0]);
      assert.deepEqual([data.range, data.url, data.error, data.finishedAt], [[0, 20], null, null, null]);
      const part = await sendRequest({ format: undefined, range: [5, 15] });
      assert.deepEqual((await read(part.body.data.renderId)).body.data.range, [5, 15]);
    });

    it('accepts a template', async () => {
      const { body } = await sendRequest({
        sceneGraph: undefined,
        templateId: 'quote-card',
        props: { quote: 'Less.' },
      });
      const reader = await test.withScopes(owner, ['workflows:read']);
      assert.equal((await read(body.data.renderId, reader)).status, 200);
    });
  });

  it('are cancelled by the first of two requests', async () => {
    const { data } = (await sendRequest()).body;
    for (const _ of [1, 2]) {
      const { status, body } = await owner.request<Render>('POST', data.urls.cancel);
      assert.deepEqual([status, body.data.status], [200, 'CANCELLED']);
      assert.ok(body.data.finishedAt);
    }
  });

  describe('errors of video previews', () => {
    it('include invalid_request for invalid ranges and options of stills', async () => {
      for (const [body, path] of [
        [{ range: [10, 10] }, '/range'],
        [{ range: [0, 21] }, '/range'],
        [{ frames: [1] }, '/frames'],
        [{ timeSeconds: 1 }, '/timeSeconds'],
        [{ keep: false }, '/keep'],
        [{ format: 'png', range: [0, 5] }, '/range'],
      ] as const) {
        const { issues } = assertRefused(await sendRequest(body), 400, 'invalid_request');
        assert.equal(issues?.[0]?.path, path);
      }
    });

    it('include invalid_scene_graph with JSON pointers', async () => {
      const { issues } = assertRefused(
        await sendRequest({ sceneGraph: { ...scene, fps: 0 } }),
        400,
        'invalid_scene_graph',
      );
      assert.equal(issues?.[0]?.path, '/fps');
    });
  });

  describe('authorization of video previews', () => {
    it('requires an API key with workflows:execute', async () => {
      const reader = await test.withScopes(owner, ['workflows:read']);
      const { data } = (await sendRequest()).body;
      assertRefused(await sendRequest({}, reader), 401, 'insufficient_scope');
      assertRefused(await reader.request('POST', data.urls.cancel), 401, 'insufficient_scope');
      const token = { authorization: 'Bearer eyJhbGciOiJFUzI1NiJ9.e30.c2ln' };
      for (const [method, path] of [
        ['POST', PREVIEW],
        ['GET', data.urls.self],
        ['GET', '/renderer/templates'],
      ] as const)
        assertRefused(await test.anonymous.request(method, path, undefined, token), 401, 'invalid_api_key');
    });
  });

  describe('404 of video previews', () => {
    it('is returned for renders of other users', async () => {
      const { renderId } = (await sendRequest()).body.data;
      const otherUser = await test.createUser();
      assertRefused(await read(renderId, otherUser), 404, 'not_found');
      assertRefused(await otherUser.request('POST', `/render/renderer/${renderId}/cancel`), 404, 'not_found');
      assertRefused(await read('rnd_00000000000000000000000000'), 404, 'not_found');
      assertRefused(await read('nonsense'), 404, 'not_found');
    });
  });

  describe('429 of video previews', () => {
    it('limits unfinished previews to four per account', async () => {
      const responses = await Promise.all(Array.from({ length: 6 }, () => sendRequest()));
      const acceptedResponses = responses.filter(({ status }) => status === 202);
      assert.equal(acceptedResponses.length, 4);
      const busy = responses.find(({ status }) => status !== 202) as TestResponse<Render>;
      assertRateRefusal(busy, { code: 'render_busy', limit: 4, nowMs });
      await owner.request('POST', acceptedResponses[0]?.body.data.urls.cancel ?? '');
      assert.equal((await sendRequest()).status, 202);
    });
  });
});
