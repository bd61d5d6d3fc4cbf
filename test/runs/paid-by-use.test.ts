// A model that its operator has priced by the token: its ceiling is reserved, and what it used is charged.
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { assertLedgerBalanced } from '../support/credits/ledger.ts';
import { balanceOf, type PaidService, runPaid, startPaidService } from '../support/credits/paid.ts';
import { node } from '../support/workflows.ts';

describe('a call priced by use', () => {
  let folder: string;
  let paid: PaidService;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'graphwright-prices-'));
    const file = join(folder, 'prices.json');
    // The double uses 3 tokens of input and 4 of output.
    await writeFile(file, JSON.stringify({ 'text:openai_chat': { usdPerMillionOutputTokens: 10_000 } }));
    paid = await startPaidService({ PRICES_FILE: file });
  });
  after(async () => {
    await assertLedgerBalanced(paid.service.db);
    await paid.close();
    await rm(folder, { recursive: true });
  });
  const chat = (maxCredits: number) => ({
    nodes: [node('m', 'text:openai_chat', { prompt: 'Name a fox.', maxCredits })],
    edges: [],
  });

  it('is charged what it used, and the rest of its ceiling is given back', async () => {
    const user = await paid.newUser(20);
    const { status, credits } = await runPaid(user, chat(10));
    assert.equal(status, 'COMPLETED');
    assert.deepEqual(credits, { estimated: 10, held: 0, charged: 4, released: 6 });
    assert.deepEqual(await balanceOf(user), [16, 0]);
  });

  it('is charged no more than its ceiling', async () => {
    const user = await paid.newUser(20);
    const { credits } = await runPaid(user, chat(2));
    assert.deepEqual(credits, { estimated: 2, held: 0, charged: 2, released: 0 });
  });
});
