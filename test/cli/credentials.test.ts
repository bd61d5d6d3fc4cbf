// `graphwright credentials`, on a running service: values come from the environment or a pipe, and are never printed.
import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { spawnCommand } from '../support/command-line.ts';
import { plainImage } from '../support/media/pixels.ts';
import { type FalDouble, startFal } from '../support/providers/fal.ts';
import { KEY, startTestService, type TestService } from '../support/service.ts';

const SECRET = 'cli-secret-value-7777';
let fal: FalDouble;
let service: TestService;
before(async () => {
  fal = await startFal(await plainImage(8, 8, '#336699'));
  fal.apiKeys = new Set([SECRET]);
  service = await startTestService({ FAL_BASE_URL: fal.url, CREDENTIALS_BASE_URLS: 'instance', ROLE: 'api' });
});
after(async () => {
  await fal.close();
  await service.close();
});

const graphwright = async (args: readonly string[], settings: NodeJS.ProcessEnv = {}) => {
  const address = { GRAPHWRIGHT_URL: service.url, GRAPHWRIGHT_API_KEY: KEY };
  const result = await spawnCommand(['credentials', ...args], { ...address, ...settings });
  assert.ok(!(result.out + result.err).includes(SECRET));
  return result;
};

it('stores a key that the provider accepts, lists, tests and removes it', async () => {
  const refused = await graphwright(['add', 'fal'], { GRAPHWRIGHT_CREDENTIAL: 'a-wrong-key-8888' });
  assert.equal(refused.code, 1);
  assert.match(refused.err, /rejected.*Nothing was stored/);
  const added = await graphwright(['add', 'fal', '--name', 'Studio', '--limit', '2.5', '--json'], {
    GRAPHWRIGHT_CREDENTIAL: SECRET,
  });
  assert.equal(added.code, 0, added.err);
  const { id, name, dailyUsdLimit } = JSON.parse(added.out) as Record<string, unknown>;
  assert.deepEqual([name, dailyUsdLimit], ['Studio', 2.5]);
  const listed = await graphwright(['list']);
  assert.match(listed.out, new RegExp(`${String(id)} +fal +Studio +…7777`));
  assert.match((await graphwright(['test', String(id)])).out, /accepted the key/);
  assert.match((await graphwright(['remove', String(id)])).out, /is removed/);
  assert.deepEqual(JSON.parse((await graphwright(['list', '--json'])).out), []);
});
