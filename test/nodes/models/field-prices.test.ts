// Tests that every fal model whose price depends on settings is charged by the units that fal reports, at the price of
// its settings.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findNode } from '../../../src/nodes/catalog.ts';
import { getCreditsToReserve, toCredits } from '../../../src/nodes/models/pricing.ts';
import { readShippedModels } from '../../../src/nodes/models/shipped.ts';

/** The rows of all price tables: the settings and the price of a unit with these settings. */
const ROWS = readShippedModels().flatMap(({ nodeType, provider, price, fields }) => {
  if (provider !== 'fal' || price === null || typeof price.usd === 'number') return [];
  return Object.entries(price.usd).map(([key, usd]) => {
    const keyParts = key.split('/');
    const settings = (price.by ?? []).map((id, index) => {
      const text = keyParts[index] ?? '';
      const type = fields.find(field => field.id === id)?.type;
      return [id, type === 'BOOLEAN' ? text === 'true' : type === 'NUMBER' ? Number(text) : text];
    });
    return { nodeType, key, usd, settings: Object.fromEntries(settings) as Record<string, unknown> };
  });
});

describe('fal models priced by their settings', () => {
  for (const { nodeType, key, usd, settings } of ROWS) {
    it(`cost ${usd} USD per unit that fal reports (${nodeType} at ${key})`, () => {
      const pricing = findNode(nodeType)?.pricing;
      for (const units of [0.5, 1, 3, 7.25]) {
        const cost = pricing?.settle?.(settings, { billable_units: units });
        assert.equal(toCredits(cost ?? -1), toCredits(usd * units));
      }
      assert.equal(pricing?.settle?.(settings, {}), null);
    });
  }

  it('are 54 models', () => {
    assert.equal(new Set(ROWS.map(({ nodeType }) => nodeType)).size, 54);
  });

  it('reserve their maximum if the length of the sound is unknown', () => {
    const fabric = findNode('talking:fal_fabric');
    assert.ok(fabric);
    const values = { resolution: '480p', maxCredits: 50 };
    assert.deepEqual(getCreditsToReserve(fabric, values), { credits: 50, isExact: false });
    assert.equal(toCredits(fabric.pricing?.settle?.(values, { billable_units: 3 }) ?? 0), 24);
  });
});
