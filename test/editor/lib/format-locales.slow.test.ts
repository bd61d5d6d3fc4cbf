// Tests how the web application formats numbers and times in browsers with other locales.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { it } from 'node:test';
import { promisify } from 'node:util';

it('writes words in English and numbers with the separators of the locale', async () => {
  const format = join(import.meta.dirname, '../../../editor/lib/format.ts');
  const script = `
    const { formatAgo, formatBytes, formatDay, formatNumber } = await import(${JSON.stringify(format)});
    const time = Date.parse('2026-11-03T12:00:00Z');
    console.log(JSON.stringify([
      formatNumber(1234567.5), formatBytes(14_700_000), formatDay(time), formatAgo(time, time + 240_000),
    ]));`;
  const list = async (locale: string): Promise<unknown> => {
    const env = { ...process.env, LC_ALL: locale, TZ: 'UTC' };
    const args = ['--input-type=module', '-e', script];
    const { stdout } = await promisify(execFile)(process.execPath, args, { env });
    return JSON.parse(stdout);
  };
  assert.deepEqual(await list('ru_RU.UTF-8'), [
    '1\u00a0234\u00a0567,5',
    '14,7 MB',
    '3 Nov 2026',
    '4 min ago',
  ]);
  assert.deepEqual(await list('ja_JP.UTF-8'), ['1,234,567.5', '14.7 MB', '3 Nov 2026', '4 min ago']);
  assert.deepEqual(await list('en_US.UTF-8'), ['1,234,567.5', '14.7 MB', 'Nov 3, 2026', '4 min. ago']);
});
