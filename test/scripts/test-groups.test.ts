// Checks how test files are divided into groups, each of which runs in a process.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, describe, it } from 'node:test';
import { groupFiles } from '../../scripts/tests/groups.ts';

describe('groupFiles', () => {
  const root = mkdtempSync(join(tmpdir(), 'graphwright-groups-'));
  after(() => rmSync(root, { recursive: true, force: true }));
  const write = (file: string, text = ''): string => {
    mkdirSync(join(root, dirname(file)), { recursive: true });
    writeFileSync(join(root, file), text);
    return file;
  };
  const list = (folder: string, tier: string, count: number, text = ''): readonly string[] =>
    Array.from({ length: count }, (_, index) => write(`test/${folder}/${index}${tier}.test.ts`, text));

  it('puts each file into one group, and those that inspect their process into groups of their own', () => {
    const alone = list('jobs', '.alone', 2);
    const files = [
      ...alone,
      ...list('lib', '', 9),
      ...list('jobs', '.slow', 9),
      ...list('jobs', '.nightly', 2),
    ];
    const groups = groupFiles(root, files, {});
    assert.deepEqual(groups.flat().sort(), files.toSorted());
    for (const file of alone) assert.ok(groups.some(group => group.length === 1 && group[0] === file));
  });

  it('puts fast, slow and browser tests into different groups', () => {
    const fast = list('lib', '', 9);
    const slow = list('jobs', '.slow', 9);
    const browser = list('editor', '.slow', 9, "import { openBrowser } from '../support/browser.ts';");
    const kindOf = (file: string): string => dirname(file);
    for (const group of groupFiles(root, [...fast, ...slow, ...browser], {}))
      assert.equal(new Set(group.map(kindOf)).size, 1);
  });

  it('cuts slow files into long groups and then short ones, keeps neighbors together and starts with the longest', () => {
    const slow = [...list('a', '.slow', 20), ...list('b', '.slow', 20)];
    const durations = Object.fromEntries(slow.map(file => [file, file.startsWith('test/a/') ? 20 : 10]));
    const groups = groupFiles(root, slow, durations);
    assert.deepEqual(groups.flat(), slow.toSorted());
    const sums = groups.map(group => group.reduce((sum, file) => sum + (durations[file] ?? 0), 0));
    assert.deepEqual(
      sums,
      sums.toSorted((a, b) => b - a),
    );
    assert.ok((sums[0] ?? 0) <= 170 && (sums.at(-1) ?? 0) <= 40, `${sums}`);
    assert.ok(groups.length <= 12, `${sums}`);
  });

  it('gives a new file the usual duration', () => {
    assert.equal(groupFiles(root, list('new', '.slow', 8), {}).length, 2);
    assert.equal(groupFiles(root, list('new', '.slow', 16), {}).length, 3);
  });
});
