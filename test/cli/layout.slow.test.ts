// Tests `graphwright layout`, which lays out and draws a file without a service.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { type CommandResult, spawnFirst } from '../support/command-line.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const POSTCARD = join(ROOT, 'examples', 'postcard.json');
const folder = mkdtempSync(join(tmpdir(), 'graphwright-layout-'));
after(() => rmSync(folder, { recursive: true }));

const layout = (...args: string[]): Promise<CommandResult> => spawnFirst(['layout', ...args]);

interface Workflow {
  readonly nodes: readonly { readonly id: string; readonly position: { readonly x: number } }[];
  readonly edges: readonly { readonly source: string; readonly target: string }[];
}

describe('graphwright layout', () => {
  it('prints the workflow with producers left of consumers', async () => {
    const { out, code } = await layout(POSTCARD);
    assert.equal(code, 0);
    const workflow = JSON.parse(out) as Workflow;
    const x = new Map(workflow.nodes.map(node => [node.id, node.position.x]));
    for (const { source, target } of workflow.edges) assert.ok((x.get(source) ?? 0) < (x.get(target) ?? 0));
  });

  it('writes the workflow and its drawing to the given paths', async () => {
    const path = join(folder, 'a.json');
    const secondPath = join(folder, 'b.json');
    const svg = join(folder, 'a.svg');
    const result = await layout(POSTCARD, '--out', path, '--svg', svg);
    assert.equal(result.code, 0);
    assert.ok(result.out.trimEnd().endsWith(` nodes moved. Wrote ${path} and ${svg}.`), result.out);
    assert.ok((await layout(POSTCARD, '--svg', svg)).out.trimEnd().endsWith(`Wrote ${svg}.`));
    assert.equal((await layout(path, '--out', secondPath)).code, 0);
    assert.equal(readFileSync(secondPath, 'utf8'), readFileSync(path, 'utf8'));
    assert.match(readFileSync(svg, 'utf8'), /^<svg /);
  });

  it('prints the problem of a malformed workflow', async () => {
    const path = join(folder, 'malformed.json');
    const node = { id: 'a', type: 'basedNode', position: 'left', data: { nodeType: 'input:text' } };
    writeFileSync(path, JSON.stringify({ name: 'Malformed', nodes: [node], edges: [] }));
    const { code, err } = await layout(path);
    assert.equal(code, 1);
    assert.match(err, /malformed\.json: position must be \{ x, y \}/);
  });

  it('exits with code 2 for an unknown direction', async () => {
    const { code, err } = await layout(POSTCARD, '--direction', 'UP');
    assert.equal(code, 2);
    assert.match(err, /RIGHT, DOWN/);
  });
});
