// `graphwright credits`: grants and revokes credits, over HTTP if there is a key, else directly in the database.
import type { CreditPool } from '../../sdk/src/schemas.ts';
import { type Command, UsageError } from './command.ts';
import { runAsOperator } from './operator.ts';

export const grantCredits: Command = async ({ args, options, terminal, signal }) => {
  const [account = '', amount = ''] = args;
  const request = {
    ...parseAccount(account),
    amount: parseAmount(amount),
    note: typeof options.note === 'string' ? options.note : 'granted by the operator',
  };
  const pool = await runAsOperator<CreditPool>(signal, {
    http: client => client.post('/admin/credits', request),
    database: async (deps, operator) =>
      (await import('../services/credits/credits.ts')).grantCredits(deps, operator, request),
  });
  if (options.json === true) return terminal.print(JSON.stringify(pool, null, 2));
  terminal.print(`${account} has ${pool.balance} credits, and ${pool.held} reserved for runs.`);
};

function parseAccount(text: string): { readonly userId: number } | { readonly teamId: string } {
  if (/^[1-9]\d{0,8}$/.test(text)) return { userId: Number(text) };
  if (text.startsWith('team_')) return { teamId: text };
  throw new UsageError('Specify the account: the id of a user or a team (team_…).');
}

const MAX_AMOUNT = 1_000_000_000_000;

function parseAmount(text: string): number {
  const amount = Number(text);
  if (/^[+-]?\d+$/.test(text) && Math.abs(amount) <= MAX_AMOUNT) return amount;
  throw new UsageError(
    `The amount must be a whole number of credits of at most ${MAX_AMOUNT}. Use a negative amount to revoke credits.`,
  );
}
