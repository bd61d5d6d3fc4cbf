// Checks which tests a change touches, on this repository and on a small tree.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, describe, it } from 'node:test';
import { listTouchedTests, readTestGraph } from '../../scripts/tests/touched-tests.ts';

describe('the tests that a change to this repository touches', () => {
  const graph = readTestGraph();
  const touches = (file: string, test: string): boolean => listTouchedTests([file], graph).includes(test);

  it('include the tests that import a file, also through others', () => {
    assert.ok(touches('src/services/webhooks/webhook-signature.ts', 'test/sdk/webhook.slow.test.ts'));
    assert.ok(touches('src/graph/plan.ts', 'test/engine/run.test.ts'));
  });

  it('include the tests of the folder and of the resource', () => {
    assert.ok(touches('src/jobs/worker.ts', 'test/jobs/kill.nightly.test.ts'));
    assert.ok(touches('src/automation/triggers/store.ts', 'test/automation/triggers/hooks.slow.test.ts'));
    assert.ok(touches('src/http/routes/credits.ts', 'test/http/credits/credits.test.ts'));
    assert.ok(touches('migrations/0001_initial.sql', 'test/store/migrate.test.ts'));
  });

  it('do not include other tests that start the service', () => {
    assert.ok(!touches('src/services/credits/credits.ts', 'test/http/media/media.slow.test.ts'));
    assert.ok(!touches('src/codecs/pixels/kernels.ts', 'test/jobs/kill.nightly.test.ts'));
  });

  it('are all tests after a change to the dependencies', () => {
    assert.ok(touches('package-lock.json', 'test/scripts/touched-tests.test.ts'));
    assert.ok(touches('package.json', 'test/http/media/media.slow.test.ts'));
  });
});

describe('the tests that a change to a tree touches', () => {
  const root = mkdtempSync(join(tmpdir(), 'graphwright-tree-'));
  after(() => rmSync(root, { recursive: true, force: true }));
  const files: Record<string, string> = {
    'src/engine/run.ts':
      "import type { Plan } from '../graph/types.ts';\nimport { parse } from '../graph/parse.ts';",
    'src/graph/parse.ts': "const thread = './parse-thread';",
    'src/graph/parse-thread.ts': '',
    'src/graph/types.ts': '',
    'src/pages/lazy.ts': "const { parse } = await import('../graph/parse.ts');",
    'src/service.ts': "import { run } from './engine/run.ts';",
    'src/store/credits.ts': '',
    'test/engine/run.test.ts': "import { run } from '../../src/engine/run.ts';",
    'test/editor/view.test.tsx': "import {\n  View,\n} from '../../editor/view.tsx';",
    'test/http/credits/credits.test.ts': "import '../../../src/service.ts';",
    'test/pages/deep/lazy.test.ts': "import '../../../src/pages/lazy.ts';",
    'test/render/draw.test.ts': '',
    'test/render/other/other.test.ts': '',
    'editor/view.tsx': "// import './unused.css'\nimport './view.css';",
    'editor/view.css': '',
    'editor/unused.css': '',
  };
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(root, dirname(path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }

  const cases: readonly (readonly [reason: string, changed: string, tests: readonly string[]])[] = [
    ['the test itself', 'test/render/draw.test.ts', ['test/render/draw.test.ts']],
    [
      'imports, static, dynamic and of threads',
      'src/graph/parse-thread.ts',
      ['test/engine/run.test.ts', 'test/pages/deep/lazy.test.ts'],
    ],
    ['no imports of types', 'src/graph/types.ts', []],
    ['imports of TSX and of styles', 'editor/view.css', ['test/editor/view.test.tsx']],
    ['the composition root itself', 'src/service.ts', ['test/http/credits/credits.test.ts']],
    ['the resource', 'src/store/credits.ts', ['test/http/credits/credits.test.ts']],
    ['the same folder', 'src/pages/page.ts', ['test/pages/deep/lazy.test.ts']],
    ['the closest folder above', 'test/render/golden/image.png', ['test/render/draw.test.ts']],
    ['a deleted test', 'test/gone.test.ts', []],
  ];
  for (const [reason, changed, tests] of cases)
    it(`are found by ${reason}`, () =>
      assert.deepEqual(listTouchedTests([changed], readTestGraph(root)), tests));

  it('are the union of the tests of each file', () => {
    assert.deepEqual(
      listTouchedTests(['test/render/draw.test.ts', 'src/engine/run.ts'], readTestGraph(root)),
      ['test/engine/run.test.ts', 'test/render/draw.test.ts'],
    );
  });
});
