// The catalog as a whole: shape of its entries by the contract, defaults, hidden entries, weight.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import type { InputDef } from '../../src/graph/catalog.ts';
import { CATEGORIES, FIELD_TYPES } from '../../src/graph/types.ts';
import { findNode, makeCatalog } from '../../src/nodes/catalog.ts';

const catalog = makeCatalog({ SANDBOX_MODELS: true });

const PROMISED =
  `input:text input:number input:image input:video input:audio input:json input:list output:preview
  output:gallery utility:prompt_concat utility:text_template utility:text_split utility:text_replace
  utility:json_extract utility:json_build utility:math utility:list_item utility:list_slice utility:http_request
  utility:image_resize utility:image_crop utility:image_rotate utility:image_adjust utility:image_blur
  utility:image_composite utility:image_grid utility:image_convert utility:image_info utility:text_to_image_card
  logic:if logic:switch logic:merge logic:collect logic:delay logic:approval generate:sandbox edit:sandbox
  utility:group utility:sticky_note`.split(/\s+/);

describe('the catalog', () => {
  it('holds every node that was promised, each with an implementation', () => {
    for (const nodeType of PROMISED) {
      assert.ok(catalog.find(nodeType), nodeType);
      assert.equal(typeof findNode(nodeType)?.run, 'function', nodeType);
    }
  });

  it('names each type once', () => {
    const types = catalog.entries.map(entry => entry.nodeType);
    assert.deepEqual(types, [...new Set(types)]);
  });

  it('gives every entry the fields of the contract and nothing that JSON loses', () => {
    for (const entry of catalog.entries) {
      assert.match(entry.nodeType, /^[a-z]+:[a-z0-9_]+$/);
      assert.ok(entry.label.length > 0);
      assert.ok([...CATEGORIES, 'video'].includes(entry.category), entry.nodeType);
      const isFree = entry.executionCost === 'free';
      assert.deepEqual([entry.pricingModel === 'free', entry.estimatedCredits === 0], [isFree, isFree]);
      for (const port of [...entry.inputs, ...entry.outputs]) {
        assert.ok(FIELD_TYPES.includes(port.type), `${entry.nodeType}.${port.id}`);
        assert.ok(port.label.length > 0);
      }
      assert.ok(entry.outputs.every(output => output.isPort));
      assert.deepEqual(JSON.parse(JSON.stringify(entry)), entry);
    }
  });

  it('declares only defaults that fit their own field', () => {
    for (const entry of catalog.entries) {
      for (const input of entry.inputs)
        assert.equal(defaultProblem(input), undefined, `${entry.nodeType}.${input.id}`);
    }
  });

  it('uses each id once within a node', () => {
    for (const entry of catalog.entries) {
      const ids = entry.inputs.map(input => input.id);
      assert.deepEqual(ids, [...new Set(ids)], entry.nodeType);
    }
  });

  it('names ports and fields as the table of decisions.md does', () => {
    assert.deepEqual(idsOf('utility:prompt_concat'), {
      ports: ['text1', 'text2', 'text3', 'text4'],
      fields: ['separator'],
      outputs: ['text'],
    });
    assert.deepEqual(idsOf('utility:math'), {
      ports: ['a', 'b'],
      fields: ['operation'],
      outputs: ['number'],
    });
    assert.deepEqual(idsOf('logic:if'), {
      ports: ['value', 'input'],
      fields: ['operator', 'compare'],
      outputs: ['true', 'false'],
    });
    assert.deepEqual(idsOf('logic:delay'), { ports: ['input'], fields: ['ms'], outputs: ['output'] });
    assert.deepEqual(idsOf('logic:approval'), {
      ports: ['input'],
      fields: ['message', 'timeoutMs'],
      outputs: ['approved', 'rejected'],
    });
    assert.deepEqual(idsOf('output:preview'), { ports: ['input'], fields: [], outputs: [] });
    assert.deepEqual(idsOf('generate:sandbox'), {
      ports: ['prompt'],
      fields: ['width', 'height', 'seed', 'style'],
      outputs: ['image'],
    });
  });

  it('hides the sandbox models where they are switched off, and still knows how to run them', () => {
    const without = makeCatalog({ SANDBOX_MODELS: false });
    assert.equal(without.find('generate:sandbox')?.hidden, true);
    assert.equal(without.find('edit:sandbox')?.hidden, true);
    assert.equal(without.find('input:text')?.hidden, undefined);
    assert.equal(catalog.find('generate:sandbox')?.hidden, undefined);
    assert.ok(findNode('generate:sandbox'));
  });

  it('marks notes and groups as entries of the canvas', () => {
    assert.equal(catalog.find('utility:group')?.customNodeType, 'groupFrame');
    assert.equal(catalog.find('utility:sticky_note')?.customNodeType, 'stickyNote');
    assert.equal(catalog.find('utility:group')?.source, 'registry-shell');
  });

  it('resolves ports by the config, and none for a type that it does not know', () => {
    const { inputs } = catalog.ports('utility:text_template', { template: '{{a}} and {{b}}' });
    assert.deepEqual(
      inputs.filter(input => input.isPort).map(input => input.id),
      ['a', 'b'],
    );
    assert.deepEqual(catalog.ports('no:such', {}), { inputs: [], outputs: [] });
    assert.equal(catalog.find('__proto__'), undefined);
  });

  it('loads neither sharp nor the rasterizer nor the regex engine', async () => {
    const script = `await import('./src/nodes/catalog.ts');
      console.log(process.report.getReport().sharedObjects.filter(file => /sharp|skia|canvas/i.test(file)).join());`;
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script]);
    assert.equal(stdout.trim(), '');
  });
});

function idsOf(nodeType: string) {
  const entry = catalog.find(nodeType);
  const inputs = entry?.inputs ?? [];
  return {
    ports: inputs.filter(input => input.isPort).map(input => input.id),
    fields: inputs.filter(input => !input.isPort).map(input => input.id),
    outputs: entry?.outputs.map(output => output.id),
  };
}

function defaultProblem({
  type,
  default: value,
  enum: allowed,
  min,
  max,
  integer,
}: InputDef): string | undefined {
  if (value === undefined) return undefined;
  if (type === 'TEXT' && typeof value !== 'string') return 'is no text';
  if (type === 'NUMBER' && (typeof value !== 'number' || value < (min ?? value) || value > (max ?? value)))
    return 'is out of range';
  if (type === 'BOOLEAN' && typeof value !== 'boolean') return 'is neither true nor false';
  if (integer === true && !Number.isInteger(value)) return 'is no whole number';
  return allowed !== undefined && !allowed.includes(String(value)) ? 'is not allowed' : undefined;
}
