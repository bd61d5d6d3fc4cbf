// Tests the parser of ISO 8601 times.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseIsoTime } from '../../src/services/schema.ts';

describe('parseIsoTime', () => {
  it('accepts dates and times with a zone', () => {
    for (const [text, iso] of [
      ['2026-11-21', '2026-11-21T00:00:00.000Z'],
      ['2024-02-29', '2024-02-29T00:00:00.000Z'],
      ['2026-11-21T12:30Z', '2026-11-21T12:30:00.000Z'],
      ['2026-11-21T12:30:15.123456Z', '2026-11-21T12:30:15.123Z'],
      ['2026-11-21T00:30:00+02:00', '2026-11-20T22:30:00.000Z'],
      ['0001-01-01', '0001-01-01T00:00:00.000Z'],
    ] as const) {
      assert.equal(parseIsoTime(text)?.toISOString(), iso, text);
    }
  });

  it('rejects days that do not exist', () => {
    for (const text of [
      '2026-02-29',
      '2026-02-30',
      '2026-04-31',
      '2026-13-01',
      '2026-00-01',
      '2026-01-00',
      '0000-01-01',
    ]) {
      assert.equal(parseIsoTime(text), undefined, text);
    }
  });

  it('rejects other formats', () => {
    for (const text of [
      '',
      '1',
      '2026',
      '2026-1-1',
      '20261121',
      'now',
      '2026-11-21T12:30',
      '2026-11-21T25:00Z',
      '2026-11-21T24:00Z',
      '2026-11-21T12:60Z',
      '2026-11-21 12:30Z',
      ' 2026-11-21',
    ]) {
      assert.equal(parseIsoTime(text), undefined, text);
    }
  });
});
