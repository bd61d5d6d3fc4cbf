// Tests that the config of a run is checked outside of the event loop if the graph is large.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { JsonText } from '../../../src/lib/json-text.ts';
import { readSettings } from '../../../src/lib/settings.ts';
import { createNodeTypes } from '../../../src/nodes/catalog.ts';
import type { RunConfig } from '../../../src/runs/prepare/run.schema.ts';
import { requireValidConfig } from '../../../src/runs/prepare/run-config.ts';
import { createVersion } from '../../../src/services/workflows/graph-versions.ts';
import { performInPlace } from '../../../src/services/workflows/graph-work.ts';
import { node } from '../../support/workflows.ts';

const settings = readSettings({});
const { catalog } = createNodeTypes(settings);

const createConfig = (values: object): JsonText<RunConfig> => JsonText.of(values as RunConfig);
/** Each text refers to many inputs, which lint resolves. */
const VERSION = createVersion(
  {
    text: `"nodes":${JSON.stringify(
      Array.from({ length: 3000 }, (_, index) =>
        node(`n${index}`, 'utility:text_template', { template: '{{a}}'.repeat(10) }),
      ),
    )},"edges":[]`,
  },
  catalog,
);

it('checks the config of a large graph in a thread', async () => {
  const config = createConfig({ n7: { template: '{{b}}' } });
  const task = { kind: 'config', stored: VERSION, config: config.value } as const;
  assert.equal(performInPlace({ catalog, settings }, task), undefined);
  await requireValidConfig({ catalog, settings }, VERSION, config);
});

it('refuses invalid values of a large graph', async () => {
  await assert.rejects(
    requireValidConfig({ catalog, settings }, VERSION, createConfig({ n7: { template: { a: 1 } } })),
    { code: 'invalid_request', message: /template/i },
  );
});
