// Tests every catalog entry, including hidden ones, as GET /nodes returns it.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type ApiUser, openTestApp, type TestApp } from '../../support/app.ts';

interface Field {
  readonly id: string;
  readonly label: string;
  readonly type: string;
  readonly isPort: boolean;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
}
interface Entry {
  readonly nodeType: string;
  readonly inputs: readonly Field[];
  readonly outputs: readonly Field[];
  readonly [field: string]: unknown;
}

let test: TestApp;
let user: Pick<ApiUser, 'request'>;
let entries: readonly Entry[];
before(async () => {
  test = await openTestApp();
  user = test.anonymous;
  entries = (await user.request<{ nodes: readonly Entry[] }>('GET', '/nodes?includeHidden=1')).body.nodes;
});
after(() => test.close());

/** Rules for each entry, by test title. */
const RULES: Readonly<Record<string, (entry: Entry) => boolean>> = {
  'has a label and a category': ({ label, category }) =>
    [label, category].every(text => /\S/.test(String(text))),
  'has a known source': ({ source }) => ['vendor', 'non-vendor', 'registry-shell'].includes(String(source)),
  'is free or paid': ({ executionCost }) => ['free', 'paid'].includes(String(executionCost)),
  'has a known pricing model': ({ pricingModel }) =>
    ['free', 'flat-usd', 'per-second', 'video-tokens', 'per-image', 'unknown'].includes(String(pricingModel)),
  'is free if and only if the pricing model is free': ({ executionCost, pricingModel }) =>
    (executionCost === 'free') === (pricingModel === 'free'),
  'has an estimate of 0, whole credits or null': ({ executionCost, estimatedCredits }) =>
    executionCost === 'free'
      ? estimatedCredits === 0
      : estimatedCredits === null || (Number.isInteger(estimatedCredits) && Number(estimatedCredits) > 0),
  'has a cost in USD if the pricing model is flat-usd': ({ pricingModel, costUsd }) =>
    pricingModel !== 'flat-usd' || (typeof costUsd === 'number' && costUsd > 0),
  'has an id, a label and a type for each field and port': ({ inputs, outputs }) =>
    [...inputs, ...outputs].every(({ id, label, type }) =>
      [id, label, type].every(text => /\S/.test(String(text))),
    ),
  'declares for each input whether it is a port': ({ inputs }) =>
    inputs.every(({ isPort }) => typeof isPort === 'boolean'),
  'has no outputs that are not ports': ({ outputs }) => outputs.every(({ isPort }) => isPort === true),
  'has enum values only for config fields and includes the default': ({ inputs }) =>
    inputs.every(
      field =>
        field.enum === undefined ||
        (!field.isPort &&
          field.enum.length > 0 &&
          (field.default === undefined || field.enum.includes(field.default))),
    ),
  'has a note only if its ports are dynamic': ({ dynamicPorts, dynamicPortsNote }) =>
    dynamicPorts === undefined ? dynamicPortsNote === undefined : dynamicPorts === true,
};

describe('each entry of GET /nodes', () => {
  for (const [rule, isFulfilled] of Object.entries(RULES))
    it(rule, () => {
      assert.ok(entries.length > 50);
      assert.deepEqual(
        entries.filter(entry => !isFulfilled(entry)).map(({ nodeType }) => nodeType),
        [],
      );
    });

  it('has a customNodeType only for groups and sticky notes', () => {
    const entriesWithCustomType = entries.filter(({ customNodeType }) => customNodeType !== undefined);
    assert.deepEqual(
      entriesWithCustomType.map(({ nodeType, customNodeType }) => [nodeType, customNodeType]).sort(),
      [
        ['utility:group', 'groupFrame'],
        ['utility:sticky_note', 'stickyNote'],
      ],
    );
  });

  it('can be filtered by source', async () => {
    for (const source of ['vendor', 'non-vendor', 'registry-shell']) {
      const { body } = await user.request<{ count: number; nodes: readonly Entry[] }>(
        'GET',
        `/nodes?includeHidden=1&source=${source}`,
      );
      assert.ok(body.count > 0 && body.nodes.every(entry => entry.source === source), source);
    }
  });
});
