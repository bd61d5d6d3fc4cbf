// Tests models that their provider has changed: stored nodes produce the same requests, or are refused before they
// cost credits.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { resolveValues } from '../../../src/engine/inputs.ts';
import { lintGraph } from '../../../src/graph/lint/lint.ts';
import type { PlanNode } from '../../../src/graph/plan.ts';
import type { Graph, JsonObject } from '../../../src/graph/types.ts';
import { createNodeTypes } from '../../../src/nodes/catalog.ts';
import { buildModel } from '../../../src/nodes/models/from-schema.ts';
import type { Model } from '../../../src/nodes/models/model.ts';
import { markRemoved, reconcile } from '../../../src/nodes/models/reconcile.ts';
import { EmptyListingError, planSync } from '../../../src/nodes/models/sync.ts';
import { createPublishedModel, VIDEO_INPUT } from './published.ts';

const OLD = buildModel(createPublishedModel());

/** Returns the model after its provider changed these fields. The value null removes a field. */
function reconcileWith(
  fields: Readonly<Record<string, unknown>>,
  more: Parameters<typeof createPublishedModel>[1] = {},
) {
  const remainingFields = Object.entries({ ...VIDEO_INPUT, ...fields }).filter(([, field]) => field !== null);
  return reconcile(OLD, buildModel(createPublishedModel(Object.fromEntries(remainingFields), more)));
}

/** Returns lint's issues for a stored node, and the values a run would use. */
function checkStoredNode(model: Model, config: JsonObject) {
  const { catalog, findNode, install } = createNodeTypes({ SANDBOX_MODELS: true, FAL_KEY: 'k' });
  install([model]);
  const data = { label: 'n', category: 'model', nodeType: model.nodeType, config };
  const graph: Graph = { nodes: [{ id: 'n', type: 'basedNode', position: { x: 0, y: 0 }, data }], edges: [] };
  const inputs = findNode(model.nodeType)?.ports(config).inputs ?? [];
  const node = { inputDefs: inputs.filter(({ isPort }) => !isPort), inputs: [] } as unknown as PlanNode;
  return {
    issues: lintGraph(graph, catalog).issues.filter(({ code }) => code !== 'required_port_unfed'),
    run: () => resolveValues(node, config, new Map()),
  };
}

describe('reconcile', () => {
  it('returns an unchanged model if the provider changed nothing', () => {
    const { model, changes } = reconcileWith({});
    assert.equal(model, OLD);
    assert.deepEqual(changes, []);
  });

  it('keeps the defaults that stored graphs rely on', () => {
    const { model } = reconcileWith({
      duration: { type: 'string', enum: ['4s', '8s', '12s'], default: '12s' },
    });
    assert.equal(checkStoredNode(model, {}).run().duration, '8s');
  });

  it('requires a value if the provider removed the default value', () => {
    const { model, changes } = reconcileWith({
      duration: { type: 'string', enum: ['4s', '6s'], default: '4s' },
    });
    assert.match(changes[0]?.what ?? '', /duration no longer takes 8s, must now be set/);
    const { issues, run } = checkStoredNode(model, {});
    assert.equal(
      issues.find(({ code }) => code === 'required_field_missing')?.path,
      '/nodes/0/data/config/duration',
    );
    assert.throws(run, { code: 'missing_input' });
    const nodeWithOldValue = checkStoredNode(model, { duration: '8s' });
    assert.equal(nodeWithOldValue.issues[0]?.path, '/nodes/0/data/config/duration');
    assert.throws(nodeWithOldValue.run, { code: 'invalid_config' });
  });

  it('keeps a removed field as removed, so that lint and runs report it', () => {
    const { model, changes } = reconcileWith({ generate_audio: null });
    assert.equal(changes[0]?.what, 'generate_audio was removed');
    const { issues, run } = checkStoredNode(model, { generate_audio: false });
    assert.deepEqual(
      [issues[0]?.code, issues[0]?.path],
      ['removed_config_key', '/nodes/0/data/config/generate_audio'],
    );
    assert.throws(run, { code: 'invalid_config', message: /no longer a field/ });
    assert.doesNotThrow(checkStoredNode(model, {}).run);
  });

  it('reports a new field', () => {
    const { changes } = reconcileWith({ style: { type: 'string' } });
    assert.deepEqual(changes, [{ kind: 'field', what: 'accepts the new field style' }]);
  });

  it('changes a price only to a price in the same unit with the same detail', () => {
    assert.equal(reconcileWith({}, { price: { usd: 0.3, unit: 'seconds' } }).model.price?.usd, 0.3);
    const detailed: Model = {
      ...OLD,
      price: { unit: 'second', usd: { '720p': 0.2, '1080p': 0.4 }, by: ['resolution'], of: 'duration' },
    };
    const { model, changes } = reconcile(
      detailed,
      buildModel(createPublishedModel(VIDEO_INPUT, { price: { usd: 0.3, unit: 'seconds' } })),
    );
    assert.deepEqual(model.price, detailed.price);
    assert.match(changes[0]?.what ?? '', /the old price is kept, review it/);
    assert.deepEqual(reconcile(detailed, OLD).changes, []);
  });

  it('deprecates a model whose output type changed', () => {
    const output = { type: 'object', properties: { image: {} } };
    const { model } = reconcileWith({}, { output });
    assert.equal(model.output.kind, 'video');
    assert.equal(model.deprecated?.since, '2026-11-22');
  });
});

describe('planSync', () => {
  const models = Array.from(
    { length: 20 },
    (_, index): Model => ({ ...OLD, nodeType: `video:m${index}`, endpoint: `fal-ai/m${index}` }),
  );
  const listedModels = models.map(({ endpoint }) => ({
    provider: 'fal' as const,
    endpoint,
    label: 'm',
    model: { ...OLD, endpoint },
  }));
  const options = { date: '2026-11-22', addsNew: false, usedTypes: new Set<string>() };

  it('needs confirmation if the list lacks more than a fifth of the models', () => {
    assert.equal(planSync(models, listedModels, options).isLarge, false);
    const fourMissing = planSync(models, listedModels.slice(4), options);
    assert.deepEqual([fourMissing.changes.length, fourMissing.isLarge], [4, false]);
    const fiveMissing = planSync(models, listedModels.slice(5), options);
    assert.equal(fiveMissing.isLarge, true);
    assert.ok(
      fiveMissing.changes.every(
        ({ kind, model }) => kind === 'gone' && model?.deprecated !== undefined && model.isHidden,
      ),
    );
  });

  it('restores models that are listed again', () => {
    const [removal] = planSync(models.slice(0, 1), listedModels.slice(1), options).changes;
    assert.ok(removal?.model?.isHidden);
    const { changes } = planSync([removal.model], listedModels, options);
    assert.deepEqual(
      changes.map(({ kind, changes: [first], model }) => [
        kind,
        first?.what,
        model?.isHidden,
        model?.deprecated,
      ]),
      [['changed', 'is listed again', undefined, undefined]],
    );
  });

  it('restores models that the operator removed only on request', () => {
    const removed = markRemoved(models[0] as Model, '2026-11-23');
    assert.deepEqual(planSync([removed], listedModels, options).changes, []);
    const { changes } = planSync([removed], listedModels, { ...options, restores: true });
    assert.deepEqual([changes[0]?.kind, changes[0]?.model?.isHidden], ['changed', undefined]);
  });

  it('refuses an empty list', () => {
    assert.throws(() => planSync(models, [], options), EmptyListingError);
    assert.throws(() => planSync(models.slice(0, 1), [], options), /nothing was changed/);
    assert.deepEqual(planSync([], [], options).changes, []);
  });

  it('gives two endpoints with one name different node types', () => {
    const twice = listedModels
      .slice(0, 2)
      .map(row => ({ ...row, model: { ...OLD, endpoint: row.endpoint } }));
    const { changes } = planSync([], twice, { ...options, addsNew: true });
    assert.deepEqual(
      changes.map(({ nodeType }) => nodeType),
      ['video:fal_veo3_1', 'video:fal_veo3_1_2'],
    );
  });
});
