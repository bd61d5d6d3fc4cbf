// `graphwright layout`: the file laid out and drawn, without a service.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';

const ROOT = join(import.meta.dirname, '..', '..');
const POSTCARD = join(ROOT, 'examples', 'postcard.json');
const folder = mkdtempSync(join(tmpdir(), 'graphwright-layout-'));
after(() => rmSync(folder, { recursive: true }));

const layout = (...args: string[]) =>
  spawnSync(process.execPath, [join(ROOT, 'bin', 'graphwright.js'), 'layout', ...args], { encoding: 'utf8' });

interface Workflow {
  readonly nodes: readonly { readonly id: string; readonly position: { readonly x: number } }[];
  readonly edges: readonly { readonly source: string; readonly target: string }[];
}

describe('graphwright layout', () => {
  it('prints the workflow with producers left of consumers', () => {
    const { stdout, status } = layout(POSTCARD);
    assert.equal(status, 0);
    const laid = JSON.parse(stdout) as Workflow;
    const x = new Map(laid.nodes.map(node => [node.id, node.position.x]));
    for (const { source, target } of laid.edges) assert.ok((x.get(source) ?? 0) < (x.get(target) ?? 0));
  });

  it('writes the file and the drawing where the options say, and the same each time', () => {
    const out = join(folder, 'a.json');
    const again = join(folder, 'b.json');
    const svg = join(folder, 'a.svg');
    assert.equal(layout(POSTCARD, '--out', out, '--svg', svg).status, 0);
    assert.equal(layout(out, '--out', again).status, 0);
    assert.equal(readFileSync(again, 'utf8'), readFileSync(out, 'utf8'));
    assert.match(readFileSync(svg, 'utf8'), /^<svg /);
  });

  it('ends with exit code 2 for a direction that does not exist', () => {
    const { status, stderr } = layout(POSTCARD, '--direction', 'UP');
    assert.equal(status, 2);
    assert.match(stderr, /RIGHT, DOWN/);
  });
});
