// Tests that no request of one account blocks the event loop, with one probe for each part of the code that handles large
// input. Another process sends the requests. The test measures how long this process computes between two turns of its event
// loop. The nightly tests send all graphs, nodes and routes.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { CONFIGURED_NODES, catalog, type Harness, startHarnessWith } from './harness.ts';
import { NODES, UNPROBED_NODES } from './nodes.ts';
import {
  CONCURRENT_PROBES,
  createNodeProbes,
  createRouteProbes,
  GRAPH_PROBES,
  LARGE_BODY_PROBES,
  LARGE_RUN_PROBES,
  SCIM_PROBES,
  toRoute,
} from './probes.ts';
import { OTHER_BODIES } from './routes.ts';

/** The graphs that the probes below read. */
const STORED_GRAPHS = ['many nodes', 'many objects', 'a long list', 'the largest graph for the layout'];

let harness: Harness;
before(async () => {
  harness = await startHarnessWith(STORED_GRAPHS);
});
after(() => harness.close());

const formatRoute = ({ method, path }: { method: string; path: string }): string => `${method} ${path}`;

describe('the list of probes', () => {
  it('contains every node type, or a reason in UNPROBED_NODES', () => {
    const types = catalog.entries.filter(({ hidden, source }) => !hidden && source !== 'vendor');
    const listedTypes = [...Object.keys(NODES), ...Object.values(UNPROBED_NODES).flat()];
    assert.deepEqual(types.map(({ nodeType }) => nodeType).sort(), listedTypes.sort());
  });

  it('has a probe for each configuration of a node', () => {
    const names = Object.keys(createNodeProbes(CONFIGURED_NODES));
    CONFIGURED_NODES.forEach(({ nodeType }, row) => {
      const beginning = `node ${nodeType}, row ${row}, source 0: `;
      assert.ok(
        names.some(name => name.startsWith(beginning)),
        beginning,
      );
    });
  });

  it('contains every route, or a reason in OTHER_BODIES', () => {
    const { routes } = harness;
    const probedRoutes = new Set(Object.keys(createRouteProbes(routes)).map(toRoute));
    assert.ok(routes.length > 100, String(routes.length));
    const missing = routes
      .map(formatRoute)
      .filter(name => !probedRoutes.has(name) && !(name in OTHER_BODIES));
    assert.deepEqual(missing, []);
  });

  it('has a reason in OTHER_BODIES for every route that accepts a body other than JSON', () => {
    const routes = harness.routes.filter(({ accepts }) => accepts.some(type => type !== 'application/json'));
    assert.deepEqual(routes.map(formatRoute).sort(), Object.keys(OTHER_BODIES).sort());
  });
});

/** The beginnings of the names of probes, by the code that they reach. */
const CHOSEN_PROBES: Readonly<Record<string, readonly string[]>> = {
  'the check and storage of a graph': [
    'POST /api/v1/workflows: more values than a body may have',
    'POST /api/v1/workflows: many objects',
    'POST /api/v1/workflows: edges without ends',
    'POST /api/v1/workflows/import: one config of many keys',
    'PUT /api/v1/workflows/{id}: unknown media',
    'POST /api/v1/workflows/lint: names that are nearly right',
    'POST /api/v1/workflows/lint: many tokens',
  ],
  'actions on a stored graph': [
    'GET /api/v1/workflows/{id} without a key: many nodes',
    'GET /api/v1/workflows/{id}/export: a long list',
    'POST /api/v1/workflows/{id}/versions/1/restore: many objects',
    'POST /api/v1/workflows/{id}/layout: the largest graph for the layout',
    'POST /api/v1/workflows/{id}/edit: many nodes',
    'POST /api/v1/workflows/{id}/duplicate: many nodes',
    'POST /api/v1/workflows/{id}/publish: many objects',
    'GET /api/v1/published/a-many-objects without a key: many objects',
    'POST /api/v1/workflows/{id}/estimate: many nodes',
    'GET /flow/{id} without a key: a long list',
    'GET /flow/{id}/preview.svg without a key: the largest graph for the layout',
    'POST /mcp get_workflow: many nodes',
    'POST /mcp check_workflow: a long list',
  ],
  // Nodes compute their values in this thread, in a thread or in a process.
  'nodes with long values': [
    'node output:preview, row 0, source 0',
    'node utility:text_replace, row 8, source 0: {"mode":"regex"',
    'node utility:json_build, row 11, source 0',
    'node utility:code, row 14, source 0',
  ],
  'bodies of other routes': [
    'POST /api/content/webhook: a page of tables',
    'POST /api/v1/render/renderer/preview: many scenes of too many texts',
    'POST /api/v1/workflows/{a long list}/run: a long input',
    'POST /oauth/register: a client with many redirect URIs',
    'POST /mcp: a batch of many messages',
  ],
  'groups and SCIM': [
    'PUT /scim/v2/Groups/{id}: the most members, who get a role',
    'PATCH /scim/v2/Users/{id}: many operations',
    'PUT /api/v1/admin/groups: the largest table',
  ],
  'second factors': [
    'POST /api/v1/auth/passkeys: the largest body',
    'POST /api/v1/auth/second-factor as a visitor: the largest body',
  ],
  'reads of a run with large outputs': ['GET /api/v1/executions/{id}: small objects, 10 at a time'],
  'ten batches at once': [
    'POST /api/v1/workflows/{few nodes}/batches/estimate: ten at once from one account, batches/estimate of a long value',
  ],
  'routes by their schemas': [
    'POST /api/v1/workflows/{id}/batches: the largest body',
    'PATCH /api/v1/schedules/{id}: wrong values',
  ],
};

for (const [title, beginnings] of Object.entries(CHOSEN_PROBES))
  describe(title, () => {
    for (const beginning of beginnings)
      it(`does not block the event loop: ${beginning}`, async t => {
        const names = Object.keys({
          ...GRAPH_PROBES,
          ...createNodeProbes(CONFIGURED_NODES),
          ...LARGE_BODY_PROBES,
          ...SCIM_PROBES,
          ...LARGE_RUN_PROBES,
          ...CONCURRENT_PROBES,
          ...createRouteProbes(harness.routes),
        });
        const name = names.find(candidate => candidate.startsWith(beginning));
        assert.ok(name !== undefined, 'no probe has this name');
        const statuses = await harness.probe(name, t);
        assert.ok(!statuses.includes(404), 'the probe needs a graph that was not stored');
      });
  });
