// Tests the import of workflows of fal, and the nodes that are kept because they cannot run.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type ApiUser, createTestApp, type TestApp } from '../../support/app.ts';
import type { Workflow } from '../../support/workflows.ts';

interface Imported {
  readonly workflow: Workflow;
  readonly report: { readonly format: string; readonly counts: Readonly<Record<string, number>> };
  readonly error: string;
}
type Issues = { readonly issues: readonly { readonly code: string; readonly message: string }[] };

const SOURCE = {
  input: { id: 'input', type: 'input', depends: [], input: { prompt: 'a fox' } },
  mesh: { id: 'mesh', type: 'run', depends: [], app: 'someone/mesh', input: { prompt: '$input.prompt' } },
  output: { id: 'output', type: 'display', depends: [], fields: { mesh: '$mesh.file' } },
};

let test: TestApp;
let user: ApiUser;
before(async () => {
  test = await createTestApp();
  user = await test.createUser();
});
after(() => test.close());

describe('POST /workflows/import with a workflow of fal', () => {
  it('keeps unknown nodes with their ports, which lint reports and which never run', async () => {
    const { status, body } = await user.request<Imported>('POST', '/workflows/import', { source: SOURCE });
    assert.equal(status, 201, body.error);
    assert.equal(body.report.format, 'fal');
    assert.deepEqual(body.report.counts, { mapped: 2, wrapped: 0, kept: 1, dropped: 0 });
    const { id, nodes } = body.workflow;
    const kept = nodes.find(({ data }) => data.nodeType === 'import:unknown');
    assert.deepEqual(kept?.data.inputs, [{ id: 'prompt', label: 'Prompt', type: 'ANY' }]);
    assert.deepEqual(kept?.data.outputs, [{ id: 'file', label: 'File', type: 'ANY' }]);
    const lint = await user.request<Issues>('POST', `/workflows/${id}/lint`, {});
    const issue = lint.body.issues.find(({ code }) => code === 'unknown_imported_node');
    assert.match(issue?.message ?? '', /“someone\/mesh” is not known here/);
    const run = await user.request<{ code: string; error: string }>('POST', `/workflows/${id}/run`, {});
    assert.deepEqual([run.status, run.body.code], [400, 'invalid_graph']);
    assert.match(run.body.error, /Replace it or remove it/);
  });

  it('stores nothing with dryRun', async () => {
    const { status, body } = await user.request<Imported>('POST', '/workflows/import', {
      source: SOURCE,
      dryRun: true,
    });
    assert.equal(status, 200);
    assert.equal(body.workflow.id, undefined);
  });
});
