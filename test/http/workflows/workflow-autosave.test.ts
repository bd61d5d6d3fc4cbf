// Tests PUT with autosave=true: consecutive autosaves keep one version, unless something else uses the version.
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { deleteSuperseded } from '../../../src/store/workflows/versions.ts';
import { createPerson, signIn } from '../../support/accounts/people.ts';
import { type Caller, createTestApp, type TestApp } from '../../support/app.ts';
import { assertRefused, createWorkflow, node, readWorkflow, type Workflow } from '../../support/workflows.ts';

let test: TestApp;
let owner: Caller;
let id: string;
let drawn = 0;
before(async () => {
  test = await createTestApp();
  owner = await test.createCaller();
});
after(() => test.close());
beforeEach(async () => {
  ({ id } = await createWorkflow(owner));
});

type By = Pick<Caller, 'request'>;
const save = (
  caller: By,
  query: string,
  body: object = { nodes: [node(`n${drawn++}`, 'input:text')], edges: [] },
) => caller.request<Workflow>('PUT', `/workflows/${id}${query}`, body);
const autosave = (caller: By = owner, body?: object) => save(caller, '?autosave=true', body);
const versions = async (): Promise<number[]> => {
  const { body } = await owner.request<{ data: { version: number }[] }>('GET', `/workflows/${id}/versions`);
  return body.data.map(({ version }) => version);
};
const age = (column: string, minutes: number) =>
  test.deps.db.query(
    `update workflow_versions set ${column} = ${column} - make_interval(mins => $2) where workflow_id = $1`,
    [id, minutes],
  );
const stored = async (): Promise<number[]> => {
  const { rows } = await test.deps.db.query<{ version: number }>(
    'select version from workflow_versions where workflow_id = $1 order by version',
    [id],
  );
  return rows.map(({ version }) => version);
};

describe('an autosave', () => {
  it('replaces the previous autosave, so that reads return the newest one', async () => {
    for (let count = 0; count < 4; count++) assert.equal((await autosave()).status, 200);
    assert.deepEqual(await versions(), [5, 1]);
    const last = await autosave();
    assert.deepEqual((await readWorkflow(owner, id)).nodes, last.body.nodes);
    assert.deepEqual(await versions(), [6, 1]);
  });

  it('creates no version without a change of the graph', async () => {
    const { body, headers } = await autosave();
    await autosave(owner, { nodes: body.nodes, edges: body.edges, name: 'Renamed' });
    assert.deepEqual(await versions(), [2, 1]);
    const stale = { 'if-match': headers.etag ?? '' };
    const late = await owner.request('PUT', `/workflows/${id}?autosave=true`, { name: 'X' }, stale);
    assertRefused(late, 409, 'stale_write');
    assertRefused(await autosave(owner, { nodes: [] }), 400, 'invalid_graph');
    assertRefused(await save(owner, '?autosave=maybe'), 400, 'invalid_request');
    assert.deepEqual(await versions(), [2, 1]);
  });

  it('creates its own version after a manual save, with or without a change', async () => {
    await autosave();
    await save(owner, '');
    await autosave();
    await autosave();
    assert.deepEqual(await versions(), [5, 3, 2, 1]);
    await save(owner, '', { name: 'Named' });
    await autosave();
    assert.deepEqual(await versions(), [6, 5, 3, 2, 1]);
  });

  it('creates its own version after ten minutes', async () => {
    await autosave();
    await age('autosave_began_at', 9);
    await autosave();
    assert.deepEqual(await versions(), [3, 1]);
    await age('autosave_began_at', 2);
    await autosave();
    assert.deepEqual(await versions(), [4, 3, 1]);
  });

  it('creates its own version after another author, and in another session', async () => {
    const person = await createPerson(test, owner);
    await owner.request('PUT', `/workflows/${id}/permissions`, { userId: person.userId, role: 'EDIT' });
    const otherSession = await signIn(test, person);
    await autosave(person);
    await autosave(person);
    await autosave(otherSession);
    await autosave(owner);
    await autosave(person);
    assert.deepEqual(await versions(), [6, 5, 4, 3, 1]);
  });

  it('creates its own version after a run and after a publication', async () => {
    await autosave();
    const run = await owner.request<{ executionId: string }>('POST', `/workflows/${id}/run`, {});
    assert.equal(run.status, 202);
    await autosave();
    await autosave();
    assert.deepEqual(await versions(), [4, 2, 1]);
    await owner.request('POST', `/workflows/${id}/publish`, { isPublished: true });
    await autosave();
    assert.deepEqual(await versions(), [5, 4, 2, 1]);
  });
});

describe('a superseded version', () => {
  it('is removed after a minute', async () => {
    for (let count = 0; count < 3; count++) await autosave();
    assert.deepEqual(await stored(), [1, 2, 3, 4]);
    await age('superseded_at', 2);
    await autosave();
    assert.deepEqual(await stored(), [1, 4, 5]);
    await age('superseded_at', 2);
    assert.equal(await test.deps.db.transaction(tx => deleteSuperseded(tx, null, 500)), 1);
    assert.deepEqual(await stored(), [1, 5]);
  });

  it('stays and is listed if a run of it was accepted at the same moment', async () => {
    await autosave();
    await autosave();
    // What a run does if it read the workflow before the second autosave.
    const { body } = await owner.request<{ executionId: string }>('POST', `/workflows/${id}/run`, {});
    await test.deps.db.query('update executions set workflow_version = 2 where id = $1', [body.executionId]);
    await age('superseded_at', 2);
    await test.deps.db.transaction(tx => deleteSuperseded(tx, null, 500));
    assert.deepEqual(await versions(), [3, 2, 1]);
    assert.equal((await owner.request('GET', `/executions/${body.executionId}/workflow`)).status, 200);
  });
});
