// Tests models built from published data, valid and hostile: bounds, circular references, names with script, wrong
// prices.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { buildModel } from '../../../src/nodes/models/from-schema.ts';
import type { Model } from '../../../src/nodes/models/model.ts';
import { toDefinition } from '../../../src/nodes/models/model-node.ts';
import { parseModel } from '../../../src/nodes/models/parse-model.ts';
import { createPublishedModel, VIDEO_INPUT } from './published.ts';

const findField = (model: Model, id: string) => model.fields.find(field => field.id === id);

describe('buildModel', () => {
  const model = buildModel(createPublishedModel());

  it('creates ports for media and required texts and fields for everything else', () => {
    assert.equal(model.nodeType, 'video:fal_veo3_1');
    assert.deepEqual(
      model.fields.filter(({ isPort }) => isPort).map(({ id, type, as }) => [id, type, as]),
      [
        ['prompt', 'TEXT', undefined],
        ['image', 'IMAGE', 'image_url'],
        ['reference_images', 'LIST', 'reference_image_urls'],
      ],
    );
    assert.deepEqual(findField(model, 'duration'), {
      id: 'duration',
      label: 'Duration',
      type: 'TEXT',
      enum: ['4s', '6s', '8s'],
      default: '8s',
    });
    assert.deepEqual(findField(model, 'num_inference_steps'), {
      id: 'num_inference_steps',
      label: 'Num inference steps',
      type: 'NUMBER',
      integer: true,
      min: 1,
      max: 50,
      default: 28,
    });
    assert.equal(findField(model, 'generate_audio')?.type, 'BOOLEAN');
    assert.equal(findField(model, 'seed')?.max, 2_147_483_647);
    assert.equal(findField(model, 'reference_images')?.maxItems, 3);
    assert.equal(findField(model, 'sync_mode'), undefined);
    assert.deepEqual(model.output, { kind: 'video', path: 'video' });
  });

  it('reads the limits and steps of numbers in every published form', () => {
    const numbers = {
      prompt: { type: 'string' },
      steps: { type: 'integer', exclusiveMinimum: 0, exclusiveMaximum: 51 },
      strength: { type: 'number', minimum: 0, exclusiveMinimum: true, maximum: 1 },
      frames: { type: 'number', multipleOf: 1, minimum: 8 },
      duration: { type: 'integer', enum: [10, 5] },
      size: { type: 'integer', enum: [1, 2, 4] },
      scale: { type: 'number', enum: [0.5, 1, 1.5] },
    };
    const { fields } = buildModel(createPublishedModel(numbers));
    const shapes = fields
      .filter(({ type }) => type === 'NUMBER')
      .map(({ id, min, max, step, integer }) => [id, min, max, step, integer]);
    assert.deepEqual(shapes, [
      ['steps', 1, 50, undefined, true],
      ['strength', 0, 1, undefined, undefined],
      ['frames', 8, undefined, undefined, true],
      ['duration', 5, 10, 5, true],
      ['size', 1, 4, undefined, true],
      ['scale', 0.5, 1.5, 0.5, undefined],
    ]);
  });

  it('multiplies the price of a unit by the number of units', () => {
    const { pricing, entry } = toDefinition(model);
    assert.equal(pricing?.usd({ duration: '4s' }), 0.8);
    assert.equal(entry.estimatedCredits, 160);
  });

  it('charges the units that fal bills if they cannot be counted in advance', () => {
    const { pricing, entry } = toDefinition(
      buildModel(createPublishedModel(VIDEO_INPUT, { price: { usd: 0.0005, unit: 'compute seconds' } })),
    );
    assert.equal(entry.estimatedCredits, null);
    assert.equal(pricing?.settle?.({}, { billable_units: 100 }), 0.05);
    assert.ok(entry.inputs.some(({ id }) => id === 'maxCredits'));
  });

  it('returns no price if the listed price is implausible', () => {
    for (const usd of [-1, 1e9, 0, Number.NaN]) {
      const { price, priceSource } = buildModel(
        createPublishedModel(VIDEO_INPUT, { price: { usd, unit: 'seconds' } }),
      );
      assert.equal(price, null);
      assert.match(priceSource, /implausible/);
    }
    assert.equal(buildModel(createPublishedModel(VIDEO_INPUT, { price: undefined })).price, null);
  });

  it('accepts circular references, a hundred allOfs and dangling references', () => {
    const circle: Record<string, unknown> = { $ref: '#/components/schemas/Input' };
    const parts = Array.from({ length: 100 }, (_, index) => ({
      properties: { [`p${index}`]: { type: 'string' } },
    }));
    const deep = parts.reduce<unknown>((inner, part) => ({ allOf: [part, inner] }), { type: 'string' });
    const unusualModel = buildModel(
      createPublishedModel({
        prompt: { type: 'string' },
        circle,
        parts: { allOf: parts },
        deep,
        nowhere: { $ref: '#/a/b' },
        outside: { $ref: 'https://example.com/x.json' },
      }),
    );
    assert.deepEqual(
      unusualModel.fields.map(({ id }) => id),
      ['prompt', 'circle', 'parts', 'deep', 'nowhere', 'outside'],
    );
  });

  it('omits optional properties that cannot be fields', () => {
    const properties = JSON.parse(
      '{"prompt": {"type": "string"}, "__proto__": {"type": "string"}, "constructor": {"type": "string"}, "a-b": {}}',
    );
    const modelOfValidNames = buildModel(createPublishedModel(properties));
    assert.deepEqual(
      modelOfValidNames.fields.map(({ id }) => id),
      ['prompt'],
    );
    const input = { type: 'object', required: ['a-b'], properties };
    assert.throws(() => buildModel(createPublishedModel(properties, { input })), { message: /requires a-b/ });
  });

  it('removes markup from names', () => {
    const { label, fields } = buildModel(
      createPublishedModel(
        {
          prompt: { type: 'string' },
          style: { type: 'string', enum: ['<script>alert(1)</script>', 'plain'] },
        },
        { label: '<img src=x onerror=alert(1)>\u0007Veo' },
      ),
    );
    assert.equal(label, 'img src=x onerror=alert(1) Veo');
    assert.equal(fields.find(({ id }) => id === 'style')?.type, 'JSON');
  });

  it('refuses a result that no port can carry and a URL that leaves its base', () => {
    const output = { type: 'object', properties: { model_glb: { type: 'object' } } };
    assert.throws(() => buildModel(createPublishedModel(VIDEO_INPUT, { output })), {
      message: /not an image/,
    });
    for (const endpoint of ['../admin', 'fal-ai/../x', 'fal-ai/x?y=1', 'https://evil/x', '', 'a//b'])
      assert.throws(
        () => buildModel(createPublishedModel(VIDEO_INPUT, { endpoint })),
        { name: 'ModelError' },
        endpoint,
      );
  });
});

describe('parseModel', () => {
  const model = buildModel(createPublishedModel());
  const INVALID_CHANGES: readonly (readonly [object, RegExp])[] = [
    [{ nodeType: 'utility:math' }, /nodeType must match/],
    [{ nodeType: 'video:__proto__"' }, /nodeType/],
    [{ provider: 'comfyui' }, /provider must be one of/],
    [{ price: { unit: 'second', usd: -1 } }, /0 to 10000 USD/],
    [{ price: { unit: 'second', usd: 1e9 } }, /0 to 10000 USD/],
    [{ price: { unit: 'second', usd: 1, of: 'nothing' } }, /refers to the field nothing/],
    [{ fields: Array(81).fill(model.fields[0]) }, /at most 80/],
    [{ fields: [model.fields[0], model.fields[0]] }, /duplicate id/],
    [{ fields: [{ id: 'maxCredits', label: 'x', type: 'NUMBER' }] }, /reserved name/],
    [{ fields: [{ id: 'a', label: '<b>', type: 'NUMBER' }] }, /without < and >/],
    [{ fields: [{ id: 'a', label: 'a', type: 'NUMBER', min: 5, max: 1 }] }, /greater than the maximum/],
    [{ output: { kind: 'image', path: '__proto__.x' } }, /path/],
    [{ schema: { source: 'x', date: 'today' } }, /date/],
  ];
  for (const [change, message] of INVALID_CHANGES) {
    it(`refuses ${JSON.stringify(change).slice(0, 60)}`, () => {
      assert.throws(() => parseModel({ ...model, ...change }), { name: 'ModelError', message });
    });
  }

  it('returns a valid model unchanged', () => {
    assert.deepEqual(parseModel(JSON.parse(JSON.stringify(model))), model);
  });
});
