// Tests prices: the credits of each model by its config, and the reserved credits if the price is unknown.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createNodeCatalog, findNode } from '../../src/nodes/catalog.ts';
import type { NodeDefinition } from '../../src/nodes/define.ts';
import { getCreditsToReserve, MAX_CREDITS, toCredits } from '../../src/nodes/models/pricing.ts';

const { entries } = createNodeCatalog({ SANDBOX_MODELS: true });
const paid = entries.filter(entry => entry.executionCost === 'paid');

const node = (nodeType: string): NodeDefinition => {
  const definition = findNode(nodeType);
  if (definition === undefined) throw new Error(`There is no node ${nodeType}`);
  return definition;
};
const getCredits = (nodeType: string, values: Readonly<Record<string, unknown>>) =>
  getCreditsToReserve(node(nodeType), values)?.credits;

describe('getCreditsToReserve', () => {
  it('rounds up to whole credits', () => {
    assert.deepEqual([0, 0.001, 0.01, 0.07, 0.0701, 0.28].map(toCredits), [0, 1, 1, 7, 8, 28]);
  });

  it('returns a price that depends on seconds, sizes and tokens in the config', () => {
    assert.equal(getCredits('video:fal_kling', { duration: '5' }), 28);
    assert.equal(getCredits('video:fal_kling', { duration: '10' }), 56);
    // According to fal's page, a 1080p video of 5 s costs roughly 0.245 USD.
    assert.equal(getCredits('video:fal_seedance', { resolution: '1080p', duration: '5' }), 25);
    assert.ok(Number(getCredits('video:fal_seedance', { resolution: '480p', duration: '2' })) <= 3);
    assert.equal(getCredits('generate:fal_flux_dev', { image_size: 'square_hd' }), 3);
    assert.equal(getCredits('generate:replicate_flux_schnell', {}), 1);
  });

  it('returns the declared maximum if the length of the speech is unknown', () => {
    const values = { resolution: '720p', [MAX_CREDITS]: 500 };
    const valuesWithLength = { ...values, audio: { duration: 9.2 } };
    assert.deepEqual(getCreditsToReserve(node('talking:fal_fabric'), valuesWithLength), {
      credits: 150,
      isExact: true,
    });
    const valuesWithoutLength = { ...values, audio: { duration: null } };
    assert.deepEqual(getCreditsToReserve(node('talking:fal_fabric'), valuesWithoutLength), {
      credits: 500,
      isExact: false,
    });
  });

  it('returns the price of the engine for speech', () => {
    const text = 'a'.repeat(1000);
    assert.deepEqual(getCreditsToReserve(node('utility:speech'), { engine: 'local', text }), {
      credits: 0,
      isExact: true,
    });
    assert.deepEqual(getCreditsToReserve(node('utility:speech'), { engine: 'openai', text }), {
      credits: 2,
      isExact: true,
    });
    assert.equal(getCreditsToReserve(node('utility:speech'), { engine: 'elevenlabs', text }), null);
    assert.equal(getCredits('utility:speech', { engine: 'elevenlabs', text, [MAX_CREDITS]: 30 }), 30);
  });

  it('returns zero for a free node', () => {
    assert.deepEqual(getCreditsToReserve(node('utility:math'), {}), { credits: 0, isExact: true });
  });
});

describe('a paid catalog entry', () => {
  it('has a positive price or a field for the maximum', () => {
    assert.ok(paid.length > 20);
    for (const { nodeType, estimatedCredits, priceSource, inputs } of paid) {
      assert.ok(estimatedCredits === null || estimatedCredits > 0, nodeType);
      assert.ok(String(priceSource).length > 10, nodeType);
      const maxCreditsField = inputs.find(input => input.id === MAX_CREDITS);
      if (estimatedCredits === null) assert.equal(maxCreditsField?.isPort, false, nodeType);
    }
  });

  it('is hidden until its provider is configured', () => {
    for (const { nodeType, source, hidden } of paid) {
      assert.equal(hidden, true, nodeType);
      assert.equal(source, 'vendor', nodeType);
    }
    const shown = createNodeCatalog({ SANDBOX_MODELS: true, FAL_KEY: 'k', SPEECH_COMMAND: 'say' });
    assert.equal(shown.find('generate:fal_flux_dev')?.hidden, undefined);
    assert.equal(shown.find('utility:speech')?.hidden, undefined);
    assert.equal(shown.find('generate:replicate_flux_pro')?.hidden, true);
    assert.equal(shown.find('generate:comfyui')?.hidden, true);
  });
});

describe('the fixed price of a node', () => {
  it('is the cost of the provider in the catalog entry', () => {
    for (const { nodeType, pricingModel, estimatedCredits, costUsd } of entries) {
      if (pricingModel === 'free') assert.equal(costUsd, 0, nodeType);
      else if (estimatedCredits === null) assert.equal(costUsd, undefined, nodeType);
      else assert.equal(toCredits(costUsd ?? Number.NaN), estimatedCredits, nodeType);
    }
  });

  it('is unknown if a setting has the wrong type', () => {
    assert.equal(getCreditsToReserve(node('video:fal_kling'), { duration: 'long' }), null);
  });
});

describe('utility:speech', () => {
  const getSpeechEntry = (settings: object) =>
    createNodeCatalog({ SANDBOX_MODELS: true, ...settings }).find('utility:speech');
  const getDefaultEngine = (settings: object) =>
    getSpeechEntry(settings)?.inputs.find(({ id }) => id === 'engine')?.default;

  it('is hidden without any speech engine', () => {
    assert.equal(getSpeechEntry({})?.hidden, true);
  });

  it('uses a configured provider as its default engine', () => {
    const settings = [{ OPENAI_API_KEY: 'k' }, { ELEVENLABS_API_KEY: 'k' }];
    assert.deepEqual(settings.map(getDefaultEngine), ['openai', 'elevenlabs']);
    for (const providerSettings of settings) {
      const { source, hidden, executionCost, estimatedCredits } = getSpeechEntry(providerSettings) ?? {};
      assert.deepEqual(
        [source, hidden, executionCost, estimatedCredits],
        ['vendor', undefined, 'paid', null],
      );
    }
  });

  it('is free with only a local engine', () => {
    const { source, hidden, executionCost, pricingModel, estimatedCredits } =
      getSpeechEntry({ SPEECH_COMMAND: 'say' }) ?? {};
    assert.deepEqual([source, hidden, executionCost], ['non-vendor', undefined, 'free']);
    assert.deepEqual([pricingModel, estimatedCredits], ['free', 0]);
  });

  it('is paid if a provider can be chosen instead of the local engine', () => {
    const settings = { SPEECH_COMMAND: 'say', OPENAI_API_KEY: 'k' };
    assert.deepEqual(
      [getDefaultEngine(settings), getSpeechEntry(settings)?.executionCost],
      ['local', 'paid'],
    );
  });
});

describe('the catalog', () => {
  it('has the documented number of models of each family', () => {
    const families = { generate: 3, edit: 3, video: 3, talking: 2, text: 3, audio: 2 };
    for (const [family, atLeast] of Object.entries(families)) {
      const models = entries.filter(
        ({ nodeType, source }) => nodeType.startsWith(`${family}:`) && source === 'vendor',
      );
      assert.ok(models.length >= atLeast, `${family}: ${models.length}`);
    }
  });
});
