// Tests which external PostgreSQL versions are accepted.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { describeVersionProblem, requireSupportedVersion } from '../../src/store/server-version.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';

describe('the check of the PostgreSQL version', () => {
  let test: TestDatabase;
  before(async () => {
    test = await createTestDatabase();
  });
  after(() => test.drop());

  it('accepts PostgreSQL 15 and newer', async () => {
    assert.equal(describeVersionProblem('150000'), undefined);
    assert.equal(describeVersionProblem('180004'), undefined);
    await requireSupportedVersion(test.db);
  });

  for (const [number, name] of [
    ['140011', 'PostgreSQL 14.11'],
    ['90603', 'PostgreSQL 9.6.3'],
    ['', 'a server that does not name its version'],
  ] as const) {
    it(`refuses ${name}`, () => {
      assert.match(describeVersionProblem(number) ?? '', new RegExp(`points to ${name}, .* 15 or later`));
    });
  }
});
