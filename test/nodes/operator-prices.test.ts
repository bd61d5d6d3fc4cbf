// Tests prices that the operator sets: the catalog's price, and what calls cost by usage.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createNodeTypes } from '../../src/nodes/catalog.ts';
import { getCreditsToReserve } from '../../src/nodes/models/pricing.ts';

const PRICES = {
  'text:openai_chat': { usdPerMillionInputTokens: 2, usdPerMillionOutputTokens: 8 },
  'text:openai_chat/local': { usdPerCall: 0 },
  'edit:replicate_flux_kontext': { usdPerCall: 0.04 },
  'generate:openai_gpt_image': {
    usdPerMillionInputTokens: 5,
    usdPerMillionCachedInputTokens: 1,
    usdPerMillionImageInputTokens: 8,
    usdPerMillionOutputTokens: 10,
    usdPerMillionImageOutputTokens: 30,
  },
  'talking:fal_omnihuman': { usdPerUnit: 0.16 },
  'audio:elevenlabs_music': { usdPerCall: 0.1, usdPerMillionCharacters: 300 },
};
const settings = { SANDBOX_MODELS: true, prices: PRICES };
const { catalog, findNode: find } = createNodeTypes(settings);

const settle = (nodeType: string, values: object, usage: unknown) =>
  find(nodeType)?.pricing?.settle?.({ ...values }, usage);

describe('a price set by the operator', () => {
  it('is in the catalog and requires no maximum if it is a price per call', () => {
    const entry = catalog.find('edit:replicate_flux_kontext');
    assert.deepEqual(
      [entry?.estimatedCredits, entry?.costUsd, entry?.pricingModel, entry?.priceSource],
      [4, 0.04, 'flat-usd', 'set by the operator of this service'],
    );
    const isRequired = [entry?.inputs, catalog.ports('edit:replicate_flux_kontext', {}).inputs].map(
      inputs => inputs?.find(({ id }) => id === 'maxCredits')?.required,
    );
    assert.deepEqual(isRequired, [undefined, undefined]);
  });

  it('is charged by usage within the reserved maximum', () => {
    const definition = find('text:openai_chat');
    assert.ok(definition);
    assert.equal(getCreditsToReserve(definition, {}), null);
    assert.deepEqual(getCreditsToReserve(definition, { maxCredits: 9 }), { credits: 9, isExact: false });
    assert.equal(settle('text:openai_chat', {}, { prompt_tokens: 1000, completion_tokens: 500 }), 0.006);
    assert.equal(settle('text:openai_chat', {}, { input_tokens: 1e6, output_tokens: 0 }), 2);
    assert.equal(settle('audio:elevenlabs_music', {}, { characters: 1000 }), 0.4);
  });

  it('applies to cached tokens and images in place of the text price', () => {
    const usage = {
      input_tokens: 1000,
      input_tokens_details: { text_tokens: 400, image_tokens: 600, cached_tokens: 100 },
      output_tokens: 2000,
      output_tokens_details: { image_tokens: 1500, text_tokens: 500 },
    };
    const usd = (300 * 5 + 100 * 1 + 600 * 8 + 500 * 10 + 1500 * 30) / 1e6;
    assert.equal(settle('generate:openai_gpt_image', {}, usage)?.toFixed(9), usd.toFixed(9));
  });

  it('is charged by the units that fal bills', () => {
    assert.equal(settle('talking:fal_omnihuman', {}, { billable_units: 2 }), 0.32);
    assert.equal(settle('talking:fal_omnihuman', {}, {}), null);
  });

  it('replaces the price of the node if it is set for the model', () => {
    const definition = find('text:openai_chat');
    assert.ok(definition);
    assert.deepEqual(getCreditsToReserve(definition, { model: 'local' }), { credits: 0, isExact: true });
  });

  it('cannot be charged by usage if the provider reports no usage', () => {
    for (const usage of [
      undefined,
      null,
      'much',
      {},
      { input_tokens: 5 },
      { output_tokens: -1, input_tokens: 1 },
    ])
      assert.equal(settle('text:openai_chat', {}, usage), null);
  });

  it('does not affect other nodes', () => {
    assert.deepEqual(
      find('generate:fal_seedream'),
      createNodeTypes({ SANDBOX_MODELS: true }).findNode('generate:fal_seedream'),
    );
  });
});
