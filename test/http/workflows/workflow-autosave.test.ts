// Tests PUT with autosave=true: an autosave replaces the previous autosave unless a run or publication uses its version.
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { deleteSuperseded } from '../../../src/store/workflows/versions.ts';
import { createPerson, signIn } from '../../support/accounts/people.ts';
import { type ApiUser, createTestApp, type TestApp } from '../../support/app.ts';
import { assertRefused, createWorkflow, node, readWorkflow, type Workflow } from '../../support/workflows.ts';

let test: TestApp;
let owner: ApiUser;
let id: string;
let nodeCount = 0;
before(async () => {
  test = await createTestApp();
  owner = await test.createUser();
});
after(() => test.close());
beforeEach(async () => {
  ({ id } = await createWorkflow(owner));
});

type Sender = Pick<ApiUser, 'request'>;
const save = (
  user: Sender,
  query: string,
  body: object = { nodes: [node(`n${nodeCount++}`, 'input:text')], edges: [] },
) => user.request<Workflow>('PUT', `/workflows/${id}${query}`, body);
const autosave = (user: Sender = owner, body?: object) => save(user, '?autosave=true', body);
const listVersions = async (): Promise<number[]> => {
  const { body } = await owner.request<{ data: { version: number }[] }>('GET', `/workflows/${id}/versions`);
  return body.data.map(({ version }) => version);
};
const makeOlder = (column: string, minutes: number) =>
  test.deps.db.query(
    `update workflow_versions set ${column} = ${column} - make_interval(mins => $2) where workflow_id = $1`,
    [id, minutes],
  );
const readStoredVersions = async (): Promise<number[]> => {
  const { rows } = await test.deps.db.query<{ version: number }>(
    'select version from workflow_versions where workflow_id = $1 order by version',
    [id],
  );
  return rows.map(({ version }) => version);
};

describe('PUT /workflows/{id}?autosave=true', () => {
  it('replaces the version of the previous autosave', async () => {
    for (let count = 0; count < 4; count++) assert.equal((await autosave()).status, 200);
    assert.deepEqual(await listVersions(), [5, 1]);
    const last = await autosave();
    assert.deepEqual((await readWorkflow(owner, id)).nodes, last.body.nodes);
    assert.deepEqual(await listVersions(), [6, 1]);
  });

  it('creates no version if the graph does not change', async () => {
    const { body, headers } = await autosave();
    await autosave(owner, { nodes: body.nodes, edges: body.edges, name: 'Renamed' });
    assert.deepEqual(await listVersions(), [2, 1]);
    const staleHeaders = { 'if-match': headers.etag ?? '' };
    const response = await owner.request(
      'PUT',
      `/workflows/${id}?autosave=true`,
      { name: 'X' },
      staleHeaders,
    );
    assertRefused(response, 409, 'stale_write');
    assertRefused(await autosave(owner, { nodes: [] }), 400, 'invalid_graph');
    assertRefused(await save(owner, '?autosave=maybe'), 400, 'invalid_request');
    assert.deepEqual(await listVersions(), [2, 1]);
  });

  it('creates a version after a manual save', async () => {
    await autosave();
    await save(owner, '');
    await autosave();
    await autosave();
    assert.deepEqual(await listVersions(), [5, 3, 2, 1]);
    await save(owner, '', { name: 'Named' });
    await autosave();
    assert.deepEqual(await listVersions(), [6, 5, 3, 2, 1]);
  });

  it('creates a version after ten minutes of autosaves', async () => {
    await autosave();
    await makeOlder('autosave_began_at', 9);
    await autosave();
    assert.deepEqual(await listVersions(), [3, 1]);
    await makeOlder('autosave_began_at', 2);
    await autosave();
    assert.deepEqual(await listVersions(), [4, 3, 1]);
  });

  it('creates a version for another author or session', async () => {
    const person = await createPerson(test, owner);
    await owner.request('PUT', `/workflows/${id}/permissions`, { userId: person.userId, role: 'EDIT' });
    const otherSession = await signIn(test, person);
    await autosave(person);
    await autosave(person);
    await autosave(otherSession);
    await autosave(owner);
    await autosave(person);
    assert.deepEqual(await listVersions(), [6, 5, 4, 3, 1]);
  });

  it('creates a version after a run or a publication', async () => {
    await autosave();
    const run = await owner.request<{ executionId: string }>('POST', `/workflows/${id}/run`, {});
    assert.equal(run.status, 202);
    await autosave();
    await autosave();
    assert.deepEqual(await listVersions(), [4, 2, 1]);
    await owner.request('POST', `/workflows/${id}/publish`, { isPublished: true });
    await autosave();
    assert.deepEqual(await listVersions(), [5, 4, 2, 1]);
  });
});

describe('a superseded version', () => {
  it('is deleted after a minute', async () => {
    for (let count = 0; count < 3; count++) await autosave();
    assert.deepEqual(await readStoredVersions(), [1, 2, 3, 4]);
    await makeOlder('superseded_at', 2);
    await autosave();
    assert.deepEqual(await readStoredVersions(), [1, 4, 5]);
    await makeOlder('superseded_at', 2);
    assert.equal(await test.deps.db.transaction(tx => deleteSuperseded(tx, null, 500)), 1);
    assert.deepEqual(await readStoredVersions(), [1, 5]);
  });

  it('is kept and listed if a run uses the version', async () => {
    await autosave();
    await autosave();
    // This is the state after a run that read the workflow before the second autosave.
    const { body } = await owner.request<{ executionId: string }>('POST', `/workflows/${id}/run`, {});
    await test.deps.db.query('update executions set workflow_version = 2 where id = $1', [body.executionId]);
    await makeOlder('superseded_at', 2);
    await test.deps.db.transaction(tx => deleteSuperseded(tx, null, 500));
    assert.deepEqual(await listVersions(), [3, 2, 1]);
    assert.equal((await owner.request('GET', `/executions/${body.executionId}/workflow`)).status, 200);
  });
});
