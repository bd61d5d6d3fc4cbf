// `npm run test:fast`: the tests that test/slow.ts does not name, run as `npm test` runs all.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { splitTests } from '../test/slow.ts';

const root = join(import.meta.dirname, '..');
const options = ['--test-global-setup=test/support/global-setup.ts', '--test-concurrency=2'];
const files = splitTests().fast.map(file => join('test', file));
const { status } = spawnSync(
  process.execPath,
  ['--test', ...options, '--test-timeout=120000', ...process.argv.slice(2), ...files],
  { cwd: root, stdio: 'inherit' },
);
process.exit(status ?? 1);
